"""What is known of a host."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.crawl.focus import host_order
from blickfang.crawl.focus.judged_values import NEW_HOST, HostState, JudgedPage
from blickfang.crawl.focus.strategy import order_alike

shares = st.floats(0, 1)
NONE = order_alike(np.empty(0))


def judged(relevance: float, evidence: float) -> JudgedPage:
    return JudgedPage(relevance, None, None, relevance, evidence, NONE, NONE, None)


@given(st.lists(st.tuples(shares, shares)), shares)
def test_a_value_is_a_mean(pages: list[tuple[float, float]], prior: float) -> None:
    state = host_order.mention(NEW_HOST, prior)
    for relevance, evidence in pages:
        state = host_order.observe(state, judged(relevance, evidence))
    seen = [relevance for relevance, _ in pages]
    assert min([prior, *seen]) - 1e-9 <= host_order.value(state) <= max([prior, *seen]) + 1e-9
    assert state.pages == state.fetches == len(pages)


def test_the_best_mention_counts() -> None:
    state = host_order.mention(host_order.mention(NEW_HOST, 0.4), 0.2)
    assert state.prior == 0.4
    assert host_order.value(state) == 0.4


def test_pages_without_words_prove_nothing() -> None:
    state = host_order.observe(host_order.mention(NEW_HOST, 0.4), judged(0.0, host_order.prove(0)))
    assert host_order.value(state) == 0.4


def test_probes_end() -> None:
    assert host_order.wants_probe(NEW_HOST)
    assert not host_order.wants_probe(host_order.observe(NEW_HOST, judged(0.0, 0.9)))
    state = NEW_HOST
    for _ in range(3):
        assert host_order.wants_probe(state)
        state = host_order.observe_failure(state)
    assert not host_order.wants_probe(state)  # it only has errors to tell


@given(shares, shares, shares)
def test_a_new_scale_keeps_values_in_bounds(mean: float, before: float, after: float) -> None:
    state = HostState(4, 4, 3.0, 3.0 * mean, 0.1)
    moved = host_order.rescale(state, before, after)
    assert 0 <= moved.worth <= moved.evidence
    assert host_order.rescale(state, before, before).worth == pytest.approx(state.worth)
    assert host_order.rescale(NEW_HOST, before, after) == NEW_HOST


def test_hosts_hardly_known_get_a_bonus() -> None:
    poor = HostState(100, 100, 100.0, 5.0, 0.0)
    assert (
        host_order.promise(NEW_HOST, 0.0, 0.04) > host_order.promise(poor, 0.0, 0.04) - 0.7 * 0.05
    )
    assert host_order.promise(NEW_HOST, 0.0, 9.0) == host_order.MOST_NOVELTY
    assert host_order.promise(NEW_HOST, 0.0, 0.0) == host_order.LEAST_NOVELTY


def test_detours_are_for_hosts_that_good_links_promise_and_end() -> None:
    state = host_order.mention(HostState(), 0.2)
    assert not host_order.wants_detour(state, 2, 0.02)  # not yet a disappointment: that is a probe
    tried = []
    for _ in range(5):
        state = host_order.observe(state, judged(0.0, 1.0))
        tried.append(host_order.wants_detour(state, 2, 0.02))
    assert tried == [True, True, False, False, False]
    once = host_order.observe(host_order.mention(HostState(), 0.2), judged(0.0, 1.0))
    assert not host_order.wants_detour(once, 0, 0.02)  # off
    assert not host_order.wants_detour(once, 2, 0.2)  # what links promise is within the noise
    good = host_order.observe(host_order.mention(HostState(), 0.2), judged(0.9, 1.0))
    assert not host_order.wants_detour(good, 2, 0.02)  # it needs none
