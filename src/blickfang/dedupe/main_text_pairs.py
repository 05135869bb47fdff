"""Documents compared on their main texts: where these count, and which pairs they make.

In: the words of main texts and of all text, and addresses. Out: the text that counts of each
document, and of pairs those whose main texts are their own. A main text of few words, or one that
several addresses of a host have, says nothing of a page: then all its text counts. The rules are
those of `blickfang compare` (dedupe/templates.py).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.dedupe.compare.fingerprint_file import hash_name
from blickfang.dedupe.minhash import sketch_and_digest
from blickfang.dedupe.shingles import HashedTexts, KeptWords, Places
from blickfang.dedupe.sketch import Sketched
from blickfang.dedupe.templates import (
    ALIKE,
    FEW_WORDS,
    NO_HOST,
    MainTexts,
    TemplateGuard,
    find_borrowed,
)
from blickfang.dedupe.verify import measure_pairs
from blickfang.io.urls import canonical, host
from blickfang.text.words import MULTIPLIER, Hashes

Flags = NDArray[np.bool_]


class Chosen(NamedTuple):
    """What counts of documents with main texts, and what is needed to judge their pairs."""

    texts: Sketched  # with digests of all text, too: equal main texts alone speak for no other
    uses_all: Flags  # of which documents all text counts
    wholes: HashedTexts | KeptWords  # the words of all text
    guard: TemplateGuard


def choose_texts(
    mains: HashedTexts | Sketched,
    wholes: HashedTexts | Sketched,
    names: Sequence[tuple[str, str]],
    shingle: int,
) -> Chosen:
    """Return the texts that count, of documents whose ids and addresses are given."""
    urls = [canonical(url) or "" if url else "" for _, url in names]
    hosts = _hash_all([host(url) if url else "" for url in urls])
    addresses = _hash_all([url or name for url, (name, _) in zip(urls, names, strict=True)])
    main, whole = _sketch(mains, shingle), _sketch(wholes, shingle)
    sizes = [np.diff(each.words.starts) for each in (main, whole)]
    uses_all = sizes[0] < FEW_WORDS
    uses_all |= find_borrowed(hosts, addresses, main.digests, whole.digests)
    texts = _mix(main, whole, uses_all)
    sketches = {"main": texts.rows, "all": whole.rows}
    rests = np.where(uses_all, 0, sizes[1] - sizes[0]).astype(np.int32)
    pages = MainTexts(hosts, addresses, rests, lambda basis, rows: sketches[basis][rows])
    return Chosen(texts, uses_all, whole.words, TemplateGuard(pages, pages))


def find_own(chosen: Chosen, pairs: Places, shingle: int, threads: int) -> Flags:
    """Return which pairs of near-duplicates are more than one template with other content."""
    flags = np.ones(len(pairs), np.bool_)
    pages = chosen.guard.left
    whole = [pages.sketch("all", pairs[:, side]) for side in (0, 1)]
    doubtful = np.flatnonzero((whole[0] == whole[1]).mean(axis=1) < ALIKE)
    some = pairs[doubtful]
    alike = measure_pairs(chosen.wholes, some, 0.0, shingle, threads).astype(np.float32)
    flags[doubtful] = chosen.guard.own(some, alike)
    return flags


def take_words(texts: HashedTexts | Sketched) -> HashedTexts | KeptWords:
    """Return the words of texts."""
    return texts.words if isinstance(texts, Sketched) else texts


def _hash_all(names: Sequence[str]) -> Hashes:
    return np.array([hash_name(name) if name else NO_HOST for name in names], np.uint64)


def _sketch(texts: HashedTexts | Sketched, shingle: int) -> Sketched:
    if isinstance(texts, Sketched):
        return texts
    return Sketched(texts, *sketch_and_digest(texts, shingle))


def _mix(main: Sketched, whole: Sketched, uses_all: Flags) -> Sketched:
    """Return of each document the one text or the other."""
    both = main.words, whole.words
    parts = [both[0].hashes[:0]]
    starts = np.zeros(len(uses_all) + 1, np.int64)
    for t, uses in enumerate(uses_all.tolist()):
        words = both[uses]
        parts.append(words.hashes[words.starts[t] : words.starts[t + 1]])
        starts[t + 1] = starts[t] + len(parts[-1])
    words = type(both[0])(np.concatenate(parts), starts)
    rows = np.where(uses_all[:, None], whole.rows, main.rows)
    digests = np.where(uses_all, whole.digests, main.digests) ^ whole.digests * MULTIPLIER
    return Sketched(words, rows, digests)
