"""How far people agree, beyond chance.

In: ratings, an item each: who gave it which category. Out: majorities, and the measures of Cohen
(1960), Fleiss (1971) and Krippendorff (2004). A measure that its formula leaves undefined (nobody
rated the same, or only one category was ever used) is None, never 0 and never 1. Method:
docs/method.md, "Agreement".
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Rating = Mapping[str, str]  # annotator → category
Merge = Sequence[Sequence[str]]
Matrix = NDArray[np.float64]
SMALL = 1e-12


class Pair(NamedTuple):
    """Two annotators who rated the same items."""

    one: str
    other: str
    items: int
    kappa: float | None


class VoteTally(NamedTuple):
    """How votes fell: items by the category that won."""

    majority: dict[str, int]  # more than half of the annotators
    unanimous: dict[str, int]
    disagreement: int  # items without a majority
    items: int


def find_majority(rating: Rating) -> str | None:
    """Return the category that more than half of the annotators gave.

    >>> find_majority({"a": "cat", "b": "cat", "c": "pet"})
    'cat'
    >>> find_majority({"a": "cat", "b": "pet"}) is None
    True
    """
    if not rating:
        return None
    given = list(rating.values())
    category = max(set(given), key=given.count)
    return category if 2 * given.count(category) > len(given) else None


def count_votes(ratings: Sequence[Rating], categories: Sequence[str], needed: int) -> VoteTally:
    """Count the items that enough people rated, by majority and by unanimity."""
    majority = dict.fromkeys(categories, 0)
    unanimous = dict.fromkeys(categories, 0)
    disagreement = items = 0
    for rating in ratings:
        if len(rating) < needed or not rating:
            continue
        items += 1
        winner = find_majority(rating)
        if winner is None:
            disagreement += 1
            continue
        majority[winner] += 1
        unanimous[winner] += len(set(rating.values())) == 1
    return VoteTally(majority, unanimous, disagreement, items)


def merge_categories(
    ratings: Sequence[Rating], categories: Sequence[str], groups: Merge
) -> tuple[list[dict[str, str]], list[str]]:
    """Return the ratings with each group of categories taken for one, and the categories then."""
    names = {name: " + ".join(group) for group in groups for name in group}
    merged = [
        {who: names.get(category, category) for who, category in rating.items()}
        for rating in ratings
    ]
    return merged, list(dict.fromkeys(names.get(name, name) for name in categories))


def cohen_kappa(pairs: Sequence[tuple[str, str]]) -> float | None:
    """Return Cohen's κ of two annotators, given what each said of the same items.

    >>> cohen_kappa([("yes", "yes")] * 20 + [("yes", "no")] * 5
    ...             + [("no", "yes")] * 10 + [("no", "no")] * 15)
    0.4
    """
    if not pairs:
        return None
    total = len(pairs)
    ours, theirs = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
    equal = sum(one == other for one, other in pairs)
    # Whole numbers as long as possible: the result is exact where it is a short fraction.
    chance = sum(ours[category] * theirs[category] for category in ours)
    if chance == total * total:
        return None
    return (equal * total - chance) / (total * total - chance)


def cohen_pairs(ratings: Sequence[Rating]) -> list[Pair]:
    """Return Cohen's κ for every two annotators with at least one common item."""
    shared: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for rating in ratings:
        for one, other in combinations(sorted(rating), 2):
            shared.setdefault((one, other), []).append((rating[one], rating[other]))
    return [Pair(*who, len(given), cohen_kappa(given)) for who, given in sorted(shared.items())]


def mean_kappa(pairs: Sequence[Pair]) -> float | None:
    """Return the mean of the pairs' κ, as the study has it: each pair counts once."""
    known = [pair.kappa for pair in pairs if pair.kappa is not None]
    return sum(known) / len(known) if known else None


def fleiss_kappa(counts: Sequence[Sequence[int]] | Matrix) -> float | None:
    """Return Fleiss' κ; a row an item, a column a category, every row of the same sum."""
    table = np.array(counts, np.float64)
    if table.size == 0 or table.shape[1] == 0:
        return None
    raters = table[0].sum()
    if raters < 2 or (table.sum(axis=1) != raters).any():
        return None
    agreeing = ((table**2).sum(axis=1) - raters) / (raters * (raters - 1))
    shares = table.sum(axis=0) / table.sum()
    chance = float((shares**2).sum())
    if 1 - chance < SMALL:
        return None
    return (float(agreeing.mean()) - chance) / (1 - chance)


def fleiss_of(ratings: Sequence[Rating], categories: Sequence[str], raters: int) -> float | None:
    """Return Fleiss' κ of the items that exactly so many people rated."""
    return fleiss_kappa(_count([r for r in ratings if len(r) == raters], categories))


def _count(ratings: Sequence[Rating], categories: Sequence[str]) -> Matrix:
    """Return how often each item was given each category."""
    places = {category: place for place, category in enumerate(categories)}
    counts = np.zeros((len(ratings), len(places)))
    rows = [row for row, rating in enumerate(ratings) for _ in rating]
    columns = [places[category] for rating in ratings for category in rating.values()]
    np.add.at(counts, (rows, columns), 1)
    return counts


def krippendorff_alpha(
    ratings: Sequence[Rating], categories: Sequence[str], *, ordinal: bool = False
) -> float | None:
    """Return Krippendorff's α; items that only one person rated do not count."""
    counts = _count([rating for rating in ratings if len(rating) > 1], categories)
    shares = counts / (counts.sum(axis=1, keepdims=True) - 1)
    seen = shares.T @ counts - np.diag(shares.sum(axis=0))
    totals = seen.sum(axis=1)
    pairs = totals.sum()
    distance = _ordinal(totals) if ordinal else 1 - np.eye(len(categories))
    expected = float((np.outer(totals, totals) * distance).sum())
    if pairs == 0 or expected < SMALL:
        return None
    return 1 - float((pairs - 1) * (seen * distance).sum()) / expected


def _ordinal(totals: Matrix) -> Matrix:
    """Return the squared distances of ranked categories, given how often each was used."""
    middle = np.cumsum(totals) - totals / 2
    return np.asarray((middle[:, None] - middle[None, :]) ** 2, np.float64)
