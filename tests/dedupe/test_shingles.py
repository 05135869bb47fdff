"""Shingles and Jaccard against Python's sets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.dedupe import shingles as shingles_module
from blickfang.dedupe.shingles import gather, hash_texts, jaccard, jaccards, shingle, shingle_all
from blickfang.text.words import Hashes, read_words

words = st.sampled_from([1, 2, 3, 2**64 - 1])
texts = st.lists(words, max_size=30)


def as_hashes(text: list[int]) -> Hashes:
    return np.array(text, np.uint64)


def slow_shingles(text: list[int], size: int) -> set[tuple[int, ...]]:
    if len(text) < size:
        return {tuple(text)} if text else set()
    return {tuple(text[i : i + size]) for i in range(len(text) - size + 1)}


def slow_jaccard(a: list[int], b: list[int], size: int) -> float:
    one, other = slow_shingles(a, size), slow_shingles(b, size)
    return len(one & other) / len(one | other) if one | other else 0.0


def test_the_study_counts_three_shingles_of_the_rose() -> None:
    rose = read_words("a rose is a rose is a rose").hashes
    assert len(shingle(rose, 4)) == 3
    assert [len(shingle(rose, size)) for size in (1, 2, 3, 8, 9)] == [3, 3, 3, 1, 1]


@given(st.lists(texts, max_size=6), st.integers(1, 9))
def test_one_hash_for_each_shingle(many: list[list[int]], size: int) -> None:
    sets = shingle_all(gather([as_hashes(text) for text in many]), size)
    seen: dict[int, tuple[int, ...]] = {}
    for t, text in enumerate(many):
        found = sets.hashes[sets.starts[t] : sets.starts[t + 1]].tolist()
        expected = slow_shingles(text, size)
        assert found == sorted(set(found))
        assert len(found) == len(expected)
        assert found == sorted(h for s in expected for h in shingle(as_hashes(list(s)), 99))
        for s in expected:
            (h,) = shingle(as_hashes(list(s)), 99).tolist()
            assert seen.setdefault(h, s) == s


@given(texts, texts, st.integers(1, 4))
def test_jaccard_is_that_of_the_sets(a: list[int], b: list[int], size: int) -> None:
    found = jaccard(shingle(as_hashes(a), size), shingle(as_hashes(b), size))
    assert found == slow_jaccard(a, b, size)


@given(st.lists(texts, min_size=2, max_size=5), st.floats(0.0, 1.0), st.integers(1, 3))
def test_a_threshold_leaves_out_what_is_below(
    many: list[list[int]], threshold: float, threads: int
) -> None:
    sets = shingle_all(gather([as_hashes(text) for text in many]), 2, threads)
    pairs = np.array([(a, b) for a in range(len(many)) for b in range(len(many))])
    found = jaccards(sets, pairs, threshold, threads).tolist()
    for (a, b), value in zip(pairs.tolist(), found, strict=True):
        expected = slow_jaccard(many[a], many[b], 2)
        assert value == (expected if expected >= threshold else -1)


def test_jaccard_at_the_threshold_itself() -> None:
    """9 of 10: the quotient, not a product, is compared."""
    for n in (10, 20, 50, 1000):
        a = np.arange(n, dtype=np.uint64)
        sets = gather([a, a[: n * 9 // 10]])
        assert jaccards(sets, np.array([[0, 1]]), 0.9).tolist() == [0.9]
        sets = gather([a, a[: n * 9 // 10 - 1]])
        assert jaccards(sets, np.array([[0, 1]]), 0.9).tolist() == [-1.0]


def test_digits_make_a_difference() -> None:
    one, other = "Rangers 3 Bulls 2, attendance 1,200", "Rangers 1 Bulls 4, attendance 9,312"
    assert jaccard(*(shingle(read_words(text).hashes) for text in (one, other))) == 1
    assert jaccard(*(shingle(read_words(t, digits=True).hashes) for t in (one, other))) == 0


@pytest.mark.parametrize("size", [1, 3])
def test_no_texts_at_all(size: int) -> None:
    sets = shingle_all(gather([]), size)
    assert len(sets.hashes) == 0
    assert sets.starts.tolist() == [0]


@given(st.integers(0, 10**6), st.integers(0, 400), st.integers(0, 64), st.integers(1, 8))
def test_shingles_are_in_order_however_alike(seed: int, n: int, same: int, kinds: int) -> None:
    """Also where the upper bits, by which they are sorted first, are all the same."""
    values = np.random.default_rng(seed).integers(0, 2**64, n, np.uint64)
    values = values >> np.uint64(min(same, 63))
    values[::2] = values[::2] % np.uint64(kinds)
    ordered, room = values.copy(), np.empty(n, np.uint64)
    ends = np.empty(1 << shingles_module.BUCKET_BITS, np.int32)
    shingles_module.order_all(ordered, np.array([0, n]), room, ends)
    assert ordered.tolist() == sorted(values.tolist())


def test_some_texts_only() -> None:
    texts = gather([as_hashes([n, n + 1, n + 2, n + 3]) for n in range(5)])
    some = shingle_all(texts, 2, 2, np.array([4, 1]))
    assert some.starts.tolist() == [0, 3, 6]
    assert some.hashes[:3].tolist() == shingle(as_hashes([4, 5, 6, 7]), 2).tolist()
    assert some.hashes[3:].tolist() == shingle(as_hashes([1, 2, 3, 4]), 2).tolist()


def test_words_of_many_texts() -> None:
    texts = ["One 2 three", "", "four", "five six", "7"]
    whole = hash_texts(texts)
    assert whole.starts.tolist() == [0, 3, 3, 4, 6, 7]
    assert whole.hashes.tolist() == read_words(" ".join(texts), digits=True).hashes.tolist()
    assert hash_texts(texts, digits=False).starts.tolist() == [0, 2, 2, 3, 5, 5]
    assert hash_texts([]).starts.tolist() == [0]
