"""What tells the list a page is about from its menus: measures of a region.

In: the marks of a page and its regions. Out: one row of numbers a region, in the order of
`MEASURES`. Every number is a sum over records, and every record a difference of prefix sums.
"""

import json
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, compiled, inlined
from blickfang.records.node_counts import BAG, NodeCounts
from blickfang.records.regions import Regions, bag_of, count_bits, letters_in
from blickfang.text.words import finish

Floats = NDArray[np.float64]

MEASURES = (
    "records",  # ln of their number
    "few",  # 3 or fewer
    "different",  # share of distinct texts
    "digits",  # share with a digit
    "long",  # share with a long text
    "links",  # share with a link
    "headings",  # share with a heading inside
    "alike",  # mean likeness of neighbours, by kinds of nodes
    "parents",  # distinct parents a record
    "furniture",  # share in an element whose class names it so
    "single",  # hardly more than one text a record
    "before",  # share of the page's text before the region
    "inner",  # share of the text that stands in lists inside the records
    "sizes",  # spread of ln text length
    "texts",  # spread of ln number of texts
    "images",  # share with an image
    "cover",  # share of the page's text
    "dense",  # share of the text between first and last record that is in records
    "rhythm",  # lengths agree better two or three rows apart than side by side: rows are parts
)
LOOSE = 1.2
FEW = 3
RHYTHM = 6  # records from which a rhythm can be heard


@inlined
def bags_alike(one: NDArray[np.uint64], other: NDArray[np.uint64]) -> float:
    """Return the Jaccard similarity of two bags of kinds."""
    both = either = 0
    for word in range(BAG):
        both += count_bits(one[word] & other[word])
        either += count_bits(one[word] | other[word])
    return both / max(either, 1)


@inlined
def spread(total: float, squares: float, count: Integer) -> float:
    """Return a standard deviation from sums."""
    mean = total / count
    return float(np.sqrt(max(squares / count - mean * mean, 0.0)))


@compiled
def measure_shape(marks: NodeCounts, regions: Regions, region: Integer, out: Floats) -> None:
    """Fill in what needs records beside each other: likeness, parents, distinct texts."""
    lo, hi = regions.first[region], regions.first[region + 1]
    bag, previous = np.empty(BAG, np.uint64), np.empty(BAG, np.uint64)
    table = np.zeros(4 * max(hi - lo, 1), np.uint64)
    parents = different = 0
    alike = 0.0
    for row in range(lo, hi):
        start, end = regions.start[row], regions.end[row]
        bag_of(marks, start, end, bag)
        if row > lo:
            alike += bags_alike(bag, previous)
        previous[:] = bag
        parents += row == lo or marks.parent[start] != marks.parent[regions.start[row - 1]]
        h = finish(marks.said[end] - marks.said[start])
        slot = h % np.uint64(len(table))
        while table[slot] != h and table[slot] != np.uint64(0):
            slot = (slot + np.uint64(1)) % np.uint64(len(table))
        different += table[slot] == np.uint64(0)
        table[slot] = h
    n = hi - lo
    out[0], out[1], out[2] = np.log(n), n <= FEW, different / n
    out[7], out[8] = alike / (n - 1), parents / n


@compiled
def measure_texts(marks: NodeCounts, regions: Regions, region: Integer, out: Floats) -> None:
    """Fill in what is a sum over records."""
    lo, hi = regions.first[region], regions.first[region + 1]
    n, total = hi - lo, max(marks.letters[len(marks.parent)], 1)
    letters = inner = texts = 0
    logs = squares = text_logs = text_squares = 0.0
    for row in range(lo, hi):
        start, end = regions.start[row], regions.end[row]
        own = letters_in(marks, start, end)
        out[3] += (marks.digits[end] > marks.digits[start]) / n
        out[4] += (marks.long_texts[end] > marks.long_texts[start]) / n
        out[5] += (marks.links[end] > marks.links[start]) / n
        out[6] += (marks.headings[end] > marks.headings[start]) / n
        out[9] += marks.furniture[start] / n
        out[15] += (marks.images[end] > marks.images[start]) / n
        letters += own
        k = np.int64(start)
        while k < end:
            inner += marks.inside[k]
            k = np.int64(marks.end[k])
        count = marks.texts[end] - marks.texts[start]
        texts += count
        logs += np.log(own + 1)
        squares += np.log(own + 1) ** 2
        text_logs += np.log(count + 1)
        text_squares += np.log(count + 1) ** 2
    first, last = regions.start[lo], regions.end[hi - 1]
    out[10] = texts <= LOOSE * n
    out[11] = marks.letters[first] / total
    out[12] = inner / max(letters, 1)
    out[13], out[14] = spread(logs, squares, n), spread(text_logs, text_squares, n)
    out[16] = letters / total
    out[17] = letters / max(letters_in(marks, first, last), 1)


@compiled
def measure_rhythm(marks: NodeCounts, regions: Regions, region: Integer) -> float:
    """Return how much better lengths agree two or three records apart than side by side."""
    lo, hi = regions.first[region], regions.first[region + 1]
    if hi - lo < RHYTHM:
        return 0.0
    logs = np.empty(hi - lo)
    for row in range(lo, hi):
        logs[row - lo] = np.log(letters_in(marks, regions.start[row], regions.end[row]) + 1)
    beside = np.mean(np.abs(logs[1:] - logs[:-1]))
    apart = min(np.mean(np.abs(logs[2:] - logs[:-2])), np.mean(np.abs(logs[3:] - logs[:-3])))
    return float(max(beside - apart, 0.0))


@compiled
def measure_all(marks: NodeCounts, regions: Regions, out: Floats) -> None:
    """Fill in the measures of every region."""
    for region in range(len(regions.first) - 1):
        measure_shape(marks, regions, region, out[region])
        measure_texts(marks, regions, region, out[region])
        out[region, 18] = measure_rhythm(marks, regions, region)


def measure_regions(marks: NodeCounts, regions: Regions) -> Floats:
    """Return the measures of every region."""
    out = np.zeros((len(regions.first) - 1, len(MEASURES)))
    measure_all(marks, regions, out)
    return out


WEIGHTS = Path(__file__).with_name("ranking.json")


@cache
def load_weights() -> Floats:
    """Return the weights of the measures."""
    return read_weights(WEIGHTS.read_text(encoding="utf-8"))


def read_weights(text: str) -> Floats:
    """Return the weights of a file."""
    found = json.loads(text)
    return np.array([found.get(name, 0.0) for name in MEASURES])


def rank_regions(measures: Floats, weights: Floats | None = None) -> tuple[list[int], Floats]:
    """Return the numbers of the regions, best first, and for all regions how likely each is."""
    if not len(measures):
        return [], np.zeros(0)
    scores = measures @ (load_weights() if weights is None else weights)
    likely: Floats = np.exp(scores - scores.max())
    return np.argsort(-scores, kind="stable").tolist(), likely / likely.sum()
