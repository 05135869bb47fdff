"""Records with a wrapper: is a child one of several alike below its parent?

In: a child that holds an image and text. Out: whether it has peers: siblings of its tag and class
whose inner structure is like its own. docs/method.md, "Repeated structure".
"""

import numpy as np

from blickfang.compute.kernels import Integer, inlined, inner
from blickfang.html.parse import tags
from blickfang.html.parse.tags import TAGS, TRAITS
from blickfang.html.structure.count_tables import take_sheet
from blickfang.html.structure.page_terms import Terms, is_heading
from blickfang.html.structure.sibling_groups import (
    HEADED,
    MAX_CLASSES,
    MAX_RECORD_WORDS,
    MAX_STARTS,
    MIN_HOLDERS,
    MIN_HOLDERS_COARSE,
    NEIGHBOURS,
    RUNNING_TEXT,
    SOLVED,
    SiblingGroups,
    holder_number,
    holder_of,
    images_in,
    list_kids,
    number_symbols,
    texts_in,
    words_in,
)
from blickfang.text.words import finish

PREFIX = 60  # nodes of a subtree that are compared
ALIKE, SINGLE_ALIKE, PLAIN_ALIKE = 0.6, 0.75, 0.7
REACH = 12  # siblings looked at on either side
WIDE_REACH = 40
ENOUGH = 2
ROWS = TAGS["tr"], TAGS["li"], TAGS["article"]


@inlined
def part_of(terms: Terms, k: Integer, by_tag: bool) -> np.uint64:
    """Return what a node counts as when subtrees are compared; 0 is left out."""
    if not by_tag:
        return terms[k].signature
    if terms[k].tag == tags.TEXT or not TRAITS[terms[k].tag] & tags.BLOCK:
        return np.uint64(0)
    return finish(terms[k].name)


@inner
def compare(
    terms: Terms, groups: SiblingGroups, one: Integer, other: Integer, by_tag: bool
) -> float:
    """Return how much the beginnings of two subtrees have in common: Dice of their bags."""
    take_sheet(groups.slots)
    table, stamp = groups.slots.slots, groups.slots.stamp[0]
    mask = np.uint64(len(table) - 1)
    length = common = 0
    for k in range(one, min(terms[one].end, one + PREFIX)):
        key = part_of(terms, k, by_tag)
        if key == np.uint64(0):
            continue
        slot = key & mask
        while table[slot].stamp == stamp and table[slot].key != key:
            slot = (slot + np.uint64(1)) & mask
        if table[slot].stamp != stamp:
            table[slot].stamp = stamp
            table[slot].key, table[slot].count = key, 0
        table[slot].count += 1
        length += 1
    for k in range(other, min(terms[other].end, other + PREFIX)):
        key = part_of(terms, k, by_tag)
        if key == np.uint64(0):
            continue
        length += 1
        slot = key & mask
        while table[slot].stamp == stamp and table[slot].key != key:
            slot = (slot + np.uint64(1)) & mask
        if table[slot].stamp == stamp and table[slot].count > 0:
            table[slot].count -= 1
            common += 1
    return 2.0 * common / max(length, 1)


@inlined
def is_same_class(terms: Terms, groups: SiblingGroups, one: Integer, other: Integer) -> bool:
    """Whether two siblings have the same tag and usual class, or one of them no class."""
    if terms[one].name != terms[other].name or terms[one].tag == tags.TEXT:
        return False
    plain = finish(terms[one].name ^ finish(np.uint64(0)))
    return bool(
        groups.nodes[one].holder == groups.nodes[other].holder
        or groups.nodes[one].holder == plain
        or groups.nodes[other].holder == plain
    )


@inlined
def is_row(tag: Integer) -> bool:
    """Whether an element is one of a list by its very name."""
    return bool(tag == ROWS[0] or tag == ROWS[1] or tag == ROWS[2])


@inlined
def likeness_of(terms: Terms, groups: SiblingGroups, x: Integer, other: Integer) -> float:
    """Return how alike two siblings are, by classes or by block structure."""
    alike = compare(terms, groups, x, other, False)
    if alike < ALIKE:
        alike = max(alike, compare(terms, groups, x, other, True))
    return alike


@inner
def count_peers(
    terms: Terms, groups: SiblingGroups, p: Integer, x: Integer
) -> tuple[int, int, int, float]:
    """Return the peers with image, those without, those that say something else, the most alike."""
    first, here = groups.nodes[p].first_kid, groups.nodes[x].place
    last = first + groups.nodes[p].kid_count - 1
    peers = plain = different = 0
    closest = 0.0
    for step in range(1, 2 * REACH + 1):
        at = here + (step + 1) // 2 * (1 if step % 2 else -1)
        if at < first or at > last or (peers >= ENOUGH and different):
            continue
        other = groups.nodes[at].kid
        if not texts_in(terms, other) or not is_same_class(terms, groups, x, other):
            continue
        alike = likeness_of(terms, groups, x, other)
        if images_in(terms, other) and alike >= ALIKE:
            peers += 1
            closest = max(closest, alike)
            different += not says_the_same(terms, x, other)
        elif is_row(terms[x].tag) and not images_in(terms, other) and alike >= PLAIN_ALIKE:
            plain += 1
            different += 1
    return peers, plain, different, closest


@inlined
def says_the_same(terms: Terms, one: Integer, other: Integer) -> bool:
    """Whether two subtrees hold the same text."""
    return bool(
        terms[terms[one].end].said - terms[one].said
        == terms[terms[other].end].said - terms[other].said
    )


@inner
def is_one_of_many(terms: Terms, groups: SiblingGroups, p: Integer, x: Integer) -> bool:
    """Whether a child that holds an image and text is one of several alike."""
    if groups.nodes[x].wrapped == 0:
        peers, plain, different, closest = count_peers(terms, groups, p, x)
        enough = peers >= ENOUGH or (peers == 1 and closest >= SINGLE_ALIKE) or plain >= ENOUGH
        groups.nodes[x].wrapped = 1 if enough and different else -1
    return bool(groups.nodes[x].wrapped > 0)


@inner
def has_few_images(
    terms: Terms, groups: SiblingGroups, p: Integer, x: Integer, share: float
) -> bool:
    """Whether fewer than a share of the siblings like x that have text have an image."""
    texts: Integer = 0
    images: Integer = 0
    first, here = groups.nodes[p].first_kid, groups.nodes[x].place
    last = first + groups.nodes[p].kid_count
    for place in range(max(first, here - WIDE_REACH), min(last, here + WIDE_REACH + 1)):
        other = groups.nodes[place].kid
        if texts_in(terms, other) and is_same_class(terms, groups, x, other):
            texts += 1
            images += images_in(terms, other) > 0
    return bool(images < share * texts)


Seen = tuple[int, int, int, int]  # the holders' symbol, how many, the first and the last of them

ONE_IMAGE, ONE_IMAGE_COARSE = 0.7, 0.8  # share of segments with exactly one image
REGULAR, REGULAR_COARSE = 0.75, 0.8
HEADING_BONUS, HOLDER_BONUS, PENALTY = 0.3, 0.1, 0.2
COMMON, KNOWN = 0.6, 0.2  # shares of the segments that have a symbol
PROSE_SHARE, PROSE_BLOCKS, MANY_PROSE = 0.7, 2, 1.2


@inlined
def kid(groups: SiblingGroups, p: Integer, j: Integer) -> Integer:
    """Return the j-th live child."""
    return groups.nodes[groups.nodes[p].first_kid + j].kid


@inlined
def count_segments(
    groups: SiblingGroups, start: int, last: int, begin: int, known: int
) -> tuple[int, int]:
    """Count in how many of the whole segments each symbol stands; return their number and longest.

    Segments begin at `begin`'s places from `start` on; `last` is where the last one begins.
    """
    for symbol in range(known):
        groups.symbols[symbol].segments = 0
        groups.symbols[symbol].last_seen = -1
    segments = longest = 0
    since = start
    for j in range(start, last):
        symbol = groups.nodes[j].id
        if symbol == begin and j > start:
            longest = max(longest, j - since)
            since = j
            segments += 1
        if groups.symbols[symbol].last_seen != segments:
            groups.symbols[symbol].last_seen = segments
            groups.symbols[symbol].segments += 1
    return segments + 1, max(longest, last - since)


@inlined
def trim_last(
    groups: SiblingGroups, last: int, begin: int, shape: tuple[int, int], kids: int
) -> int:
    """Return where the last segment ends: at what the others do not know, or at their length."""
    others, longest = shape
    end = last + 1
    while end < kids and end - last < longest and groups.nodes[end].id != begin:
        if groups.symbols[groups.nodes[end].id].segments < KNOWN * others:
            break
        end += 1
    return end


@inlined
def count_single(
    groups: SiblingGroups, start: int, end: int, begin: int, holder: int
) -> tuple[int, int]:
    """Return how many segments there are, and how many of them have exactly one image."""
    segments = single = inside = 0
    for j in range(start, end):
        if groups.nodes[j].id == begin:
            single += inside == 1
            inside = 0
            segments += 1
        inside += groups.nodes[j].id == holder
    return segments, single + (inside == 1)


@inlined
def count_missing(groups: SiblingGroups, last: int, end: int, others: int, known: int) -> float:
    """Return the share of the common symbols that the last segment lacks."""
    common = present = 0
    for symbol in range(known):
        common += groups.symbols[symbol].segments >= COMMON * others
    for j in range(last, end):
        symbol = groups.nodes[j].id
        if groups.symbols[symbol].last_seen != -2:
            groups.symbols[symbol].last_seen = -2
            present += groups.symbols[symbol].segments >= COMMON * others
    return (common - present) / max(common, 1)


@inlined
def find_last(groups: SiblingGroups, begin: int, seen: Seen) -> int:
    """Return the last place of a symbol up to the last holder."""
    j = seen[3]
    while groups.nodes[j].id != begin:
        j -= 1
    return j


@inner
def rate_start(
    terms: Terms, groups: SiblingGroups, p: Integer, seen: Seen, start: int, known: int
) -> tuple[float, float, int]:
    """Rate a cut at the symbol that stands at `start`; also return the share of single images."""
    begin, kids = groups.nodes[start].id, groups.nodes[p].kid_count
    last = find_last(groups, begin, seen)
    if last == start:
        return -1.0, 0.0, 0
    shape = count_segments(groups, start, last, begin, known)
    end = trim_last(groups, last, begin, shape, kids)
    segments, single = count_single(groups, start, end, begin, seen[0])
    share = single / segments
    rate = share + HEADING_BONUS * is_heading(terms, kid(groups, p, start))
    rate += HOLDER_BONUS * (begin == seen[0])
    if start > 0:
        before = groups.symbols[groups.nodes[start - 1].id].segments
        rate -= PENALTY * (before >= COMMON * shape[0])
    rate -= PENALTY * (end < kids and groups.nodes[end].id == begin)
    rate -= PENALTY * count_missing(groups, last, end, shape[0], known)
    return rate, share, end


@inner
def choose_start(
    terms: Terms, groups: SiblingGroups, p: Integer, seen: Seen, known: int
) -> tuple[int, int, float]:
    """Return where the first record begins, where the last one ends, and the share of singles."""
    _, count, first, last = seen
    for symbol in range(known):
        groups.symbols[symbol].counts = 0
    for j in range(last + 1):
        groups.symbols[groups.nodes[j].id].counts += 1
    best, chosen, chosen_end, chosen_share, tried = -1.0, -1, 0, 0.0, 0
    j = first
    while j >= 0 and tried < MAX_STARTS:
        occurs = groups.symbols[groups.nodes[j].id].counts
        groups.symbols[groups.nodes[j].id].counts = 0  # nearer to the image was looked at
        if 0.7 * count <= occurs <= 1.4 * count + 2:
            tried += 1
            rate, share, end = rate_start(terms, groups, p, seen, j, known)
            if rate > best:
                best, chosen, chosen_end, chosen_share = rate, j, end, share
        j -= 1
    return chosen, chosen_end, chosen_share


@inlined
def likeness(groups: SiblingGroups, one: int, other: int) -> float:
    """Return how much two segments have in common: Dice of their bags of symbols."""
    begin, end = groups.nodes[one].cut, groups.nodes[one + 1].cut
    for j in range(begin, end):
        groups.symbols[groups.nodes[j].id].bag += 1
    common = 0
    for j in range(groups.nodes[other].cut, groups.nodes[other + 1].cut):
        symbol = groups.nodes[j].id
        if groups.symbols[symbol].bag > 0:
            groups.symbols[symbol].bag -= 1
            common += 1
    for j in range(begin, end):
        groups.symbols[groups.nodes[j].id].bag = 0
    length = end - begin + groups.nodes[other + 1].cut - groups.nodes[other].cut
    return 2.0 * common / length


@inner
def regularity(groups: SiblingGroups, segment: int, segments: int) -> float:
    """Return the mean likeness of a segment and its neighbours."""
    total, compared = 0.0, 0
    for other in range(max(0, segment - NEIGHBOURS), min(segments, segment + NEIGHBOURS + 1)):
        if other != segment:
            total += likeness(groups, segment, other)
            compared += 1
    return total / max(compared, 1)


@inner
def weigh_prose(terms: Terms, groups: SiblingGroups, p: Integer, known: int, segments: int) -> bool:
    """Sum up words and prose by symbol; return whether running text stands between the images."""
    for symbol in range(known):
        groups.symbols[symbol].words = groups.symbols[symbol].prose = 0
        groups.symbols[symbol].blocks = 0
    for j in range(groups.nodes[p].kid_count):
        c = kid(groups, p, j)
        end, symbol = terms[c].end, groups.nodes[j].id
        groups.symbols[symbol].words += words_in(terms, c, end)
        groups.symbols[symbol].prose += terms[end].prose_words - terms[c].prose_words
        groups.symbols[symbol].blocks += terms[end].prose - terms[c].prose
    running = False
    for symbol in range(known):
        blocks = groups.symbols[symbol].blocks
        running |= is_prose(groups, symbol) and blocks >= MANY_PROSE * segments
    return running


@inlined
def is_prose(groups: SiblingGroups, symbol: Integer) -> bool:
    """Whether the children of a symbol are running text."""
    words = groups.symbols[symbol].words
    prose = groups.symbols[symbol].prose
    return bool(groups.symbols[symbol].blocks >= PROSE_BLOCKS and prose >= PROSE_SHARE * words)


@inlined
def has_rival(
    terms: Terms, groups: SiblingGroups, p: Integer, segment: int, holding: Integer
) -> bool:
    """Whether a segment has another part with image and text: each is a record of its own."""
    if not texts_in(terms, holding):
        return False
    for j in range(groups.nodes[segment].cut, groups.nodes[segment + 1].cut):
        c = kid(groups, p, j)
        same = c != holding and terms[c].name == terms[holding].name
        if same and images_in(terms, c) and texts_in(terms, c):
            return True
    return False


@inner
def keep_run(
    terms: Terms, groups: SiblingGroups, p: Integer, segment: int, holder: int, bits: int
) -> None:
    """Note a segment as the record of the one image holder in it."""
    begin, end = groups.nodes[segment].cut, groups.nodes[segment + 1].cut
    start_node, end_node = kid(groups, p, begin), terms[kid(groups, p, end - 1)].end
    inside = 0
    holding: Integer = 0
    prose: Integer = 0
    for j in range(begin, end):
        c = kid(groups, p, j)
        if groups.nodes[j].id == holder:
            holding = c
            inside += 1
        if is_prose(groups, groups.nodes[j].id):
            prose += words_in(terms, c, terms[c].end)
    words = words_in(terms, start_node, end_node)
    own = words_in(terms, holding, terms[holding].end)
    if inside != 1 or has_rival(terms, groups, p, segment, holding):
        return
    if own < words <= MAX_RECORD_WORDS and not groups.nodes[holding].run_end:
        groups.nodes[holding].run_start, groups.nodes[holding].run_end = start_node, end_node
        groups.nodes[holding].run_bits |= bits
        groups.nodes[holding].run_prose = prose / words


@inner
def cut_run(terms: Terms, groups: SiblingGroups, p: Integer, c: Integer, coarse: bool) -> None:
    """Cut the children of p into records, by fine or coarse symbols, and note what is regular."""
    holder = holder_of(terms, groups, c, coarse)
    known = number_symbols(terms, groups, p, holder, coarse)
    seen = holder_number(terms, groups, p, holder, coarse)
    number, count, first, last = seen
    between = kid(groups, p, first), kid(groups, p, last)
    if count < (MIN_HOLDERS_COARSE if coarse else MIN_HOLDERS):
        return
    if terms[terms[between[1]].end].texts == terms[between[0]].texts:
        return
    start, end, share = choose_start(terms, groups, p, seen, known)
    if start < 0 or share < (ONE_IMAGE_COARSE if coarse else ONE_IMAGE):
        return
    begin, segments = groups.nodes[start].id, 0
    for j in range(start, end):
        if groups.nodes[j].id == begin:
            groups.nodes[segments].cut = j
            segments += 1
    groups.nodes[segments].cut = end
    bits = HEADED if is_heading(terms, kid(groups, p, start)) else 0
    bits |= RUNNING_TEXT if weigh_prose(terms, groups, p, known, segments) else 0
    for segment in range(segments):
        if regularity(groups, segment, segments) >= (REGULAR_COARSE if coarse else REGULAR):
            keep_run(terms, groups, p, segment, number, bits)


@inlined
def needs_retry(groups: SiblingGroups, p: Integer, holder: np.uint64) -> bool:
    """Mark the holders of a class as looked at; return whether one of them has no record yet."""
    missing = False
    for j in range(groups.nodes[p].kid_count):
        c = kid(groups, p, j)
        if groups.nodes[c].holder == holder:
            groups.nodes[c].run_bits |= SOLVED
            missing |= groups.nodes[c].run_end == 0
    return missing


@inner
def find_runs(terms: Terms, groups: SiblingGroups, p: Integer) -> None:
    """Find the records among the children of p that hold images."""
    if groups.nodes[p].listed:
        return
    list_kids(terms, groups, p)
    tried = 0
    for j in range(groups.nodes[p].kid_count):
        c = kid(groups, p, j)
        if not images_in(terms, c) or groups.nodes[c].run_bits & SOLVED or tried == MAX_CLASSES:
            continue
        tried += 1
        cut_run(terms, groups, p, c, False)
        if needs_retry(groups, p, groups.nodes[c].holder):
            cut_run(terms, groups, p, c, True)
