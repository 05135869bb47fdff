"""What the frontier queues and gives: candidates, choices; hosts as they are now.

In: nothing. Out: the values and numbers that frontier, loop and shard share.
"""

from typing import NamedTuple

from blickfang.crawl.focus.judged_values import NOT_FOLLOWED, SEEDS, HostState, Order

PAGE, IMAGE = 0, 1
KINDS = ("page", "image")
FIRST = -1000  # tries are counted from here for what comes first, whatever its bucket: once more
QUEUED, DONE, FAILED, SKIPPED = range(4)
STATES = ("queued", "done", "failed", "skipped")
LAST_BUCKET = 100  # of links on pages that repeat others
ANY_BUCKET = 127
BEYOND_BUCKET = ANY_BUCKET  # behind all: a better mention may still bring it back
SPENT = "the budget of its host is spent"  # why something is skipped
SITEMAP = "sitemap"  # why something is queued that is no page itself


class Candidate(NamedTuple):
    """An address that could be fetched, and why it should be."""

    url: str  # canonical
    host: str
    kind: int = PAGE
    bucket: int = 1
    score: float = 0.0
    prior: float = 0.0  # what the link says of the host
    depth: int = 0
    via: str = ""  # the page that named it
    hops: int = 0  # redirects on the way
    requested: str = ""  # what was asked first, before redirects
    why: str = ""  # what the order was made of, for people
    others: tuple[str, ...] = ()  # what to ask for instead if it cannot be had


def name_bucket(bucket: int) -> str:
    """Return what people call a bucket: its number, or what sets it apart.

    >>> name_bucket(1), name_bucket(LAST_BUCKET), name_bucket(BEYOND_BUCKET)
    ('1', 'last', 'none')
    """
    return {LAST_BUCKET: "last", BEYOND_BUCKET: "none"}.get(bucket, str(bucket))


def count_tries(stored: int) -> int:
    """Return how often something was tried, as queues count it.

    >>> count_tries(2), count_tries(FIRST + 2)
    (2, 2)
    """
    return stored if stored >= 0 else stored - FIRST


def is_seed(candidate: Candidate) -> bool:
    """Whether something is a seed, or where one has moved to.

    Sitemaps share their bucket; they lie deeper.
    """
    return candidate.bucket == SEEDS and candidate.depth == 0


def order_of(candidate: Candidate) -> Order:
    """Return the order under which something is known: what is beyond the razor comes last."""
    beyond = candidate.bucket == NOT_FOLLOWED
    return Order(BEYOND_BUCKET if beyond else candidate.bucket, candidate.score)


class QueuedUrl(NamedTuple):
    """What to fetch now."""

    key: int
    candidate: Candidate
    tries: int
    is_probe: bool = False


class QueueHead(NamedTuple):
    """The best thing in a queue."""

    order: Order
    number: int
    key: int
    tries: int = 0  # what is tried again comes behind everything else of its host


class Host:
    """A host as it is now; what must last is in the store."""

    __slots__ = (
        "found",
        "heads",
        "id",
        "in_row",
        "name",
        "ready_at",
        "stamp",
        "state",
        "taken",
        "under_way",
    )

    def __init__(self, number: int, name: str, state: HostState, taken: int) -> None:
        self.id = number
        self.name = name
        self.state = state
        self.taken = taken  # pages asked for
        self.in_row = 0  # pages since the last image
        self.found = 0  # hosts that its last page was the first to name
        self.heads: list[QueueHead | None] = [None, None]  # of pages, of images
        self.under_way: int | None = None  # the key of what is being fetched from it
        self.ready_at = 0.0  # on the clock of the loop; 0: now
        self.stamp = 0  # entries of heaps with another stamp are out of date
