"""All ways to find an image's text by name, and how sure the answer is.

In: a page, its images, the names of methods. Out: for each image a `Context` a method. The
confidence is what agreement of the simple methods was worth on real pages (docs/method.md,
"Confidence"): the more of them mark nearly the same text, the better it was.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.data import Context
from blickfang.errors import InputError
from blickfang.page.contexts.best import (
    BEFORE,
    KINDS,
    NONE,
    REASONS,
    RUN,
    SHORT,
    STATED,
    WRAPPED,
    find_best,
)
from blickfang.page.contexts.expansion import ExpansionOptions, find_expansion
from blickfang.page.contexts.layout import LayoutContext, find_layout
from blickfang.page.contexts.monash import find_monash
from blickfang.page.contexts.neighbours import find_before_after, find_parents, find_siblings
from blickfang.page.contexts.paragraph import find_paragraph
from blickfang.page.contexts.repeats import find_repeats
from blickfang.page.contexts.spans import (
    Hidden,
    Piece,
    Spans,
    count_words,
    cut_hidden,
    find_hidden,
    join_all,
    trim_hidden,
)
from blickfang.page.contexts.window import find_dynamic_window, find_window
from blickfang.page.layout.boxes import Boxes, estimate_boxes
from blickfang.page.layout.sections import LayoutOptions
from blickfang.page.structure.terms import Terms, read_terms
from blickfang.page.tree import Tree, slice_text

Find = Callable[[Tree, Terms, NDArray[np.int32]], Spans]

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

WITNESSES = ("paragraph", "monash", "sibling-0")
NEARLY_THE_SAME = 0.8  # of two spans, shared bytes by all bytes
# Mean F of the best context when so many witnesses agree; `make gates` checks it.
AGREED = (0.88, 0.984, 0.986, 0.993)
AGREEMENTS = tuple(f"{k} of {len(WITNESSES)} simple methods agree" for k in range(4))
UNSURE = 0.8  # a figure of a word or two is often only half of it; text before it often not its own
UNSURE_REASONS = (REASONS[SHORT], REASONS[BEFORE])
THUMBNAILS = np.isin(np.arange(len(REASONS)), (RUN, WRAPPED, STATED))
TINY_PX = 60  # icons and bars: no image with text of its own was smaller


class Place(NamedTuple):
    """A page and its images, as all methods see them."""

    tree: Tree
    terms: Terms
    images: NDArray[np.int32]
    captions: NDArray[np.int32]  # nodes of stated captions
    tiny: NDArray[np.bool_]
    hidden: Hidden
    boxes: Boxes | None = None  # measured ones; else they are estimated


class Answer(NamedTuple):
    """What a method found, before it is put into words; images often share a text."""

    pieces: list[list[Piece]]  # of each text
    which: list[int]  # of each image its text
    kinds: Sequence[str]
    reasons: Sequence[str]
    notes: Sequence[LayoutContext] = ()  # of the layout methods


def find_contexts(place: Place, methods: Sequence[str]) -> list[dict[str, Context]]:
    """Return for each image its context by every method asked for."""
    unknown = [name for name in methods if name not in METHODS]
    if unknown:
        raise InputError(f"there is no method {unknown[0]!r}; there are {', '.join(METHODS)}")
    contexts: list[dict[str, Context]] = [{} for _ in place.images]
    if not contexts or not methods:
        return contexts
    spans: dict[str, Spans] = {}
    answers = _ask(place, methods, spans)
    witnesses = _see(place, np.stack([_ask_simple(place, name, spans) for name in WITNESSES]))
    # Of all methods at once, each text once: one method's third parent is another's fourth.
    pieces = [tuple(text) for answer in answers.values() for text in answer.pieces]
    different = list(dict.fromkeys(pieces))
    counted = zip(join_all(place.tree, different), count_words(place.tree, different), strict=True)
    said = dict(zip(different, counted, strict=True))
    agreeing = _count_agreeing(list(answers.values()), witnesses)
    first = 0
    for number, (name, answer) in enumerate(answers.items()):
        agreed = agreeing[number * len(contexts) : (number + 1) * len(contexts)]
        last = first + len(answer.pieces)
        told = _tell(name, answer, [said[text] for text in pieces[first:last]], agreed)
        for index, context in enumerate(told):
            more = _read_notes(place.tree, answer.notes[index]) if answer.notes else ()
            contexts[index][name] = Context(*context[:6], *more) if more else context
        first = last
    return contexts


def _tell(
    name: str, answer: Answer, said: list[tuple[str, tuple[Piece, ...]]], agreed: list[int]
) -> list[Context]:
    """Return what a method found for each image; images of one text share all of it."""
    known: dict[tuple[int, int, str, str], Context] = {}
    found = []
    for key in zip(answer.which, agreed, answer.kinds, answer.reasons, strict=True):
        if key not in known:
            which, many, kind, reason = key
            text, words = said[which]
            sure = AGREED[many] if text else 0.0
            if reason in UNSURE_REASONS:
                sure = min(sure, UNSURE)
            known[key] = Context(name, kind, sure, text, words, (reason, AGREEMENTS[many]))
        found.append(known[key])
    return found


def find_best_words(place: Place) -> list[dict[str, Context]]:
    """Return for each image which words are its best context; not their text, nor how sure it is.

    For a crawl, which scores words of many pages and shows none to anybody.
    """
    if not len(place.images):
        return []
    answer = _ask_best(place)
    words = count_words(place.tree, answer.pieces)
    return [
        {BEST: Context(BEST, kind, 0.0, "", words[which], (reason,))}
        for which, kind, reason in zip(answer.which, answer.kinds, answer.reasons, strict=True)
    ]


def _read_notes(tree: Tree, found: LayoutContext) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the current headings and the emphasised parts of a layout context."""
    return (
        tuple(slice_text(tree, *span) for span in found.headings),
        tuple(slice_text(tree, *span) for span in found.emphasised),
    )


def _ask(place: Place, methods: Sequence[str], spans: dict[str, Spans]) -> dict[str, Answer]:
    """Return what each method finds, in the order asked."""
    found: dict[str, Answer] = {}
    for name in methods:
        if name == BEST:
            found[name] = _ask_best(place)
        elif name in LAYOUTS or name == "expansion":
            found[name] = _ask_layout(place, name)
        else:
            found[name] = _answer(place, _ask_simple(place, name, spans), name)
    return found


def _ask_simple(place: Place, name: str, spans: dict[str, Spans]) -> Spans:
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


def _answer(place: Place, spans: Spans, reason: str) -> Answer:
    """Return spans as texts without what is hidden, each span once."""
    number: dict[tuple[int, int], int] = {}
    which = [number.setdefault((start, end), len(number)) for start, end in spans.tolist()]
    pieces = [cut_hidden(place.hidden, start, end) for start, end in number]
    return Answer(pieces, which, [""] * len(which), [reason] * len(which))


def _ask_best(place: Place) -> Answer:
    best = find_best(place.tree, place.terms, place.images, place.captions)
    # Small pictures in records and with captions are thumbnails; elsewhere they are icons and bars.
    icons = place.tiny & ~THUMBNAILS[best.how]
    best.spans[icons] = 0
    best.how[icons] = NONE
    how = best.how.tolist()
    reasons = [
        f"stated side under {TINY_PX} pixels" if icon else REASONS[each]
        for each, icon in zip(how, icons.tolist(), strict=True)
    ]
    kinds = [KINDS[each] for each in how]
    return _answer(place, best.spans, "")._replace(kinds=kinds, reasons=reasons)


def _ask_layout(place: Place, name: str) -> Answer:
    options = LAYOUTS.get(name, LAYOUTS["layout"])
    boxes = place.boxes or estimate_boxes(place.tree, options)
    found = find_layout(place.tree, boxes, place.images, options)
    pieces = [list(each.spans) for each in found]
    if name == "expansion":
        grown = find_expansion(place.tree, boxes, found, ExpansionOptions(), options)
        pieces = [list(each.spans) for each in grown]
    reasons = [_explain_layout(each) for each in found]
    return Answer(pieces, list(range(len(found))), [""] * len(found), reasons, found)


def _explain_layout(context: LayoutContext) -> str:
    near = ", ".join(f"{distance:.0f}" for distance in context.distances[:3])
    return f"sections at {near} px" + (", farther than they should be" if context.beyond else "")


def _see(place: Place, spans: Spans) -> Spans:
    """Return spans, of each witness a row, without what is hidden at their ends."""
    if not place.hidden.starts:
        return spans
    known: dict[tuple[int, int], tuple[int, int]] = {}
    rows = [(start, end) for start, end in spans.reshape(-1, 2).tolist()]
    for span in rows:
        if span not in known:
            known[span] = trim_hidden(place.hidden, *span)
    return np.array([known[span] for span in rows], np.int32).reshape(spans.shape)


def _count_agreeing(answers: list[Answer], witnesses: Spans) -> list[int]:
    """Return how many witnesses mark nearly the same span as each answer, one behind the other."""
    outer = np.stack([_find_outer(answer) for answer in answers])[:, None]
    low, high = outer[..., 0], outer[..., 1]
    both = np.minimum(high, witnesses[..., 1]) - np.maximum(low, witnesses[..., 0])
    either = np.maximum(high, witnesses[..., 1]) - np.minimum(low, witnesses[..., 0])
    agree = (both > 0) & (both >= NEARLY_THE_SAME * either)  # by answer, witness and image
    found: list[int] = agree.sum(axis=1).ravel().tolist()
    return found


def _find_outer(answer: Answer) -> NDArray[np.int64]:
    """Return from where to where the text of each image reaches."""
    each = [(text[0][0], text[-1][1]) if text else (0, 0) for text in answer.pieces]
    return np.array(each, np.int64)[answer.which]


def make_place(
    tree: Tree,
    images: Sequence[int],
    captions: Sequence[int],
    sizes: Sequence[tuple[int | None, int | None]],
    boxes: Boxes | None = None,
) -> Place:
    """Return a page and its images as all methods see them."""
    tiny = [
        (width is not None and width < TINY_PX) or (height is not None and height < TINY_PX)
        for width, height in sizes
    ]
    nodes = np.array(images, np.int32)
    captioned = np.array(captions, np.int32)
    terms = read_terms(tree)
    hidden = find_hidden(tree, terms)
    return Place(tree, terms, nodes, captioned, np.array(tiny, np.bool_), hidden, boxes)
