"""Merging: each publication once, whatever the order."""

import time
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blickfang.records.persons import Publication, merge_publications
from blickfang.records.persons.person_values import BIBTEX, Telling
from blickfang.records.persons.publication_merging import (
    _one_letter_apart,
    count_confirmations,
    is_same,
)

TITLES = (
    "A Study of Spoken Dialogue",
    "A STUDY OF SPOKEN DIALOGUE",
    "A study of spoken dialogue: The long story",
    "A study of spoken dia-logue.",
    "A Study of Spoken Dialoque",
    "A Study of Spoken Dialogue, Part II",
    "A Study of Spoken …",
    "Editorial",
)
FEWER = settings(max_examples=settings().max_examples // 3)  # each merges four times
TELLINGS = st.builds(
    Publication,
    st.sampled_from(TITLES),
    st.sampled_from([(), ("A. Meier",), ("Anna Meier", "B. Roth"), ("Bea Roth",), ("C. Vogt",)]),
    st.sampled_from(["", "2000", "2001", "2002", "2010"]),
    st.sampled_from(["", "Journal", "Journal of Dialogue"]),
    st.sampled_from([(), ("p1",), ("p2",)]),
    doi=st.sampled_from(["", "10.1/a"]),
    sources=st.sampled_from([("s1",), ("s2",)]),
    trust=st.sampled_from([0, BIBTEX]),
)


@FEWER
@given(st.lists(TELLINGS, max_size=6), st.randoms(use_true_random=False))
def test_neither_order_nor_repetition_matter(told: list[Publication], chance: object) -> None:
    merged = merge_publications(told)
    assert merge_publications(merged) == merged
    shuffled = list(told)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert merge_publications(shuffled) == merged
    assert merge_publications([*told, *told]) == merged
    assert {s for each in told for s in each.sources} == {s for m in merged for s in m.sources}


@FEWER
@given(st.lists(TELLINGS, max_size=6))
def test_nothing_is_left_that_is_the_same(told: list[Publication]) -> None:
    merged = merge_publications(told)
    assert not any(is_same(a, b) for n, a in enumerate(merged) for b in merged[n + 1 :])


def test_fields_are_united() -> None:
    told = [
        Publication(
            "Integrating Face-ID into a Learning System",
            ("S. Könn", "H. Holzapfel"),
            "2007",
            pdfs=("p",),
            sources=("list",),
        ),
        Publication(
            "INTEGRATING FACE-ID INTO A LEARNING SYSTEM",
            ("Stephan Könn", "Holzapfel, Hartwig"),
            "2007",
            "ICVS",
            sources=("group",),
        ),
        Publication(
            "Integrating Face ID into a learning system",
            ("Könn, S.",),
            "2008",
            sources=("bib",),
            trust=BIBTEX,
        ),
    ]
    for order in permutations(told):
        assert [each._replace(told=()) for each in merge_publications(order)] == [
            Publication(
                "Integrating Face ID into a learning system",
                ("Stephan Könn", "Holzapfel, Hartwig"),
                "2008",
                "ICVS",
                pdfs=("p",),
                sources=("bib", "group", "list"),
                trust=BIBTEX,
            )
        ]


AUTHORS = ("Hartwig Holz", "Anna Berg")
WRONG = {
    "a venue as an author": (*AUTHORS, "Neural Networks"),
    "an author replaced": ("Computational Linguistics", "Anna Berg"),
    "an author lost": AUTHORS[:1],
    "other people": ("Carl Tal", "Anna Berg", "Eva See"),
}


@pytest.mark.parametrize("why", WRONG)
def test_one_wrong_page_changes_no_authors(why: str) -> None:
    title = "A Study of Spoken Dialogue"
    right = [Publication(title, AUTHORS, "2004", sources=(f"s{n}",)) for n in range(3)]
    wrong = Publication(title, WRONG[why], "2005", sources=("wrong",))
    for order in permutations([*right, wrong]):
        (found,) = merge_publications(order)
        assert (found.authors, found.year) == (AUTHORS, "2004")
        assert count_confirmations(found) == 3
        assert merge_publications([found, wrong]) == [found]


def test_a_venue_told_elsewhere_is_no_author() -> None:
    title = "A Study of Spoken Dialogue"
    right = Publication(title, AUTHORS, "2004", "Neural Networks 12", sources=("a",))
    wrong = Publication(title, (*AUTHORS, "Neural Networks"), "2004", sources=("b",))
    assert merge_publications([right, wrong])[0].authors == AUTHORS


def test_lists_without_their_owner_stand_back() -> None:
    title = "A Study of Spoken Dialogue"
    told = [Telling(f"own{n}", 0, AUTHORS[1:], "2004", "", whole=False) for n in range(2)]
    own = [
        Publication(title, one.authors, "2004", sources=(one.source,), told=(one,)) for one in told
    ]
    other = Publication(title, AUTHORS, "2004", sources=("other",))
    assert merge_publications([*own, other])[0].authors == AUTHORS


APART = {
    "parts": ("On Dialogue, Part I; A. Meier; 2000", "On Dialogue, Part II; A. Meier; 2000"),
    "numbers": ("Report of the Year 2001; A. Roth; 2001", "Report of the Year 2002; A. Roth; 2001"),
    "words": ("Supervised Rule Making Now; A. Roth; ", "Unsupervised Rule Making Now; A. Roth; "),
    "authors": ("A Study of Dialogue; A. Meier; 2000", "A Study of Dialogue; C. Vogt; 2000"),
    "years": ("A Study of Dialogue; A. Meier; 2000", "A Study of Dialogue; A. Meier; 2005"),
    "short titles": ("Editorial; A. Meier; 2000", "Editorial; ; 2000"),
}  # fmt: skip


@pytest.mark.parametrize("why", APART)
def test_what_differs_stays_apart(why: str) -> None:
    parts = [text.split("; ") for text in APART[why]]
    told = [Publication(title, (who,) if who else (), year) for title, who, year in parts]
    assert len(merge_publications(told)) == 2


@given(st.text("abc", min_size=1, max_size=6), st.text("abc", min_size=1, max_size=6))
def test_one_letter_apart_is_what_it_says(one: str, other: str) -> None:
    def changes(word: str) -> set[str]:
        cuts = [(word[:n], word[n:]) for n in range(len(word) + 1)]
        swapped = {a + b[1] + b[0] + b[2:] for a, b in cuts if len(b) > 1}
        replaced = {a + c + b[1:] for a, b in cuts if b for c in "abc"}
        added = {a + c + b for a, b in cuts for c in "abc"}
        return swapped | replaced | added | {a + b[1:] for a, b in cuts if b}

    if one != other:
        assert _one_letter_apart(one, other) == (other in changes(one))


def test_many_alike_cost_little() -> None:
    told = [Publication(f"The same beginning of all {n}", ("A. B",), "2000") for n in range(10_000)]
    before = time.process_time()
    assert len(merge_publications(told)) == 10_000
    assert time.process_time() - before < 10


def test_the_best_writing_of_a_title_stays() -> None:
    titles = ("A Study of Dialogue", "A STUDY OF DIALOGUE!!", "A Study of Dialogue …")
    told = [Publication(title, ("A. Meier",), "2000") for title in titles]
    assert [each.title for each in merge_publications(told)] == ["A Study of Dialogue"]
