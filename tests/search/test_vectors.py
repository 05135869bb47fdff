"""The nearest vectors against sorting all cosines."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.corpus.search.nearest_vectors import (
    Vectors,
    nearest,
    open_vectors,
    unit,
    write_vectors,
)


def make_vectors(tmp: Path, rows: int, width: int, seed: int) -> Vectors:
    rng = np.random.default_rng(seed)
    folder = tmp / f"{rows}-{width}-{seed}"
    if not folder.exists():
        write_vectors(folder, rng.standard_normal((rows, width)).astype(np.float32))
    return open_vectors(folder)


@given(
    rows=st.integers(1, 300),
    width=st.integers(1, 70),
    limit=st.integers(1, 40),
    seed=st.integers(0, 9),
    masked=st.booleans(),
)
def test_the_nearest_are_found(
    tmp_path_factory: pytest.TempPathFactory,
    rows: int,
    width: int,
    limit: int,
    seed: int,
    masked: bool,
) -> None:
    vectors = make_vectors(tmp_path_factory.getbasetemp(), rows, width, seed)
    rng = np.random.default_rng(seed + 1)
    query = unit(rng.standard_normal(width).astype(np.float32))
    mask = rng.random(rows) < 0.5 if masked else None
    found = nearest(vectors, query, limit, mask)
    cosines = np.array(vectors.exact) @ query
    allowed = np.arange(rows) if mask is None else np.flatnonzero(mask)
    true = np.sort(cosines[allowed])[::-1][:limit]
    assert set(found.rows) <= set(allowed.tolist())
    assert len(set(found.rows.tolist())) == len(true)
    assert np.allclose(found.scores, true, atol=2e-2)
    assert np.allclose(found.scores, cosines[found.rows], atol=1e-5)
    assert (np.diff(found.scores) <= 0).all()


def test_far_from_the_edge_the_best_are_exact(tmp_path: Path) -> None:
    vectors = make_vectors(tmp_path, 20_000, 64, 1)
    rng = np.random.default_rng(5)
    for _ in range(20):
        query = unit(rng.standard_normal(64).astype(np.float32))
        true = np.argsort(-(np.array(vectors.exact) @ query), kind="stable")[:20]
        assert nearest(vectors, query, 20).rows.tolist() == true.tolist()


def test_equal_ones_come_in_the_order_of_rows(tmp_path: Path) -> None:
    same = np.tile(np.array([[1.0, 2.0], [2.0, 1.0]], np.float32), (200, 1))
    write_vectors(tmp_path / "v", same)
    found = nearest(open_vectors(tmp_path / "v"), same[0], 30)
    assert found.rows.tolist() == list(range(0, 60, 2))


def test_nothing_is_like_nothing(tmp_path: Path) -> None:
    write_vectors(tmp_path / "v", np.eye(3, dtype=np.float32))
    assert not len(nearest(open_vectors(tmp_path / "v"), np.zeros(3, np.float32), 5).rows)
    write_vectors(tmp_path / "empty", np.zeros((0, 3), np.float32))
    assert not len(nearest(open_vectors(tmp_path / "empty"), np.ones(3, np.float32), 5).rows)
