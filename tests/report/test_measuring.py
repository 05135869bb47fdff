"""Packages, shares and spreads against slow, obvious versions."""

import itertools
import math
from statistics import mean, stdev

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.web.report import PageLog, Run
from blickfang.web.report.measure_runs import (
    category_packages,
    choose_package,
    group_runs,
    on_topic_curves,
    perplexity_curves,
    perplexity_packages,
    share_so_far,
    whole_perplexity,
)
from tests.report.runs import make_log

PAGES = st.lists(
    st.tuples(st.integers(0, 30), st.floats(-90, -1), st.sampled_from([-1, 0, 1])), max_size=60
)


def to_log(pages: list[tuple[int, float, int]]) -> PageLog:
    sentences = np.array([count for count, _, _ in pages], np.int64)
    scored = sentences * 9
    logs = np.array([log if count else 0.0 for count, log, _ in pages], np.float64)
    topics = np.array([topic for _, _, topic in pages], np.int8)
    category = np.where(topics < 0, 2, topics).astype(np.int16)
    return PageLog(sentences, sentences * 8, logs, scored, topics, category, ("off", "on", "?"))


def slow_packages(pages: list[tuple[int, float, int]], size: int) -> list[float | None]:
    """Deal pages out one by one, as docs/report.md says."""
    packages: dict[int, list[tuple[int, float]]] = {}
    before = 0
    last = max(sum(count for count, _, _ in pages) - 1, 0) // size
    for count, log, _ in pages:
        packages.setdefault(min(before // size, last), []).append((count, log if count else 0.0))
        before += count
    found: list[float | None] = []
    for number in range(max(packages, default=-1) + 1):
        words = sum(9 * count for count, _ in packages.get(number, []))
        total = sum(log for _, log in packages.get(number, []))
        found.append(10 ** (-total / words) if words else None)
    ending = sum(count for count, _ in packages.get(len(found) - 1, []))
    if len(found) > 1 and ending < size / 2:
        found.pop()
    return found if before else []


@given(PAGES, st.integers(1, 80))
def test_packages_as_dealt_by_hand(pages: list[tuple[int, float, int]], size: int) -> None:
    found, slow = perplexity_packages(to_log(pages), size), slow_packages(pages, size)
    assert len(found) == len(slow)
    for one, other in zip(found, slow, strict=True):
        assert (one is None) == (other is None)
        assert one is None or one == pytest.approx(other)


@given(PAGES)
def test_share_so_far_as_counted_by_hand(pages: list[tuple[int, float, int]]) -> None:
    for at, share in enumerate(share_so_far(to_log(pages)), 1):
        known = [topic for _, _, topic in pages[:at] if topic >= 0]
        assert math.isnan(share) if not known else share == pytest.approx(sum(known) / len(known))


@given(PAGES, st.integers(1, 30))
def test_categories_lose_no_page(pages: list[tuple[int, float, int]], packages: int) -> None:
    log = to_log(pages)
    edges, counts = category_packages([log], packages)
    assert sum(map(sum, counts.values())) == len(pages)
    if pages:
        assert edges[0] == 0
        assert edges[-1] == len(pages)
        for at, (low, high) in enumerate(itertools.pairwise(edges)):
            some = pages[int(low) : int(high)]
            assert counts["on"][at] == sum(topic == 1 for _, _, topic in some)


@given(st.lists(st.integers(0, 10**9), max_size=5), st.integers(1, 50))
def test_packages_are_round_and_about_as_many_as_asked(totals: list[int], packages: int) -> None:
    size = choose_package(totals, packages)
    assert str(size).rstrip("0") in {"1", "2", "5"}
    assert max(totals, default=0) / size <= packages
    assert size == 1 or max(totals, default=0) / size > packages / 3


def test_runs_of_a_group_are_mean_and_deviation() -> None:
    runs = [Run(f"r{seed}", "g", pages=make_log(200, seed)) for seed in range(4)]
    curve, alone = on_topic_curves(group_runs([*runs, Run("x", pages=make_log(50, 9))]))
    at = int(curve.x[-1])
    shares = [share_so_far(run.pages)[at - 1] for run in runs]
    assert curve.y[-1] == pytest.approx(mean(shares))
    assert curve.low[-1] == pytest.approx(mean(shares) - stdev(shares))
    assert curve.high[-1] == pytest.approx(mean(shares) + stdev(shares))
    assert (alone.name, alone.low) == ("x", ())


def test_perplexity_of_a_group_is_the_geometric_mean() -> None:
    runs = [Run(f"r{seed}", "g", pages=make_log(200, seed)) for seed in range(3)]
    (curve,), size = perplexity_curves(group_runs(runs))
    first = [perplexity_packages(run.pages, size)[0] for run in runs]
    logs = [math.log(value) for value in first if value is not None]
    assert curve.y[0] == pytest.approx(math.exp(mean(logs)))
    assert curve.high[0] == pytest.approx(math.exp(mean(logs) + stdev(logs)))
    assert curve.x[0] == size


def test_nothing_is_measured_where_nothing_is() -> None:
    empty = Run("empty")
    assert perplexity_curves(group_runs([empty]))[0] == []
    assert on_topic_curves(group_runs([empty])) == []
    assert whole_perplexity(empty.pages) is None
