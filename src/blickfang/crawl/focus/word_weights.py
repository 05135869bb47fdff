"""Which words speak for the topic: learned from its pages against a background, as `Learned`.

In: the words of learned pages and, per host, of pages that are not on the topic. Out: `Weights`, a
sorted table of how rare each word is and how much more it is used on the topic than elsewhere, and
which hosts it was learned against. Pure, so that a coordinator can learn for all shards. Method:
docs/method.md, "Focus".
"""

import io
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.crawl.focus.judged_values import Doubles
from blickfang.crawl.focus.length_bias import (
    NO_CHANCE,
    Chance,
    RatedHost,
    expect,
    learn_chance,
    pivot,
)
from blickfang.crawl.focus.topic_evidence import (
    TF,
    EvidenceWeights,
    HostWords,
    compare_pages,
    number_words,
    sum_values,
)
from blickfang.errors import InputError
from blickfang.text.words import Hashes, locate

SMALLEST = 0.01  # share of pages that every word is given: the rarest words are mostly noise
SHARP = 1.5  # power of idf: words of half of all pages make long prose look like any other
SHORT = 2.0  # added to the length of a page: one with few words is not much like anything
FRIEND = 0.5  # what a host found on the topic says, against 1 of all learned pages
MOST_DIFFERENT = 4000  # words of a page that are counted; pages with more are lists


class WordCounts(NamedTuple):
    """The different words of a page, sorted, and how often they occur."""

    hashes: Hashes
    counts: NDArray[np.uint16]


class LearnedWeights(NamedTuple):
    """Weights, and what they were learned against."""

    weights: EvidenceWeights
    units: int  # hosts and neutral pages that make the background, all of one weight
    hosts: frozenset[str]  # those among them
    noise: float = 0.04  # how much the relevance of hosts that are off the topic differs
    friends: frozenset[str] = frozenset()  # hosts far inside the topic, learned from as well
    chance: Chance = NO_CHANCE  # what pages off the topic reach, by their length
    usual_share: float = 0.0  # of their words, how many learned pages have; 0: nobody knows


class Own(NamedTuple):
    """Which part a host has in what was learned."""

    pages: int  # of those kept, the first ones; 0: none
    is_friend: bool = False


STRANGER = Own(0)
NO_FRIENDS: Mapping[str, Sequence[WordCounts]] = MappingProxyType({})


class Matrix(NamedTuple):
    """Pages as rows of words: one entry per page and different word."""

    hashes: Hashes  # all words, sorted
    words: NDArray[np.int64]  # which word
    pages: NDArray[np.int64]  # on which page
    tf: Doubles  # 1 + ln of how often


def count_page(hashes: Hashes) -> WordCounts:
    """Count the words of a page; of too many different ones, any that are enough."""
    different, counts = np.unique(hashes, return_counts=True)
    few = slice(MOST_DIFFERENT)  # hashes are no order of words: these are as good as others
    return WordCounts(different[few], np.minimum(counts[few], 65535).astype(np.uint16))


def make_weights(
    hashes: Hashes,
    idf: Doubles,
    weight: Doubles,
    unknown_idf: float,
    scale: float,
    usual: float = 0.0,
) -> EvidenceWeights:
    """Return a table of words, which must be sorted, with its index by leading bits."""
    bits = max(1, len(hashes).bit_length())
    edges = np.arange(1 << bits, dtype=np.uint64) << np.uint64(64 - bits)
    rows = np.append(np.searchsorted(hashes, edges), len(hashes)).astype(np.int32)
    columns = idf.astype(np.float32), weight.astype(np.float32)
    return EvidenceWeights(hashes, rows, 64 - bits, *columns, unknown_idf, scale, usual)


def learn_first(
    learned: Sequence[WordCounts], neutral: Sequence[WordCounts], contrast: float = 1.0
) -> LearnedWeights:
    """Learn from pages on the topic and neutral ones alone, before there is a background."""
    matrix = _arrange([*learned, *neutral])
    pages = len(learned) + len(neutral)
    df = np.bincount(matrix.words, minlength=len(matrix.hashes))
    idf = np.log((pages + 1) / (df + 0.5))
    ours = np.array([1 / max(1, len(learned))] * len(learned) + [0.0] * len(neutral))
    share = np.array([0.0] * len(learned) + [contrast / max(1, len(neutral))] * len(neutral))
    unknown = float(np.log((pages + 1) / 0.5))
    return LearnedWeights(_subtract(matrix, idf, unknown, ours, share), len(neutral), frozenset())


def learn_weights(
    learned: Sequence[WordCounts],
    neutral: Sequence[WordCounts],
    hosts: Mapping[str, Sequence[WordCounts]],
    contrast: float = 1.0,
    friends: Mapping[str, Sequence[WordCounts]] = NO_FRIENDS,
) -> LearnedWeights:
    """Learn from pages on the topic, neutral ones, and the pages of each host of the background.

    `friends` are pages of hosts found to be on the topic, each with half the say of all learned.
    """
    units = [[page] for page in neutral] + [list(pages) for pages in hosts.values()]
    shares = [1 / (len(pages) * len(units)) for pages in units for _ in pages]
    ours = [1 / max(1, len(learned))] * len(learned)
    ours += [FRIEND / len(pages) for pages in friends.values() for _ in pages]
    known = [*learned, *(page for pages in friends.values() for page in pages)]
    matrix = _arrange([*known, *(page for pages in units for page in pages)])
    say = np.array(ours + [0.0] * len(shares)) / (1 + FRIEND * len(friends))
    share = np.array([0.0] * len(known) + shares)
    used = np.bincount(matrix.words, share[matrix.pages], len(matrix.hashes))
    unknown = float(np.log((1 + SMALLEST) / SMALLEST))
    rarity = np.log((1 + SMALLEST) / (np.minimum(used, 1.0) + SMALLEST)) / unknown
    idf = unknown * rarity**SHARP
    weights = _subtract(matrix, idf, unknown, say, contrast * share)
    return LearnedWeights(weights, len(units), frozenset(hosts), friends=frozenset(friends))


def _arrange(pages: Sequence[WordCounts]) -> Matrix:
    together, counts, edges = _join(pages)
    numbers, hashes, _ = number_words(together)
    order = np.argsort(hashes)  # of different words, which are far fewer than words
    places = np.empty(len(order), np.int64)
    places[order] = np.arange(len(order))
    of_pages = np.repeat(np.arange(len(pages)), np.diff(edges))
    return Matrix(hashes[order], places[numbers], of_pages, 1 + np.log(counts.astype(np.float64)))


def _join(pages: Sequence[WordCounts]) -> HostWords:
    hashes = np.concatenate([np.empty(0, np.uint64), *(page.hashes for page in pages)])
    counts = np.concatenate([np.empty(0, np.uint16), *(page.counts for page in pages)])
    edges = np.cumsum([0, *(len(page.hashes) for page in pages)]).astype(np.int32)
    return HostWords(hashes, counts, edges)


def _subtract(
    matrix: Matrix, idf: Doubles, unknown: float, ours: Doubles, share: Doubles
) -> EvidenceWeights:
    """Subtract the mean page of the background from the mean learned page; each page's part."""
    values = matrix.tf * idf[matrix.words]
    lengths = np.sqrt(np.bincount(matrix.pages, values**2, len(share)))
    lengths += SHORT
    values /= lengths[matrix.pages]
    signed = values * (ours - share)[matrix.pages]
    weight: Doubles = np.bincount(matrix.words, signed, len(matrix.hashes)).astype(np.float64)
    scale = float((values * weight[matrix.words] * ours[matrix.pages]).sum())
    usual = float(np.exp(np.average(np.log(lengths), weights=ours))) if ours.any() else 0.0
    return make_weights(matrix.hashes, idf, weight, unknown, scale, usual)


def vectorise(page: WordCounts, weights: EvidenceWeights) -> tuple[Doubles, Doubles, float]:
    """Return the value of each word of a page on it, its weight, and the page's length."""
    at, known = locate(weights.hashes, page.hashes)
    idf, weight = np.full(len(at), weights.unknown_idf), np.zeros(len(at))
    idf[known], weight[known] = weights.idf[at[known]], weights.weight[at[known]]
    values = (1 + np.log(page.counts)) * idf
    length = float(np.sqrt((values**2).sum())) + SHORT
    return values / length, weight, length


def rate_page(
    page: WordCounts,
    weights: EvidenceWeights,
    own: EvidenceWeights | None,
    chance: Chance = NO_CHANCE,
) -> float:
    """Return how much a page is on the topic; 1 for a learned one, below 0 for what is farther
    from it than the background. For `own` see `weigh_host`, for `chance` length_bias.py."""
    if weights.scale <= 0:
        return 0.0
    values, weight, length = vectorise(page, weights)
    rate = float(values @ weight)
    if own is not None:
        at, known = locate(own.hashes, page.hashes)
        rate = (rate + float(values[known] @ own.weight[at[known]])) / own.scale
    rate *= pivot(length, weights.usual) / weights.scale
    return rate - expect(int(page.counts.sum()), chance)


def rate_pages(
    pages: Sequence[WordCounts],
    learned: LearnedWeights,
    own: Own = STRANGER,
    chance: Chance | None = None,
) -> list[float]:
    """Return the same of pages kept of one host, in one pass; `own` stands for what it has given.

    `chance` is that of what was learned, unless another is given.
    """
    weights, chance = learned.weights, learned.chance if chance is None else chance
    if weights.scale <= 0 or not pages:
        return [0.0] * len(pages)
    share, scale = _find_say(learned, own) if own.pages else (0.0, 1.0)
    found = compare_pages(_join(pages), own.pages, share, weights, TF, SHORT)
    rates = []
    for page, said, lent, length in zip(pages, *(column.tolist() for column in found), strict=True):
        rate = (said + lent) / scale * (pivot(length, weights.usual) / weights.scale)
        rates.append(rate - expect(int(page.counts.sum()), chance))
    return rates


def _find_say(learned: LearnedWeights, own: Own) -> tuple[float, float]:
    """Return what each page of a host took from the weights, and the say that all others have.

    What a friend gave to them is taken away.
    """
    say = FRIEND / (1 + FRIEND * len(learned.friends)) if own.is_friend else 0.0
    return (-say if own.is_friend else 1 / max(1, learned.units)) / own.pages, 1.0 - say


def weigh_own(
    pages: Sequence[WordCounts], learned: LearnedWeights, own: Own
) -> EvidenceWeights | None:
    """Return what `weigh_host` does of a host that has a part in what was learned, None if not."""
    known = pages[: own.pages]
    return weigh_host(known, learned, is_friend=own.is_friend) if own.pages else None


def weigh_host(
    pages: Sequence[WordCounts], learned: LearnedWeights, *, is_friend: bool = False
) -> EvidenceWeights:
    """Return what a host of the background takes from the weight of each word by its pages.

    Added again, it leaves the weights as they would be without that host. What a friend gave to
    them is taken away; its scale is the say that all others have in what the topic is. The
    background, which has no part in that say, is scaled with it: friends are judged a little
    too strictly.
    """
    share, scale = _find_say(learned, Own(len(pages), is_friend))
    hashes, idf, taken = sum_values(_join(pages), share, learned.weights, TF, SHORT)
    order = np.argsort(hashes)
    columns = hashes[order], idf[order], taken[order]
    return make_weights(*columns, learned.weights.unknown_idf, scale)


def measure_chance(
    learned: LearnedWeights, hosts: Sequence[Sequence[WordCounts]], *, has_contrast: bool = True
) -> LearnedWeights:
    """Add what pages off the topic reach by chance, and by how much their hosts differ beyond it.

    Each host of the background is judged as if it were none of it.
    """
    rated = []
    for pages in hosts:
        own = Own(len(pages)) if has_contrast else STRANGER
        words = np.array([page.counts.sum() for page in pages], np.float64)
        rated.append(RatedHost(words, np.array(rate_pages(pages, learned, own, NO_CHANCE))))
    chance = learn_chance(rated)
    beyond = [
        np.mean([rate - expect(count, chance) for count, rate in zip(*host, strict=True)])
        for host in rated
    ]
    noise = float(np.std(beyond)) if len(beyond) > 1 else learned.noise
    return learned._replace(noise=noise, chance=chance)


def pack_weights(learned: LearnedWeights) -> bytes:
    """Return what was learned in bytes, to be sent or kept."""
    data, weights = io.BytesIO(), learned.weights
    numbers = [weights.unknown_idf, weights.scale, learned.units, learned.noise, weights.usual]
    np.savez(  # hashes cannot be packed, and to try takes longer than to send them
        data,
        hashes=weights.hashes,
        idf=weights.idf,
        weight=weights.weight,
        numbers=np.array([*numbers, *learned.chance, learned.usual_share]),
        hosts=_pack_names(learned.hosts),
        friends=_pack_names(learned.friends),
    )
    return data.getvalue()


def unpack_weights(data: bytes) -> LearnedWeights:
    """Return what `pack_weights` packed."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as kept:
            unknown, scale, units, noise, usual, base, growth, share = kept["numbers"].tolist()
            hosts, friends = _unpack_names(kept["hosts"]), _unpack_names(kept["friends"])
            columns = kept["hashes"], kept["idf"], kept["weight"]
            weights = make_weights(*columns, unknown, scale, usual)
            chance = Chance(base, growth)
            return LearnedWeights(weights, int(units), hosts, noise, friends, chance, share)
    except (OSError, KeyError, ValueError, TypeError, EOFError) as error:
        raise InputError("the weights of the crawl are damaged") from error


def _pack_names(hosts: Iterable[str]) -> NDArray[np.uint8]:
    return np.frombuffer("\n".join(sorted(hosts)).encode(), np.uint8)


def _unpack_names(packed: NDArray[np.uint8]) -> frozenset[str]:
    names = packed.tobytes().decode()
    return frozenset(names.split("\n") if names else ())
