"""Text blocks: where they begin and end, what they count, and what class names say."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.html.main_text.class_words import AUTOMATON, GROUPS, find_groups
from blickfang.html.main_text.scratch import make_room
from blickfang.html.main_text.text_blocks import PageBlocks, read_blocks
from blickfang.html.parse import tags
from blickfang.html.parse.page_arrays import HIDES, IN_BUTTON, IN_DIALOG, LINKED
from blickfang.html.parse.tags import TAGS
from blickfang.html.parse.tree import Tree, read_tree, slice_text

PIECES = [
    *("<div>", "</div>", "<p>", "</p>", "<ul><li>", "</ul>", "<td>", "<table><tr><td>", "<h1>"),
    *("<b>", "</b>", "<span>", "</span>", "<a href=x>", "</a>", "<br>", "<hr>", "<img src=x>"),
    *("<script>x</script>", "<button>", "</button>", "<span hidden>", "<p hidden>", "<dialog>"),
    *("<div class=menu>", "<p class='a b'>", "<noscript>no</noscript>", "<x-y>", "</x-y>"),
    *("one", " two ", "three four", "12", "漢字", ".", "\n"),
]
soups = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


def lay_out(tree: Tree) -> PageBlocks:
    return read_blocks(tree, make_room(len(tree.parent), len(tree.words.hashes)))


def texts(html: str) -> list[str]:
    tree = read_tree(html.encode())
    blocks = lay_out(tree).blocks
    spans = zip(blocks.start.tolist(), blocks.end.tolist(), strict=True)
    return [slice_text(tree, *span) for span in spans]


def counts(html: str) -> list[tuple[float, float]]:
    blocks = lay_out(read_tree(html.encode())).blocks
    return list(zip(blocks.words.tolist(), blocks.links.tolist(), strict=True))


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("", []),
        ("<p>one <b>two</b> <a href=x>three</a>", ["one two three"]),
        ("<p>one<p>two", ["one", "two"]),
        ("<div>one<p>two</p>three</div>", ["one", "two", "three"]),
        ("one<br>two<br><br>three<br> <br>four", ["one\ntwo", "three", "four"]),
        ("one<hr>two<p></p>three", ["one", "two", "three"]),
        ("<p>one <script>x</script>two", ["one two"]),
        ("<p>one <button>no</button> two", ["one", "two"]),
        ("<p>one <span hidden>no <b>no</b></span> two", ["one", "two"]),
        ("<p hidden>one", ["one"]),
        ("<a href=x><div>one</div>two</a>", ["one", "two"]),
    ],
)
def test_blocks_end_at_edges(html: str, expected: list[str]) -> None:
    assert texts(html) == expected


def test_words_and_links_are_counted() -> None:
    assert counts("<p>one <a href=x>two <b>three</b></a><p>four<p>12") == [(3, 2), (1, 0), (0, 0)]


def test_a_character_that_is_a_word_counts_half_behind_another() -> None:
    assert counts("<p>漢字漢字漢<p>漢 字") == [(3, 0), (2, 0)]


def test_blocks_look_alike_if_elements_and_classes_around_do() -> None:
    styles = lay_out(
        read_tree(b"<div><p>a<p>b<p class=x>c</div><div class=y><p>d</div><div><p>e</div>")
    ).blocks.style.tolist()
    a, b, c, d, e = styles
    assert a == b == e
    assert len({a, c, d}) == 3


def naive_blocks(tree: Tree) -> list[tuple[int, list[int]]]:
    """Return the node of the owner and the text nodes of each block, found by climbing."""
    found: list[tuple[int, list[int]]] = []
    edge = True
    for k, tag in enumerate(tree.tag.tolist()):
        path = [k]
        while path[-1] > 0:
            path.append(int(tree.parent[path[-1]]))
        blocks = [node for node in path if tags.TRAITS[tree.tag[node]] & tags.BLOCK]
        if tag == tags.TEXT:
            hidden = any(tree.flags[node] & HIDES for node in path if node not in blocks)
            if hidden or tree.flags[k] & (IN_BUTTON | IN_DIALOG):
                edge = True
                continue
            between = tree.tag[found[-1][1][-1] if found else 0 : k].tolist()
            if edge or found[-1][0] != blocks[0] or between.count(TAGS["br"]) > 1:
                found.append((blocks[0], []))
            found[-1][1].append(k)
            edge = False
        elif blocks[0] == k:
            edge = True
    return found


@given(soups)
def test_the_same_blocks_as_found_by_climbing(html: str) -> None:
    tree = read_tree(html.encode())
    layout = lay_out(tree)
    blocks, nodes = layout.blocks, layout.elements.node
    expected = naive_blocks(tree)
    assert nodes[blocks.owner].tolist() == [owner for owner, _ in expected]
    for b, (_, members) in enumerate(expected):
        assert blocks.first_word[b] == tree.first_word[members[0]]
        assert blocks.last_word[b] == tree.first_word[members[-1] + 1]
        assert blocks.end[b] == tree.offset[members[-1] + 1]
        assert tree.offset[members[0]] <= blocks.start[b] <= tree.offset[members[0]] + 1
        assert blocks.words[b] <= sum(np.diff(tree.first_word)[members])
        linked = all(tree.flags[member] & LINKED for member in members)
        assert (blocks.links[b] == blocks.words[b]) or not linked
    check_elements(tree, layout, [owner for owner, _ in expected])


def check_elements(tree: Tree, layout: PageBlocks, owners: list[int]) -> None:
    elements = layout.elements
    spans = zip(elements.node, elements.first, elements.last, strict=True)
    for node, first, last in spans:
        inside = [b for b, owner in enumerate(owners) if node <= owner < tree.end[node]]
        assert inside == list(range(first, last))


def groups_of(name: bytes) -> set[str]:
    bits = int(find_groups(np.frombuffer(name + b" ", np.uint8), 0, len(name), AUTOMATON))
    return {group for k, group in enumerate(GROUPS) if bits >> k & 1}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (b"", set()),
        (b"post-comments", {"comment"}),
        (b"relatedPosts", {"related"}),
        (b"ad", {"ad"}),
        (b"mobileAd", {"ad"}),
        (b"header-ads-top", {"ad"}),
        (b"shadow read", set()),
        (b"SiteNav footer", {"nav", "foot"}),
        (b"right_col", {"side"}),
    ],
)
def test_class_names_tell_what_an_element_is(name: bytes, expected: set[str]) -> None:
    assert groups_of(name) == expected


words = [word for group in GROUPS.values() for word in group.split()]
part = st.sampled_from(words).map(lambda word: word.encode())
names = st.lists(part | part.map(bytes.title) | st.binary(max_size=3)).map(b"".join)


@given(names)
def test_the_same_groups_as_found_word_by_word(name: bytes) -> None:
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name.decode("latin-1"))
    folded = f"-{re.sub('[^a-z]', '-', re.sub('[A-Z]', lambda m: m[0].lower(), parted))}-"
    expected = {
        group for group, listed in GROUPS.items() if any(word in folded for word in listed.split())
    }
    assert groups_of(name) == expected
