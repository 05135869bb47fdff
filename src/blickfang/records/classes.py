"""Which column is which attribute: words of a column against examples of each class.

In: examples by class (authors, title, venue, … or whatever a user has examples of). Out: `Classes`,
and for the columns of a block matrix the class of each, with a confidence. tf · idf over the
classes, each class scaled to a maximum of 1; words under four characters say little.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import permutations
from pathlib import Path
from typing import NamedTuple

from blickfang.errors import InputError
from blickfang.records.kinds import find_shape

BUILT_IN = Path(__file__).with_name("publications") / "classes.json"  # authors, title, venue, year
WORD = re.compile(r"\w+")
MIN_CHARS = 4
MAX_WORDS = 60  # of a cell: longer ones are abstracts
SPAN = 8  # columns within which the attributes of a record stand
THRESHOLD = 0.02  # mean value of a cell under which a column is of no class
SHAPE = "\N{WHITE SQUARE}"  # before the name of a shape: no letter, so no word begins with it
MAX_TRIED = 7  # columns of a window among which classes are dealt out


class Classes(NamedTuple):
    """For each class the weight of each word."""

    weights: dict[str, dict[str, float]]


class Assignment(NamedTuple):
    """Which column has which class, the sum of their values, and the sum a word."""

    columns: dict[str, int]
    confidence: float
    relative: float


def read_terms(text: str) -> list[str]:
    """Return the words of a text that count, in small letters."""
    return [word.lower() for word in WORD.findall(text) if len(word) >= MIN_CHARS]


@lru_cache(4096)
def name_shape(text: str) -> str:
    """Return the shape of a text (price, date, url, …) as a term of its own; no word is like it."""
    return f"{SHAPE}{find_shape(text)}"


def learn_classes(
    examples: Mapping[str, Iterable[str]], keep: int = 0, *, shapes: bool = False
) -> Classes:
    """Return the weights of words for each class; `keep` only so many words of each.

    With `shapes` the shape of a cell counts like a word: prices and dates have few words.

    >>> classes = learn_classes({"fruit": ["apple apple pear plum"], "tree": ["pear oaks"]})
    >>> classes.weights["fruit"]["apple"], "pear" in classes.weights["fruit"]
    (1.0, False)
    """
    counts = {
        name: Counter(
            term
            for text in texts
            for term in ([*read_terms(text), name_shape(text)] if shapes else read_terms(text))
        )
        for name, texts in examples.items()
    }
    for found in counts.values():
        del found[SHAPE]  # no shape is none
    empty = [name for name, found in counts.items() if not found]
    if empty or not counts:
        raise InputError(
            f"no examples for {', '.join(empty) or 'any class'}: give at least one text"
        )
    df = Counter(term for found in counts.values() for term in found)
    weights = {}
    for name, found in counts.items():
        total = sum(found.values())
        values = {
            term: count / total * math.log(len(counts) / df[term])
            for term, count in found.items()
            if len(counts) > df[term] or len(counts) == 1
        }
        most = max(values.values(), default=0.0) or 1.0
        best = sorted(values, key=lambda term: (-values[term], term))[: keep or None]
        weights[name] = {term: values[term] / most for term in best}
    return Classes(weights)


def value_cell(cell: str, weights: Mapping[str, float]) -> float:
    """Return how much the words of a cell speak for a class; very long cells say nothing."""
    terms = read_terms(cell)
    if len(terms) > MAX_WORDS:
        return 0.0
    found = sum(weights.get(term, 0.0) for term in terms)
    return found + weights.get(name_shape(cell), 0.0)


def assign_columns(
    matrix: Sequence[Sequence[str]], classes: Classes, threshold: float = THRESHOLD
) -> Assignment:
    """Return which columns hold which class: those within a span that fit best together."""
    width, rows = len(matrix[0]) if matrix else 0, max(len(matrix), 1)
    names = list(classes.weights)
    values = {
        (name, column): sum(value_cell(row[column], classes.weights[name]) for row in matrix) / rows
        for name in names
        for column in range(width)
    }
    best: dict[str, int] = {}
    total = 0.0
    for begin in range(max(width - SPAN, 0) + 1):
        window = range(begin, min(begin + SPAN, width))
        found = _deal(names, list(window), values, threshold)
        sum_ = sum(values[name, column] for name, column in found.items())
        if sum_ > total:
            best, total = found, sum_
    words = sum(len(read_terms(cell)) for row in matrix for cell in row)
    return Assignment(best, total, total * rows / max(words, 1))


def _deal(
    names: list[str], window: list[int], values: dict[tuple[str, int], float], threshold: float
) -> dict[str, int]:
    """Deal columns out to classes so that the sum is largest; each column once."""
    useful = [c for c in window if any(values[name, c] >= threshold for name in names)]
    useful.sort(key=lambda c: -max(values[name, c] for name in names))
    useful = useful[:MAX_TRIED]
    padded = [*useful, *([-1] * len(names))][: max(len(useful), len(names))]
    best: dict[str, int] = {}
    total = -1.0
    for order in set(permutations(padded, len(names))) if len(names) <= 5 else []:
        pairs = {
            name: column
            for name, column in zip(names, order, strict=True)
            if column >= 0 and values[name, column] >= threshold
        }
        sum_ = sum(values[name, column] for name, column in pairs.items())
        if sum_ > total or (sum_ == total and sorted(pairs.items()) < sorted(best.items())):
            best, total = pairs, sum_
    return best if total >= 0 else _deal_greedily(names, useful, values, threshold)


def _deal_greedily(
    names: list[str], columns: list[int], values: dict[tuple[str, int], float], threshold: float
) -> dict[str, int]:
    """Deal columns out one after the other, the best pair first: for many classes."""
    found: dict[str, int] = {}
    pairs = sorted(((values[n, c], n, c) for n in names for c in columns), reverse=True)
    for value, name, column in pairs:
        if value >= threshold and name not in found and column not in found.values():
            found[name] = column
    return found


def save_classes(classes: Classes, path: Path) -> None:
    """Write classes to a file."""
    rounded = {n: {t: round(w, 4) for t, w in ws.items()} for n, ws in classes.weights.items()}
    path.write_text(json.dumps(rounded, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")


def load_classes(path: Path) -> Classes:
    """Read classes from a file."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return Classes(
            {str(n): {str(t): float(w) for t, w in ws.items()} for n, ws in found.items()}
        )
    except (OSError, ValueError, AttributeError, TypeError, RecursionError) as error:
        raise InputError(f"{path} holds no classes: learn them from examples first") from error
