"""The cluster itself: two nodes that see each other, and one that can be killed and come back."""

import subprocess
import sys

from tests.cluster.nodes import Cluster

WHERE = """
import logging, sys, ray
ray.init(address=sys.argv[1], log_to_driver=False, logging_level=logging.ERROR)

@ray.remote(num_cpus=1, scheduling_strategy="SPREAD")
def where():
    import time
    time.sleep(1)
    return ray.util.get_node_ip_address()

print(*sorted(ray.get([where.remote(), where.remote()])))
"""


def test_work_is_done_on_both_nodes(both_nodes: Cluster) -> None:
    found = subprocess.run(
        [sys.executable, "-c", WHERE, both_nodes.address],
        env=both_nodes.environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert found.stdout.split() == sorted([both_nodes.here, both_nodes.there])
