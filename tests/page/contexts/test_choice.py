"""Contexts by name: every method answers for every image, and points to words of the page."""

import pytest
from hypothesis import given

from blickfang.errors import InputError
from blickfang.html import METHODS, read_page
from blickfang.html.contexts import context_text
from blickfang.text.words import read_words
from blickfang.types import Context, Page
from tests.page.contexts.pages import HTML
from tests.page.soup import soups

MAP = (
    "<body><h1>Towers</h1><p>First of all some words about towers in general.</p>"
    "<div><img src=a.jpg width=200 height=200><p>A tower of brick, red and high.</p></div>"
    "<div><img src=b.jpg width=200 height=200><p>A tower of wood <i hidden>no</i> and tar.</p>"
    "</div><p>And in the end a word of thanks to all who built them.</p></body>"
)


def contexts(html: str, *methods: str) -> list[dict[str, Context]]:
    page = read_page(html, methods=methods)
    assert isinstance(page, Page)
    return [image.contexts for image in page.images]


def texts(html: str, method: str) -> list[str]:
    return [" ".join(found[method].text.split()) for found in contexts(html, method)]


def check_words(page: Page) -> None:
    """Each context's ranges must hold the words of its text."""
    for image in page.images:
        for found in image.contexts.values():
            here = [h for start, end in found.words for h in page.words[start:end].tolist()]
            assert here == read_words(found.text).hashes.tolist(), found


def test_every_method_answers_for_every_image() -> None:
    found = contexts(MAP, *METHODS)
    assert [list(each) for each in found] == [list(METHODS)] * 2
    for each in found:
        for name, context in each.items():
            assert context.method == name
            assert context.reasons
            assert 0 <= context.confidence <= 1
            assert context.kind in ({"figure", "record"} if name == "best" else {""})


def test_methods_come_in_the_order_asked() -> None:
    assert [list(each) for each in contexts(MAP, "window", "best")] == [["window", "best"]] * 2
    assert contexts(MAP) == [{}, {}]


def test_an_unknown_method_is_answered_with_all_names() -> None:
    with pytest.raises(InputError) as caught:
        read_page(MAP, methods=["best", "magic"])
    assert "'magic'" in str(caught.value)
    assert all(name in str(caught.value) for name in METHODS)


def test_words_of_contexts_are_words_of_the_page() -> None:
    page = read_page(MAP, methods=METHODS)
    assert isinstance(page, Page)
    check_words(page)
    best = page.images[1].contexts["best"]
    assert len(best.words) == 2, "hidden words lie between"
    assert best.text.split() == ["A", "tower", "of", "wood", "and", "tar."]


@given(HTML)
def test_any_page_with_all_methods(html: str) -> None:
    apart = html.replace("<", " <").replace(">", "> ")  # every tag cuts words, but not the text
    page = read_page(f"<body><div>{apart} x</div>", methods=METHODS)
    assert isinstance(page, Page)
    assert all(list(image.contexts) == list(METHODS) for image in page.images)
    check_words(page)


@given(soups())
def test_any_soup_with_all_methods(html: str) -> None:
    page = read_page(html + "x", methods=METHODS)
    if isinstance(page, Page):
        for image in page.images:
            assert set(image.contexts) <= set(METHODS)
            assert image.number < 0 or set(image.contexts) == set(METHODS)


def test_parents_grow_with_their_level() -> None:
    html = "<div>one <div>two <div>three <div>four <p>five <img src=a.jpg></p></div></div></div>"
    found = contexts(html, *(f"parent-{level}" for level in range(5)))[0]
    assert [found[f"parent-{level}"].text.split() for level in range(5)] == [
        ["five"],
        ["four", "five"],
        ["three", "four", "five"],
        ["two", "three", "four", "five"],
        ["one", "two", "three", "four", "five"],
    ]


@pytest.mark.parametrize("method", ["layout", "layout-edge", "layout-priority"])
def test_layout_takes_what_lies_near(method: str) -> None:
    first, second = texts(MAP, method)
    assert "brick" in first
    assert "wood" in second
    assert contexts(MAP, method)[0][method].reasons[0].startswith("sections at ")


def test_expansion_holds_what_layout_found() -> None:
    for near, grown in zip(texts(MAP, "layout"), texts(MAP, "expansion"), strict=True):
        assert set(near.split()) <= set(grown.split())


def test_a_page_without_images() -> None:
    assert contexts("<p>Only text.</p>", *METHODS) == []


@pytest.mark.parametrize("method", ["best", "layout", "expansion", "parent-0"])
def test_equal_texts_are_one(method: str) -> None:
    html = "<p>" + "".join(f"w{k} <b>strong</b> <img>" for k in range(300))
    found = [each[method] for each in contexts(html, method)]
    assert len({id(each.text) for each in found}) == len({each.text for each in found})
    assert len({id(part) for each in found for part in each.emphasised}) <= 300


def test_texts_of_many_boxes_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context_text, "MAX_BYTES", 1000)
    html = "".join(f"<div><img>x{k} " for k in range(50)) + "für, " * 300 + "<i hidden>no</i> z"
    page = read_page(html, methods=METHODS)
    assert isinstance(page, Page)
    check_words(page)
    for method in METHODS:
        texts = {image.contexts[method].text for image in page.images}
        pieces = [piece for text in texts for piece in text.split("\n")]
        assert sum(len(piece.encode()) for piece in pieces) <= 1000, method
    whole = contexts(html, "parent-0")[-1]["parent-0"].text
    assert whole.startswith(("x49\nfür, für", "x49 für, für"))
