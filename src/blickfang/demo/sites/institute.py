"""A research institute's host: publication lists in four markups, with their true fields."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from blickfang.demo.sites.compose import Site, decor_of
from blickfang.demo.sites.pieces import Draft, Link, Piece, anchor, heading, link_list, prose
from blickfang.demo.sites.shots import slug
from blickfang.demo.truth import RecordTruth
from blickfang.demo.writing.grammar import read_lexicon, say, seeded

HOST = "quiet-university.test"
NAME = "Institute for Quiet Sciences"
TOPIC = "noise:research"

# Only the sentences are used here: titles, and a line about each person.
WORDS = read_lexicon("""
= topic noise:research
= motif chart
= language en
= rows name field
Ilse Harmsen | slow clocks
Piotr Zaleski | church acoustics
Wen Li Chao | paper fatigue
Amara Nwosu | ink chemistry
= word object pendulum clocks | church bells | sundials | fountain pens | reading rooms | old maps
  | slide rules | typewriters | card catalogues
= word effect drift | fatigue | resonance | decay | tolerance | geometry | reliability
= word condition under varying load | in small samples | at low temperatures | over long periods
  | in humid climates
= section title Titles
[On|Measuring|Modelling|A note on] the {effect} of {object} {condition}
{object} and their {effect}: [a survey|a field study|new evidence|a second look]
[Why|When|How] {object} fail {condition}
[Fast|Robust|Simple] estimation of {effect} for {object}
= section person About
{name} works on {field} and teaches the course on measurement in the winter term.
Before joining the institute, {name} spent six years in an archive, counting {object}.
Office hours are on Tuesday afternoons; students should bring their data on paper.
= captions
= blurbs
= articles
""")
VENUES = (
    "Journal of Quiet Sciences", "Annals of Slow Measurement",
    "Proceedings of the Workshop on Silence",
    "Transactions on Patience", "Letters in Applied Stillness",
)  # fmt: skip
COAUTHORS = ("R. Oduya", "M. Lindqvist", "T. Ferrante", "S. Koh", "J. P. Marsh", "E. Sørensen")


@dataclass(frozen=True, slots=True)
class Paper:
    """One publication."""

    authors: str
    title: str
    venue: str
    year: str
    link: str  # "" where the list gives none


def as_items(papers: Sequence[Paper]) -> str:
    """A bulleted list, title in bold."""
    lines = [
        f"<li>{escape(it.authors)}: <b>{escape(it.title)}</b>. <i>{escape(it.venue)}</i>,"
        f" {it.year}. {file_link(it, '[PDF]')}</li>"
        for it in papers
    ]
    return f"<ul>{''.join(lines)}</ul>"


def as_definitions(papers: Sequence[Paper]) -> str:
    """A definition list: the title is the term."""
    lines = [
        f"<dt>{escape(it.title)}</dt><dd>{escape(it.authors)}<br>"
        f"{escape(it.venue)} ({it.year}) {file_link(it, 'full text')}</dd>"
        for it in papers
    ]
    return f"<dl>{''.join(lines)}</dl>"


def as_table(papers: Sequence[Paper]) -> str:
    """A table with a row for each paper."""
    lines = [
        f"<tr><td>{it.year}</td><td>{escape(it.authors)}</td><td>{escape(it.title)}</td>"
        f"<td>{escape(it.venue)}</td><td>{file_link(it, 'pdf')}</td></tr>"
        for it in papers
    ]
    head = "<tr><th>Year</th><th>Authors</th><th>Title</th><th>Venue</th><th></th></tr>"
    return f"<table>{head}{''.join(lines)}</table>"


def as_paragraphs(papers: Sequence[Paper]) -> str:
    """Numbered paragraphs side by side, without a wrapper."""
    return "".join(
        f"<p>[{number}] {escape(it.authors)} ({it.year}).<br>{escape(it.title)}.<br>"
        f"<em>{escape(it.venue)}</em>. {file_link(it, 'download')}</p>"
        for number, it in enumerate(papers, 1)
    )


def file_link(paper: Paper, words: str) -> str:
    """Write the link to a paper's file, nothing if there is none."""
    return anchor(Link(paper.link, words)) if paper.link else ""


STYLES: tuple[Callable[[Sequence[Paper]], str], ...] = (
    as_items,
    as_definitions,
    as_table,
    as_paragraphs,
)


def write_papers(person: str) -> list[Paper]:
    """Invent a person's publications, newest first."""
    random = seeded(f"papers/{person}")
    papers = []
    year = random.randint(2019, 2025)
    surname = person.split()[-1]
    for _ in range(random.randint(9, 14)):
        names = [f"{person[0]}. {surname}", *random.sample(COAUTHORS, random.randint(0, 3))]
        random.shuffle(names)
        template = random.choice(WORDS.sections["title"].sentences)
        title = say(WORDS, template, {}, random)
        link = f"/papers/{slug(title)}.pdf" if random.random() < 0.7 else ""
        papers.append(Paper(", ".join(names), title, random.choice(VENUES), str(year), link))
        year -= random.randint(0, 2)
    return papers


def institute() -> tuple[Site, tuple[RecordTruth, ...]]:
    """Make the institute's host and state the records on its pages."""
    written = {row["name"]: write_papers(row["name"]) for row in WORDS.rows}
    pages = [person_page(number, written[row["name"]]) for number, row in enumerate(WORDS.rows)]
    people = [Link(page.url, page.title) for page in pages]
    welcome = prose("We study things that make no noise, and publish about them without hurry.")
    start = (heading(1, NAME), welcome, link_list("People", people))
    site = Site(
        host=HOST,
        name=NAME,
        motto="Research without hurry",
        topic=TOPIC,
        language="en",
        theme="plain",
        drafts=(Draft(f"http://{HOST}/", TOPIC, "en", "start", NAME, start), *pages),
        sketches=(),
        menu=(Link("/", "Institute"), *people),
        decor=decor_of(HOST),
        papers=tuple(
            (f"http://{HOST}{it.link}", pdf_text(it))
            for papers in written.values()
            for it in papers
            if it.link
        ),
    )
    return site, tuple(record_truth(page.url, it) for page in pages for it in written[page.title])


def person_page(number: int, papers: Sequence[Paper]) -> Draft:
    """Write the page of one person: a few words, then the publications in this page's style."""
    row = WORDS.rows[number]
    random = seeded(f"person/{row['name']}")
    about = [say(WORDS, line, row, random) for line in WORDS.sections["person"].sentences]
    text = "\n".join(f"{it.authors} {it.title} {it.venue} {it.year}" for it in papers)
    pieces = (
        heading(1, row["name"]),
        prose(" ".join(about)),
        heading(2, "Publications"),
        Piece(STYLES[number](papers), text),
    )
    url = f"http://{HOST}/people/{slug(row['name'])}.html"
    return Draft(url, TOPIC, "en", "listing", row["name"], pieces)


def record_truth(page: str, paper: Paper) -> RecordTruth:
    """State the fields of one publication."""
    fields = (
        ("authors", paper.authors),
        ("title", paper.title),
        ("venue", paper.venue),
        ("year", paper.year),
        ("link", f"http://{HOST}{paper.link}" if paper.link else ""),
    )
    return RecordTruth(page, "publication", fields)


def pdf_text(paper: Paper) -> str:
    """Write a one-page PDF that shows title and authors, with a correct cross-reference table."""
    shown = [paper.title, paper.authors, f"{paper.venue}, {paper.year}"]
    plain = [line.encode("ascii", "replace").decode() for line in shown]
    lines = " ".join(f"({line}) Tj 0 -24 Td" for line in plain)
    stream = f"BT /F1 14 Tf 60 760 Td {lines} ET"
    objects = (
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R"
        " /Resources << /Font << /F1 5 0 R >> >> >>",
        f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    )
    text, places = "%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(text))
        text += f"{number} 0 obj\n{body}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    return (
        f"{text}xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
        f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(text)}\n%%EOF\n"
    )
