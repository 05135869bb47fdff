"""What hosts say by now about what is kept: their rules as the crawl, or a recheck, last read them.

In: the stores of a crawl. Out: a function that says of an address why it may not be kept.
"""

import json
from collections.abc import Callable
from functools import cache

from blickfang.collection import Collection
from blickfang.crawl.asker import origin_of
from blickfang.crawl.consent import HostRules, decide, signals_of
from blickfang.crawl.consent.host import load_host
from blickfang.crawl.history import find_stores
from blickfang.crawl.store import looking_into


def make_consents(collection: Collection) -> Callable[[str, str], str]:
    """Return who says why an address, a page or an image, may not be kept; "" if it may."""
    options = collection.settings.crawl
    stored: dict[str, str] = {}
    folder = collection.crawl_folder
    for path in find_stores(folder) if options.robots and folder.exists() else ():
        with looking_into(path) as db:
            stored.update(db.execute("SELECT origin, rules FROM rules").fetchall())

    @cache
    def rules_of(origin: str) -> HostRules | None:
        return load_host(json.loads(stored[origin])) if origin in stored else None

    def consents(url: str, kind: str) -> str:
        rules = rules_of(origin_of(url))
        signals = signals_of(rules, url) if rules else []
        if not signals:
            return ""
        decision = decide(signals, options.purpose, kind)
        return "" if decision.may_keep else ", ".join(decision.reasons)

    return consents
