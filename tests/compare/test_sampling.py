"""Extrapolation: the interval holds what it promises, on segments of any size."""

import math

import numpy as np
import pytest

from blickfang.dedupe.compare.segments import choose_segments, extrapolate, student


@pytest.mark.parametrize("drawn", [8, 20, 45])
def test_interval_covers_the_truth_in_simulation(drawn: int) -> None:
    random = np.random.default_rng(drawn)
    inside, errors, segments = 0, [], 60
    runs = 400
    for _ in range(runs):
        sizes = random.integers(500, 3000, segments).astype(float)
        rates = random.beta(4, 12, segments)  # segments differ, as hosts and crawl order make them
        counts = random.binomial(sizes.astype(int), rates).astype(float)
        chosen = choose_segments(segments, drawn, int(random.integers(0, 2**31)))
        found = extrapolate(counts[chosen], sizes[chosen], sizes.sum(), segments)
        assert found.low is not None
        assert found.high is not None
        inside += found.low <= counts.sum() <= found.high
        errors.append(found.value / counts.sum() - 1)
    assert 0.91 <= inside / runs <= 0.99, "95 %, but for chance"
    assert abs(float(np.mean(errors))) < 0.02, "no bias to speak of"


def test_edges() -> None:
    whole = extrapolate([3, 4], [10, 10], 20, 2)
    assert whole == (7, 7, 7)
    one = extrapolate([3], [10], 100, 10)
    assert one == (30, None, None)
    assert extrapolate([], [], 100, 10).low is None
    assert extrapolate([5, 0], [10, 10], 40, 4).low == 5, "never below what was counted"


def test_that_nothing_was_found_is_no_proof() -> None:
    nothing = extrapolate([0] * 20, [10] * 20, 10_000, 1000)
    assert (nothing.value, nothing.low) == (0, 0)
    exact = math.log(0.025) / math.log(1 - 0.02)  # so many, and 2.5 % of the draws show none
    assert nothing.high == pytest.approx(exact, rel=0.01)
    same = extrapolate([1, 2, 3], [10, 20, 30], 600, 30)  # counts as sizes have it: no spread
    assert same.value == pytest.approx(60)
    assert (same.low, same.high) == pytest.approx((23, 127), abs=2), "as 6 of a Poisson have it"
    assert extrapolate([0, 0], [10, 10], 20, 3) == (0, 0, 0), "what was not drawn has no size"


@pytest.mark.parametrize(("segments", "drawn"), [(300, 20), (20, 10), (10, 7)])
@pytest.mark.parametrize("total", [1, 3, 10, 40, 400])
def test_interval_covers_few_pairs_in_simulation(segments: int, drawn: int, total: int) -> None:
    random = np.random.default_rng(total)
    inside, runs = 0, 400
    for _ in range(runs):
        counts = np.bincount(random.integers(0, segments, total), minlength=segments)
        chosen = random.choice(segments, drawn, replace=False)
        found = extrapolate(counts[chosen].tolist(), [5] * drawn, 5 * segments, segments)
        assert found.low is not None
        assert found.high is not None
        inside += found.low <= total <= found.high
    assert inside / runs >= 0.94, "95 %, but for chance"


def test_draws_are_the_same_for_a_seed_and_without_repetition() -> None:
    assert choose_segments(1000, 50, 3) == choose_segments(1000, 50, 3)
    assert choose_segments(1000, 50, 3) != choose_segments(1000, 50, 4)
    assert len(set(choose_segments(1000, 50, 3))) == 50
    assert choose_segments(5, 9, 1) == list(range(5))


def test_student() -> None:
    assert student(1) == 12.706
    assert student(40) == pytest.approx(2.0211, abs=2e-4)
    assert student(1000) == pytest.approx(1.9623, abs=2e-4)
