"""The records of a region become a table: the same part of every record in the same column.

In: ranges of nodes. Out: `Table`: rows of cells, texts, images and links. Rows of a <table> keep
its cells (html_tables.py); of other records Inline markup that is the same
in nearly every record parts cells; markup that comes and goes (names as links, a word in italics)
does not. Records are aligned around the most central one (align_columns.py).
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, compiled, inlined
from blickfang.html.parse import tags
from blickfang.html.parse.tags import ATTRIBUTES, TAG_NAMES, TAGS, TRAITS
from blickfang.html.parse.tree import Tree, read_slices
from blickfang.records.align_columns import (
    MAX_TOKENS,
    Aligned,
    align_all,
    make_pattern,
    write_pattern,
)
from blickfang.records.html_tables import Cells, fill_parts, find_parts, link_parts, read_cells
from blickfang.records.node_counts import BR, IMG, A, NodeCounts

Ints = NDArray[np.int32]

AGREE = 0.7  # of the records must have an inline element equally often, if it is to part cells
MOST_TIMES = 3
FILLED = 0.03  # of the rows must have a column
FEW = 3  # records: then every column is kept
TEXT, IMAGE, FIRST_TAG = 0, 1, 2
HIDDEN_WAYS = frozenset({"wbr", "nobr", "font", "sup", "sub"})


class RecordTable(NamedTuple):
    """Rows of texts; images and links are their nodes."""

    rows: list[list[str]]
    images: list[bool]  # which columns are images
    nodes: list[list[int]]  # of images, -1 elsewhere
    pattern: str
    links: list[dict[int, list[int]]]  # of each row, by column
    heads: list[str]  # what columns are called on the page, "" where nothing says it


class RecordTokens(NamedTuple):
    """The tokens of all records, one behind the other."""

    number: Ints
    node: Ints
    first: Ints  # where each record begins


def find_parting(marks: NodeCounts, records: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return for each node the number of its kind if it parts cells, else -1."""
    kinds = np.full(len(marks.tag), -1, np.int32)
    sizes = records[:, 1] - records[:, 0]
    owner = np.repeat(np.arange(len(records)), sizes)
    nodes = np.arange(len(owner)) + np.repeat(records[:, 0] - np.cumsum(sizes) + sizes, sizes)
    traits = TRAITS[marks.tag[nodes]]
    block = ((traits & tags.BLOCK) > 0) | (marks.tag[nodes] == BR)
    inline = ~block & (marks.tag[nodes] != tags.TEXT) & (marks.tag[nodes] != IMG)
    for name in HIDDEN_WAYS:
        inline &= marks.tag[nodes] != TAGS[name]
    for which in (block, inline):
        found, kind = np.unique(marks.signature[nodes[which]], return_inverse=True)
        if which is inline:
            agreed = _find_agreed(kind, owner[which], len(found), len(records))
            kind = np.where(agreed[kind], kind, -1)
        shift = FIRST_TAG + int(kinds.max(initial=-1)) + 1
        kinds[nodes[which]] = np.where(kind >= 0, kind + shift, -1)
    return kinds


def _find_agreed(
    kind: NDArray[np.int64], owner: NDArray[np.int64], kinds: int, records: int
) -> NDArray[np.bool_]:
    """Return which kinds most records have equally often."""
    agreed = np.zeros(kinds, np.bool_)
    if not kinds:
        return agreed
    pairs, times = np.unique(kind * records + owner, return_counts=True)
    for times_each in range(1, MOST_TIMES + 1):
        same = np.bincount(pairs[times == times_each] // records, minlength=kinds)
        agreed |= same >= AGREE * records
    return agreed


@inlined
def has_ended(marks: NodeCounts, kinds: Ints, before: Integer, k: Integer) -> bool:
    """Whether an element that parts cells ended between two texts."""
    above = np.int64(marks.parent[before])
    while marks.end[above] <= k:
        if kinds[above] >= 0:
            return True
        above = np.int64(marks.parent[above])
    return False


@compiled
def write_parts(marks: NodeCounts, kinds: Ints, records: Ints) -> RecordTokens:
    """Return the tokens of all records: tags that part, texts between them, images."""
    most = 0
    for row in range(len(records)):
        most += 2 * (records[row, 1] - records[row, 0])
    number, node = np.empty(most, np.int32), np.empty(most, np.int32)
    first = np.zeros(len(records) + 1, np.int32)
    at = 0
    for row in range(len(records)):
        edge = True  # whether something parted what follows from the text before
        before = np.int64(-1)
        for k in range(records[row, 0], records[row, 1]):
            if marks.tag[k] == tags.TEXT:
                if marks.texts[k + 1] == marks.texts[k]:
                    continue
                if edge or has_ended(marks, kinds, before, k):
                    number[at], node[at] = TEXT, k
                    at += 1
                edge = False
                before = np.int64(k)
            elif marks.tag[k] == IMG or kinds[k] >= 0:
                number[at], node[at] = IMAGE if marks.tag[k] == IMG else kinds[k], k
                at += 1
                edge = True
        first[row + 1] = at
    return RecordTokens(number[:at].copy(), node[:at].copy(), first)


def cut_cells(marks: NodeCounts, parts: RecordTokens, records: Ints) -> tuple[Ints, Ints]:
    """Return where each token's cell begins and ends in the page's text: before the next token."""
    following = np.append(parts.node[1:], 0)
    following[parts.first[1:] - 1] = records[:, 1]
    return marks.offset[parts.node], marks.offset[following]


def align_records(parts: RecordTokens) -> tuple[Ints, Aligned, list[Ints]]:
    """Return for each token its column, or -1; equal strings are aligned once."""
    first = parts.first.tolist()
    numbers: dict[bytes, int] = {}
    whole = parts.number.tobytes()
    keys = [whole[4 * a : 4 * min(b, a + MAX_TOKENS)] for a, b in pairwise(first)]
    which = [numbers.setdefault(key, len(numbers)) for key in keys]
    distinct = [np.frombuffer(key, np.int32) for key in numbers]
    aligned = align_all(distinct)
    column = np.full(len(parts.number), -1, np.int32)
    for number, start in zip(which, first, strict=False):
        found = aligned.columns[number]
        column[start : start + len(found)] = found
    return column, aligned, distinct


def name_tokens(marks: NodeCounts, parts: RecordTokens) -> dict[int, str]:
    """Return the names of tokens for people."""
    numbers, first = np.unique(parts.number, return_index=True)
    tags_of = marks.tag[parts.node[first]].tolist()
    named = zip(numbers.tolist(), tags_of, strict=True)
    names = {number: TAG_NAMES[tag] or "element" for number, tag in named}
    return {**names, TEXT: "text", IMAGE: "image"}


class TokenColumns(NamedTuple):
    """Where every token of the records goes."""

    parts: RecordTokens
    at: Ints  # for each token its column, or -1
    images: list[bool]  # which columns are images
    pattern: str


def lay_out(marks: NodeCounts, ranges: Ints) -> TokenColumns:
    """Return the columns of some records: those that enough of them fill."""
    parts = write_parts(marks, find_parting(marks, ranges), ranges)
    column, aligned, distinct = align_records(parts)
    content = (parts.number < FIRST_TAG) & (column >= 0)
    filled = np.zeros((2, aligned.width), np.int64)
    np.add.at(filled, (parts.number[content], column[content]), 1)
    enough = max(2.0, FILLED * len(ranges)) if len(ranges) > FEW else 1.0
    kept = np.argwhere(enough <= filled.T)  # columns in order, texts before images
    place = np.full((2, aligned.width), -1, np.int32)
    place[kept[:, 1], kept[:, 0]] = np.arange(len(kept))
    at = np.where(content, place[np.minimum(parts.number, IMAGE), column], -1)
    pattern = write_pattern(make_pattern(distinct, aligned), name_tokens(marks, parts))
    return TokenColumns(parts, at, [bool(image) for image in kept[:, 1]], pattern)


def make_table(tree: Tree, marks: NodeCounts, records: Sequence[tuple[int, int]]) -> RecordTable:
    """Return the table of some records: as it stands on the page, else by alignment."""
    ranges = np.array(records, np.int32).reshape(-1, 2)
    if not len(ranges):
        return RecordTable([], [], [], "", [], [])
    cells = read_cells(tree, marks, records)
    if cells:
        return make_grid(tree, marks, cells, find_parts(marks, cells))
    layout = lay_out(marks, ranges)
    return fill_layout(tree, marks, layout, ranges)


def make_grid(
    tree: Tree, marks: NodeCounts, cells: Cells, parts: Sequence[tuple[int, bool]]
) -> RecordTable:
    """Return the table of records whose cells are known, in given columns."""
    rows, nodes = fill_parts(tree, marks, cells, parts)
    links = link_parts(marks, cells, parts, find_links(tree))
    heads = [cells.heads[at] if 0 <= at < len(cells.heads) else "" for at, _ in parts]
    pattern = f"tr {' '.join(['td'] * len(cells.heads))}"
    return RecordTable(rows, [image for _, image in parts], nodes, pattern, links, heads)


def fill_layout(tree: Tree, marks: NodeCounts, layout: TokenColumns, records: Ints) -> RecordTable:
    """Return the table of records of which it is known where every token goes."""
    width = len(layout.images)
    rows, nodes = fill_rows(tree, marks, layout.parts, records, layout.at, width)
    links = place_links(marks, layout, records, find_links(tree))
    return RecordTable(rows, layout.images, nodes, layout.pattern, links, [""] * width)


def find_links(tree: Tree) -> NDArray[np.int64]:
    """Return the nodes of all links of a page."""
    rows = (tree.attribute_name == ATTRIBUTES["href"]).nonzero()[0]
    nodes = np.searchsorted(tree.first_attribute, rows, side="right") - 1
    links: NDArray[np.int64] = nodes[tree.tag[nodes] == A]
    return links


def place_links(
    marks: NodeCounts, layout: TokenColumns, records: Ints, links: NDArray[np.int64]
) -> list[dict[int, list[int]]]:
    """Return the links of each record by the column of their text, else of their image.

    A link that is only a part of a cell is one of that cell.
    """
    parts, at = layout.parts, layout.at
    content = (parts.number < FIRST_TAG) & (at >= 0)
    found: list[dict[int, list[int]]] = []
    for row, (start, end) in enumerate(records.tolist()):
        own: dict[int, list[int]] = {}
        first, last = int(parts.first[row]), int(parts.first[row + 1])
        nodes = parts.node[first:last]
        for link in links[slice(*np.searchsorted(links, [start, end]))].tolist():
            low, high = (first + np.searchsorted(nodes, [link, marks.end[link]])).tolist()
            inside = [t for t in range(low, high) if content[t]]
            if not inside and low > first and content[low - 1]:
                inside = [low - 1]
            if inside:  # texts before images
                best = min(inside, key=lambda t: parts.number[t] == IMAGE)
                own.setdefault(int(at[best]), []).append(link)
        found.append(own)
    return found


def fill_rows(
    tree: Tree, marks: NodeCounts, parts: RecordTokens, records: Ints, at: Ints, width: int
) -> tuple[list[list[str]], list[list[int]]]:
    """Return the texts and image nodes of all rows, given the place of each token."""
    rows = [[""] * width for _ in range(len(records))]
    nodes = [[-1] * width for _ in range(len(records))]
    used = np.flatnonzero(at >= 0)
    row = np.searchsorted(parts.first, used, side="right") - 1
    start, end = cut_cells(marks, parts, records)
    image = parts.number[used] == IMAGE
    for k, column, node in zip(
        row[image].tolist(), at[used[image]].tolist(), parts.node[used[image]].tolist(), strict=True
    ):
        nodes[k][column] = node
    words = used[~image]
    texts = read_slices(tree, start[words].tolist(), end[words].tolist())
    for k, column, text in zip(row[~image].tolist(), at[words].tolist(), texts, strict=True):
        rows[k][column] = " ".join(text.split())
    return rows, nodes
