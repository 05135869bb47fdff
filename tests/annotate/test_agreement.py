"""Agreement: published worked examples, other people's packages, and bounds."""

import itertools
import math
from collections import Counter

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from blickfang.web.annotate.agreement import (
    cohen_kappa,
    cohen_pairs,
    count_votes,
    find_majority,
    fleiss_kappa,
    fleiss_of,
    krippendorff_alpha,
    mean_kappa,
    merge_categories,
)

# Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), part C: four observers,
# twelve units; a dot is a missing
# value.
FOUR = (
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
)
UNITS = [
    {str(who): value for who, value in enumerate(unit) if value != "."}
    for unit in zip(*(row.split() for row in FOUR), strict=True)
]
FIVE = list("12345")
# Fleiss' κ as worked out in many textbooks: 14 raters, 10 subjects, 5 categories; κ = 0.210.
FLEISS = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]

people = st.sampled_from("abcde")
ratings = st.lists(st.dictionaries(people, st.sampled_from("xyz"), max_size=5), max_size=12)


def test_alpha_of_the_published_example() -> None:
    assert krippendorff_alpha(UNITS, FIVE) == pytest.approx(0.743, abs=0.0005)
    assert krippendorff_alpha(UNITS, FIVE, ordinal=True) == pytest.approx(0.815, abs=0.0005)


def test_alpha_of_two_observers_with_two_values() -> None:
    """The same text, part A: ten units, α = 0.095."""
    pairs = zip("0100000010", "1110010000", strict=True)
    units = [{"meg": one, "owen": other} for one, other in pairs]
    assert krippendorff_alpha(units, ["0", "1"]) == pytest.approx(0.095, abs=0.0005)


def test_alpha_of_two_observers_with_many_values() -> None:
    """The same text, part B: twelve units, five values, α = 0.692."""
    one, other = "aabbdcccedda", "babbbccceddd"
    units = [{"ben": x, "gerry": y} for x, y in zip(one, other, strict=True)]
    assert krippendorff_alpha(units, list("abcde")) == pytest.approx(0.692, abs=0.0005)


def test_fleiss_of_the_textbook() -> None:
    assert fleiss_kappa(FLEISS) == pytest.approx(0.20993, abs=0.00001)


def test_cohen_of_the_textbook() -> None:
    """Cohen (1960), table 1 in shares of 200: κ = .492."""
    table = {"aa": 88, "ab": 14, "ac": 18, "ba": 10, "bb": 40, "bc": 10, "ca": 2, "cb": 6, "cc": 12}
    pairs = [(cell[0], cell[1]) for cell, count in table.items() for _ in range(count)]
    assert cohen_kappa(pairs) == pytest.approx(0.492, abs=0.0005)


@settings(max_examples=50)  # theirs takes milliseconds
@given(st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from("xyz")), min_size=1))
def test_cohen_is_what_scikit_learn_says(pairs: list[tuple[str, str]]) -> None:
    ours = cohen_kappa(pairs)
    if len({part for pair in pairs for part in pair}) == 1:
        assert ours is None  # 0/0; scikit-learn warns and says nan
        return
    one, other = zip(*pairs, strict=True)
    theirs = float(cohen_kappa_score(one, other))
    assert ours == pytest.approx(theirs)
    assert -1 <= theirs <= 1


@settings(max_examples=100)
@given(ratings, st.booleans())
def test_alpha_is_what_the_package_says(given_ratings: list[dict[str, str]], ordinal: bool) -> None:
    ours = krippendorff_alpha(given_ratings, list("xyz"), ordinal=ordinal)
    paired = [r for r in given_ratings if len(r) > 1]
    if len({c for r in paired for c in r.values()}) < 2:
        assert ours is None
        return
    table = [[" xyz".index(r.get(who, " ")) or np.nan for r in given_ratings] for who in "abcde"]
    theirs = krippendorff.alpha(
        reliability_data=table,
        level_of_measurement="ordinal" if ordinal else "nominal",
        value_domain=[1, 2, 3],
    )
    assert ours == pytest.approx(theirs)
    assert ours is not None
    assert ours <= 1 + 1e-9


@given(ratings)
def test_pairs_are_those_with_common_items(given_ratings: list[dict[str, str]]) -> None:
    pairs = cohen_pairs(given_ratings)
    for one, other in itertools.combinations("abcde", 2):
        common = [(r[one], r[other]) for r in given_ratings if one in r and other in r]
        found = [pair for pair in pairs if {pair.one, pair.other} == {one, other}]
        assert len(found) == bool(common)
        if found:
            assert found[0].items == len(common)
            assert found[0].kappa == cohen_kappa(common)
    known = [pair.kappa for pair in pairs if pair.kappa is not None]
    mean = mean_kappa(pairs)
    assert mean is None if not known else mean == pytest.approx(math.fsum(known) / len(known))


@given(st.lists(st.lists(st.sampled_from("xyz"), min_size=3, max_size=3), min_size=1))
def test_fleiss_is_bounded_and_1_only_for_unanimity(votes: list[list[str]]) -> None:
    table = [dict(zip("abc", row, strict=True)) for row in votes]
    kappa = fleiss_of(table, list("xyz"), 3)
    if len({vote for row in votes for vote in row}) == 1:
        assert kappa is None
        return
    assert kappa is not None
    assert -0.5 - 1e-9 <= kappa <= 1 + 1e-9  # −1/(n − 1) is the least there can be
    assert (kappa > 1 - 1e-9) == all(len(set(row)) == 1 for row in votes)


@given(ratings, st.integers(1, 5))
def test_votes_add_up(given_ratings: list[dict[str, str]], needed: int) -> None:
    tally = count_votes(given_ratings, list("xyz"), needed)
    complete = [r for r in given_ratings if len(r) >= needed]
    assert tally.items == len(complete) == sum(tally.majority.values()) + tally.disagreement
    for category in "xyz":
        assert tally.unanimous[category] <= tally.majority[category]
        slow = sum(2 * Counter(r.values())[category] > len(r) for r in complete)
        assert tally.majority[category] == slow


@given(ratings)
def test_merging_nothing_changes_nothing_and_merging_all_leaves_one(
    given_ratings: list[dict[str, str]],
) -> None:
    assert merge_categories(given_ratings, list("xyz"), []) == (given_ratings, list("xyz"))
    merged, names = merge_categories(given_ratings, list("xyz"), [["x", "y", "z"]])
    assert names == ["x + y + z"]
    assert krippendorff_alpha(merged, names) is None


def test_merged_categories_are_one_vote() -> None:
    rating = {"a": "x", "b": "y", "c": "z"}
    assert find_majority(rating) is None
    merged, names = merge_categories([rating], list("xyz"), [["y", "z"]])
    assert (find_majority(merged[0]), names) == ("y + z", ["x", "y + z"])


def test_nothing_is_none() -> None:
    assert cohen_kappa([]) is None
    assert fleiss_kappa([]) is None
    assert fleiss_kappa([[2, 1], [1, 1]]) is None
    assert krippendorff_alpha([], ["x"]) is None
    assert find_majority({}) is None
