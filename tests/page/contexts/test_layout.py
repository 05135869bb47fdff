"""The layout method: sections near an image, by distance."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.html.contexts.layout_method import (
    TIE,
    LayoutContext,
    find_layout,
    rate_sections,
)
from blickfang.html.layout.boxes import BoxArrays, Boxes, estimate_boxes
from blickfang.html.layout.sections import LayoutOptions
from blickfang.html.parse.tree import Tree, read_tree, slice_text

OPTIONS = LayoutOptions()
EDGE = replace(OPTIONS, distance="edge")


def find(html: str, options: LayoutOptions = OPTIONS) -> tuple[Tree, list[LayoutContext]]:
    tree = read_tree(html.encode())
    boxes = estimate_boxes(tree, options)
    return tree, find_layout(tree, boxes, boxes.image, options)


def texts(html: str, options: LayoutOptions = OPTIONS, image: int = 0) -> list[str]:
    tree, contexts = find(html, options)
    return [slice_text(tree, *span) for span in contexts[image].spans]


def test_nearest_first() -> None:
    html = "<div>far</div><div>near</div><img><div>caption</div><hr><div>behind a line</div>"
    assert texts(html, EDGE) == ["caption", "near", "far", "behind a line"]


def test_a_cell_beside_is_nearer_than_the_next_in_the_source() -> None:
    html = f"""<table width=800><tr><td width=300><img width=300 height=300><td>beside</table>
    <table><tr><td>{"x" * 600}</table>"""
    assert texts(html)[0] == "beside"


def test_the_section_around_an_image_is_nearest() -> None:
    assert texts("<p>before</p><p>around <img> it</p>")[0] == "around it"


def test_enough_is_enough() -> None:
    long = "x" * 460
    html = f"<img><div>short</div><div>{long}</div><div>too much</div>"
    assert texts(html, EDGE) == ["short", long]


def test_too_far_away_only_to_fill_up() -> None:
    far = "<hr>" * 10 + f"<div>{'y' * 100}</div><div>{'z' * 100}</div>"
    few, enough = f"<img>caption{far}", f"<img>{'x' * 160}{far}"
    assert texts(few) == ["caption", "y" * 100, "z" * 100]
    assert find(few)[1][0].beyond
    assert texts(enough) == ["x" * 160]
    assert not find(enough)[1][0].beyond


def test_small_images_get_nothing() -> None:
    _, contexts = find("<img width=59 height=400>text<img width=60 height=60>")
    assert [len(context.spans) for context in contexts] == [0, 1]


def test_menus_vanish() -> None:
    menu = "".join(f"<a href=/{k}>entry {k}</a> " for k in range(20))
    html = f"<div>{menu}</div><img><div>caption</div>"
    tree = read_tree(html.encode())
    boxes = estimate_boxes(tree, OPTIONS)
    assert rate_sections(boxes, OPTIONS).tolist() == [boxes.characters[0] / 20, 7]
    assert texts(html, replace(OPTIONS, min_relevance=7.5)) == [texts(html)[1]]


def test_relevance_can_outweigh_distance() -> None:
    html = f"<img><div>short</div><div>{'long ' * 40}</div>"
    assert texts(html, EDGE)[0] == "short"
    assert texts(html, replace(EDGE, relevance_weight=1.0))[0].startswith("long")


def test_current_headings() -> None:
    tree, contexts = find(
        "<img><h1>one</h1><h3>three</h3><img><h2>two</h2><h2></h2><img><h1>new</h1><img>"
    )
    chains = [[slice_text(tree, *span) for span in context.headings] for context in contexts]
    assert chains == [[], ["one", "three"], ["one", "two"], ["new"]]


def test_emphasised_parts_of_the_sections_alone() -> None:
    tree, contexts = find(
        "<p>a <b>bold <i>both</i></b> and <em>stressed</em><img></p>" + "<hr>" * 9 + "<b>away</b>",
        replace(OPTIONS, min_characters=0),
    )
    parts = [slice_text(tree, *span) for span in contexts[0].emphasised]
    assert parts == ["bold both", "stressed"]


def test_emphasis_around_blocks_is_cut_to_the_section() -> None:
    first = replace(EDGE, max_characters=1, min_characters=0)
    tree, contexts = find("<b><div>one</div><div>two<img></div></b>", first)
    assert [slice_text(tree, *span) for span in contexts[0].emphasised] == ["two"]


@pytest.mark.parametrize("html", ["", "text", "<img>", "<img width=1>", "<p hidden>x</p><img>"])
def test_pages_without_images_or_text(html: str) -> None:
    _, contexts = find(html)
    assert all(context.spans == () for context in contexts)


NUMBERS = st.integers(0, 2000).map(float)
BOXES = st.lists(
    st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS, st.sampled_from([0.0, 100.0, 200.0])),
    max_size=30,
)


def make_boxes(
    sections: list[tuple[float, ...]], images: list[tuple[float, ...]], lengths: list[int]
) -> Boxes:
    n, m = len(sections), len(images)
    start = np.arange(n, dtype=np.int32)
    return Boxes(
        start,
        start,
        start + 1,
        np.array([lengths[k % len(lengths)] for k in range(n)], np.int32),
        np.arange(n, dtype=np.int32) % 3,
        BoxArrays(*np.array(sections, np.float32).reshape(-1, 5).T),
        np.arange(1, m + 1, dtype=np.int32),
        np.array([k if k % 4 == 0 and k < n else -1 for k in range(m)], np.int32),
        BoxArrays(*np.array(images, np.float32).reshape(-1, 5).T),
    )


def choose_slowly(boxes: Boxes, image: int, options: LayoutOptions) -> tuple[list[int], bool]:
    """Return the sections of an image as the study says it, looking at all of them."""
    home = int(boxes.home[image])
    x, y, width, height, gap = (float(column[image]) for column in boxes.image_place)
    if min(width, height) < options.min_image:
        return [], False
    centre = (x + width / 2, y + height / 2)
    places = [tuple(map(float, row)) for row in np.stack(boxes.place, axis=1)]
    if home >= 0 and options.distance == "centre":
        left, top, w, h, _ = places[home]
        centre = (left + w / 2, top + h / 2)
    priced = []
    for k, (left, top, w, h, own) in enumerate(places):
        dx, dy = abs(left + w / 2 - centre[0]), abs(top + h / 2 - centre[1])
        distance = np.hypot(dx, dy)
        if options.distance == "edge":
            near = np.hypot(max(dx - (w + width) / 2, 0), max(dy - (h + height) / 2, 0))
            distance = near + TIE * distance
        distance = 0.0 if k == home else distance + abs(own - gap)
        relevance = min(boxes.characters[k], options.max_relevance) / max(boxes.links[k], 1)
        cost = options.distance_weight * distance - options.relevance_weight * relevance
        priced.append((round(cost, 6), k, distance))
    chosen, characters, beyond = [], 0, False
    for _, k, distance in sorted(priced):
        if distance > options.max_widths * width:
            if characters >= options.min_characters:
                break
            beyond = True
        chosen.append(k)
        characters += int(boxes.characters[k])
        if characters >= options.max_characters:
            break
    return chosen, beyond


@given(
    BOXES,
    BOXES,
    st.lists(st.integers(1, 300), min_size=1),
    st.sampled_from(["centre", "edge"]),
    st.sampled_from([0.0, 0.5]),
)
def test_against_a_slow_version(
    sections: list[tuple[float, ...]],
    images: list[tuple[float, ...]],
    lengths: list[int],
    distance: str,
    weight: float,
) -> None:
    options = replace(OPTIONS, distance=distance, relevance_weight=weight)
    boxes = make_boxes(sections, images, lengths)
    tree = read_tree(b"<img>" * len(images))
    tree = replace(tree, tag=np.append(tree.tag[:1], np.repeat(tree.tag[-1:], len(images))),
                   end=np.arange(1, len(images) + 2, dtype=np.int32),
                   offset=np.zeros(len(images) + 2, np.int32))  # fmt: skip
    for k, context in enumerate(find_layout(tree, boxes, boxes.image, options)):
        chosen, beyond = choose_slowly(boxes, k, options)
        ours = [round(d, 3) for d in context.distances]
        assert (sorted(context.sections), context.beyond) == (sorted(chosen), beyond), ours


def test_many_images_in_one_row_are_quick() -> None:
    item = "<div><img width=100 height=100><p>caption of it</p></div>"
    html = f'<div style="display:flex">{item * 20_000}</div>'
    tree, contexts = find(html, replace(OPTIONS, min_image=1.0))
    assert len(contexts) == 20_000
    middle = contexts[10_000]
    assert slice_text(tree, *middle.spans[0]) == "caption of it"
