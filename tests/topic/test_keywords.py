"""Keywords: the study's numbers, and counting against a slow version."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.text.keywords import Keyword, Keywords, find_keywords, idf, weigh_word
from blickfang.text.relevance import dilute
from blickfang.text.words import read_many

POSITIVE_PAGES, NEUTRAL_PAGES = 6, 7
STUDY_TOTAL = 3799.9953474929716

page = st.lists(st.sampled_from(["cat", "dog", "the", "münze", "猫"]), max_size=12).map(" ".join)


@pytest.mark.parametrize(
    ("word", "tf", "df", "weight"),
    [
        ("cat", 655, 6, 1015.3995712510865),
        ("cats", 538, 6, 834.0228539436406),
        ("coon", 94, 5, 141.83055278230566),
        ("breed", 96, 4, 139.51856064451562),
        ("mongoose", 34, 2, 42.47274415129784),
        ("purring", 25, 3, 34.353427349985324),
    ],
)
def test_weights_of_the_study(word: str, tf: int, df: int, weight: float) -> None:
    """Formula and counting alike: pages are made that hold the word as often as the study's."""
    assert weigh_word(tf, df, POSITIVE_PAGES, 0, NEUTRAL_PAGES) == pytest.approx(weight, rel=1e-12)
    pages = [f"{word} " * (tf - df + 1), *[word] * (df - 1), *["other"] * (POSITIVE_PAGES - df)]
    found = find_keywords(read_many(pages), read_many(["nothing of it"] * NEUTRAL_PAGES))
    keyword = next(keyword for keyword in found if keyword.word == word)
    assert (keyword.tf, keyword.df) == (tf, df)
    assert keyword.weight == pytest.approx(weight, rel=1e-12)


def test_unamplified_weight_of_the_study() -> None:
    assert idf(NEUTRAL_PAGES, 0.1) - idf(POSITIVE_PAGES, 6) == pytest.approx(1.550, abs=5e-4)


def study_keywords() -> Keywords:
    """Four of the study's fifty keywords, and one that weighs as much as all the others."""
    weights = {
        "cat": 1015.3995712510865,
        "kitten": 39.23959518127001,
        "maine": 70.64408057738689,
        "coon": 141.83055278230566,
    }
    weights["everythingelse"] = STUDY_TOTAL - sum(weights.values())
    return Keywords([Keyword(word, weight, 1, 1) for word, weight in weights.items()])


def test_scores_of_the_study() -> None:
    keywords = study_keywords()
    texts = ["Is the kitten healthy?", "One cat, another CAT", "Rasseporträt Maine Coon", ""]
    kitten, cats, link, nothing = keywords.score(texts)
    assert kitten == pytest.approx(0.01032622190107631, rel=1e-12)
    assert cats == pytest.approx(0.534421481289966, rel=1e-12)
    assert dilute(link, 3) == pytest.approx(0.01863814855281087, rel=1e-12)
    assert nothing == 0


@given(st.lists(page, min_size=1, max_size=6), st.lists(page, min_size=1, max_size=6))
def test_equals_slow_counting(positive: list[str], neutral: list[str]) -> None:
    tf = Counter(word for text in positive for word in text.split())
    df = Counter(word for text in positive for word in set(text.split()))
    other = Counter(word for text in neutral for word in set(text.split()))
    expected = {
        word: weigh_word(tf[word], df[word], len(positive), other[word], len(neutral))
        for word in tf
    }
    found = find_keywords(read_many(positive), read_many(neutral))
    assert {k.word: k.weight for k in found} == {w: x for w, x in expected.items() if x > 0}
    assert all((k.tf, k.df) == (tf[k.word], df[k.word]) for k in found)
    assert [k.weight for k in found] == sorted((k.weight for k in found), reverse=True)


def test_top_limits_and_nothing_is_fine() -> None:
    pages = read_many(["alpha beta gamma alpha"])
    assert [k.word for k in find_keywords(pages, read_many(["delta"]), top=1)] == ["alpha"]
    assert find_keywords(read_many([""]), read_many(["delta"])) == []
    assert find_keywords(pages, read_many([])) == []
    assert Keywords([]).score(["any text"]) == [0.0]
