"""Records begin where a record begins, whatever part of them a page repeats most regularly."""

import random
import tracemalloc
from typing import NamedTuple

import pytest

from blickfang.records import extract_records
from blickfang.records.rotation import ShownChildren, find_blocks
from blickfang.records.study.page_tokens import ALL
from blickfang.records.study.study_patterns import MatchedPattern, find_patterns
from blickfang.types import Failure
from tests.records.test_study import read

PEOPLE = ["Ann Lee", "Bo M. Tal", "Cyril Seeger", "Dina Bach", "Emil Furtner", "Fay Quell"]
TITLES = [
    "Rivers of the north and their bridges",
    "Lakes and shores",
    "How streams begin: a survey of springs in the hills",
    "Wet lands of Europe",
    "The speed of brooks",
    "On ice",
    "A map of tides and currents for small boats",
    "Rain in the mountains",
    "Why ponds freeze from above",
    "Counting drops",
    "Snow and its melting: observations from nine winters",
    "Deltas seen from the air",
]
VENUES = ["Journal of Water, 12(3)", "Brook Letters", "Conference on Springs, Turin, Italy"]


class Paper(NamedTuple):
    authors: str
    title: str
    venue: str
    year: int
    link: str


def draw_papers(rng: random.Random) -> list[Paper]:
    """Return some publications, newest first, some of them with a link."""
    share = rng.choice([0.3, 0.5, 0.8, 1.0])
    papers = []
    for k, title in enumerate(rng.sample(TITLES, rng.randint(4, len(TITLES)))):
        authors = " and ".join(rng.sample(PEOPLE, rng.randint(1, 3)))
        link = f"p{k}.pdf" if rng.random() < share else ""
        papers.append(Paper(authors, title, rng.choice(VENUES), rng.randint(2000, 2007), link))
    return sorted(papers, key=lambda paper: -paper.year)


def draw_page(rng: random.Random, papers: list[Paper]) -> str:
    """Return a page in the markup of the study: no element holds a record, links come last."""
    tag = rng.choice(["font", "font size=3", "span"])
    rows, year = ["<font size=5>Publications</font>"], 0
    by_year = rng.random() < 0.7
    for paper in papers:
        if by_year and paper.year != year:
            year = paper.year
            rows.append(f"<br><br><font face=Arial><font size=4>{year}</font></font>")
        parts = (paper.authors, paper.title, f"{paper.venue}, {paper.year}")
        row = "<br>".join(f"<{tag}>{part}</{tag.split()[0]}>" for part in parts)
        if paper.link:
            row += f"<br><a href={paper.link}><img src=pdf.gif>download</a>"
        rows.append(f"<!-- next -->\n<br><br>{row}")
    body = "\n".join(rows)
    return f"<div>{body}</div>" if rng.random() < 0.5 else body


def extract(html: str) -> list[tuple[str, list[str]]]:
    """Return the texts of the first list's records and their links."""
    found = extract_records(html, regions=1)
    assert not isinstance(found, Failure)
    return [(record.text, [url for _, url in record.links]) for record in found[0].records]


@pytest.mark.parametrize("seed", range(40))
def test_optional_trailing_links_stay_with_their_record(seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311
    papers = draw_papers(rng)
    html = draw_page(rng, papers)
    found = extract(html)
    assert len(found) == len(papers)
    for (text, links), paper in zip(found, papers, strict=True):
        assert all(part in text for part in (paper.authors, paper.title, paper.venue))
        assert links == ([paper.link] if paper.link else [])
    regions = extract_records(html, kind="publications", regions=1)
    assert not isinstance(regions, Failure)
    pdfs = {record.fields["title"]: record.fields["pdf"] for record in regions[0].records}
    assert pdfs == {paper.title: paper.link for paper in papers}


def test_rules_part_records_as_blank_lines_do() -> None:
    rows = "".join(
        f"<hr>{TITLES[k]}<br><i>{VENUES[k % 3]}</i>" + (f"<br><a href={k}>pdf</a>" if k else "")
        for k in range(8)
    )
    found = extract(f"<p>{rows}</p>")
    assert [text.startswith(TITLES[k]) for k, (text, _) in enumerate(found)] == [True] * 8
    assert [links for _, links in found] == [[], *([str(k)] for k in range(1, 8))]


@pytest.mark.parametrize("before", ["", "<h1>Publications</h1>", "<b>All of them</b><br>"])
def test_lines_around_a_link_are_of_one_record(before: str) -> None:
    rows = "".join(
        f"{PEOPLE[k]}<br><a href={k}.pdf>{TITLES[k]}</a><br>" for k in range(len(PEOPLE))
    )
    found = extract(f"{before}<p>{rows}</p>")
    assert [links for _, links in found] == [[f"{k}.pdf"] for k in range(len(PEOPLE))]
    assert all(text.startswith(PEOPLE[k]) for k, (text, _) in enumerate(found))


@pytest.mark.parametrize("tail", ["", "<p>One more line about it</p>"])
def test_records_that_begin_with_their_heads_stay(tail: str) -> None:
    rows = "".join(
        f"<div class=name>{TITLES[k]}</div><p>By {PEOPLE[k % 6]}</p><p>Read it {k} times</p>"
        for k in range(9)
    )
    found = extract(f"<p>What follows is a list</p>{rows}{tail}")
    assert len(found) == 9
    assert all(text.startswith(TITLES[k]) for k, (text, _) in enumerate(found))


def find_rows(html: str, rows: int) -> MatchedPattern:
    """Return the pattern of the study's way that has so many rows and whose matrix is densest."""
    found = [one for one in find_patterns(read(html), ALL) if len(one.matrix) == rows]
    assert found
    return max(found, key=lambda one: sum(bool(cell) for row in one.matrix for cell in row))


def test_patterns_of_the_study_begin_where_the_list_begins() -> None:
    rows = "".join(f"{PEOPLE[k]}<br><a href={k}.pdf>{TITLES[k]}</a><br>" for k in range(4))
    matrix = find_rows(f"<p>{rows}</p>", 4).matrix
    assert matrix == tuple((PEOPLE[k], TITLES[k]) for k in range(4))


def test_what_may_follow_a_record_does_not_swallow_the_next() -> None:
    rows = ""
    for k in range(9):
        head = f"<br><br><font><font>{2000 + k // 3}</font></font>" if k % 3 == 0 and k else ""
        rows += f"{head}<br><br><font>{PEOPLE[k % 6]}</font><br><font>{TITLES[k]}</font>"
        rows += f"<br><a href={k}>pdf {k}</a>" if k % 2 else ""
    matrix = find_rows(rows, 9).matrix
    for k, row in enumerate(matrix):
        cells = [cell for cell in row if cell and not cell.isdecimal()]
        assert cells == [PEOPLE[k % 6], TITLES[k], *([f"pdf {k}"] if k % 2 else [])]


def test_many_heads_without_a_blank_line_take_little_memory() -> None:
    count = 20_000  # what stands before each head, kept for all of them, would be gigabytes
    parting = [False] * (2 * count)
    nodes = list(range(2 * count))
    line = ShownChildren(nodes, [1, 2] * count, parting, list(range(1, 2 * count + 1)), parting)
    tracemalloc.start()
    try:
        assert find_blocks(line, nodes[1::2]) == []
        assert tracemalloc.get_traced_memory()[1] < 500 * len(nodes)
    finally:
        tracemalloc.stop()
