"""What hosts say by now about what is kept: their rules as the crawl, or a recheck, last read them.

In: the stores of a crawl. Out: `HostConsents`, which says of an address why it may not be kept. An
older capture of it may be in the archive still, from before its owner said so. Beside them what a
page says of itself, where it was fetched without a crawl.
"""

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache

from blickfang.config import Collection
from blickfang.crawl.fetch.dead_origins import origin_of
from blickfang.crawl.permission import HostRules, decide, signals_of
from blickfang.crawl.permission.decide import find_objection
from blickfang.crawl.permission.host_rules import load_host
from blickfang.crawl.state.crawl_queries import find_stores
from blickfang.crawl.state.state_db import looking_into
from blickfang.html import glance
from blickfang.types import Failure, Response

WITHHELD = (  # by the last answer: its owner may have thought better of it since
    "SELECT url, facts FROM visits AS one WHERE status IN (200, 304) AND facts LIKE '%withheld%' "
    "AND number = (SELECT max(number) FROM visits WHERE url = one.url AND status IN (200, 304))"
)


def find_page_objection(page: Response, purpose: str) -> Failure | None:
    """Return why a page cannot be read, or may not be kept, as its headers and its head say."""
    seen = glance(page, images=False)
    if isinstance(seen, Failure):
        return seen
    return find_objection(page, purpose, seen.metas, seen.terms)


class HostConsents:
    """Says why an address, a page or an image, may not be kept; "" if it may."""

    def __init__(
        self, purpose: str, stored: dict[str, str], withheld: Mapping[str, str] | None = None
    ) -> None:
        self._purpose, self._stored = purpose, stored  # rules by origin, as text
        self._withheld = dict(withheld or {})  # addresses that their last answer withholds, and why

    def __call__(self, url: str, kind: str, /) -> str:
        """Return why an address may not be kept."""
        if url in self._withheld:
            return self._withheld[url]
        stored = self._stored.get(origin_of(url))
        signals = signals_of(_load_rules(stored), url) if stored else []
        if not signals:
            return ""
        decision = decide(signals, self._purpose, kind)
        return "" if decision.may_keep else ", ".join(decision.reasons)

    def about(self, urls: Iterable[str], /) -> "HostConsents":
        """Return as much of it as these addresses need: that is what travels."""
        asked = set(urls)
        origins = set(map(origin_of, asked)) if self._stored else set()
        known = {origin: self._stored[origin] for origin in origins if origin in self._stored}
        withheld = {url: self._withheld[url] for url in asked & self._withheld.keys()}
        return HostConsents(self._purpose, known, withheld)


@lru_cache(maxsize=50_000)  # of a process: most hosts are asked about in every bucket
def _load_rules(stored: str) -> HostRules:
    return load_host(json.loads(stored))


def make_consents(collection: Collection) -> HostConsents:
    """Return what the hosts of a collection say."""
    options = collection.settings.crawl
    stored, withheld = dict[str, str](), dict[str, str]()
    folder = collection.crawl_folder
    for path in find_stores(folder) if options.robots and folder.exists() else ():
        with looking_into(path) as db:
            stored.update(db.execute("SELECT origin, rules FROM rules").fetchall())
            for url, facts in db.execute(WITHHELD):
                withheld[url] = json.loads(facts).get("withheld")
    return HostConsents(options.purpose, stored, {url: why for url, why in withheld.items() if why})
