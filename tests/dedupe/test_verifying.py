"""Exact Jaccard by numbered shingles against sets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.dedupe import verify
from blickfang.dedupe.shingles import gather, jaccard, shingle
from blickfang.dedupe.verify import measure_pairs, sort_and_measure
from blickfang.text.words import Hashes
from tests.dedupe.texts import draw


def edit(random: np.random.Generator, text: Hashes) -> Hashes:
    """Return a text with something replaced, put in, left out, repeated or moved."""
    at, size = int(random.integers(len(text))), int(random.integers(1, 5))
    new = draw(random, int(random.integers(0, 4)))
    kinds = (
        [text[:at], new, text[at + size :]],
        [text[:at], text[max(0, at - 9) : at + size], text[at:]],
        [text[at:], text[:at]],
        [text],
    )
    edited = np.concatenate(kinds[random.integers(len(kinds))])
    return edited if len(edited) else text


def revise(seed: int, roots: int, count: int) -> list[Hashes]:
    random = np.random.default_rng(seed)
    few = draw(random, 6)
    texts = [draw(random, int(random.integers(1, 300))) for _ in range(roots)]
    texts.append(few[random.integers(0, 6, 50)])  # it repeats itself
    while len(texts) < count:
        texts.append(edit(random, texts[random.integers(len(texts))]))
    return texts


@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 5))
def test_equals_that_of_sets(seed: int, roots: int, size: int) -> None:
    texts = revise(seed, roots, 14)
    random = np.random.default_rng(seed)
    pairs = np.sort(random.integers(0, 14, (20, 2)), axis=1)
    sets = [shingle(text, size) for text in texts]
    expected = [jaccard(sets[a], sets[b]) for a, b in pairs.tolist()]
    given_texts = gather(texts)
    assert measure_pairs(given_texts, pairs, 0.0, size, 1 + seed % 3).tolist() == expected
    above = [value if value >= 0.8 else -1.0 for value in expected]
    assert measure_pairs(given_texts, pairs, 0.8, size).tolist() == above
    assert sort_and_measure(given_texts, pairs, 0.8, size, 2).tolist() == above


def test_groups_too_large_are_sorted(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = gather(revise(1, 20, 300))
    pairs = np.array([[a, b] for b in range(300) for a in range(max(0, b - 5), b) if b % 7])
    small = measure_pairs(texts, pairs, 0.5, 3, 2)
    assert (small >= 0).any()
    monkeypatch.setattr(verify, "MOST_BITS", 200)
    assert measure_pairs(texts, pairs, 0.5, 3, 2).tolist() == small.tolist()


def test_no_pairs() -> None:
    assert len(measure_pairs(gather([]), np.empty((0, 2), np.int64), 0.9, 3)) == 0
