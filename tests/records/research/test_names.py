"""Names in all their writings."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.records.persons.person_names import (
    NameLikeness,
    compare_names,
    fold,
    parse_name,
)

FIRST = ("Jörg", "Anna", "Søren", "Émile", "Xiao-Ming", "Jean-Pierre", "Paweł", "Tom")
LAST = ("Müller", "Lindqvist", "Łukasiewicz", "O'Neill", "Strauß", "Garcia", "Öztürk", "Wang")
PARTICLES = ("", "van", "von der", "de la", "di")


def strip(text: str) -> str:
    """Write a name without diacritics, as many lists do."""
    return " ".join(sorted(fold(word))[-1] for word in text.split())


STYLES: dict[str, Callable[[str, str, str], str]] = {
    "spoken": lambda f, p, n: f"{f} {p} {n}",
    "listed": lambda f, p, n: f"{p} {n}, {f}",
    "initial": lambda f, p, n: f"{f[0]}. {p} {n}",
    "listed initial": lambda f, p, n: f"{p} {n}, {f[0]}.",
    "capitals": lambda f, p, n: f"{p} {n.upper()}, {f}",
    "bare": lambda f, _, n: f"{f} {n}",
    "behind": lambda f, _, n: f"{n} {f[0]}.",
    "titled": lambda f, p, n: f"Prof. Dr. {f} {p} {n}",
    "middle": lambda f, p, n: f"{f} Q. {p} {n}",
    "plain": lambda f, p, n: f"{strip(f)} {p} {strip(n)}",
}


def may_be_one(one: str, other: str) -> bool:
    """Whether two printed names may be one person's."""
    return compare_names(parse_name(one), parse_name(other)) > NameLikeness.NONE


@given(
    st.sampled_from(FIRST),
    st.sampled_from(PARTICLES),
    st.sampled_from(LAST),
    st.sampled_from(sorted(STYLES)),
    st.sampled_from(sorted(STYLES)),
)
def test_all_writings_of_a_name_go_together(
    first: str, particle: str, last: str, one: str, other: str
) -> None:
    written = [STYLES[style](first, particle, last) for style in (one, other)]
    assert may_be_one(*written), written


@given(
    st.sampled_from(FIRST),
    st.sampled_from(LAST),
    st.sampled_from(FIRST),
    st.sampled_from(LAST),
    st.sampled_from(sorted(STYLES)),
    st.sampled_from(sorted(STYLES)),
)
def test_other_people_are_others(a: str, b: str, c: str, d: str, one: str, other: str) -> None:
    written = [STYLES[one](a, "", b), STYLES[other](c, "", d)]
    if b != d or (a[0] != c[0] and "plain" not in (one, other)):  # "É" is "E" there
        assert not may_be_one(*written), written


NAMES = st.one_of(
    st.text(max_size=30),
    st.lists(
        st.sampled_from(["J.", "Jan", "van", "de", "Smith", "Smith,", "JD", "王小明", "Jr.", "Ö"]),
        max_size=5,
    ).map(" ".join),
)


@given(NAMES, NAMES)
def test_comparing_has_no_direction(one: str, other: str) -> None:
    a, b = parse_name(one), parse_name(other)
    assert compare_names(a, b) == compare_names(b, a)


@given(NAMES)
def test_everybody_is_like_oneself(text: str) -> None:
    name = parse_name(text)
    assert compare_names(name, name) > NameLikeness.NONE or not name.readings


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("王小明", "王 小明", NameLikeness.FULL),
        ("王小明", "王大明", NameLikeness.NONE),
        ("김민수", "김 민수", NameLikeness.FULL),
        ("Xiao-Ming Wang", "Xiaoming Wang", NameLikeness.FULL),
        ("Xiao Ming Wang", "X.-M. Wang", NameLikeness.INITIALS),
        ("Alex Waibel", "Alexander Waibel", NameLikeness.FULL),
        ("Jan Waibel", "Janet Waibel", NameLikeness.NONE),
        ("J. A. Smith", "J. B. Smith", NameLikeness.NONE),
        ("J. A. Smith", "John Smith", NameLikeness.INITIALS),
        ("Smith JD", "John D. Smith", NameLikeness.INITIALS),
        ("Smith", "John Smith", NameLikeness.LAST),
        ("Smith, Jr., John", "John Smith Jr.", NameLikeness.FULL),
        ("Ch. Fügen", "Christian Fuegen", NameLikeness.INITIALS),
        ("Ludwig van Beethoven", "L. v. Beethoven", NameLikeness.INITIALS),
        ("J. von Neumann", "J. van Neumann", NameLikeness.NONE),
        ("Gabriel García Márquez", "G. Garcia-Marquez", NameLikeness.INITIALS),
        ("Mueller", "Muller", NameLikeness.NONE),  # only "ü" is both
    ],
)
def test_known_cases(one: str, other: str, expected: NameLikeness) -> None:
    assert compare_names(parse_name(one), parse_name(other)) == expected


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("Ludwig van Beethoven", "Ludwig", "van Beethoven"),
        ("van der Berg, J.-P.", "J.-P.", "van der Berg"),
        ("Eva Wang-Kathrein", "Eva", "Wang-Kathrein"),
        ("Smith J. D.", "J. D.", "Smith"),
        ("王小明", "小明", "王"),
        ("Prof. Dr. A. Waibel", "A.", "Waibel"),
    ],
)
def test_first_and_last_names(text: str, first: str, last: str) -> None:
    assert parse_name(text)[1:3] == (first, last)
