"""Texts sketched in one pass are those that are hashed, then sketched, then compared."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.dedupe import find_near_duplicates, sketch
from blickfang.dedupe.minhash import sketch_and_digest
from blickfang.dedupe.shingles import KeptWords, hash_texts
from blickfang.dedupe.sketch import join_sketched, sketch_texts
from blickfang.dedupe.verify import measure_pairs, sort_and_measure

PLAIN, WIDE = ["word", "Ab", "9", "a", ", ", "\n", " "], ["é", "Straße", "漢字", "ế", "мир"]
PIECES = st.sampled_from([*PLAIN, *WIDE, "\ud800", "\U0001f600"])
TEXTS = st.lists(st.lists(PIECES, max_size=40).map(" ".join), max_size=8)


def check(texts: list[str], size: int = 3, threads: int = 1) -> None:
    found = sketch_texts(texts, size, threads=threads)
    words = hash_texts(texts)
    rows, digests = sketch_and_digest(words, size)
    assert found.rows.tolist() == rows.tolist()
    assert found.digests.tolist() == digests.tolist()
    assert found.words.starts.tolist() == words.starts.tolist()
    assert found.words.hashes.tolist() == (words.hashes >> np.uint64(32)).tolist()


@given(TEXTS, st.integers(1, 4), st.integers(1, 3))
def test_the_same_as_one_after_the_other(texts: list[str], size: int, threads: int) -> None:
    check(texts, size, threads)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_much_at_once_and_in_parts(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"{n} words of a text é {n % 7} " * (n % 90) for n in range(900)]
    monkeypatch.setattr(sketch, "LARGE", 1000)
    monkeypatch.setattr(sketch, "BATCH_CHARS", 5000)
    check(texts, threads=threads)
    monkeypatch.setattr(sketch, "PART_CHARS", 90_000)
    check(texts, threads=threads)


def test_joined() -> None:
    texts = ["some words", "", "more of them", "漢字 and others"]
    parts = [sketch_texts(texts[:1]), sketch_texts([]), sketch_texts(texts[1:])]
    whole, joined = sketch_texts(texts), join_sketched(parts)
    assert joined.words.hashes.tolist() == whole.words.hashes.tolist()
    assert joined.words.starts.tolist() == whole.words.starts.tolist()
    assert joined.rows.tolist() == whole.rows.tolist()
    assert len(join_sketched([]).digests) == 0


@given(st.integers(0, 10**6), st.sampled_from([0.5, 0.8, 0.9]), st.integers(1, 4))
def test_pairs_are_those_of_whole_hashes(seed: int, threshold: float, size: int) -> None:
    random = np.random.default_rng(seed)
    texts = [" ".join(map(str, random.integers(0, 99, random.integers(1, 80)))) for _ in range(4)]
    for _ in range(12):
        words = texts[random.integers(len(texts))].split()
        words[random.integers(len(words))] = str(random.integers(0, 99))
        texts.append(" ".join(words))
    found = find_near_duplicates(sketch_texts(texts, size), threshold, size)
    expected = find_near_duplicates(hash_texts(texts), threshold, size)
    assert found.pairs.tolist() == expected.pairs.tolist()
    assert found.jaccards.tolist() == expected.jaccards.tolist()
    assert found[2:] == expected[2:]


def test_sorting_halves_gives_the_same() -> None:
    texts = [f"a b c d e f g {n} h i j k l m n o p" for n in range(6)]
    words = sketch_texts(texts).words
    assert isinstance(words, KeptWords)
    pairs = np.array([[0, 1], [2, 5]])
    values = measure_pairs(words, pairs, 0.1, 3).tolist()
    assert values == sort_and_measure(words, pairs, 0.1, 3, 1).tolist()
    assert values == [12 / 18] * 2
