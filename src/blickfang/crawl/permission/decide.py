"""The decision: which of the signals of a URL bind us, for a purpose.

In: signals, the purpose of the crawl, and whether it is about a page or an image. Out: whether we
may fetch it, keep it in the corpus, and follow its links, and why not.

Which prohibition binds (BINDING), and why:

| forbidden    | search | research | train | because                                              |
|--------------|--------|----------|-------|------------------------------------------------------|
| fetch        | yes    | yes      | yes   | RFC 9309 asks of every crawler                       |
| follow       | yes    | yes      | yes   | "nofollow" names no purpose                          |
| index        | yes    | yes      | yes   | a corpus makes findable what is in it                |
| images       | yes    | yes      | yes   | as index, for images                                 |
| mine         | no     | yes      | yes   | a reservation of article 4 speaks of mining; to be   |
|              |        |          |       | found is what noindex is about. Research institutes  |
|              |        |          |       | are exempt (article 3), but we cannot know ours      |
| train        | no     | no       | yes   | these opt-outs name training (noai, train-ai,        |
|              |        |          |       | ai-train, ai.txt) or sell licences for it (RSL)      |
| train-images | no     | no       | yes   | as train, for images                                 |

What a binding prohibition stops (STOPS): `index` stops keeping, but links may be followed, as for
every search engine. `mine` stops reading altogether: to choose by machine what is on topic is
mining. `train` stops fetching and keeping, since collecting for a use is part of that use; links
of a page that has been read may be followed. `images` and `train-images` concern images only; an
image that may not be kept is not fetched.
"""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from blickfang.crawl.permission.host_rules import signals_of_answer
from blickfang.crawl.permission.signals import Signal
from blickfang.crawl.permission.tdmrep import RESERVATION
from blickfang.types import Failure, LicenceTerms, Response

ALWAYS = frozenset({"fetch", "follow", "index", "images"})
BINDING = {
    "search": ALWAYS,
    "research": ALWAYS | {"mine"},
    "train": ALWAYS | {"mine", "train", "train-images"},
}
ALL = frozenset({"fetch", "keep", "follow"})
STOPS = {
    "page": {
        "fetch": ALL,
        "follow": frozenset({"follow"}),
        "index": frozenset({"keep"}),
        "mine": ALL,
        "train": frozenset({"fetch", "keep"}),
    },
    "image": dict.fromkeys(("fetch", "index", "images", "mine", "train", "train-images"), ALL),
}
SUPERSEDES = {"tdmrep.json": 0, "header": 1, "meta": 2}


@dataclass(frozen=True, slots=True)
class Decision:
    """What we may do with a URL, and which signals say no."""

    may_fetch: bool
    may_keep: bool
    may_follow: bool
    reasons: tuple[str, ...]  # source and name of each binding signal, to be counted


def decide(signals: Iterable[Signal], purpose: str, kind: str) -> Decision:
    """Return what we may do with a page or image, for a purpose."""
    binding, stops = BINDING[purpose], STOPS[kind]
    stopped: set[str] = set()
    reasons: dict[str, None] = {}  # in order, each once
    for one in _valid(list(signals)):
        for thing in one.forbids & binding & stops.keys():
            stopped |= stops[thing]
            reasons[f"{one.source}: {one.name}"] = None
    return Decision(
        "fetch" not in stopped, "keep" not in stopped, "follow" not in stopped, tuple(reasons)
    )


def leave_alone(reason: str) -> Decision:
    """Return what we may do with what nobody asks for; what was kept before may stay."""
    return Decision(may_fetch=False, may_keep=True, may_follow=True, reasons=(reason,))


def _valid(signals: list[Signal]) -> list[Signal]:
    """Return the signals without reservations that others supersede."""
    ranks = [SUPERSEDES[one.source] for one in signals if one.name == RESERVATION]
    highest = max(ranks, default=0)
    return [one for one in signals if one.name != RESERVATION or SUPERSEDES[one.source] == highest]


def describe_decision(decision: Decision, purpose: str) -> dict[str, Any]:
    """Return a decision as it is written down, and shown."""
    return {
        "fetch": decision.may_fetch,
        "keep": decision.may_keep,
        "follow": decision.may_follow,
        "reasons": decision.reasons,
        "purpose": purpose,
    }


NO_METAS: Mapping[str, str] = MappingProxyType({})


def find_objection(
    response: Response,
    purpose: str,
    metas: Mapping[str, str] = NO_METAS,
    licences: Iterable[LicenceTerms] = (),
) -> Failure | None:
    """Return why an answer may not be kept for a purpose."""
    signals = signals_of_answer(response.headers, metas, time.time(), licences)
    decision = decide(signals, purpose, "page")
    if decision.may_keep:
        return None
    return Failure(response.url, "consent", ", ".join(decision.reasons))
