"""The values of this room: an order for everything queued, what is known of a host and of a page.

In: nothing. Out: tuples that the frontier stores and sends as they are. Lower orders come first;
worth, relevance and priors lie in 0..1, and there high is good.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.text.words import Hashes

Doubles = NDArray[np.float64]

NOT_FOLLOWED = -1  # the bucket of what lies beyond the razor
SEEDS = 0  # the bucket of seeds, which only the frontier gives


class Order(NamedTuple):
    """The place of something queued; lower comes first."""

    bucket: int
    score: float


class Orders(NamedTuple):
    """The orders of all links or images of a page, in columns."""

    buckets: NDArray[np.int8]  # from 1; NOT_FOLLOWED beyond the razor
    scores: Doubles
    priors: Doubles  # what a link says of the host that it leads to
    parts: dict[str, Doubles]  # what the scores were made of


class HostState(NamedTuple):
    """What is known of a host."""

    pages: int = 0  # judged
    fetches: int = 0  # of them all, pages or not
    evidence: float = 0.0  # Σ evidence of its pages
    worth: float = 0.0  # Σ evidence · relevance
    prior: float = 0.0  # the best that a link into it promised


NEW_HOST = HostState()


class HostPage(NamedTuple):
    """A page of a host as the background keeps it: its different words and how often they occur."""

    host: str
    hashes: Hashes  # sorted
    counts: NDArray[np.uint16]
    words: int


class Packed(NamedTuple):
    """A page that a strategy wants to be kept, packed in its own way."""

    host: str
    data: bytes


class JudgedPage(NamedTuple):
    """What a strategy says of a page, its links and its images."""

    score: float | None  # of the page, in the unit of the strategy
    perplexity: float | None
    keyword_score: float | None
    relevance: float | None  # None: nobody judged it
    evidence: float  # 0..1: how much the words of the page prove
    links: Orders
    images: Orders
    sample: Packed | None  # to be kept
