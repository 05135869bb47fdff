"""The records of a region become a table: the same part of every record in the same column.

In: ranges of nodes. Out: `Table`: rows of cells, texts and images. Inline markup that is the same
in nearly every record parts cells; markup that comes and goes (names as links, a word in italics)
does not. Records are aligned around the most central one (align.py).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compiled import Integer, compiled, inlined
from blickfang.page import tags
from blickfang.page.tags import TAG_NAMES, TAGS, TRAITS
from blickfang.page.tree import Tree, read_slices
from blickfang.records.align import MAX_TOKENS, Aligned, align_all, make_pattern, write_pattern
from blickfang.records.marks import BR, IMG, Marks

Ints = NDArray[np.int32]

AGREE = 0.7  # of the records must have an inline element equally often, if it is to part cells
MOST_TIMES = 3
FILLED = 0.03  # of the rows must have a column
TEXT, IMAGE, FIRST_TAG = 0, 1, 2
HIDDEN_WAYS = frozenset({"wbr", "nobr", "font", "sup", "sub"})


class Cell(NamedTuple):
    """A cell: a span of the page's text, or an image."""

    start: int
    end: int
    image: int  # node, or -1


class Table(NamedTuple):
    """Rows of texts; images are their nodes."""

    rows: list[list[str]]
    images: list[bool]  # which columns are images
    nodes: list[list[int]]  # of images, -1 elsewhere
    pattern: str


class Parts(NamedTuple):
    """The tokens of all records, one behind the other."""

    number: Ints
    node: Ints
    first: Ints  # where each record begins


def find_parting(marks: Marks, records: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return for each node the number of its kind if it parts cells, else -1."""
    kinds = np.full(len(marks.tag), -1, np.int32)
    nodes = np.concatenate([np.arange(a, b) for a, b in records]) if len(records) else records
    owner = np.repeat(np.arange(len(records)), records[:, 1] - records[:, 0])
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
def has_ended(marks: Marks, kinds: Ints, before: Integer, k: Integer) -> bool:
    """Whether an element that parts cells ended between two texts."""
    above = np.int64(marks.parent[before])
    while marks.end[above] <= k:
        if kinds[above] >= 0:
            return True
        above = np.int64(marks.parent[above])
    return False


@compiled
def write_parts(marks: Marks, kinds: Ints, records: Ints) -> Parts:
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
    return Parts(number[:at].copy(), node[:at].copy(), first)


def cut_cells(marks: Marks, parts: Parts, records: Ints) -> list[list[Cell]]:
    """Return for each token of each record the cell it begins; a tag begins none."""
    rows = []
    for row, (_, stop) in enumerate(records.tolist()):
        cells = []
        low, high = int(parts.first[row]), int(parts.first[row + 1])
        for at in range(low, high):
            k = int(parts.node[at])
            if parts.number[at] == IMAGE:
                cells.append(Cell(0, 0, k))
                continue
            limit = int(parts.node[at + 1]) if at + 1 < high else stop
            cells.append(Cell(int(marks.offset[k]), int(marks.offset[limit]), -1))
        rows.append(cells)
    return rows


def align_records(parts: Parts) -> tuple[list[Ints], Aligned]:
    """Return the token strings of records and their columns; equal strings are aligned once."""
    strings = [
        parts.number[a:b][:MAX_TOKENS] for a, b in zip(parts.first, parts.first[1:], strict=False)
    ]
    numbers: dict[bytes, int] = {}
    which = [numbers.setdefault(string.tobytes(), len(numbers)) for string in strings]
    distinct = [np.frombuffer(key, np.int32) for key in numbers]
    aligned = align_all(distinct)
    return strings, Aligned([aligned.columns[number] for number in which], aligned.width)


def name_tokens(marks: Marks, parts: Parts) -> dict[int, str]:
    """Return the names of tokens for people."""
    names = {TEXT: "text", IMAGE: "image"}
    for number, node in zip(parts.number.tolist(), parts.node.tolist(), strict=True):
        if number not in names:
            names[number] = TAG_NAMES[marks.tag[node]] or "element"
    return names


def make_table(tree: Tree, marks: Marks, records: Sequence[tuple[int, int]]) -> Table:
    """Return the table of some records."""
    ranges = np.array(records, np.int32).reshape(-1, 2)
    if not len(ranges):
        return Table([], [], [], "")
    kinds = find_parting(marks, ranges)
    parts = write_parts(marks, kinds, ranges)
    strings, aligned = align_records(parts)
    cells = cut_cells(marks, parts, ranges)
    filled = np.zeros((2, aligned.width + 1), np.int64)
    for string, columns in zip(strings, aligned.columns, strict=True):
        content = string < FIRST_TAG
        np.add.at(filled, (string[content], columns[content]), 1)
    enough = max(2, FILLED * len(records)) if len(records) > 3 else 1
    kept = [
        (int(column), bool(image)) for column, image in np.argwhere(enough <= filled.T).tolist()
    ]
    rows, nodes = fill_rows(tree, strings, aligned, cells, kept)
    pattern = write_pattern(make_pattern(strings, aligned), name_tokens(marks, parts))
    return Table(rows, [image for _, image in kept], nodes, pattern)


def fill_rows(
    tree: Tree,
    strings: list[Ints],
    aligned: Aligned,
    cells: list[list[Cell]],
    kept: list[tuple[int, bool]],
) -> tuple[list[list[str]], list[list[int]]]:
    """Return the texts and image nodes of all rows, in the columns that are kept."""
    place = {column: at for at, column in enumerate(kept)}
    rows, nodes = [], []
    for string, columns, found in zip(strings, aligned.columns, cells, strict=True):
        row, images = [""] * len(kept), [-1] * len(kept)
        for number, column, cell in zip(string.tolist(), columns.tolist(), found, strict=False):
            at = place.get((column, number == IMAGE)) if number < FIRST_TAG else None
            if at is None:
                continue
            if number == IMAGE:
                images[at] = cell.image
            else:
                row[at] = " ".join(read_slices(tree, [cell.start], [cell.end])[0].split())
        rows.append(row)
        nodes.append(images)
    return rows, nodes
