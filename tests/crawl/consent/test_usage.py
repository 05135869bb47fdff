"""Content-Usage, Content-Signal and RSL: the examples of their drafts, and what is broken."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.crawl.permission.path_patterns import normal
from blickfang.crawl.permission.record_lines import read_records
from blickfang.crawl.permission.signals import Signal
from blickfang.crawl.permission.usage_preferences import of_usage_headers, of_usages, read_usages


def forbidden(signals: list[Signal]) -> set[str]:
    return {thing for one in signals for thing in one.forbids}


def names(signals: list[Signal]) -> dict[str, str]:
    return {one.name: one.value for one in signals}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("train-ai=n", {"train"}),
        ("train-ai=y, search=n", {"index"}),
        ("train-ai=y", set()),
        ("bots=n", {"index", "mine", "train"}),
        ("train-genai=n;ex=1", {"train"}),
        ('train-ai=y, train-ai, search=n, search="n"', set()),  # of the draft: unknown
        ("train-ai;allow=n, train-ai=y", set()),  # of the draft
        ('train-ai;has;parameters="?";', set()),
        ('x="train-ai=n, search=n"', set()),
        ("train-ai", set()),
        ("train-ai=1", set()),
        ("ai-use=n", set()),
        ("unknown=n", set()),
        ("Train-AI = N", {"train"}),  # more generous than the draft
        ("train-ai=y, train-ai=n", {"train"}),
    ],
)
def test_content_usage_header(value: str, expected: set[str]) -> None:
    assert forbidden(of_usage_headers({"content-usage": value})) == expected


def test_content_signal_header() -> None:
    found = of_usage_headers({"content-signal": "search=yes, ai-train=no, ai-input=no,use=full"})
    assert names(found) == {
        "content-signal ai-train": "no",
        "content-signal search": "yes",
        "content-signal ai-input": "no",
        "content-signal use": "full",
    }
    assert forbidden(found) == {"train"}
    assert forbidden(of_usage_headers({"content-signal": "use=reference"})) == {"train"}


def of_file(text: str, path: str) -> list[Signal]:
    return of_usages(read_usages(read_records(text).usages), normal(path))


EXAMPLE = """
User-Agent: *
Allow: /
Disallow: /never/
Content-Usage: train-ai=n
Content-Usage: /ai-ok/ train-ai=y

User-Agent: ExampleBot
Allow: /
Content-Usage: train-ai=y
"""


@pytest.mark.parametrize(
    ("path", "robot", "expected"),
    [
        ("/test", "nobody", "n"),
        ("/ai-ok/test", "nobody", "y"),
        ("/test", "ExampleBot", "y"),
        ("/ai-ok/test", "ExampleBot", "y"),
    ],
)
def test_example_of_the_draft(path: str, robot: str, expected: str) -> None:
    found = of_file(EXAMPLE.replace(robot, "Blickfang"), path)
    assert names(found) == {"content-usage train-ai": expected}


def test_equally_specific_lines_add_up() -> None:
    text = "User-agent: *\nContent-Usage: /a train-ai=y\nContent-Usage: /a\ttrain-ai=n\nAllow: /"
    assert forbidden(of_file(text, "/a")) == {"train"}
    assert forbidden(of_file(text, "/b")) == set()


@pytest.mark.parametrize(
    "text",
    [
        "User-agent: *\nContent-Signal: search=yes,ai-train=no\nAllow: /",
        "User-agent: *\nAllow: /\ncontent-signal: search=yes, ai-train=no",
        "Content-Signal: ai-train=no\n\nUser-agent: x\nDisallow: /",
        "User-agent: *\nContent-Signal: ai-train=no\n\nUser-agent: x\nContent-Signal: ai-train=yes",
    ],
)
def test_content_signal_of_robots_txt(text: str) -> None:
    assert forbidden(of_file(text, "/a")) == {"train"}


def test_signals_for_other_robots_are_not_ours() -> None:
    assert of_file("User-agent: x\nContent-Signal: ai-train=no\nUser-agent: *\nAllow: /", "/") == []


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ('<https://a.b/l.xml>; rel="license"; type="application/rsl+xml"', ["https://a.b/l.xml"]),
        ("</l.xml>; type=application/rsl+xml; rel=license", ["/l.xml"]),
        ('</x>; rel=next, </l.xml>; rel="a license"; type="application/RSL+xml"', ["/l.xml"]),
        ('<https://creativecommons.org/licenses/by/4.0/>; rel="license"', []),
        ('</l.xml>; rel="licensed"; type="application/rsl+xml"', []),
        ('</l.xml>; rel="next"; type="application/rsl+xml"', []),
        ("<<<>>>,,,;;;", []),
    ],
)
def test_licences_of_the_link_header(value: str, found: list[str]) -> None:
    signals = of_usage_headers({"link": value})
    assert [one.value for one in signals] == found
    assert all((one.source, one.name) == ("header", "license") for one in signals)
    assert forbidden(signals) == ({"train"} if found else set())


@given(st.text(), st.text(alphabet='train-ai=ny,";\\ /*', max_size=60), st.text(max_size=20))
def test_anything_can_be_read(one: str, other: str, path: str) -> None:
    for text in (one, other):
        found = of_usage_headers(dict.fromkeys(("content-usage", "content-signal", "link"), text))
        assert found == of_usage_headers(
            dict.fromkeys(("content-usage", "content-signal", "link"), text)
        )
        lines = [("content-usage", text), ("content-signal", text)]
        of_usages(read_usages(lines), normal(f"/{path}"))


@pytest.mark.parametrize("text", ['"' * 10**5, 'a="' * 10**5, "<" * 10**5, "<a>rel=" * 10**5])
def test_long_headers_cost_little(text: str) -> None:
    start = time.perf_counter()
    of_usage_headers({"content-usage": text, "content-signal": text, "link": text})
    assert time.perf_counter() - start < 0.1
