"""BibTeX: read, written, read again; and files that want to hurt."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.records.persons import Publication, parse_bibtex, write_bibtex
from blickfang.records.persons.bibtex import (
    MAX_ENTRIES,
    read_entries,
    read_latex,
    split_authors,
    write_latex,
)
from blickfang.records.persons.person_values import BIBTEX

# What a field can hold at all: one line, no characters that are parts of others.
TEXTS = st.text(
    st.one_of(
        st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Co", "Cn", "Zl", "Zp", "Mn")),
        st.sampled_from("{}\\$&%#_~^\"'`-@,= and"),
    ),
    max_size=60,
).map(lambda text: read_latex(write_latex(text)))
NAMES = TEXTS.filter(lambda text: text and text.casefold() not in ("others", "et al."))


@given(st.text(max_size=80))
def test_plain_text_survives_tex(text: str) -> None:
    once = read_latex(write_latex(text))
    assert read_latex(write_latex(once)) == once
    if text.isascii() and text.isprintable() and not set("`") & set(text):
        assert once == " ".join(text.split())


@given(
    TEXTS.filter(bool),
    st.lists(NAMES, max_size=4),
    st.sampled_from(["", "1999", "2024"]),
    TEXTS,
    TEXTS,
)
def test_what_is_written_is_read_again(
    title: str, authors: list[str], year: str, venue: str, abstract: str
) -> None:
    one = Publication(title, tuple(authors), year, venue, abstract=abstract, trust=BIBTEX)
    two = one._replace(title=f"{title} again")
    read = parse_bibtex("".join(write_bibtex([one, two])))
    assert read == [one, two]


def test_an_entry_with_all_its_tricks() -> None:
    found = parse_bibtex(
        r"""% a comment, mail: someone@example.org {
        @string{jmlr = "J. Mach. " # {Learn. Res.}}
        @comment{ @article{no, title={Not this}} }
        @article{a,
          author = "M{\"u}ller, J{\"o}rg and Jos\'e Garc\'\i a and {Barnes and Noble} and others",
          title={A {B}ig \emph{Study} --- of R\&D}, journal = jmlr # { 5}, year = 2009, month=jan,
          url={http://a.b/~x/c\_d.pdf}, doi = {https://doi.org/10.1/ABC}, title = {second}}
        @inproceedings(b, title = "In {"}quotes{"}", booktitle={Proc}, year="to appear 2010")
        """,
        "s",
    )
    wanted = [each for each in found if each.title != "Not this"]
    assert wanted[0] == Publication(
        "A Big Study — of R&D",
        ("Müller, Jörg", "José García", "Barnes and Noble"),
        "2009",
        "J. Mach. Learn. Res. 5",
        pdfs=("http://a.b/~x/c_d.pdf",),
        doi="10.1/abc",
        sources=("s",),
        trust=BIBTEX,
    )
    assert (wanted[1].title, wanted[1].year, wanted[1].venue) == ('In "quotes"', "2010", "Proc")


def test_keys_differ() -> None:
    text = "".join(write_bibtex([Publication("Same Title", ("A. B",), "2000")] * 3))
    assert [line for line in text.splitlines() if line.startswith("@")] == [
        "@misc{b2000same,",
        "@misc{b2000same-2,",
        "@misc{b2000same-3,",
    ]


HOSTILE = [
    "{" * 1_000_000,
    "@a{x, title=" + "{" * 1_000_000,
    "@a{x, title=" + "{" * 500_000 + "}" * 500_000 + "}",
    " @a{" * 500_000,
    "@a{x," + "t=1," * 300_000,
    "@a{x, title={" + "\\" * 1_000_000,
    "@a{x, title={x}, author={" + " and" * 300_000 + "}}",
    "@a{x, title={x}" + " ," * 500_000,
    "@a{x, b=1 " + " " * 1_000_000,
    "@string{a={" + "x" * 20_000 + "}} @a{k, title=a" + "#a" * 200_000 + "}",
    "@a{x, title={" + "\\'{ " * 300_000 + "}}",
]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:12])
def test_hostile_files_cost_little(text: str) -> None:
    before = time.process_time()
    found = parse_bibtex(text)
    assert time.process_time() - before < 3
    assert all(len(each.title) <= 20_000 for each in found)


def test_more_entries_than_anybody_writes() -> None:
    text = "\n@misc{a, title={x}}" * (MAX_ENTRIES + 10)
    assert sum(1 for _ in read_entries(text)) == MAX_ENTRIES


@given(st.text(alphabet="@a{}(),=\"# \\\n'~tile", max_size=200))
def test_nothing_raises(text: str) -> None:
    parse_bibtex(text)
    split_authors(text)
