"""TDMRep (W3C community group report of 2024): are the rights to mine reserved?

In: /.well-known/tdmrep.json, the headers and meta elements `tdm-reservation` and `tdm-policy`.
Out: signals. In the file the first rule that matches decides; a meta element supersedes the header
and the header the file, which decide.py sees to, so that every signal is on record. A reservation
other than 0 and 1 is none. Of broken files, what can be read counts; what is too long to be read
reserves.
"""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from blickfang.crawl.permission.path_patterns import Patterns, compile_patterns, matching
from blickfang.crawl.permission.record_lines import MAX_BYTES
from blickfang.crawl.permission.signals import MAX_VALUE, NOTHING, Signal, signal

RESERVATION, POLICY = "tdm-reservation", "tdm-policy"
MAX_RULES = 1000
MAX_LOCATION = 2048
RESERVED = frozenset({"mine", "train"})  # training is mining


class TdmRule(NamedTuple):
    """A rule of tdmrep.json."""

    location: str
    reserved: bool
    policy: str


class TdmRules(NamedTuple):
    """The rules of a host."""

    rules: tuple[TdmRule, ...]
    patterns: Patterns


def read_tdmrep(body: bytes, cut: bool = False) -> TdmRules:
    """Return the rules of a tdmrep.json, none if it is no JSON; `cut` says that more followed."""
    if cut or len(body) > MAX_BYTES:
        is_json = body[:MAX_BYTES].removeprefix(b"\xef\xbb\xbf").lstrip().startswith((b"[", b"{"))
        return make_tdm_rules([TdmRule("/", True, "")] if is_json else [])
    try:
        entries = json.loads(body.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        entries = []
    if isinstance(entries, dict):
        entries = [entries]  # the brackets are forgotten often
    rules = [_rule(entry) for entry in entries] if isinstance(entries, list) else []
    return make_tdm_rules([rule for rule in rules if rule is not None])


def make_tdm_rules(rules: list[TdmRule]) -> TdmRules:
    """Return rules, ready to be asked."""
    kept = list(dict.fromkeys(rules))
    if len(kept) > MAX_RULES:
        kept[MAX_RULES - 1 :] = [TdmRule("/", True, "")]
    return TdmRules(tuple(kept), compile_patterns([rule.location for rule in kept]))


def of_tdmrep(rules: TdmRules, path: str) -> list[Signal]:
    """Return what the file of a host says about a path in normal spelling."""
    found = matching(rules.patterns, path)
    if found is None:
        return [signal("tdmrep.json", RESERVATION, "too many rules", RESERVED)]
    if not found:
        return []
    rule = rules.rules[min(tail.number for tail in found)]
    return _signals("tdmrep.json", "1" if rule.reserved else "0", rule.policy)


def of_tdm_headers(headers: Mapping[str, str]) -> list[Signal]:
    """Return what the headers of an answer say."""
    return _signals("header", headers.get(RESERVATION, ""), headers.get(POLICY, ""))


def of_tdm_metas(metas: Mapping[str, str]) -> list[Signal]:
    """Return what the meta elements of a page say."""
    named = {name.lower(): content for name, content in metas.items()}
    return _signals("meta", named.get(RESERVATION, ""), named.get(POLICY, ""))


def _signals(source: str, reservation: str, policy: str) -> list[Signal]:
    """Return the signals of one source; repeated values came joined by commas: one 1 reserves."""
    values = {value.strip() for value in reservation[:MAX_VALUE].split(",")} & {"0", "1"}
    if not values:
        return []
    found = [signal(source, RESERVATION, max(values), RESERVED if "1" in values else NOTHING)]
    if policy.strip():
        found.append(signal(source, POLICY, policy.strip()))
    return found


def _rule(entry: Any) -> TdmRule | None:
    """Return a rule, None if it says nothing; one without a location holds for the whole host."""
    if not isinstance(entry, dict):
        return None
    reservation = str(entry.get(RESERVATION)).strip()
    location = entry.get("location", "/")
    if reservation not in ("0", "1", "True") or not isinstance(location, str):
        return None
    location = location.strip()
    if location.startswith(("http://", "https://")):
        location = "/" + location.partition("//")[2].partition("/")[2]
    if not location.startswith(("/", "*")):
        location = f"/{location}"
    policy = entry.get(POLICY)
    return TdmRule(
        location[:MAX_LOCATION],
        reservation != "0",
        policy[:MAX_VALUE] if isinstance(policy, str) else "",
    )
