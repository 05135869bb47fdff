"""Where a crawl may go: the hosts of the seeds, SURT prefixes.

In: the settings. Out: `Scope`, which says whether an address is in it.
"""

from collections.abc import Iterable

from blickfang.crawl.candidates import PAGE, SITEMAP, Candidate, is_seed
from blickfang.crawl.options import Options
from blickfang.urls import surt

OUT_OF_SCOPE = "redirects out of scope"  # why something is skipped


class Scope:
    """Where a crawl may go.

    Images may come from other hosts than pages: most sites keep them there. What is rejected is
    rejected for both.
    """

    def __init__(self, options: Options, seed_hosts: Iterable[str]) -> None:
        self.options = options
        self.hosts = set(seed_hosts)

    def widen(self, host: str) -> None:
        """Take in a host that a seed has moved to."""
        self.hosts.add(host)

    def has(self, url: str, host: str, kind: int) -> bool:
        """Whether something may be fetched."""
        options = self.options
        if kind == PAGE and options.stay_on_seed_hosts and host not in self.hosts:
            return False
        if not options.accept and not options.reject:
            return True
        key = surt(url) or ""
        if starts(key, options.reject):
            return False
        return kind != PAGE or not options.accept or starts(key, options.accept)

    def lets_move(self, candidate: Candidate, moved: Candidate) -> bool:
        """Whether a redirect may be followed: seeds and sitemaps may lie elsewhere by now."""
        is_free = is_seed(candidate) or candidate.why == SITEMAP
        return is_free or self.has(moved.url, moved.host, moved.kind)


def starts(key: str, prefixes: Iterable[str]) -> bool:
    """Whether a SURT begins with one of some prefixes, with or without a scheme."""
    bare = key.partition("//")[2]
    return any(
        key.startswith(prefix) if "//" in prefix else bare.startswith(prefix) for prefix in prefixes
    )
