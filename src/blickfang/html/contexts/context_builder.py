"""What was found for images, put into words: `Context`s with their reasons and how sure they are.

In: the texts that a method found, why, and what the simple methods say. Out: a `Context` for each
image. The confidence is what agreement of the simple methods was worth on real pages
(docs/method.md, "Confidence"): the more of them mark nearly the same text, the better it was.
"""

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Plain, filling
from blickfang.compute.py_values import (
    Addresses,
    addresses_of,
    look_up,
    make_row,
    making,
    put_in_list,
    share,
    share_in_list,
    spare,
)
from blickfang.html.contexts.best import BEFORE, KINDS, NONE, REASONS, SHARED, SHORT, TINY_PX
from blickfang.html.contexts.context_text import (
    Hidden,
    Ints,
    TextPieces,
    put_into_words,
    trim_hidden,
)
from blickfang.html.parse.tree import Tree
from blickfang.text.words import MULTIPLIER
from blickfang.types import Context

NEARLY_THE_SAME = 0.8  # of two spans, shared bytes by all bytes
# Mean F of the best context when so many witnesses agree; `make gates` checks it.
AGREED = (0.88, 0.984, 0.986, 0.993)
AGREEMENTS = tuple(f"{k} of {len(AGREED) - 1} simple methods agree" for k in range(len(AGREED)))
# A figure of a word or two is often only half of it, text before it often not its own, and a text
# that several images share may be about one of them.
UNSURE = 0.8
TINY = f"stated side under {TINY_PX} pixels"

VALUES = (Context, 0.0, (), "")
CONSTANTS = addresses_of(VALUES)
CONTEXT_TYPE, UNKNOWN, NOTHING, NO_TEXT = range(len(VALUES))


class Reasons(NamedTuple):
    """Why a text was chosen: a reason each, and for each as many as can agree."""

    values: list[object]  # kept as long as their addresses
    kinds: Addresses
    whys: Addresses  # a row a reason, by how many agree
    sure: Addresses


def _hold(
    kinds: Sequence[str], whys: list[list[tuple[str, ...]]], sure: list[list[float]]
) -> Reasons:
    values: list[object] = [*kinds, *chain.from_iterable(whys), *chain.from_iterable(sure)]
    places, count = addresses_of(values), len(kinds)
    rows = places[count:].reshape(2, count, len(AGREED))
    return Reasons(values, places[:count], rows[0], rows[1])


def _list_whys(reasons: Sequence[str]) -> list[list[tuple[str, ...]]]:
    return [[(reason, agreement) for agreement in AGREEMENTS] for reason in reasons]


def give_reasons(reasons: Sequence[str]) -> Reasons:
    """Return reasons of a method that does not say what kind of place an image is in."""
    return _hold([""] * len(reasons), _list_whys(reasons), [list(AGREED) for _ in reasons])


def _give_best() -> Reasons:
    """Return the reasons of the best method, one for each of its answers, and for tiny images."""
    doubted = [list(AGREED) for _ in OF_IMAGES]
    for why in (SHORT, BEFORE, SHARED):
        doubted[why] = [min(chance, UNSURE) for chance in AGREED]
    return _hold([*KINDS, KINDS[NONE]], _list_whys(OF_IMAGES), doubted)


def _give_untold() -> Reasons:
    """Return the same where nobody asks how sure it is."""
    whys: list[list[tuple[str, ...]]] = [[(why,)] * len(AGREED) for why in OF_IMAGES]
    return _hold([*KINDS, KINDS[NONE]], whys, [[0.0] * len(AGREED) for _ in OF_IMAGES])


OF_IMAGES = (*REASONS, TINY)
OF_BEST, UNTOLD = _give_best(), _give_untold()


@filling
def count_agreeing(
    texts: TextPieces, witnesses: NDArray[np.int32], hidden: Hidden, out: Ints
) -> None:
    """Count for each image how many witnesses, a row each, mark nearly the same text."""
    texts, hidden = TextPieces(*texts), Hidden(*hidden)
    for image in range(len(texts.which)):
        text = texts.which[image]
        first, last = texts.edges[text], texts.edges[text + 1]
        out[image] = 0
        if first == last:
            continue
        low, high = np.int64(texts.pieces[first, 0]), np.int64(texts.pieces[last - 1, 1])
        for witness in range(len(witnesses)):
            start, end = witnesses[witness, image, 0], witnesses[witness, image, 1]
            seen, seen_end = trim_hidden(hidden, np.int64(start), np.int64(end))
            both = min(high, seen_end) - max(low, seen)
            either = max(high, seen_end) - min(low, seen)
            if seen < seen_end and both > 0 and both >= NEARLY_THE_SAME * either:
                out[image] += 1


class FoundTexts(NamedTuple):
    """What is told of each image: its text, why it was chosen, how many agree."""

    which: Ints
    why: Ints
    agreed: Ints


@making
def make_contexts(
    given: Plain,
    reasons: tuple[Addresses, Addresses, Addresses],
    constants: Addresses,
    name: int,
    said: tuple[int, int],
    slots: Ints,
    contexts: int,
) -> None:
    """Write the context of each image into a list; images of one text and reason share it."""
    found = FoundTexts(*given)
    kinds, whys, sure = reasons
    mask = np.uint64(len(slots) - 1)
    slots[:] = -1
    for k in range(len(found.which)):
        which, why, agreed = found.which[k], found.why[k], found.agreed[k]
        key = np.uint64((np.int64(which) << 32) ^ (np.int64(why) << 2) ^ np.int64(agreed))
        slot = (key * MULTIPLIER >> np.uint64(32)) & mask
        while slots[slot] >= 0:
            j = slots[slot]
            if found.which[j] == which and found.why[j] == why and found.agreed[j] == agreed:
                break
            slot = (slot + np.uint64(1)) & mask
        if slots[slot] >= 0:
            share_in_list(contexts, k, look_up(contexts, slots[slot]))
            continue
        slots[slot] = k
        text = look_up(said[0], which)
        context = make_row(constants[CONTEXT_TYPE], 8)
        share(context, 0, name)
        share(context, 1, kinds[why])
        said_nothing = text == constants[NO_TEXT]
        share(context, 2, constants[UNKNOWN] if said_nothing else sure[why, agreed])
        share(context, 3, text)
        share(context, 4, look_up(said[1], which))
        share(context, 5, whys[why, agreed])
        share(context, 6, constants[NOTHING])
        share(context, 7, constants[NOTHING])
        spare(context)
        put_in_list(contexts, k, context)


def tell(
    tree: Tree, name: str, texts: TextPieces, why: Ints, reasons: Reasons, agreed: Ints | None
) -> list[Context]:
    """Return what a method found for each image; only which words it is if nobody was asked."""
    said = put_into_words(tree, texts, with_texts=agreed is not None)
    if agreed is None:
        agreed = np.zeros(len(why), np.int32)
    contexts: list[Context] = [None] * len(why)  # type: ignore[list-item]
    make_contexts(
        (texts.which, why, agreed),
        reasons[1:],
        CONSTANTS,
        id(name),
        (id(said.texts), id(said.words)),
        np.empty(2 << len(why).bit_length(), np.int32),
        id(contexts),
    )
    return contexts
