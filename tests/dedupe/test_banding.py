"""Bands: long and few where texts are nearly the same, short and many where they share half."""

import numpy as np
import pytest

from blickfang.dedupe import find_near_duplicates
from blickfang.dedupe.banding import (
    LEAST_THRESHOLD,
    MOST_BANDS,
    add_bands,
    choose_bands,
    count_bands,
    expect_recall,
    least_equal,
    take_band,
)
from tests.dedupe.texts import draw, exact_pairs, overlapping


@pytest.mark.parametrize("threshold", [0.4, 0.5, 0.6, 0.7, 0.8, 0.9])
def test_nearly_all_that_share_the_threshold_and_nothing_else(threshold: float) -> None:
    random = np.random.default_rng(10)
    texts, hashes = overlapping(random, threshold, 1000), draw(random, 10**7)
    truth = exact_pairs(texts, threshold)
    found = find_near_duplicates([hashes[text] for text in texts], threshold)
    pairs = dict(zip(map(tuple, found.pairs.tolist()), found.jaccards.tolist(), strict=True))
    assert pairs.items() <= truth.items()
    assert len(pairs) >= 0.985 * len(truth) > 600
    assert found.candidates < 1200, "hardly any that are not alike"
    assert found.left_out == 0


def test_the_default_is_the_square_of_the_sketch() -> None:
    rows = draw(np.random.default_rng(1), 80).reshape(10, 8)
    square = rows.view(np.uint8).reshape(10, 8, 8)
    columns = np.ascontiguousarray(square.transpose(0, 2, 1)).view(np.uint64)[:, :, 0]
    for threshold in (0.89, 0.9, 1.0):
        found = add_bands(rows, choose_bands(threshold))
        assert np.array_equal(found, np.concatenate([rows, rows, columns], axis=1))


@pytest.mark.parametrize("threshold", [0.4, 0.5, 0.7, 0.75, 0.8, 0.9])
def test_bands_are_bytes_of_the_sketch(threshold: float) -> None:
    rows = draw(np.random.default_rng(2), 8 * 5000).reshape(5000, 8)
    bands, data = choose_bands(threshold), rows.view(np.uint8)
    assert np.array_equal(bands, choose_bands(threshold)), "the same every time"
    found, some = add_bands(rows, bands), np.array([4999, 0, 17])
    assert len(add_bands(rows[:0], bands)) == 0
    for number, band in enumerate(bands):
        assert len(set(band.tolist())) == len(band)
        expected = [int.from_bytes(bytes(data[row, band].tolist()), "little") for row in some]
        assert found[some, 8 + number].tolist() == expected
        assert take_band(rows, some, band).tolist() == expected


def test_what_is_expected_of_bands() -> None:
    for threshold in np.linspace(LEAST_THRESHOLD, 1, 121).tolist():
        width, count = count_bands(threshold)
        assert width >= 2, "a byte agrees in too many"
        assert 1 <= count <= MOST_BANDS
        assert expect_recall(threshold, width, count) >= 0.99
    assert expect_recall(0.5, 8, 16) < 0.1, "the bands of the default find nearly none of these"


def test_the_sketch_is_believed_within_its_luck() -> None:
    assert least_equal(1.0) == 64
    assert 44 <= least_equal(0.9) <= 50
    assert least_equal(0.1) == 0
