"""Products and factors of the joint matrix, against the dense ones of numpy."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from blickfang.corpus.search.nearest_vectors import Floats
from blickfang.corpus.search.semantic_index import Joint, find_factors, times, transposed_times


def make_joint(rows: int, known: int, width: int, seed: int) -> tuple[Joint, Floats]:
    """Return a random joint matrix, and the same as a dense one."""
    rng = np.random.default_rng(seed)
    dense = rng.random((rows, known)) * (rng.random((rows, known)) < 0.3)
    looks = rng.standard_normal((rows, width)).astype(np.float32)
    at = np.nonzero(dense)
    starts = np.concatenate(([0], np.cumsum(np.count_nonzero(dense, axis=1))))
    weights = dense[at].astype(np.float32)
    joint = Joint(starts, at[1].astype(np.int32), weights, known, looks)
    return joint, np.hstack([dense.astype(np.float32), looks])


@given(st.integers(1, 20), st.integers(1, 20), st.integers(0, 6), st.integers(0, 99))
def test_products(rows: int, known: int, width: int, seed: int) -> None:
    joint, dense = make_joint(rows, known, width, seed)
    rng = np.random.default_rng(seed)
    right = rng.standard_normal((known + width, 5)).astype(np.float32)
    left = rng.standard_normal((rows, 5)).astype(np.float32)
    assert np.allclose(times(joint, right), dense @ right, atol=1e-4)
    assert np.allclose(transposed_times(joint, left), dense.T @ left, atol=1e-4)


def test_factors_are_singular_vectors() -> None:
    joint, dense = make_joint(120, 60, 10, 3)
    factors = find_factors(joint, 8)
    true = np.linalg.svd(dense, full_matrices=False)[2][:8]
    assert factors.shape == (70, 8)
    assert np.allclose(factors.T @ factors, np.eye(8), atol=1e-3)
    kept = np.linalg.norm(dense @ factors) / np.linalg.norm(dense @ true.T)
    assert kept > 0.995
    assert abs(float(factors[:, 0] @ true[0])) > 0.999
    assert np.array_equal(factors, find_factors(joint, 8))


def test_no_more_factors_than_there_are() -> None:
    joint, _ = make_joint(3, 40, 0, 1)
    assert find_factors(joint, 20).shape[1] <= 3
    empty, _ = make_joint(0, 4, 2, 1)
    assert find_factors(empty, 20).shape == (6, 0)
