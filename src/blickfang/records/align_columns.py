"""Several strings of numbers become one pattern: alignment around the most central of them.

In: token strings, one a record. Out: all of them with gaps, so that columns agree; and the
`Pattern`: for each column what may stand there. The center star (Gusfield 1993): every string is
aligned with the one that is nearest to all, and its gaps are kept.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import compiled

Ints = NDArray[np.int32]

GAP = -1
SAMPLE = 24  # strings among which the center is sought
MAX_TOKENS = 400  # of a string; the rest of a longer one is left out


class AlignedPattern(NamedTuple):
    """For each column what may stand there, most frequent first, GAP last."""

    columns: tuple[tuple[int, ...], ...]


@compiled
def measure_edits(one: Ints, other: Ints) -> Ints:
    """Return the table of edit distances between all beginnings of two strings."""
    table = np.zeros((len(one) + 1, len(other) + 1), np.int32)
    table[:, 0] = np.arange(len(one) + 1)
    table[0, :] = np.arange(len(other) + 1)
    for i in range(1, len(one) + 1):
        for j in range(1, len(other) + 1):
            best = table[i - 1, j - 1] + (0 if one[i - 1] == other[j - 1] else 2)
            best = min(best, table[i - 1, j] + 1)
            table[i, j] = min(best, table[i, j - 1] + 1)
    return table


@compiled
def align_pair(one: Ints, other: Ints) -> Ints:
    """Return for each token of the second string its partner in the first, or -1 - its gap.

    Only equal tokens are partners: a substitution is a gap in each. Of equal ways the one whose
    partners stand first: a text belongs to the tag before it, not to the one behind it.
    """
    table = measure_edits(one, other)
    partners = np.empty(len(other), np.int32)
    i, j = len(one), len(other)
    while j:
        if i and table[i, j] == table[i - 1, j] + 1:
            i -= 1
        elif i and one[i - 1] == other[j - 1] and table[i, j] == table[i - 1, j - 1]:
            i -= 1
            j -= 1
            partners[j] = i
        else:
            j -= 1
            partners[j] = -1 - i
    return partners


def edit_distance(one: Ints, other: Ints) -> int:
    """Return how many tokens must be put in or taken out to make one string of the other."""
    return int(measure_edits(one, other)[-1, -1])


def find_center(strings: list[Ints]) -> int:
    """Return the string that is nearest to all others, by a sample of them."""
    step = max(1, len(strings) // SAMPLE)
    sample = list(range(0, len(strings), step))[:SAMPLE]
    sums = np.zeros(len(sample), np.int64)
    for a in range(len(sample)):
        for b in range(a):
            distance = edit_distance(strings[sample[a]], strings[sample[b]])
            sums[a] += distance
            sums[b] += distance
    # Of equally central strings the longest: it has most of what is optional.
    best = min(range(len(sample)), key=lambda at: (sums[at], -len(strings[sample[at]])))
    return sample[best]


class Aligned(NamedTuple):
    """For each string the column of each of its tokens, and the number of columns."""

    columns: list[Ints]
    width: int


def align_all(strings: list[Ints]) -> Aligned:
    """Return the columns of the tokens of all strings, by the center star."""
    cut = [string[:MAX_TOKENS] for string in strings]
    center = cut[find_center(cut)]
    partners = [align_pair(center, string) for string in cut]
    # How many tokens each gap of the center must hold: once a gap, always a gap.
    room = np.zeros(len(center) + 1, np.int64)
    for found in partners:
        if len(gaps := -1 - found[found < 0]):
            room = np.maximum(room, np.bincount(gaps, minlength=len(room)))
    first = np.arange(len(center) + 1) + np.cumsum(room) - room  # where each gap begins
    columns = [_place(found, first, first + room) for found in partners]
    return Aligned(columns, len(center) + int(room.sum()))


def _place(partners: Ints, gap: NDArray[np.int64], token: NDArray[np.int64]) -> Ints:
    """Return the columns of one string's tokens."""
    out = np.empty(len(partners), np.int32)
    last, inside = 0, 0
    for at, partner in enumerate(partners.tolist()):
        if partner >= 0:
            out[at] = token[partner]
        else:
            inside = inside + 1 if partner == last else 0
            out[at] = gap[-1 - partner] + inside
        last = partner
    return out


def make_pattern(strings: list[Ints], aligned: Aligned) -> AlignedPattern:
    """Return what may stand in each column."""
    seen: list[dict[int, int]] = [{} for _ in range(aligned.width)]
    for string, columns in zip(strings, aligned.columns, strict=True):
        for token, column in zip(string.tolist(), columns.tolist(), strict=False):
            seen[column][token] = seen[column].get(token, 0) + 1
    found = []
    for counts in seen:
        tokens = sorted(counts, key=lambda token: (-counts[token], token))
        optional = sum(counts.values()) < len(strings)
        found.append((*tokens, GAP) if optional else tuple(tokens))
    return AlignedPattern(tuple(found))


def align_strings(strings: list[Ints]) -> AlignedPattern:
    """Return the pattern of some strings.

    >>> strings = [np.array(list(map(int, s)), np.int32) for s in ("14324", "14352", "143524")]
    >>> write_pattern(align_strings(strings))
    '143[5|-]2[4|-]'
    """
    return make_pattern(strings, align_all(strings))


def count_alternatives(pattern: AlignedPattern) -> int:
    """Return in how many columns more than one thing may stand, each counted by its choices."""
    return sum(len(column) - 1 for column in pattern.columns)


def write_pattern(pattern: AlignedPattern, names: dict[int, str] | None = None) -> str:
    """Return a pattern as text; with names, tokens are parted by blanks."""
    parts = []
    for column in pattern.columns:
        texts = ["-" if t == GAP else (names[t] if names else str(t)) for t in column]
        parts.append(texts[0] if len(texts) == 1 else f"[{'|'.join(texts)}]")
    return (" " if names else "").join(parts)
