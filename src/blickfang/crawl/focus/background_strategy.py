"""Our own crawl: pages against a background learned on the way, hosts by what they gave so far.

In: pages as seen, states of hosts, new weights now and then. Out: orders of links, hosts and
images; samples for the background. Images are ordered by the same values as pages, for it is images
on the topic that a request shall bring. Method: docs/method.md, "Focus".
"""

import time
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from blickfang.crawl.focus import host_order as hosts
from blickfang.crawl.focus.background import (
    MOST_SAMPLED,
    SAMPLES,
    begin,
    pack_samples,
    take_sample,
    unpack_samples,
)
from blickfang.crawl.focus.focus_options import CONTRASTS, FocusOptions
from blickfang.crawl.focus.judged_values import (
    NEW_HOST,
    Doubles,
    HostPage,
    HostState,
    JudgedPage,
    Order,
    Orders,
    Packed,
)
from blickfang.crawl.focus.knowledge import Knowledge
from blickfang.crawl.focus.language_filter import rate_kept
from blickfang.crawl.focus.link_feedback import Following
from blickfang.crawl.focus.page_features import PageFeatures
from blickfang.crawl.focus.scorers import Reference, Scored, Scorer, find_scorer, score_contrast
from blickfang.crawl.focus.strategy import Clock, Strategy
from blickfang.crawl.focus.thesis_modes import Focused, FocusedByKeywords, Unfocused
from blickfang.crawl.focus.topic_evidence import EvidenceWeights
from blickfang.crawl.focus.word_weights import Own, WordCounts, unpack_weights, weigh_host
from blickfang.errors import SettingsError
from blickfang.text import relevance

PARENT, ANCHOR, ADDRESS = 0.4, 0.4, 0.2  # of what makes a link good
ANCHOR_PRIOR, ADDRESS_PRIOR = 0.6, 0.4  # of what makes a host good that is not known
LINK_BUCKETS = (0.6, 0.8, 0.9)  # 1 - value; within a host they only name the order
PAGE_OF_IMAGE, TEXT_OF_IMAGE = 0.6, 0.4
HOST_OF_IMAGE = 0.5  # how much the host counts beside a page full of words
IMAGE_EDGES = (1.5, 0.6)  # times the noise: fetched now; perhaps; when nothing else is left
LEAST_NOISE, MOST_NOISE = 0.01, 0.1  # between which it places these edges
MOST_OWN = 256  # hosts whose part in the background is kept at hand


class BackgroundStrategy(Strategy):
    """Follows what promises images on the topic."""

    mode = "focused+images"

    def __init__(
        self, knowledge: Knowledge, options: FocusOptions, scorer: Scorer, clock: Clock
    ) -> None:
        super().__init__(clock)
        self.probe_every = options.probe_every
        self.on_topic = options.on_topic
        self._knowledge = knowledge
        self._score = scorer
        self._has_contrast = CONTRASTS.get(options.scorer, 1.0) > 0
        self._learned = begin(knowledge, options)
        self._samples: dict[str, list[HostPage]] = {}
        self._taken: dict[str, int] = {}  # of how many pages of each host weights were learned
        self._own: dict[str, EvidenceWeights] = {}
        self._following = Following() if options.adapt else None
        self._detours = options.detours

    def judge(self, seen: PageFeatures, state: HostState | None = None) -> JudgedPage:
        """Judge a page by what speaks for the topic more than the background does."""
        scored = self._score_page(seen)
        proof = hosts.prove(seen.page_words)
        worth = lift(scored.page, proof, state or NEW_HOST)
        return JudgedPage(
            scored.page,
            None,
            None,
            scored.page,
            proof,
            order_links(seen, scored, self._following),
            order_images(scored.texts[2 * len(seen.links) :], worth, self._learned.noise),
            self._take_sample(seen),
        )

    def rate(self, seen: PageFeatures) -> tuple[float | None, Doubles | None]:
        """Return only how relevant a page is, and what is said of each of its images."""
        scored = self._score_page(seen)
        return scored.page, scored.texts[2 * len(seen.links) :]

    def _score_page(self, seen: PageFeatures) -> Scored:
        own = self._find_own(seen.host)
        learned = self._learned
        judge = learned.weights, own, learned.chance, learned.usual_share
        return self._score(seen, Reference(self._knowledge, *judge))

    def host_order(self, state: HostState, head: Order) -> tuple[int, float]:
        """Return the place of a host: by what is to be hoped for from its best link."""
        return min(head.bucket, 1), -hosts.promise(state, 1 - head.score, self._learned.noise)

    def image_order(self, head: Order) -> tuple[int, float]:
        """Return the place of an image: good ones before pages, poor ones behind them."""
        if head.bucket <= 1:
            return head.bucket, head.score - 2
        return (1, head.score - 1) if head.bucket == 2 else (2, head.score)

    def wants_probe(self, state: HostState) -> bool:
        """Whether too little is known of a host."""
        return hosts.wants_probe(state) or hosts.wants_detour(
            state, self._detours, self._learned.noise
        )

    def follow(self, url: str, why: str, judged: JudgedPage) -> None:
        """Learn from a page what the link was worth that led to it; `why` names its parts."""
        if self._following is not None and judged.relevance is not None:
            self._following.learn(url, why, judged.relevance, judged.evidence)

    def pack_memory(self) -> bytes | None:
        """Return what was learned from links that were followed, to be kept; None for nothing."""
        return None if self._following is None else self._following.pack()

    def unpack_memory(self, data: bytes) -> None:
        """Go on with what was learned from links."""
        if self._following is not None:
            self._following = Following.unpack(data)

    def keep(self, sample: Packed) -> None:
        """Keep a page for the background."""
        kept = self._samples.setdefault(sample.host, [])
        kept += unpack_samples(sample.data)[: SAMPLES - len(kept)]

    def adopt(self, data: bytes, states: Mapping[str, HostState]) -> dict[str, HostState]:
        """Judge by new weights; the pages kept tell how the scale of each host has changed."""
        learned = unpack_weights(data)
        known = {host: kept for host, kept in self._samples.items() if host in states}
        if self._score is not score_contrast:  # other scorers have a scale of their own
            known = {}
        before = {host: self._rate(host, kept) for host, kept in known.items()}
        self._learned = learned
        self._own.clear()
        if self._following is not None and states:
            self._following.fade()
        told = learned.friends | (learned.hosts if self._has_contrast else frozenset())
        self._taken = {host: len(self._samples.get(host, ())) for host in told}
        return {
            host: hosts.rescale(states[host], before[host], self._rate(host, kept))
            for host, kept in known.items()
        }

    def _rate(self, host: str, kept: list[HostPage]) -> float:
        """Return the mean relevance of the pages kept of a host."""
        own = Own(self._taken.get(host, 0), host in self._learned.friends)
        proofs = [hosts.prove(sample.words) for sample in kept]
        pages = [_counted(sample) for sample in kept]
        rates = rate_kept(pages, self._knowledge.vocabulary_slots, self._learned, own)
        pairs = zip(proofs, rates, strict=True)
        return sum(proof * rate for proof, rate in pairs) / sum(proofs)

    def _find_own(self, host: str) -> EvidenceWeights | None:
        """Return what a host took from the weights or gave to them, if they were learned by it."""
        pages = self._taken.get(host, 0)
        if not pages:
            return None
        if host not in self._own:
            if len(self._own) >= MOST_OWN:
                self._own.pop(next(iter(self._own)))
            kept = [_counted(sample) for sample in self._samples[host][:pages]]
            is_friend = host in self._learned.friends
            self._own[host] = weigh_host(kept, self._learned, is_friend=is_friend)
        return self._own[host]

    def _take_sample(self, seen: PageFeatures) -> Packed | None:
        kept = self._samples.get(seen.host)
        if len(kept) >= SAMPLES if kept else len(self._samples) >= MOST_SAMPLED:
            return None
        sample = take_sample(seen.host, seen.words[: seen.page_words])
        return None if sample is None else Packed(seen.host, pack_samples([sample]))


def _counted(sample: HostPage) -> WordCounts:
    return WordCounts(sample.hashes, sample.counts)


def order_links(seen: PageFeatures, scored: Scored, following: Following | None = None) -> Orders:
    """Order links by their page, if they stay on its host, by their texts and addresses.

    With `following`, by what such links have brought.
    """
    count = len(seen.links)
    anchors, addresses = scored.texts[:count], scored.texts[count : 2 * count]
    stays = np.array([host == seen.host for host in seen.link_hosts], np.float64)
    parents = scored.page * stays
    scores = 1 - (PARENT * parents + ANCHOR * anchors + ADDRESS * addresses)
    parts = {"parent": parents, "anchor": anchors, "address": addresses}
    if following is not None and count:
        parts["section"] = following.value_sections(seen.links, parents)
        scores = 1 - following.weigh(list(parts.values()))
    return Orders(
        _find_buckets(LINK_BUCKETS, scores),
        scores,
        ANCHOR_PRIOR * anchors + ADDRESS_PRIOR * addresses,
        parts,
    )


def order_images(texts: Doubles, page: float, noise: float) -> Orders:
    """Order images by what is said of each and by the page.

    How many are worth a request is a matter of how far pages off the topic differ by chance.
    """
    unit = min(MOST_NOISE, max(LEAST_NOISE, noise))
    edges = 1 - IMAGE_EDGES[0] * unit, 1 - IMAGE_EDGES[1] * unit
    scores = 1 - (PAGE_OF_IMAGE * page + TEXT_OF_IMAGE * texts)
    parts = {"parent": np.full(len(texts), page), "text": texts}
    return Orders(_find_buckets(edges, scores), scores, np.zeros(len(texts)), parts)


def _find_buckets(edges: tuple[float, ...], scores: Doubles) -> NDArray[np.int8]:
    return (1 + np.searchsorted(edges, scores)).astype(np.int8)


def lift(page: float, proof: float, state: HostState) -> float:
    """Return how good a page is for its images: with few words it is as good as its host."""
    known = min(1.0, state.evidence)
    total = proof + HOST_OF_IMAGE * known
    return (proof * page + HOST_OF_IMAGE * known * hosts.value(state)) / total if total else 0.0


STUDIED = (Focused.mode, FocusedByKeywords.mode)  # those that use the buckets of [score]


def make_strategy(
    mode: str,
    knowledge: Knowledge,
    scoring: relevance.ScoreOptions | None = None,
    options: FocusOptions | None = None,
    scorer: Scorer | None = None,
    clock: Clock = time.time,
) -> Strategy:
    """Return the strategy of a mode; a scorer of one's own takes the place of the one named."""
    scoring, options = scoring or relevance.ScoreOptions(), options or FocusOptions()
    if mode == Unfocused.mode:
        return Unfocused(clock)
    for kind in (Focused, FocusedByKeywords):
        if mode == kind.mode:
            return kind(knowledge, options, scoring, clock)
    if mode == BackgroundStrategy.mode:
        return BackgroundStrategy(knowledge, options, scorer or find_scorer(options.scorer), clock)
    raise SettingsError(f'mode = "{mode}" is unknown')
