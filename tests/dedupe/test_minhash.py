"""Sketches and the study's MinHash: what they are made of, and that they estimate Jaccard."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from blickfang.dedupe.banding import add_bands, choose_bands
from blickfang.dedupe.bands import BandRules, find_candidates
from blickfang.dedupe.minhash import (
    BINS,
    estimate,
    minhashes,
    sketch,
    study_pairs,
    super_shingles,
)
from blickfang.dedupe.shingles import gather, jaccard, shingle
from blickfang.text.words import Hashes
from tests.dedupe.texts import change, draw


def pairs_of(random: np.random.Generator, count: int, words: int, new: int) -> list[Hashes]:
    """Return so many texts, each with a changed copy behind it."""
    originals = [draw(random, words) for _ in range(count)]
    return [text for o in originals for text in (o, change(random, o, new))]


def test_the_estimate_of_sketches_is_unbiased() -> None:
    random = np.random.default_rng(3)
    for words, new in ((400, 4), (400, 12), (400, 60), (30, 2)):
        texts = pairs_of(random, 300, words, new)
        rows = sketch(gather(texts))
        true = [
            jaccard(shingle(a), shingle(b)) for a, b in zip(texts[::2], texts[1::2], strict=True)
        ]
        found = [estimate(a, b) for a, b in zip(rows[::2], rows[1::2], strict=True)]
        off = np.array(found) - np.array(true)
        spread = np.sqrt(np.mean(true) * (1 - np.mean(true)) / BINS)
        assert abs(off.mean()) < 5 * spread / np.sqrt(300) + 0.002
        assert off.std() < (1.3 if words > 100 else 2) * spread


def test_the_estimate_of_the_study_is_unbiased() -> None:
    random = np.random.default_rng(4)
    texts = pairs_of(random, 200, 300, 5)
    rows = minhashes(gather(texts))
    assert rows.shape == (400, 84)
    true = [
        jaccard(shingle(a, 8), shingle(b, 8)) for a, b in zip(texts[::2], texts[1::2], strict=True)
    ]
    off = (rows[::2] == rows[1::2]).mean(axis=1) - np.array(true)
    assert abs(off.mean()) < 0.015
    assert off.std() < 1.3 * np.sqrt(np.mean(true) * (1 - np.mean(true)) / 84)


@given(st.lists(st.integers(0, 2**64 - 1), max_size=80))
def test_a_sketch_is_of_the_set(words: list[int]) -> None:
    """Neither order nor repetition of shingles counts."""
    text = np.array(words, np.uint64)
    twice = np.concatenate([text, text[::-1]])
    assert sketch(gather([text]), 1).tolist() == sketch(gather([twice]), 1).tolist()
    rows = minhashes(gather([text, twice]), 10, 1)
    assert rows[0].tolist() == rows[1].tolist()


def test_sketches_of_short_texts_tell_them_apart() -> None:
    """A text of one shingle fills all bins; they must not repeat one byte."""
    random = np.random.default_rng(5)
    rows = sketch(gather([draw(random, 1) for _ in range(5000)]))
    for column in add_bands(rows, choose_bands(0.9)).T:
        assert len(np.unique(column)) == 5000
    assert sketch(gather([draw(random, 0)])).tolist() == [[0] * 8]


def test_super_shingles_are_of_fourteen() -> None:
    random = np.random.default_rng(6)
    least = random.integers(0, 2**64, (1, 84), np.uint64)
    same = super_shingles(least)
    for column in range(84):
        other = least.copy()
        other[0, column] += np.uint64(1)
        assert np.flatnonzero(super_shingles(other) != same).tolist() == [column // 14]


def test_the_study_wants_two_super_shingles() -> None:
    random = np.random.default_rng(7)
    texts = [draw(random, 400) for _ in range(30)]
    texts += [change(random, text, 1) for text in texts] + [draw(random, 0), draw(random, 0)]
    rows = super_shingles(minhashes(gather(texts)))
    expected = {
        (a, b) for a in range(60) for b in range(a + 1, 60) if (rows[a] == rows[b]).sum() >= 2
    }
    assert {(a, b) for a, b in study_pairs(gather(texts)).pairs.tolist()} == expected
    assert 15 < len(expected) <= 30


@given(
    st.lists(st.tuples(*[st.integers(0, 2)] * 4), max_size=25),
    st.integers(1, 3),
    st.integers(1, 30),
)
def test_candidates_agree_in_some_columns(
    many: list[tuple[int, int, int, int]], agree: int, hot: int
) -> None:
    rows = np.array(many, np.uint64).reshape(-1, 4)
    expected = {
        (a, b) for b in range(len(rows)) for a in range(b) if (rows[a] == rows[b]).sum() >= agree
    }
    found = find_candidates(rows, BandRules(agree, 0, hot, 2))
    listed = [(a, b) for a, b in found.pairs.tolist()]
    assert len(listed) == len(set(listed))
    assert set(listed) <= expected
    assert len(expected) - len(listed) <= found.left_out
    if not found.hot_runs:
        assert set(listed) == expected
        assert found.left_out == 0


def test_what_one_hot_column_passes_over_another_finds() -> None:
    rows = np.zeros((500, 2), np.uint64)
    rows[:, 1] = np.arange(500) % 250
    found = find_candidates(rows, BandRules(2, 0, 100, 10))
    assert found.pairs.tolist() == [[a, a + 250] for a in range(250)]
    assert found.hot_runs == 1


def test_bytes_that_agree_are_counted() -> None:
    random = np.random.default_rng(8)
    rows = np.repeat(random.integers(0, 2**64, (1, 8), np.uint64), 65, axis=0)
    square = rows.view(np.uint8)
    for n in range(65):
        square[n, 64 - n :] ^= random.integers(1, 256, n, np.uint8)
    for equal in (1, 32, 56):
        rules = BandRules(1, equal, 1000)
        with_first = {b for a, b in find_candidates(rows, rules).pairs.tolist() if a == 0}
        assert with_first == set(range(1, min(56, 64 - equal) + 1))
