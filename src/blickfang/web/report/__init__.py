"""Runs in, a report out: one HTML page that stands alone, report.json, figures as SVG and PDF.

    write_report([Run("focused", pages=…), Run("unfocused", pages=…)], Path("out"))

Runs with the same `group` are shown as one, by mean and spread: Run("focused 1", group="focused").
`blickfang.web.report.run_report.gather_run(collection, name, group)` measures a collection.
"""

from blickfang.web.report.report_values import (
    Annotation,
    Card,
    ImageFunnelStep,
    PageLog,
    Run,
    Votes,
)
from blickfang.web.report.write_report import write_report

__all__ = ["Annotation", "Card", "ImageFunnelStep", "PageLog", "Run", "Votes", "write_report"]
