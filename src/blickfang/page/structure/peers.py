"""Records with a wrapper: is a child one of several alike below its parent?

In: a child that holds an image and text. Out: whether it has peers: siblings of its tag and class
whose inner structure is like its own. docs/method.md, "Repeated structure".
"""

import numpy as np

from blickfang.compute.kernels import Integer, inlined, inner
from blickfang.page import tags
from blickfang.page.structure.groups import SiblingGroups, images_in, texts_in
from blickfang.page.structure.tables import take_sheet
from blickfang.page.structure.terms import Terms
from blickfang.page.tags import TAGS, TRAITS
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
