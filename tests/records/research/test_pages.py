"""Which pages are lists of a person's publications."""

import pytest

from blickfang.demo.truth import Answer
from blickfang.html import read_page
from blickfang.records import extract_records
from blickfang.records.persons.person_names import parse_name
from blickfang.records.persons.person_pages import PersonOnPage, find_ways, is_named, read_sighting
from blickfang.types import Failure, Page
from tests.academia import CHEMIST, KARL, NAME, OTHERS, SPEAKER, as_list, as_table, html, to_bibtex

PERSON = parse_name(NAME)
URL = "http://www.x.ac.uk/a/page.html"


def see(answer: Answer) -> tuple[Page, PersonOnPage]:
    text = answer.body.decode()
    page = read_page(text, url=URL)
    regions = extract_records(text, URL, "publications")
    assert not isinstance(page, Failure)
    assert not isinstance(regions, Failure)
    return page, read_sighting(page, regions, PERSON)


def titles(sighting: PersonOnPage) -> set[str]:
    return {each.title for each in sighting.found}


@pytest.mark.parametrize("body", [as_list(SPEAKER, {}), as_table(SPEAKER)])
def test_own_lists(body: str) -> None:
    sighting = see(html("Papers", body))[1]
    assert sighting.is_own
    assert titles(sighting) == {work.title for work in SPEAKER}
    assert all(each.owned == (URL,) for each in sighting.found)


def test_lists_of_others_and_of_many() -> None:
    others = see(html("Karl", as_list(KARL, {})))[1]
    assert (others.is_list, others.is_own, others.found) == (True, False, ())
    many = see(html("All", as_list((*OTHERS, *KARL, *SPEAKER[:2]), {})))[1]
    assert not many.is_own
    assert titles(many) == {work.title for work in SPEAKER[:2]}
    assert not any(each.owned for each in many.found)


def test_an_owner_who_is_left_out() -> None:
    works = tuple(
        work._replace(authors=tuple(name for name in work.authors if name != NAME))
        for work in (*SPEAKER, *CHEMIST)
    )
    own = see(html(f"Publications of {NAME}", as_list(works, {})))[1]
    assert own.is_own
    assert len(own.found) == len(works)
    assert see(html("Publications of the group", as_list(works, {})))[1].found == ()


def test_bibtex_on_a_page_and_beside_it() -> None:
    shown = "".join(f"<pre>{to_bibtex(work)}</pre>" for work in (*SPEAKER, *KARL))
    page, sighting = see(html("BibTeX", f"{shown}<a href='all.bib'>all</a>"))
    assert titles(sighting) >= {work.title for work in SPEAKER}
    assert not titles(sighting) & {work.title for work in KARL}
    assert sighting.bibs == ("http://www.x.ac.uk/a/all.bib",)
    assert page.url == URL


def test_ways_stay_in_the_domain_and_lead_to_lists() -> None:
    links = (
        '<a href="pubs.html">Publications</a><a href="/teaching">Teaching</a>'
        '<a href="http://cs.x.ac.uk/papers/">more</a><a href="http://y.ac.uk/p">Papers</a>'
        '<a href="#here">Publications</a><iframe src="frame.html"></iframe>'
    )
    page, sighting = see(html(f"{NAME}", links))
    assert find_ways(page, sighting, PERSON) == [
        "http://www.x.ac.uk/a/pubs.html",
        "http://cs.x.ac.uk/papers/",
        "http://www.x.ac.uk/a/frame.html",
    ]
    page, sighting = see(html("Somebody else", links))
    assert find_ways(page, sighting, PERSON) == ["http://www.x.ac.uk/a/frame.html"]
    years = as_list(SPEAKER, {}) + '<a href="2012.html">2012</a><a href="other.html">Papers</a>'
    page, sighting = see(html("Papers", years))
    assert find_ways(page, sighting, PERSON) == ["http://www.x.ac.uk/a/2012.html"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Prof. Jörg Müller, Chemistry", True),
        ("Mueller, J. - publications", True),
        ("Karl Müller", False),
        ("Jörg and friends", False),
        ("", False),
    ],
)
def test_names_in_headings(text: str, expected: bool) -> None:
    assert is_named(text, PERSON) == expected
