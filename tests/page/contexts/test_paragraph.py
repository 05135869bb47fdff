"""The first ancestor with text, and the levels above it."""

from hypothesis import given

from blickfang.html.contexts.paragraph import find_paragraph
from tests.page.contexts.pages import PAGES, Page, ancestors, find_texts, seen_texts, span


def test_the_first_ancestor_with_text_gives_all_of_it() -> None:
    html = "<div>far<div><a><img></a><p>One <b>red</b> cat</p><p>and more</p></div></div>"
    assert find_texts(find_paragraph, html) == ["One red cat and more"]


def test_hidden_text_does_not_stop_the_climb() -> None:
    html = "<div>seen<p><img><span hidden>menu</span></p></div>"
    assert find_texts(find_paragraph, html) == ["seen"]


def test_text_that_is_hidden_with_an_image_counts() -> None:
    assert find_texts(find_paragraph, "<p>far</p><div hidden><img>near</div>") == ["near"]


def test_pages_without_text_or_images() -> None:
    assert find_texts(find_paragraph, "<div><img></div>") == [""]
    assert find_texts(find_paragraph, "<p>only text</p>") == []
    assert find_texts(find_paragraph, "") == []


@given(PAGES)
def test_equals_a_plain_climb(page: Page) -> None:
    for image, found in zip(page.images, find_paragraph(*page).tolist(), strict=True):
        with_text = [p for p in ancestors(page, image) if seen_texts(page, p)]
        assert tuple(found) == (span(page, with_text[0]) if with_text else (0, 0))


@given(PAGES)
def test_levels_are_the_next_ancestors_with_more_text(page: Page) -> None:
    levels = page.terms
    for node in range(len(page.tree.tag)):
        path = [node, *ancestors(page, node)]
        counts = [len(seen_texts(page, k)) for k in path]
        more = [i for i, count in enumerate(counts) if count > counts[0]]
        above, below = (path[more[0]], path[more[0] - 1]) if more else (-1, -1)
        assert (levels["above"][node], levels["below"][node]) == (above, below)
