"""What hosts say by now about what is kept: their rules as the crawl, or a recheck, last read them.

In: the stores of a crawl. Out: `HostConsents`, which says of an address why it may not be kept.
"""

import json
from collections.abc import Iterable

from blickfang.collection import Collection
from blickfang.crawl.asker import origin_of
from blickfang.crawl.consent import HostRules, decide, signals_of
from blickfang.crawl.consent.host import load_host
from blickfang.crawl.history import find_stores
from blickfang.crawl.store import looking_into


class HostConsents:
    """Says why an address, a page or an image, may not be kept; "" if it may."""

    def __init__(self, purpose: str, stored: dict[str, str]) -> None:
        self._purpose, self._stored = purpose, stored  # rules by origin, as text
        self._loaded: dict[str, HostRules] = {}

    def __call__(self, url: str, kind: str, /) -> str:
        """Return why an address may not be kept."""
        rules = self._find_rules(origin_of(url))
        signals = signals_of(rules, url) if rules else []
        if not signals:
            return ""
        decision = decide(signals, self._purpose, kind)
        return "" if decision.may_keep else ", ".join(decision.reasons)

    def about(self, urls: Iterable[str], /) -> "HostConsents":
        """Return as much of it as these addresses need; what was loaded stays shared."""
        origins = set(map(origin_of, urls)) if self._stored else set()
        some = HostConsents(
            self._purpose,
            {origin: self._stored[origin] for origin in origins if origin in self._stored},
        )
        some._loaded = self._loaded
        return some

    def __reduce__(self) -> tuple[object, ...]:
        return HostConsents, (self._purpose, self._stored)  # rules travel as text

    def _find_rules(self, origin: str) -> HostRules | None:
        if origin not in self._stored:
            return None
        if origin not in self._loaded:
            self._loaded[origin] = load_host(json.loads(self._stored[origin]))
        return self._loaded[origin]


def make_consents(collection: Collection) -> HostConsents:
    """Return what the hosts of a collection say."""
    options = collection.settings.crawl
    stored: dict[str, str] = {}
    folder = collection.crawl_folder
    for path in find_stores(folder) if options.robots and folder.exists() else ():
        with looking_into(path) as db:
            stored.update(db.execute("SELECT origin, rules FROM rules").fetchall())
    return HostConsents(options.purpose, stored)
