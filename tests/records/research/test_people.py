"""People of one name are kept apart."""

import math
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from blickfang.records.persons import Publication, merge_publications, parse_name, separate_people
from blickfang.records.persons.disambiguate import SPREAD, Topics, find_role, is_mail_of
from tests.academia import CHEMIST, NAME, SPEAKER, VISITING, Work

PERSON = parse_name(NAME)


def tell(*works: Work) -> list[Publication]:
    return [Publication(w.title, w.authors, str(w.year), w.venue) for w in works]


def test_co_authors_and_topics_tell_people_apart() -> None:
    told = merge_publications(tell(*SPEAKER, *CHEMIST, VISITING))
    numbers = separate_people(told, PERSON)
    titles = {work.title for work in CHEMIST}
    assert [number == 2 for number in numbers] == [each.title in titles for each in told]
    assert set(numbers) == {1, 2}


def test_without_co_authors_topics_decide() -> None:
    told = [each._replace(authors=(NAME,)) for each in tell(*SPEAKER, *CHEMIST)]
    numbers = separate_people(merge_publications(told), PERSON)
    assert len(set(numbers)) < len(told)  # some words are shared


def test_names_that_exclude_each_other_are_never_one() -> None:
    told = [
        Publication("On Speech", ("J. A. Smith", "Eva Lindqvist"), "2000", owned=("p",)),
        Publication("On Speech Again", ("J. B. Smith", "Eva Lindqvist"), "2001", owned=("p",)),
        Publication("Speech at Last", ("John Smith", "Eva Lindqvist"), "2002", owned=("p",)),
    ]
    numbers = separate_people(told, parse_name("John Smith"))
    assert numbers[0] != numbers[1]


def test_own_pages_and_mail_join_what_nothing_else_does() -> None:
    told = [
        Publication("Zeolites and Water", (NAME,), "2001", owned=("http://own/",)),
        Publication("Turn Taking of Robots", (NAME,), "2002", owned=("http://own/",)),
        Publication("Roman Coins in Gaul", (NAME,), "2003", emails=("mueller@x.org",)),
        Publication("Medieval Bridges", (NAME,), "2004", emails=("Mueller@x.org", "b@x.org")),
    ]
    one, two, three, four = separate_people(told, PERSON)
    assert one == two
    assert three == four


def test_a_list_that_leaves_its_owner_out_is_the_owners() -> None:
    told = [
        Publication("Zeolites and Water", ("Paula Reinhardt",), "2001", owned=("http://own/",)),
        Publication("Turn Taking of Robots", (), "2002", owned=("http://own/",)),
    ]
    assert separate_people(told, PERSON) == [1, 1]


WORKS = st.lists(
    st.builds(
        Publication,
        st.sampled_from(["On Speech of Robots", "Water in Zeolites", "Speech and Water", "Coins"]),
        st.sampled_from(
            [(NAME,), ("J. Müller", "A. Roth"), ("J. K. Müller", "B. Wu"), ("A. Roth",)]
        ),
        st.sampled_from(["2000", "2001"]),
        owned=st.sampled_from([(), ("p",), ("q",)]),
    ),
    max_size=8,
)


@settings(max_examples=settings().max_examples // 5)
@given(WORKS)
def test_everybody_gets_a_number_and_the_first_has_most(told: list[Publication]) -> None:
    numbers = separate_people(told, PERSON)
    counts = [numbers.count(number) for number in range(1, max(numbers, default=0) + 1)]
    assert len(numbers) == len(told)
    assert counts == sorted(counts, reverse=True)
    assert all(counts)


def test_roles_and_mail() -> None:
    role = find_role(("E. Lindqvist", "Müller, J."), PERSON)
    assert role is not None
    assert (role.own.printed, [name.last for name in role.others]) == ("Müller, J.", ["Lindqvist"])
    assert find_role(("E. Lindqvist",), PERSON) is None
    assert is_mail_of("joerg.mueller@x.org", PERSON)
    assert not is_mail_of("info@mueller.org", PERSON)


COUNTS = st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 5), min_size=1).map(Counter)


@given(COUNTS, COUNTS, COUNTS)
def test_gains_are_differences_of_likelihoods(
    one: Counter[str], other: Counter[str], rest: Counter[str]
) -> None:
    topics = Topics([one, other, rest])

    def rate(words: Counter[str]) -> float:
        found = math.lgamma(SPREAD) - math.lgamma(SPREAD + words.total())
        for word, count in words.items():
            found += math.lgamma(topics.prior[word] + count) - math.lgamma(topics.prior[word])
        return found

    slowly = rate(one + other) - rate(one) - rate(other)
    assert math.isclose(topics.gain(one, other), slowly, abs_tol=1e-6)
