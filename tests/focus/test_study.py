"""The study's three crawls."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.crawl.focus import FocusOptions, PageFeatures, Strategy, make_strategy
from blickfang.crawl.focus.judged_values import NOT_FOLLOWED, Order
from blickfang.crawl.focus.perplexity import gather, measure
from blickfang.crawl.focus.thesis_modes import weigh_links
from blickfang.text import relevance
from tests.focus.pages import BIRD_PAGE, METAL_PAGE, know, look, words, write_page

KNOWLEDGE = know(with_topic=True)
MODEL = KNOWLEDGE.known_topic.model
positive = st.floats(1.0, 1e8)


def make(mode: str, scoring: relevance.ScoreOptions | None = None) -> Strategy:
    ticks = itertools.count()
    return make_strategy(mode, KNOWLEDGE, scoring, FocusOptions(), clock=lambda: float(next(ticks)))


def perplexity(text: str) -> float:
    hashes = words(text)
    return float(measure(MODEL, hashes, np.array([0]), np.array([len(hashes)]))[0])


@given(positive, st.lists(st.tuples(st.one_of(positive, st.just(math.nan)), st.floats(0, 2))))
def test_many_links_at_once_are_weighed_as_one(
    page: float, links: list[tuple[float, float]]
) -> None:
    options = relevance.ScoreOptions()
    texts, keywords = np.array([t for t, _ in links]), np.array([k for _, k in links])
    expected = [
        relevance.weigh_link(page, None if math.isnan(t) else t, k, options) for t, k in links
    ]
    assert weigh_links(page, texts, keywords, options).tolist() == expected


def test_the_link_of_the_study() -> None:
    texts, keywords = np.array([5.816842896896651]), np.array([0.01863814855281087])
    found = weigh_links(1.2596494866605083e7, texts, keywords, relevance.ScoreOptions())
    assert found[0] == pytest.approx(8324519.834708901, rel=1e-12)


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 9)), max_size=9))
def test_ranges_are_gathered(spans: list[tuple[int, int]]) -> None:
    first = np.array([a for a, _ in spans], np.int32)
    last = np.array([a + n for a, n in spans], np.int32)
    numbers, begins = gather(first, last)
    assert numbers.tolist() == [i for a, n in spans for i in range(a, a + n)]
    assert np.diff(begins).tolist() == [n for _, n in spans]


def test_parts_measured_together_are_as_if_alone() -> None:
    text = "the robin is a small bird that sings in the furnace of a kestrel"
    hashes = words(text)
    spans = [(0, len(hashes)), (1, 3), (4, 4), (5, 9)]
    first, last = (np.array(column, np.int32) for column in zip(*spans, strict=True))
    found = measure(MODEL, hashes, first, last)
    assert np.isnan(found[2])
    alone = [perplexity(" ".join(text.split()[a:b])) for a, b in spans if a < b]
    assert found[[0, 1, 3]].tolist() == alone


def test_unfocused_is_first_come_first_served() -> None:
    strategy = make("unfocused")
    first, second = (strategy.judge(look(page)) for page in (METAL_PAGE, BIRD_PAGE))
    assert max(first.links.scores) < min(second.links.scores)
    assert set(first.links.buckets) == {1}
    assert (first.score, first.perplexity, first.relevance, first.sample) == (
        None,
        None,
        None,
        None,
    )
    assert strategy.probe_every == 0


def test_focused_gives_all_links_the_perplexity_of_their_page() -> None:
    strategy = make("focused")
    birds, steel = strategy.judge(look(BIRD_PAGE)), strategy.judge(look(METAL_PAGE))
    assert birds.perplexity is not None
    assert birds.links.scores.tolist() == [birds.perplexity] * 3
    assert birds.score == birds.perplexity
    assert steel.perplexity is not None
    assert birds.perplexity < steel.perplexity
    assert strategy.host_order(None, Order(2, 5.0)) == (2, 5.0)  # type: ignore[arg-type]


def test_buckets_and_razor() -> None:
    page = make("focused").judge(look(BIRD_PAGE)).perplexity or 0.0
    for edges, razor, bucket in (
        ((page + 1,), 1e9, 1),
        ((page - 1, page + 1), 1e9, 2),
        ((1.0,), page - 0.1, NOT_FOLLOWED),
    ):
        judged = make("focused", relevance.ScoreOptions(buckets=edges, razor=razor)).judge(
            look(BIRD_PAGE)
        )
        assert set(judged.links.buckets.tolist()) == {bucket}
        assert judged.relevance is not None
        assert (judged.relevance >= 1.0) == (bucket == 1)


def expected_links(seen: PageFeatures, page: float, anchors: list[str]) -> list[float]:
    keywords = KNOWLEDGE.known_topic.keywords
    scores = []
    for anchor in anchors:
        diluted = relevance.dilute(keywords.score([anchor])[0], len(anchor.split()))
        text = perplexity(anchor) if anchor else None
        scores.append(relevance.weigh_link(page, text, diluted, relevance.ScoreOptions()))
    assert len(scores) == len(seen.links)
    return scores


def test_focused_by_keywords_is_the_formula() -> None:
    seen = look(BIRD_PAGE)
    judged = make("focused+keywords").judge(seen)
    assert judged.perplexity is not None
    assert judged.keyword_score is not None
    anchors = ["the nest of the bird", "about us", "robin bird nest"]
    expected = expected_links(seen, judged.perplexity, anchors)
    assert judged.links.parts["score"].tolist() == pytest.approx(expected)
    weighed = relevance.weigh(judged.perplexity, judged.keyword_score, relevance.ScoreOptions())
    assert judged.score == weighed


def test_of_several_places_of_a_link_the_best_counts() -> None:
    html = write_page(
        "Birds", '<p>the bird</p><a href="/x"></a><a href="/x">steel</a><a href="/x">bird</a>'
    )
    seen = look(html)
    judged = make("focused+keywords").judge(seen)
    single = [
        expected_links(seen, judged.perplexity or 0.0, [anchor])[0]
        for anchor in ("", "steel", "bird")
    ]
    assert judged.links.parts["score"].tolist() == pytest.approx([min(single)])


def test_buckets_of_the_study_are_queues() -> None:
    strategy = make("focused+keywords")
    first, second = strategy.judge(look(METAL_PAGE)), strategy.judge(look(BIRD_PAGE))
    assert max(first.links.scores) < min(second.links.scores)  # though it is worse


@pytest.mark.parametrize(
    ("mode", "place"), [("focused", relevance.ScoreOptions().razor), ("focused+keywords", 0.0)]
)
def test_a_page_without_words_is_followed_last(mode: str, place: float) -> None:
    judged = make(mode).judge(look(write_page("", '<a href="/x"></a>')))
    assert (judged.score, judged.perplexity, judged.relevance) == (None, None, 0.0)
    assert judged.links.scores.tolist() == [place]
    assert judged.links.buckets.tolist() == [4]
