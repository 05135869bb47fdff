"""Where a crawl may go: the hosts of the seeds, SURT prefixes.

In: the settings. Out: `Scope`, which says whether an address is in it.
"""

from collections.abc import Iterable

from blickfang.crawl.crawl_options import CrawlOptions
from blickfang.crawl.frontier.candidates import PAGE, SITEMAP, Candidate, is_seed
from blickfang.io.urls import surt

# Why something is skipped. But for the first they are found when its turn comes: settings may have
# become tighter since it was queued.
OUT_OF_SCOPE = "redirects out of scope"
REJECTED, LEFT_OUT = "rejected by the settings", "out of scope"
TOO_DEEP, NO_IMAGES = "deeper than max_depth", "images are not wanted"


class Scope:
    """Where a crawl may go.

    Images may come from other hosts than pages: most sites keep them there. What is rejected is
    rejected for both.
    """

    def __init__(self, options: CrawlOptions, seed_hosts: Iterable[str]) -> None:
        self.options = options
        self.hosts = set(seed_hosts)

    def widen(self, host: str) -> None:
        """Take in a host that a seed has moved to."""
        self.hosts.add(host)

    def has(self, url: str, host: str, kind: int) -> bool:
        """Whether something may be fetched."""
        options = self.options
        if self.rejects(url):
            return False
        if kind == PAGE and options.stay_on_seed_hosts and host not in self.hosts:
            return False
        return kind != PAGE or not options.accept or starts(surt(url) or "", options.accept)

    def rejects(self, url: str) -> bool:
        """Whether something is never to be fetched, not even as a seed."""
        return bool(self.options.reject) and starts(surt(url) or "", self.options.reject)

    def find_barrier(self, candidate: Candidate) -> str:
        """Return why something that is queued may not be fetched, "" for most."""
        url, host, kind = candidate[:3]
        is_image, options = kind != PAGE, self.options
        is_free = is_seed(candidate) or candidate.why == SITEMAP
        if self.rejects(url):
            return REJECTED
        if is_image and not options.images:
            return NO_IMAGES
        if not is_free and 0 < options.max_depth < candidate.depth - is_image:
            return TOO_DEEP
        return "" if is_free or self.has(url, host, kind) else LEFT_OUT

    def lets_move(self, candidate: Candidate, moved: Candidate) -> bool:
        """Whether a redirect may be followed: seeds and sitemaps may lie elsewhere by now."""
        is_free = is_seed(candidate) or candidate.why == SITEMAP
        return self.has(moved.url, moved.host, moved.kind) or (
            is_free and not self.rejects(moved.url)
        )


def starts(key: str, prefixes: Iterable[str]) -> bool:
    """Whether a SURT begins with one of some prefixes, with or without a scheme."""
    bare = key.partition("//")[2]
    return any(
        key.startswith(prefix) if "//" in prefix else bare.startswith(prefix) for prefix in prefixes
    )
