"""How much a span looks like a title or a list of authors, and how the two stand together.

In: a row, its candidates, and how many rows of the page have each word. Out: numbers in the order
of `AUTHOR_LOOKS`, `TITLE_LOOKS`, `PAIR_LOOKS`. No word lists, but for the few words that join
names; no background.
"""

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from blickfang.records.publications.row import COMPANION, HARD, INITIAL, JOINT, STRONG, Row
from blickfang.records.publications.spans import (
    Authors,
    Item,
    has_list_sign,
    is_name,
    split_items,
)

Floats = NDArray[np.float64]

AUTHOR_LOOKS = (
    "a none",
    "a names",  # ln of 1 + entries built like names
    "a words",  # ln of words
    "a single",  # share of entries of one word
    "a left",  # a name in the shape of the list goes on to the left
    "a right",
    "a cross",  # hard boundaries crossed without a sign of a list
    "a initial",  # ends in an initial's period before a capital word
    "a strong",  # stronger boundaries at both ends
    "a with",  # begins right behind "with"
    "a number",  # the last entry's words stand before numbers on this page: a journal
    "a last",  # the last entry has another shape than the one before
    "a odd",  # share of entries in another shape than most of the list
)
TITLE_LOOKS = (
    "t words",  # ln of words, up to a usual title
    "t many",  # ln of words beyond
    "t sentences",  # sentence ends inside
    "t tags",  # gaps with markup inside
    "t quoted",
    "t element",  # exactly one element
    "t common",  # mean share of rows that have its words
    "t cue",  # highest share of rows with a word right behind an inner boundary: "In", "Proc"
    "t names",  # share of its words in a list of names
    "t small",  # share of words in small letters
    "t lower",  # begins in small letters
    "t hard",  # hard boundaries inside
    "t numbers",  # share of numbers
    "t open",  # one quote or bracket only
)
PAIR_LOOKS = (
    "p beside",  # nothing but years, numbers and joining words between
    "p before",  # words before the first of the two
    "p between",  # words between the two
    "p title first",
)

SOON = 4  # words


def share_words(rows: list[Row]) -> dict[str, float]:
    """Return for each word the share of rows that have it."""
    counts: Counter[str] = Counter()
    for row in rows:
        counts.update({word.lower() for word in row.words})
    return {word: count / len(rows) for word, count in counts.items()}


def find_near_numbers(rows: list[Row]) -> dict[str, float]:
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


def look_at_authors(row: Row, authors: Authors, near: dict[str, float]) -> list[float]:
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
        float(initial),
        (row.gaps[first].strength + row.gaps[stop].strength) / 2,
        float(first > 0 and row.kinds[first - 1] == COMPANION),
        sum(near.get(word.lower(), 0.0) for word in last) / len(last),
        float(len(items) > 1 and items[-1].shape != items[-2].shape),
        sum(item.shape != usual for item in items) / len(items),
    ]


def look_left(row: Row, first: int, usual: str) -> float:
    """Return how much a list seems to go on to the left."""
    stop = first - 1 if first and row.kinds[first - 1] == JOINT else first
    if not stop or not has_list_sign(row, first):
        return 0.0
    begin = stop
    while begin and row.kinds[begin - 1] in "CIp" and stop - begin < 7:
        begin -= 1
        if row.gaps[begin].strength and row.kinds[begin - 1 : begin] != "I":
            break
    return compare_shape(row, begin, stop, usual)


def look_right(row: Row, stop: int, usual: str) -> float:
    """Return how much a list seems to go on to the right."""
    if stop >= len(row.words) or not has_list_sign(row, stop):
        return 0.0
    begin = end = stop + (row.kinds[stop] == JOINT)
    while end < len(row.words) and row.kinds[end] in "CIp" and end - begin < 7:
        end += 1
        if row.gaps[end].strength and not (
            row.kinds[end - 1] == "I" and row.gaps[end].strength < 2
        ):
            break
    return compare_shape(row, begin, end, usual)


def compare_shape(row: Row, begin: int, end: int, usual: str) -> float:
    """Return 1 for an entry in the shape of the list, ½ for another name, else 0."""
    items: tuple[Item, ...] = split_items(row, begin, end) if end > begin else ()
    if not items:
        return 0.0
    if any(item.shape == usual for item in items):
        return 1.0
    return 0.5 if any(map(is_name, items)) else 0.0


def look_at_title(row: Row, first: int, stop: int, shares: dict[str, float]) -> list[float]:
    """Return the numbers of a title."""
    words, inner, n = row.words[first:stop], range(first + 1, stop), stop - first
    gaps = row.gaps
    known = [shares.get(word.lower(), 0.0) for word in words]
    cues = [known[g - first] for g in inner if gaps[g].strength]
    left, right = gaps[first], gaps[stop]
    quoted = '"' in left.marks and '"' in right.marks
    names = sum(item.stop - item.first for item in split_items(row, first, stop) if is_name(item))
    listed = sum(gaps[g].marks.endswith(",") for g in inner)
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
    ]


def look_at_pairs(row: Row, authors: list[Authors], titles: list[tuple[int, int]]) -> Floats:
    """Return the numbers of all pairs: authors x titles x looks; NaN where the two overlap."""
    a = np.array([(span.first, span.stop) for span in authors])[:, None, :]
    t = np.array(titles)[None, :, :]
    none = a[..., 1] == 0
    title_first = t[..., 1] <= a[..., 0]
    begin = np.where(title_first, t[..., 1], a[..., 1])
    end = np.where(title_first, a[..., 0], t[..., 0])
    telling = np.cumsum([0] + [kind not in "YDJW" for kind in row.kinds])
    words = np.where(end > begin, telling[np.maximum(end, 0)] - telling[begin], 0)
    before = np.minimum(np.where(none, t[..., 0], np.minimum(t[..., 0], a[..., 0])), 10) / 10
    looks = np.stack(
        [
            (words == 0) & ~none,
            before,
            np.where(none, 0, np.log1p(np.maximum(words, 0))),
            title_first & ~none,
        ],
        axis=-1,
    ).astype(float)
    overlap = ~none & (t[..., 0] < a[..., 1]) & (a[..., 0] < t[..., 1])
    looks[overlap] = np.nan
    return looks
