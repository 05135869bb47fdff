"""A figure as SVG: text that scales, reads aloud, prints, and fits light and dark pages.

In: a `Figure`. Out: a string. Inside a page it takes the page's text colour (`currentColor`) and
needs no style; a page may set its own by the classes `bf-f` (fill) and `bf-s` (stroke) with a name
of `COLOURS`, as `style_sheet` does. As a file of its own it brings paper and that style sheet.
"""

import hashlib
import html

from blickfang.web.charts.shapes import Dot, Figure, Shape, Stroke, TextLine, clean

FONTS = "system-ui, 'Segoe UI', Roboto, Helvetica, Arial, 'Liberation Sans', sans-serif"
# Okabe and Ito's colours, the pale ones darkened until they can be seen on white paper.
COLOURS = {
    "ink": "currentColor",
    "faint": "#717883",
    "grid": "#d5d9de",
    "0": "#0072b2",
    "1": "#d55e00",
    "2": "#009e73",
    "3": "#b85c92",
    "4": "#a67c00",
    "5": "#767676",
    "6": "#3d8fc4",
}
DARK = {
    "faint": "#a3abb5",
    "grid": "#3a4149",
    "0": "#4ba3db",
    "1": "#ff8a3d",
    "2": "#2fc79a",
    "3": "#e29ac4",
    "4": "#e0b040",
    "5": "#a8a8a8",
    "6": "#8ccbf2",
}
INK, PAPER, DARK_INK, DARK_PAPER = "#1b1f24", "#ffffff", "#e8eaed", "#15181c"


def svg(figure: Figure, *, alone: bool = False) -> str:
    """Return a figure as SVG, to be put into a page, or as a file that stands alone."""
    name = "bf" + hashlib.sha256(repr(figure).encode("utf-8", "replace")).hexdigest()[:12]
    width, height = _number(figure.width), _number(figure.height)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="bf-chart" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" aria-labelledby="{name}t {name}d" '
        f'font-family="{FONTS}">'
        f'<title id="{name}t">{escape(figure.title)}</title>'
        f'<desc id="{name}d">{escape(figure.description)}</desc>'
    )
    drawn = "".join(map(_draw, figure.shapes))
    if not alone:
        return f"{head}{drawn}</svg>"
    style = f"<style>{style_sheet()}</style>"
    paper = f'<rect width="{width}" height="{height}" fill="{PAPER}" class="bf-paper"/>'
    return f'{head}{style}{paper}<g color="{INK}" class="bf-page">{drawn}</g></svg>\n'


def style_sheet() -> str:
    """Return the rules that make figures fit a dark screen, for pages that follow the reader's."""
    rules = "".join(
        f".bf-f{name}{{fill:{colour}}}.bf-s{name}{{stroke:{colour}}}"
        for name, colour in DARK.items()
    )
    page = f".bf-paper{{fill:{DARK_PAPER}}}.bf-page{{color:{DARK_INK}}}"
    return f"@media screen and (prefers-color-scheme:dark){{{page}{rules}}}"


def escape(text: str) -> str:
    """Return a text as it may stand in a document or between quotation marks."""
    return html.escape(clean(text))


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _points(points: tuple[tuple[float, float], ...]) -> str:
    return " ".join(f"{_number(x)},{_number(y)}" for x, y in points)


def _draw(shape: Shape) -> str:
    if isinstance(shape, Stroke):
        return _draw_stroke(shape)
    if isinstance(shape, TextLine):
        return _draw_words(shape)
    paint = f'fill="{COLOURS[shape.colour]}" class="bf-f{shape.colour}"'
    inside = f"<title>{escape(shape.hint)}</title>" if shape.hint else ""
    if isinstance(shape, Dot):
        x, y = map(_number, shape.centre)
        opened = f'<circle cx="{x}" cy="{y}" r="{_number(shape.radius)}" {paint}'
        return f"{opened}>{inside}</circle>" if inside else f"{opened}/>"
    clear = f' fill-opacity="{shape.opacity:.2f}"' if shape.opacity < 1 else ""
    opened = f'<polygon points="{_points(shape.points)}" {paint}{clear}'
    return f"{opened}>{inside}</polygon>" if inside else f"{opened}/>"


def _draw_stroke(shape: Stroke) -> str:
    dash = f' stroke-dasharray="{" ".join(map(_number, shape.dash))}"' if shape.dash else ""
    return (
        f'<polyline points="{_points(shape.points)}" fill="none" '
        f'stroke="{COLOURS[shape.colour]}" class="bf-s{shape.colour}" '
        f'stroke-width="{_number(shape.width)}" stroke-linejoin="round"{dash}/>'
    )


def _draw_words(shape: TextLine) -> str:
    x, y = map(_number, shape.place)
    side = f' text-anchor="{shape.side}"' if shape.side != "start" else ""
    bold = ' font-weight="600"' if shape.bold else ""
    return (
        f'<text x="{x}" y="{y}" font-size="{_number(shape.size)}" '
        f'fill="{COLOURS[shape.colour]}" class="bf-f{shape.colour}"{side}{bold}>'
        f"{escape(shape.text)}</text>"
    )
