"""All ways to find an image's text by name, and how sure the answer is.

In: a page, its images, the names of methods. Out: for each image a `Context` a method. The
confidence is what agreement of the simple methods was worth on real pages (docs/method.md,
"Confidence"): the more of them mark nearly the same text, the better it was.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import unnamed
from blickfang.errors import InputError
from blickfang.html.contexts.best import STATED, Best, find_best
from blickfang.html.contexts.context_builder import (
    OF_BEST,
    UNTOLD,
    Reasons,
    count_agreeing,
    give_reasons,
    tell,
)
from blickfang.html.contexts.context_text import (
    Hidden,
    Spans,
    TextPieces,
    cut_texts,
    find_hidden,
    list_texts,
)
from blickfang.html.contexts.expansion import ExpansionOptions, find_expansion
from blickfang.html.contexts.layout_method import LayoutContext, Span, find_layout
from blickfang.html.contexts.method_agreement import find_witnesses
from blickfang.html.contexts.monash import find_monash
from blickfang.html.contexts.neighbours import find_before_after, find_parents, find_siblings
from blickfang.html.contexts.paragraph import find_paragraph
from blickfang.html.contexts.repeating_groups import find_repeats
from blickfang.html.contexts.window import find_dynamic_window, find_window
from blickfang.html.layout.boxes import Boxes, estimate_boxes
from blickfang.html.layout.sections import LayoutOptions
from blickfang.html.parse.tree import Tree, slice_text
from blickfang.html.structure.page_terms import Terms, read_terms
from blickfang.types import Context

Ints = NDArray[np.int32]
Find = Callable[[Tree, Terms, Ints], Spans]

SIMPLE: dict[str, Find] = {
    "window": find_window,
    "dynamic-window": find_dynamic_window,
    "paragraph": find_paragraph,
    "monash": find_monash,
    "repeats": find_repeats,
    "before-after": find_before_after,
}
LAYOUTS = {
    "layout": LayoutOptions(),
    "layout-edge": LayoutOptions(distance="edge"),
    "layout-priority": LayoutOptions(relevance_weight=0.1),
}
LEVELS = {"parent": find_parents, "sibling": find_siblings}  # parent-0 … parent-4, and so on
DEPTH = 5
BEST = "best"
METHODS = (
    BEST,
    *SIMPLE,
    *(f"{name}-{level}" for name in LEVELS for level in range(DEPTH)),
    *LAYOUTS,
    "expansion",
)

Contexts = list[dict[str, Context]]  # of each image, by method
NOTHING_NAMED: Mapping[int, list[int]] = MappingProxyType({})


class PageImages(NamedTuple):
    """A page and its images, as all methods see them."""

    tree: Tree
    terms: Terms
    images: NDArray[np.int32]
    captions: NDArray[np.int32]  # nodes of stated captions
    widths: NDArray[np.int32]  # as stated, below 0 where unknown
    heights: NDArray[np.int32]
    hidden: Hidden
    boxes: Boxes | None = None  # measured ones; else they are estimated
    named: Mapping[int, list[int]] = (
        NOTHING_NAMED  # by image, the elements that it says describe it
    )


class MethodResult(NamedTuple):
    """What a method found, before it is put into words."""

    texts: TextPieces
    why: Ints  # of each image its reason
    reasons: Reasons
    notes: Sequence[LayoutContext] = ()  # of the layout methods


def find_contexts(place: PageImages, methods: Sequence[str]) -> Contexts:
    """Return for each image its context by every method asked for."""
    unknown = [name for name in methods if name not in METHODS]
    if unknown:
        raise InputError(f"there is no method {unknown[0]!r}; there are {', '.join(METHODS)}")
    count = len(place.images)
    contexts: Contexts = [{} for _ in range(count)] if len(methods) != 1 else []
    if not count or not methods:
        return contexts
    spans: dict[str, Spans] = {}
    answers = _ask(place, methods, spans)
    witnesses = find_witnesses(place.terms, place.images)
    for name, answer in answers.items():
        agreed = np.empty(count, np.int32)
        count_agreeing(unnamed(answer.texts), witnesses, unnamed(place.hidden), agreed)
        told = tell(place.tree, name, *answer[:3], agreed)
        if answer.notes:
            pairs = zip(told, _read_notes(place.tree, answer.notes), strict=True)
            told = [Context(*each[:6], *found) for each, found in pairs]
        if len(methods) == 1:
            return [{name: context} for context in told]
        for named, context in zip(contexts, told, strict=True):
            named[name] = context
    return contexts


def find_best_words(place: PageImages) -> Contexts:
    """Return for each image which words are its best context; not their text, nor how sure it is.

    For a crawl, which scores words of many pages and shows none to anybody.
    """
    if not len(place.images):
        return []
    texts, why = _ask_best(place)[:2]
    return [{BEST: context} for context in tell(place.tree, BEST, texts, why, UNTOLD, None)]


def _read_notes(
    tree: Tree, contexts: Sequence[LayoutContext]
) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Yield the current headings and the emphasised parts of layout contexts, each read once."""
    said: dict[int, tuple[str, ...]] = {}  # by where they lie: many share the same parts
    texts: dict[Span, str] = {}
    for found in contexts:
        for spans in (found.headings, found.emphasised):
            if id(spans) not in said:
                fresh = (span for span in spans if span not in texts)
                texts |= {span: slice_text(tree, *span) for span in fresh}
                said[id(spans)] = tuple([texts[span] for span in spans])
        yield said[id(found.headings)], said[id(found.emphasised)]


def _ask(
    place: PageImages, methods: Sequence[str], spans: dict[str, Spans]
) -> dict[str, MethodResult]:
    """Return what each method finds, in the order asked."""
    found: dict[str, MethodResult] = {}
    for name in methods:
        if name == BEST:
            found[name] = _ask_best(place)
        elif name in LAYOUTS or name == "expansion":
            found[name] = _ask_layout(place, name)
        else:
            found[name] = _answer(place, name, _ask_simple(place, name, spans))
    return found


def _ask_simple(place: PageImages, name: str, spans: dict[str, Spans]) -> Spans:
    """Return what a method of one span an image finds, each asked once."""
    if name not in spans:
        tree, terms, images = place.tree, place.terms, place.images
        if name in SIMPLE:
            spans[name] = SIMPLE[name](tree, terms, images)
        else:
            kind = name.rsplit("-", 1)[0]
            levels = LEVELS[kind](tree, terms, images, DEPTH)
            spans.update({f"{kind}-{level}": levels[:, level] for level in range(DEPTH)})
    return spans[name]


def _answer(place: PageImages, name: str, spans: Spans) -> MethodResult:
    """Return spans as texts without what is hidden, each span once."""
    why = np.zeros(len(spans), np.int32)
    texts = cut_texts(place.hidden, np.ascontiguousarray(spans))
    return MethodResult(texts, why, give_reasons((name,)))


def _ask_best(place: PageImages) -> MethodResult:
    best = find_best(*place[:6])
    if place.named:
        _join_captions(place, best)
    return MethodResult(cut_texts(place.hidden, best.spans), best.how, OF_BEST)


def _join_captions(place: PageImages, best: Best) -> None:
    """Let a stated caption go on to the end of those that stand right behind it."""
    tree = place.tree
    for number, nodes in place.named.items():
        if best.how[number] != STATED or place.captions[number] != nodes[0]:
            continue
        last = nodes[0]
        for node in nodes[1:]:
            if tree.first_word[node] == tree.first_word[tree.end[last]] and node > last:
                last = node
        best.spans[number, 1] = tree.offset[tree.end[last]]


def _ask_layout(place: PageImages, name: str) -> MethodResult:
    options = LAYOUTS.get(name, LAYOUTS["layout"])
    boxes = place.boxes or estimate_boxes(place.tree, options)
    found = find_layout(place.tree, boxes, place.images, options)
    pieces = [list(each.spans) for each in found]
    if name == "expansion":
        grown = find_expansion(place.tree, boxes, found, ExpansionOptions(), options)
        pieces = [list(each.spans) for each in grown]
    reasons = give_reasons(tuple(_explain_layout(each) for each in found))
    return MethodResult(list_texts(pieces), np.arange(len(found), dtype=np.int32), reasons, found)


def _explain_layout(context: LayoutContext) -> str:
    if not context.distances:
        return "no section of text is near it"
    near = ", ".join(f"{distance:.0f}" for distance in context.distances[:3])
    return f"sections at {near} px" + (", farther than they should be" if context.beyond else "")


def make_place(
    tree: Tree,
    images: Ints,
    captions: Ints,
    widths: Ints,
    heights: Ints,
    boxes: Boxes | None = None,
    named: Mapping[int, list[int]] = NOTHING_NAMED,
) -> PageImages:
    """Return a page and its images as all methods see them; sizes below 0 are unknown."""
    terms = read_terms(tree)
    return PageImages(
        tree, terms, images, captions, widths, heights, find_hidden(terms), boxes, named
    )
