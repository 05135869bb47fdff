"""Parents, siblings, and what stands before and after an image in the source."""

from itertools import chain, zip_longest

from hypothesis import given
from hypothesis import strategies as st

from blickfang.html.contexts.neighbours import find_before_after, find_parents, find_siblings
from blickfang.html.parse.tags import TEXT
from tests.page.contexts.pages import (
    PAGES,
    Page,
    ancestors,
    children,
    find_lists,
    find_texts,
    is_seen,
    seen_texts,
    span,
)


def test_empty_wrappers_are_no_level() -> None:
    """The study's example, with elements that may be nested."""
    html = (
        "<div id=parent3>I found this little stray this morning. "
        "<div id=parent2><div id=parent1><img><p id=siblingP></p></div></div></div>"
    )
    [parents] = find_lists(find_parents, html)
    assert parents == ["I found this little stray this morning.", "", "", "", ""]


def test_each_level_adds_text() -> None:
    html = "<h1>Cats</h1><div><p>Long text</p><div><div><a><img></a><i>Kitten</i></div></div></div>"
    [parents] = find_lists(find_parents, html, k=4)
    assert parents == ["Kitten", "Long text\nKitten", "Cats\nLong text\nKitten", ""]


def test_siblings_come_nearest_first_from_both_sides() -> None:
    html = "<p>1<p>2<p>3<p></p><div><a><img></a></div><p>4<p>5<p>6"
    assert find_lists(find_siblings, html) == [["4", "3", "5", "2", "6"]]
    assert find_lists(find_siblings, html, k=2) == [["4", "3"]]
    assert find_lists(find_siblings, "<p>1<p>2<p>3</p><img>", k=4) == [["3", "2", "1", ""]]


def test_hidden_siblings_are_none() -> None:
    assert find_lists(find_siblings, "<img><p hidden>menu</p><p>text</p>", k=2) == [["text", ""]]


def test_the_lines_before_and_after() -> None:
    html = "<p>far</p><p>one <b>two</b></p><div><img></div><p>three<br>four</p>"
    assert find_texts(find_before_after, html) == ["one two three"]
    assert find_texts(find_before_after, "<p>far<p>one <img> two<p>far") == ["one two"]
    assert find_texts(find_before_after, "<img><p>one<p>two") == ["one"]
    assert find_texts(find_before_after, "<p>one<p>two</p><img>") == ["two"]


def test_hidden_lines_are_passed_over() -> None:
    html = "<p>one</p><p hidden>menu</p><img><i hidden>menu</i><p>two</p>"
    assert find_texts(find_before_after, html) == ["one two"]


def test_pages_without_text_or_images() -> None:
    for html in ("<div><img></div>", "<img><p hidden>menu</p>"):
        assert find_lists(find_parents, html, k=1) == [[""]]
        assert find_lists(find_siblings, html, k=1) == [[""]]
        assert find_texts(find_before_after, html) == [""]
    for find in (find_parents, find_siblings, find_before_after):
        assert find_texts(find, "<p>text") == []


@given(PAGES, st.integers(0, 4))
def test_parents_and_siblings_equal_a_plain_climb(page: Page, k: int) -> None:
    parents, siblings = find_parents(*page, k=k), find_siblings(*page, k=k)
    assert parents.shape == siblings.shape == (len(page.images), k, 2)
    for image, some_parents, some_siblings in zip(page.images, parents, siblings, strict=True):
        levels, texts, below = [], 0, int(image)
        for p in ancestors(page, image):
            if len(seen_texts(page, p)) > texts:
                levels.append(p)
                texts = len(seen_texts(page, p))
            below = below if levels else p
        row = children(page, levels[0]) if levels else []
        after = [s for s in row if s > below and seen_texts(page, s)]
        before = [s for s in row[::-1] if s < below and seen_texts(page, s)]
        nearest = [s for s in chain(*zip_longest(after, before)) if s is not None]
        for found, expected in ((some_parents, levels), (some_siblings, nearest)):
            spans = [span(page, node) for node in expected] + k * [(0, 0)]
            assert [tuple(row) for row in found.tolist()] == spans[:k]


@given(PAGES)
def test_before_and_after_equal_a_plain_walk(page: Page) -> None:
    tree = page.tree
    lines: list[list[int]] = []  # of all text nodes, cut where a line begins
    for k in range(len(tree.tag)):
        if tree.tag[k] == TEXT:
            if not lines or tree.text[tree.offset[k] : tree.offset[k] + 1] == b"\n":
                lines.append([])
            lines[-1].append(k)
    lines = [line for line in ([k for k in line if is_seen(page, k)] for line in lines) if line]
    for image, found in zip(page.images, find_before_after(*page).tolist(), strict=True):
        before = [line for line in lines if line[0] < image][-1:]
        after = [line for line in lines if line[-1] > image][:1]
        texts = [k for line in before + after for k in line]
        assert tuple(found) == (span(page, texts[0], texts[-1]) if texts else (0, 0))
