"""The cluster of the tests; one for all of them, for it takes long to start."""

import os
from collections.abc import Iterator

import pytest

from tests.cluster.nodes import Cluster, find_obstacle, two_nodes


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """Give a cluster of two nodes with a core each; both are there again for each test."""
    obstacle = find_obstacle()
    if obstacle and os.environ.get("BLICKFANG_CLUSTER") == "skip":
        pytest.skip(obstacle)
    if obstacle:
        pytest.fail(f"{obstacle}; BLICKFANG_CLUSTER=skip leaves these tests out", pytrace=False)
    with two_nodes() as found:
        yield found


@pytest.fixture
def both_nodes(cluster: Cluster) -> Cluster:
    """Give the cluster with its second node alive, which a test before may have killed."""
    cluster.wait(2)
    return cluster
