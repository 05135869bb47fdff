"""The comparison as a page: tables and figures, one file that opens anywhere.

In: a `Comparison`. Out: HTML without scripts or anything fetched; it follows the reader's dark mode
and prints.
"""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from blickfang.crawl.experiment.summarise import Comparison, MeanAndSpread, SummaryLine
from blickfang.io.atomic_files import write_text
from blickfang.web.charts import BarGroup, Series, bars, lines
from blickfang.web.report.templating import render_page


def write_page(title: str, comparison: Comparison) -> str:
    """Return the whole page."""
    webs = [
        _show_web(web, comparison) for web in dict.fromkeys(line.web for line in comparison.lines)
    ]
    return render_page("experiment.html", title=title, webs=webs, has_truth=comparison.has_truth)


def _show_web(web: str, comparison: Comparison) -> dict[str, Any]:
    """Return the tables and figures of a web."""
    chosen = [line for line in comparison.lines if line.web == web]
    curves = comparison.curves[web]
    drawn = lines(
        [Series(way, *zip(*curve, strict=True)) for way, curve in curves.items() if curve],
        title="On-topic share so far",
        x="of the crawl, in %",
        y="share",
        zero=True,
    )
    topics = list(chosen[0].topics)
    groups = [
        BarGroup(
            line.way,
            [line.topics[name].mean for name in topics],
            [line.topics[name].spread for name in topics],
        )
        for line in chosen
    ]
    shown = bars(topics, groups, title="Pages by topic", x="share", show="{:.2f}".format)
    return {
        "name": web,
        "means": _list_means(chosen),
        "best": max(range(len(chosen)), key=lambda at: _rank(chosen[at])),
        "topics": topics,
        "by_topic": _list_topics(chosen, topics),
        "bars": shown,
        "curves": drawn,
    }


def _list_means(chosen: list[SummaryLine]) -> list[list[str]]:
    rows = [
        [
            line.way,
            tell(line.pages),
            tell(MeanAndSpread(line.share, None)),
            tell(line.images),
            tell(MeanAndSpread(line.share_images, None)),
            tell(line.by_score),
            f"{line.wins} / {line.losses}",
        ]
        for line in chosen
    ]
    first = chosen[0]
    if first.oracle is not None:
        images = tell(MeanAndSpread(first.oracle_images, None))
        rows.append(["oracle", tell(MeanAndSpread(first.oracle, None)), "1", images, "1", "–", "–"])
    return rows


def _rank(line: SummaryLine) -> float:
    figure = line.pages if line.pages.mean is not None else line.by_score
    return figure.mean or 0.0


def _list_topics(chosen: list[SummaryLine], topics: list[str]) -> list[list[str]]:
    return [
        [
            line.way,
            *(
                f"{tell(line.topics[name])} ({tell(line.topics_images[name])})"
                if line.topics_images[name].mean is not None
                else tell(line.topics[name])
                for name in topics
            ),
        ]
        for line in chosen
    ]


def tell(figure: MeanAndSpread) -> str:
    """Return a figure in words.

    >>> tell(MeanAndSpread(0.5, 0.01)), tell(MeanAndSpread(None, None))
    ('.500 ±.01', '–')
    """
    if figure.mean is None:
        return "–"
    text = f"{figure.mean:.3f}"
    if figure.spread is not None:
        text += f" ±{figure.spread:.2f}".replace("±0", "±")
    return text.removeprefix("0") if figure.mean < 1 else text


HEADS = ("web", "way", "crawls", "pages", "of oracle", "images", "of oracle", "by score", "s")


def write_comparison(comparison: Comparison, title: str, folder: Path) -> None:
    """Write a comparison as JSON and as a page."""
    text = json.dumps(asdict(comparison), indent=1, ensure_ascii=False)
    write_text(folder / "comparison.json", text + "\n")
    write_text(folder / "comparison.html", write_page(title, comparison))


def tabulate(comparison: Comparison) -> tuple[list[str], list[list[str]]]:
    """Return the heads and rows of a table: ways by web, and pages by topic."""
    topics = list(dict.fromkeys(name for line in comparison.lines for name in line.topics))
    rows = [
        [
            line.web,
            line.way,
            str(line.crawls),
            tell(line.pages),
            tell(MeanAndSpread(line.share, None)),
            tell(line.images),
            tell(MeanAndSpread(line.share_images, None)),
            tell(line.by_score),
            f"{line.seconds:.1f}",
            *(tell(line.topics.get(name, MeanAndSpread(None, None))) for name in topics),
        ]
        for line in comparison.lines
    ]
    return [*HEADS, *topics], rows
