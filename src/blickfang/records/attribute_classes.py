"""Which column is which attribute: words of a column against examples of each class.

In: examples by class (authors, title, venue, … or whatever a user has examples of). Out: `Classes`,
and for the columns of a block matrix the class of each, with a confidence. tf · idf over the
classes, each class scaled to a maximum of 1; words under four characters say little.
"""

import csv
import html
import io
import json
import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import permutations
from pathlib import Path
from typing import NamedTuple

from blickfang.errors import InputError
from blickfang.io.text_files import OPENERS, SNIFF_BYTES, decode, is_binary, opening
from blickfang.records.cells import find_shape
from blickfang.records.persons.bibtex import read_entries, read_latex
from blickfang.records.publications.record_row import NAMESAKE

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


MAX_BYTES = 64 * 2**20
VENUES = {"journal": "venue", "booktitle": "venue", "author": "authors", "editor": "authors"}
FIELDS = frozenset({"author", "editor", "title", "year", "journal", "booktitle"})
EDGE = re.compile(rf"<(/?)({'|'.join(sorted(FIELDS))})\b[^<>]*>")
MARKUP = re.compile(r"<[^<>]+>")

Examples = dict[str, list[str]]


def read_examples(path: Path) -> Examples:
    """Return the texts of a file by class."""
    kind = (path.with_suffix("") if path.suffix in OPENERS else path).suffix.lower()
    readers = {".bib": read_bibtex, ".xml": read_dblp, ".csv": read_csv}
    if kind not in readers:
        raise InputError(f"{path}: examples come as {', '.join(readers)}, not as {kind or 'this'}")
    try:
        found = readers[kind](read_beginning(path))
    except csv.Error as error:
        raise InputError(f"{path} is no CSV with a head: {error}") from error
    if not any(found.values()):
        raise InputError(f"{path}: no entries found in it")
    return found


def read_beginning(path: Path) -> str:
    """Return the text of a file; of a huge one (all of DBLP) the beginning is examples enough."""
    with opening(path) as file:
        data = file.read(MAX_BYTES)
    if is_binary(data[:SNIFF_BYTES]):
        raise InputError(f"{path} is binary, not text")
    return decode(data)


def add(found: Examples, field: str, text: str) -> None:
    """Add a text to its class."""
    name = VENUES.get(field.lower(), field.lower())
    if clean := " ".join(MARKUP.sub("", html.unescape(text)).split()):
        found.setdefault(name, []).append(clean)


def read_bibtex(text: str) -> Examples:
    """Return the fields of BibTeX entries.

    >>> read_bibtex("@book{x, title = {The {C} Book}, year=1999}")
    {'title': ['The C Book'], 'year': ['1999']}
    """
    found: Examples = {}
    for fields in read_entries(text):
        for name in filter(FIELDS.__contains__, fields):
            add(found, name, read_latex(fields[name]))
    return found


def read_dblp(text: str) -> Examples:
    """Return the fields of a DBLP-like XML file; numbers that tell namesakes apart are no names."""
    found: Examples = {}
    edges = list(EDGE.finditer(text))
    ends: dict[str, list[int]] = {name: [] for name in FIELDS}
    for edge in edges:
        if edge[1]:
            ends[edge[2]].append(edge.start())
    behind = 0
    for edge in edges:
        if edge[1] or edge.start() < behind:
            continue
        # Looked up, not searched for: a file of beginnings only would take hours.
        place = bisect_left(ends[edge[2]], edge.end())
        if place < len(ends[edge[2]]):
            behind = ends[edge[2]][place]
            add(found, edge[2], NAMESAKE.sub("", text[edge.end() : behind]))
    return found


def read_csv(text: str) -> Examples:
    """Return the columns of a CSV file with a head."""
    found: Examples = {}
    for row in csv.DictReader(io.StringIO(text), strict=True):
        for name, value in row.items():
            if name and isinstance(value, str):
                add(found, name, value)
    return found
