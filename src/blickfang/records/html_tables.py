"""The tables of a page as tables: cells by row and column, spans followed, heads as names.

In: records that are rows of one <table>. Out: `Cells`: for each record the cell of every column,
and what its column is called. A cell over several rows or columns stands in each of them, as
readers of tables take it. Tables that only lay out a page are left to alignment (record_table.py).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.html.parse import tags
from blickfang.html.parse.tags import ATTRIBUTES, TAGS, TRAITS
from blickfang.html.parse.tree import Tree, read_slices, read_values
from blickfang.records.node_counts import BR, NodeCounts

Range = tuple[int, int]

TABLE, THEAD, TBODY, TFOOT = (TAGS[name] for name in ("table", "thead", "tbody", "tfoot"))
TR, TD, TH, P = (TAGS[name] for name in ("tr", "td", "th", "p"))
BOLD = TAGS["b"], TAGS["strong"]
WIDEST = 200  # columns
LONGEST_HEAD = 100  # characters
LAYOUT = 0.2  # of the rows have blocks in their cells: the table lays out a page


class Cells(NamedTuple):
    """The cells of records by column, -1 where there is none."""

    rows: list[list[int]]  # nodes
    heads: list[str]  # of columns, "" where they have none

    def find(self, head: str, place: int) -> int:
        """Return the column of a head, else that at a place, -1 if there is none."""
        if head and head in self.heads:
            return self.heads.index(head)
        return place if place < len(self.heads) else -1


def find_table(marks: NodeCounts, row: int) -> int:
    """Return the table of a row, -1 if it is in none."""
    above = int(marks.parent[row])
    if marks.tag[above] in (THEAD, TBODY, TFOOT):
        above = int(marks.parent[above])
    return above if marks.tag[above] == TABLE else -1


def find_cells(marks: NodeCounts, row: int) -> list[int]:
    """Return the cells of a row."""
    cells, node = [], row + 1
    while node < marks.end[row]:
        if marks.tag[node] in (TD, TH):
            cells.append(node)
        node = int(marks.end[node])
    return cells


def are_rows(marks: NodeCounts, records: Sequence[Range]) -> bool:
    """Whether each record is one row of a table."""
    return all(marks.tag[start] == TR and marks.end[start] == end for start, end in records)


def is_bold(marks: NodeCounts, cell: int) -> bool:
    """Whether all that a cell says is bold."""
    node = cell + 1
    while node < marks.end[cell] and marks.texts[marks.end[node]] == marks.texts[node]:
        node = int(marks.end[node])
    bold = node < marks.end[cell] and marks.tag[node] in BOLD
    return bool(bold and marks.texts[marks.end[node]] == marks.texts[marks.end[cell]])


def is_head(marks: NodeCounts, row: int) -> bool:
    """Whether a row holds the names of columns."""
    if marks.tag[marks.parent[row]] == THEAD:
        return True
    cells = find_cells(marks, row)
    if cells and marks.texts[cells[0]] == marks.texts[marks.end[cells[0]]]:
        return len(cells) > 1 and all(marks.tag[cell] == TH for cell in cells[1:])  # a corner
    return len(cells) > 1 and all(marks.tag[cell] == TH for cell in cells)


def drop_heads(marks: NodeCounts, records: list[Range]) -> list[Range]:
    """Return records without rows that hold the names of columns."""
    if not are_rows(marks, records):
        return records
    heads = [start for start, _ in records if is_head(marks, start)]
    first = heads[0] if heads else 0  # a title of one cell may stand over the heads
    kept = [
        (start, end)
        for start, end in records
        if start not in heads and (start > first or len(find_cells(marks, start)) > 1)
    ]
    if len(kept) == len(records) > 2:
        bold = [all(is_bold(marks, c) for c in find_cells(marks, a)) for a, _ in records[:2]]
        kept = records[1:] if bold == [True, False] else kept
    return kept or records


def raise_cells(marks: NodeCounts, records: list[Range]) -> list[Range]:
    """Return the rows of a table instead of its cells, unless each cell is a thing of its own."""
    if any(marks.tag[a] not in (TD, TH) or marks.end[a] != b for a, b in records):
        return records
    rows = list(dict.fromkeys(int(marks.parent[start]) for start, _ in records))
    tables = {find_table(marks, row) for row in rows}
    table = tables.pop()
    if table < 0 or tables or (marks.tag[table + 1 : marks.end[table]] == TABLE).any():
        return records
    ends, starts = np.array(records).T[1], np.array(records).T[0]
    headed = (marks.tag[table : marks.end[table]] == TH).any()
    things = (marks.links[ends] > marks.links[starts]) | (marks.images[ends] > marks.images[starts])
    spans = [(row, int(marks.end[row])) for row in rows]
    if lays_out(marks, spans) or (things.all() and not headed):
        return records
    several = sum(len(find_cells(marks, row)) > 1 for row in rows)
    return spans if 2 * several > len(rows) and (headed or len(rows) > 1) else records


def lays_out(marks: NodeCounts, records: Sequence[Range]) -> bool:
    """Whether the cells of rows hold blocks, as those of tables do that only lay out a page."""
    inside = (TRAITS[marks.tag] & tags.BLOCK) > 0
    for tag in (TR, TD, TH, P, BR):
        inside &= marks.tag != tag
    before = np.append(0, np.cumsum(inside))
    spans = np.array(records, np.int64)
    return float(np.mean(before[spans[:, 1]] > before[spans[:, 0]])) >= LAYOUT


def read_cells(
    tree: Tree, marks: NodeCounts, records: Sequence[Range], *, sure: bool = False
) -> Cells | None:
    """Return the cells of records that are rows of one table; None if they are not.

    `sure` says that it is known to be a table, whatever its cells hold.
    """
    if not records or not are_rows(marks, records):
        return None
    table = find_table(marks, records[0][0])
    if table < 0 or any(find_table(marks, start) != table for start, _ in records):
        return None
    if (marks.tag[table + 1 : marks.end[table]] == TABLE).any() and not sure:
        return None
    inside = np.arange(table, marks.end[table])
    rows = [k for k in inside[marks.tag[inside] == TR].tolist() if find_table(marks, k) == table]
    placed = place_cells(marks, rows, read_spans(tree, "colspan"), read_spans(tree, "rowspan"))
    heads = name_heads(tree, marks, rows, placed, records[0][0])
    if not sure and not any(heads) and lays_out(marks, records):
        return None
    width = max(len(placed[start]) for start, _ in records)
    full = [placed[start] + [-1] * (width - len(placed[start])) for start, _ in records]
    return Cells(full, (heads + [""] * width)[:width])


def read_spans(tree: Tree, name: str) -> dict[int, int]:
    """Return over how many rows or columns cells go, where they say so."""
    rows = (tree.attribute_name == ATTRIBUTES[name]).nonzero()[0]
    nodes = np.searchsorted(tree.first_attribute, rows, side="right") - 1
    values = read_values(tree, tree.attribute_spans[rows, 2], tree.attribute_spans[rows, 3])
    told = zip(nodes.tolist(), (value.strip()[:6] for value in values), strict=True)
    return {node: int(v) for node, v in told if v.isascii() and v.isdigit()}


def place_cells(
    marks: NodeCounts, rows: Sequence[int], wide: dict[int, int], high: dict[int, int]
) -> dict[int, list[int]]:
    """Return the cells of each row by column; those over several rows are in all of them."""
    placed: dict[int, list[int]] = {}
    below: dict[int, tuple[int, int]] = {}  # by column: a cell from above, rows it still goes on
    section = -1
    for row in rows:
        if marks.parent[row] != section:
            section, below = int(marks.parent[row]), {}
        line: dict[int, int] = {column: cell for column, (cell, _) in below.items()}
        below = {column: (cell, left - 1) for column, (cell, left) in below.items() if left > 1}
        column = 0
        for cell in find_cells(marks, row):
            while column in line:
                column += 1
            across, down = wide.get(cell, 1) or 1, high.get(cell, 1)
            for at in range(column, min(column + across, WIDEST)):
                line[at] = cell
                if down != 1:
                    below[at] = (cell, (down or len(rows)) - 1)
            column += across
        placed[row] = [line.get(at, -1) for at in range(max(line, default=-1) + 1)]
    return drop_unbegun(placed)


def drop_unbegun(placed: dict[int, list[int]]) -> dict[int, list[int]]:
    """Return the cells of rows without columns that no cell begins in: `colspan=99` makes none."""
    begun = {
        at
        for line in placed.values()
        for at, cell in enumerate(line)
        if cell >= 0 and (not at or line[at - 1] != cell)
    }
    if len(begun) == max(map(len, placed.values()), default=0):
        return placed
    return {row: [c for at, c in enumerate(line) if at in begun] for row, line in placed.items()}


def name_heads(
    tree: Tree, marks: NodeCounts, rows: Sequence[int], placed: dict[int, list[int]], first: int
) -> list[str]:
    """Return what the columns are called by the rows above the first record."""
    above = [row for row in rows if row < first]
    heads = [row for row in above if is_head(marks, row)]
    if not heads:
        heads = [
            row for row in above[-1:] if all(is_bold(marks, c) for c in find_cells(marks, row))
        ]
    heads = [row for row in heads if len(set(placed[row])) > 1]  # else it is a title over all
    width = max((len(placed[row]) for row in heads), default=0)
    columns = [
        list(dict.fromkeys(placed[row][at] for row in heads if at < len(placed[row])))
        for at in range(width)
    ]
    flat = [cell for column in columns for cell in column if cell >= 0]
    said = dict(zip(flat, read_texts(tree, marks, flat), strict=True))
    return [
        " ".join(dict.fromkeys(said[cell] for cell in column if cell >= 0 and said[cell]))[
            :LONGEST_HEAD
        ]
        for column in columns
    ]


def read_texts(tree: Tree, marks: NodeCounts, nodes: Sequence[int]) -> list[str]:
    """Return what nodes say, white space as one blank."""
    places = np.array(nodes, np.int64)
    found = read_slices(tree, marks.offset[places], marks.offset[marks.end[places]])
    return [" ".join(text.split()) for text in found]


def find_parts(marks: NodeCounts, cells: Cells) -> list[tuple[int, bool]]:
    """Return the columns of a table that hold something: their place, and whether it is images."""
    grid = np.array(cells.rows, np.int64)
    ends: NDArray[np.int64] = np.where(grid >= 0, marks.end[grid], 0)
    starts = np.where(grid >= 0, grid, 0)
    texts = np.any(marks.texts[ends] > marks.texts[starts], axis=0).tolist()
    images = np.any(marks.images[ends] > marks.images[starts], axis=0).tolist()
    found = []
    for at in range(grid.shape[1]):
        if texts[at] or (cells.heads[at] and not images[at]):
            found.append((at, False))
        if images[at]:
            found.append((at, True))
    return found


def fill_parts(
    tree: Tree, marks: NodeCounts, cells: Cells, parts: Sequence[tuple[int, bool]]
) -> tuple[list[list[str]], list[list[int]]]:
    """Return the texts and image nodes of the records in given columns, -1 for none."""
    rows = [[""] * len(parts) for _ in cells.rows]
    nodes = [[-1] * len(parts) for _ in cells.rows]
    flat = sorted({cell for row in cells.rows for cell in row if cell >= 0})
    said = dict(zip(flat, read_texts(tree, marks, flat), strict=True))
    shown = (marks.images[1:] > marks.images[:-1]).nonzero()[0]
    for at, row in enumerate(cells.rows):
        lone = len(set(row)) == 1 and len(row) > 1  # one cell over all columns: said once
        for place, (column, image) in enumerate(parts):
            cell = row[column] if 0 <= column < len(row) else -1
            if cell < 0 or (lone and column):
                continue
            if image:
                first = int(np.searchsorted(shown, cell))
                if first < len(shown) and shown[first] < marks.end[cell]:
                    nodes[at][place] = int(shown[first])
            else:
                rows[at][place] = said[cell]
    return rows, nodes


def link_parts(
    marks: NodeCounts, cells: Cells, parts: Sequence[tuple[int, bool]], links: NDArray[np.int64]
) -> list[dict[int, list[int]]]:
    """Return which of some links stand in which column of each record."""
    found: list[dict[int, list[int]]] = []
    for row in cells.rows:
        own: dict[int, list[int]] = {}
        seen = set()
        for place, (column, _) in enumerate(parts):
            cell = row[column] if 0 <= column < len(row) else -1
            if cell < 0 or column in seen:
                continue
            seen.add(column)
            first, last = np.searchsorted(links, [cell, int(marks.end[cell])]).tolist()
            if last > first:
                own[place] = links[first:last].tolist()
        found.append(own)
    return found
