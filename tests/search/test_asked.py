"""What queries mean; whatever is typed, nothing breaks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.corpus.search.query_terms import MAX_QUERY_CHARS, MAX_TERMS, TermTable, read_query
from blickfang.corpus.search.search_options import SearchOptions

TERMS = TermTable(SearchOptions())


@pytest.mark.parametrize(
    ("typed", "terms", "phrases", "excluded"),
    [
        ("Red TOWER", ("red", "tower"), (), ()),
        ('"old tower" red', ("old", "tower", "red"), (("old", "tower"),), ()),
        ("„alter Turm“", ("alter", "turm"), (("alter", "turm"),), ()),
        ("tower -lamp", ("tower",), (), (("lamp",),)),
        ('tower -"lamp shop"', ("tower",), (), (("lamp", "shop"),)),
        ("well-known", ("well", "known"), (), ()),  # a minus inside a word excludes nothing
        ("tower - lamp", ("tower", "lamp"), (), ()),
        ('"unclosed phrase', ("unclosed", "phrase"), (("unclosed", "phrase"),), ()),
        ("red red Red", ("red",), (), ()),
        ('"" - -- "', (), (), ()),
        ("field:value AND (x OR y)^2~", ("field", "value", "and", "x", "or", "y"), (), ()),
    ],
)
def test_what_queries_mean(
    typed: str,
    terms: tuple[str, ...],
    phrases: tuple[tuple[str, ...], ...],
    excluded: tuple[tuple[str, ...], ...],
) -> None:
    asked = read_query(typed, TERMS)
    assert (asked.terms, asked.phrases, asked.excluded) == (terms, phrases, excluded)


def test_scripts_without_blanks_stay_together() -> None:
    asked = read_query("灯塔 tower a-b", TERMS)
    assert asked.terms == ("灯", "塔", "tower", "a", "b")
    assert asked.runs == (("灯", "塔"),)


@given(st.text())
def test_anything_can_be_typed(typed: str) -> None:
    asked = read_query(typed, TERMS)
    assert len(asked.terms) <= MAX_TERMS
    assert all(term and not any(c.isspace() for c in term) for term in asked.terms)


def test_long_queries_are_cut() -> None:
    short = read_query("word " * MAX_QUERY_CHARS, TERMS)
    assert short.terms == ("word",)
    numbered = " ".join(chr(97 + n // 26 % 26) + chr(97 + n % 26) for n in range(400))
    assert len(read_query(numbered, TERMS).terms) == MAX_TERMS
    assert (
        len(read_query(" ".join(f'"a b{"c" * n}"' for n in range(60)), TERMS).phrases) <= MAX_TERMS
    )
