"""X-Robots-Tag, robots meta elements and what images say."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.crawl.permission.signals import (
    MAX_VALUE,
    Signal,
    inherited,
    of_image,
    of_robots_header,
    of_robots_metas,
    signal,
)
from tests.crawl.consent.answers import NOW


def header(value: str) -> dict[str, frozenset[str]]:
    return {one.name: one.forbids for one in of_robots_header({"x-robots-tag": value}, NOW)}


@pytest.mark.parametrize(
    ("value", "forbidden"),
    [
        ("noindex", {"index"}),
        ("NoIndex, NOFOLLOW", {"index", "follow"}),
        ("none", {"index", "follow"}),
        ("noimageindex", {"images"}),
        ("noai, noimageai", {"train", "train-images"}),
        ("noml", {"train"}),
        ("noindex;nofollow", {"index", "follow"}),
        ("all", set()),
        ("index, follow, max-snippet:-1, max-image-preview: large, noai", {"train"}),
        ("googlebot: noindex, nofollow", set()),
        ("blickfang: noindex", {"index"}),
        ("*: noindex", {"index"}),
        ("nofollow, googlebot: noindex, Blickfang: noai", {"follow", "train"}),
        ("googlebot: nofollow, otherbot: noindex, nofollow", set()),
        ("unavailable_after: 25 Jun 2010 15:00:00 PST", {"index"}),
        ("unavailable_after: Wed, 21 Oct 2015 07:28:00 GMT, nofollow", {"index", "follow"}),
        ("unavailable_after: Wednesday, 21-Oct-15 07:28:00 GMT", {"index"}),
        ("unavailable_after: 2015-10-21, noai", {"index", "train"}),
        ("unavailable_after: 2015-10-21T07:28:00+02:00", {"index"}),
        ("unavailable_after: 2099-10-21", set()),
        ("unavailable_after: some day", set()),
        ("unavailable_after", set()),
        ("otherbot: unavailable_after: 2015-10-21", set()),
        ("x: unavailable_after: 2015-01-01, blickfang: unavailable_after: 2099-01-01", set()),
        ("x: unavailable_after: 2099-01-01, blickfang: unavailable_after: 2015-01-01", {"index"}),
        ("", set()),
        # Of several lines each begins anew.
        ("googlebot: noindex\nnoindex, nofollow", {"index", "follow"}),
        ("nofollow\ngooglebot: noindex\nnoai", {"follow", "train"}),
        ("googlebot: noindex\nbingbot: nofollow", set()),
        ("otherbot: none\nunavailable_after: 25 Jun 2010 15:00:00 PST\nnoai", {"index", "train"}),
    ],
)
def test_header(value: str, forbidden: set[str]) -> None:
    assert set().union(*header(value).values()) == forbidden


def test_metas_for_everybody_and_for_us_both_bind() -> None:
    metas = {"ROBOTS": "noindex", "Blickfang": "noai", "googlebot": "nofollow", "author": "none"}
    assert of_robots_metas(metas, NOW) == [
        Signal("meta", "noindex", "", frozenset({"index"})),
        Signal("meta", "noai", "", frozenset({"train"})),
    ]


def test_a_passed_date_is_on_record() -> None:
    (one,) = of_robots_header({"x-robots-tag": "unavailable_after: 2099-10-21"}, NOW)
    assert one == Signal("header", "unavailable_after", "2099-10-21", frozenset())


@pytest.mark.parametrize(
    ("code", "forbidden"),
    [
        ("ALLOWED", set()),
        ("UNSPECIFIED", set()),
        ("PROHIBITED", {"index", "mine", "train"}),
        ("PROHIBITED-AIMLTRAINING", {"train"}),
        ("PROHIBITED-GENAIMLTRAINING", {"train"}),
        ("PROHIBITED-EXCEPTSEARCHENGINEINDEXING", {"mine", "train"}),
        ("PROHIBITED-SEECONSTRAINT", {"mine", "train"}),
    ],
)
@pytest.mark.parametrize(
    "form", ['plus:DataMining="http://ns.useplus.org/ldf/vocab/DMI-{}"', "<plus:DataMining>DMI-{}<"]
)
def test_images(code: str, forbidden: set[str], form: str) -> None:
    body = b"\xff\xd8" + b"\0" * 5000 + form.format(code).encode() + b"\0" * 5000
    assert of_image(body) == [Signal("image", "data-mining", code, frozenset(forbidden))]


def test_images_without_a_word_about_it() -> None:
    assert of_image(b"\xff\xd8 DMI-PROHIBITED") == []
    assert of_image(b"") == []


def test_what_a_page_says_of_its_images() -> None:
    kept = {"noindex", "noimageindex", "noai", "noimageai"}
    said = [signal("meta", name, "") for name in (*sorted(kept), "nofollow", "tdm-reservation")]
    assert {one.name for one in inherited([*said, signal("ai.txt", "noai", "")])} == kept


def test_values_can_be_stored() -> None:
    assert signal("header", "a", "b\udce4" + "c" * 10_000).value == "b?" + "c" * (MAX_VALUE - 2)


WORDS = st.sampled_from(
    ["noindex", "none", ",", ":", " ", "unavailable_after", "blickfang", "1 jan 2020", ";", "mon,"]
)


@given(st.one_of(st.text(), st.lists(WORDS).map("".join)), st.binary())
def test_anything_can_be_read(text: str, body: bytes) -> None:
    assert of_robots_header({"x-robots-tag": text}, NOW) == of_robots_header(
        {"x-robots-tag": text}, NOW
    )
    of_robots_metas({"robots": text, text: text}, NOW)
    of_image(body + b"DataMining" + body)


@pytest.mark.parametrize(
    "text",
    ["unavailable_after" * 10**5, "unavailable_after:" * 10**5, "a:" * 10**5, "noindex," * 10**5],
)
def test_long_headers_cost_little(text: str) -> None:
    start = time.perf_counter()
    of_robots_header({"x-robots-tag": text}, NOW)
    assert time.perf_counter() - start < 0.1
