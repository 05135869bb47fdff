"""More text for an image: the sections of the page that share its strongest words.

In: a `Tree`, its `Boxes` and contexts that the layout method found. Out: for each an `Expansion`.
The strongest words are those near the image, emphasised, long, and rare on the page; the sections
that hold enough of them join the context; then its strongest words are sought anew, until no
section is new. On a short page "im" and "wird" are as rare as what it is about; but in all
languages words that say little are short (a word's length goes with what it tells: Piantadosi and
others, 2011). docs/method.md, "Expansion".
"""

from dataclasses import dataclass
from functools import cache
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, filling, inlined
from blickfang.errors import SettingsError
from blickfang.html.contexts.layout_method import LayoutContext, Span, find_emphasis
from blickfang.html.layout.boxes import Boxes
from blickfang.html.layout.sections import LayoutOptions
from blickfang.html.parse.tree import Tree

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]

MOST_WORDS = 16
MOST_COUNTED = 2000  # words of a section: each of 50,000 images may stand near the same long one


@dataclass(frozen=True, slots=True)
class ExpansionOptions:
    """How far a context may grow."""

    strongest: Annotated[int, "so many of the strongest words are looked for"] = 3
    shared: Annotated[int, "so many of them a section must hold to join"] = 3
    max_spread: Annotated[int, "a word in more sections of the page tells nothing"] = 8
    max_rounds: Annotated[int, "stop after so many rounds, even if there is something new"] = 5
    fade: Annotated[float, "what the words of a round count, measured by those before"] = 0.5

    def __post_init__(self) -> None:
        if not 1 <= self.shared <= self.strongest <= MOST_WORDS:
            raise SettingsError(f"1 ≤ shared ≤ strongest ≤ {MOST_WORDS} must hold")
        if min(self.max_spread, self.max_rounds) < 0 or not 0 <= self.fade <= 1:
            raise SettingsError("max_spread and max_rounds must not be negative, fade within 0 … 1")


@dataclass(frozen=True, slots=True)
class Expansion:
    """A context and what joined it."""

    sections: tuple[int, ...]  # numbers in `Boxes`: the old ones first
    spans: tuple[Span, ...]  # their text
    added: int  # how many of them are new
    words: tuple[int, ...]  # hashes of the strongest words at the end


class SectionIndex(NamedTuple):
    """Which words stand in which sections, both ways; words are numbered by their hashes."""

    first: Ints  # sections + 1: its words are word[first[s] : first[s + 1]]
    word: Ints
    weight: Floats  # its length, and what emphasis makes of it
    times: Ints  # how often a word stands on the page
    first_section: Ints  # words + 1: its sections are section[first_section[w] : …]
    section: Ints  # each only once


class Growth(NamedTuple):
    """Where the search writes."""

    members: Ints  # the context's sections, then those that joined
    strength: Floats  # one entry a word
    touched: Ints  # the words with a strength
    hits: Ints  # one entry a section: strongest words in it; -1 in the context
    best: Ints  # the strongest words


class ExpansionRules(NamedTuple):
    """The options as the search reads them."""

    strongest: int
    shared: int
    max_spread: int
    max_rounds: int
    fade: float


@inlined
def add_words(
    index: SectionIndex, growth: Growth, s: Integer, factor: float, touched: Integer
) -> Integer:
    """Let the first words of a section count; return how many words have a strength now."""
    for i in range(index.first[s], min(index.first[s + 1], index.first[s] + MOST_COUNTED)):
        w = index.word[i]
        if growth.strength[w] == 0:
            growth.touched[touched] = w
            touched += 1
        growth.strength[w] += index.weight[i] * factor
    return touched


@inlined
def rate(index: SectionIndex, rules: ExpansionRules, growth: Growth, w: Integer) -> float:
    """Return how strong a word is, by its rarity; -1 where it stands in one section or too many."""
    spread = index.first_section[w + 1] - index.first_section[w]
    if spread < 2 or spread > rules.max_spread:
        return -1.0
    return float(growth.strength[w] / index.times[w])


@inlined
def find_best(index: SectionIndex, rules: ExpansionRules, growth: Growth, touched: Integer) -> int:
    """Find the strongest words; return how many there are."""
    best, count = growth.best, 0
    for t in range(touched):
        w = growth.touched[t]
        own = rate(index, rules, growth, w)
        if own < 0:
            continue
        at = min(count, rules.strongest - 1)
        if count == rules.strongest and rate(index, rules, growth, best[at]) >= own:
            continue
        while at > 0 and rate(index, rules, growth, best[at - 1]) < own:
            best[at] = best[at - 1]
            at -= 1
        best[at] = w
        count = min(count + 1, rules.strongest)
    return count


@inlined
def add_sections(
    index: SectionIndex, rules: ExpansionRules, growth: Growth, best: int, members: Integer
) -> Integer:
    """Add the sections that hold enough of the strongest words; return how many there are now."""
    for b in range(best):
        w = growth.best[b]
        for i in range(index.first_section[w], index.first_section[w + 1]):
            s = index.section[i]
            if growth.hits[s] >= 0:
                growth.hits[s] += 1
                if growth.hits[s] == rules.shared:
                    growth.members[members] = s
                    members += 1
    for b in range(best):
        w = growth.best[b]
        for i in range(index.first_section[w], index.first_section[w + 1]):
            growth.hits[index.section[i]] = min(growth.hits[index.section[i]], 0)
    return members


@filling
def grow(
    index: SectionIndex, rules: ExpansionRules, growth: Growth, factors: Floats, members: Integer
) -> tuple[Integer, int]:
    """Let one context grow; return how many sections and how many strongest words it has then."""
    touched: Integer = 0
    best = 0
    done, factor = 0, 1.0
    known = len(factors)
    for turn in range(rules.max_rounds + 1):
        while done < members:
            s = growth.members[done]
            growth.hits[s] = -1
            own = factors[done] if done < known else factor
            touched = add_words(index, growth, s, own, touched)
            done += 1
        best = find_best(index, rules, growth, touched)
        if turn < rules.max_rounds:
            members = add_sections(index, rules, growth, best, members)
        if members == done:
            break
        factor *= rules.fade
    for t in range(touched):
        growth.strength[growth.touched[t]] = 0
    for m in range(members):
        growth.hits[growth.members[m]] = 0
    return members, best


def find_expansion(
    tree: Tree,
    boxes: Boxes,
    contexts: list[LayoutContext],
    options: ExpansionOptions,
    layout: LayoutOptions,
) -> list[Expansion]:
    """Return each context with the sections of the page that share its strongest words."""
    hashes, index = _read_index(tree, boxes, layout.emphasis)
    sections, words = len(boxes.owner), len(hashes)
    growth = Growth(
        np.empty(sections, np.int32),
        np.zeros(words),
        np.empty(words, np.int32),
        np.zeros(sections, np.int32),
        np.empty(MOST_WORDS, np.int32),
    )
    rules = ExpansionRules(
        options.strongest,
        options.shared,
        options.max_spread,
        options.max_rounds,
        options.fade,
    )

    @cache  # thousands of images may stand in the same long section
    def expand(sections: tuple[int, ...], distances: tuple[float, ...]) -> Expansion:
        factors = layout.half_distance / (layout.half_distance + np.array(distances))
        return _expand(boxes, sections, factors, index, rules, growth, hashes)

    return [expand(context.sections, context.distances) for context in contexts]


def _expand(
    boxes: Boxes,
    sections: tuple[int, ...],
    factors: Floats,
    index: SectionIndex,
    rules: ExpansionRules,
    growth: Growth,
    hashes: NDArray[np.uint64],
) -> Expansion:
    known = len(sections)
    growth.members[:known] = sections
    count, best = grow(index, rules, growth, factors, known)
    members = growth.members[:count]
    spans = zip(boxes.start[members].tolist(), boxes.end[members].tolist(), strict=True)
    words = hashes[growth.best[:best]].tolist()
    return Expansion(tuple(members.tolist()), tuple(spans), int(count) - known, tuple(words))


def _read_index(
    tree: Tree, boxes: Boxes, emphasis: float
) -> tuple[NDArray[np.uint64], SectionIndex]:
    """Return the hashes of all words, sorted, and where they stand."""
    words = tree.words
    hashes, number, count = np.unique(words.hashes, return_inverse=True, return_counts=True)
    starts, ends = np.searchsorted(words.starts, (boxes.start, boxes.end))
    first = np.append(0, np.cumsum(ends - starts))
    section = np.repeat(np.arange(len(starts)), ends - starts)
    inside = np.arange(first[-1]) - np.repeat(first[:-1] - starts, ends - starts)
    strong = np.zeros(len(words.starts) + 1, np.int64)
    begins, behind = np.searchsorted(words.starts, find_emphasis(tree).T)
    np.add.at(strong, begins, 1)  # for both at once numpy reads behind the two values
    np.add.at(strong, behind, -1)
    weight = np.where(np.cumsum(strong)[inside] > 0, emphasis, 1.0)
    weight *= (words.ends - words.starts)[inside]
    word = number[inside]
    pairs = np.unique(word * max(len(starts), 1) + section)
    spread = np.bincount(pairs // max(len(starts), 1), minlength=len(hashes))
    return hashes, SectionIndex(
        first.astype(np.int32),
        word.astype(np.int32),
        weight,
        count.astype(np.int32),
        np.append(0, np.cumsum(spread)).astype(np.int32),
        (pairs % max(len(starts), 1)).astype(np.int32),
    )
