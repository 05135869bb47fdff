"""Figures hold whatever numbers and strings come, inside their edges, and say what they show."""

import io
import itertools
import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pypdf import PdfReader

from blickfang.web.charts import BarGroup, Series, bars, funnel, histogram, lines, svg
from blickfang.web.charts.draw_pdf import pdf
from blickfang.web.charts.draw_svg import COLOURS, DARK, DARK_PAPER, PAPER
from blickfang.web.charts.histograms import sparkline
from blickfang.web.charts.line_charts import scatter
from blickfang.web.charts.scales import choose_ticks, make_scale, widen, write_numbers
from blickfang.web.charts.shapes import (
    SERIES,
    Area,
    Dot,
    Figure,
    Stroke,
    TextLine,
    shorten,
    text_width,
)

NUMBERS = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True),
    st.floats(0, 1e6),
    st.integers(-3, 10**12).map(float),
)
MAYBE = st.one_of(st.none(), NUMBERS)
HOSTILE = st.one_of(
    st.text(max_size=40), st.sampled_from(["</svg><script>x()</script>", '" onload="x()', "\x00&"])
)
SPACE = "{http://www.w3.org/2000/svg}"


def points(figure: Figure) -> list[tuple[float, float]]:
    found: list[tuple[float, float]] = []
    for shape in figure.shapes:
        if isinstance(shape, Stroke | Area):
            found += shape.points
        else:
            found.append(shape.centre if isinstance(shape, Dot) else shape.place)
    return found


def check(figure: Figure) -> ET.Element:
    """Whatever went in: numbers are numbers, inside the figure, and the document is sound."""
    for x, y in points(figure):
        assert math.isfinite(x)
        assert math.isfinite(y)
        assert -0.5 <= x <= figure.width + 0.5
        assert -0.5 <= y <= figure.height + 0.5
    text = svg(figure)
    assert "nan" not in re.sub(r"<(title|desc|text)[^>]*>.*?</\1>", "", text, flags=re.DOTALL)
    root = ET.fromstring(text)  # noqa: S314 -- our own
    assert root.get("role") == "img"
    names = {
        each.get("id")
        for each in (root.find(f"{SPACE}title"), root.find(f"{SPACE}desc"))
        if each is not None
    }
    assert names == set((root.get("aria-labelledby") or "").split())
    tags = {each.tag.removeprefix(SPACE) for each in root.iter()}
    assert tags <= {"svg", "title", "desc", "polyline", "polygon", "circle", "text"}
    for each in root.iter():
        assert not [name for name in each.attrib if name.startswith("on")]
    return root


@given(
    st.lists(
        st.tuples(HOSTILE, st.lists(st.tuples(NUMBERS, MAYBE, MAYBE), max_size=12)), max_size=4
    ),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    HOSTILE,
)
def test_curves_of_anything(
    given_series: list[tuple[str, list[tuple[float, float | None, float | None]]]],
    log_x: bool,
    log_y: bool,
    zero: bool,
    title: str,
) -> None:
    series = [
        Series(
            name,
            [x for x, _, _ in rows],
            [y for _, y, _ in rows],
            [y for _, y, _ in rows],
            [high for _, _, high in rows],
        )
        for name, rows in given_series
    ]
    check(lines(series, title=title, x="x", y=title, log_x=log_x, log_y=log_y, zero=zero))
    check(scatter(series, title=title, log_x=log_x, log_y=log_y))


@given(
    st.lists(HOSTILE, max_size=6),
    st.lists(st.lists(MAYBE, max_size=7), max_size=3),
    st.booleans(),
    HOSTILE,
)
def test_bars_of_anything(
    labels: list[str], values: list[list[float | None]], stacked: bool, title: str
) -> None:
    groups = [BarGroup(title, each, each[::-1]) for each in values]
    check(bars(labels, groups, title=title, stacked=stacked, x=title))


@given(st.lists(st.tuples(HOSTILE, st.integers(0, 10**12), HOSTILE), max_size=6))
def test_funnels_of_anything(steps: list[tuple[str, float, str]]) -> None:
    check(funnel(steps, title="<i>"))


@given(st.lists(NUMBERS, max_size=9), st.integers(0, 3), st.booleans(), st.booleans(), st.data())
def test_histograms_of_anything(
    edges: list[float], names: int, log_x: bool, stacked: bool, data: st.DataObject
) -> None:
    size = max(len(edges) - 1, 0)
    counts = {
        str(name): data.draw(st.lists(NUMBERS, min_size=size, max_size=size))
        for name in range(names)
    }
    check(histogram(edges, counts, title="t", x="x", y="y", log_x=log_x, stacked=stacked))


@given(st.lists(MAYBE, max_size=30))
def test_sparklines_of_anything(values: list[float | None]) -> None:
    check(sparkline(values, title="t"))


@given(st.lists(st.floats(-1e12, 1e12), min_size=1, max_size=5), st.booleans(), st.booleans())
def test_ticks_are_inside_distinct_and_apart(values: list[float], log: bool, zero: bool) -> None:
    scale = widen(make_scale(values, 50.0, 600.0, log=log, zero=zero))
    ticks = choose_ticks(scale, lambda text: text_width(text) + 16)
    assert all(scale.low <= value <= scale.high for value, _ in ticks)
    assert len({label for _, label in ticks}) == len(ticks)
    places = [(scale.place(value), text_width(label) / 2) for value, label in ticks]
    for (left, half), (right, other) in itertools.pairwise(places):
        assert left + half + 8 <= right - other - 8 + 1e-6


@pytest.mark.parametrize(
    ("low", "high", "log", "expected"),
    [
        (0, 100, False, ["0", "20", "40", "60", "80", "100"]),
        (0, 1, False, ["0", "0.2", "0.4", "0.6", "0.8", "1"]),
        (1, 1e6, True, ["1", "10", "100", "1,000", "10,000", "100,000", "1M"]),
        (30, 3000, True, ["50", "100", "200", "500", "1,000", "2,000"]),
    ],
)
def test_ticks_are_those_a_person_would_choose(
    low: float, high: float, log: bool, expected: list[str]
) -> None:
    scale = make_scale([low, high], 0.0, 600.0, log=log)
    ticks = choose_ticks(scale, lambda text: text_width(text) + 45)
    assert [label for _, label in ticks] == expected


@given(st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=6, unique=True))
def test_labels_say_the_numbers(values: list[int]) -> None:
    step = [value / 4 for value in values]
    for label, value in zip(write_numbers(step), step, strict=True):
        assert float(label.replace(",", "")) == value


@given(HOSTILE, st.floats(10, 300))
def test_short_texts_fit(text: str, room: float) -> None:
    assert text_width(shorten(text, room)) <= max(room, text_width("…"))


def words_of(figure: Figure) -> list[tuple[float, float, float, float]]:
    boxes = []
    for shape in figure.shapes:
        if isinstance(shape, TextLine):
            wide = text_width(shape.text, shape.size) * 0.85  # the estimate is generous
            left = shape.place[0] - {"start": 0, "middle": wide / 2, "end": wide}[shape.side]
            y = shape.place[1]
            boxes.append((left, y - shape.size * 0.75, left + wide, y + shape.size * 0.2))
    return boxes


def overlapping(boxes: Sequence[tuple[float, float, float, float]]) -> int:
    return sum(
        a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
        for at, a in enumerate(boxes)
        for b in boxes[at + 1 :]
    )


NAMES = ["unfocused", "focused", "focused+keywords", "a run with quite a long name", "e", "harvest"]


@pytest.mark.parametrize(
    "figure",
    [
        lines(
            [Series(name, range(1, 50), [9e5 / x for x in range(1, 50)]) for name in NAMES],
            title="T" * 200, x="package", y="perplexity", log_x=True, log_y=True,
        ),
        bars(
            [f"host-{number}.example" * 3 for number in range(25)],
            [BarGroup(name, [7e6 / (1 + n) for n in range(25)]) for name in NAMES[:3]],
            title="Hosts", x="pages",
        ),
        bars(NAMES, [BarGroup(name, [3.0] * 6) for name in NAMES], title="Stack", stacked=True),
        funnel([(name, 10.0**-n * 1e9, "why " * 60) for n, name in enumerate(NAMES)], title="F"),
        histogram(range(8), {name: range(7) for name in NAMES}, title="H", x="x", y="y"),
    ],
    ids=["lines", "bars", "stack", "funnel", "histogram"],
)  # fmt: skip
def test_no_words_overlap(figure: Figure) -> None:
    check(figure)
    assert overlapping(words_of(figure)) == 0
    assert all(left >= -1 and right <= figure.width + 1 for left, _, right, _ in words_of(figure))


def test_gaps_split_curves_and_hostile_strings_are_escaped() -> None:
    figure = lines([Series("<b>", [1, 2, 3, 4, 5], [1, 2, None, 2, 1])], title='"<x>', y="&")
    root = check(figure)
    assert (
        len([each for each in figure.shapes if isinstance(each, Stroke) and each.colour == "0"])
        == 2
    )
    title = root.find(f"{SPACE}title")
    assert title is not None
    assert title.text == '"<x>'
    assert "<x>" not in svg(figure)


def luminance(code: str) -> float:
    parts = [int(code[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_colours_can_be_seen_on_both_papers() -> None:
    for name in map(str, range(SERIES)):
        assert contrast(COLOURS[name], PAPER) >= 3
        assert contrast(DARK[name], DARK_PAPER) >= 3
    assert contrast(COLOURS["faint"], PAPER) >= 4.4
    assert contrast(DARK["faint"], DARK_PAPER) >= 4.5


def test_a_file_of_its_own_brings_paper_and_style() -> None:
    figure = lines([Series("a", [1, 2], [1, 2])], title="t")
    alone = svg(figure, alone=True)
    assert "<style>" in alone
    assert "bf-paper" in alone
    assert "<style>" not in svg(figure)
    ET.fromstring(alone)  # noqa: S314 -- our own


def test_pdf_shows_the_same_words_and_is_the_same_twice() -> None:
    groups = [BarGroup("pages", [3.0, 7.0], [1.0, 1.0]), BarGroup("κ 漢", [2.0, None])]
    figure = bars(["Müller", "b"], groups, title="Title <of> it", x="pages")
    first = pdf(figure)
    assert first == pdf(figure)
    reader = PdfReader(io.BytesIO(first))
    assert len(reader.pages) == 1
    text = reader.pages[0].extract_text()
    assert "Title <of> it" in text
    assert "Müller" in text
    assert float(reader.pages[0].mediabox.width) == pytest.approx(figure.width)
