"""Where the sections and images of a page stand, estimated without a browser.

In: a `Tree`. Out: `Boxes`: a rectangle for every atomic section and every image, in pixels from
the upper left corner of the page. Sizes that are declared win, all others come from
`LayoutOptions`. `browser_layout.py` measures the same boxes. docs/method.md, "Layout".
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.html.layout.column_widths import prefer_widths, read_metrics, read_nodes
from blickfang.html.layout.declared_sizes import read_declared
from blickfang.html.layout.flow import FIELDS, FlowArrays, stack
from blickfang.html.layout.sections import (
    IMG,
    InlineRuns,
    Ints,
    LayoutOptions,
    find_runs,
    read_layout,
)
from blickfang.html.parse.tree import Tree

Floats = NDArray[np.float32]


class BoxArrays(NamedTuple):
    """Rectangles, and what the separators above each add up to."""

    x: Floats
    y: Floats
    width: Floats
    height: Floats
    gap: Floats


@dataclass(frozen=True, slots=True)
class Boxes:
    """The sections of a page, in document order, and its images."""

    owner: Ints  # the block that holds the section
    start: Ints  # its text: a span of the page's text
    end: Ints
    characters: Ints
    links: Ints
    place: BoxArrays
    image: Ints  # the nodes of the images
    home: Ints  # the section in which an image stands, or -1
    image_place: BoxArrays


def estimate_boxes(tree: Tree, options: LayoutOptions) -> Boxes:
    """Return where sections and images would stand in a browser without style sheets."""
    declared = read_declared(tree)
    layout = read_layout(tree, declared, options)
    runs, n = find_runs(layout), len(tree.tag)
    metrics, nodes = read_metrics(options), read_nodes(layout, runs, declared)
    prefer_widths(nodes, runs, metrics, np.zeros(len(runs.owner)))
    frames, image = np.empty((n, FIELDS)), np.zeros((n, 5))
    section = np.zeros((len(runs.owner), 5))
    section[:, 0] = np.inf
    stack(FlowArrays(nodes, metrics, frames, image, section))
    return _keep(runs, np.flatnonzero(tree.tag == IMG).astype(np.int32), image, section)


def _keep(
    runs: InlineRuns, images: Ints, image: NDArray[np.float64], section: NDArray[np.float64]
) -> Boxes:
    texts = np.flatnonzero(runs.length > 0)
    number = np.full(len(runs.owner) + 1, -1, np.int32)
    number[texts] = np.arange(len(texts))
    return Boxes(
        runs.owner[texts],
        runs.start[texts],
        runs.end[texts],
        runs.length[texts],
        runs.links[texts],
        _make_places(section[texts]),
        images,
        number[runs.run[images]],  # run -1 is the last entry
        _make_places(image[images]),
    )


def _make_places(edges: NDArray[np.float64]) -> BoxArrays:
    left, top, right, bottom, gap = edges.astype(np.float32).T
    return BoxArrays(left, top, right - left, bottom - top, gap.copy())


def keep_sections(boxes: Boxes, kept: NDArray[np.bool_]) -> Boxes:
    """Return boxes with some of the sections only; images in the others stand in none."""
    number = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
    return Boxes(
        boxes.owner[kept],
        boxes.start[kept],
        boxes.end[kept],
        boxes.characters[kept],
        boxes.links[kept],
        BoxArrays(*(column[kept] for column in boxes.place)),
        boxes.image,
        np.append(number, np.int32(-1))[boxes.home],
        boxes.image_place,
    )
