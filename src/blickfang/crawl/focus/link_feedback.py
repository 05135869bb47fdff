"""Following: what links brought teaches what links are worth.

In: of each link that was followed, what its order was made of, and how relevant the page behind it
was. Out: how much each part counts from now on, and how good the sections of hosts are. A part is
learned by ridge regression that begins at the usual weights, so that few pages change little. A
section is what a host keeps under one first step of its paths: on large mixed hosts some are on the
topic and others are not. Fixed size, however long a crawl is.
"""

import re
from collections.abc import Sequence
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from blickfang.crawl.focus.judged_values import Doubles
from blickfang.errors import InputError

NAMES = ("parent", "anchor", "address", "section")  # of the parts
USUAL = np.array([0.4, 0.4, 0.2, 0.0])
FIRM = 1.0  # how firmly the usual weights hold: about as much as 25 pages of half-good links
SECTIONS = 8192  # kept; two that share a place share their value
SURE_PAGES = 2.0  # of a section that says as much for itself as its page says
FADING = 0.5  # what was learned counts, once pages are judged on a new scale
PART = re.compile(r"(parent|anchor|address|section) (\d[-+.\de]*)")


class Following:
    """What links of a shard have brought so far."""

    def __init__(self) -> None:
        self.squares = np.zeros((len(NAMES), len(NAMES)))
        self.products = np.zeros(len(NAMES))
        self.sections = np.zeros((SECTIONS, 2))  # Σ evidence · relevance, Σ evidence
        self.weights: Doubles = USUAL
        self.pages = 0

    def learn(self, url: str, why: str, relevance: float, evidence: float) -> None:
        """Learn from a page how much the link that led to it was worth; `why` names its parts."""
        place = find_sections([url])[0]
        self.sections[place] += evidence * relevance, evidence
        parts = read_parts(why)
        if parts is None:
            return
        self.pages += 1
        self.squares += evidence * np.outer(parts, parts)
        self.products += evidence * relevance * parts
        firm = FIRM * np.eye(len(NAMES))
        found = np.linalg.solve(self.squares + firm, self.products + FIRM * USUAL)
        self.weights = found.astype(np.float64)

    def value_sections(self, urls: Sequence[str], otherwise: Doubles) -> Doubles:
        """Return how good the section of each address is; the less known, the more as told."""
        worth, evidence = self.sections[find_sections(urls)].T
        values: Doubles = (worth + SURE_PAGES * otherwise) / (evidence + SURE_PAGES)
        return values

    def weigh(self, parts: Sequence[Doubles]) -> Doubles:
        """Return what links are worth, by their parts, in 0..1."""
        worth: Doubles = np.clip(self.weights @ np.array(parts), 0.0, 1.0)
        return worth

    def fade(self) -> None:
        """Let what was learned count less: pages are judged on a new scale."""
        self.squares *= FADING
        self.products *= FADING
        self.sections *= FADING

    def pack(self) -> bytes:
        """Return everything in bytes, to be kept."""
        numbers = (self.squares.ravel(), self.products, self.weights, [float(self.pages)])
        return np.concatenate([*numbers, self.sections.ravel()]).astype("<f8").tobytes()

    @classmethod
    def unpack(cls, data: bytes) -> "Following":
        """Return what `pack` packed."""
        made, count = cls(), len(NAMES)
        sizes = [count * count, count, count, 1, 2 * SECTIONS]
        if len(data) != 8 * sum(sizes):
            raise InputError("what the crawl has learned of its links is damaged")
        ends = np.cumsum(sizes)[:-1]
        squares, products, weights, pages, sections = np.split(
            np.frombuffer(data, "<f8").astype(np.float64), ends
        )
        made.squares, made.products = squares.reshape(count, count), products
        made.weights, made.pages = weights, int(pages[0])
        made.sections = sections.reshape(SECTIONS, 2)
        return made


def find_sections(urls: Sequence[str]) -> NDArray[np.int64]:
    """Return the places of the sections that addresses are in: host and first step of the path."""
    names = ["/".join(url.split("/", 4)[2:4]) for url in urls]
    return np.array([crc32(name.encode()) % SECTIONS for name in names], np.int64)


def read_parts(why: str) -> Doubles | None:
    """Return the parts that the order of a link was made of; None for what was no link.

    >>> read_parts("parent 0.5, anchor 0.1, address 0").tolist()
    [0.5, 0.1, 0.0, 0.5]
    """
    found = {name: float(value) for name, value in PART.findall(why)}
    if not {"parent", "anchor", "address"} <= found.keys():
        return None
    found.setdefault("section", found["parent"])
    return np.array([found[name] for name in NAMES])
