"""What every strategy is to the crawl: a judge of pages, and the order among hosts.

In: pages as seen, states of hosts. Out: orders. Here stands what most modes share: hosts come in
the order of their best link, nothing is probed, no background is learned.
"""

import time
from collections.abc import Callable, Mapping

import numpy as np

from blickfang.crawl.focus import host_order as hosts
from blickfang.crawl.focus.judged_values import (
    Doubles,
    HostState,
    JudgedPage,
    Order,
    Orders,
    Packed,
)
from blickfang.crawl.focus.page_features import PageFeatures

Clock = Callable[[], float]


class Strategy:
    """Chooses links, hosts and images in the way of one mode."""

    mode = ""
    on_topic = 1.0  # relevance from which a page is shown as on topic
    razor: float | None = None  # links that score worse are not followed
    probe_every = 0  # every so many choices a host that wants a probe; 0: never
    kept_in = "samples"  # where a crawl keeps the pages that this one wants kept,
    learned_as = "weights"  # and what was learned from them

    def __init__(self, clock: Clock = time.time) -> None:
        self._clock = clock  # what arrived first shall be first in all shards, and after a break

    def judge(self, seen: PageFeatures, state: HostState | None = None) -> JudgedPage:
        """Judge a page, its links and its images; the state of its host helps with the images."""
        raise NotImplementedError

    def rate(self, seen: PageFeatures) -> tuple[float | None, Doubles | None]:
        """Return only how relevant a page is, and what is said of each of its images."""
        judged = self.judge(seen)
        return judged.relevance, judged.images.parts.get("text")

    def observe(self, state: HostState, judged: JudgedPage) -> HostState:
        """Return what is known of a host after a page of it was judged."""
        return hosts.observe(state, judged)

    def observe_failure(self, state: HostState) -> HostState:
        """Return what is known of a host after a fetch that gave no page."""
        return hosts.observe_failure(state)

    def mention(self, state: HostState, prior: float) -> HostState:
        """Return what is known of a host after a link into it was seen."""
        return hosts.mention(state, prior)

    def host_value(self, state: HostState) -> float:
        """Return how good the pages of a host are, in 0..1."""
        return hosts.value(state)

    def host_order(self, state: HostState, head: Order) -> tuple[int, float]:  # noqa: ARG002
        """Return the place of a host whose best queued page has this order; lower comes first."""
        return head

    def image_order(self, head: Order) -> tuple[int, float]:
        """Return the place of a host whose best queued image has this order."""
        return head

    def wants_probe(self, state: HostState) -> bool:  # noqa: ARG002
        """Whether too little is known of a host."""
        return False

    def follow(self, url: str, why: str, judged: JudgedPage) -> None:
        """Learn from a page what the link was worth that led to it; `why` names its parts."""

    def pack_memory(self) -> bytes | None:
        """Return what was learned from links that were followed, to be kept; None for nothing."""
        return None

    def unpack_memory(self, data: bytes) -> None:
        """Go on with what was learned from links."""

    def wants_text(self, host: str, judged: JudgedPage) -> bool:  # noqa: ARG002
        """Whether the text of a page is to be learned from."""
        return False

    def take_text(self, host: str, text: str) -> Packed | None:  # noqa: ARG002
        """Return the text of a page as it is kept; None: it is not worth it."""
        return None

    def keep(self, sample: Packed) -> None:
        """Remember a page that is kept."""

    def adopt(self, data: bytes, states: Mapping[str, HostState]) -> dict[str, HostState]:  # noqa: ARG002
        """Judge by what was learned; return the states of hosts that are another on its scale."""
        return {}


def order_alike(scores: Doubles, bucket: int = 1) -> Orders:
    """Return orders in one bucket."""
    return Orders(np.full(len(scores), bucket, np.int8), scores, np.zeros(len(scores)), {})
