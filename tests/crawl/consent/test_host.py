"""All signals of a host and of an answer together, stored and read again."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.crawl.permission import read_host, signals_of, signals_of_answer
from blickfang.crawl.permission.host_rules import WELL_KNOWN, HostRules, dump_host, load_host
from blickfang.crawl.permission.robots_txt import may_fetch
from blickfang.types import Failure, LicenceTerms
from tests.crawl.consent.answers import NOW, answer

ROBOTS = """
License: https://example.org/license.xml
User-agent: *
Content-Signal: search=yes, ai-train=no
Content-Usage: /open/ train-ai=y
Disallow: /private/
Sitemap: https://example.org/sitemap.xml
"""
TDMREP = '[{"location": "/texts/", "tdm-reservation": 1, "tdm-policy": "https://example.org/p"}]'
AI_TXT = "# Spawning AI\nUser-Agent: *\nDisallow: *.jpg\nAllow: /texts/\nDisallow: /\n"


def example() -> HostRules:
    return read_host(answer(ROBOTS), NOW, answer(TDMREP), answer(AI_TXT))


def said(rules: HostRules, path: str) -> dict[str, str]:
    found = signals_of(rules, f"https://example.org{path}")
    return {f"{one.source} {one.name}": one.value for one in found}


STARRED = "".join(f"Allow: *{n}\n" for n in range(9999))
SITE_WIDE = {
    "robots.txt content-signal search": "yes",
    "robots.txt content-signal ai-train": "no",
    "robots.txt license": "https://example.org/license.xml",
}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/", {"ai.txt disallow": "Disallow: /"}),
        ("/a.jpg?w=3", {"ai.txt disallow": "Disallow: *.jpg"}),
        (
            "/texts/a",
            {"tdmrep.json tdm-reservation": "1", "tdmrep.json tdm-policy": "https://example.org/p"},
        ),
        ("/open/", {"robots.txt content-usage train-ai": "y", "ai.txt disallow": "Disallow: /"}),
        (
            "/private/a",
            {"robots.txt disallow": "Disallow: /private/", "ai.txt disallow": "Disallow: /"},
        ),
    ],
)
def test_signals_of_a_host(path: str, expected: dict[str, str]) -> None:
    assert said(example(), path) == SITE_WIDE | expected


def test_stored_and_read_again() -> None:
    rules = example()
    assert load_host(json.loads(json.dumps(dump_host(rules)))) == rules


@pytest.mark.parametrize(
    "missing", [None, Failure("", "fetch", "time out"), answer(status=404), answer("<html>", 500)]
)
def test_files_that_are_not_there_say_nothing(missing: Failure | None) -> None:
    rules = read_host(answer(status=404), NOW, missing, missing)
    assert said(rules, "/a") == {}


def test_a_cut_reservation_reserves() -> None:
    rules = read_host(answer(""), NOW, answer(TDMREP[:30], truncated="length"))
    assert said(rules, "/a") == {"tdmrep.json tdm-reservation": "1"}


def test_pages_in_the_place_of_files_are_not_kept() -> None:
    page = answer("<!doctype html><h1>Welcome</h1>" * 1000)
    rules = read_host(answer(""), NOW, page, page)
    assert said(rules, "/a") == {}
    assert len(json.dumps(dump_host(rules))) < 1000


@pytest.mark.parametrize(
    ("robots", "name"),
    [
        (answer(status=503), "status 5xx"),
        (answer(status=429), "status 429"),
        (Failure("", "fetch", "refused"), "unreachable"),
        (answer("User-agent: *\n" + STARRED), "too many rules"),
    ],
)
def test_hosts_that_forbid_for_other_reasons(robots: Failure, name: str) -> None:
    (one,) = signals_of(read_host(robots, NOW), "https://example.org/a")
    assert (one.source, one.name, one.forbids) == ("robots.txt", name, frozenset({"fetch"}))


def test_robots_txt_says_whether_the_others_may_be_asked_for() -> None:
    rules = read_host(answer("User-agent: *\nDisallow: /"), NOW)
    urls = [f"https://example.org{path}" for path in WELL_KNOWN]
    assert [may_fetch(rules.robots, url).allowed for url in urls] == [True, False, False]


def test_signals_of_an_answer() -> None:
    headers = {
        "x-robots-tag": "noimageindex",
        "tdm-reservation": "0",
        "content-usage": "search=n",
        "link": '</l.xml>; rel="license"; type="application/rsl+xml"',
    }
    metas = {"robots": "nofollow", "tdm-reservation": "1"}
    found = signals_of_answer(headers, metas, NOW, [LicenceTerms("https://example.org/l2.xml")])
    assert [(one.source, one.name, one.value) for one in found] == [
        ("header", "noimageindex", ""),
        ("meta", "nofollow", ""),
        ("header", "tdm-reservation", "0"),
        ("meta", "tdm-reservation", "1"),
        ("header", "content-usage search", "n"),
        ("header", "license", "/l.xml"),
        ("meta", "license", "https://example.org/l2.xml"),
    ]


@given(st.binary(), st.binary(), st.binary(), st.text())
def test_any_host_can_be_read_and_stored(
    robots: bytes, tdmrep: bytes, ai: bytes, path: str
) -> None:
    rules = read_host(answer(robots), NOW, answer(tdmrep), answer(ai))
    assert load_host(json.loads(json.dumps(dump_host(rules)))) == rules
    for one in signals_of(rules, f"http://example.org/{path}"):
        one.value.encode()
