"""Manku's tables: the worked example, and brute force over all pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.dedupe.lookup_tables import LookupTables

EXAMPLE = [
    "10101010",
    "11111010",
    "10101011",
    "10100000",
    "10011100",
    "00010110",
    "11110000",
    "00011100",
]


def test_the_worked_example_of_the_study() -> None:
    values = np.array([int(text, 2) for text in EXAMPLE], np.uint64)
    tables = LookupTables(values, 8, 2, 4)
    printed = [
        {key: [f"d{n + 1}" for n in numbers] for key, numbers in tables.groups(t).items()}
        for t in range(len(tables.choices))
    ]
    assert len(printed) == 6
    assert printed[0] == {
        "0001": ["d6", "d8"],
        "1001": ["d5"],
        "1010": ["d1", "d3", "d4"],
        "1111": ["d2", "d7"],
    }
    assert printed[5] == {
        "0000": ["d4", "d7"],
        "0110": ["d6"],
        "1010": ["d1", "d2"],
        "1011": ["d3"],
        "1100": ["d5", "d8"],
    }
    for t, (first, second) in enumerate(tables.choices):
        for key, members in printed[t].items():
            for name in members:
                bits = EXAMPLE[int(name[1:]) - 1]
                assert key == bits[2 * first : 2 * first + 2] + bits[2 * second : 2 * second + 2]
        assert sum(map(len, printed[t].values())) == 8
    assert (tables.find(0b10101010) + 1).tolist() == [1, 2, 3, 4]


def test_four_blocks_of_the_study_are_four_tables() -> None:
    assert len(LookupTables(np.empty(0, np.uint64), 64, 3, 4).choices) == 4


@st.composite
def settings(draw: st.DrawFn) -> tuple[list[int], int, int, int]:
    bits = draw(st.integers(2, 128))
    blocks = draw(st.integers(1, min(bits, 6)))
    k = draw(st.integers(0, blocks - 1))
    first = draw(st.lists(st.integers(0, 2**bits - 1), min_size=1, max_size=8))
    flips = draw(st.lists(st.tuples(st.sampled_from(first), st.sets(st.integers(0, bits - 1)))))
    changed = [value ^ sum(1 << bit for bit in places) for value, places in flips]
    return first + changed, bits, k, blocks


@given(settings())
def test_nothing_within_k_bits_is_missed(setting: tuple[list[int], int, int, int]) -> None:
    numbers, bits, k, blocks = setting
    rows = np.array([[n >> 64, n & (2**64 - 1)] for n in numbers], np.uint64)
    tables = LookupTables(rows, bits, k, blocks)
    for number in numbers:
        near = [i for i, other in enumerate(numbers) if (number ^ other).bit_count() <= k]
        assert tables.find(number).tolist() == near
    expected = {
        (a, b)
        for b in range(len(numbers))
        for a in range(b)
        if (numbers[a] ^ numbers[b]).bit_count() <= k
    }
    pairs, _ = tables.pairs()
    assert sorted(map(tuple, pairs.tolist())) == sorted(expected)


def test_settings_that_make_no_sense() -> None:
    with pytest.raises(ValueError, match="below the number of blocks"):
        LookupTables(np.empty(0, np.uint64), 64, 4, 4)
    with pytest.raises(ValueError, match="more than 8 bits"):
        LookupTables(np.array([256], np.uint64), 8, 1, 2)
