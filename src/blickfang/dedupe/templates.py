"""Whether equal main texts are what two pages say, or what their template says for them.

In: pages by host, address and fingerprints. Out: flags. A footer, a notice or a list of members may
be taken for the main text; then pages about different things have one and the same. Two rules:

- A main text that several addresses of a host have word for word is none of theirs.
- Two pages whose main texts are alike, but not all their text, are alike if what each has of its
  own is. Own is what its neighbours do not have: other pages of its host, or, where no hosts are
  known, the documents before and behind it. Where a pair has no neighbours, all text is its own.

Both look at fingerprints alone. docs/method.md, "Main text and template", has the reasons.
"""

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.dedupe.shingles import Places
from blickfang.text.words import MULTIPLIER, Hashes

Flags = NDArray[np.bool_]
Bytes = NDArray[np.uint8]  # sketches, a byte a bin

FEW_WORDS = 20  # a main text with fewer says nothing: then all text is the content
NO_HOST = 0
TEMPLATES = 3  # addresses of a host that have one and the same main text: it is not theirs
ALIKE = 0.9  # bins of two sketches: from here on they are of one and the same text
HALF = 0.5  # of what two pages have of their own: the same content, perhaps changed
ALONE = 2 / 3  # of all text, of two addresses of a host of which nothing else is known
NEIGHBOURS = 8  # of each page of a pair
REPEATED = 2  # neighbours, or one of at most two, that have a main text, too: it is the template's
FEW_BINS = 4  # tell nothing
REST = 10  # words beside the main text; with fewer a page has no other content
AT_ONCE = 2048  # pairs


def find_borrowed(hosts: Hashes, addresses: Hashes, mains: Hashes, wholes: Hashes) -> Flags:
    """Return which documents have a main text that several addresses of their host have.

    `mains` and `wholes` are numbers of main text and all text, equal for equal ones.
    """
    rows = np.flatnonzero((hosts != NO_HOST) & (mains != wholes))
    keys, urls = hosts[rows] * MULTIPLIER ^ mains[rows], addresses[rows]
    order = np.lexsort((urls, keys))
    keys, urls, rows = keys[order], urls[order], rows[order]
    another = np.append(True, (keys[1:] != keys[:-1]) | (urls[1:] != urls[:-1]))[: len(rows)]
    group = np.cumsum(np.append(True, keys[1:] != keys[:-1])[: len(rows)]) - 1
    counts = np.bincount(group, another, minlength=1)
    flags = np.zeros(len(hosts), np.bool_)
    flags[rows[counts[group] >= TEMPLATES]] = True
    return flags


class MainTexts:
    """The documents of a corpus, as their main texts are judged."""

    def __init__(
        self,
        hosts: Hashes,
        addresses: Hashes,
        rests: NDArray[np.int32],
        sketches: Callable[[str, Places], Hashes],
    ) -> None:
        """Take hosts (0: unknown), addresses, how many words are beside the main text, sketches.

        An id will do for an address that is not known. `sketches` gives those of all text ("all")
        or of main texts ("main") of some documents.
        """
        self.hosts, self.addresses, self.rests = hosts, addresses, rests
        self._sketches = sketches

    def sketch(self, basis: str, rows: Places) -> Bytes:
        """Return the sketches of some documents."""
        return self._sketches(basis, rows).view(np.uint8)

    @cached_property
    def _by_host(self) -> tuple[Places, Places]:
        order = np.argsort(self.hosts, kind="stable")
        places = np.empty(len(order), np.int64)
        places[order] = np.arange(len(order))
        return order, places

    def neighbours(self, rows: Places) -> tuple[Places, Flags]:
        """Return for each document those nearest to it of its host, and which of them are any."""
        order, places = self._by_host
        ordered = self.hosts[order]
        mine = self.hosts[rows]
        first, last = (np.searchsorted(ordered, mine, side) for side in ("left", "right"))
        begin = np.clip(
            places[rows] - NEIGHBOURS // 2, first, np.maximum(first, last - NEIGHBOURS - 1)
        )
        at = begin[:, None] + np.arange(NEIGHBOURS + 1)
        there = (at < last[:, None]) & (at != places[rows][:, None])
        return order[np.minimum(at, len(order) - 1)], there


class TemplateGuard(NamedTuple):
    """Two corpora, or one twice, whose pairs are looked at."""

    left: MainTexts
    right: MainTexts

    def own(self, pairs: Places, alike: NDArray[np.float32]) -> Flags:
        """Return of which pairs, alike by their main texts, these are what the pages say.

        `alike` is the Jaccard of all text, or what sketches tell of it.
        """
        flags = np.ones(len(pairs), np.bool_)
        rests = np.minimum(self.left.rests[pairs[:, 0]], self.right.rests[pairs[:, 1]])
        doubtful = np.flatnonzero(rests >= REST)
        for begin in range(0, len(doubtful), AT_ONCE):
            some = doubtful[begin : begin + AT_ONCE]
            flags[some] = self._judge(pairs[some], alike[some])
        return flags

    def _judge(self, pairs: Places, alike: NDArray[np.float32]) -> Flags:
        sides = (self.left, pairs[:, 0]), (self.right, pairs[:, 1])
        x, y = (pages.sketch("all", rows) for pages, rows in sides)
        main = self.left.sketch("main", pairs[:, 0])
        parts = [_look_around(pages, rows, (x, y), main) for pages, rows in sides]
        if self.left is self.right:
            parts = _leave_out_doubles(pairs, parts)
        there = np.concatenate([part.there for part in parts], axis=1)
        with_x, with_y = (
            sum((part.shared[side] & part.other[:, :, None]).sum(axis=1) for part in parts)
            for side in (0, 1)
        )
        count = there.sum(axis=1)
        need = np.where(count < 3, 1, REPEATED)
        repeated = sum((part.same_main & part.there).sum(axis=1) for part in parts)
        bins = (with_x == 0) & (with_y == 0)
        known = bins.sum(axis=1)
        agree = ((x == y) & bins).sum(axis=1) / np.maximum(known, 1)
        own = np.where(known >= FEW_BINS, agree >= HALF, repeated == 0) & (repeated < need)
        found: Flags = np.where(count == 0, self._compare_alone(pairs, alike), own)
        # Of pages of two hosts that stand alone nobody knows what is their frame.
        known_both = parts[0].there.any(axis=1) & parts[1].there.any(axis=1)
        return found | (self._are_apart(pairs) & ~known_both)

    def _are_apart(self, pairs: Places) -> Flags:
        """Return which pairs are known to be of two hosts."""
        a, b = self.left.hosts[pairs[:, 0]], self.right.hosts[pairs[:, 1]]
        apart: Flags = (a != b) & (a != NO_HOST) & (b != NO_HOST)
        return apart

    def _compare_alone(self, pairs: Places, alike: NDArray[np.float32]) -> Flags:
        """Return which pairs without neighbours have enough in common, at one address half."""
        a, b = self.left.addresses[pairs[:, 0]], self.right.addresses[pairs[:, 1]]
        enough: Flags = alike >= np.where(a == b, HALF, ALONE)
        return enough


class Around(NamedTuple):
    """What the neighbours of one page of each pair share with both."""

    rows: Places
    there: Flags  # which neighbours are any
    shared: tuple[Flags, Flags]  # the bins they have in common with the first, with the second
    same_main: Flags

    @property
    def other(self) -> Flags:
        """Neighbours with another main text: what these have, too, is frame."""
        return self.there & ~self.same_main


def _look_around(pages: MainTexts, rows: Places, both: tuple[Bytes, Bytes], main: Bytes) -> Around:
    """Return what neighbours share with pairs; copies of either page are none."""
    near, there = pages.neighbours(rows)
    some, at = np.unique(near, return_inverse=True)
    at = at.reshape(near.shape)
    sketches = pages.sketch("all", some)[at]
    shared = (sketches == both[0][:, None, :], sketches == both[1][:, None, :])
    for bins in shared:
        there = there & (bins.mean(axis=2) < ALIKE)
    same = (pages.sketch("main", some)[at] == main[:, None, :]).mean(axis=2) >= ALIKE
    return Around(near, there, shared, same)


def _leave_out_doubles(pairs: Places, parts: list[Around]) -> list[Around]:
    """Return the surroundings of pairs of one corpus: each neighbour once, and neither page."""
    first, second = parts
    there = [
        part.there & (part.rows != pairs[:, :1]) & (part.rows != pairs[:, 1:]) for part in parts
    ]
    again = (second.rows[:, :, None] == first.rows[:, None, :]) & there[0][:, None, :]
    return [first._replace(there=there[0]), second._replace(there=there[1] & ~again.any(axis=2))]
