"""Images that pages describe in their data: JSON-LD and microdata, whatever form they have."""

import json
import time
from typing import Any

import pytest

from blickfang.html import glance, read_page
from blickfang.html.images.structured_data import MAX_IMAGES
from blickfang.types import Image, Page, Response

URL = "http://example.org/cats/"
CAT = {"@type": "ImageObject", "contentUrl": "cat.jpg", "caption": "A cat", "creditText": "Ann"}


def images(*data: Any, rest: str = "") -> list[Image]:
    scripts = (f'<script type="application/ld+json">{json.dumps(one)}</script>' for one in data)
    page = read_page("".join(scripts) + rest, URL)
    assert isinstance(page, Page)
    return list(page.images)


@pytest.mark.parametrize(
    "data",
    [
        CAT,
        [CAT],
        {"@graph": [{"@type": "WebPage"}, CAT]},
        {"@type": "Article", "image": CAT},
        {"@type": "Product", "image": [[CAT]]},
        {"a": {"b": [{"c": CAT}]}},
        {"@type": ["Thing", "http://schema.org/ImageObject"]}
        | {key: value for key, value in CAT.items() if key != "@type"},
        {"image": {"url": "cat.jpg", "description": "A cat", "creator": {"name": "Ann"}}},
        {"image": {"url": ["cat.jpg"], "caption": {"text": " A\n cat"}, "author": ["Ann"]}},
        {"photo": {"contentUrl": "cat.jpg", "caption": ["A cat"], "copyrightHolder": "Ann"}},
        {"image": {"url": "http://EXAMPLE.org/cats/cat.jpg", "caption": "A&#32;cat",
                   "creditText": {"@value": "Ann"}}},
    ],
)  # fmt: skip
def test_image_caption_and_credit(data: Any) -> None:
    (image,) = images(data)
    assert (image.url, image.origin, image.number) == (f"{URL}cat.jpg", "data", -1)
    assert (image.caption, image.credit) == ("A cat", "Ann")


def test_addresses_alone() -> None:
    found = images(
        {"@type": "Recipe", "image": ["a.jpg?x=1&amp;y=2", "b.jpg", "a.jpg?x=1&y=2"]},
        {"image": "c.jpg", "logo": "no.png", "publisher": {"logo": {"url": "no.png", **CAT}}},
        {"image": {"@id": "#primary"}, "thumbnailUrl": "no.jpg", "video": {"url": "no.mp4"}},
        rest="<meta itemprop=image content=d.jpg><link itemprop='x contentUrl' href=e.jpg>"
        "<link itemprop=url href=no.html><span itemprop=image content=no.jpg></span>",
    )
    names = ["d.jpg", "e.jpg", "a.jpg?x=1&y=2", "b.jpg", "c.jpg"]
    assert [image.url for image in found] == [URL + name for name in names]


def test_what_is_said_of_an_image_that_the_page_shows_or_names_goes_to_that() -> None:
    shown = "<figure><img src=dog.jpg title=own><figcaption>Own words</figcaption></figure>"
    dog = CAT | {"contentUrl": "dog.jpg", "name": "Dog"}
    found = images(
        CAT, dog, rest=f"{shown}<img src=cat.jpg><meta property=og:image content=cat.jpg>"
    )
    assert [(image.url, image.origin) for image in found] == [
        (f"{URL}dog.jpg", "img"),
        (f"{URL}cat.jpg", "img"),
    ]
    assert [image.caption for image in found] == ["Own words", "A cat"]
    assert [(image.title, image.credit) for image in found] == [("own", "Ann"), ("", "Ann")]
    (named,) = images(CAT, rest="<meta property=og:image content=cat.jpg>")
    assert (named.origin, named.caption, named.credit) == ("meta", "A cat", "Ann")


def test_captions_no_person_wrote_are_marked() -> None:
    (image,) = images(CAT | {"caption": "cat.jpg"})
    assert image.generated == ("caption",)
    (image,) = images(CAT | {"caption": "cat.jpg"}, rest="<img src=cat.jpg>")
    assert image.generated == ("caption",)


def test_a_glance_has_the_addresses() -> None:
    html = f'<script type="application/ld+json">{json.dumps(CAT)}</script>'
    page = glance(Response(URL, 200, {}, html.encode()))
    assert isinstance(page, Page)
    assert [(image.url, image.caption) for image in page.images] == [(f"{URL}cat.jpg", "")]


@pytest.mark.parametrize(
    "data",
    [
        {"image": None}, {"image": 7}, {"image": {}}, {"image": ""}, {"image": {"url": 7}},
        {"image": {"url": []}}, {"@type": None, "image": {"url": None, "caption": CAT}},
        {"@type": "ImageObject"}, {"image": "x" * 10_000}, {"image": [None, [7], {"a": []}]},
    ],
)  # fmt: skip
def test_what_names_no_image(data: Any) -> None:
    assert [image.url for image in images(data) if image.url != f"{URL}cat.jpg"] == []


def test_data_without_end_are_cut() -> None:
    start = time.process_time()
    many = [{"image": f"{number}.jpg"} for number in range(30_000)]
    assert len(images(many)) == MAX_IMAGES
    deep: Any = CAT
    for _ in range(400):
        deep = {"image": [deep, deep]}
    assert len(images(["image", *[[]] * 100_000])) == 0
    scripts = '<script type="application/ld+json">["image"]</script>' * 30_000
    assert images(rest=scripts) == []
    same = f'<script type="application/ld+json">{json.dumps(many)}</script>' * 20
    assert len(images(rest=same)) == MAX_IMAGES
    assert time.process_time() - start < 8.0
