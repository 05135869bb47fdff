"""The comparison as a page: tables and figures, one file that opens anywhere.

In: a `Comparison`. Out: HTML without scripts or anything fetched; it follows the reader's dark mode
and prints.
"""

from blickfang.charts import Group, Series, bars, lines, svg
from blickfang.charts.draw_svg import escape, style_sheet
from blickfang.lab.summary import Comparison, Figure, Line

STYLE = """
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;margin:1rem 0}
th,td{padding:.25rem .7rem;text-align:right;border-bottom:1px solid #8884}
th:first-child,td:first-child{text-align:left}
svg{max-width:100%;height:auto}
.wide{overflow-x:auto}
.best{font-weight:600}
@media print{body{margin:0;max-width:none}svg,table{break-inside:avoid}}
"""


def write_page(title: str, comparison: Comparison) -> str:
    """Return the whole page."""
    webs = list(dict.fromkeys(line.web for line in comparison.lines))
    parts = [_show_web(web, comparison) for web in webs]
    measure = "R-precision: the on-topic share of the first R pages or images, R being how many "
    measure += "there are." if comparison.has_truth else ""
    if not comparison.has_truth:
        measure = "There is no truth: the share of pages that one ruler for all finds on topic."
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<style>{STYLE}{style_sheet()}</style><main><h1>{escape(title)}</h1><p>{measure} "
        "Means over topics of means over draws; ± is the mean over topics of the spread over "
        "draws. The oracle knows the topic of every page and follows the same links.</p>"
        f"{''.join(parts)}</main></html>\n"
    )


def _show_web(web: str, comparison: Comparison) -> str:
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
        Group(
            line.way,
            [line.topics[name].mean for name in topics],
            [line.topics[name].spread for name in topics],
        )
        for line in chosen
    ]
    shown = bars(topics, groups, title="Pages by topic", x="share", show="{:.2f}".format)
    return (
        f"<h2>{escape(web)}</h2>{_show_means(chosen)}{_show_topics(chosen, topics)}"
        f"<figure>{svg(shown)}</figure><figure>{svg(drawn)}</figure>"
    )


def _show_means(chosen: list[Line]) -> str:
    heads = ("way", "pages", "of oracle", "images", "of oracle", "by score", "better / worse")
    rows = [
        [
            escape(line.way),
            tell(line.pages),
            tell(Figure(line.share, None)),
            tell(line.images),
            tell(Figure(line.share_images, None)),
            tell(line.by_score),
            f"{line.wins} / {line.losses}",
        ]
        for line in chosen
    ]
    first = chosen[0]
    if first.oracle is not None:
        images = tell(Figure(first.oracle_images, None))
        rows.append(["oracle", tell(Figure(first.oracle, None)), "1", images, "1", "–", "–"])
    best = max(range(len(chosen)), key=lambda at: _rank(chosen[at]))
    return _table(heads, rows, best)


def _rank(line: Line) -> float:
    figure = line.pages if line.pages.mean is not None else line.by_score
    return figure.mean or 0.0


def _show_topics(chosen: list[Line], topics: list[str]) -> str:
    rows = [
        [
            escape(line.way),
            *(
                f"{tell(line.topics[name])} ({tell(line.topics_images[name])})"
                if line.topics_images[name].mean is not None
                else tell(line.topics[name])
                for name in topics
            ),
        ]
        for line in chosen
    ]
    return _table(["pages (images)", *map(escape, topics)], rows, -1)


def _table(heads: tuple[str, ...] | list[str], rows: list[list[str]], best: int) -> str:
    top = "".join(f'<th scope="col">{head}</th>' for head in heads)
    body = "".join(
        f"<tr{' class=best' if number == best else ''}>"
        + "".join(f"<td>{cell}</td>" for cell in row)
        + "</tr>"
        for number, row in enumerate(rows)
    )
    return f'<div class="wide"><table><tr>{top}</tr>{body}</table></div>'


def tell(figure: Figure) -> str:
    """Return a figure in words.

    >>> tell(Figure(0.5, 0.01)), tell(Figure(None, None))
    ('.500 ±.01', '–')
    """
    if figure.mean is None:
        return "–"
    text = f"{figure.mean:.3f}"
    if figure.spread is not None:
        text += f" ±{figure.spread:.2f}".replace("±0", "±")
    return text.removeprefix("0") if figure.mean < 1 else text
