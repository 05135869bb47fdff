"""Words before and after an image, and where they end."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.html.contexts.context_text import Spans
from blickfang.html.contexts.window import SEPARATORS, find_dynamic_window, find_window
from blickfang.html.parse.tags import TAGS, TEXT
from tests.page.contexts.pages import PAGES, Page, children, find_texts, is_seen

SEPARATES = {TAGS[name] for name in SEPARATORS}
SEPARATOR = (-1, -1)


def count_up(first: int, last: int) -> str:
    return " ".join(
        "abcdefghijklmnopqrstuvwxyz"[i % 26] * (i // 26 + 1) for i in range(first, last)
    )


def test_half_of_the_words_before_and_half_after() -> None:
    html = f"<p>{count_up(0, 30)}</p><div><img></div><ul><li>{count_up(30, 60)}</ul>"
    assert find_texts(find_window, html) == [count_up(20, 40)]
    assert find_texts(find_window, html, words=4) == [count_up(28, 32)]


def test_a_side_without_words_is_not_made_up_for() -> None:
    assert find_texts(find_window, f"<img><p>{count_up(0, 30)}") == [count_up(0, 10)]
    assert find_texts(find_window, f"<p>{count_up(0, 30)}</p><img>") == [count_up(20, 30)]


def test_hidden_words_are_not_counted() -> None:
    html = "a b <img> c <i hidden>x y z</i> d e"
    assert find_texts(find_window, html, words=4) == ["a b c d"]


def test_the_dynamic_window_ends_at_separators() -> None:
    row = "<tr><td>one<td>two <img> three<td>four"
    assert find_texts(find_dynamic_window, f"<table>{row}</table>") == ["two three"]
    assert find_texts(find_dynamic_window, "one<hr>two<p><img><p>three<hr>four") == ["two three"]
    assert find_texts(find_dynamic_window, "one <img> two<table><tr><td>three</table>") == [
        "one two"
    ]
    assert find_texts(find_dynamic_window, "<table><tr><td>one<td><img></table>two") == [""]


def test_the_dynamic_window_has_an_end_too() -> None:
    html = f"{count_up(0, 50)} <img> {count_up(50, 99)}"
    assert find_texts(find_dynamic_window, html) == [count_up(18, 82)]


@pytest.mark.parametrize("find", [find_window, find_dynamic_window])
@pytest.mark.parametrize("html", ["<img>", "<img><p hidden>x</p>", "", "<p>x"])
def test_pages_without_words_or_images(find: Callable[..., Spans], html: str) -> None:
    assert set(find_texts(find, html)) <= {""}


def list_parts(page: Page, node: int = 0) -> list[tuple[int, int]]:
    """Return the spans of all words that are seen, images as (-2, node), and separators."""
    tree = page.tree
    if tree.tag[node] == TEXT:
        words = (
            range(tree.first_word[node], tree.first_word[node + 1]) if is_seen(page, node) else ()
        )
        return [(int(tree.words.starts[w]), int(tree.words.ends[w])) for w in words]
    inside = [part for k in children(page, node) for part in list_parts(page, k)]
    if tree.tag[node] == TAGS["img"]:
        inside.append((-2, node))
    return [SEPARATOR, *inside, SEPARATOR] if tree.tag[node] in SEPARATES else inside


def take(parts: list[tuple[int, int]], words: int, stops: bool) -> list[tuple[int, int]]:
    """Return so many words from the beginning, not beyond a separator if those stop."""
    if stops and SEPARATOR in parts:
        parts = parts[: parts.index(SEPARATOR)]
    return [part for part in parts if part[0] >= 0][:words]


@given(PAGES, st.integers(0, 5), st.booleans())
def test_equals_a_plain_walk(page: Page, half: int, dynamic: bool) -> None:
    find = find_dynamic_window if dynamic else find_window
    parts = list_parts(page)
    for image, found in zip(page.images, find(*page, words=2 * half).tolist(), strict=True):
        at = parts.index((-2, image))
        words = take(parts[:at][::-1], half, dynamic)[::-1] + take(parts[at:], half, dynamic)
        assert tuple(found) == ((words[0][0], words[-1][1]) if words else (0, 0))
