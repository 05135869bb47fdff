"""The way of the study: worked examples of its paper, and a page in the structure of its own."""

import numpy as np
import pytest
from numpy.typing import NDArray

from blickfang.errors import SettingsError
from blickfang.html.page import parse_page
from blickfang.html.parse.tree import Tree
from blickfang.records.align_columns import (
    AlignedPattern,
    align_strings,
    count_alternatives,
    write_pattern,
)
from blickfang.records.attribute_classes import learn_classes
from blickfang.records.study.match_patterns import find_matches, rotate
from blickfang.records.study.maximal_repeats import find_repeats, occurrences
from blickfang.records.study.page_tokens import ALL, BLOCK, make_alphabet, read_tokens
from blickfang.records.study.study_patterns import (
    PatternLimits,
    find_patterns,
    read_grid,
    unite_best,
)

CONGO = "<h1>Congo</h1><ul><li>one<li>two<li>three<li>four</ul>"
ALPHABET = make_alphabet(["ul", "li", "h1"])


def read(html: str) -> Tree:
    parsed = parse_page(b"\xef\xbb\xbf" + html.encode())
    assert parsed is not None
    return parsed[0]


def numbers(digits: str) -> NDArray[np.int32]:
    return np.array([int(digit) for digit in digits], np.int32)


def test_the_congo_page_has_the_numbers_of_the_study() -> None:
    tokens = read_tokens(read(CONGO), BLOCK, ALPHABET)
    assert "".join(map(str, tokens.number.tolist())) == "4650262626261"


def test_closing_what_may_stay_open_changes_nothing() -> None:
    closed = CONGO.replace("<li>", "</li><li>").replace("<ul></li>", "<ul>")
    closed = closed.replace("</ul>", "</li></ul>")
    tokens = read_tokens(read(closed), BLOCK, ALPHABET)
    assert "".join(map(str, tokens.number.tolist())) == "4650262626261"


def test_levels() -> None:
    tree = read("<p>One <b>two</b> three</p>")
    assert len(read_tokens(tree, BLOCK).number) == 2  # <p> and one text
    assert len(read_tokens(tree, ALL).number) == 6  # p text b text /b text
    with pytest.raises(SettingsError, match="level"):
        read_tokens(tree, "some")


def test_maximal_repeats_of_the_congo_page() -> None:
    string = numbers("4650262626261")
    repeats = find_repeats(string)
    found = {
        "".join(map(str, string[places[0] : places[0] + repeats.length[k]])): places.tolist()
        for k in range(len(repeats.length))
        for places in [occurrences(repeats, k)]
    }
    assert found["2626"] == [4, 6, 8]
    assert "626" not in found  # 2 stands before every one of them


def test_alignment_of_the_study() -> None:
    pattern = align_strings([numbers(s) for s in ("14324", "14352", "143524")])
    assert write_pattern(pattern) == "143[5|-]2[4|-]"
    assert count_alternatives(pattern) == 2


def test_rotation_begins_with_an_element_that_ends_later() -> None:
    # text, /h1, h1 begins in the middle of a record: turned, it begins with h1.
    assert rotate(AlignedPattern(((6,), (5,), (4,))), ALPHABET).columns == ((4,), (6,), (5,))


def test_matching_finds_records_that_lack_what_is_optional() -> None:
    pattern = AlignedPattern(((2,), (6,), (4, -1), (6, -1)))
    matches = find_matches(numbers("0264626265261"), pattern, ALPHABET)
    spans = list(zip(matches.start.tolist(), matches.stop.tolist(), strict=True))
    assert spans == [(1, 5), (5, 7), (7, 9), (10, 12)]
    assert matches.column[[1, 2, 3, 4]].tolist() == [0, 1, 2, 3]


PAPERS = [
    ("A. Berg and B. Tal", "Rivers of the north", "Journal of Water", "2001", "a.pdf"),
    ("C. See", "Lakes and their shores", "Journal of Water", "2002", ""),
    ("D. Bach, E. Furt", "How streams begin", "Brook Letters", "2004", "c.pdf"),
    ("F. Quell", "A spring in the hills", "Proc. of Springs", "2005", "d.pdf"),
    ("G. Moor and H. Ried", "The wet lands of Europe", "Brook Letters", "2007", "e.pdf"),
]


def study_page() -> str:
    """Return a list in the structure of the study's first page: five attributes a record."""
    rows = []
    for authors, title, venue, year, pdf in PAPERS:
        link = f'<a href="{pdf}">PDF</a>' if pdf else ""
        rows.append(f"<li>{authors}<br><b>{title}</b><br><i>{venue}</i> <u>{year}</u>{link}</li>")
    return f"<h1>Publications</h1><ul>{''.join(rows)}</ul><p>Last change: May</p>"


def test_five_columns() -> None:
    found = find_patterns(read(study_page()), ALL)
    expected = [(*paper[:4], "PDF" if paper[4] else "") for paper in PAPERS]
    assert list(found[0].matrix) == expected


def shop_page() -> str:
    """Return a list with an image, a link around a text, one beside it, and one that shows it."""
    rows = "".join(
        f'<div><a href="/shop/{k}"><img src="{k}.jpg"></a><p>Thing {k} <a href="/like/{k}">like'
        f"</a></p><ul><li>Colour {k}<li>Price {k}</ul></div>"
        for k in range(5)
    )
    return f"<h1>Shop</h1>{rows}<p>Last change: May</p>"


def test_links_stand_beside_their_texts() -> None:
    tree = read(study_page())
    grid = read_grid(tree, find_patterns(tree, ALL)[0], "https://example.org/list.html")
    assert [column.kind for column in grid.columns][-1] == "link"
    assert len(grid.columns) == 6
    links = [f"https://example.org/{paper[4]}" if paper[4] else "" for paper in PAPERS]
    expected = [
        (*paper[:4], "PDF" if paper[4] else "", link)
        for paper, link in zip(PAPERS, links, strict=True)
    ]
    assert grid.rows == expected


@pytest.mark.parametrize("level", [BLOCK, ALL])
def test_images_and_links_are_columns_at_both_levels(level: str) -> None:
    tree = read(shop_page())
    found = find_patterns(tree, level)[0]
    grid = read_grid(tree, found, "https://example.org/list.html")
    assert len(grid.rows) == 5
    assert [column.name for column in grid.columns if column.kind in ("image", "link")]
    for k, row in enumerate(grid.rows):
        assert f"https://example.org/{k}.jpg" in row
        assert f"https://example.org/shop/{k}" in row
        assert f"https://example.org/like/{k}" in row
    texts = [[cell for cell in row if cell and "://" not in cell] for row in grid.rows]
    assert texts == [[cell for cell in row if cell] for row in found.matrix]


def test_patterns_with_too_many_alternatives_are_dropped() -> None:
    all_of_them = find_patterns(read(study_page()), ALL)
    few = find_patterns(read(study_page()), ALL, PatternLimits(alternatives=0))
    assert len(few) < len(all_of_them)
    assert all(count_alternatives(one.pattern) == 0 for one in few)


def test_columns_get_their_classes_and_the_best_patterns_are_united() -> None:
    examples = {
        "authors": ["Berg Furt Bach Quell Moor Ried", "Tal"],
        "title": ["Rivers and lakes of the north", "How streams and springs begin in wet lands"],
        "venue": ["Journal of Water", "Brook Letters"],
        "year": [str(year) for year in range(1990, 2010)],
    }
    found = find_patterns(read(study_page()), ALL)
    rows, confidence = unite_best(found, learn_classes(examples))
    assert confidence > 0
    expected = [dict(zip(("authors", "title", "venue", "year"), p, strict=False)) for p in PAPERS]
    assert [row for row in rows if row in expected] == expected


def test_a_page_without_repeats_has_no_patterns() -> None:
    assert find_patterns(read("<p>Nothing here</p>"), BLOCK) == []
    assert find_patterns(read("bare"), ALL) == []
