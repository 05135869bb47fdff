"""A small academic web: people's pages in different structures, two people of one name, papers.

In: nothing. Out: sites for a proxy on 127.0.0.1: pages, PDFs, BibTeX, and a SearXNG-like search;
and the truth about who wrote what.
"""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

from fpdf import FPDF

from blickfang.demo.truth import Answer
from tests.crawl.sites import Reply, Sites, page, text

NAME = "Jörg Müller"
SPEECH, CHEMISTRY = "http://speech.nord.test", "http://chemie.sued.test"
GROUP, PARTNER = "http://dialogue.west.test", "http://lindqvist.test"
ELSEWHERE = "http://news.test"


class Work(NamedTuple):
    """A publication as it is."""

    key: str
    title: str
    authors: tuple[str, ...]
    year: int
    venue: str


SPEAKER = (
    Work(
        "spoken",
        "Robust Spoken Dialogue Management for Humanoid Robots",
        (NAME, "Eva Lindqvist", "Tom Okafor"),
        2019,
        "Proceedings of the Conference on Spoken Language",
    ),
    Work(
        "clarify",
        "When to Ask Back: Clarification Questions in Spoken Dialogue",
        ("Eva Lindqvist", NAME),
        2018,
        "Journal of Dialogue Systems",
    ),
    Work(
        "prosody",
        "Prosodic Cues for Turn Taking in Human-Robot Dialogue",
        (NAME, "Tom Okafor"),
        2017,
        "Workshop on Speech and Robots",
    ),
    Work(
        "lexicon",
        "Learning Pronunciation Lexicons from Untranscribed Speech",
        ("Mei Tanaka", NAME, "Eva Lindqvist"),
        2016,
        "Proceedings of the Conference on Spoken Language",
    ),
    Work(
        "noise",
        "Noise Adaptive Acoustic Models for Kitchen Robots",
        (NAME, "Mei Tanaka"),
        2015,
        "Workshop on Speech and Robots",
    ),
    Work(
        "names",
        "Recognising Names in Spontaneous Speech",
        (NAME, "Eva Lindqvist"),
        2014,
        "Journal of Dialogue Systems",
    ),
)
CHEMIST = (
    Work(
        "zeolite",
        "Methanol Conversion over Hierarchical Zeolite Catalysts",
        (NAME, "Paula Reinhardt"),
        2019,
        "Journal of Catalytic Chemistry",
    ),
    Work(
        "palladium",
        "Palladium Nanoparticles in Porous Silica: Synthesis and Activity",
        ("Paula Reinhardt", NAME, "Ivan Petrov"),
        2018,
        "Advanced Porous Materials",
    ),
    Work(
        "sorption",
        "Water Sorption in Metal Organic Frameworks",
        (NAME, "Ivan Petrov"),
        2016,
        "Advanced Porous Materials",
    ),
    Work(
        "oxide",
        "Surface Defects of Cerium Oxide Catalysts",
        (NAME, "Paula Reinhardt", "Li Wen"),
        2015,
        "Journal of Catalytic Chemistry",
    ),
)
# Only on the page of a co-author, with initials.
VISITING = Work(
    "visiting",
    "Spoken Dialogue with Robots in Museums",
    ("Eva Lindqvist", "J. Müller"),
    2020,
    "Museum Technology Review",
)
# Only in a BibTeX file.
HIDDEN = Work(
    "hidden",
    "A Corpus of Spoken Kitchen Dialogue",
    ("Tom Okafor", NAME),
    2013,
    "Language Resources Workshop",
)
OTHERS = (
    Work("lq1", "Exhibits that Speak", ("Eva Lindqvist", "Ann Berg"), 2021, "Museum Studies"),
    Work("lq2", "Guides and Visitors", ("Eva Lindqvist", "Ann Berg"), 2012, "Museum Studies"),
    Work("lq3", "Sound in Exhibitions", ("Ann Berg", "Eva Lindqvist"), 2011, "Acoustics Today"),
)
KARL = (
    Work("k1", "Taxes in Small Towns", ("Karl Müller", "Ida Roth"), 2010, "Economic Letters"),
    Work("k2", "Bridges and Tolls", ("Karl Müller", "Ida Roth"), 2011, "Economic Letters"),
    Work("k3", "Why Markets Close", ("Ida Roth", "Karl Müller"), 2012, "Economic Letters"),
)


def abstract_of(work: Work) -> str:
    """Return the abstract that the paper of a work has."""
    return f"We report on {work.title.lower()}. Results of {work.year} are discussed in detail."


@cache
def make_paper(work: Work, place: str, mails: str) -> bytes:
    """Return the PDF of a work."""
    pdf = FPDF()
    pdf.add_page()
    lines = [
        (work.title, 18),
        (", ".join(work.authors), 11),
        *((line, 10) for line in place.split("|")),
    ]
    for words, size in [*lines, (mails, 10)]:
        pdf.set_font("times", size=size)
        pdf.multi_cell(0, 7, words, align="C", new_x="LMARGIN", new_y="NEXT")
    pdf.set_font("times", "B", 12)
    pdf.cell(0, 9, "Abstract", new_x="LMARGIN", new_y="NEXT")
    pdf.set_font("times", size=10)
    pdf.multi_cell(90, 5, abstract_of(work), new_x="LMARGIN", new_y="NEXT")
    pdf.cell(0, 9, "1. Introduction", new_x="LMARGIN", new_y="NEXT")
    pdf.multi_cell(0, 5, "Dialogue has long been studied by many people. " * 60)
    return bytes(pdf.output())


def make_scan() -> bytes:
    """Return a PDF without a letter."""
    pdf = FPDF()
    pdf.add_page()
    pdf.rect(10, 10, 100, 100)
    return bytes(pdf.output())


def make_locked() -> bytes:
    """Return a PDF that asks for a password."""
    pdf = FPDF()
    pdf.set_encryption(owner_password="owner", user_password="user")  # noqa: S106
    pdf.add_page()
    pdf.set_font("times", size=12)
    pdf.cell(0, 10, "secret")
    return bytes(pdf.output())


def to_bibtex(work: Work) -> str:
    """Return a work as an entry, with the accents of TeX."""
    names = " and ".join(
        name.replace("ö", '{\\"o}').replace("ü", '{\\"u}') for name in work.authors
    )
    return (
        f"@inproceedings{{{work.key},\n  author = {{{names}}},\n  title = {{{{{work.title}}}}},\n"
        f"  booktitle = {{{work.venue}}},\n  year = {work.year}\n}}\n"
    )


def html(title: str, body: str, head: str = "") -> Answer:
    """Return a page."""
    whole = f"<!doctype html><meta charset=utf-8><title>{title}</title>{head}<body>{body}"
    return Answer(200, (("Content-Type", "text/html; charset=utf-8"),), whole.encode())


def file(body: bytes, kind: str) -> Answer:
    """Return a file."""
    return Answer(200, (("Content-Type", kind),), body)


def as_list(works: tuple[Work, ...], papers: Mapping[str, str]) -> str:
    """Return works as a list: authors, title in quotes, venue in italics, year, links."""
    rows = []
    for work in works:
        link = f' <a href="{papers[work.key]}">[pdf]</a>' if work.key in papers else ""
        bib = f' <a href="bib/{work.key}.bib">[bib]</a>' if work.key == "spoken" else ""
        rows.append(
            f"<li>{', '.join(work.authors)}: “{work.title}”. <i>{work.venue}</i>, {work.year}."
            f"{link}{bib}</li>"
        )
    return f"<ul>{''.join(rows)}</ul>"


def as_table(works: tuple[Work, ...]) -> str:
    """Return works as a table: year, title in bold, authors below it, venue."""
    rows = [
        f"<tr><td>{work.year}</td><td><b>{work.title}</b><br>{'; '.join(work.authors)}</td>"
        f"<td><i>{work.venue}</i></td></tr>"
        for work in works
    ]
    return f"<table>{''.join(rows)}</table>"


def shorten(name: str) -> str:
    """Return a name with an initial."""
    first, _, last = name.rpartition(" ")
    return f"{first[:1]}. {last}"


def as_paragraphs(works: tuple[Work, ...]) -> str:
    """Return works as paragraphs with initials and titles in capital letters, by year."""
    parts = []
    for work in works:
        names = ", ".join(shorten(name) for name in work.authors)
        parts.append(
            f"<p>{names} ({work.year}). <b>{work.title.upper()}</b>. In: {work.venue}.</p>"
        )
    return "".join(parts)


PLACE = "Department of Speech, Northern University|Seaside 4, 20001 Nordstadt"
CHEM_PLACE = "Institute of Chemistry, Southern University"
MAILS = "{mueller, okafor}@speech.nord.test"


def list_replies() -> dict[str, Reply]:
    """Return what every address answers."""
    papers = {
        "spoken": "papers/spoken.pdf",
        "clarify": "papers/clarify.pdf",
        "prosody": "papers/locked.pdf",
        "lexicon": "papers/scan.pdf",
        "noise": "papers/wrong.pdf",
        "names": "papers/page.pdf",
    }
    pdf = "application/pdf"
    found: dict[str, Reply] = {
        f"{SPEECH}/": html(
            f"{NAME} - home",
            f"<h1>{NAME}</h1><p>I work on speech.</p>"
            "<a href='pubs/'>Publications</a> <a href='/teaching'>Teaching</a>",
        ),
        f"{SPEECH}/teaching": html("Teaching", f"<h1>Courses of {NAME}</h1><p>Speech 1</p>"),
        f"{SPEECH}/pubs/": html(
            f"{NAME}: publications",
            f"<h1>Publications of {NAME}</h1>{as_list(SPEAKER, papers)}"
            "<p>All of it as <a href='all.bib'>BibTeX</a>.</p>",
        ),
        f"{SPEECH}/pubs/all.bib": file(
            "".join(map(to_bibtex, (*SPEAKER, HIDDEN, *KARL))).encode(), "application/x-bibtex"
        ),
        f"{SPEECH}/pubs/bib/spoken.bib": file(to_bibtex(SPEAKER[0]).encode(), "text/plain"),
        f"{SPEECH}/pubs/papers/spoken.pdf": file(make_paper(SPEAKER[0], PLACE, MAILS), pdf),
        f"{SPEECH}/pubs/papers/clarify.pdf": file(
            make_paper(SPEAKER[1], PLACE, "j.mueller@speech.nord.test"), pdf
        ),
        f"{SPEECH}/pubs/papers/locked.pdf": file(make_locked(), pdf),
        f"{SPEECH}/pubs/papers/scan.pdf": file(make_scan(), pdf),
        f"{SPEECH}/pubs/papers/wrong.pdf": file(make_paper(KARL[0], PLACE, MAILS), pdf),
        f"{SPEECH}/pubs/papers/page.pdf": html("Sorry", "<p>Please log in.</p>"),
        f"{CHEMISTRY}/mueller": html(
            f"Prof. {NAME}, Chemistry",
            f"<h1>Dr. {NAME}</h1><h2>Veröffentlichungen</h2>{as_table(CHEMIST)}",
        ),
        f"{GROUP}/publications": html(
            "Dialogue group",
            f"<h1>Dialogue Group</h1><h2>Our publications</h2>{as_paragraphs((*SPEAKER, *OTHERS))}",
        ),
        f"{PARTNER}/": html(
            "Eva Lindqvist",
            f"<h1>Eva Lindqvist</h1><h2>Papers</h2>{as_list((VISITING, *OTHERS), {})}",
        ),
        f"{ELSEWHERE}/prize": html("Prize", f"<p>{NAME} has won the prize for publications.</p>"),
        f"{ELSEWHERE}/karl": html("Karl Müller", f"<h1>Karl Müller</h1>{as_list(KARL, {})}"),
        f"{ELSEWHERE}/silent": html(
            f"Publications of {NAME}", as_list(CHEMIST, {}), "<meta name=robots content=noindex>"
        ),
        f"{ELSEWHERE}/robots.txt": text("User-agent: *\nDisallow: /forbidden"),
        f"{ELSEWHERE}/forbidden": html(f"Publications of {NAME}", as_list(CHEMIST, {})),
    }
    everything = [url for url in found if not url.endswith((".pdf", ".bib", ".txt"))]
    found["http://start.test/"] = page(*everything)
    return found


PAGES = (
    f"{SPEECH}/",
    f"{CHEMISTRY}/mueller",
    f"{GROUP}/publications",
    f"{PARTNER}/",
    f"{ELSEWHERE}/prize",
    f"{ELSEWHERE}/karl",
    f"{ELSEWHERE}/silent",
    f"{ELSEWHERE}/forbidden",
    "http://gone.test/",
)


class Academia(Sites):
    """The academic web, and a search engine on whatever host is asked for /search."""

    def __init__(self) -> None:
        super().__init__(list_replies())
        self.queries: list[str] = []

    def answer(self, url: str, headers: Mapping[str, str] | None = None) -> Answer:
        """Answer a request."""
        parts = urlsplit(url)
        if parts.path != "/search":
            return super().answer(url, headers)
        asked = parse_qs(parts.query)
        self.queries.append(asked["q"][0])
        results = [{"url": each, "title": "", "content": ""} for each in PAGES]
        return file(json.dumps({"results": results}).encode(), "application/json")


def list_works() -> Iterator[tuple[str, int]]:
    """Give the titles that can be found, and who of the two wrote each: 1 or 2."""
    for work in (*SPEAKER, VISITING, HIDDEN):
        yield work.title, 1
    for work in CHEMIST:
        yield work.title, 2
