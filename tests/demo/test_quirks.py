"""The oddities: robots rules, opt-outs, redirects, errors, traps."""

import json
from collections import Counter
from urllib.parse import urljoin
from urllib.robotparser import RobotFileParser
from xml.etree import ElementTree as ET

import pytest

from blickfang.demo import DemoWeb
from blickfang.demo.assembly import MIRRORED
from blickfang.demo.plans import PLANS

PRINTED = PLANS["lighthouse-almanac.test"].prints
SESSION_HOST = "spore-print-club.test"
SITEMAPS = [host for host, plan in PLANS.items() if plan.sitemap]


def shingles(text: str) -> set[tuple[str, ...]]:
    words = text.lower().split()
    return {tuple(words[i : i + 4]) for i in range(len(words) - 3)}


def jaccard(one: str, two: str) -> float:
    a, b = shingles(one), shingles(two)
    return len(a & b) / len(a | b)


def robots_of(web: DemoWeb, host: str) -> RobotFileParser:
    answer = web.answer(f"http://{host}/robots.txt")
    assert answer.status == (200 if PLANS[host].robots else 404)
    parser = RobotFileParser()
    parser.parse(answer.body.decode().splitlines() if answer.status == 200 else [])
    parser.modified()
    return parser


def test_robots_agree_with_the_truth(web: DemoWeb) -> None:
    parsers = {host: robots_of(web, host) for host in web.hosts}
    for page in web.pages:
        assert parsers[page.host].can_fetch("blickfang", page.url) == page.allowed, page.url
    for image in web.images:
        assert parsers[image.host].can_fetch("blickfang", image.url) == image.allowed
    closed = {page.host for page in web.pages} - {page.host for page in web.pages if page.allowed}
    assert closed == {"closed-garden.test"}
    assert str(parsers["red-kite-watch.test"].crawl_delay("blickfang")) == "1"
    assert not parsers["windy-meadow.test"].can_fetch("GPTBot", "http://windy-meadow.test/")


def test_opt_outs(web: DemoWeb) -> None:
    for page in (page for page in web.pages if page.opt_out):
        answer = web.answer(page.url)
        said = answer.header("X-Robots-Tag") + answer.body.decode().partition("</head>")[0]
        assert page.opt_out.split(",")[0] in said
    studio = next(image for image in web.images if image.opt_out)
    assert web.answer(studio.url).header("X-Robots-Tag") == studio.opt_out
    reserved = json.loads(web.answer("http://skyline-studio.test/.well-known/tdmrep.json").body)
    assert all(rule["tdm-reservation"] == 1 for rule in reserved)
    assert b"Disallow" in web.answer("http://skyline-studio.test/ai.txt").body


@pytest.mark.parametrize("host", SITEMAPS)
def test_sitemaps_list_pages(web: DemoWeb, host: str) -> None:
    root = ET.fromstring(web.answer(f"http://{host}/sitemap.xml").body)  # noqa: S314
    urls = [element.text or "" for element in root.iter() if element.tag.endswith("loc")]
    assert len(urls) >= 10
    assert all(web.answer(url).status == 200 for url in urls)


def test_redirects_end_where_the_truth_says(web: DemoWeb) -> None:
    kinds = Counter(quirk.what for quirk in web.quirks)
    assert kinds["redirect"] >= 5
    for quirk in (quirk for quirk in web.quirks if quirk.what == "redirect"):
        url, hops = quirk.url, 0
        while (answer := web.answer(url)).status != 200:
            url, hops = urljoin(url, answer.header("Location")), hops + 1
            assert hops < 5
        assert url == quirk.target


def test_loops_errors_and_slow_pages(web: DemoWeb) -> None:
    for quirk in web.quirks:
        assert web.answer(quirk.url).status == quirk.status
        assert (web.delay_s(quirk.url) > 0) == (quirk.what == "slow")
    assert {404, 410, 403, 500, 503} <= {quirk.status for quirk in web.quirks}
    loop = next(quirk.url for quirk in web.quirks if quirk.what == "loop")
    there = urljoin(loop, web.answer(loop).header("Location"))
    assert urljoin(there, web.answer(there).header("Location")) == loop


def test_traps_have_no_end(web: DemoWeb) -> None:
    entries = [page.url for page in web.pages if page.kind == "trap"]
    assert len(entries) == 2
    assert web.answer("http://oxmoor-council.test/calendar/2026/12.html").status == 200
    assert (
        b"/calendar/2031/1.html"
        in web.answer("http://oxmoor-council.test/calendar/2030/12.html").body
    )
    deep = "http://plain-kitchen.test/archive/" + 30 * "older/"
    assert (30 * "older/" + "older/").encode() in web.answer(deep).body


def test_sessions_never_repeat(web: DemoWeb) -> None:
    url, seen = f"http://{SESSION_HOST}/finds/index.html", set()
    for _ in range(5):
        html = web.answer(url).body.decode()
        url = f"http://{SESSION_HOST}" + html.split('href="', 3)[3].split('"')[0]
        assert "sid=" in url
        assert url not in seen
        seen.add(url)


def test_duplicates_are_near_and_templates_are_not(web: DemoWeb) -> None:
    pages = {page.url: page for page in web.pages}
    copies = [page for page in web.pages if page.duplicate_of]
    assert len(copies) >= PRINTED + MIRRORED
    for page in copies:
        assert jaccard(page.text, pages[page.duplicate_of or ""].text) > 0.8, page.url
    stations = [
        page for page in web.pages if page.url.startswith("http://branch-line-times.test/st")
    ]
    alike = [jaccard(a.text, b.text) for a in stations[2:] for b in stations[2:] if a.url < b.url]
    assert 0.3 < sum(alike) / len(alike) < 0.85
    guide = [page for page in web.pages if page.host == "fungi-field-guide.test"]
    content = [page for page in guide if page.kind == "content"]
    assert max(jaccard(a.text, b.text) for a in content for b in content if a.url < b.url) < 0.5
