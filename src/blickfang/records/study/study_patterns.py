"""The way of the study: patterns from repeats of the page's token string.

In: a `Tree`. Out: the patterns of a page, each with its block matrix: one row a record, one column
a text of the pattern; on demand with columns of links and images, too. Tokens → maximal repeats →
filter and runs → alignment → rotation → matching; docs/method.md, "Records".
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.html.links import find_home
from blickfang.html.parse.tags import TAG_NAMES
from blickfang.html.parse.tree import Tree, read_slices
from blickfang.records.align_columns import (
    MAX_TOKENS,
    AlignedPattern,
    align_strings,
    count_alternatives,
    write_pattern,
)
from blickfang.records.attribute_classes import Classes, assign_columns
from blickfang.records.extract import (
    Grid,
    find_images,
    name_columns,
    plan_columns,
    read_addresses,
)
from blickfang.records.node_counts import NodeCounts, read_marks
from blickfang.records.record_table import RecordTable, find_links
from blickfang.records.study.match_patterns import Matches, Spacing, find_matches, keep_runs, rotate
from blickfang.records.study.maximal_repeats import find_repeats, occurrences
from blickfang.records.study.page_tokens import ALPHABETS, BLOCK, Alphabet, Tokens, read_tokens

Ints = NDArray[np.int32]

PATTERNS = 2  # whose records are united: the best F in the study


class PatternLimits(NamedTuple):
    """What is looked at, and what is dropped."""

    spacing: Spacing = Spacing()
    min_length: int = 2  # tokens of a repeat
    alternatives: int = 100  # of a pattern; more is no pattern
    repeats: int = 60  # that are looked at, those that cover most first


class Matched(NamedTuple):
    """What a pattern was matched with, and where it fits."""

    tokens: Tokens
    matches: Matches
    alphabet: Alphabet


class MatchedPattern(NamedTuple):
    """A pattern of a page and what it extracts."""

    pattern: AlignedPattern
    matrix: tuple[tuple[str, ...], ...]  # one row a record
    records: tuple[tuple[int, int], ...]  # spans of the page's text
    matched: Matched


class MatchPlaces(NamedTuple):
    """Where nodes of a page stand in the matches of a pattern."""

    token: NDArray[np.int64]  # the last token at or before each node
    record: NDArray[np.int64]  # of each token, -1 in none
    column: Ints  # of each token
    is_text: NDArray[np.bool_]  # tokens
    shown: NDArray[np.int64]  # nodes that are images


def cut_strings(tokens: Ints, places: Ints) -> list[Ints]:
    """Return the strings from one occurrence to the next; the last is as long as usual."""
    gaps = np.diff(places)
    ends = [*places[1:].tolist(), int(places[-1] + np.median(gaps))]
    return [tokens[a:b] for a, b in zip(places.tolist(), ends, strict=True)]


def find_strings(tokens: Ints, limits: PatternLimits) -> list[tuple[list[Ints], Ints]]:
    """Return the distinct strings of every regular run of a repeat, what covers most first.

    With them goes where the run occurs.
    """
    repeats = find_repeats(tokens, limits.min_length, limits.spacing.least)
    cover = repeats.length.astype(np.int64) * (repeats.high - repeats.low + 1)
    found, seen = [], set()
    for number in np.argsort(-cover, kind="stable")[: limits.repeats].tolist():
        length = int(repeats.length[number])
        for run in keep_runs(occurrences(repeats, number), length, limits.spacing):
            distinct = {string.tobytes(): string for string in cut_strings(tokens, run)}
            key = tuple(sorted(distinct))
            if key not in seen and max(map(len, distinct.values())) <= MAX_TOKENS:
                seen.add(key)
                found.append((list(distinct.values()), run))
    return found


def span_tokens(tree: Tree, tokens: Tokens, alphabet: Alphabet) -> Ints:
    """Return where each token begins in the page's text, and where the last one ends."""
    ends = (tokens.number < alphabet.text) & (tokens.number % 2 == 1)
    nodes = np.where(ends, tree.end[tokens.node], tokens.node)
    return np.append(tree.offset[nodes], tree.offset[-1])


def make_matrix(
    tree: Tree, tokens: Tokens, matches: Matches, pattern: AlignedPattern, alphabet: Alphabet
) -> MatchedPattern:
    """Return the block matrix of a pattern: the texts in the columns of its text tokens."""
    spans = span_tokens(tree, tokens, alphabet)
    texts = find_texts(pattern, alphabet)
    number = {column: place for place, column in enumerate(texts)}
    rows = []
    for start, stop in zip(matches.start.tolist(), matches.stop.tolist(), strict=True):
        row = [""] * len(texts)
        for at in range(start, stop):
            if tokens.number[at] == alphabet.text:
                piece = read_slices(tree, [int(spans[at])], [int(spans[at + 1])])[0]
                row[number[int(matches.column[at])]] = " ".join(piece.split())
        rows.append(tuple(row))
    records = zip(spans[matches.start].tolist(), spans[matches.stop].tolist(), strict=True)
    return MatchedPattern(pattern, tuple(rows), tuple(records), Matched(tokens, matches, alphabet))


def find_texts(pattern: AlignedPattern, alphabet: Alphabet) -> list[int]:
    """Return the columns of a pattern in which texts may stand."""
    return [at for at, column in enumerate(pattern.columns) if alphabet.text in column]


def place_nodes(marks: NodeCounts, matched: Matched) -> MatchPlaces:
    """Return where the nodes of a page stand in the matches of a pattern."""
    tokens, matches, alphabet = matched
    reach = np.maximum.accumulate(tokens.node)  # an end has come as far as what stands before it
    nodes = np.arange(len(marks.tag))
    token = np.searchsorted(reach, nodes)
    own = token < len(reach)
    own[own] = reach[token[own]] == nodes[own]
    at = np.arange(len(reach))
    record = np.searchsorted(matches.start, at, side="right") - 1
    record[at >= np.append(matches.stop, 0)[record]] = -1
    shown = np.flatnonzero(marks.images[1:] > marks.images[:-1])
    is_text = tokens.number == alphabet.text
    return MatchPlaces(np.where(own, token, token - 1), record, matches.column, is_text, shown)


def make_table(tree: Tree, marks: NodeCounts, found: MatchedPattern) -> RecordTable:
    """Return a matrix as a table with images and links of its records, texts before images.

    An image is in the column of the token that it is or follows. A link is in the column of its
    text, else of its image, else of the text before it.
    """
    places, records = place_nodes(marks, found.matched), len(found.matrix)
    texts = find_texts(found.pattern, found.matched.alphabet)
    said = [dict(zip(texts, row, strict=True)) for row in found.matrix]
    images: list[dict[int, int]] = [{} for _ in range(records)]  # by column of the pattern
    for node in places.shown.tolist():
        at = int(places.token[node])
        if at >= 0 and places.record[at] >= 0:
            images[places.record[at]].setdefault(int(places.column[at]), node)
    links: list[dict[tuple[int, bool], list[int]]] = [{} for _ in range(records)]
    for link in find_links(tree).tolist():
        at, is_image = find_content(marks, places, link)
        if at >= 0:
            place = int(places.column[at]), is_image
            links[places.record[at]].setdefault(place, []).append(link)
    columns = sorted({(at, False) for at in texts} | {(at, True) for own in images for at in own})
    number = {column: place for place, column in enumerate(columns)}
    return RecordTable(
        [["" if image else row[at] for at, image in columns] for row in said],
        [image for _, image in columns],
        [[own.get(at, -1) if image else -1 for at, image in columns] for own in images],
        name_pattern(found.pattern, found.matched.alphabet),
        [{number[place]: nodes for place, nodes in own.items()} for own in links],
        [""] * len(columns),
    )


def find_content(marks: NodeCounts, places: MatchPlaces, link: int) -> tuple[int, bool]:
    """Return the token of what a link says or shows in its record, and whether that is an image."""
    own, end = int(places.token[link]), int(marks.end[link])
    if own < 0 or places.record[own] < 0:
        return -1, False
    says = marks.texts[end] > marks.texts[link]
    first = int(np.searchsorted(places.shown, link))
    if not says and first < len(places.shown) and places.shown[first] < end:
        inside, is_image = [int(places.token[places.shown[first]])], True
    else:
        inside = list(range(own, int(places.token[end - 1]) + 1)) if says else [own, own - 1]
        inside, is_image = [at for at in inside if at >= 0 and places.is_text[at]], False
    kept = [at for at in inside if places.record[at] == places.record[own]]
    return (kept[0] if kept else -1), is_image


def name_pattern(pattern: AlignedPattern, alphabet: Alphabet) -> str:
    """Return a pattern with the names of its tags."""
    names = {alphabet.text: "text"}
    for tag in np.flatnonzero(alphabet.begin >= 0).tolist():
        begin = int(alphabet.begin[tag])
        names |= {begin: TAG_NAMES[tag], begin + 1: f"/{TAG_NAMES[tag]}"}
    return write_pattern(pattern, names)


def read_grid(tree: Tree, found: MatchedPattern, url: str = "") -> Grid:
    """Return the columns of a pattern's table with kinds and names, as those of other lists.

    Links stand beside what leads there; links and images are addresses.
    """
    base, marks = find_home(tree, url), read_marks(tree)
    table = make_table(tree, marks, found)
    nodes = sorted({node for row in table.nodes for node in row if node >= 0})
    images = find_images(tree, marks, [(node, node + 1) for node in nodes], base)
    addresses = read_addresses(tree, table, base)
    return name_columns(table, *plan_columns(table, addresses, split=False), images, addresses)


def find_patterns(
    tree: Tree,
    level: str = BLOCK,
    limits: PatternLimits | None = None,
    alphabet: Alphabet | None = None,
) -> list[MatchedPattern]:
    """Return the patterns of a page with their block matrices, those of most text first."""
    limits, alphabet = limits or PatternLimits(), alphabet or ALPHABETS[level]
    tokens = read_tokens(tree, level, alphabet)
    found: dict[str, MatchedPattern] = {}
    for strings, places in find_strings(tokens.number, limits):
        aligned = align_strings(strings)
        if count_alternatives(aligned) > limits.alternatives:
            continue
        first, last = int(places[0]), int(places[-1])
        before = tokens.number[max(0, first - MAX_TOKENS) : first].tolist()
        pattern = rotate(
            aligned, alphabet, before, tokens.number[last : last + MAX_TOKENS].tolist()
        )
        key = write_pattern(pattern, {n: str(n) for n in range(alphabet.text + 1)})
        if key in found or not any(alphabet.text in column for column in pattern.columns):
            continue
        matches = find_matches(tokens.number, pattern, alphabet)
        if len(matches.start) >= limits.spacing.least:
            found[key] = make_matrix(tree, tokens, matches, pattern, alphabet)
    return sorted(found.values(), key=lambda one: -weigh(one))


def unite_best(
    found: list[MatchedPattern], classes: Classes, patterns: int = PATTERNS
) -> tuple[list[dict[str, str]], float]:
    """Return the records of the best patterns by their classes, each once, and the confidence.

    The confidence of a pattern is how much its columns speak for the classes.
    """
    rated = [(assign_columns(one.matrix, classes), one) for one in found]
    # Summed over all rows: a pattern that covers two records has half as many.
    rated.sort(key=lambda pair: -pair[0].confidence * len(pair[1].matrix))
    rows: dict[tuple[str, ...], dict[str, str]] = {}
    for assigned, one in rated[:patterns]:
        for row in one.matrix:
            fields = {name: row[column] for name, column in assigned.columns.items()}
            if any(fields.values()):
                rows.setdefault(tuple(fields.get(name, "") for name in classes.weights), fields)
    return list(rows.values()), rated[0][0].confidence if rated else 0.0


def weigh(found: MatchedPattern) -> float:
    """Return how much a pattern finds: its text, and more where it is in more records."""
    letters = sum(len(cell) for row in found.matrix for cell in row)
    return letters * float(np.log1p(len(found.matrix)))
