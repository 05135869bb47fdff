"""The compiled sums against plain Python."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.crawl.focus.page_features import _sort
from blickfang.crawl.focus.topic_evidence import (
    EvidenceWeights,
    Ranges,
    make_slots,
    number_words,
    sum_weights,
)
from blickfang.crawl.focus.word_weights import make_weights
from blickfang.text.words import Hashes

# Many words share their leading bits, and with them a place in the index; 0 is a hash like others.
vocabulary = st.sampled_from([0, 1, 2, 3, 2**63, 2**63 + 1, 2**64 - 1, 2**64 - 2, 77 << 50])
texts = st.lists(vocabulary, max_size=60)


def table(known: dict[int, tuple[float, float]]) -> EvidenceWeights:
    hashes = np.array(sorted(known), np.uint64)
    idf = np.array([known[int(h)][0] for h in hashes])
    weight = np.array([known[int(h)][1] for h in hashes])
    return make_weights(hashes, idf, weight, 3.0, 1.0)


def make_ranges(spans: list[tuple[int, int, int]], size: int) -> Ranges:
    """Return spans in columns, those of one text together."""
    columns = np.array(spans, np.int32).reshape(-1, 3)
    return _sort(columns[:, 0], columns[:, 1], columns[:, 2], size)


def sum_slowly(
    words: list[int],
    page: int,
    spans: list[tuple[int, int, int]],
    known: dict[int, tuple[float, float]],
    size: int,
) -> tuple[list[float], list[float]]:
    def facts(word: int) -> tuple[float, float]:
        return known.get(word, (3.0, 0.0))

    tf = {word: 1 + math.log(n) for word, n in Counter(words[:page]).items()}
    sums = [sum(f * facts(w)[0] * facts(w)[1] for w, f in tf.items())]
    squares = [sum((f * facts(w)[0]) ** 2 for w, f in tf.items())]
    for text in range(size):
        different = {w for t, a, b in spans if t == text for w in words[a:b]}
        sums.append(sum(facts(w)[0] * facts(w)[1] for w in different))
        squares.append(sum(facts(w)[0] ** 2 for w in different))
    return sums, squares


@given(
    texts,
    st.integers(0, 60),
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 60), st.integers(0, 60)), max_size=12),
    st.dictionaries(vocabulary, st.tuples(st.integers(0, 4), st.integers(-3, 3))),
)
def test_sums_are_those_of_plain_python(
    words: list[int],
    page: int,
    spans: list[tuple[int, int, int]],
    known: dict[int, tuple[float, float]],
) -> None:
    page = min(page, len(words))
    spans = [(t, min(a, len(words)), min(b, len(words))) for t, a, b in spans if a <= b]
    hashes = np.array(words, np.uint64)
    own = {word: (idf, 1.0) for word, (idf, _) in known.items() if word % 2}
    slots = make_slots(np.array([word for word in own if word], np.uint64))
    found = sum_weights(hashes, page, make_ranges(spans, 6), table(known), table(own), slots)
    expected = sum_slowly(words, page, spans, known, 6)
    assert found.sums.tolist() == pytest.approx(expected[0])
    assert found.squares.tolist() == pytest.approx(expected[1])
    assert found.own == pytest.approx(sum_slowly(words, page, [], own, 0)[0][0])
    assert found.known == sum(word in own for word in words[:page])


@given(texts)
def test_equal_words_have_equal_numbers(words: list[int]) -> None:
    numbers, different, count = number_words(np.array(words, np.uint64))
    assert different[numbers].tolist() == words
    assert count == len(different) == len(set(words))


def test_nothing_known_and_nothing_there() -> None:
    nothing: Hashes = np.empty(0, np.uint64)
    no_spans = Ranges(*(np.empty(0, np.int32),) * 3, 0)
    found = sum_weights(nothing, 0, no_spans, table({}), table({}), make_slots(nothing))
    assert found.sums.tolist() == found.squares.tolist() == [0.0]
    assert found.own == found.known == 0
