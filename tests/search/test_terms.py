"""Terms agree with the words that everything else counts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.corpus.search.query_terms import DROPPED, MAX_CHARS, TermTable
from blickfang.corpus.search.search_options import SearchOptions
from blickfang.errors import SettingsError
from blickfang.text.words import normalise, read_many, read_words, spell


@given(st.lists(st.text()))
def test_terms_are_words(texts: list[str]) -> None:
    terms = TermTable(SearchOptions())
    words = read_many(texts)
    numbers = terms.number(words).tolist()
    assert [terms.spelled[n] for n in numbers] == [word[:MAX_CHARS] for word in spell(words)]
    again = terms.number(words).tolist()
    assert again == numbers
    assert terms.find([terms.spelled[n] for n in numbers]) == numbers


@given(st.text())
def test_a_query_is_split_as_texts_are(text: str) -> None:
    assert TermTable(SearchOptions()).split(text) == [
        word[:MAX_CHARS] for word in normalise(text).split()
    ]


def test_stems_and_stop_words_only_where_wanted() -> None:
    text = "the lighthouses and the towers"
    assert TermTable(SearchOptions()).split(text) == text.split()
    assert TermTable(SearchOptions(stemming="english")).split("towers towering") == [
        "tower",
        "tower",
    ]
    reduced = TermTable(SearchOptions(stemming="english", stop_words="english"))
    assert reduced.split(text) == ["lighthous", "tower"]
    numbers = reduced.number(read_words(text)).tolist()
    assert [n == DROPPED for n in numbers] == [True, False, True, True, False]


def test_unknown_languages_are_errors() -> None:
    with pytest.raises(SettingsError, match="klingon"):
        TermTable(SearchOptions(stemming="klingon"))
    with pytest.raises(SettingsError, match="language"):
        TermTable(SearchOptions(stop_words="klingon"))
