"""Pages of HTML that stand alone: one style, no script, nothing from elsewhere, all text escaped.

In: titles, tables, figures. Out: strings. What is crawled may hold anything; here it becomes text.
"""

from collections.abc import Iterable, Sequence

from blickfang.charts.draw_svg import escape, style_sheet

STYLE = """
:root{color-scheme:light dark;--ink:#1b1f24;--paper:#fff;--faint:#5c6470;--line:#d5d9de;
--tint:#f4f6f8;--mark:#ffe9a8;--accent:#0072b2}
@media (prefers-color-scheme:dark){:root{--ink:#e8eaed;--paper:#15181c;--faint:#a3abb5;
--line:#3a4149;--tint:#1e2329;--mark:#5b4a12;--accent:#4ba3db}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:60rem;padding:2rem 1.25rem 4rem;background:var(--paper);
color:var(--ink);font:16px/1.55 system-ui,'Segoe UI',Roboto,Helvetica,Arial,sans-serif}
body.wide{max-width:90rem}
h1{font-size:1.7rem;line-height:1.25;margin:0 0 .3rem;overflow-wrap:anywhere}
h2{font-size:1.25rem;margin:2.6rem 0 .5rem;padding-top:.9rem;border-top:1px solid var(--line)}
h3{font-size:1rem;margin:1.6rem 0 .3rem}
p{margin:.4rem 0 .8rem;max-width:46rem}
.lead,.note,caption,dt{color:var(--faint)}
.note{font-size:.9rem}
a{color:var(--accent)}
nav a{margin-right:1rem}
.numbers{display:grid;grid-template-columns:repeat(auto-fit,minmax(11rem,1fr));gap:.8rem;
margin:1.4rem 0}
.numbers div{background:var(--tint);border-radius:.5rem;padding:.8rem 1rem}
.numbers b{display:block;font-size:1.55rem;line-height:1.2;font-variant-numeric:tabular-nums}
.numbers span{font-size:.88rem;color:var(--faint)}
.scroll{overflow-x:auto;margin:.6rem 0 1.2rem}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.94rem}
caption{text-align:left;padding-bottom:.3rem;font-size:.9rem}
th,td{padding:.28rem .8rem .28rem 0;text-align:right;vertical-align:top;white-space:nowrap;
border-bottom:1px solid var(--line)}
th{font-weight:600;color:var(--faint)}
th:first-child,td:first-child,td.words,th.words{text-align:left;white-space:normal;
overflow-wrap:anywhere}
td.words{min-width:8rem}
figure{margin:1rem 0}
svg{max-width:100%;height:auto}
.pair{display:grid;grid-template-columns:1fr 1fr;gap:1rem}
.pair>div{min-width:0;border:1px solid var(--line);border-radius:.4rem;padding:.6rem .8rem}
.pair h3{margin:0 0 .4rem;font-size:.85rem;overflow-wrap:anywhere}
.pair pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:0;max-height:26rem;overflow:auto;
font:.84rem/1.5 ui-monospace,Consolas,monospace}
mark{background:var(--mark);color:inherit}
.judge{font-size:.92rem;margin:.6rem 0;border:0;padding:0}
.judge legend{float:left;margin-right:1.1rem;color:var(--faint)}
summary{cursor:pointer;font-size:.88rem;color:var(--faint)}
.judge label{margin-right:1.1rem}
@media (max-width:40rem){.pair{grid-template-columns:1fr}}
@media print{.pair pre{max-height:none}section{break-inside:avoid}}
"""


def make_page(title: str, body: Iterable[str], *, wide: bool = False) -> str:
    """Return a whole page."""
    width = ' class="wide"' if wide else ""
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}{style_sheet()}</style></head>\n"
        f"<body{width}><main>\n{chr(10).join(body)}\n</main></body></html>\n"
    )


def make_table(
    titles: Sequence[str],
    rows: Iterable[Sequence[str]],
    caption: str = "",
    words: Sequence[int] = (0,),
) -> str:
    """Return a table; the columns of words stand to the left, numbers to the right."""
    kinds = [' class="words"' if place in words else "" for place in range(len(titles))]
    head = "".join(
        f'<th scope="col"{kind}>{escape(title)}</th>'
        for title, kind in zip(titles, kinds, strict=True)
    )
    lines = []
    for row in rows:
        cells = zip(row, kinds, strict=True)
        lines.append("".join(f"<td{kind}>{escape(cell)}</td>" for cell, kind in cells))
    body = "".join(f"<tr>{line}</tr>\n" for line in lines)
    above = f"<caption>{escape(caption)}</caption>" if caption else ""
    return (
        f'<div class="scroll" tabindex="0"><table>{above}<thead><tr>{head}</tr></thead>\n'
        f"<tbody>{body}</tbody></table></div>"
    )


def make_numbers(numbers: Iterable[tuple[str, str]]) -> str:
    """Return the few numbers that matter most, large."""
    boxes = (f"<div><b>{escape(v)}</b><span>{escape(n)}</span></div>" for v, n in numbers)
    return f'<div class="numbers">{"".join(boxes)}</div>'


def say(text: str, kind: str = "") -> str:
    """Return a paragraph."""
    return f'<p class="{kind}">{escape(text)}</p>' if kind else f"<p>{escape(text)}</p>"


def show_count(value: float | None) -> str:
    """Return a whole number as people read it."""
    return "–" if value is None or value != value else f"{value:,.0f}"


def show_share(part: float | None, whole: float | None = 1.0) -> str:
    r"""Return a share in per cent.

    >>> show_share(1, 3), show_share(0, 0)
    ('33.3\xa0%', '–')
    """
    if part is None or not whole or part != part:
        return "–"
    return f"{100 * part / whole:.1f}\xa0%"


def show_value(value: float | None) -> str:
    """Return a similarity."""
    return "–" if value is None or value != value else f"{value:.3f}"
