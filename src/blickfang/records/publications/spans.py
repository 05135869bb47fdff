"""Candidates for fields: spans of a row's words that may be its authors or its title.

In: a `Row`. Out: for authors, spans of name-like words in a list; for titles, spans between
boundaries. Few enough that all pairs can be judged; the right pair is nearly always among them.
"""

from typing import NamedTuple

from blickfang.records.publications.row import (
    COMPANION,
    HARD,
    JOINT,
    NONE,
    STRONG,
    WEAK,
    Row,
)

MAX_AUTHORS, MAX_TITLES = 18, 48
MAX_TITLE_WORDS = 45
NAME_KINDS = "CIpJ"
MAX_ASIDE = 5  # words of a remark in brackets within a list of names
LAST_COMMAS = 6


class Item(NamedTuple):
    """One entry of a list of names."""

    first: int
    stop: int
    shape: str  # classes of its words, runs as one: IC, CC, CI, C


class Authors(NamedTuple):
    """A span that may be a list of authors; with no words, there are none."""

    first: int
    stop: int
    items: tuple[Item, ...]


NO_AUTHORS = Authors(0, 0, ())


def has_list_sign(row: Row, gap: int) -> bool:
    """Whether a list goes on over a gap: a comma or semicolon, or a joining word beside it."""
    marks = row.gaps[gap].marks
    return (
        marks.endswith((",", ";"))
        or (gap < len(row.words) and row.kinds[gap] == JOINT)
        or (gap > 0 and row.kinds[gap - 1] == JOINT)
    )


def ends_names(row: Row, gap: int) -> bool:
    """Whether no list of names goes on over a gap."""
    marks, strength = row.gaps[gap].marks, row.gaps[gap].strength
    if any(sign in marks for sign in '":)]?|/'):
        return True
    if "." in marks and row.gaps[gap].blank and gap and row.kinds[gap - 1] != "I":
        return not has_list_sign(row, gap)
    return strength == HARD and not has_list_sign(row, gap)


def skip_aside(row: Row, gap: int) -> int:
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


def run_names(row: Row, first: int) -> list[int]:
    """Return the gaps at which a list of names from a word on may end."""
    ends, k, n = [], first, len(row.words)
    while k < n and row.kinds[k] in NAME_KINDS:
        k += 1
        gap = row.gaps[k]
        if (behind := skip_aside(row, k) if k < n else -1) > 0:
            ends.append(k)
            k = behind
            continue
        stops = k == n or row.kinds[k] == JOINT or row.kinds[k] not in NAME_KINDS
        if stops or gap.strength >= WEAK:
            ends.append(k)
        if ends_names(row, k) or "(" in gap.marks or "[" in gap.marks:
            break
    return ends


def split_items(row: Row, first: int, stop: int) -> tuple[Item, ...]:
    """Return the entries of a list of names; initials behind a comma belong to the name before."""
    return split_turned(row, first, stop) or split_plain(row, first, stop)


def split_turned(row: Row, first: int, stop: int) -> tuple[Item, ...]:
    """Return the entries of "Last, First; Last, First": one comma in each; none for other lists."""
    if row.gaps[first + 1 : stop] and not any(g.marks == "," for g in row.gaps[first + 1 : stop]):
        return ()
    items: list[Item] = []
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
            if last.strip("p") != "C" or given not in ("C", "CC", "CI", "CII"):
                return ()
            items.append(Item(begin, k, "L"))
        begin = k + 1 if joint else k
    return tuple(items)


def split_plain(row: Row, first: int, stop: int) -> tuple[Item, ...]:
    """Return the entries between commas, semicolons, joining words and hard boundaries."""
    items: list[Item] = []
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


def _add_item(row: Row, items: list[Item], begin: int, stop: int) -> None:
    kinds = row.kinds[begin:stop]
    initials = set(kinds) == {"I"} and len(kinds) <= 4
    if items and initials and items[-1].stop == begin and items[-1].shape == "C":
        items[-1] = Item(items[-1].first, stop, "CI")
        return
    shape = ""
    for kind in kinds:
        if kind != "p" and (kind == "C" or not shape.endswith(kind)):
            shape += kind
    items.append(Item(begin, stop, shape[:4]))


def is_name(item: Item) -> bool:
    """Whether an entry is built like a name: two to six words, not initials alone."""
    return 2 <= item.stop - item.first <= 6 and item.shape not in ("I", "CCCC")


def find_authors(row: Row) -> list[Authors]:
    """Return the spans of a row that may be its authors, "none" first."""
    found: dict[tuple[int, int], float] = {}
    n = len(row.words)
    for first in range(n):
        opens = row.gaps[first].strength >= WEAK or (
            first and row.kinds[first - 1] in (JOINT, COMPANION)
        )
        if not opens or row.kinds[first] not in "CIp":
            continue
        ends = run_names(row, first)
        weak = [e for e in ends if row.gaps[e].strength < STRONG]
        for end in [e for e in ends if row.gaps[e].strength >= STRONG] + weak[-LAST_COMMAS:]:
            names = sum(is_name(item) for item in split_items(row, first, end))
            # The longest list first; of equal ones that between stronger gaps.
            gain = names + 0.3 * row.gaps[first].strength + 0.3 * row.gaps[end].strength
            found[first, end] = gain - 0.02 * first
    best = sorted(found, key=lambda span: -found[span])[:MAX_AUTHORS]
    return [NO_AUTHORS, *(Authors(a, b, split_items(row, a, b)) for a, b in sorted(best))]


def find_titles(row: Row) -> list[tuple[int, int]]:
    """Return the spans of a row that may be its title."""
    n = len(row.words)
    edges = [g for g in range(n + 1) if row.gaps[g].strength > NONE or _after_number(row, g)]
    found: dict[tuple[int, int], float] = {}
    for at, first in enumerate(edges):
        hard = strong = 0
        for stop in edges[at + 1 :]:
            if stop - first > MAX_TITLE_WORDS or hard > 1:
                break
            letters = sum(kind not in "YD" for kind in row.kinds[first:stop])
            if letters >= 0.4 * (stop - first):
                # Words in small letters tell a title from a list of names.
                small = sum(kind in "lp" for kind in row.kinds[first:stop])
                length = min(stop - first, 8) / 4 + min(small, 3) / 2
                edge = row.gaps[first].strength + row.gaps[stop].strength
                found[first, stop] = edge + length - 0.4 * strong - 1.5 * hard
            hard += row.gaps[stop].strength == HARD
            strong += row.gaps[stop].strength >= STRONG
    return sorted(sorted(found, key=lambda span: -found[span])[:MAX_TITLES])


def _after_number(row: Row, gap: int) -> bool:
    """Whether a gap follows a number or a year: what comes next may begin there."""
    return 0 < gap < len(row.words) and row.kinds[gap - 1] in "YD" and row.kinds[gap] not in "YD"
