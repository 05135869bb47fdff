"""Publications: title and authors whatever the style, as long as the page keeps to it."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blickfang.html.parse.tags import TAGS
from blickfang.records import extract_records, read_examples
from blickfang.records.publications import read_publications
from blickfang.records.publications.choose_fields import (
    add_style,
    choose,
    judge,
    learn_style,
    list_options,
    list_rows,
    load_weights,
)  # fmt: skip
from blickfang.records.publications.name_spans import split_items
from blickfang.records.publications.publication_entry import read_person
from blickfang.records.publications.record_row import classify_word, read_rows
from blickfang.types import Failure, Region
from tests.records.slow_publications import (
    find_authors,
    find_near_numbers,
    find_titles,
    look_at_authors,
    look_at_title,
    share_words,
)  # fmt: skip
from tests.records.test_study import read

TITLES = [
    "Sandbanks of the northern delta",
    "On the motion of slow rivers",
    "Why lakes freeze from above",
    "A short history of water mills",
    "Counting fish with sound and light",
    "Springs, wells and what lies beneath them",
    "Floods in small towns: a survey",
    "Measuring the salt of inland seas",
]
NAMES = ["Anna Berg", "Carl D. Tal", "Eva See", "Fritz van Moor", "Gerd Bach", "Hanna Ried"]


def team(k: int) -> list[str]:
    return [NAMES[(k + n) % len(NAMES)] for n in range(k % 3 + 1)]


def initials(name: str) -> str:
    first, *rest = name.split()
    return f"{first[0]}. {' '.join(rest)}"


def linked(k: int) -> str:
    names = ", ".join(f"<a href='/{n}'>{name}</a>" for n, name in enumerate(team(k)))
    return f"<li>{names}: <i>{TITLES[k]}</i>. Brook Letters {k + 3}, {2001 + k}.</li>"


def quoted(k: int) -> str:
    names = ", ".join(map(initials, team(k)))
    return f"<li>{names}, “{TITLES[k]},” in Proc. of Water, pp. {k}7-{k}9, {2001 + k}.</li>"


def flat(k: int) -> str:
    names = " and ".join(map(initials, team(k)))
    return f"<p>{names} ({2001 + k}). {TITLES[k]}. Journal of Water, {k + 3}(2), 11-{k + 30}.</p>"


def lines(k: int) -> str:
    names = ", ".join(team(k))
    return (
        f"<div class=pub><b>{TITLES[k]}</b><br>{names}<br><em>Water Conference {2001 + k}</em>"
        f"<br><a href='{k}.pdf'>PDF</a></div>"
    )


@pytest.mark.parametrize("style", [linked, quoted, flat, lines])
def test_styles(style: object) -> None:
    assert callable(style)
    rows = "".join(style(k) for k in range(8))
    found = extract_records(f"<h1>Publications</h1><div>{rows}</div>", kind="publications")
    assert isinstance(found, list)
    fields = [record.fields for record in found[0].records]
    assert [entry["title"].rstrip(",") for entry in fields] == TITLES
    assert [entry["year"] for entry in fields] == [str(2001 + k) for k in range(8)]
    names = [entry["authors"].split("; ") for entry in fields]
    written = initials if style in (quoted, flat) else str
    assert names == [[written(name) for name in team(k)] for k in range(8)]


def publications(html: str) -> Region:
    found = extract_records(html, "https://example.org/", "publications")
    assert not isinstance(found, Failure)
    return found[0]


def test_links_and_names_apart() -> None:
    region = publications("".join(lines(k) for k in range(8)))
    assert region.records[3].fields["pdf"] == "https://example.org/3.pdf"
    assert region.records[1].names == (("Carl D.", "Tal"), ("Eva", "See"))
    assert ("Fritz", "van Moor") in region.records[3].names
    assert "Water Conference" in region.records[2].fields["venue"]
    assert region.fit > 0.33


def test_co_authors_behind_with() -> None:
    rows = "".join(
        f"<li><b>{TITLES[k]}</b><br>Together with {' and '.join(team(k))}.<br>Brook, {2001 + k}"
        for k in range(8)
    )
    fields = publications(f"<ul>{rows}</ul>").records[2].fields
    assert fields["authors"] == "; ".join(team(2))


def test_last_names_first() -> None:
    tree = read("<p>Berg, Anna; Tal, Carl and See, Eva</p>")
    (row,) = read_rows(tree, [(0, len(tree.tag))])[0]
    people = [read_person(row, item) for item in split_items(row, 0, len(row.words))]
    assert [(one.first, one.last) for one in people] == [
        ("Anna", "Berg"),
        ("Carl", "Tal"),
        ("Eva", "See"),
    ]


def test_words_and_gaps() -> None:
    tree = read("<p>H<sub>2</sub>O and “life”,<br>by J.D. Doe</p>")
    (row,) = read_rows(tree, [(0, len(tree.tag))])[0]
    assert row.words == ["H2O", "and", "life", "by", "J", "D", "Doe"]
    assert row.gaps[2].marks == '"'
    assert row.gaps[3].strength == 3  # the line ends
    assert row.gaps[5].strength == 0  # J.D.
    assert classify_word("and", " ") == "J"


def test_the_right_authors_are_among_the_candidates() -> None:
    tree = read("<p>A. Berg, C. Tal (ed.), and E. See. On rivers. Brook 3.</p>")
    (options,) = list_options(list_rows(*read_rows(tree, [(0, len(tree.tag))])))
    row = options.row
    spans = [" ".join(row.words[span.first : span.stop]) for span in options.authors]
    assert any(span.startswith("A Berg C Tal") and span.endswith("E See") for span in spans)


def test_examples_of_classes(tmp_path: object) -> None:
    from pathlib import Path

    folder = Path(str(tmp_path))
    (folder / "a.bib").write_text(
        '@article{x, author = {A. Berg and M{\\"u}ller}, journal={Brook}, title="On {R}"}'
    )
    (folder / "b.xml").write_text(
        "<dblp><article><author>C. T&auml;l 0001</author><title>X.</title>"
    )
    (folder / "c.csv").write_text("city,river\nBonn,Rhine\n")
    assert read_examples(folder / "a.bib") == {
        "authors": ["A. Berg and Müller"],
        "venue": ["Brook"],
        "title": ["On R"],
    }
    assert read_examples(folder / "b.xml")["authors"] == ["C. Täl"]
    assert read_examples(folder / "c.csv") == {"city": ["Bonn"], "river": ["Rhine"]}


def test_the_end_of_a_title_and_years_long_ago() -> None:
    ends = ["?", "!", " (a reply)", " by 12%", "", "", "", ""]
    rows = "".join(
        f"<li>{', '.join(team(k))}: <i>{title}{ends[k]}</i>. Letters {k}, 1751–60, {1841 + k}."
        for k, title in enumerate(TITLES)
    )
    found = extract_records(f"<ul>{rows}</ul>", kind="publications", regions=1)
    assert not isinstance(found, Failure)
    fields = [record.fields for record in found[0].records]
    assert [field["title"] for field in fields] == [
        title + end for title, end in zip(TITLES, ends, strict=True)
    ]
    assert [field["year"] for field in fields] == [str(1841 + k) for k in range(8)]


def test_brackets_of_a_venue_are_closed() -> None:
    venues = ["Library Quarterly 81(2)", "Journal of Fog 12(3):45-60", "Brook [online]", "Fog"]
    rows = "".join(
        f"<li>{', '.join(team(k))}. {TITLES[k]}. {venues[k % 4]}, {2001 + k}.</li>"
        for k in range(7)
    )
    rows += f"<li>{', '.join(team(7))}. {TITLES[7]}. Conference on Rust (RUST 2008), Bonn.</li>"
    fields = [record.fields for record in publications(f"<ul>{rows}</ul>").records]
    assert [field["title"] for field in fields] == TITLES
    found = [field["venue"] for field in fields]
    assert found == [*(venues[k % 4] for k in range(7)), "Conference on Rust (RUST)"]


PIECES = st.sampled_from(
    ["Anna", "Berg", "Tal", "A.", "B", "CD", "van", "and", "with", "rivers", "of", "In", "2009",
     "17", ",",
     ", ", "; ", ". ", ": ", " ", " ", " ", "(", ") ", "[ed.] ", "“", "”, ", "? ", " - ", "/",
     "<br>", "<i>", "</i>", "<a href=x.pdf>", "</a>", "<div>", "</div>", "ß", "p", "l", "..."]
)  # fmt: skip
ROWS = st.lists(st.lists(PIECES, max_size=60).map("".join), min_size=1, max_size=6)


@given(ROWS)
@settings(max_examples=60)
def test_candidates_and_looks_are_those_of_the_slow_way(texts: list[str]) -> None:
    tree = read("".join(f"<section>{text}</section>" for text in texts))
    nodes = [k for k in range(len(tree.tag)) if tree.tag[k] == TAGS["section"]]
    listed = list_rows(*read_rows(tree, [(k, int(tree.end[k])) for k in nodes]))
    options = list_options(listed)
    rows = listed.rows
    assert [each.row for each in options] == [row for row in rows if find_titles(row)]
    shares, near = share_words(rows), find_near_numbers(rows)
    for each in options:
        row = each.row
        assert each.authors == find_authors(row)
        assert each.titles == find_titles(row)
        authors = [look_at_authors(row, span, near) for span in each.authors]
        titles = [look_at_title(row, *span, shares) for span in each.titles]
        assert each.looks.authors.tolist() == authors
        # Sums are exact to the last digit from Python 3.12 on.
        assert each.looks.titles.tolist() == [pytest.approx(look, rel=1e-12) for look in titles]


@given(ROWS)
@settings(max_examples=30)
def test_the_kernel_chooses_what_weighs_most(texts: list[str]) -> None:
    tree = read("".join(f"<section>{text}</section>" for text in texts))
    nodes = [k for k in range(len(tree.tag)) if tree.tag[k] == TAGS["section"]]
    listed, weights = (
        list_rows(*read_rows(tree, [(k, int(tree.end[k])) for k in nodes])),
        load_weights(),
    )
    if not len(listed.titled):
        return
    style = learn_style(listed, *weights)
    for options, chosen in zip(list_options(listed), choose(listed, weights), strict=True):
        likely = judge(add_style(options, style), weights.together)
        a, t = options.authors.index(chosen.authors), options.titles.index(chosen.title)
        assert likely[a, t] == pytest.approx(likely.max(), rel=1e-9)
        assert chosen.confidence == pytest.approx(likely[a, t], rel=1e-9)


def test_long_lists_of_names_cost_no_more_than_their_length() -> None:
    names = "; ".join(["Anna Berg, Tal, C."] * 70)
    rows = "".join(f"<li>{names}: On rivers {k}. Brook {k}.</li>" for k in range(20))
    tree = read(f"<ul>{rows}</ul>")
    records = [(k, int(tree.end[k])) for k in range(len(tree.tag)) if tree.tag[k] == TAGS["li"]]
    read_publications(tree, records[:10])
    start = time.process_time()
    assert len(read_publications(tree, records)) == 20
    assert time.process_time() - start < 3.0  # it was a second a row
