"""Pages of the demo web read by us, against what is true about them."""

import re
from itertools import islice

import pytest

from blickfang.demo import DemoWeb
from blickfang.html import read_page
from blickfang.types import Page

MARKUPS = [
    "figure",
    "card",
    "cell",
    "flat",
    "aria",
    "wiki",
    "lazy",
    "noscript",
    "generated",
    "background",
    "linked",
    "picture",
]
MENTIONS = 25  # of each markup
CONTENT_PAGES = 60
FLOOR = 0.95
WORD = re.compile(r"\w+")


def read(web: DemoWeb, url: str) -> Page:
    page = read_page(web.answer(url).body, url)
    assert isinstance(page, Page), url
    return page


def word_f(found: str, true: str) -> float:
    ours, theirs = set(WORD.findall(found)), set(WORD.findall(true))
    return 2 * len(ours & theirs) / (len(ours) + len(theirs)) if ours or theirs else 1.0


def score(web: DemoWeb, page: str, true: str, urls: set[str]) -> float:
    """Return how well the text of an image's best context is met; 0 where the image is missed."""
    shown = [image for image in read(web, page).images if image.url in urls]
    texts = [image.contexts["best"].text for image in shown if image.contexts]
    return max((word_f(text, true) for text in texts), default=0.0)


@pytest.fixture(scope="module")
def scores(web: DemoWeb) -> dict[str, list[float]]:
    """Return for each markup how well the best contexts hit what belongs to the images."""
    places: dict[str, dict[tuple[str, str], set[str]]] = {markup: {} for markup in MARKUPS}
    for image in web.images:
        for mention in image.mentions:
            if mention.markup in places:  # one place may offer a picture in several sizes
                place = mention.page, " ".join(mention.record) or mention.caption
                places[mention.markup].setdefault(place, set()).add(image.url)
    return {
        markup: [score(web, *place, urls) for place, urls in islice(found.items(), MENTIONS)]
        for markup, found in places.items()
    }


@pytest.mark.parametrize("markup", MARKUPS)
def test_the_text_of_images(scores: dict[str, list[float]], markup: str) -> None:
    scored = scores[markup]
    assert scored, "the demo web has this markup"
    assert sum(scored) / len(scored) >= FLOOR


def test_main_text_holds_what_was_written(web: DemoWeb) -> None:
    truths = [truth for truth in web.pages if truth.kind == "content" and truth.text]
    kept = total = 0
    for truth in islice(truths, 0, None, max(1, len(truths) // CONTENT_PAGES)):
        words = WORD.findall(truth.text)
        main = set(WORD.findall(read(web, truth.url).main_text))
        kept += sum(word in main for word in words)
        total += len(words)
    assert kept / total >= FLOOR
