"""What is known in memory of addresses just seen: most links lead to these, no disk is asked.

In: candidates. Out: those that say more than is known. Bounded, and forgotten as a whole; what is
forgotten is looked up on disk.
"""

from collections.abc import Iterable, Iterator

from blickfang.crawl.candidates import IMAGE, PAGE, Candidate, order_of
from blickfang.focus.values import Order

MOST = 100_000  # addresses, of both kinds together


class SeenUrls:
    """The orders of addresses just seen; with a limit of depth, also how deep pages are."""

    def __init__(self, *, with_depths: bool = False) -> None:
        self.orders: tuple[dict[str, Order], dict[str, Order]] = {}, {}  # pages, images
        self.depths: dict[str, int] = {}  # of pages; empty where depth does not count
        self.with_depths = with_depths

    def remember(self, candidate: Candidate, order: Order) -> None:
        """Keep in mind under which order something is known; of both kinds together not too much.

        Images alone would take hours to reach a limit of their own: memory would grow all that
        time.
        """
        if len(self.orders[PAGE]) + len(self.orders[IMAGE]) >= MOST:
            self.clear()
        self.orders[candidate.kind][candidate.url] = order
        if self.with_depths and candidate.kind == PAGE:
            before = self.depths.get(candidate.url, candidate.depth)
            self.depths[candidate.url] = min(before, candidate.depth)

    def clear(self) -> None:
        """Forget everything."""
        for known in (*self.orders, self.depths):
            known.clear()

    def forget(self, page: Candidate) -> None:
        """Let a page be queued again in the order that it has."""
        self.orders[PAGE].pop(page.url, None)

    def is_nearer(self, candidate: Candidate) -> bool:
        """Whether a page is fewer links away from the seeds than it was known to be."""
        return candidate.kind == PAGE and candidate.depth < self.depths.get(candidate.url, 0)

    def pick(self, candidates: Iterable[Candidate]) -> Iterator[Candidate]:
        """Give those that are not known, not in so good an order or not so near; know them."""
        for candidate in candidates:
            order = order_of(candidate)
            before = self.orders[candidate.kind].get(candidate.url)
            if before is None or before > order or candidate.hops:
                self.remember(candidate, order)
            elif self.depths and self.is_nearer(candidate):
                self.depths[candidate.url] = candidate.depth
            else:
                continue
            is_beyond = candidate.bucket != order.bucket
            yield candidate._replace(bucket=order.bucket) if is_beyond else candidate
