"""The report on disk: one page that needs nothing else, the same facts as JSON, the figures.

In: `Run`s and a folder. Out: report.html, report.json, figures/NAME.svg and .pdf. Texts of the web
are escaped by the template, addresses become links only where they are of the web.
"""

import base64
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import blickfang
from blickfang.errors import InputError
from blickfang.io.atomic_files import refuse_full_folder, replacing, write_text
from blickfang.web.charts import svg
from blickfang.web.charts.draw_pdf import pdf
from blickfang.web.report.measure_runs import (
    RunGroup,
    category_packages,
    group_runs,
    on_topic_curves,
    on_topic_share,
    perplexity_curves,
    whole_perplexity,
)
from blickfang.web.report.report_figures import ReportFigure, draw_figures
from blickfang.web.report.report_tables import ReportTable, make_tables
from blickfang.web.report.report_values import Card, Run
from blickfang.web.report.templating import render_page, web

PAGE, FACTS, FIGURES = "report.html", "report.json", "figures"
MOST_SHEETS, MOST_NOTES = 6, 12
MOST_BYTES = 4_500_000  # of the page
MOST_IMAGE_BYTES = 3_000_000  # of all thumbnails as they stand in the page
SECTIONS = (
    ("runs", "The runs"),
    ("statistics", "What was crawled"),
    ("focus", "Focus"),
    ("categories", "Categories over crawl time"),
    ("images", "From image addresses to samples"),
    ("labels", "What people said"),
    ("candidates", "Corpus candidates"),
    ("places", "Hosts, domains, languages"),
    ("duplicates", "Duplicates"),
    ("consent", "Consent and licences"),
    ("failures", "Failures"),
    ("every-run", "Every run"),
)


class Written(NamedTuple):
    """What was written."""

    page: Path
    facts: Path
    figures: int
    bytes: int  # of the page


class ReportSection(NamedTuple):
    """A part of the page."""

    name: str
    title: str
    figures: list[ReportFigure]
    tables: list[ReportTable]


def write_report(runs: Sequence[Run], out: Path, *, title: str = "") -> Written:
    """Write the report on some runs into a folder; one that is there already is replaced."""
    if not runs:
        raise InputError("there is nothing to report on; name at least one run")
    refuse_full_folder(out, "report", lambda folder: (folder / FACTS).exists())
    groups = group_runs(runs)
    figures = draw_figures(groups)
    tables = make_tables(groups, {drawn.name for drawn in figures})
    _write_figures(figures, out / FIGURES)
    title = title or f"Report on {', '.join(run.name for run in runs[:4])}" + (
        f" and {len(runs) - 4} more" if len(runs) > 4 else ""
    )
    page = fit_page(title, groups, figures, tables)
    facts = json.dumps(to_facts(title, groups), ensure_ascii=False, indent=1, allow_nan=False)
    write_text(out / FACTS, facts + "\n")
    write_text(out / PAGE, page)
    return Written(out / PAGE, out / FACTS, len(figures), len(page.encode()))


def _write_figures(figures: Sequence[ReportFigure], folder: Path) -> None:
    """Write every figure twice, and delete those of an earlier report."""
    written = set()
    for drawn in figures:
        name = _file_name(drawn.name)
        written |= {f"{name}.svg", f"{name}.pdf"}
        write_text(folder / f"{name}.svg", svg(drawn.figure, alone=True))
        with replacing(folder / f"{name}.pdf") as file:
            file.write(pdf(drawn.figure))
    for path in [*folder.glob("*.svg"), *folder.glob("*.pdf")]:
        if path.name not in written:
            path.unlink()


def _file_name(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-")[:80] or "figure"


def fit_page(
    title: str,
    groups: Sequence[RunGroup],
    figures: Sequence[ReportFigure],
    tables: Sequence[ReportTable],
) -> str:
    """Return the page; with fewer thumbnails if it would be too large."""
    runs = [run for group in groups for run in group.runs]
    room = MOST_IMAGE_BYTES
    while True:
        page = make_page(title, runs, figures, tables, room)
        if len(page.encode()) <= MOST_BYTES or room == 0:
            return page
        room = room // 2 if room > 10_000 else 0


def make_page(
    title: str,
    runs: Sequence[Run],
    figures: Sequence[ReportFigure],
    tables: Sequence[ReportTable],
    room: int = MOST_IMAGE_BYTES,
) -> str:
    """Return the page, with thumbnails as long as there is room for them."""
    sections = [
        ReportSection(
            name,
            heading,
            [each for each in figures if each.section == name],
            [table for table in tables if table.section == name],
        )
        for name, heading in SECTIONS
    ]
    return render_page(
        "report.html",
        title=title,
        runs=runs,
        sections=[each for each in sections if each.figures or each.tables],
        notes=_collect_notes(runs),
        sheets=_make_sheets(runs, room),
    )


def _collect_notes(runs: Sequence[Run]) -> list[str]:
    """Return what is to be known first, equal notes together."""
    names: dict[str, list[str]] = {}
    for run in runs:
        for note in run.notes:
            names.setdefault(note, []).append(run.name)
    notes = []
    for note, who in names.items():
        others = f" and {len(who) - 3} more" if len(who) > 3 else ""
        notes.append(f"{', '.join(who[:3])}{others}: {note}")
    left = len(notes) - MOST_NOTES
    return [*notes[:MOST_NOTES], *([f"{left} more notes are in report.json."] if left > 0 else [])]


def _make_sheets(runs: Sequence[Run], room: int) -> list[dict[str, Any]]:
    """Return the contact sheets; what has no room is counted, not hidden."""
    runs = [run for run in runs if run.cards]
    if len(runs) > MOST_SHEETS:  # one of each group stands for the others
        runs = list({run.group or run.name: run for run in runs[::-1]}.values())[::-1]
    each = room // max(1, len(runs))
    sheets = []
    for run in runs:
        rows, left, hidden = [], each, 0
        for name, cards in run.cards.items():
            shown = []
            for card in cards:
                size = len(card.jpeg) * 4 // 3 + 4
                if size <= left:
                    shown.append(_show_card(card))
                    left -= size
                else:
                    hidden += 1
            rows.append((name, shown))
        if rows:
            sheets.append({"name": run.name, "rows": rows, "hidden": hidden, "of": run.samples})
    return sheets


def _show_card(card: Card) -> dict[str, Any]:
    data = base64.b64encode(card.jpeg).decode()
    return {
        "source": f"data:image/jpeg;base64,{data}" if data else "",
        "caption": card.caption,
        "url": web(card.url),
        "page": web(card.page_url),
        "rank": "–" if card.rank is None else f"{card.rank:.2g}",
        "number": card.number,
        "size": card.size,
    }


def to_facts(title: str, groups: Sequence[RunGroup]) -> dict[str, Any]:
    """Return everything the report shows, but for pictures, as plain values."""
    curves, size = perplexity_curves(groups)
    return {
        "format": 1,
        "made_by": f"blickfang {blickfang.__version__}",
        "title": title,
        "sentences_of_a_package": size,
        "perplexity": [_plain(curve._asdict()) for curve in curves],
        "on_topic": [_plain(curve._asdict()) for curve in on_topic_curves(groups)],
        "runs": [describe_run(run, group.name) for group in groups for run in group.runs],
    }


def describe_run(run: Run, group: str) -> dict[str, Any]:
    """Return what is known of a run as plain values."""
    edges, categories = category_packages([run.pages])
    rate = 1 / run.seconds if run.seconds > 0 else None
    plain = asdict(run)
    for name in ("pages", "cards", "notes"):
        del plain[name]
    whole: dict[str, Any] = _plain(
        {
            **plain,
            "group": group,
            "pages": len(run.pages),
            "sentences": int(run.pages.sentences.sum()),
            "tokens": int(run.pages.tokens.sum()),
            "hosts_visited": len({*run.hosts, *run.image_hosts}),
            "uris_per_second": rate and run.uris * rate,
            "kb_per_second": rate and run.bytes / 1e3 * rate,
            "on_topic_share": on_topic_share(run.pages),
            "perplexity": whole_perplexity(run.pages),
            "categories_over_time": {"edges": edges, "pages": categories},
            "sheet": {
                name: [_plain({**card._asdict(), "jpeg": len(card.jpeg)}) for card in cards]
                for name, cards in run.cards.items()
            },
            "notes": list(run.notes),
        }
    )
    return whole


def _plain(value: Any) -> Any:
    """Return a value as JSON has it; what is no number becomes null."""
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return _plain(value._asdict())
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value
