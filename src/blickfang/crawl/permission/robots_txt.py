"""robots.txt (RFC 9309): which addresses of a host we may fetch, and how often.

In: the exchange in which it was asked for, after redirects (at most MAX_ROBOTS_HOPS, followed by
the caller; the rules are those of the host that was asked first). Out: `Rules`, which answer for a
URL, and go to plain values and back. Only /robots.txt itself needs no permission.

| answer                              | means                          | valid for           |
|-------------------------------------|--------------------------------|---------------------|
| 2xx, complete or at least 500 KiB   | its rules                      | 24 hours            |
| 3xx: too many hops, or no target    | all is allowed (2.3.1.2)       | 24 hours            |
| 4xx but 429                         | all is allowed (2.3.1.3)       | 24 hours            |
| 5xx, 429, cut short, failure, other | nothing for now (2.3.1.4)      | Retry-After, or 1 h |

The RFC would permit to fetch again after thirty days of silence; no crawl waits that long.

Why not Protego: its time grows with user agents times rules (a file of 118 kB: 42 s), and of the 47
cases of tests/crawl/consent/test_robots.py it allows 9 that are forbidden, 6 of them by the letter
of the RFC. It is the second opinion of the tests.
"""

import re
from dataclasses import dataclass
from typing import NamedTuple

from blickfang.crawl.permission.crawl_manners import retry_after
from blickfang.crawl.permission.path_patterns import Patterns, compile_patterns, matching, path_of
from blickfang.crawl.permission.record_lines import Records, decode, read_records
from blickfang.io.urls import host
from blickfang.io.warc.http_exchange import Exchange
from blickfang.types import Failure

MAX_ROBOTS_HOPS = 5
EXPIRES_S = 24 * 3600.0
RETRY_S = 3600.0
SHORTEST_RETRY_S = 60.0
LEAST_BYTES = 500 * 1024  # of a file that was cut short, but is read all the same

MAX_DELAY_S = 60.0

RULES, ALLOWED, FORBIDDEN = "rules", "allowed", "forbidden"


@dataclass(frozen=True, slots=True)
class RobotsRules:
    """What a robots.txt, or a file of its kind, permits."""

    verdict: str  # rules, allowed (everything) or forbidden (everything)
    reason: str  # of the verdict: short and fixed
    text: str  # as it was read, with \\n between the lines
    expires_s: float  # after which it must be asked for again
    records: Records
    patterns: Patterns  # of records.rules


class Permission(NamedTuple):
    """Whether a URL may be fetched, and the rule that decided; "" where none did."""

    allowed: bool
    rule: str


class CrawlDelay(NamedTuple):
    """The time between two requests to a host, or why there shall be none."""

    delay_s: float
    skip: str  # "" for a host that may be asked


def read_robots(answer: Exchange | Failure, now: float) -> RobotsRules:
    """Return what a host permits, by its answer to the question for its robots.txt."""
    if isinstance(answer, Failure):
        return make_rules(FORBIDDEN, "unreachable", expires_s=RETRY_S)
    status = answer.status
    if status == 429 or status >= 500 or status < 200:
        asked = retry_after(answer.headers, now)
        wait_s = RETRY_S if asked is None else min(max(asked, SHORTEST_RETRY_S), EXPIRES_S)
        reason = "status 429" if status == 429 else f"status {status // 100}xx"
        return make_rules(FORBIDDEN, reason, expires_s=wait_s)
    if status >= 400:
        return make_rules(ALLOWED, "status 4xx")
    if status >= 300:
        return make_rules(ALLOWED, "too many redirects")
    cut = answer.truncated
    if cut and (cut != "length" or len(answer.body) < LEAST_BYTES):
        return make_rules(FORBIDDEN, "cut short", expires_s=RETRY_S)
    return make_rules(
        RULES, "status 2xx", _as_paths(decode(answer.body, cut=bool(cut)), answer.url)
    )


def _as_paths(text: str, url: str) -> str:
    """Return rules that name addresses of their own host as rules of paths."""
    if "://" not in text:
        return text
    begin = rf"^([ \t]*+(?:dis)?allow[ \t]*+:[ \t]*+)https?://{re.escape(host(url))}"
    own = re.compile(begin + r"(?::[0-9]{1,5})?(?:/|(?=[ \t]*+(?:#|$)))", re.I | re.M)
    return own.sub(r"\1/", text)


def make_rules(
    verdict: str, reason: str, text: str = "", expires_s: float = EXPIRES_S
) -> RobotsRules:
    """Return rules that are made of a text, or of a verdict alone."""
    records = read_records(text)
    return RobotsRules(verdict, reason, text, expires_s, records, _compiled(records))


def may_fetch(rules: RobotsRules, url: str) -> Permission:
    """Return whether a URL may be fetched, and why.

    >>> rules = make_rules(RULES, "", "User-agent: *\\nDisallow: /cats/")
    >>> may_fetch(rules, "http://example.org/cats/1.jpg")
    Permission(allowed=False, rule='Disallow: /cats/')
    """
    path = path_of(url)
    if path == "/robots.txt":
        return Permission(True, "")
    if rules.verdict != RULES:
        return Permission(rules.verdict == ALLOWED, rules.reason)
    found = matching(rules.patterns, path)
    if found is None:
        return Permission(False, "too many rules")
    if not found:
        return Permission(True, "")
    longest = max(tail.priority for tail in found)
    deciding = (rules.records.rules[tail.number] for tail in found if tail.priority == longest)
    allowed, pattern = max(deciding)  # of equally long ones, one that allows
    return Permission(allowed, f"{'Allow' if allowed else 'Disallow'}: {pattern}")


def delay_for(rules: RobotsRules, default_s: float, max_s: float = MAX_DELAY_S) -> CrawlDelay:
    """Return the time between two requests to a host, never less than it asks for.

    >>> delay_for(make_rules(RULES, "", "User-agent: *\\nCrawl-delay: 3600"), 1.0)
    CrawlDelay(delay_s=3600.0, skip='crawl-delay too long')
    """
    asked_s = rules.records.delay_s or 0.0
    return CrawlDelay(max(default_s, asked_s), "crawl-delay too long" if asked_s > max_s else "")


def dump_rules(rules: RobotsRules) -> dict[str, str | float]:
    """Return rules as plain values, for a database."""
    return {
        "verdict": rules.verdict,
        "reason": rules.reason,
        "text": rules.text,
        "expires_s": rules.expires_s,
    }


def load_rules(values: dict[str, str | float]) -> RobotsRules:
    """Return the rules that `dump_rules` made plain."""
    return make_rules(
        str(values["verdict"]),
        str(values["reason"]),
        str(values["text"]),
        float(values["expires_s"]),
    )


def _compiled(records: Records) -> Patterns:
    return compile_patterns([_rooted(allow, pattern) for allow, pattern in records.rules])


def _rooted(allow: bool, pattern: str) -> str:
    """Return a pattern that can match: one without its first slash forbids, but allows nothing."""
    if pattern.startswith(("/", "*")) or allow:
        return pattern
    return f"/{pattern}"
