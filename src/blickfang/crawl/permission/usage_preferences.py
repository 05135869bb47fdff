"""Preferences about use: Content-Usage (IETF AIPREF), Content-Signal (Cloudflare), RSL licences.

In: a header, or lines of robots.txt, which may begin with a path pattern. Out: signals. Where
several patterns match, the longest decides; what two equally specific lines, or the header and
robots.txt, say differently is forbidden, as the draft wants it.

A licence in the language RSL that lies elsewhere is not read: it asks to be read before the content
is used, so it binds where the use is one that sites sell licences for, training. Those that a page
holds are read (rsl.py).
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from blickfang.crawl.permission.path_patterns import Patterns, compile_patterns, matching
from blickfang.crawl.permission.signals import MAX_HEADER, NOTHING, TRAIN, Signal, signal

INDEX = frozenset({"index"})
MINE = frozenset({"mine", "train"})

# By header: labels and what their refusal forbids. Those of earlier drafts are still about. To be
# input of a running model (ai-use, ai-input) is no purpose of ours: it is noted, nothing more.
VOCABULARY = {
    "content-usage": {
        "bots": MINE | INDEX,
        "all": MINE | INDEX,
        "tdm": MINE,
        "ai": TRAIN,
        "genai": TRAIN,
        "train-ai": TRAIN,
        "train-genai": TRAIN,
        "search": INDEX,
        "ai-use": NOTHING,
    },
    "content-signal": {
        "ai-train": TRAIN,
        "search": INDEX,
        "ai-input": NOTHING,
        "use": TRAIN,
    },
}
REFUSALS = frozenset({"n", "no", "immediate", "reference"})  # the last two: of "use"
GRANTS = frozenset({"y", "yes", "full"})

MEMBER = re.compile(r'(?>(?:[^,"]++|"(?>(?:[^"\\]++|\\.)*)"?)+)')
LINK = re.compile(r"<([^<>]*)>([^<]*)")
LICENSE = re.compile(r"\brel\s*+=\s*+\"?[^\";]{0,200}?\blicense\b", re.IGNORECASE)
MAX_LICENCES = 3
RSL_TYPE = "application/rsl+xml"


class UsageRules(NamedTuple):
    """What robots.txt says in one vocabulary, by path."""

    field: str
    signals: tuple[tuple[Signal, ...], ...]  # of each line
    patterns: Patterns  # the paths of the lines


def of_usage_headers(headers: Mapping[str, str]) -> list[Signal]:
    """Return what the headers Content-Usage, Content-Signal and Link say about use."""
    found = []
    for field in VOCABULARY:
        if field in headers:
            found += _preferences("header", field, headers[field])
    links = LINK.findall(headers.get("link", "")[:MAX_HEADER])
    return found + of_licences("header", [url for url, rest in links if _is_licence(rest)])


def read_usages(lines: Sequence[tuple[str, str]]) -> tuple[UsageRules, ...]:
    """Return what lines of robots.txt say: field and value of each."""
    read = []
    for field in VOCABULARY:
        values = [_placed(value) for name, value in dict.fromkeys(lines) if name == field]
        signals = tuple(tuple(_preferences("robots.txt", field, text)) for _, text in values)
        if any(signals):
            patterns = compile_patterns([place for place, _ in values])
            read.append(UsageRules(field, signals, patterns))
    return tuple(read)


def of_usages(usages: Iterable[UsageRules], path: str) -> list[Signal]:
    """Return what robots.txt says about the use of a path in normal spelling."""
    found: list[Signal] = []
    for rules in usages:
        tails = matching(rules.patterns, path)
        if tails is None:
            found.append(signal("robots.txt", rules.field, "too many rules", MINE | INDEX))
            continue
        longest = max((tail.priority for tail in tails), default=0)
        for tail in tails:
            if tail.priority == longest:
                found += rules.signals[tail.number]
    return list(dict.fromkeys(found))


def of_licences(source: str, urls: Iterable[str]) -> list[Signal]:
    """Return that licences must be read before training; a few are enough to know."""
    known = [url for url in urls if "/" in url]
    return [signal(source, "license", url, TRAIN) for url in known[:MAX_LICENCES]]


def _is_licence(parameters: str) -> bool:
    """Whether the parameters of a link are those of an RSL licence."""
    return RSL_TYPE in parameters.lower() and LICENSE.search(parameters) is not None


def _placed(line: str) -> tuple[str, str]:
    """Return the path pattern of a line, / where it has none, and what it says."""
    if not line.startswith("/"):
        return "/", line
    place, *rest = line.split(None, 1)
    return place, "".join(rest)


def _preferences(source: str, field: str, text: str) -> list[Signal]:
    """Return the preferences of a dictionary of structured fields (RFC 9651).

    Of two members with one key the last counts, parameters count nothing, and only the bare words
    y and n (yes and no) are understood.
    """
    members = {}
    for member in MEMBER.findall(text[:MAX_HEADER]):
        key, _, value = member.partition("=")
        members[key.partition(";")[0].strip().lower()] = (
            "" if ";" in key else value.partition(";")[0].strip().lower()
        )
    return [
        signal(source, f"{field} {key}", value, forbids if value in REFUSALS else NOTHING)
        for key, forbids in VOCABULARY[field].items()
        if (value := members.get(key, "")) in REFUSALS | GRANTS
    ]
