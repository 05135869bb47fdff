"""Heads of papers as they are printed."""

from hypothesis import given
from hypothesis import strategies as st

from blickfang.records.persons.pdf_head import PdfLine, find_head, find_mails, is_abstract

TITLE = "Integrating Face-ID into an Interactive Person-ID Learning System"


def lines(text: str, large: int = 1) -> list[PdfLine]:
    rows = [row.strip() for row in text.strip().splitlines()]
    return [PdfLine(row, 18.0 if at < large else 10.0) for at, row in enumerate(rows)]


def test_two_lines_of_title_marks_and_several_places() -> None:
    page = lines(
        """Integrating Face-ID into an Interactive
        Person-ID Learning System
        Stephan Könn1, Hartwig Holzapfel1 and Alex Waibel2
        1 Interactive Systems Laboratories, Universität Karlsruhe
        Am Fasanengarten 5, 76131 Karlsruhe, Germany
        2 School of Computer Science, Carnegie Mellon University
        Pittsburgh, PA, USA
        {koenn|holzapfel}@ira.uka.de, ahw (at) cs.cmu.edu
        Abstract—Acquiring knowledge about per-
        sons is a key functionality.
        Index Terms: robots, faces
        1. Introduction
        More text follows here.""",
        large=2,
    )
    for title in (TITLE, TITLE.upper(), ""):
        head = find_head([page], title, ("S. Könn", "H. Holzapfel", "A. Waibel"))
        assert head is not None
        assert head.title.casefold() == TITLE.casefold()
        assert head.affiliations == (
            "Interactive Systems Laboratories, Universität Karlsruhe, Am Fasanengarten 5, "
            "76131 Karlsruhe, Germany",
            "School of Computer Science, Carnegie Mellon University, Pittsburgh, PA, USA",
        )
        assert head.emails == ("koenn@ira.uka.de", "holzapfel@ira.uka.de", "ahw@cs.cmu.edu")
        assert head.abstract == "Acquiring knowledge about persons is a key functionality."


def test_a_cover_page_is_passed_over() -> None:
    cover = lines("Technical Report 17\nPlease cite as: see below")
    paper = lines(f"{TITLE}\nA. Author\nSome University\nAbstract\nWe did it.\nKeywords: none")
    head = find_head([cover, paper], TITLE, ("A. Author",))
    assert head is not None
    assert (head.affiliations, head.abstract) == (("Some University",), "We did it.")


def test_without_an_abstract_the_text_is_not_taken_for_a_head() -> None:
    body = "The university of the future is a place in which all of us will read and write a lot."
    head = find_head([lines(f"{TITLE}\nA. Author\nInstitute of Things\n{body}")], TITLE)
    assert head is not None
    assert (head.affiliations, head.abstract) == (("Institute of Things",), "")


def test_another_paper_is_no_head() -> None:
    assert find_head([lines("Quite Another Thing\nA. Author")], TITLE) is None
    assert find_head([], TITLE) is None
    assert find_head([[]]) is None


def test_words_over_abstracts() -> None:
    yes = ("Abstract", "ABSTRACT We show", "A B S T R A C T", "Zusammenfassung:", "摘要")
    no = (
        "Abstract Syntax Notation One",
        "Abstraction",
        "We abstract from it",
        "Summary of results",
    )
    assert all(map(is_abstract, yes))
    assert not any(map(is_abstract, no))


def test_mail_addresses() -> None:
    assert list(find_mails("Mail: a.b@c.de. Or {x, y}@z.org; q [at] w.net")) == [
        "x@z.org",
        "y@z.org",
        "a.b@c.de",
        "q@w.net",
    ]
    assert list(find_mails("follow @someone at the corner")) == []


def test_accents_beside_their_letters_and_lost_ligatures() -> None:
    page = lines(
        """An Ecient Reection of Waves
        J. M¨uller and Fran¸cois Lef`evre
        Universit ̈at Karlsruhe, D´epartement d'Informatique
        March 12, 2007
        Abstract
        We reﬂect.""",
    )
    head = find_head([page], "An Efficient Reflection of Waves", ("J. Müller",))
    assert head is not None
    assert head.title == "An Efficient Reflection of Waves"
    assert head.affiliations == ("Universität Karlsruhe, Département d'Informatique",)


def test_dates_are_no_part_of_an_address() -> None:
    for date in (
        "March 12, 2007",
        "12. März 2007",
        "May 2007",
        "2007-03-12",
        "Revised: 3 June 2001",
    ):
        page = lines(f"{TITLE}\nA. Author\nSome University\n{date}\nAbstract\nWe did it.")
        head = find_head([page], TITLE, ("A. Author",))
        assert head is not None
        assert head.affiliations == ("Some University",), date
    page = lines(f"{TITLE}\nA. Author\nSome University\nMay Street 12, London\nAbstract\nWe.")
    head = find_head([page], TITLE, ("A. Author",))
    assert head is not None
    assert head.affiliations == ("Some University, May Street 12, London",)


def test_numbered_institutes_are_told_apart() -> None:
    for between in (" ", "\n"):
        page = lines(
            f"{TITLE}\nA. Author1 and B. Buthor2\n1 Institute of Water, Bonn, Germany{between}"
            "2 University of Ice, Room 3, Oslo\nAbstract\nWe did it."
        )
        head = find_head([page], TITLE, ("A. Author", "B. Buthor"))
        assert head is not None
        assert head.affiliations == (
            "Institute of Water, Bonn, Germany",
            "University of Ice, Room 3, Oslo",
        )


def test_apostrophes_in_addresses() -> None:
    assert list(find_mails("{a, o'neill}@x.edu, m.o'hara@y.ie")) == [
        "a@x.edu",
        "o'neill@x.edu",
        "m.o'hara@y.ie",
    ]


@given(
    st.lists(st.builds(PdfLine, st.text(max_size=40), st.floats(0, 99)), max_size=12),
    st.text(max_size=20),
    st.lists(st.text(max_size=12), max_size=3),
)
def test_nothing_raises(page: list[PdfLine], title: str, authors: list[str]) -> None:
    find_head([page, page], title, authors)
