"""Consent: may we fetch, use and follow? For what purpose, and how often?

In: answers of hosts, as values; nothing here asks the network or a database. Out: `HostRules`
(`read_host`), the signals for a URL (`signals_of`, `signals_of_answer`), and what they permit for a
purpose (`decide`). Beside them: decide.py (what an answer says against being kept),
crawl_manners.py (our name, Retry-After), robots.delay_for (the pace of a host), signals.of_image
and signals.inherited (images).
"""

from blickfang.crawl.permission.decide import Decision, decide
from blickfang.crawl.permission.host_rules import (
    HostRules,
    read_host,
    signals_of,
    signals_of_answer,
)
from blickfang.crawl.permission.signals import Signal

__all__ = [
    "Decision",
    "HostRules",
    "Signal",
    "decide",
    "read_host",
    "signals_of",
    "signals_of_answer",
]
