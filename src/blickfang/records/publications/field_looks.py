"""How much spans look like titles or lists of authors: candidates and their numbers, compiled.

In: the places of a list (`Flat`). Out: `Candidates` of some rows: for authors spans of name-like
words in a list, for titles spans between boundaries, and numbers in the order of `AUTHOR_LOOKS`,
`TITLE_LOOKS`, `PAIR_LOOKS`. Few enough that all pairs can be judged; the right pair is nearly
always among them. No word lists, but for the few words that join names; no background.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, filling, inner
from blickfang.records.publications.author_lists import (
    MAX_AUTHORS,
    TURNED_NAME,
    are_initials,
    find_authors,
    has_list_sign,
    is_name,
    is_word,
    push,
    sort_spans,
    split_items,
)
from blickfang.records.publications.record_row import HARD, NONE, STRONG
from blickfang.records.publications.row_arrays import (
    CAPITAL,
    COMMA,
    COMPANION,
    DIGITS,
    ENDS_SENTENCE,
    INITIAL,
    JOINT,
    LAST_COMMA,
    LONGEST,
    LOWER,
    PARTICLE,
    PARTS,
    QUOTED,
    TAGGED,
    YEARS,
    Flat,
    Floats,
    Ints,
    RowScratch,
)

MAX_TITLES = 48
MAX_TITLE_WORDS = 45
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
    "t commas",  # commas inside before a capital word: authors, or where it was published
    "t year",  # a year inside
)
PAIR_LOOKS = (
    "p beside",  # nothing but years, numbers and joining words between
    "p before",  # words before the first of the two
    "p between",  # words between the two
    "p title first",
)
SOON = 4  # words


class SpanCandidates(NamedTuple):
    """The spans of some rows, and their numbers; "no authors" is the first of every row."""

    authors: Ints  # rows x spans x 2
    titles: Ints
    author_count: Ints
    title_count: Ints
    author_looks: Floats  # rows x spans x looks
    title_looks: Floats
    shape: Ints  # of the last entry of each list of authors


def make_candidates(rows: int) -> SpanCandidates:
    """Return room for the candidates of so many rows."""
    return SpanCandidates(
        np.zeros((rows, MAX_AUTHORS + 1, 2), np.int64),
        np.zeros((rows, MAX_TITLES, 2), np.int64),
        np.zeros(rows, np.int64),
        np.zeros(rows, np.int64),
        np.zeros((rows, MAX_AUTHORS + 1, len(AUTHOR_LOOKS))),
        np.zeros((rows, MAX_TITLES, len(TITLE_LOOKS))),
        np.zeros((rows, MAX_AUTHORS + 1), np.int64),
    )


@filling
def find_near_numbers(flat: Flat, near: Floats, total: Floats) -> None:
    """Write for each word how often a number follows it soon, as behind the name of a journal."""
    for row in range(len(flat.begin) - 1):
        distance = SOON
        for place in range(flat.begin[row + 1] - 2, flat.begin[row] - 1, -1):
            if flat.kind[place] == DIGITS:
                distance = 0
                continue
            broken = (
                flat.strength[place + 1] == HARD
                or flat.flags[place + 1] & PARTS
                or flat.kind[place] == YEARS
            )
            distance = SOON if broken else distance + 1
            total[flat.word[place]] += 1
            near[flat.word[place]] += distance <= SOON - 1
    for word in range(len(near)):
        near[word] /= total[word] + 1


@inner
def is_number(kind: Integer) -> bool:
    """Whether a word is a year or another number."""
    return kind in (YEARS, DIGITS)


@inner
def find_titles(flat: Flat, begin: Integer, end: Integer, found: RowScratch, most: Integer) -> int:
    """Write the spans of a row that may be its title, the best ones; return how many."""
    edges, many, count = found.edges, 0, 0
    for gap in range(begin, end + 1):
        after = (
            begin < gap < end and is_number(flat.kind[gap - 1]) and not is_number(flat.kind[gap])
        )
        if flat.strength[gap] > NONE or after:
            edges[many] = gap
            many += 1
    for at in range(many):
        first, hard, strong = edges[at], 0, 0
        for to in range(at + 1, many):
            stop = edges[to]
            words = stop - first
            if words > MAX_TITLE_WORDS or hard > 1:
                break
            strength = flat.strength[stop]
            letters = words - (flat.numbers[stop] - flat.numbers[first])
            if letters >= 0.4 * words:
                # Words in small letters tell a title from a list of names.
                small = flat.small[stop] - flat.small[first]
                length = min(words, 8) / 4 + min(small, 3) / 2
                edge = int(flat.strength[first]) + int(strength)
                gain = edge + length - 0.4 * strong - 1.5 * hard
                count = push(found, count, most, gain, first, stop)
                if most == 1:
                    return count
            hard += strength == HARD
            strong += strength >= STRONG
    sort_spans(found, count)
    return count


@filling
def mark_titled(flat: Flat, found: RowScratch, titled: NDArray[np.bool_]) -> None:
    """Write which rows have words that may be a title."""
    for row in range(len(titled)):
        begin, end = flat.begin[row], flat.begin[row + 1] - 1
        titled[row] = find_titles(flat, begin, end, found, 1) > 0


@inner
def compare_shape(
    flat: Flat, begin: Integer, end: Integer, first: Integer, stop: Integer,
    usual: Integer, items: Ints,
) -> float:  # fmt: skip
    """Return 1 for an entry in the shape of the list, ½ for another name, else 0."""
    count = split_items(flat, begin, end, first, stop, items) if stop > first else 0
    found = 0.0
    for k in range(count):
        if items[k, 2] == usual:
            return 1.0
        if is_name(items[k, 0], items[k, 1], items[k, 2]):
            found = 0.5
    return found


@inner
def look_left(
    flat: Flat, begin: Integer, end: Integer, first: Integer, usual: Integer, items: Ints
) -> float:
    """Return how much a list seems to go on to the left."""
    stop = first - 1 if first > begin and flat.kind[first - 1] == JOINT else first
    if stop == begin or not has_list_sign(flat, begin, first):
        return 0.0
    at = stop
    while at > begin and is_word(flat.kind[at - 1]) and stop - at < 7:
        at -= 1
        given = at > begin and flat.flags[at] & COMMA and are_initials(flat, at, stop)  # "Berg, A."
        if flat.strength[at] and not given and not (at > begin and flat.kind[at - 1] == INITIAL):
            break
    return compare_shape(flat, begin, end, at, stop, usual, items)


@inner
def look_right(
    flat: Flat, begin: Integer, end: Integer, stop: Integer, usual: Integer, items: Ints
) -> float:
    """Return how much a list seems to go on to the right."""
    if stop >= end or not has_list_sign(flat, begin, stop):
        return 0.0
    first = stop + (1 if flat.kind[stop] == JOINT else 0)
    to = first
    while to < end and is_word(flat.kind[to]) and to - first < 7:
        to += 1
        given = to < end and flat.flags[to] & COMMA and flat.kind[to] == INITIAL  # "Berg, A."
        if given and flat.kind[to - 1] == CAPITAL:
            continue
        if flat.strength[to] and not (flat.kind[to - 1] == INITIAL and flat.strength[to] < STRONG):
            break
    return compare_shape(flat, begin, end, first, to, usual, items)


@inner
def find_usual(items: Ints, count: Integer, tally: Ints) -> int:
    """Return the shape that most entries have; of equally frequent ones the first."""
    best, usual = 0, 0
    for k in range(count):
        tally[items[k, 2]] += 1
    for k in range(count):
        if tally[items[k, 2]] > best:
            best, usual = tally[items[k, 2]], items[k, 2]
    for k in range(count):
        tally[items[k, 2]] = 0
    return int(usual)


@inner
def look_at_authors(
    flat: Flat, begin: Integer, end: Integer, first: Integer, stop: Integer,
    found: RowScratch, looks: Floats,
) -> int:  # fmt: skip
    """Write the numbers of a list of authors; return the shape of its last entry."""
    items = found.items
    count = split_items(flat, begin, end, first, stop, items)
    usual, names, singles, odd = find_usual(items, count, found.tally), 0, 0, 0
    for k in range(count):
        names += is_name(items[k, 0], items[k, 1], items[k, 2])
        singles += items[k, 1] - items[k, 0] == 1
        odd += items[k, 2] != usual
    crossed = 0
    for gap in range(first + 1, stop):
        crossed += flat.strength[gap] == HARD and not has_list_sign(flat, begin, gap)
    capital = stop < end and (flat.kind[stop] == CAPITAL or flat.kind[stop] == INITIAL)
    near, last = 0.0, count - 1
    for place in range(items[last, 0], items[last, 1]):
        near += flat.near[flat.word[place]]
    shape = items[last, 2]
    looks[0] = 0.0
    looks[1] = found.log1p[names]
    looks[2] = found.log[stop - first]
    looks[3] = singles / count
    looks[6] = crossed
    turned = shape == TURNED_NAME and count > 1 and odd == 0  # "Berg A" is a name, "Anna B" is not
    for place in range(items[last, 0] + 1, items[last, 1]):
        turned = turned or (shape == TURNED_NAME and flat.flags[place] & COMMA != 0)
    initial = flat.kind[stop - 1] == INITIAL and flat.strength[stop] < STRONG
    looks[7] = initial and capital and not turned
    looks[8] = (int(flat.strength[first]) + int(flat.strength[stop])) / 2
    looks[9] = first > begin and flat.kind[first - 1] == COMPANION
    looks[10] = near / (items[last, 1] - items[last, 0])
    looks[11] = count > 1 and shape != items[last - 1, 2]
    looks[12] = odd / count
    looks[4] = look_left(flat, begin, end, first, usual, items)  # these two write other entries
    looks[5] = look_right(flat, begin, end, stop, usual, items)
    return int(shape)


@inner
def find_place(numbers: Ints, low: Integer, high: Integer, wanted: Integer) -> Integer:
    """Return where in a sorted part of some numbers one stands, -1 if it does not."""
    stop = high
    while low < high:
        middle = (low + high) // 2
        if numbers[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low if low < stop and numbers[low] == wanted else -1


@inner
def is_element(flat: Flat, first: Integer, stop: Integer) -> bool:
    """Whether words are exactly one element."""
    return bool(find_place(flat.whole, 0, len(flat.whole), first * LONGEST + stop - first) >= 0)


@inner
def look_at_title(
    flat: Flat, begin: Integer, end: Integer, first: Integer, stop: Integer,
    found: RowScratch, looks: Floats,
) -> None:  # fmt: skip
    """Write the numbers of a title."""
    known, cue = flat.known[first], 0.0
    sentences = tagged = hard = listed = small = numbers = commas = years = 0
    for gap in range(first + 1, stop):
        flags, strength = flat.flags[gap], flat.strength[gap]
        known += flat.known[gap]
        if strength:
            cue = max(cue, flat.known[gap])
        sentences += strength == STRONG and (flags & ENDS_SENTENCE) != 0
        tagged += (flags & TAGGED) != 0
        hard += strength == HARD
        comma = (flags & LAST_COMMA) != 0
        listed += comma
        commas += comma and flat.kind[gap] in (CAPITAL, INITIAL)
    for place in range(first, stop):
        years += flat.kind[place] == YEARS
        small += flat.kind[place] == LOWER
        numbers += is_number(flat.kind[place])
    words, names = stop - first, 0
    if listed:
        for k in range(split_items(flat, begin, end, first, stop, found.items)):
            left, right, shape = found.items[k, 0], found.items[k, 1], found.items[k, 2]
            names += right - left if is_name(left, right, shape) else 0
    left_quote = (flat.flags[first] & QUOTED) != 0
    right_quote = (flat.flags[stop] & QUOTED) != 0
    kind = flat.kind[first]
    looks[0], looks[1] = min(found.log[words], 2.5), max(0.0, found.log[words] - 2.8)
    looks[2], looks[3] = sentences, tagged
    looks[4], looks[5] = left_quote and right_quote, is_element(flat, first, stop)
    looks[6], looks[7] = known / words, cue
    looks[8], looks[9] = names / words, small / words
    looks[10] = kind in (LOWER, PARTICLE, JOINT, COMPANION)
    looks[11], looks[12] = hard, numbers / words
    looks[13] = left_quote != right_quote
    looks[14], looks[15] = min(commas, 3), years > 0


@filling
def find_candidates(flat: Flat, rows: Ints, found: RowScratch, into: SpanCandidates) -> None:
    """Write the candidates of some rows and their looks."""
    for number in range(len(rows)):
        begin, end = flat.begin[rows[number]], flat.begin[rows[number] + 1] - 1
        many = find_authors(flat, begin, end, found)
        into.author_count[number] = many + 1
        into.authors[number, 0, 0] = into.authors[number, 0, 1] = begin
        into.author_looks[number, 0, :] = 0.0
        into.author_looks[number, 0, 0] = 1.0
        into.shape[number, 0] = 0
        for k in range(many):
            into.authors[number, k + 1, 0] = found.span[k, 0]
            into.authors[number, k + 1, 1] = found.span[k, 1]
        for k in range(1, many + 1):
            first, stop = into.authors[number, k, 0], into.authors[number, k, 1]
            looks = into.author_looks[number, k]
            into.shape[number, k] = look_at_authors(flat, begin, end, first, stop, found, looks)
        many = find_titles(flat, begin, end, found, MAX_TITLES)
        into.title_count[number] = many
        for k in range(many):
            first, stop = found.span[k, 0], found.span[k, 1]
            into.titles[number, k, 0], into.titles[number, k, 1] = first, stop
            looks = into.title_looks[number, k]
            look_at_title(flat, begin, end, first, stop, found, looks)
