"""What a host says about all its addresses: robots.txt, tdmrep.json and ai.txt together.

In: the exchanges in which its WELL_KNOWN files were asked for. Out: `HostRules`, which go to plain
values and back, and the signals they hold for a URL; with the signals of an answer these are all
there are. robots.txt is of scheme, host and port; so are these rules. Robots.txt says whether the
other two files may be asked for.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from blickfang.crawl.permission.path_patterns import path_of
from blickfang.crawl.permission.record_lines import decode
from blickfang.crawl.permission.robots_txt import (
    ALLOWED,
    RULES,
    RobotsRules,
    dump_rules,
    load_rules,
    make_rules,
    may_fetch,
    read_robots,
)
from blickfang.crawl.permission.rsl import of_terms
from blickfang.crawl.permission.signals import (
    TRAIN,
    Signal,
    of_robots_header,
    of_robots_metas,
    signal,
)
from blickfang.crawl.permission.tdmrep import (
    TdmRule,
    TdmRules,
    make_tdm_rules,
    of_tdm_headers,
    of_tdm_metas,
    of_tdmrep,
    read_tdmrep,
)
from blickfang.crawl.permission.usage_preferences import (
    UsageRules,
    of_licences,
    of_usage_headers,
    of_usages,
    read_usages,
)
from blickfang.io.warc.http_exchange import Exchange
from blickfang.types import Failure, LicenceTerms

WELL_KNOWN = ("/robots.txt", "/.well-known/tdmrep.json", "/ai.txt")
FETCH = frozenset({"fetch"})


@dataclass(frozen=True, slots=True)
class HostRules:
    """What a host says about all its addresses."""

    robots: RobotsRules  # with the time after which all of this must be asked for again
    usages: tuple[UsageRules, ...]  # of robots.txt
    tdm: TdmRules
    ai: RobotsRules  # what is forbidden there is forbidden for training


def read_host(
    robots: Exchange | Failure,
    now: float,
    tdmrep: Exchange | Failure | None = None,
    ai: Exchange | Failure | None = None,
) -> HostRules:
    """Return what a host says; where tdmrep.json or ai.txt cannot be read, they say nothing."""
    rules = _host(read_robots(robots, now), read_tdmrep(b"", False), _read_ai(b""))
    return add_file(add_file(rules, 1, tdmrep), 2, ai)


def add_file(rules: HostRules, number: int, answer: Exchange | Failure | None) -> HostRules:
    """Return the rules of a host with what a further one of its WELL_KNOWN files says."""
    if number == 1:
        cut = isinstance(answer, Exchange) and answer.truncated != ""
        return replace(rules, tdm=read_tdmrep(_body(answer), cut))
    return replace(rules, ai=_read_ai(_body(answer)))


def dump_host(rules: HostRules) -> dict[str, Any]:
    """Return the rules of a host as values that JSON knows."""
    return {
        "robots": dump_rules(rules.robots),
        "tdm": [list(rule) for rule in rules.tdm.rules],
        "ai": dump_rules(rules.ai),
    }


def load_host(values: Mapping[str, Any]) -> HostRules:
    """Return the rules that `dump_host` made plain."""
    return _host(
        load_rules(values["robots"]),
        make_tdm_rules([TdmRule(*rule) for rule in values["tdm"]]),
        load_rules(values["ai"]),
    )


def signals_of(rules: HostRules, url: str) -> list[Signal]:
    """Return what a host says about one of its addresses."""
    path = path_of(url)
    found = []
    fetch = may_fetch(rules.robots, url)
    if not fetch.allowed:
        name = "disallow" if fetch.rule.startswith("Disallow: ") else fetch.rule
        found.append(signal("robots.txt", name, fetch.rule, FETCH))
    found += of_usages(rules.usages, path)
    found += of_licences("robots.txt", rules.robots.records.licences)
    found += of_tdmrep(rules.tdm, path)
    train = may_fetch(rules.ai, url)
    if not train.allowed:
        found.append(signal("ai.txt", "disallow", train.rule, TRAIN))
    return found


def signals_of_delay(rules: HostRules) -> list[Signal]:
    """Return how slowly a host wants to be asked, if that is why it is not."""
    delay_s = rules.robots.records.delay_s or 0.0
    return [signal("robots.txt", "crawl-delay", f"{delay_s:g}", FETCH)]


def signals_of_answer(
    headers: Mapping[str, str],
    metas: Mapping[str, str],
    now: float,
    licences: Iterable[LicenceTerms] = (),
    images: Iterable[str] = (),
) -> list[Signal]:
    """Return what an answer says about itself: its headers, and of a page its meta elements.

    The names of headers are in lower case; of metas the contents of equal names are joined by ", ".
    `licences` are those in RSL that a page links to or holds, `images` those that it shows.
    """
    return [
        *of_robots_header(headers, now),
        *of_robots_metas(metas, now),
        *of_tdm_headers(headers),
        *of_tdm_metas(metas),
        *of_usage_headers(headers),
        *of_terms(licences, images),
    ]


def _host(robots: RobotsRules, tdm: TdmRules, ai: RobotsRules) -> HostRules:
    return HostRules(robots, read_usages(robots.records.usages), tdm, ai)


def _read_ai(body: bytes) -> RobotsRules:
    """Return the rules of an ai.txt; many hosts answer with a page instead, which is not kept."""
    rules = make_rules(RULES, "status 2xx", decode(body))
    return rules if rules.records.rules else make_rules(ALLOWED, "no rules")


def _body(answer: Exchange | Failure | None) -> bytes:
    if isinstance(answer, Exchange) and 200 <= answer.status < 300:
        return answer.body
    return b""
