"""Lists by tree matching, as MDR and DEPTA find them: a peer in plain Python, as pydepta is.

In: HTML. Out: the records of the region with most text. Every parent's neighbouring children, alone
and in groups, are compared by simple tree matching (Yang 1991); runs above a threshold are regions
(Liu, Grossman, Zhai 2003; Zhai, Liu 2005). Cells are not aligned: it does less than we do.
"""

from itertools import pairwise
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

ALIKE = 0.7  # threshold of MDR
LARGEST_GROUP = 3  # children that may be one record


class Part(NamedTuple):
    """An element: its tag, parts, the size of its tree, the length of its text."""

    tag: str
    parts: list["Part"]
    size: int
    letters: int


def read_part(node: LexborNode) -> Part:
    """Return the tree of an element."""
    parts = [read_part(child) for child in node.iter(include_text=False)]
    own = len(node.text(deep=False, strip=True))
    size = 1 + sum(part.size for part in parts)
    return Part(node.tag or "", parts, size, own + sum(part.letters for part in parts))


def match(one: Part, other: Part) -> int:
    """Return how many nodes two trees have in common, in order and below each other."""
    if one.tag != other.tag:
        return 0
    before = [0] * (len(other.parts) + 1)
    for a in one.parts:
        here = [0]
        for place, b in enumerate(other.parts, 1):
            here.append(max(here[-1], before[place], before[place - 1] + match(a, b)))
        before = here
    return before[-1] + 1


def are_alike(one: list[Part], other: list[Part]) -> bool:
    """Whether two groups of neighbours are built alike."""
    common = sum(match(a, b) for a, b in zip(one, other, strict=True))
    return 2 * common >= ALIKE * sum(part.size for part in [*one, *other])


def find_runs(parts: list[Part], group: int) -> list[list[list[Part]]]:
    """Return runs of groups of neighbours that are alike."""
    runs: list[list[list[Part]]] = []
    for offset in range(group):
        groups = [parts[at : at + group] for at in range(offset, len(parts) - group + 1, group)]
        run = groups[:1]
        for one, other in pairwise(groups):
            if are_alike(one, other):
                run.append(other)
                continue
            runs.append(run)
            run = [other]
        runs.append(run)
    return [run for run in runs if len(run) > 1]


def find_records(html: str) -> list[list[Part]]:
    """Return the records of the region with most text."""
    root = LexborHTMLParser(html).body
    best: list[list[Part]] = []
    most = 0
    waiting = [read_part(root)] if root else []
    while waiting:
        part = waiting.pop()
        waiting += part.parts
        for group in range(1, LARGEST_GROUP + 1):
            for run in find_runs(part.parts, group):
                letters = sum(one.letters for records in run for one in records)
                if letters > most:
                    best, most = run, letters
    return best
