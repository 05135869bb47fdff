"""The entries of a list of names, of one row: what was chosen is cut by it.

In: a `Row` and a span of its words. Out: `Item`s. `author_lists.py` has the same for kernels.
"""

from typing import NamedTuple

from blickfang.records.publications.author_lists import MAX_ASIDE
from blickfang.records.publications.record_row import HARD, JOINT, RecordRow
from blickfang.records.publications.row_arrays import KINDS, LETTERS, TURNED

NAME_KINDS = "CIpJ"


class NameItem(NamedTuple):
    """One entry of a list of names."""

    first: int
    stop: int
    shape: str  # classes of its words, runs as one: IC, CC, CI, C


class Authors(NamedTuple):
    """A span that may be a list of authors; with no words, there are none."""

    first: int
    stop: int
    items: tuple[NameItem, ...]


NO_AUTHORS = Authors(0, 0, ())


def has_list_sign(row: RecordRow, gap: int) -> bool:
    """Whether a list goes on over a gap: a comma or semicolon, or a joining word beside it."""
    marks = row.gaps[gap].marks
    return (
        marks.endswith((",", ";"))
        or (gap < len(row.words) and row.kinds[gap] == JOINT)
        or (gap > 0 and row.kinds[gap - 1] == JOINT)
    )


def skip_aside(row: RecordRow, gap: int) -> int:
    """Return the word behind a short remark in brackets that opens at a gap, or -1."""
    if not row.gaps[gap].marks.endswith(("(", "[")):
        return -1
    for stop in range(gap + 1, min(gap + MAX_ASIDE, len(row.words)) + 1):
        if row.kinds[stop - 1] in "YD":
            return -1
        if ")" in row.gaps[stop].marks or "]" in row.gaps[stop].marks:
            goes_on = stop < len(row.words) and row.kinds[stop] in NAME_KINDS
            nickname = stop - gap == 1 and row.gaps[stop].strength < HARD
            return stop if goes_on and (nickname or has_list_sign(row, stop)) else -1
    return -1


def split_items(row: RecordRow, first: int, stop: int) -> tuple[NameItem, ...]:
    """Return the entries of a list of names; initials behind a comma belong to the name before."""
    return split_turned(row, first, stop) or split_plain(row, first, stop)


def split_turned(row: RecordRow, first: int, stop: int) -> tuple[NameItem, ...]:
    """Return the entries of "Last, First; Last, First": one comma in each; none for other lists."""
    if row.gaps[first + 1 : stop] and not any(g.marks == "," for g in row.gaps[first + 1 : stop]):
        return ()
    items: list[NameItem] = []
    begin = first
    for k in range(first, stop + 1):
        joint = k < stop and row.kinds[k] == JOINT
        if not (k == stop or joint or (k > first and row.gaps[k].marks.endswith(";"))):
            continue
        if k > begin:
            commas = [g for g in range(begin + 1, k) if row.gaps[g].marks == ","]
            if len(commas) != 1:
                return ()
            last, given = row.kinds[begin : commas[0]], row.kinds[commas[0] : k]
            capitals = last.replace("p", "")
            if capitals not in ("C", "CC") or given not in ("C", "CC", "CI", "CII"):
                return ()
            if capitals == "CC" and given == "CC":  # "Anna Berg, Carl Tal" are two people
                return ()
            items.append(NameItem(begin, k, "L"))
        begin = k + 1 if joint else k
    return tuple(items)


def split_plain(row: RecordRow, first: int, stop: int) -> tuple[NameItem, ...]:
    """Return the entries between commas, semicolons, joining words and hard boundaries."""
    items: list[NameItem] = []
    begin = k = first
    while k <= stop:
        cut = k == stop or row.kinds[k] == JOINT
        comma = k > begin and k < stop and row.gaps[k].marks[-1:] in (",", ";")
        hard = k > begin and k < stop and row.gaps[k].strength == HARD
        aside = k > begin and k < stop and any(sign in row.gaps[k].marks for sign in "([")
        if cut or comma or hard or aside:
            if k > begin:
                _add_item(row, items, begin, k)
            begin = k + 1 if cut else k
            if aside and (behind := skip_aside(row, k)) > 0:
                begin = k = behind
        k += 1
    return tuple(items)


def _add_item(row: RecordRow, items: list[NameItem], begin: int, stop: int) -> None:
    kinds = row.kinds[begin:stop]
    initials = set(kinds) == {"I"} and len(kinds) <= 4
    if items and initials and items[-1].stop == begin and items[-1].shape in ("C", "CC"):
        items[-1] = NameItem(items[-1].first, stop, "CI")
        return
    shape = ""
    for kind in kinds:
        if kind != "p" and (kind == "C" or not shape.endswith(kind)):
            shape += kind
    items.append(NameItem(begin, stop, shape[:4]))


def code_shape(shape: str) -> int:
    """Return a shape as kernels write it."""
    if shape == "L":
        return TURNED
    code = 0
    for letter in shape:
        code = code * LETTERS + KINDS.index(letter) + 1
    return code
