"""The three witnesses say in one go what the methods of their names say."""

import numpy as np
from hypothesis import given

from blickfang.html.contexts.method_agreement import find_witnesses
from blickfang.html.contexts.monash import find_monash
from blickfang.html.contexts.neighbours import find_siblings
from blickfang.html.contexts.paragraph import find_paragraph
from tests.page.contexts.pages import PAGES, Page, read_page


@given(PAGES)
def test_they_say_what_the_methods_say(page: Page) -> None:
    methods = find_paragraph(*page), find_monash(*page), find_siblings(*page)[:, 0]
    assert np.array_equal(find_witnesses(page.terms, page.images), np.stack(methods))


def test_a_page_without_text_has_none() -> None:
    page = read_page("<div><img></div>")
    assert find_witnesses(page.terms, page.images).tolist() == [[[0, 0]]] * 3
