"""The report on two corpora: what the study of near-duplicates shows, as one page.

In: the figures that `pipeline.compared` gathers. Out: HTML that stands alone.
"""

from typing import Any

from blickfang.dedupe.compare.overlap_counts import EDGES
from blickfang.dedupe.compare.pair_measures import MEANINGS
from blickfang.web.charts import BarGroup, Series, bars, histogram, lines
from blickfang.web.charts.shapes import Figure
from blickfang.web.report.templating import render_page

ROWS = 25  # of the longer tables
DRAWN = 12  # top-level domains
Facts = dict[str, Any]


def make_report(facts: Facts) -> str:
    """Return the report."""
    return render_page(
        "comparison.html",
        facts=facts,
        meanings=MEANINGS,
        most_rows=ROWS,
        draw_top_levels=_draw_top_levels,
        draw_jaccard=_draw_jaccard,
        draw_segments=_draw_segments,
        draw_judgements=_draw_judgements,
    )


def _draw_jaccard(title: str, y: str, name: str, counts: list[int]) -> Figure:
    return histogram(EDGES, {name: counts}, title=title, x="Jaccard", y=y)


def _draw_top_levels(urls: Facts) -> Figure:
    """Draw how the addresses spread over top-level domains."""
    drawn = urls["by_top_level"][:DRAWN]
    groups = [
        BarGroup(name, [100 * row[key] / max(urls[key], 1) for row in drawn])
        for name, key in (("of A", "a"), ("of B", "b"), ("of the shared ones", "shared"))
    ]
    title = "Top-level domains: share of the addresses"
    labels = [row["name"] if row["name"].startswith("(") else f".{row['name']}" for row in drawn]
    return bars(labels, groups, title=title, x="%", show="{:.1f}".format)


def _draw_segments(title: str, y: str, segments: list[Facts], keys: dict[str, str]) -> Figure:
    """Draw figures of segments, which have a name and a key each."""
    x = [float(place) for place in range(1, len(segments) + 1)]
    curves = [
        Series(name, x, [float(each[key]) for each in segments]) for name, key in keys.items()
    ]
    return lines(curves, title=title, x="segment", y=y, zero=True)


def _draw_judgements(levels: list[Facts]) -> Figure:
    labels = [f"judgement {level['judgement']}" for level in levels]
    groups = [
        BarGroup(name, [float(level[name]) for level in levels]) for name in ("carried", "lost")
    ]
    return bars(labels, groups, title="Judgements carried over", x="judgements", stacked=True)
