"""Where a crawl may go: the hosts of the seeds, SURT prefixes.

In: the settings. Out: a function that says whether an address is in scope.
"""

from collections.abc import Callable, Iterable

from blickfang.crawl.candidates import PAGE
from blickfang.crawl.options import Options
from blickfang.urls import surt


def make_scope(options: Options, seed_hosts: Iterable[str]) -> Callable[[str, str, int], bool]:
    """Return whether something (its address, its host, its kind) may be fetched.

    Images may come from other hosts than pages: most sites keep them there. What is rejected is
    rejected for both.
    """
    allowed = frozenset(seed_hosts) if options.stay_on_seed_hosts else None

    def is_in_scope(url: str, name: str, kind: int) -> bool:
        if kind == PAGE and allowed is not None and name not in allowed:
            return False
        if not options.accept and not options.reject:
            return True
        key = surt(url) or ""
        if starts(key, options.reject):
            return False
        return kind != PAGE or not options.accept or starts(key, options.accept)

    return is_in_scope


def starts(key: str, prefixes: Iterable[str]) -> bool:
    """Whether a SURT begins with one of some prefixes, with or without a scheme."""
    bare = key.partition("//")[2]
    return any(
        key.startswith(prefix) if "//" in prefix else bare.startswith(prefix) for prefix in prefixes
    )
