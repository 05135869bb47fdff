"""A figure as a PDF page of its own size, to be put into papers.

In: a `Figure`. Out: bytes, the same for the same figure. Letters beyond Latin-1 are set in a font
of the system that knows them; where there is none they are written as their code points.
"""

import io
import logging
import unicodedata
from datetime import UTC, datetime
from functools import cache
from typing import Any

from blickfang.web.charts.draw_svg import COLOURS, INK
from blickfang.web.charts.shapes import Area, Dot, Figure, Shape, Stroke, TextLine, clean

FONTS = ("DejaVuSans.ttf", "NotoSans-Regular.ttf", "Arial Unicode.ttf", "arial.ttf")
SAME_DAY = datetime(2000, 1, 1, tzinfo=UTC)  # equal figures are equal files
LATIN = {"–": "-", "—": "-", "…": "...", "’": "'", "“": '"', "”": '"', "≥": ">=", "≤": "<="}


def pdf(figure: Figure) -> bytes:
    """Return a figure as a PDF of one page."""
    from fpdf import FPDF  # takes as long to load as all of ours

    page = FPDF(unit="pt", format=(figure.width, figure.height))
    page.set_creation_date(SAME_DAY)
    page.set_title(clean(figure.title))
    page.set_subject(clean(figure.description)[:2000])
    page.set_auto_page_break(False)
    page.set_margin(0)
    page.c_margin = 0
    page.add_page()
    beyond = any(isinstance(each, TextLine) and not _is_latin(each.text) for each in figure.shapes)
    font = _find_font() if beyond else None
    if font is not None:
        logging.getLogger("fontTools").setLevel(logging.ERROR)
        logging.getLogger("fpdf").setLevel(logging.ERROR)  # of letters the font does not know
        page.add_font("wide", fname=font)
    for shape in figure.shapes:
        _draw(page, shape, wide=font is not None)
    stream = io.BytesIO()
    page.output(stream)
    return stream.getvalue()


def _draw(page: Any, shape: Shape, *, wide: bool) -> None:
    colour = _colour(shape.colour)
    if isinstance(shape, TextLine):
        _write(page, shape, colour, wide)
    elif isinstance(shape, Stroke):
        page.set_draw_color(*colour)
        page.set_line_width(shape.width)
        dash, gap = (*shape.dash, 0, 0)[:2]
        page.set_dash_pattern(dash, gap)
        page.polyline(shape.points)
        page.set_dash_pattern()
    elif isinstance(shape, Dot):
        page.set_fill_color(*colour)
        (x, y), radius = shape.centre, shape.radius
        page.circle(x, y, radius, style="F")
    else:
        _fill(page, shape, colour)


def _fill(page: Any, shape: Area, colour: tuple[int, int, int]) -> None:
    page.set_fill_color(*colour)
    if shape.opacity < 1:
        with page.local_context(fill_opacity=shape.opacity):
            page.polygon(shape.points, style="F")
    else:
        page.polygon(shape.points, style="F")


def _write(page: Any, words: TextLine, colour: tuple[int, int, int], wide: bool) -> None:
    text = clean(words.text)
    if _is_latin(text) or not wide:
        page.set_font("helvetica", "B" if words.bold else "", words.size)
        text = text if _is_latin(text) else _spell(text)
    else:
        page.set_font("wide", "", words.size * 0.92)  # such fonts run wide
    page.set_text_color(*colour)
    x, y = words.place
    if words.side != "start":
        x -= page.get_string_width(text) / (1 if words.side == "end" else 2)
    page.text(x, y, text)


def _is_latin(text: str) -> bool:
    return all(ord(letter) < 256 for letter in text)


def _spell(text: str) -> str:
    """Write a text in Latin-1: without accents it does not have, else by code points."""
    text = "".join(LATIN.get(letter, letter) for letter in text)
    plain = unicodedata.normalize("NFKC", text)
    return "".join(each if ord(each) < 256 else f"U+{ord(each):04X} " for each in plain)


@cache
def _find_font() -> str | None:
    """Return the file of a font that knows many letters, wherever the system keeps its fonts."""
    from PIL import ImageFont

    for name in FONTS:
        try:
            return str(ImageFont.truetype(name).path)
        except OSError:
            continue
    return None


def _colour(name: str) -> tuple[int, int, int]:
    code = INK if name == "ink" else COLOURS[name]
    return int(code[1:3], 16), int(code[3:5], 16), int(code[5:7], 16)
