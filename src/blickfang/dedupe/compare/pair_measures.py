"""How alike the documents of a pair are, and what it is that they share.

In: the words of documents, of all their text and of their main text. Out: for each pair four
numbers and a kind. Method and thresholds: docs/method.md, "What a pair shares".

- all: Jaccard of the shingles of all text
- main: of the main text; of a text without one, of all text; where only one has none, the better
- frame: of what is not main text: menus, footers, the template; NaN where one has no main text
- contained: the share of the smaller main text that the larger one has, too
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.dedupe.compare.fingerprint_file import Rows, slice_text
from blickfang.dedupe.shingles import HashedTexts, gather, jaccards, shingle_all
from blickfang.dedupe.templates import FEW_WORDS

Values = NDArray[np.float32]

EQUAL = 0.99  # all text: whatever is taken for the main text of either, for markup may differ
SAME_CONTENT = 0.9  # main text: the study's near-duplicate
SAME_FRAME = 0.5
CONTAINED = 0.9  # of the smaller main text
EXCERPT = 2 / 3  # its size, of the larger one's; else it is one with additions: a revision
CHANGED = 0.5  # main text: still the same content, changed
FEW_SHINGLES = 10  # a frame with fewer is none

KINDS = ("same", "other frame", "excerpt", "revision", "template", "little")
MEANINGS = {
    "same": "same content, and the same frame, if there is one",
    "other frame": "same content in another frame",
    "excerpt": "one contains the other's content",
    "revision": "same content, changed",
    "template": "same template, other content",
    "little": "little in common",
    "unknown": "estimated from fingerprints; nobody looked",
}
UNKNOWN = len(KINDS)
TEMPLATE = KINDS.index("template")

Own = Callable[[Rows, Values], NDArray[np.bool_]]  # of some pairs, by place, and their all


class DocumentWords(NamedTuple):
    """The words of some documents."""

    whole: HashedTexts
    main: HashedTexts


class Similarity(NamedTuple):
    """How alike pairs are; NaN where that is not known."""

    all: Values
    main: Values
    frame: Values
    contained: Values
    kind: NDArray[np.uint8]  # place in KINDS, or UNKNOWN


def measure_pairs(
    words: DocumentWords, pairs: Rows, shingle: int, own: Own | None = None
) -> Similarity:
    """Return how alike pairs of documents are, exactly.

    `own` is asked of which pairs main texts that are alike are what the documents say. Where they
    are not, all text counts.
    """
    whole = shingle_all(words.whole, shingle)
    has_main = np.diff(words.main.starts) >= FEW_WORDS
    main = _choose(shingle_all(words.main, shingle), whole, has_main)
    frame = _subtract(whole, main, has_main)
    by_all, by_main, by_frame = (
        jaccards(sets, pairs).astype(np.float32) for sets in (whole, main, frame)
    )
    one_sided = has_main[pairs[:, 0]] != has_main[pairs[:, 1]]
    sizes = np.diff(frame.starts)[pairs]
    by_frame[(sizes < FEW_SHINGLES).all(axis=1) | one_sided] = np.nan
    contained = _contained(main, pairs)
    # Where one has no main text, its text may be the other's main text, or all of it.
    better = one_sided & (by_all > by_main)
    by_main[better] = by_all[better]
    contained[better] = _contained(whole, pairs[better])
    kinds = tell_kinds(by_all, by_main, by_frame, contained)
    found = Similarity(by_all, by_main, by_frame, contained, kinds)
    rejected = find_rejected(by_all, by_main, own)
    if len(rejected):
        by_main[rejected], by_frame[rejected] = by_all[rejected], np.nan
        contained[rejected] = _contained(whole, pairs[rejected])
        kinds[rejected] = TEMPLATE
    return found


def find_rejected(by_all: Values, by_main: Values, own: Own | None) -> Rows:
    """Return the pairs that only their main texts make alike, and these are not their own."""
    doubtful = np.flatnonzero((by_main >= CHANGED) & (by_all < SAME_CONTENT) & (by_main > by_all))
    if own is None or not len(doubtful):
        return doubtful[:0]
    return doubtful[~own(doubtful, by_all[doubtful])]


def is_rejected(kind: int, frame: float | None) -> bool:
    """Whether the main texts of a pair were found not to be their own."""
    return kind == TEMPLATE and (frame is None or frame != frame)


def _contained(sets: HashedTexts, pairs: Rows) -> Values:
    """Return the share of the smaller set that is in the larger one."""
    alike = jaccards(sets, pairs)
    lengths = np.diff(sets.starts)[pairs]
    shared = alike * lengths.sum(axis=1) / (1 + alike)
    share: Values = (shared / np.maximum(lengths.min(axis=1), 1)).astype(np.float32)
    return share


def _choose(first: HashedTexts, second: HashedTexts, wanted: NDArray[np.bool_]) -> HashedTexts:
    """Return for each text the first set where it is wanted, else the second."""
    return gather(
        [slice_text(first if own else second, t) for t, own in enumerate(wanted.tolist())]
    )


def _subtract(whole: HashedTexts, main: HashedTexts, has_main: NDArray[np.bool_]) -> HashedTexts:
    """Return what is in all text and not in the main text, if there is one."""
    rows = []
    for t, own in enumerate(has_main.tolist()):
        every = slice_text(whole, t)
        rows.append(
            np.setdiff1d(every, slice_text(main, t), assume_unique=True) if own else every[:0]
        )
    return gather(rows)


def tell_kinds(whole: Values, main: Values, frame: Values, contained: Values) -> NDArray[np.uint8]:
    """Return what pairs share, by the first rule that holds.

    >>> one = [np.array([v], np.float32) for v in (0.8, 0.95, 0.1, 1.0)]
    >>> KINDS[tell_kinds(*one)[0]]
    'other frame'
    """
    same_frame = frame >= SAME_FRAME  # False where there is none
    # |A∩B| is J·(|A|+|B|)/(1+J) and c·min: the sizes follow from both.
    with np.errstate(divide="ignore", invalid="ignore"):
        size = 1 / (contained * (1 / main + 1) - 1)
    frameless = np.isnan(frame)  # then nothing but the text can tell the same from a revision
    rules = [
        (whole >= EQUAL)
        | (main >= np.where(frameless, EQUAL, SAME_CONTENT)) & (same_frame | frameless),
        (main >= SAME_CONTENT) & ~frameless,
        (contained >= CONTAINED) & (size <= EXCERPT),
        main >= CHANGED,
        same_frame,
    ]
    return np.select(rules, range(len(rules)), len(rules)).astype(np.uint8)


def unknown_kinds(by_all: Values, by_main: Values) -> Similarity:
    """Return estimates as similarities of which nobody knows the kind."""
    nothing = np.full(len(by_all), np.nan, np.float32)
    kinds = np.full(len(by_all), UNKNOWN, np.uint8)
    return Similarity(by_all, by_main, nothing, nothing, kinds)


def reaches(found: Similarity, threshold: float, on: str) -> NDArray[np.bool_]:
    """Return which pairs are near-duplicates: by all text, by main text, or by either."""
    by_all, by_main = found.all >= threshold, found.main >= threshold
    reached: NDArray[np.bool_] = {"all": by_all, "main": by_main}.get(on, by_all | by_main)
    return reached
