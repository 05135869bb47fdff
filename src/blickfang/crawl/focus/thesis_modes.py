"""The three crawls of the study: unfocused, focused by perplexity, and by keywords as well.

In: pages as seen and the topic. Out: orders as docs/method.md, "Scores", has them: low perplexity
is good, scores lie in buckets, what is beyond the razor is not followed.
"""

from collections import Counter
from collections.abc import Mapping
from math import log
from typing import NamedTuple

import numpy as np

from blickfang.crawl.focus.background import MOST_SAMPLED, SAMPLES
from blickfang.crawl.focus.focus_options import FocusOptions
from blickfang.crawl.focus.host_order import prove
from blickfang.crawl.focus.judged_values import (
    NOT_FOLLOWED,
    Doubles,
    HostState,
    JudgedPage,
    Orders,
    Packed,
)
from blickfang.crawl.focus.knowledge import Knowledge
from blickfang.crawl.focus.page_features import PageFeatures
from blickfang.crawl.focus.perplexity import measure
from blickfang.crawl.focus.self_training import find_limit, pack_page, unpack_texts
from blickfang.crawl.focus.strategy import Clock, Strategy, order_alike
from blickfang.text import relevance as score
from blickfang.text.topic_refining import refine
from blickfang.text.words import Spans


class RatedLinks(NamedTuple):
    """The scores of a page and of its links, before they are put into buckets."""

    score: float | None  # of the page; None for one without words
    perplexity: float | None
    keyword_score: float | None
    links: Doubles  # NaN for those of a page without words
    parts: dict[str, Doubles]  # what the scores of links are made of


class Unfocused(Strategy):
    """Breadth first: what was found first is fetched first."""

    mode = "unfocused"

    def judge(self, seen: PageFeatures, state: HostState | None = None) -> JudgedPage:  # noqa: ARG002
        """Judge nothing."""
        now = self._clock()
        links = order_alike(np.full(len(seen.links), now))
        images = order_alike(np.full(len(seen.images), now))
        return JudgedPage(None, None, None, None, 0.0, links, images, None)


class Focused(Strategy):
    """All links of a page get the page's perplexity."""

    mode = "focused"
    kept_in = learned_as = "inside"
    on_topic = 1.0  # what lies in the best bucket
    is_queue = False  # within a bucket the best score comes first

    def __init__(
        self, knowledge: Knowledge, options: FocusOptions, scoring: score.ScoreOptions, clock: Clock
    ) -> None:
        super().__init__(clock)
        self._first = self._topic = knowledge.known_topic
        self._scoring, self.razor = scoring, scoring.razor
        self._limit = find_limit(knowledge) if options.adapt else None  # perplexity, far inside
        self._kept: Counter[str] = Counter()  # pages far inside, by host
        self._adopted = b""
        self._scale = 1.0  # who knows more words is more surprised by all others

    def judge(self, seen: PageFeatures, state: HostState | None = None) -> JudgedPage:  # noqa: ARG002
        """Judge a page, and its links by what the mode asks of them."""
        return self._order(seen, self.rate_links(seen))

    def rate_links(self, seen: PageFeatures) -> RatedLinks:
        """Return the page's perplexity, which each of its links gets as its score."""
        page = self._measure(seen, np.empty(0, np.int32), np.empty(0, np.int32))[0]
        surprise = None if np.isnan(page) else float(page)
        return RatedLinks(surprise, surprise, None, np.full(len(seen.links), page), {})

    def wants_text(self, host: str, judged: JudgedPage) -> bool:
        """Whether a page looks as if it were far inside the topic, and few of its host are kept."""
        if self._limit is None or judged.perplexity is None or judged.perplexity > self._limit:
            return False
        kept = self._kept[host]
        return kept < SAMPLES if kept else len(self._kept) < MOST_SAMPLED

    def take_text(self, host: str, text: str) -> Packed | None:
        """Return the text of a page as it is kept; None if it is not far inside by itself."""
        data = None if self._limit is None else pack_page(host, text, self._first, self._limit)
        return None if data is None else Packed(host, data)

    def keep(self, sample: Packed) -> None:
        """Count a page that is kept."""
        self._kept[sample.host] += 1

    def adopt(self, data: bytes, states: Mapping[str, HostState]) -> dict[str, HostState]:  # noqa: ARG002
        """Judge by the topic as it is with some texts, on the scale of the first."""
        if self._limit is None or data == self._adopted:
            return {}
        self._adopted, texts = data, unpack_texts(data)
        self._topic = refine(self._first, texts) if texts else self._first
        before, after = self._first.held_out, self._topic.held_out
        self._scale = before / after if before and after else 1.0
        return {}

    def _measure(self, seen: PageFeatures, first: Spans, last: Spans) -> Doubles:
        """Return the perplexity of the page, and behind it that of some ranges of its words."""
        firsts, lasts = np.append(np.int32(0), first), np.append(np.int32(seen.page_words), last)
        return self._scale * measure(self._topic.model, seen.words, firsts, lasts)

    def _order(self, seen: PageFeatures, rated: RatedLinks) -> JudgedPage:
        """Put links into buckets; images are as good as the page."""
        # The links of a page without words come last of those that are followed at all.
        links = np.where(np.isnan(rated.links), self._scoring.razor, rated.links)
        buckets = 1 + np.searchsorted(self._scoring.buckets, links)
        buckets[links > self._scoring.razor] = NOT_FOLLOWED
        scores = np.full(len(links), self._clock()) if self.is_queue else links
        page = rated.score
        relevance = 0.0 if page is None else self._relate(page)
        orders = Orders(buckets.astype(np.int8), scores, np.zeros(len(links)), rated.parts)
        value = self._scoring.razor if page is None else page
        images = order_alike(np.full(len(seen.images), self._clock() if self.is_queue else value))
        facts = page, rated.perplexity, rated.keyword_score
        return JudgedPage(*facts, relevance, prove(seen.page_words), orders, images, None)

    def _relate(self, page_score: float) -> float:
        """Return 1 for the best bucket, and from there down to 0 at the razor."""
        good, poor = (*self._scoring.buckets, self._scoring.razor)[0], self._scoring.razor
        if page_score <= good:
            return 1.0
        if page_score >= poor:
            return 0.0
        return log(poor / page_score) / log(poor / good) if good > 0 else 0.0


class FocusedByKeywords(Focused):
    """Links are weighed by the page's perplexity, that of their own text, and its keywords."""

    mode = "focused+keywords"
    is_queue = True  # the study's buckets are

    def rate_links(self, seen: PageFeatures) -> RatedLinks:
        """Score a page and the texts of its links by perplexity and keywords."""
        texts, scoring = seen.texts, self._scoring
        shown = (texts.text < len(seen.links)) & (texts.first < seen.page_words)
        shown &= texts.first < texts.last
        first, last, number = texts.first[shown], texts.last[shown], texts.text[shown]
        page, *_ = surprises = self._measure(seen, first, last)
        sums = np.append(0.0, np.cumsum(self._topic.keywords.weigh(seen.words[: seen.page_words])))
        sums /= self._topic.keywords.total or 1.0
        diluted = (sums[last] - sums[first]) / (last - first)
        told = weigh_links(page, surprises[1:], diluted, scoring)
        links = np.full(len(seen.links), page)
        np.fmin.at(links, number, told)  # the best of its places on the page
        shares = np.zeros(len(links))
        np.maximum.at(shares, number, diluted)
        parts = {"page": np.full(len(links), page), "keywords": shares, "score": links}
        if np.isnan(page):
            return RatedLinks(None, None, 0.0, links, parts)
        total = float(sums[seen.page_words])
        value = score.weigh(float(page), total, scoring)
        return RatedLinks(value, float(page), total, links, parts)


def weigh_links(
    page: float, texts: Doubles, keyword_scores: Doubles, options: score.ScoreOptions
) -> Doubles:
    """Return the scores of many links of a page, each as `score.weigh_link` has it."""
    is_telling = texts <= min(options.link_threshold, page)
    mixed = np.where(is_telling, options.page_share * page + options.link_share * texts, page)
    scores = mixed * (1 - options.keyword_factor * keyword_scores)
    return np.where(scores < 0, 1.0, scores)
