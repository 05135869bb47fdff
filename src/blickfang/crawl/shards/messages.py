"""What shards and their coordinator tell each other: plain values, whoever carries them."""

from typing import NamedTuple

from blickfang.crawl.frontier.candidates import PAGE
from blickfang.io.warc.http_exchange import Exchange, Later
from blickfang.types import Failure


class CandidateLetters(NamedTuple):
    """Candidates from one shard for another; numbers rise, so that none counts twice."""

    sender: int
    receiver: int
    rows: list[tuple[int, str]]  # number, candidate as JSON
    after: int = 0  # the number sent before these; 0: all that are not confirmed follow


class Received(NamedTuple):
    """Letters up to a number are safe with their receiver."""

    sender: int
    receiver: int
    number: int


class RemoteFetch(NamedTuple):
    """A shard needs something of a host that another one owns."""

    sender: int
    receiver: int
    url: str
    kind: str  # what it is: rules, or script or data of a page


class Brought(NamedTuple):
    """What came of an errand."""

    receiver: int  # who had sent it
    url: str
    kind: str
    answer: Exchange | Failure | Later


class Loosened(NamedTuple):
    """What comes back because settings were loosened, by the settings that had kept it out."""

    addresses: dict[str, int]  # queued again
    pages: dict[str, int]  # whose links are looked at again


UNCHANGED = Loosened({}, {})


class Began(NamedTuple):
    """A shard is at work, and has brought so much since the crawl was begun (again)."""

    shard: int
    pages: int
    images: int
    bytes: int
    failures: dict[str, int]  # addresses by reason, in this run or before
    skipped: dict[str, int]
    loosened: Loosened = UNCHANGED  # what comes back, as settings were changed


class SendAgain(NamedTuple):
    """A shard came back from an earlier state: it needs all letters it has not confirmed."""

    shard: int


class Saved(NamedTuple):
    """What a shard knows is safe outside of it."""

    shard: int


class Need(NamedTuple):
    """A shard has used up the pages, or images, it was granted."""

    shard: int
    many: int
    kind: int = PAGE


class GiveBack(NamedTuple):
    """A shard with nothing to fetch returns what it was granted."""

    shard: int
    many: int
    kind: int = PAGE


class Grant(NamedTuple):
    """A shard may fetch so many pages, or images, more; who is granted some is not idle."""

    many: int
    kind: int = PAGE


class NoMorePages(NamedTuple):
    """The crawl has its pages; their good images may still be fetched."""


class Report(NamedTuple):
    """How a shard stands."""

    shard: int
    pages: int
    images: int
    requests: int
    bytes: int
    on_topic: int
    rated: int  # pages of which is known whether they are on topic
    duplicates: int
    failures: dict[str, int]  # addresses by reason, in this run or before
    skipped: dict[str, int]  # the same, of those that were not asked for
    unrendered: dict[str, int]  # pages that could not be rendered, by reason
    queued: tuple[int, int]  # pages, images
    buckets: dict[int, int]  # pages queued in each
    in_flight: int
    hosts: int  # asked at least once, in this run or before
    best: tuple[int, float] | None  # the order of its best host, ready or soon
    slowest: list[tuple[str, float]]
    blocking: tuple[str, float] | None  # the host that will be ready next, in how many seconds
    longest: tuple[str, float] | None  # the host that is being asked for longest, in seconds
    is_idle: bool  # nothing to fetch, nothing under way, no letter unanswered
    is_put_off: bool  # what is left is of hosts that asked for pauses which nobody waits for
    taken: int  # letters and grants of images
    wants_pages: bool  # not told yet that there are enough


class News(NamedTuple):
    """How all shards together stand."""

    best: tuple[int, float] | None  # of the other shards
    pages: int


class Full(NamedTuple):
    """The disk of a shard has too little room left."""

    shard: int


class CutOff(NamedTuple):
    """The proxy of a shard does not answer: nothing can be fetched, and nothing is lost."""

    shard: int


class Samples(NamedTuple):
    """Pages that a shard keeps for the background."""

    shard: int
    data: list[bytes]


class AskMeans(NamedTuple):
    """The coordinator wants to learn the background anew."""


class Means(NamedTuple):
    """What a shard thinks of its hosts."""

    shard: int
    values: dict[str, float]


class NewWeights(NamedTuple):
    """What the background says now."""

    data: bytes


class Stop(NamedTuple):
    """End: after what is under way, or at once."""

    reason: str
    at_once: bool


class Pause(NamedTuple):
    """Begin nothing new, or go on."""

    on: bool


class Ended(NamedTuple):
    """A shard is done; with what went wrong, if anything did."""

    shard: int
    error: str
    is_full: bool = False  # there was no room left on the disk


Message = (
    CandidateLetters
    | Received
    | RemoteFetch
    | Brought
    | Began
    | SendAgain
    | Saved
    | Need
    | GiveBack
    | Grant
    | NoMorePages
    | Report
    | News
    | Full
    | CutOff
    | Samples
    | AskMeans
    | Means
    | NewWeights
    | Stop
    | Pause
    | Ended
)

LOST = Stop("the coordinator is gone", at_once=True)
