"""robots.txt: RFC 9309 case by case, Protego as a second opinion, answers of all kinds."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from protego import Protego

from blickfang.crawl.permission.robots_txt import (
    ALLOWED,
    EXPIRES_S,
    FORBIDDEN,
    RETRY_S,
    RULES,
    RobotsRules,
    delay_for,
    dump_rules,
    load_rules,
    make_rules,
    may_fetch,
    read_robots,
)
from blickfang.types import Failure
from tests.crawl.consent.answers import NOW, answer

HOST = "http://example.org"


def rules_of(text: str) -> RobotsRules:
    return make_rules(RULES, "", text)


def allowed(text: str, path: str) -> bool:
    return may_fetch(rules_of(text), HOST + path).allowed


# The example of RFC 9309, 5.1, with us in the place of one robot after the other.
SIMPLE = """
User-Agent: *
Disallow: *.gif$
Disallow: /example/
Allow: /publications/

User-Agent: foobot
Disallow:/
Allow:/example/page.html
Allow:/example/allowed.gif

User-Agent: barbot
User-Agent: bazbot
Disallow: /example/page.html

User-Agent: quxbot
"""


@pytest.mark.parametrize(
    ("robot", "path", "expected"),
    [
        ("nobody", "/a.gif", False),
        ("nobody", "/a.gif?b", True),
        ("nobody", "/example/page.html", False),
        ("nobody", "/publications/a.html", True),
        ("nobody", "/publications/a.gif", True),  # 14 octets against 6
        ("foobot", "/", False),
        ("foobot", "/example/page.html", True),
        ("foobot", "/example/allowed.gif", True),
        ("foobot", "/example/other.gif", False),
        ("barbot", "/example/page.html", False),
        ("barbot", "/a.gif", True),
        ("bazbot", "/example/page.html", False),
        ("quxbot", "/example/page.html", True),
    ],
)
def test_simple_example_of_the_rfc(robot: str, path: str, expected: bool) -> None:
    assert allowed(SIMPLE.replace(robot, "blickfang"), path) is expected


def test_longest_match_of_the_rfc() -> None:
    text = "User-Agent: *\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif"
    assert not allowed(text, "/example/page/disallowed.gif")
    assert allowed(text, "/example/page/other.gif")


CASES = [
    # rules of the group for everybody, path, allowed
    ("Disallow: /a\nAllow: /a", "/a", True),  # equally long: allowed
    ("Allow: /a\nDisallow: /a", "/a", True),
    ("Disallow: /\nAllow: /$", "/", True),
    ("Disallow: /\nAllow: /$", "/a", False),
    ("Disallow:", "/a", True),
    ("Disallow: /", "/robots.txt", True),  # implicitly allowed
    ("Disallow: /fish", "/fishing", False),
    ("Disallow: /fish", "/Fish", True),
    ("Disallow: /fish/", "/fish", True),
    ("Disallow: /*.php", "/index.php?x=1", False),
    ("Disallow: /*.php$", "/index.php?x=1", True),
    ("Disallow: /a*b*c$", "/axxbxxc", False),
    ("Disallow: /a*b*c$", "/axxbxxcd", True),
    ("Disallow: /a*c$", "/acc", False),
    ("Disallow: *", "/a", False),
    ("Disallow: /a?b=c", "/a?b=cd", False),
    ("Allow: /page\nDisallow: /*.htm", "/page.htm", False),  # 6 octets against 5
    ("Disallow: /foo/bar?baz=quz", "/foo/bar?baz=quz", False),
    # Figure 4 of the RFC: octets
    ("Disallow: /foo/bar?baz=https://foo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar", False),
    ("Disallow: /foo/bar?baz=https%3A%2F%2Ffoo.bar", "/foo/bar?baz=https://foo.bar", False),
    ("Disallow: /foo/bar/ツ", "/foo/bar/%E3%83%84", False),
    ("Disallow: /foo/bar/%E3%83%84", "/foo/bar/%E3%83%84", False),
    ("Disallow: /foo/bar/%e3%83%84", "/foo/bar/%E3%83%84", False),
    ("Disallow: /foo/bar/%62%61%7A", "/foo/bar/baz", False),
    ("Disallow: /a%2Fb", "/a/b", True),  # reserved: another path
    ("Disallow: /a/b", "/a%2Fb", True),
    # Figure 6: special characters, verbatim
    ("Disallow: /path/file-with-a-%2A.html", "/path/file-with-a-*.html", False),
    ("Disallow: /path/file-with-a-%2A.html", "/path/file-with-a-b.html", True),
    ("Disallow: /path/foo-%24", "/path/foo-$", False),
    ("Disallow: /a$b", "/a$b", False),
    # not in the RFC: in doubt, no
    ("Disallow: private/", "/private/a", False),
    ("Disallow: /\nAllow: private/", "/private/a", False),
    ("Disallow: /\nAllow: /x/index.html", "/x/", False),
]


@pytest.mark.parametrize(("rules", "path", "expected"), CASES)
def test_rules(rules: str, path: str, expected: bool) -> None:
    assert allowed(f"User-agent: *\n{rules}\n", path) is expected


GROUPS = [
    # file, whether /a is allowed
    ("Disallow: /", True),  # in no group
    ("User-agent: blickFANG\nDisallow: /", False),
    ("User-agent: Blickfang/0.1\nDisallow: /", False),
    ("User-agent: Blick\nAllow: /\n\nUser-agent: *\nDisallow: /", False),
    ("User-agent: Blickfang-Image\nAllow: /\n\nUser-agent: *\nDisallow: /", False),
    ("User-agent: *\nDisallow: /\n\nUser-agent: Blickfang\nDisallow:", True),
    ("User-agent: *\nDisallow: /\n\nUser-agent: Blickfang", True),
    ("User-agent: Blickfang\nAllow: /b\nUser-agent: x\nUser-agent: Blickfang\nDisallow: /", False),
    ("User-agent: *\nDisallow: /b\nUser-agent: x\nAllow: /\nUser-agent: *\nDisallow: /a", False),
    ("User-agent: *\nSitemap: /s.xml\nUser-agent: x\nDisallow: /", False),
    ("User-agent: *\nCrawl-delay: 5\nUser-agent: x\nDisallow: /", False),
    ("User-agent: *\nContent-Signal: search=yes\nUser-agent: x\nDisallow: /", False),
    ("User-agent: *\n\n# a comment\n\nDisallow: /", False),
    ("\ufeffUser-agent: *\nDisallow: /", False),
    ("\ufeff\ufeffUser-agent: *\nDisallow: /", False),
    ("User-agent: One, Blickfang/2.0, Two\nDisallow: /", False),
    ("User-agent: one blickfang; two\nDisallow: /", False),
    ("User-agent: One, *\nDisallow: /", False),
    ("User-agent: One, Two\nDisallow: /", True),
    ("User-agent: One, Blickfangs * \nDisallow: /", True),
    ("User-agent: *\nDisallow: /\n\nUser-agent: One, Blickfang\nDisallow: /b", True),
    ("User-agent: *\nDisallow: https://example.org/a", False),
    ("User-agent: *\nDisallow: HTTP://Example.org:80/*a # all", False),
    ("User-agent: *\nDisallow: /\nAllow: https://example.org/a", True),
    ("User-agent: *\nDisallow: https://example.org", False),
    ("User-agent: *\nDisallow: https://example.organisation/a", True),
    ("User-agent: *\nDisallow: https://other.org/a", True),
]


@pytest.mark.parametrize(("text", "expected"), GROUPS)
def test_groups(text: str, expected: bool) -> None:
    rules = read_robots(answer(text), NOW)
    assert may_fetch(rules, f"{HOST}/a").allowed is expected


def test_octets_that_are_no_utf8() -> None:
    rules = read_robots(answer(b"User-agent: *\nDisallow: /k\xe4se"), NOW)
    assert not may_fetch(rules, f"{HOST}/k%E4se").allowed


def test_blanks_between_names_take_no_time() -> None:
    begun = time.process_time()
    assert allowed("User-agent: One" + " " * 400_000 + "Two\nDisallow: /", "/a")
    assert time.process_time() - begun < 5


@pytest.mark.parametrize("mark", [b"\xef\xbb", b"\xbf", b"\xef\xbb\xbf\xef"])
def test_half_a_byte_order_mark(mark: bytes) -> None:
    rules = read_robots(answer(mark + b"User-agent: *\nDisallow: /"), NOW)
    assert not may_fetch(rules, f"{HOST}/a").allowed


def test_the_deciding_rule_is_told() -> None:
    rules = rules_of("User-agent: *\nDisallow: /a\nAllow: /a/b")
    assert may_fetch(rules, f"{HOST}/a/c").rule == "Disallow: /a"
    assert may_fetch(rules, f"{HOST}/a/b").rule == "Allow: /a/b"
    assert may_fetch(rules, f"{HOST}/c").rule == ""


@given(
    st.lists(
        st.tuples(st.booleans(), st.text(alphabet="ab/*", max_size=5), st.booleans()), max_size=5
    ),
    st.sampled_from(["*", "blickfang", "otherbot"]),
    st.text(alphabet="ab/", max_size=6),
)
def test_ordinary_files_as_protego(
    rules: list[tuple[bool, str, bool]], agent: str, path: str
) -> None:
    lines = ["User-agent: *", "Disallow: /b/b", "", f"User-agent: {agent}"]
    for allow, pattern, ends in rules:
        lines.append(f"{'Allow' if allow else 'Disallow'}: /{pattern}{'$' if ends else ''}")
    text = "\n".join(lines)
    expected = Protego.parse(text).can_fetch(f"{HOST}/{path}", "Blickfang")
    assert allowed(text, f"/{path}") is expected


@pytest.mark.parametrize(
    ("status", "verdict", "reason"),
    [
        (200, RULES, "status 2xx"),
        (204, RULES, "status 2xx"),
        (301, ALLOWED, "too many redirects"),
        (401, ALLOWED, "status 4xx"),
        (404, ALLOWED, "status 4xx"),
        (410, ALLOWED, "status 4xx"),
        (429, FORBIDDEN, "status 429"),
        (500, FORBIDDEN, "status 5xx"),
        (503, FORBIDDEN, "status 5xx"),
        (101, FORBIDDEN, "status 1xx"),
        (999, FORBIDDEN, "status 9xx"),
    ],
)
def test_answers(status: int, verdict: str, reason: str) -> None:
    rules = read_robots(answer(status=status), NOW)
    assert (rules.verdict, rules.reason) == (verdict, reason)
    assert may_fetch(rules, f"{HOST}/a").allowed is (verdict != FORBIDDEN)
    assert may_fetch(rules, f"{HOST}/robots.txt").allowed
    assert rules.expires_s == (RETRY_S if verdict == FORBIDDEN else EXPIRES_S)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [("120", 120.0), ("0", 60.0), ("999999999", EXPIRES_S), ("soon", RETRY_S)],
)
def test_an_unreachable_host_says_when_to_come_back(asked: str, expected: float) -> None:
    assert read_robots(answer(status=503, retry_after=asked), NOW).expires_s == expected


def test_failures_forbid_everything_for_now() -> None:
    rules = read_robots(Failure(f"{HOST}/robots.txt", "fetch", "no address"), NOW)
    assert rules.verdict == FORBIDDEN
    assert rules.expires_s < EXPIRES_S


@pytest.mark.parametrize(
    ("size", "truncated", "verdict"),
    [
        (100, "time", FORBIDDEN),
        (100, "length", FORBIDDEN),
        (600_000, "disconnect", FORBIDDEN),
        (600_000, "length", RULES),
    ],
)
def test_files_that_were_cut_short(size: int, truncated: str, verdict: str) -> None:
    assert read_robots(answer(b"#" * size, truncated=truncated), NOW).verdict == verdict


def test_delays() -> None:
    asking = rules_of("User-agent: *\nCrawl-delay: 10")
    assert delay_for(asking, 1.0) == (10.0, "")
    assert delay_for(asking, 30.0) == (30.0, "")
    assert delay_for(asking, 1.0, max_s=5.0) == (10.0, "crawl-delay too long")
    assert delay_for(rules_of(""), 1.0) == (1.0, "")
    # Of one group only, and never that of another robot.
    assert delay_for(rules_of("User-agent: x\nCrawl-delay: 99\nUser-agent: *\nAllow: /"), 1.0) == (
        1.0,
        "",
    )


@given(st.binary(max_size=300), st.integers(100, 600), st.text(max_size=30))
def test_any_answer_can_be_read_stored_and_asked(body: bytes, status: int, path: str) -> None:
    rules = read_robots(answer(b"User-agent: *\nDisallow: /" + body, status), NOW)
    assert rules == read_robots(answer(b"User-agent: *\nDisallow: /" + body, status), NOW)
    assert load_rules(dump_rules(rules)) == rules
    may_fetch(rules, f"{HOST}/{path}")


MUCH = 512 * 1024
HOSTILE = {
    "agents and rules": "".join(f"User-agent: a{n}\n" for n in range(15_000))
    + "".join(f"Allow: /{n}\n" for n in range(15_000)),
    "stars": "User-agent: *\n" + "".join(f"Allow:*{n:x}b\n" for n in range(50_000)),
    "prefixes": "User-agent: *\n" + "".join(f"Allow:/{n:x}\n" for n in range(50_000)),
    "escapes": "User-agent: *\n" + "".join(f"Allow:/%41%{n:06x}\n" for n in range(40_000)),
    "our name": "User-agent: blickfang\n" * 30_000,
    "lines": "\n" * MUCH,
    "blanks": " " * MUCH,
    "delays": "User-agent: *\n" + "Crawl-delay: 1\n" * 40_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files(name: str) -> None:
    body = HOSTILE[name].encode()[:MUCH]
    durations = []
    for _ in range(3):
        start = time.process_time()  # others may compute meanwhile
        rules = read_robots(answer(body), NOW)
        durations.append(time.process_time() - start)
    assert min(durations) < 0.6  # 0.3 s where nobody else computes
    may_fetch(rules, f"{HOST}/{'a' * 8000}")
