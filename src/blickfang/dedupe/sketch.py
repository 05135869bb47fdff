"""Texts become sketches in one pass, and of their words stays what verification needs.

In: texts. Out: their sketches, and half of each word's hash. The words of a text are sketched while
the cache holds them, and the next text is read into the same place: the hashes of all words would
take more memory than the texts, and fresh memory is dear. Half a hash will do to tell what two
texts share: to be taken for the same, two shingles must differ in one word only, and that word's
halves agree, which happens once in four billion times.
"""

import mmap
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, compiled, filling
from blickfang.dedupe.minhash import BANDS, BINS, DONORS, U32, fill_bins, pack_band
from blickfang.dedupe.shingles import SIZE, Halves, HashedTexts, KeptWords, Places
from blickfang.text.char_table import U0, CharTable
from blickfang.text.cpython_strings import TextAddresses
from blickfang.text.fast_words import (
    PART_CHARS,
    SLACK,
    Scratch,
    choose_tables,
    cut,
    make_scratch,
    place_texts,
    scan_text,
)
from blickfang.text.words import Hashes, UnicodeTable

BATCH_CHARS = 4_000_000  # of texts that are located at once: what must be encoded waits so long
LARGE = 1 << 20  # halves, from which on they get memory of their own


class Sketched(NamedTuple):
    """Texts as they are compared."""

    words: HashedTexts | KeptWords
    rows: Hashes  # the sketch of each, eight numbers
    digests: Hashes  # a number of each, equal for equal texts


class SketchScratch(NamedTuple):
    """Where one text after the other is worked on."""

    words: Hashes
    shingles: Hashes  # behind the bins


class SketchRows(NamedTuple):
    """What is written down of texts."""

    halves: Halves
    ends: Places
    rows: Hashes
    digests: Hashes


@compiled
def sketch_placed(
    given: TextAddresses,
    tables: tuple[UnicodeTable, CharTable],
    scratch: Scratch,
    size: int,
    donors: NDArray[np.int64],
    desk: SketchScratch,
    out: SketchRows,
    at: Integer,
) -> Integer:
    """Write down the sketches of texts, and their words behind the first so many."""
    for t in range(len(out.ends)):
        text = given.addresses[t], given.sizes[t], given.widths[t]
        count = np.int64(scan_text(text, tables, scratch, desk.words, U0))
        words = desk.words[:count]
        bins = desk.shingles
        out.digests[t] = fill_bins(words, size, desk.shingles[BINS:], bins)
        for band in range(BANDS):
            out.rows[t, band] = pack_band(bins, band, donors) if count else U0
        for i in range(count):
            out.halves[at + i] = np.uint32(words[i] >> U32)
        at += count
        out.ends[t] = at
    return at


@filling
def move_up(halves: Halves, at: int, begin: int, count: int) -> None:
    """Move some to a place before them."""
    for i in range(count):
        halves[at + i] = halves[begin + i]


def make_halves(count: int) -> Halves:
    """Return room; what is not written to takes no memory.

    Much room is asked for in small pages. numpy asks for huge ones, and on a virtual machine to
    touch these first took next to nothing in one run and half a second in another; most likely
    they had gone back to the host.
    """
    if count < LARGE or not hasattr(mmap, "MAP_PRIVATE"):
        return np.empty(count, np.uint32)
    pages = mmap.mmap(-1, 4 * count, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    return np.frombuffer(pages, np.uint32)


def sketch_texts(texts: Sequence[str], size: int = SIZE, *, threads: int = 1) -> Sketched:
    """Return texts as they are compared, digits kept."""
    sizes = np.fromiter(map(len, texts), np.int64, len(texts))
    return join_sketched(
        [
            _sketch_together(texts[begin:end], sizes[begin:end], size, threads)
            for begin, end in pairwise(cut(sizes, PART_CHARS).tolist())
        ]
    )


def _sketch_part(texts: Sequence[str], sizes: Places, size: int, out: SketchRows) -> None:
    """Write down the sketches of texts, some at a time."""
    tables, longest = choose_tables(digits=True), int(sizes.max())
    scratch = make_scratch(longest)
    desk = SketchScratch(*(np.empty(longest + 1 + SLACK + BINS, np.uint64) for _ in range(2)))
    total: Integer = 0
    for begin, end in pairwise(cut(sizes, BATCH_CHARS).tolist()):
        given, encoded = place_texts(texts[begin:end], tables[1])
        some = SketchRows(
            out.halves, out.ends[begin:end], out.rows[begin:end], out.digests[begin:end]
        )
        total = sketch_placed(given, tables, scratch, size, DONORS, desk, some, total)
        del encoded  # not before


def _sketch_together(texts: Sequence[str], sizes: Places, size: int, threads: int) -> Sketched:
    """Return the same of some texts, whose words share an array from the beginning."""
    count = len(texts)
    is_ascii = np.fromiter(map(str.isascii, texts), np.bool_, count)
    parts = cut(sizes, int(sizes.sum()) // threads + 1)
    room = np.append(0, np.cumsum(sizes // (1 + is_ascii) + 1))[parts]
    starts, digests = np.zeros(count + 1, np.int64), np.empty(count, np.uint64)
    out = SketchRows(
        make_halves(int(room[-1])), starts[1:], np.empty((count, BANDS), np.uint64), digests
    )

    def work(part: int) -> None:
        some = slice(parts[part], parts[part + 1])
        mine = SketchRows(
            out.halves[room[part] :], out.ends[some], out.rows[some], out.digests[some]
        )
        _sketch_part(texts[some], sizes[some], size, mine)

    if len(parts) == 2:  # to start a thread takes longer than to read a page
        work(0)
    else:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(work, range(len(parts) - 1)))
    total = 0
    for part in range(len(parts) - 1):  # close the gaps between them
        found = out.ends[parts[part] : parts[part + 1]]
        here = int(found[-1])
        if total < room[part]:
            move_up(out.halves, total, int(room[part]), here)
        found += total
        total += here
    return Sketched(KeptWords(out.halves[:total], starts), out.rows, digests)


def join_sketched(parts: Sequence[Sketched]) -> Sketched:
    """Return texts that were sketched one after the other together."""
    if len(parts) == 1:
        return parts[0]
    empty = Sketched(
        KeptWords(np.empty(0, np.uint32), np.zeros(1, np.int64)),
        np.empty((0, BANDS), np.uint64),
        np.empty(0, np.uint64),
    )
    parts = [empty, *parts]
    before = np.cumsum([0, *(len(part.words.hashes) for part in parts)])[:-1]
    starts = [part.words.starts[1:] + n for part, n in zip(parts, before, strict=True)]
    halves = np.concatenate([part.words.hashes for part in parts])
    return Sketched(
        KeptWords(halves, np.concatenate([[0], *starts])),
        np.concatenate([part.rows for part in parts]),
        np.concatenate([part.digests for part in parts]),
    )
