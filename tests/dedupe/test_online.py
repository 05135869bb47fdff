"""The index of a crawl: what it finds, keeps and forgets."""

import pickle

import numpy as np
import pytest
from numpy.typing import NDArray

from blickfang.dedupe import OnlineIndex, online_index
from blickfang.dedupe.minhash import sketch
from blickfang.dedupe.shingles import gather
from blickfang.text.words import Hashes
from tests.dedupe.texts import change, draw


def nibbles(row: Hashes) -> NDArray[np.uint8]:
    return np.bitwise_and(row.view(np.uint8), np.uint8(15))


def test_equals_asking_every_page() -> None:
    random = np.random.default_rng(1)
    originals = [draw(random, 200) for _ in range(100)]
    texts = [
        change(random, originals[random.integers(100)], int(random.integers(0, 5)))
        for _ in range(1500)
    ]
    index = OnlineIndex(0.9)
    kept: list[Hashes] = []
    missed = alike = 0
    for text in texts:
        row = sketch(gather([text]))[0]
        equal = [int((nibbles(row) == nibbles(other)).sum()) for other in kept]
        best = max(equal, default=0)
        seen = index.add(text)
        alike += best >= index.least
        if seen.new:
            assert seen.number == len(kept)
            missed += best >= index.least
            kept.append(row)
        else:
            assert equal[seen.number] >= index.least
            assert seen.similarity == pytest.approx((equal[seen.number] / 64 - 1 / 16) / (15 / 16))
            missed += equal[seen.number] < best
    assert len(index) == len(kept)
    assert alike > 500
    assert missed <= alike / 100


def test_unlike_pages_are_all_new_and_found_again() -> None:
    random = np.random.default_rng(2)
    texts = [draw(random, 50) for _ in range(5000)]
    index = OnlineIndex()
    assert [index.add(text).number for text in texts] == list(range(5000))
    again = pickle.loads(pickle.dumps(index))  # noqa: S301 -- our own
    for which in (index, again):
        assert [which.find(text) for text in texts] == [(n, 1.0, False) for n in range(5000)]
        assert which.find(draw(random, 50)) == (-1, 0.0, False)
        assert len(which) == 5000
    assert again.add(draw(random, 50)) == (5000, 0.0, True)


def test_an_empty_page_is_like_no_other() -> None:
    index = OnlineIndex()
    empty = np.empty(0, np.uint64)
    assert index.add(empty) == index.add(empty) == (-1, 0.0, False)
    assert len(index) == 0
    assert index.add(np.ones(1, np.uint64)).new
    assert not index.add(np.ones(1, np.uint64)).new


def test_a_band_that_many_share_takes_no_longer() -> None:
    """A template: one band is equal on thousands of pages that are not alike."""
    random = np.random.default_rng(3)
    rows = random.integers(0, 2**64, (4000, 8), np.uint64)
    rows[:, 3] = 42
    index = OnlineIndex()
    assert all(index.see_sketch(row).new for row in rows)
    assert 4000 - online_index.CROWD * 2 < index.crowded <= 4000 - online_index.CROWD + 20
    assert [index.see_sketch(row).number for row in rows] == list(range(4000))


def test_how_much_room_it_takes() -> None:
    random = np.random.default_rng(4)
    index = OnlineIndex()
    for row in random.integers(0, 2**64, (20_000, 8), np.uint64):
        index.see_sketch(row)
    assert index.sketches.nbytes <= 32 * 20_000 * 1.5
    assert index.slots.nbytes <= 80 * 20_000


def test_a_full_index_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(online_index, "MOST_PAGES", 1100)
    index = OnlineIndex()
    rows = np.random.default_rng(5).integers(0, 2**64, (3000, 8), np.uint64)
    with pytest.raises(OverflowError, match="1,100"):
        list(map(index.see_sketch, rows))
    assert len(index) >= 1000
