"""Candidates of publications and their looks, row by row: slow, and as it is meant.

In: a `Row`. Out: spans that may be its authors or its title, and their numbers in the order of
`AUTHOR_LOOKS` and `TITLE_LOOKS`. The kernels must give the same.
"""

from collections import Counter

import numpy as np

from blickfang.records.publications.author_lists import LAST_COMMAS, MAX_AUTHORS
from blickfang.records.publications.field_looks import (
    AUTHOR_LOOKS,
    MAX_TITLE_WORDS,
    MAX_TITLES,
    SOON,
)
from blickfang.records.publications.name_spans import (
    NAME_KINDS,
    NO_AUTHORS,
    Authors,
    NameItem,
    has_list_sign,
    skip_aside,
    split_items,
)
from blickfang.records.publications.record_row import (
    COMPANION,
    HARD,
    INITIAL,
    JOINT,
    NONE,
    STRONG,
    WEAK,
    RecordRow,
)


def ends_names(row: RecordRow, gap: int) -> bool:
    """Whether no list of names goes on over a gap."""
    marks, strength = row.gaps[gap].marks, row.gaps[gap].strength
    if any(sign in marks for sign in '":)]?|/…'):
        return True
    if "." in marks and row.gaps[gap].blank and gap and row.kinds[gap - 1] != "I":
        return not has_list_sign(row, gap)
    return strength == HARD and not has_list_sign(row, gap)


def run_names(row: RecordRow, first: int) -> list[int]:
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


def is_name(item: NameItem) -> bool:
    """Whether an entry is built like a name: two to six words, not initials alone."""
    return 2 <= item.stop - item.first <= 6 and item.shape not in ("I", "CCCC")


def find_authors(row: RecordRow) -> list[Authors]:
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


def find_titles(row: RecordRow) -> list[tuple[int, int]]:
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


def _after_number(row: RecordRow, gap: int) -> bool:
    """Whether a gap follows a number or a year: what comes next may begin there."""
    return 0 < gap < len(row.words) and row.kinds[gap - 1] in "YD" and row.kinds[gap] not in "YD"


def share_words(rows: list[RecordRow]) -> dict[str, float]:
    """Return for each word the share of rows that have it."""
    counts: Counter[str] = Counter()
    for row in rows:
        counts.update({word.lower() for word in row.words})
    return {word: count / len(rows) for word, count in counts.items()}


def find_near_numbers(rows: list[RecordRow]) -> dict[str, float]:
    """Return for each word how often a number follows it soon, as behind the name of a journal."""
    near: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for row in rows:
        distance = SOON
        for k in range(len(row.words) - 1, -1, -1):
            gap = row.gaps[k + 1]
            if row.kinds[k] == "D":
                distance = 0
                continue
            broken = gap.strength == HARD or gap.marks[:1] in (",", ";", '"') or row.kinds[k] == "Y"
            distance = SOON if broken else distance + 1
            word = row.words[k].lower()
            total[word] += 1
            near[word] += distance <= SOON - 1
    return {word: count / (total[word] + 1) for word, count in near.items()}


def look_at_authors(row: RecordRow, authors: Authors, near: dict[str, float]) -> list[float]:
    """Return the numbers of a list of authors."""
    if not authors.items:
        return [1.0] + [0.0] * (len(AUTHOR_LOOKS) - 1)
    first, stop, items = authors
    names = [item for item in items if is_name(item)]
    usual = Counter(item.shape for item in items).most_common(1)[0][0]
    singles = sum(item.stop - item.first == 1 for item in items)
    crossed = sum(
        row.gaps[gap].strength == HARD and not has_list_sign(row, gap)
        for gap in range(first + 1, stop)
    )
    capital = stop < len(row.words) and row.kinds[stop] in "CI"
    final = items[-1]
    odd = sum(item.shape != usual for item in items)
    turned = final.shape == "CI" and (
        (len(items) > 1 and not odd)
        or any(row.gaps[k].marks == "," for k in range(final.first + 1, final.stop))
    )
    initial = row.kinds[stop - 1] == INITIAL and row.gaps[stop].strength < STRONG and capital
    last = row.words[items[-1].first : items[-1].stop]
    return [
        0.0,
        float(np.log1p(len(names))),
        float(np.log(stop - first)),
        singles / len(items),
        look_left(row, first, usual),
        look_right(row, stop, usual),
        float(crossed),
        float(initial and not turned),
        (row.gaps[first].strength + row.gaps[stop].strength) / 2,
        float(first > 0 and row.kinds[first - 1] == COMPANION),
        sum(near.get(word.lower(), 0.0) for word in last) / len(last),
        float(len(items) > 1 and items[-1].shape != items[-2].shape),
        odd / len(items),
    ]


def look_left(row: RecordRow, first: int, usual: str) -> float:
    """Return how much a list seems to go on to the left."""
    stop = first - 1 if first and row.kinds[first - 1] == JOINT else first
    if not stop or not has_list_sign(row, first):
        return 0.0
    begin = stop
    while begin and row.kinds[begin - 1] in "CIp" and stop - begin < 7:
        begin -= 1
        initials = len(row.kinds[begin:stop]) <= 4 and set(row.kinds[begin:stop]) == {"I"}
        if begin and row.gaps[begin].marks == "," and initials:
            continue  # "Berg, A."
        if row.gaps[begin].strength and row.kinds[begin - 1 : begin] != "I":
            break
    return compare_shape(row, begin, stop, usual)


def look_right(row: RecordRow, stop: int, usual: str) -> float:
    """Return how much a list seems to go on to the right."""
    if stop >= len(row.words) or not has_list_sign(row, stop):
        return 0.0
    begin = end = stop + (row.kinds[stop] == JOINT)
    while end < len(row.words) and row.kinds[end] in "CIp" and end - begin < 7:
        end += 1
        given = row.gaps[end].marks == "," and row.kinds[end : end + 1] == "I"
        if given and row.kinds[end - 1] == "C":
            continue  # "Berg, A."
        if row.gaps[end].strength and not (
            row.kinds[end - 1] == "I" and row.gaps[end].strength < 2
        ):
            break
    return compare_shape(row, begin, end, usual)


def compare_shape(row: RecordRow, begin: int, end: int, usual: str) -> float:
    """Return 1 for an entry in the shape of the list, ½ for another name, else 0."""
    items: tuple[NameItem, ...] = split_items(row, begin, end) if end > begin else ()
    if not items:
        return 0.0
    if any(item.shape == usual for item in items):
        return 1.0
    return 0.5 if any(map(is_name, items)) else 0.0


def look_at_title(row: RecordRow, first: int, stop: int, shares: dict[str, float]) -> list[float]:
    """Return the numbers of a title."""
    words, inner, n = row.words[first:stop], range(first + 1, stop), stop - first
    gaps = row.gaps
    known = [shares.get(word.lower(), 0.0) for word in words]
    cues = [known[g - first] for g in inner if gaps[g].strength]
    left, right = gaps[first], gaps[stop]
    quoted = '"' in left.marks and '"' in right.marks
    names = sum(item.stop - item.first for item in split_items(row, first, stop) if is_name(item))
    listed = sum(gaps[g].marks.endswith(",") for g in inner)
    commas = sum(gaps[g].marks.endswith(",") and row.kinds[g] in "CI" for g in inner)
    broken = ('"' in left.marks) != ('"' in right.marks)
    return [
        float(min(np.log(n), 2.5)),
        float(max(0.0, np.log(n) - 2.8)),
        float(
            sum(gaps[g].strength == STRONG and gaps[g].marks[-1:] in (".", "?", "!") for g in inner)
        ),
        float(sum(bool(gaps[g].tags) for g in inner)),
        float(quoted),
        float((first, stop) in row.whole),
        sum(known) / n,
        max(cues, default=0.0),
        names / n if listed else 0.0,
        sum(kind == "l" for kind in row.kinds[first:stop]) / n,
        float(row.kinds[first] in "lpJW"),
        float(sum(gaps[g].strength == HARD for g in inner)),
        sum(kind in "YD" for kind in row.kinds[first:stop]) / n,
        float(broken),
        float(min(commas, 3)),
        float("Y" in row.kinds[first:stop]),
    ]
