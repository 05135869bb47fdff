"""Estimated geometry: where sections and images of a page stand."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.errors import SettingsError
from blickfang.html.layout.boxes import Boxes, estimate_boxes, keep_sections
from blickfang.html.layout.sections import LayoutOptions
from blickfang.html.parse.tree import Tree, find_nodes, read_tree, slice_text

OPTIONS = LayoutOptions()
Box = tuple[float, float, float, float]


def read(html: str) -> tuple[Tree, Boxes]:
    tree = read_tree(html.encode())
    return tree, estimate_boxes(tree, OPTIONS)


def sections(html: str) -> dict[str, Box]:
    """Return where each text stands: left, top, width, height."""
    tree, boxes = read(html)
    rows = np.stack(boxes.place[:4], axis=1).tolist()
    spans = zip(boxes.start.tolist(), boxes.end.tolist(), strict=True)
    return {slice_text(tree, *span): tuple(row) for span, row in zip(spans, rows, strict=True)}


def images(html: str) -> list[Box]:
    _, boxes = read(html)
    return [tuple(row) for row in np.stack(boxes.image_place[:4], axis=1).tolist()]


def gaps(html: str) -> list[float]:
    _, boxes = read(html)
    gap: list[float] = boxes.place.gap.tolist()
    return gap


def test_blocks_stack_from_the_corner() -> None:
    found = sections("<div>one</div><div>three</div>")
    assert found == {"one": (0, 0, 30, 20), "three": (0, 20, 50, 20)}


def test_text_wraps_at_the_width_of_the_page() -> None:
    assert sections(f"<p>{'x' * 250}</p><p>y") == {
        "x" * 250: (0, 0, 1000, 60),
        "y": (0, 60, 10, 20),
    }


def test_headings_are_larger() -> None:
    assert sections("<h1>title</h1>")["title"] == (0, 0, 100, 40)


@pytest.mark.parametrize(
    ("html", "size"),
    [
        ("<img>", (200, 200)),
        ("<img width=300>", (300, 300)),
        ("<img height=50>", (50, 50)),
        ("<img width=300 height=100>", (300, 100)),
        ('<img style="width: 50%; height: 10px">', (500, 10)),
        ('<img width=300 style="WIDTH:120px !important;height:80px">', (120, 80)),
        ("<img width=2000 height=1000>", (1000, 500)),
        ('<img width="wide" height="3em">', (200, 200)),
        ("<img width=0 height=0>", (0, 0)),
    ],
)
def test_declared_sizes_win(html: str, size: tuple[float, float]) -> None:
    assert images(html) == [(0, 0, *size)]


def test_images_stand_in_their_line() -> None:
    html = "<div><img width=600 height=50><img width=600 height=70>text</div>below"
    assert images(html) == [(0, 0, 600, 50), (0, 50, 600, 70)]
    assert sections(html) == {"text": (600, 50, 40, 20), "below": (0, 120, 50, 20)}


def test_twins_in_noscript_take_no_room() -> None:
    html = "<div><img><noscript><img></noscript></div><div>caption</div>"
    assert sections(html)["caption"] == (0, 200, 70, 20)


def test_text_flows_around_a_float_and_out_of_its_paragraph() -> None:
    html = (
        "<p><img align=left width=100 height=100>beside</p><p>also</p>"
        '<div style="clear: both">below</div>'
    )
    assert sections(html) == {
        "beside": (100, 0, 60, 20),
        "also": (100, 20, 40, 20),
        "below": (0, 100, 50, 20),
    }


def test_columns_that_float() -> None:
    html = (
        '<div><div style="float:left;width:30%">left</div>'
        '<div style="float:right;width:200px">right</div></div>after'
    )
    assert sections(html) == {
        "left": (0, 0, 40, 20),
        "right": (800, 0, 50, 20),
        "after": (0, 20, 50, 20),
    }


def test_table_with_spans() -> None:
    html = """<table width=600><tr><td width=200 rowspan=2>a<td>b<tr><td>c
    <tr><td colspan=2>d<tr><td>e<td width=400>f</table>g"""
    assert sections(html) == {
        "a": (0, 0, 10, 20),
        "b": (200, 0, 10, 20),
        "c": (200, 20, 10, 20),
        "d": (0, 40, 10, 20),
        "e": (0, 60, 10, 20),
        "f": (200, 60, 10, 20),
        "g": (0, 80, 10, 20),
    }


def test_a_cell_of_several_rows_keeps_the_table_open() -> None:
    html = "<table><tr><td rowspan=2><img><td>b<tr><td>c</table>after"
    assert sections(html)["after"] == (0, 200, 50, 20)


def test_unknown_text_is_half_as_high_as_wide() -> None:
    left, top, width, height = sections(f"<table><tr><td>{'x' * 400}</table>")["x" * 400]
    assert (left, top, width) == (0, 0, 400)
    assert height == 200


def test_flexible_boxes_stand_side_by_side() -> None:
    html = (
        '<div style="display:flex"><div style="width:300px">a</div><div>b</div></div>'
        '<div style="display:flex;flex-direction:column"><p>c</p><p>d</p></div>'
        '<div style="display:grid;grid-template-columns:repeat(2, 1fr)"><p>e<p>f<p>g</div>h'
    )
    assert {text: box[:2] for text, box in sections(html).items()} == {
        "a": (0, 0),
        "b": (300, 0),
        "c": (0, 20),
        "d": (0, 40),
        "e": (0, 60),
        "f": (500, 60),
        "g": (0, 80),
        "h": (0, 100),
    }


def test_separators_add_up_in_their_column() -> None:
    assert gaps("<div>a</div><hr><div>b</div>") == [0, 200]
    assert gaps("<p>a</p><p>b</p>c") == [100, 200, 300]
    assert gaps("<h1>a</h1><h2>b</h2>c") == [10, 20, 28]
    assert gaps("a<img width=400 height=5>b") == [0, 200]
    assert gaps("<table><tr><td>a<hr>b<td>c<tr><td>d</table>") == [0, 200, 0, 200]


def test_what_a_section_is() -> None:
    tree, boxes = read(
        "<div>one <b>two</b> <a href=x>three</a><br>four<br><br>five<p>six</p>seven"
        "<span hidden>eight</span></div><a href=y><p>nine</p></a>"
    )
    spans = zip(boxes.start.tolist(), boxes.end.tolist(), strict=True)
    texts = [slice_text(tree, *span) for span in spans]
    assert texts == ["one two three\nfour", "five", "six", "seven", "nine"]
    assert boxes.links.tolist() == [1, 0, 0, 0, 1]
    assert boxes.characters.tolist() == [18, 4, 3, 5, 4]


def test_home_of_an_image() -> None:
    _, boxes = read("<p>text <img></p><p><img></p><div hidden>shown later <img></div>")
    assert boxes.home.tolist() == [0, -1, 1]


def test_sections_can_be_left_out() -> None:
    _, boxes = read("<p>a <img></p><p>b <img></p><p>c</p>")
    fewer = keep_sections(boxes, np.array([False, True, True]))
    assert fewer.home.tolist() == [-1, 0]
    assert fewer.place.y.tolist() == boxes.place.y[1:].tolist()


@pytest.mark.parametrize("html", ["", "<img>", "text", "<table><tr></table>", "<td>x</td>"])
def test_odd_pages(html: str) -> None:
    read(html)


@pytest.mark.parametrize(
    "wrong",
    [
        {"distance": "far"},
        {"heading_distances": (1.0,)},
        {"char_width": 0.0},
        {"min_characters": 500},
        {"distance_weight": -1.0},
    ],
)
def test_options_are_checked(wrong: dict[str, object]) -> None:
    with pytest.raises(SettingsError):
        LayoutOptions(**wrong)  # type: ignore[arg-type]


@dataclass
class Run:
    """Images and then a text, alone in their block."""

    images: list[tuple[int, int]]
    length: int


@dataclass
class Block:
    """A block of blocks."""

    width: int | None
    parts: "list[Block | Run]"


RUNS = st.builds(
    Run,
    st.lists(st.tuples(st.integers(1, 700), st.integers(21, 300)), max_size=3),
    st.integers(0, 150),
)
WIDTHS = st.one_of(st.none(), st.integers(100, 1200))
PARTS = st.recursive(RUNS, lambda part: st.builds(Block, WIDTHS, st.lists(part, max_size=4)))


def write(part: Block | Run) -> str:
    if isinstance(part, Run):
        shown = "".join(f"<img width={width} height={height}>" for width, height in part.images)
        return f"<div>{shown}{'x' * part.length}</div>"
    style = f"width:{part.width}px" if part.width else ""
    return f'<div style="{style}">{"".join(map(write, part.parts))}</div>'


def place(part: Block | Run, y: float, room: float, found: tuple[list[Box], list[Box]]) -> float:
    """Place texts and images without a thought of speed; return how far down they reach."""
    if isinstance(part, Block):
        for inner in part.parts:
            y = place(inner, y, min(part.width or room, room), found)
        return y
    texts, pictures = found
    x = high = 0.0
    for width, height in part.images:
        shown = min(width, room)
        if x and x + shown > room:
            x, y, high = 0.0, y + high, 0.0
        pictures.append((x, y, shown, height * shown / width))
        x, high = x + shown, max(high, height * shown / width)
    lines: list[tuple[float, float, float]] = []  # start, end, top
    left = part.length * 10.0
    while left > 0:
        if x >= room:
            x, y, high = 0.0, y + high, 0.0
        lines.append((x, x + min(left, room - x), y))
        left -= room - x
        x, high = lines[-1][1], max(high, 20.0)
    if lines:
        start, end = min(line[0] for line in lines), max(line[1] for line in lines)
        texts.append((start, lines[0][2], end - start, lines[-1][2] + 20 - lines[0][2]))
    return y + high


@given(st.builds(Block, st.none(), st.lists(PARTS, max_size=5)))
def test_stacking_against_a_slow_version(page: Block) -> None:
    found: tuple[list[Box], list[Box]] = [], []
    place(page, 0.0, 1000.0, found)
    _, boxes = read(write(page))
    for ours, slow in zip((boxes.place, boxes.image_place), found, strict=True):
        expected = np.array(slow, np.float32).reshape(-1, 4)
        np.testing.assert_allclose(np.stack(ours[:4], axis=1), expected, rtol=1e-4, atol=0.01)


TAGS = st.sampled_from(
    [
        "<div>", "</div>", "<p>", "<table>", "<tr>", "<td colspan=3>", "<td rowspan=2>", "</table>",
        "<img>", "<img align=left>", "<img width=500 height=2>", "<br>", "<hr>", "<li>", "<b>",
        "</b>", '<div style="float:right">', '<div style="display:flex">', "word ", "<span hidden>",
        '<p style="width:5px">', '<div style="float:left;width:100%;height:50px">', "x" * 90,
        '<div style="display:grid;grid-template-columns: 1fr 2fr">', '<a href="#">', "<noscript>",
    ]
)  # fmt: skip


@given(st.lists(TAGS, max_size=40).map("".join))
def test_every_page_has_finite_boxes(html: str) -> None:
    tree, boxes = read(html)
    for place_ in (boxes.place, boxes.image_place):
        for column in place_:
            assert np.isfinite(column).all()
        assert (place_.x >= 0).all()
        assert (place_.width >= 0).all()
        assert (place_.height >= 0).all()
    assert (boxes.start < boxes.end).all()
    assert (boxes.start[1:] >= boxes.end[:-1]).all()
    assert boxes.image.tolist() == find_nodes(tree, "img")


def test_large_pages_are_linear() -> None:
    row = "<tr><td colspan=300><img><td>text" + "<td>x" * 300
    tree = read_tree(("<table>" + row * 100 + "</table>" + "<p><img>text" * 20_000).encode())
    assert len(estimate_boxes(tree, OPTIONS).image) == 20_100
