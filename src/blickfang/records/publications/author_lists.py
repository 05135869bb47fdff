"""Lists of names, compiled: where they may begin and end, and how they fall into entries.

In: the places of a page (`Flat`) and the bounds of a row in it. Out: spans that may be its authors,
in `Found`. A place is a word with the gap before it; each row has one more place than words. The
ends of one list are counted in one pass, whatever their number.
"""

from blickfang.compute.kernels import Integer, inlined, inner
from blickfang.records.publications.record_row import HARD, STRONG, WEAK
from blickfang.records.publications.row_arrays import (
    BLANK,
    CAPITAL,
    CLOSES,
    COMMA,
    COMPANION,
    DIGITS,
    INITIAL,
    JOINT,
    LETTERS,
    LISTED,
    OPENS,
    OPENS_LAST,
    PARTICLE,
    PERIOD,
    SEMICOLON,
    STOPS,
    TURNED,
    YEARS,
    Flat,
    Ints,
    RowScratch,
)

MAX_AUTHORS = 18
MAX_ASIDE = 5  # words of a remark in brackets within a list of names
LAST_COMMAS = 6
ALONE, TWICE, INITIALS, TURNED_NAME, MANY = 1, 10, 2, 11, 820  # shapes C, CC, I, CI and CCCC
# What is known of a list on the way: of entries "Last, First", and of plain ones.
T_GOOD, T_BEGIN, T_ITEMS, T_NAMES, T_COMMAS, T_COMMA = 0, 1, 2, 3, 4, 5
P_BEGIN, P_NAMES, P_FIRST, P_STOP, P_SHAPE, P_BEHIND, PASSED = 6, 7, 8, 9, 10, 11, 12


@inlined
def has_list_sign(flat: Flat, begin: Integer, gap: Integer) -> bool:
    """Whether a list goes on over a gap: a comma or semicolon, or a joining word beside it."""
    beside = flat.kind[gap] == JOINT or (gap > begin and flat.kind[gap - 1] == JOINT)
    return bool(beside or flat.flags[gap] & LISTED)


@inlined
def is_part(kind: Integer) -> bool:
    """Whether a word of this class may stand in a list of names."""
    return kind in (CAPITAL, INITIAL, PARTICLE, JOINT)


@inlined
def is_word(kind: Integer) -> bool:
    """Whether a word of this class may stand in a name."""
    return kind in (CAPITAL, INITIAL, PARTICLE)


@inner
def ends_names(flat: Flat, begin: Integer, gap: Integer) -> bool:
    """Whether no list of names goes on over a gap."""
    flags = flat.flags[gap]
    if flags & STOPS:
        return True
    if flags & PERIOD and flags & BLANK and gap > begin and flat.kind[gap - 1] != INITIAL:
        return not has_list_sign(flat, begin, gap)
    return flat.strength[gap] == HARD and not has_list_sign(flat, begin, gap)


@inner
def skip_aside(flat: Flat, begin: Integer, end: Integer, gap: Integer) -> int:
    """Return the word behind a short remark in brackets that opens at a gap, or -1."""
    if not flat.flags[gap] & OPENS_LAST:
        return -1
    for stop in range(gap + 1, min(gap + MAX_ASIDE, end) + 1):
        if flat.kind[stop - 1] == YEARS or flat.kind[stop - 1] == DIGITS:
            return -1
        if flat.flags[stop] & CLOSES:
            goes_on = stop < end and is_part(flat.kind[stop])
            nickname = stop - gap == 1 and flat.strength[stop] < HARD
            return stop if goes_on and (nickname or has_list_sign(flat, begin, stop)) else -1
    return -1


@inner
def find_shape(flat: Flat, first: Integer, stop: Integer) -> int:
    """Return the classes of an entry's words, runs as one, as digits; particles are left out."""
    shape = letters = last = 0
    for place in range(first, stop):
        kind = int(flat.kind[place])
        if kind != PARTICLE and (kind == CAPITAL or kind != last):
            shape = shape * LETTERS + kind
            last = kind
            letters += 1
            if letters == 4:
                break
    return shape


@inlined
def is_name(first: Integer, stop: Integer, shape: Integer) -> bool:
    """Whether an entry is built like a name: two to six words, not initials alone."""
    return bool(2 <= stop - first <= 6 and shape != INITIALS and shape != MANY)


@inner
def are_initials(flat: Flat, first: Integer, stop: Integer) -> bool:
    """Whether an entry is some initials and nothing else."""
    if stop - first > 4:
        return False
    for place in range(first, stop):  # noqa: SIM110 - no generators in kernels
        if flat.kind[place] != INITIAL:
            return False
    return True


@inner
def is_turned(flat: Flat, first: Integer, comma: Integer, stop: Integer) -> bool:
    """Whether an entry with one comma is "Last, First"."""
    given = stop - comma
    if given > 3 or flat.kind[comma] != CAPITAL:
        return False
    if given == 2 and flat.kind[comma + 1] != CAPITAL and flat.kind[comma + 1] != INITIAL:
        return False
    if given == 3 and (flat.kind[comma + 1] != INITIAL or flat.kind[comma + 2] != INITIAL):
        return False
    capitals = 0
    for place in range(first, comma):
        if flat.kind[place] == CAPITAL:
            capitals += 1
        elif flat.kind[place] != PARTICLE:
            return False
    # Two last names, as in "Ruiz García, Carmen": "Anna Berg, Carl Tal" are two people.
    return capitals == 1 or (capitals == 2 and (given == 1 or flat.kind[comma + 1] == INITIAL))


@inner
def split_items(
    flat: Flat, begin: Integer, end: Integer, first: Integer, stop: Integer, items: Ints
) -> int:
    """Write the entries of a list of names: first, stop, shape of each; return how many."""
    count = split_turned(flat, first, stop, items)
    return count if count else split_plain(flat, begin, end, first, stop, items)


@inner
def split_turned(flat: Flat, first: Integer, stop: Integer, items: Ints) -> int:
    """Write the entries of "Last, First; Last, First": one comma in each; none for other lists."""
    count, begin, commas, comma = 0, int(first), 0, 0
    for place in range(first, stop + 1):
        joint = place < stop and flat.kind[place] == JOINT
        semicolon = place > first and flat.flags[place] & SEMICOLON
        if not (place == stop or joint or semicolon):
            if place > begin and flat.flags[place] & COMMA:
                commas += 1
                comma = place
            continue
        if place > begin:
            if commas != 1 or not is_turned(flat, begin, comma, place):
                return 0
            items[count, 0], items[count, 1], items[count, 2] = begin, place, TURNED
            count += 1
        begin, commas = place + (1 if joint else 0), 0
    return count


@inner
def split_plain(
    flat: Flat, begin: Integer, end: Integer, first: Integer, stop: Integer, items: Ints
) -> int:
    """Write the entries between commas, semicolons, joining words and hard boundaries."""
    count, at, place = 0, int(first), int(first)
    while place <= stop:
        flags = flat.flags[place]
        cut = place == stop or flat.kind[place] == JOINT
        inside = at < place < stop
        aside = inside and flags & OPENS
        if cut or (inside and (flags & (LISTED | OPENS) or flat.strength[place] == HARD)):
            if place > at:
                count = _add_item(flat, items, count, at, place)
            at = place + 1 if cut else place
            if aside:
                behind = skip_aside(flat, begin, end, place)
                if behind >= 0:
                    at = place = behind
        place += 1
    return count


@inner
def _add_item(flat: Flat, items: Ints, count: Integer, first: Integer, stop: Integer) -> int:
    """Write an entry, or add its initials to the name before; return how many there are."""
    last = count - 1
    alone = count and items[last, 1] == first and items[last, 2] in (ALONE, TWICE)
    if alone and are_initials(flat, first, stop):
        items[last, 1], items[last, 2] = stop, TURNED_NAME
        return int(count)
    items[count, 0], items[count, 1] = first, stop
    items[count, 2] = find_shape(flat, first, stop)
    return int(count) + 1


@inner
def pass_place(flat: Flat, begin: Integer, end: Integer, place: Integer, known: Ints) -> None:
    """Go on over a place within a list, and count what ends there."""
    joint, flags = flat.kind[place] == JOINT, flat.flags[place]
    if joint or flags & SEMICOLON:
        if place > known[T_BEGIN] and known[T_GOOD]:
            _close_turned(flat, place, known)
        known[T_BEGIN], known[T_COMMAS] = place + (1 if joint else 0), 0
    elif place > known[T_BEGIN] and flags & COMMA:
        known[T_COMMAS] += 1
        known[T_COMMA] = place
    if place <= known[P_BEHIND]:
        return
    inside = place > known[P_BEGIN]
    if joint or (inside and (flags & (LISTED | OPENS) or flat.strength[place] == HARD)):
        if inside:
            _close_plain(flat, place, known)
        known[P_BEGIN] = place + 1 if joint else place
        if inside and flags & OPENS:
            behind = skip_aside(flat, begin, end, place)
            if behind >= 0:
                known[P_BEGIN] = known[P_BEHIND] = behind


@inner
def _close_turned(flat: Flat, stop: Integer, known: Ints) -> None:
    """Count an entry that should be "Last, First"."""
    first = known[T_BEGIN]
    known[T_GOOD] = known[T_COMMAS] == 1 and is_turned(flat, first, known[T_COMMA], stop)
    known[T_ITEMS] += 1
    known[T_NAMES] += is_name(first, stop, TURNED)


@inner
def _close_plain(flat: Flat, stop: Integer, known: Ints) -> None:
    """Count a plain entry; initials behind a comma belong to the name before."""
    first = known[P_BEGIN]
    alone = known[P_SHAPE] in (ALONE, TWICE)
    if known[P_STOP] == first and alone and are_initials(flat, first, stop):
        known[P_NAMES] -= is_name(known[P_FIRST], first, known[P_SHAPE])
        known[P_SHAPE] = TURNED_NAME
    else:
        known[P_FIRST], known[P_SHAPE] = first, find_shape(flat, first, stop)
    known[P_STOP] = stop
    known[P_NAMES] += is_name(known[P_FIRST], stop, known[P_SHAPE])


@inner
def count_names(flat: Flat, stop: Integer, known: Ints) -> int:
    """Return how many entries of a list that ends here are built like names."""
    if known[T_GOOD]:
        first, items, names = known[T_BEGIN], known[T_ITEMS], known[T_NAMES]
        good = True
        if stop > first:
            good = known[T_COMMAS] == 1 and is_turned(flat, first, known[T_COMMA], stop)
            items += 1
            names += is_name(first, stop, TURNED)
        if good and items:
            return int(names)
    first, names = known[P_BEGIN], known[P_NAMES]
    if stop <= first:
        return int(names)
    alone = known[P_SHAPE] in (ALONE, TWICE)
    if known[P_STOP] == first and alone and are_initials(flat, first, stop):
        names -= is_name(known[P_FIRST], first, known[P_SHAPE])
        return int(names) + is_name(known[P_FIRST], stop, TURNED_NAME)
    if 2 <= stop - first <= 6:
        names += is_name(first, stop, find_shape(flat, first, stop))
    return int(names)


@inner
def note_end(
    flat: Flat, begin: Integer, end: Integer, stop: Integer, found: RowScratch, count: Integer
) -> int:
    """Write that a list may end here, and how many names it then has; return how many ends."""
    known = found.known
    for place in range(known[PASSED] + 1, stop):
        pass_place(flat, begin, end, place, known)
    known[PASSED] = max(known[PASSED], stop - 1)
    found.ends[count, 0], found.ends[count, 1] = stop, count_names(flat, stop, known)
    return int(count) + 1


@inner
def run_names(flat: Flat, begin: Integer, end: Integer, first: Integer, found: RowScratch) -> int:
    """Write the gaps at which a list of names from a word on may end; return how many."""
    known, count, place = found.known, 0, int(first)
    known[:] = 0
    known[T_GOOD], known[T_BEGIN], known[P_BEGIN], known[PASSED] = 1, first, first, first
    known[P_STOP] = known[P_BEHIND] = -1
    while place < end and is_part(flat.kind[place]):
        place += 1
        behind = skip_aside(flat, begin, end, place) if place < end else -1
        if behind >= 0:
            count = note_end(flat, begin, end, place, found, count)
            place = behind
            continue
        stops = place == end or flat.kind[place] == JOINT or not is_part(flat.kind[place])
        if stops or flat.strength[place] >= WEAK:
            count = note_end(flat, begin, end, place, found, count)
        if flat.flags[place] & OPENS or ends_names(flat, begin, place):
            break
    return count


@inner
def push(
    found: RowScratch, count: Integer, most: Integer, gain: float, first: Integer, stop: Integer
) -> int:
    """Write a span among the best, behind those that are as good; return how many there are."""
    if count == most and gain <= found.gain[most - 1]:
        return int(count)
    at = count if count < most else most - 1
    while at > 0 and found.gain[at - 1] < gain:
        found.gain[at] = found.gain[at - 1]
        found.span[at, 0], found.span[at, 1] = found.span[at - 1, 0], found.span[at - 1, 1]
        at -= 1
    found.gain[at], found.span[at, 0], found.span[at, 1] = gain, first, stop
    return int(min(count + 1, most))


@inner
def sort_spans(found: RowScratch, count: Integer) -> None:
    """Bring the best spans into the order of the text."""
    span = found.span
    for k in range(1, count):
        first, stop, at = span[k, 0], span[k, 1], k
        while at > 0 and (
            span[at - 1, 0] > first or (span[at - 1, 0] == first and span[at - 1, 1] > stop)
        ):
            span[at, 0], span[at, 1] = span[at - 1, 0], span[at - 1, 1]
            at -= 1
        span[at, 0], span[at, 1] = first, stop


@inner
def find_authors(flat: Flat, begin: Integer, end: Integer, found: RowScratch) -> int:
    """Write the spans of a row that may be its authors; return how many."""
    count = 0
    for first in range(begin, end):
        before = flat.kind[first - 1] if first > begin else 0
        opens = flat.strength[first] >= WEAK or before in (JOINT, COMPANION)
        if not opens or not is_word(flat.kind[first]):
            continue
        ends, commas = run_names(flat, begin, end, first, found), 0
        for weak in range(2):  # strong ends first: of equal lists the first one stays
            for k in range(ends):
                stop, strength = found.ends[k, 0], flat.strength[found.ends[k, 0]]
                if (strength < STRONG) != (weak == 1):
                    commas += weak == 0
                    continue
                commas -= weak
                if weak and commas >= LAST_COMMAS:
                    continue
                # The longest list first; of equal ones that between stronger gaps.
                gain = found.ends[k, 1] + 0.3 * flat.strength[first] + 0.3 * strength
                gain -= 0.02 * (first - begin)
                count = push(found, count, MAX_AUTHORS, gain, first, stop)
    sort_spans(found, count)
    return count
