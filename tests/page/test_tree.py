"""The arrays of a page: they hold what the parser's tree holds, in its order."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from blickfang.html.parse.page_arrays import HIDES, IN_NOSCRIPT, LINKED, UNSEEN
from blickfang.html.parse.tags import TAG_NAMES, TAGS, TEXT
from blickfang.html.parse.tree import (
    Tree,
    attribute,
    attributes,
    find_attributes,
    find_nodes,
    inner_source,
    node_text,
    read_tree,
)
from blickfang.text.words import read_encoded
from tests.page.soup import soups


def walk(html: bytes) -> list[str]:
    """Return the names of all elements as the parser itself lists them."""
    root = LexborHTMLParser(html).root
    nodes = root.traverse(include_text=False) if root else []
    return [node.tag or "" for node in nodes if node.is_element_node]


def names(tree: Tree) -> list[str]:
    return [TAG_NAMES[tag] for tag in tree.tag[1:].tolist() if tag != TEXT]


@given(soups())
def test_elements_are_those_of_the_parser_in_document_order(html: str) -> None:
    tree = read_tree(html.encode())
    known = [name if name in TAGS else "" for name in walk(html.encode())]
    assert names(tree) == known


@given(soups())
def test_the_words_of_a_subtree_are_the_words_of_its_text(html: str) -> None:
    tree = read_tree(html.encode())
    for node in range(len(tree.tag)):
        end = tree.end[node]
        alone = read_encoded(tree.text[tree.offset[node] : tree.offset[end]] + b"\0")
        words = slice(tree.first_word[node], tree.first_word[end])
        assert np.array_equal(alone.hashes, tree.words.hashes[words])
        assert np.array_equal(alone.breaks[1:], tree.words.breaks[words][1:])


@given(soups())
def test_ranges_are_nested_and_in_order(html: str) -> None:
    tree = read_tree(html.encode())
    n = len(tree.tag)
    assert tree.parent[0] == -1
    assert tree.end[0] == n
    for node in range(1, n):
        parent = tree.parent[node]
        assert 0 <= parent < node < tree.end[node] <= tree.end[parent]
    for sums in (tree.offset, tree.first_word, tree.first_attribute, tree.first_token):
        assert len(sums) == n + 1
        assert np.all(np.diff(sums) >= 0)


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("One <b>bold</b> word", "One bold word"),
        ("<b>H</b>ello", "Hello"),
        ("<a href=x>One</a><a href=y>Two</a>", "One Two"),
        ("Turniers<span>Bild</span>", "Turniers Bild"),
        ("<p>a</p><p>b", "a\nb"),
        ("a<br>b", "a\nb"),
        ("<pre>a\n b</pre>", "a\nb"),
        ("&nbsp;a&nbsp;&nbsp;b &lt;i&gt; &amp;amp;", "a b <i> &amp;"),
        ("seen<script>x('<p>')</script><style>y</style><noscript>z</noscript>", "seen"),
        ("a<template><p>b<template>c</template>d</template>e", "ae"),
        ("<svg><title>t</title><text>u</text></svg>v", "v"),
        ("<svg><style>&lt;/style>&lt;/svg>a &amp;<!-- --></style></svg>b", "a &b"),
        ("<select><option>one</select>two<textarea>three</textarea>", "two"),
        ("wo<!-- x -->rd", "word"),
        ("<?php echo 1 ?>x", "x"),
        ("a <b>\n </b> b", "a b"),
        ("你好<b>世界</b>", "你好世界"),
    ],
)
def test_text_is_what_people_read(html: str, text: str) -> None:
    assert node_text(read_tree(html.encode()), 0) == text


def test_every_tag_cuts_words() -> None:
    assert len(read_tree(b"<b>H</b>ello").words.hashes) == 2


def test_attributes_are_as_they_were_meant() -> None:
    tree = read_tree(b"""<a href="a?b=1&amp;c" rel='x "y"' data-z=1>q</a><img data-z="&lt;" alt>""")
    link, image = find_nodes(tree, "a", "img")
    assert attribute(tree, link, "href") == "a?b=1&c"
    assert attribute(tree, link, "alt") is None
    assert attributes(tree, [link, image]) == [
        {"href": "a?b=1&c", "rel": 'x "y"'},
        {"data-z": "<", "alt": ""},
    ]
    assert find_attributes(tree, "rel") == [(link, 'x "y"')]


def test_odd_attribute_names_do_not_confuse() -> None:
    tree = read_tree(b'<img ="x src=a.jpg <b c=">" src=b.jpg><p>t')
    assert attribute(tree, find_nodes(tree, "img")[0], "src") == "a.jpg"
    assert node_text(tree, find_nodes(tree, "p")[0]) == "t"


def test_flags_are_inherited() -> None:
    tree = read_tree(
        b"<a href=x><b>l</b></a><a>n</a><div style='DISPLAY : none'><p>h</p></div>"
        b"<noscript><img></noscript><p hidden>i"
    )
    bold, image = find_nodes(tree, "b")[0], find_nodes(tree, "img")[0]
    hidden, other = find_nodes(tree, "p")
    assert tree.flags[bold] & LINKED
    assert not tree.flags[find_nodes(tree, "a")[1]] & LINKED
    assert tree.flags[hidden] & UNSEEN
    assert not tree.flags[hidden] & HIDES
    assert tree.flags[other] & HIDES
    assert tree.flags[image] & IN_NOSCRIPT


def test_a_page_that_says_all_in_noscript_is_read() -> None:
    words = " ".join(f"word{'abcdefghij'[k % 10]}" for k in range(150))
    tree = read_tree(f"<p>Please wait<noscript><p>{words}</noscript>".encode())
    assert words in node_text(tree, 0)


def test_raw_text_is_not_read_as_tags() -> None:
    tree = read_tree(
        b'<script type=x>if (a</b) "<img>"</script><xmp><img></xmp><title>a<b&amp;</title>'
    )
    assert find_nodes(tree, "img") == []
    assert inner_source(tree, find_nodes(tree, "script")[0]) == b'if (a</b) "<img>"'


@given(st.binary(max_size=300))
def test_any_bytes_make_a_tree(data: bytes) -> None:
    tree = read_tree(data)
    node_text(tree, 0)
