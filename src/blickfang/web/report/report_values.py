"""What a report is made of: a `Run` is a crawl with its corpus, measured.

In: nothing. Out: plain values; arrays only where there is one number a page.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

ON_TOPIC, OFF_TOPIC, UNKNOWN = 1, 0, -1


@dataclass(frozen=True, slots=True)
class PageLog:
    """The pages of a run in the order they were fetched, an entry each."""

    sentences: NDArray[np.int64]  # of five words or more
    tokens: NDArray[np.int64]  # words in them
    log10: NDArray[np.float64]  # of their probability under the test model
    scored: NDArray[np.int64]  # words and sentence ends that this is about; 0: no model
    on_topic: NDArray[np.int8]  # ON_TOPIC, OFF_TOPIC or UNKNOWN
    category: NDArray[np.int16]  # number among `categories`; -1: none
    categories: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.sentences)


def empty_log() -> PageLog:
    """Return the log of a run without pages."""
    whole, small = np.zeros(0, np.int64), np.zeros(0, np.int8)
    return PageLog(whole, whole, np.zeros(0), whole, small, np.zeros(0, np.int16))


class ImageFunnelStep(NamedTuple):
    """A step of the image funnel: how many are left, and why others are not."""

    name: str
    left: int
    dropped: tuple[tuple[str, int], ...] = ()


class Card(NamedTuple):
    """A sample on the contact sheet."""

    jpeg: bytes  # a thumbnail; b"" where the picture cannot be shown
    caption: str
    url: str
    page_url: str
    rank: float | None
    number: int  # its place in the corpus, from 1
    size: str  # as 640×480


class Votes(NamedTuple):
    """How the answers to one question of an annotation fell."""

    question: str
    merge: str  # which categories were merged; "" for none
    items: int  # answered by as many people as the task asks for
    categories: tuple[str, ...]
    majority: tuple[int, ...]  # by category
    unanimous: tuple[int, ...]
    disagreement: int
    kappa: float | None  # Cohen's, mean of the pairs
    fleiss: float | None
    alpha: float | None  # Krippendorff's
    pairs: tuple[tuple[str, str, int, float | None], ...] = ()  # who, with whom, items, kappa


class Annotation(NamedTuple):
    """What people said of samples."""

    task: str
    votes: tuple[Votes, ...]
    topics: tuple[str, ...] = ()  # categories of the question on the topic
    relations: tuple[str, ...] = ()  # categories of the question on the text
    candidates: tuple[tuple[int, ...], ...] = ()  # items by majority: a row a topic
    over_time: tuple[str, ...] = ()  # majority topics of samples in the order they were fetched
    on_topic: tuple[str, ...] = ()  # which topics count as on topic


@dataclass(frozen=True, slots=True)
class Run:
    """A crawl and its corpus, measured. Runs of one group are shown as mean and spread."""

    name: str
    group: str = ""  # "": a group of its own
    about: Mapping[str, str] = field(default_factory=dict)  # settings people should know
    pages: PageLog = field(default_factory=empty_log)
    judged_by: str = ""  # what `on_topic` of the pages goes by: truth or score; "" for nothing
    images: int = 0  # fetched
    uris: int = 0  # addresses processed: answered, or failed
    bytes: int = 0  # of all answers, unpacked
    seconds: float = 0.0  # at work
    hosts: Mapping[str, int] = field(default_factory=dict)  # pages by host
    image_hosts: Mapping[str, int] = field(default_factory=dict)
    languages: Mapping[str, int] = field(default_factory=dict)  # pages
    duplicates: Mapping[str, int] = field(default_factory=dict)
    consent: Mapping[str, int] = field(default_factory=dict)  # addresses by signal
    failures: Mapping[str, int] = field(default_factory=dict)
    licences: Mapping[str, int] = field(default_factory=dict)  # samples
    samples: int = 0
    funnel: tuple[ImageFunnelStep, ...] = ()
    cards: Mapping[str, tuple[Card, ...]] = field(default_factory=dict)  # best, median, worst
    annotations: tuple[Annotation, ...] = ()
    notes: tuple[str, ...] = ()  # what could not be read or measured, a sentence each
