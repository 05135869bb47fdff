"""The next and the previous page: found without `rel`, and never where it is something else."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.html import pagination, read_page
from blickfang.html.page import parse_page
from blickfang.html.parse.tags import TAGS
from blickfang.types import Page

URL = "http://example.org/list"
A = TAGS["a"]


def turns(html: str, url: str = URL) -> dict[str, str]:
    """Return where a page leads on and back."""
    page = read_page(f"<p>Some words of the page before it all.</p>{html}", url)
    assert isinstance(page, Page)
    found = {(way, link.url) for link in page.links for way in link.rel if way in ("next", "prev")}
    assert len(found) == len(dict(found)), "one way, one address"
    return {way: target.removeprefix("http://example.org/") for way, target in found}


def run(*parts: str | int, form: str = "?page={}") -> str:
    """Return a pager: numbers are links, texts are not."""
    return " ".join(
        f"<a href='{form.format(part)}'>{part}</a>" if isinstance(part, int) else part
        for part in parts
    )


@pytest.mark.parametrize(
    ("html", "found"),
    [
        (run("1", 2, 3, "…", 9), {"next": "list?page=2"}),
        (run(1, 2, "<b>3</b>", 4, 5), {"next": "list?page=4", "prev": "list?page=2"}),
        (run(1, 2, "[3]"), {"prev": "list?page=2"}),
        (run("<span>1</span>", 2), {"next": "list?page=2"}),
        (run("1", 2, 3, form="/list/page/{}/"), {"next": "list/page/2/"}),
        (run(1, 2, "3", 4, form="c{}.html"), {"next": "c4.html", "prev": "c2.html"}),
        (f"<a href=/list>1</a> {run(2, 3)}", {"next": "list?page=2"}),
        (f"<li>1<li>{run(2)}<li>{run(3)}", {"next": "list?page=2"}),
        (f"{run('1', 2, 3)} <a href='?page=2'>›</a>", {"next": "list?page=2"}),
        ("<a href='?page=2'>Next »</a>", {"next": "list?page=2"}),
        ("<a href='?start=20'>weiter</a>", {"next": "list?start=20"}),
        ("<a href='?seite=1'>Nächste</a>", {"next": "list?seite=1"}),
        ("<a href=/b>« Older posts</a>", {"next": "b"}),
        ("<a href=/b>Page suivante</a>", {"next": "b"}),
        ("<a href='/b?p=2'>次へ</a><a href='/b?p=2'>次へ</a>", {"next": "b?p=2"}),
        ("<div class='pagination'><a href=/b>Siguiente</a></div>", {"next": "b"}),
        ("<ul id=pager><li><a href=/b title=x>›</a></ul>", {"next": "b"}),
        ("<a href=/b aria-label='Next page'>→</a>", {"next": "b"}),
    ],
)
def test_what_turns_a_page(html: str, found: dict[str, str]) -> None:
    assert turns(html) == found


def test_the_address_of_the_page_tells_where_it_stands() -> None:
    both = "<a href='?page=4'>next</a> <a href='?page=2'>previous</a>"
    assert turns(both, f"{URL}?page=3") == {"next": "list?page=4", "prev": "list?page=2"}
    assert turns(run(1, 2, 3, 4), f"{URL}?page=3") == {"next": "list?page=4", "prev": "list?page=2"}
    assert turns("<a href=/list>Newer posts</a>", f"{URL}?page=2") == {"prev": "list"}


@pytest.mark.parametrize(
    "html",
    [
        "<a href=/b>Next</a>",  # the next article, picture, month
        "<a href=/b>›</a>",
        "<a href=#b>Next page</a>",
        "<a href='http://other.org/?page=2'>Next page</a>",
        "<div class=carousel><a href='?page=2'>Next</a></div>",
        "<nav class=post-navigation><a href='/2'>Next</a></nav>",
        "<a href='?page=2'>Next</a><a href='?p=2'>Next</a>",  # two that disagree
        "<a href='?page=9'>Read the next page of this long story about our cats at home</a>",
        run(1, 2, 3, 4),  # nothing says where we are
        run(1, "2", 3, "4", 5),
        run(12, "13", 14, form="/2026/05/{}/"),  # a calendar
        f"<table class=calendar><tr><td>{run(12, '13', 14, form='?day={}')}</table>",
        "<sup><a href=#f1>[1]</a></sup><sup><a href=#f2>[2]</a></sup>",
        run("1", 2, 3, form="/same"),
        run("1", 2, form="/b{}.html"),  # a footnote, a chapter, a score
        f"{run(2)} Between them is much more text than any pager has, a paragraph. {run(4)}",
        "<a href='?page=2' class=x><img src=n.gif></a>",
    ],
)
def test_what_turns_no_page(html: str) -> None:
    assert turns(html) == {}


def test_what_the_page_states_is_left_as_it_is() -> None:
    assert turns(f"<link rel=next href=/b>{run('1', 2, 3)}") == {"next": "b"}
    assert turns(f"<a rel=previous href=/b>x</a>{run(1, '2', 3)}") == {"next": "list?page=3"}


def test_many_numbers_take_no_longer_than_their_number() -> None:
    for part in (
        "<a href='?page=2'>Next</a>",
        run(1, "2", 3),
        "<a href=x>7</a>",
        "<a href=y>›</a>",
    ):
        html = f"<div class={'x' * 50}>" * 100 + part * 20_000
        start = time.process_time()
        read_page(html, URL)
        assert time.process_time() - start < 3.0


SIGNS = st.text(st.sampled_from([*pagination.BESIDE, "\xa0", "€", "x"]), max_size=3)
NUMBERS = st.integers(0, 20_000).map(str)
WORDS = st.one_of(st.sampled_from(sorted(pagination.TEXTS)), NUMBERS, st.text(max_size=4))
CASES = st.sampled_from([str, str.upper, str.title, str.capitalize, lambda word: "<i>".join(word)])
TEXTS = st.builds(lambda a, word, b, case: f"{a}{case(word)}{b}", SIGNS, WORDS, SIGNS, CASES)


@given(st.lists(TEXTS, max_size=8))
def test_what_is_looked_at_is_all_that_may_turn_a_page(texts: list[str]) -> None:
    html = "".join(f"<p><a href='/{number}'>{text}</a>" for number, text in enumerate(texts))
    page, parsed = read_page(html, URL), parse_page(b"\xef\xbb\xbf" + html.encode())
    if not isinstance(page, Page) or parsed is None:
        return
    tree, links = parsed[0], [link for link in page.links if link.kind == "a"]
    nodes = np.array(
        [node for node in tree.census.references.nodes if tree.tag[node] == A], np.int32
    )
    assert len(nodes) == len(links)
    found = np.empty(len(nodes), np.int32)
    count = pagination.note_short(tree.letters.text, nodes, tree.end, tree.offset, found)
    everything = pagination._find_candidates(links, range(len(links)))
    assert pagination._find_candidates(links, found[:count].tolist()) == everything
