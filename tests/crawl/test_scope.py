"""Where a crawl may go: hosts of seeds, prefixes that are accepted or rejected."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.crawl.crawl_options import CrawlOptions
from blickfang.crawl.frontier.candidates import IMAGE, PAGE
from blickfang.crawl.frontier.scope import Scope
from blickfang.errors import SettingsError
from blickfang.io.urls import host as host_of
from blickfang.io.urls import surt

ADDRESSES = [
    "http://example.org/",
    "https://example.org/cats/1.html",
    "http://www.example.org/cats/",
    "http://example.com/cats/",
    "http://example.org:8080/cats/",
    "http://192.0.2.7/cats/",
]
PREFIXES = [
    "(org,example,",
    "(org,example,)",
    "http://(org,example,)/cats",
    "https://(org,",
    "(com,",
    "(192.0.2.7)/",
]


def has(options: CrawlOptions, url: str, kind: int = PAGE) -> bool:
    return Scope(options, ["example.org"]).has(url, host_of(url), kind)


def test_without_settings_everything_is_in_scope() -> None:
    assert all(has(CrawlOptions(), url, kind) for url in ADDRESSES for kind in (PAGE, IMAGE))


def test_only_hosts_of_seeds_but_images_from_anywhere() -> None:
    options = CrawlOptions(stay_on_seed_hosts=True)
    inside = [url for url in ADDRESSES if has(options, url)]
    assert inside == [url for url in ADDRESSES if host_of(url) == "example.org"]
    assert all(has(options, url, IMAGE) for url in ADDRESSES)


def test_where_a_seed_has_moved_to_is_in_scope() -> None:
    scope = Scope(CrawlOptions(stay_on_seed_hosts=True), ["example.org"])
    assert not scope.has("http://www.example.org/", "www.example.org", PAGE)
    scope.widen("www.example.org")
    assert scope.has("http://www.example.org/", "www.example.org", PAGE)


@pytest.mark.parametrize(
    ("prefix", "accepted"),
    [
        ("(org,example,", [0, 1, 2, 4]),  # with all hosts below it
        ("(org,example,)", [0, 1]),
        ("(org,example,)/cats", [1]),
        ("http://(org,example,)", [0]),
        ("(192.0.2.7)", [5]),
    ],
)
def test_prefixes(prefix: str, accepted: list[int]) -> None:
    wanted = [ADDRESSES[number] for number in accepted]
    assert [url for url in ADDRESSES if has(CrawlOptions(accept=(prefix,)), url)] == wanted
    assert [url for url in ADDRESSES if not has(CrawlOptions(reject=(prefix,)), url)] == wanted
    assert all(has(CrawlOptions(accept=(prefix,)), url, IMAGE) for url in ADDRESSES)
    assert [
        url for url in ADDRESSES if not has(CrawlOptions(reject=(prefix,)), url, IMAGE)
    ] == wanted


@given(
    st.lists(st.sampled_from(PREFIXES)),
    st.lists(st.sampled_from(PREFIXES)),
    st.sampled_from(ADDRESSES),
    st.sampled_from([PAGE, IMAGE]),
)
def test_what_is_rejected_is_never_accepted(
    accept: list[str], reject: list[str], url: str, kind: int
) -> None:
    key = surt(url) or ""
    forms = (key, key.partition("//")[2])
    accepted = not accept or kind == IMAGE or any(form.startswith(tuple(accept)) for form in forms)
    rejected = bool(reject) and any(form.startswith(tuple(reject)) for form in forms)
    options = CrawlOptions(accept=tuple(accept), reject=tuple(reject))
    assert has(options, url, kind) == (accepted and not rejected)


@pytest.mark.parametrize("bad", [{"accept": ("example.org",)}, {"reject": ("http://a.org/",)}])
def test_a_prefix_that_is_none_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(SettingsError, match="SURT"):
        CrawlOptions(**bad)
