"""SimHash against counting bit by bit."""

from collections import Counter
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.dedupe.shingles import gather, shingle
from blickfang.dedupe.simhash import simhashes
from blickfang.text.words import MULTIPLIER
from tests.dedupe.texts import change, draw

MASK = 2**64 - 1


def finish_slowly(h: int) -> int:
    for multiplier in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        h ^= h >> 33
        h = h * multiplier & MASK
    return h ^ h >> 33 or 1


def slow_simhash(text: list[int], lengths: list[int], bits: int, weights: str) -> list[int]:
    features: Counter[int] = Counter()
    for number, n in enumerate(sorted(lengths)):
        if number == 0 or len(text) >= n:
            words = [np.array(text[i : i + n], np.uint64) for i in range(max(1, len(text) - n + 1))]
            features.update(int(shingle(gram, n)[0]) for gram in words if len(gram))
    sums = [0] * bits
    for h, count in features.items():
        weight = count if weights == "tf" else 1
        both = h | finish_slowly((h + int(MULTIPLIER)) & MASK) << 64
        for bit in range(bits):
            sums[bit] += weight if both >> bit & 1 else -weight
    value = sum(1 << bit for bit in range(bits) if sums[bit] > 0)
    return [value & MASK, value >> 64][: bits // 64]


@given(
    st.lists(st.lists(st.sampled_from([1, 2, 3, 2**64 - 1, 77 << 50]), max_size=50), max_size=4),
    st.lists(st.integers(1, 5), min_size=1, max_size=3, unique=True),
    st.sampled_from([64, 128]),
    st.sampled_from(["tf", "set"]),
)
def test_equals_counting_bit_by_bit(
    texts: list[list[int]], lengths: list[int], bits: int, weights: Literal["tf", "set"]
) -> None:
    found = simhashes(gather([np.array(t, np.uint64) for t in texts]), lengths, bits, weights)
    expected = [slow_simhash(text, lengths, bits, weights) for text in texts]
    assert found.reshape(len(texts), bits // 64).tolist() == expected


def test_counts_of_long_texts_do_not_overflow() -> None:
    random = np.random.default_rng(1)
    few = np.repeat(draw(random, 3), [70_000, 30_000, 30_001])
    assert simhashes(gather([few])).tolist() == simhashes(gather([few[:1]])).tolist()


def test_alike_texts_differ_in_few_bits() -> None:
    random = np.random.default_rng(2)
    text = draw(random, 2000)
    other = change(random, text, 20)
    a, b, c = simhashes(gather([text, other, draw(random, 2000)]), (3,)).tolist()
    assert (a ^ b).bit_count() <= 12
    assert 16 <= (a ^ c).bit_count() <= 48


def test_settings_that_make_no_sense() -> None:
    texts = gather([])
    with pytest.raises(ValueError, match="64 or 128"):
        simhashes(texts, (1,), 96)
    with pytest.raises(ValueError, match="at least one word"):
        simhashes(texts, ())
    assert len(simhashes(texts)) == 0
