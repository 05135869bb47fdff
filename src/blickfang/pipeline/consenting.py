"""What hosts say by now about what is kept: their rules as the crawl, or a recheck, last read them.

In: the stores of a crawl. Out: `HostConsents`, which says of an address why it may not be kept.
"""

import json
from collections.abc import Iterable
from functools import lru_cache

from blickfang.collection import Collection
from blickfang.crawl.consent import HostRules, decide, signals_of
from blickfang.crawl.consent.host import load_host
from blickfang.crawl.history import find_stores
from blickfang.crawl.origins import origin_of
from blickfang.crawl.store import looking_into


class HostConsents:
    """Says why an address, a page or an image, may not be kept; "" if it may."""

    def __init__(self, purpose: str, stored: dict[str, str]) -> None:
        self._purpose, self._stored = purpose, stored  # rules by origin, as text

    def __call__(self, url: str, kind: str, /) -> str:
        """Return why an address may not be kept."""
        stored = self._stored.get(origin_of(url))
        signals = signals_of(_load_rules(stored), url) if stored else []
        if not signals:
            return ""
        decision = decide(signals, self._purpose, kind)
        return "" if decision.may_keep else ", ".join(decision.reasons)

    def about(self, urls: Iterable[str], /) -> "HostConsents":
        """Return as much of it as these addresses need: that is what travels."""
        origins = set(map(origin_of, urls)) if self._stored else set()
        known = {origin: self._stored[origin] for origin in origins if origin in self._stored}
        return HostConsents(self._purpose, known)


@lru_cache(maxsize=50_000)  # of a process: most hosts are asked about in every bucket
def _load_rules(stored: str) -> HostRules:
    return load_host(json.loads(stored))


def make_consents(collection: Collection) -> HostConsents:
    """Return what the hosts of a collection say."""
    options = collection.settings.crawl
    stored: dict[str, str] = {}
    folder = collection.crawl_folder
    for path in find_stores(folder) if options.robots and folder.exists() else ():
        with looking_into(path) as db:
            stored.update(db.execute("SELECT origin, rules FROM rules").fetchall())
    return HostConsents(options.purpose, stored)
