"""ARPA, the exchange format of n-gram models: written for other tools, read from them.

In: a model and a path, or the path of an ARPA file; a name that ends in .gz is compressed. Out: the
file, or the model. A line is: log10 probability, tab, the words, and a back-off if there is one.
"""

import gzip
from array import array
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import IO, cast

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import compiled
from blickfang.errors import InputError
from blickfang.io.atomic_files import replacing
from blickfang.io.text_files import opening
from blickfang.text.lm.kneser_ney import Estimates, Floats
from blickfang.text.lm.language_model import MAX_ORDER, LanguageModel
from blickfang.text.lm.ngram_counts import (
    NO_GRAM,
    SPECIAL,
    SPECIAL_HASHES,
    UNKNOWN,
    Numbers,
    find_slot,
)
from blickfang.text.lm.ngram_table import ONE, U32, Rows, build_table, gram_key
from blickfang.text.lm.tokenised import read_tokenised
from blickfang.text.words import read_many

LINES_AT_ONCE = 50_000
MAX_LOG = 300.0  # a perplexity beyond 1e300 is no number any more
ROUNDING = 1e-3  # how far above 0 a log10 of a probability may stand
MAX_GRAMS = 2**40
MISSING = -100.0  # log10 p of <unk> where a file has none, as in KenLM


def write_arpa(model: LanguageModel, path: Path) -> None:
    """Write a model as ARPA."""
    with replacing(path) as file:
        if path.suffix == ".gz":
            with gzip.GzipFile("", "wb", 6, file, mtime=0) as packed:
                _write_all(model, cast(IO[bytes], packed))
        else:
            _write_all(model, file)


def _write_all(model: LanguageModel, file: IO[bytes]) -> None:
    head = "".join(f"ngram {k}={n}\n" for k, n in enumerate(model.counts, 1))
    file.write(f"\\data\\\n{head}".encode())
    for k in range(1, model.order + 1):
        file.write(f"\n\\{k}-grams:\n".encode())
        for lines in _lines(model, k):
            file.write("".join(lines).encode("utf-8", "surrogatepass"))
    file.write(b"\n\\end\\\n")


def _lines(model: LanguageModel, k: int) -> Iterator[list[str]]:
    """Yield the lines of one order, some thousand at once, sorted by their words' numbers."""
    values = _region(model, model.table.values, k)
    rows, *columns = _spell_rows(model, k)
    for begin in range(0, len(rows), LINES_AT_ONCE):
        part = slice(begin, begin + LINES_AT_ONCE)
        # Column by column: lists of rows would keep the garbage collector busy.
        words = [[model.words[w] for w in column[part].tolist()] for column in columns]
        grams = map(" ".join, zip(*words, strict=True))
        logs = values[rows[part], 2].tolist()
        if k == model.order:
            yield [f"{p:.8g}\t{gram}\n" for p, gram in zip(logs, grams, strict=True)]
        else:
            backoffs = values[rows[part], 3].tolist()
            lines = zip(logs, grams, backoffs, strict=True)
            yield [f"{p:.8g}\t{gram}\t{b:.8g}\n" for p, gram, b in lines]


def _region(model: LanguageModel, array: Rows | NDArray[np.float32], k: int) -> NDArray[np.generic]:
    """Return the rows of one order."""
    begin = int(model.table.sizes[: k - 1].sum())
    return array[begin : begin + int(model.table.sizes[k - 1])]


def _spell_rows(model: LanguageModel, k: int) -> list[NDArray[np.int64]]:
    """Return the rows of all n-grams of an order, and the numbers of their words, by place."""
    number_of = np.zeros(int(model.table.sizes[0]), np.int64)
    number_of[model.word_rows.astype(np.int64)] = np.arange(len(model.words))
    rows = np.flatnonzero(_region(model, model.table.rows, k)[:, 0])
    columns: list[NDArray[np.int64]] = []
    at = rows
    for order in range(k, 1, -1):
        parts = _region(model, model.table.rows, order)[at, 0] - ONE
        columns.append(number_of[(parts & np.uint64(0xFFFFFFFF)).astype(np.int64)])
        at = (parts >> U32).astype(np.int64)
    columns.append(number_of[at])
    order_of_lines = np.lexsort(columns)
    return [array[order_of_lines] for array in (rows, *columns[::-1])]


def read_arpa(path: Path, *, tokenised: bool = True) -> LanguageModel:
    """Return the model of an ARPA file.

    Its words are taken as they stand, or are those of plain text as we read it: only we write such.
    """
    try:
        with opening(path) as file:
            return _read_all(file, tokenised)
    except ValueError as error:
        raise InputError(f"{path} is not a valid ARPA file: {error}") from error


def _read_all(file: IO[bytes], tokenised: bool) -> LanguageModel:
    counts = _read_counts(file)
    if not 1 <= len(counts) <= MAX_ORDER:
        raise ValueError(f"it has order {len(counts)}; 1 to {MAX_ORDER} can be read")
    level, words = _read_words(file, counts[0])
    levels, tables, closed = [level], list[Rows](), True
    opened = bool(level.log_backoff[UNKNOWN])
    numbers = {word: n for n, word in enumerate(words)} | {b"<UNK>": UNKNOWN}
    for k, count in enumerate(counts[1:], 2):
        grams, logs = _read_grams(file, k, count, numbers)
        prefix = walk(grams[:, :-1], tables)
        if (prefix == NO_GRAM).any():
            raise ValueError(f"it has {k}-grams without the {k - 1}-gram they begin with")
        closed &= not (walk(grams[:, 1:], tables) == NO_GRAM).any()
        opened |= bool((grams == UNKNOWN).any())
        levels.append(Estimates(prefix, grams[:, -1].copy(), logs[:, 0], logs[:, 1]))
        tables.append(number_grams(prefix, levels[-1].word))
    spelled = [word.decode("utf-8", "surrogatepass") for word in words]
    own = read_tokenised(spelled[3:]).hashes
    if not tokenised:
        as_text = read_many(spelled[3:])
        one_word = np.diff(as_text.texts) == 1
        own = np.where(one_word, as_text.hashes[as_text.texts[:-1] * one_word], own)
    hashes = np.concatenate([SPECIAL_HASHES, own])
    table, word_rows = build_table(hashes, levels, closed=closed, opened=opened)
    regions = np.split(table.rows[:, 0], np.cumsum(table.sizes)[:-1])
    # Counted, not as promised: <unk> may have been missing, or an n-gram stand there twice.
    found = tuple(int(np.count_nonzero(region)) for region in regions)
    return LanguageModel(table, spelled, word_rows, found, (), tokenised=tokenised)


def _read_counts(file: IO[bytes]) -> list[int]:
    """Return how many n-grams of each order the head of the file promises."""
    _skip_to(file, b"\\data\\")
    counts: list[int] = []
    for line in file:
        if not line.strip():
            break
        order, count = line.removeprefix(b"ngram ").split(b"=")
        if int(order) != len(counts) + 1:
            raise ValueError(f"ngram {int(order)} stands where {len(counts) + 1} should")
        counts.append(int(count))
        if not 0 < counts[-1] < MAX_GRAMS:
            raise ValueError(f"it promises {counts[-1]} {len(counts)}-grams")
    return counts


def _skip_to(file: IO[bytes], mark: bytes) -> None:
    for line in file:
        if line.strip() == mark:
            return
    raise ValueError(f"there is no line {mark.decode()}")


def _read_lines(file: IO[bytes], k: int, count: int) -> Iterator[list[bytes]]:
    """Yield the fields of each line of one order."""
    _skip_to(file, f"\\{k}-grams:".encode())
    read = 0
    for line in islice(file, count):
        fields = line.split()
        if not k + 1 <= len(fields) <= k + 2:
            raise ValueError(f"the section of {k}-grams has a line {line[:80]!r}")
        yield fields
        read += 1
    if read < count:
        raise ValueError(f"it ends after {read} of {count} {k}-grams")


def _log(field: bytes, highest: float) -> float:
    """Return a log10 of a file; what it cannot be, and nan, is refused."""
    value = float(field)
    if not -MAX_LOG <= value <= highest:
        raise ValueError(f"{field.decode()} is no log10 of a probability or back-off")
    return value


def _logs(fields: list[bytes], k: int) -> tuple[float, float]:
    """Return log10 of probability and back-off of a line."""
    backoff = _log(fields[k + 1], MAX_LOG) if len(fields) == k + 2 else 0.0
    return _log(fields[0], ROUNDING), backoff


def _read_words(file: IO[bytes], count: int) -> tuple[Estimates, list[bytes]]:
    """Read the section of single words; <unk>, <s> and </s> come first whatever the file says."""
    values = {word.encode(): (MISSING, 0.0) for word in SPECIAL}
    for fields in _read_lines(file, 1, count):
        word = b"<unk>" if fields[1] == b"<UNK>" else fields[1]
        values[word] = _logs(fields, 1)
    numbers = np.arange(len(values), dtype=np.uint32)
    logs = np.array(list(values.values()), np.float32)
    return Estimates(np.zeros_like(numbers), numbers, logs[:, 0], logs[:, 1]), list(values)


def _read_grams(
    file: IO[bytes], k: int, count: int, numbers: dict[bytes, int]
) -> tuple[Numbers, Floats]:
    """Read the section of one order: the words' numbers, and log10 of probability and back-off."""
    grams, logs = array("I"), array("f")  # grow as they are read: never trust a stated count
    for fields in _read_lines(file, k, count):
        try:
            grams.extend([numbers[word] for word in fields[1 : k + 1]])
        except KeyError as error:
            raise ValueError(f"the {k}-grams have the unknown word {error}") from error
        logs.extend(_logs(fields, k))
    return (
        np.frombuffer(grams, np.uint32).reshape(-1, k),
        np.frombuffer(logs, np.float32).reshape(-1, 2),
    )


def walk(grams: Numbers, tables: list[Rows]) -> Numbers:
    """Return the numbers of n-grams among those of their order; NO_GRAM for one not there."""
    at = grams[:, 0].copy()
    for k in range(1, grams.shape[1]):
        find_grams(at, grams[:, k].copy(), tables[k - 1])
    return at


def number_grams(prefix: Numbers, word: Numbers) -> Rows:
    """Return a table in which `find_grams` finds these n-grams, numbered as they come."""
    table = np.zeros((1 << (2 * len(word)).bit_length(), 2), np.uint64)
    enter_grams(prefix, word, table)
    return table


@compiled
def enter_grams(prefix: Numbers, word: Numbers, table: Rows) -> None:
    """Write n-grams into an empty table."""
    for g in range(len(prefix)):
        key = gram_key(prefix[g], word[g])
        slot = find_slot(table, key)
        table[slot, 0] = key
        table[slot, 1] = np.uint64(g)


@compiled
def find_grams(prefix: Numbers, word: Numbers, table: Rows) -> None:
    """Replace each prefix by the number of the n-gram that it forms with the word."""
    for g in range(len(prefix)):
        key = gram_key(prefix[g], word[g])
        slot = find_slot(table, key)
        prefix[g] = table[slot, 1] if table[slot, 0] == key else NO_GRAM
