"""References sorted by a kernel lead where `urls.resolve_many` says, whatever they look like."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from blickfang.html.links import follow, read_references
from blickfang.html.parse.tree import Tree, read_tree, read_values
from blickfang.html.references import (
    BARE,
    ESCAPED,
    FROM_FILE,
    FROM_FOLDER,
    FROM_ROOT,
    IMAGE,
    ITSELF,
    LEADS_NOWHERE,
    NO_SCHEME,
    UNKNOWN,
    WHOLE,
    make_home,
    resolve_sorted,
    sort_all,
)
from blickfang.io.urls import is_image_url, resolve, resolve_many

BASE = "http://example.org/cats/all.html?page=2"
PIECES = (
    *"/.:?#&%'|=-_~ ax0",
    *("http://", "https://", "//", "a.org", "xn--a.org", "b.c.de", "../", "%41", "%2F", "%c3%a4"),
    *("%C3%A4", "cat.jpg", "dog.JPEG", ".png", "mailto:", "javascript:", "ä", "\u3000", "&amp;"),
)


def page_of(references: list[str]) -> Tree:
    escaped = (text.replace("&", "&amp;").replace('"', "&quot;") for text in references)
    return read_tree("".join(f'<a href="{text}">x</a>' for text in escaped).encode())


def kinds_of(*references: str) -> list[int]:
    kinds: list[int] = sort_page(page_of(list(references)))[0].tolist()
    return kinds


def sort_page(tree: Tree) -> NDArray[np.int32]:
    return sort_all(tree.letters, *read_references(tree).values[1:])[0]


@pytest.mark.parametrize(
    ("reference", "kind"),
    [
        ("http://a.org/b/c?d=e#f", WHOLE),
        ("https://a.org", WHOLE | BARE),
        ("https://a.org#top", WHOLE | BARE),
        ("//a.org/b", NO_SCHEME),
        ("//a.org", NO_SCHEME | BARE),
        ("/b/c", FROM_ROOT),
        ("b/c?d", FROM_FOLDER),
        ("http", FROM_FOLDER),
        ("?d=e", FROM_FILE),
        ("", ITSELF),
        ("#top", ITSELF),
        ("/b?c=d&e=f", FROM_ROOT | ESCAPED),
        ("/cat.JPG", FROM_ROOT | IMAGE),
        ("cat.webp?w=3", FROM_FOLDER | IMAGE),
        ("/b?c=cat.jpg", FROM_ROOT),
        ("/a%2Fb", FROM_ROOT),
        # Somebody must look at these.
        ("/a%2fb", UNKNOWN),
        ("/%41", UNKNOWN),
        ("../b", UNKNOWN),
        ("/a/../b", UNKNOWN),
        ("/a b", UNKNOWN),
        ("/ä", UNKNOWN),
        ("/b?", UNKNOWN),
        ("http://A.org/", UNKNOWN),
        ("http://xn--a.org/", UNKNOWN),
        ("http://127.0.0.1/", UNKNOWN),
        ("http://a/", UNKNOWN),
        ("http://a.org./", UNKNOWN),
        ("http://a.org:80/", UNKNOWN),
        ("http://a.org?b", UNKNOWN),
        ("mailto:a@b.c", LEADS_NOWHERE),
        ("/" + "a" * 5000, UNKNOWN),
    ],
)
def test_what_references_are_relative_to(reference: str, kind: int) -> None:
    assert kinds_of(reference) == [kind]


@given(st.lists(st.lists(st.sampled_from(PIECES), max_size=8).map("".join), max_size=6))
@example(["/a/.b", "/a#/.", "a..b/c", "a.", "%2E", "%", "%C", "/%C3", "?", "??", "/&lt;"])
def test_references_lead_where_they_did(references: list[str]) -> None:
    tree = page_of(references)
    targets = follow(tree, read_references(tree), BASE)
    values = read_values(tree, *targets.references.values[1:])
    assert values == references
    assert targets.urls == resolve_many(BASE, references)
    assert targets.urls == [resolve(BASE, reference) for reference in references]
    images = {n for n, url in enumerate(targets.urls) if url and is_image_url(url)}
    assert images <= {*targets.images}


def test_a_page_with_a_long_address_or_none() -> None:
    tree = page_of(["b.html", "http://a.org/c"])
    found = sort_page(tree)

    def read(numbers: NDArray[np.int64]) -> list[str]:
        return [["b.html", "http://a.org/c"][number] for number in numbers]

    long = f"http://a.org/{'b' * 8100}/"
    assert resolve_sorted(tree.letters, found, make_home(long), read) == [
        f"{long}b.html",
        "http://a.org/c",
    ]
    longer = f"http://a.org/{'b' * 8178}/"
    assert resolve_sorted(tree.letters, found, make_home(longer), read) == [None, "http://a.org/c"]
    assert resolve_sorted(tree.letters, found, make_home(""), read) == [None, "http://a.org/c"]


def test_nothing_to_sort() -> None:
    assert kinds_of() == []
