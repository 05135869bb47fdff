"""Repeats and alignments against slow versions that are obviously right."""

from collections import defaultdict
from functools import cache

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from blickfang.records.align_columns import GAP, align_all, edit_distance, make_pattern
from blickfang.records.study.match_patterns import Spacing, find_matches, split_runs, variance
from blickfang.records.study.maximal_repeats import find_repeats, occurrences, sort_suffixes
from blickfang.records.study.page_tokens import make_alphabet

STRINGS = st.lists(st.integers(0, 3), max_size=40)
SOME = st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=12), min_size=1, max_size=6)


def find_slowly(string: list[int]) -> dict[tuple[int, ...], list[int]]:
    """Return all maximal repeats by looking at every substring."""
    found = {}
    n = len(string)
    for size in range(1, n):
        places = defaultdict(list)
        for at in range(n - size + 1):
            places[tuple(string[at : at + size])].append(at)
        for part, where in places.items():
            left = {string[at - 1] if at else -1 for at in where}
            right = {string[at + size] if at + size < n else -1 for at in where}
            if len(where) > 1 and len(left) > 1 and len(right) > 1:
                found[part] = where
    return found


@given(STRINGS)
def test_suffixes(string: list[int]) -> None:
    expected = sorted(range(len(string)), key=lambda at: string[at:])
    assert sort_suffixes(np.array(string, np.int32)).tolist() == expected


@given(STRINGS)
def test_repeats(string: list[int]) -> None:
    repeats = find_repeats(np.array(string, np.int32))
    found = {}
    for k in range(len(repeats.length)):
        places = occurrences(repeats, k).tolist()
        found[tuple(string[places[0] : places[0] + int(repeats.length[k])])] = places
    assert len(found) == len(repeats.length)
    assert found == find_slowly(string)


@given(STRINGS, st.integers(1, 4), st.integers(2, 4))
def test_limits_only_leave_out(string: list[int], length: int, count: int) -> None:
    repeats = find_repeats(np.array(string, np.int32), length, count)
    expected = [p for p, at in find_slowly(string).items() if len(p) >= length and len(at) >= count]
    assert len(repeats.length) == len(expected)


def distance_slowly(one: list[int], other: list[int]) -> int:
    """Return the number of tokens put in or taken out, by recursion."""

    @cache
    def solve(i: int, j: int) -> int:
        if not i or not j:
            return i + j
        if one[i - 1] == other[j - 1]:
            return solve(i - 1, j - 1)
        return 1 + min(solve(i - 1, j), solve(i, j - 1))

    return solve(len(one), len(other))


@given(STRINGS, STRINGS)
def test_distance(one: list[int], other: list[int]) -> None:
    found = edit_distance(np.array(one, np.int32), np.array(other, np.int32))
    assert found == distance_slowly(one, other)


@given(SOME)
def test_alignment_keeps_every_string(strings: list[list[int]]) -> None:
    arrays = [np.array(string, np.int32) for string in strings]
    aligned = align_all(arrays)
    for string, columns in zip(arrays, aligned.columns, strict=True):
        assert len(columns) == len(string)
        assert (np.diff(columns) > 0).all()
        assert columns.max() < aligned.width


@given(st.lists(st.integers(0, 4), min_size=1, max_size=12), STRINGS.filter(bool))
def test_two_strings_share_as_much_as_they_can(one: list[int], other: list[int]) -> None:
    arrays = [np.array(one, np.int32), np.array(other, np.int32)]
    aligned = align_all(arrays)
    tokens: dict[int, set[int]] = defaultdict(set)
    for string, columns in zip(arrays, aligned.columns, strict=True):
        for token, column in zip(string.tolist(), columns.tolist(), strict=True):
            tokens[column].add(token)
    shared = set(aligned.columns[0].tolist()) & set(aligned.columns[1].tolist())
    shared = {column for column in shared if len(tokens[column]) == 1}
    assert len(one) + len(other) - 2 * len(shared) == distance_slowly(one, other)


@given(SOME)
def test_a_pattern_matches_what_it_was_made_of(strings: list[list[int]]) -> None:
    arrays = [np.array(string, np.int32) for string in strings]
    pattern = make_pattern(arrays, align_all(arrays))
    alphabet = make_alphabet(["ul", "li", "h1"])
    for array in arrays:
        matches = find_matches(array, pattern, alphabet)
        assert len(matches.start) >= 1
        assert matches.start[0] == 0
        if all(GAP not in column for column in pattern.columns):
            assert matches.stop[0] == len(array)


@given(st.lists(st.integers(0, 500), min_size=3, max_size=40, unique=True))
def test_runs_are_regular_parts(places: list[int]) -> None:
    limits = Spacing()
    found = split_runs(np.array(sorted(places), np.int32), limits)
    kept = [place for run in found for place in run.tolist()]
    assert kept == sorted(set(kept))
    assert set(kept) <= set(places)
    for run in found:
        assert len(run) >= limits.least
        assert variance(run) <= limits.variance
