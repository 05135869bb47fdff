"""What is known of a host."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.focus import hosts
from blickfang.focus.strategy import order_alike
from blickfang.focus.values import NEW_HOST, HostState, JudgedPage

shares = st.floats(0, 1)
NONE = order_alike(np.empty(0))


def judged(relevance: float, evidence: float) -> JudgedPage:
    return JudgedPage(relevance, None, None, relevance, evidence, NONE, NONE, None)


@given(st.lists(st.tuples(shares, shares)), shares)
def test_a_value_is_a_mean(pages: list[tuple[float, float]], prior: float) -> None:
    state = hosts.mention(NEW_HOST, prior)
    for relevance, evidence in pages:
        state = hosts.observe(state, judged(relevance, evidence))
    seen = [relevance for relevance, _ in pages]
    assert min([prior, *seen]) - 1e-9 <= hosts.value(state) <= max([prior, *seen]) + 1e-9
    assert state.pages == state.fetches == len(pages)


def test_the_best_mention_counts() -> None:
    state = hosts.mention(hosts.mention(NEW_HOST, 0.4), 0.2)
    assert state.prior == 0.4
    assert hosts.value(state) == 0.4


def test_pages_without_words_prove_nothing() -> None:
    state = hosts.observe(hosts.mention(NEW_HOST, 0.4), judged(0.0, hosts.prove(0)))
    assert hosts.value(state) == 0.4


def test_probes_end() -> None:
    assert hosts.wants_probe(NEW_HOST)
    assert not hosts.wants_probe(hosts.observe(NEW_HOST, judged(0.0, 0.9)))
    state = NEW_HOST
    for _ in range(3):
        assert hosts.wants_probe(state)
        state = hosts.observe_failure(state)
    assert not hosts.wants_probe(state)  # it only has errors to tell


@given(shares, shares, shares)
def test_a_new_scale_keeps_values_in_bounds(mean: float, before: float, after: float) -> None:
    state = HostState(4, 4, 3.0, 3.0 * mean, 0.1)
    moved = hosts.rescale(state, before, after)
    assert 0 <= moved.worth <= moved.evidence
    assert hosts.rescale(state, before, before).worth == pytest.approx(state.worth)
    assert hosts.rescale(NEW_HOST, before, after) == NEW_HOST


def test_hosts_hardly_known_get_a_bonus() -> None:
    poor = HostState(100, 100, 100.0, 5.0, 0.0)
    assert hosts.promise(NEW_HOST, 0.0, 0.04) > hosts.promise(poor, 0.0, 0.04) - 0.7 * 0.05
    assert hosts.promise(NEW_HOST, 0.0, 9.0) == hosts.MOST_NOVELTY
    assert hosts.promise(NEW_HOST, 0.0, 0.0) == hosts.LEAST_NOVELTY


def test_detours_are_for_hosts_that_good_links_promise_and_end() -> None:
    state = hosts.mention(HostState(), 0.2)
    assert not hosts.wants_detour(state, 2, 0.02)  # not yet a disappointment: that is a probe
    tried = []
    for _ in range(5):
        state = hosts.observe(state, judged(0.0, 1.0))
        tried.append(hosts.wants_detour(state, 2, 0.02))
    assert tried == [True, True, False, False, False]
    once = hosts.observe(hosts.mention(HostState(), 0.2), judged(0.0, 1.0))
    assert not hosts.wants_detour(once, 0, 0.02)  # off
    assert not hosts.wants_detour(once, 2, 0.2)  # what links promise is within the noise
    good = hosts.observe(hosts.mention(HostState(), 0.2), judged(0.9, 1.0))
    assert not hosts.wants_detour(good, 2, 0.02)  # it needs none
