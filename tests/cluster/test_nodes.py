"""The cluster itself: two nodes that see each other, and one that can be killed and come back."""

import subprocess
import sys

from tests.cluster.nodes import Cluster

WHERE = """
import logging, os, sys, ray
ray.init(address=sys.argv[1], log_to_driver=False, logging_level=logging.ERROR)

@ray.remote(num_cpus=1, scheduling_strategy="SPREAD")
def where(path):
    import time
    time.sleep(1)
    return f"{ray.util.get_node_ip_address()} {os.path.exists(path)}"

print(*sorted(ray.get([where.remote(sys.argv[2]), where.remote(sys.argv[2])])))
"""


def test_work_is_done_on_both_nodes_which_share_no_folder(both_nodes: Cluster) -> None:
    sign = both_nodes.hidden / "sign"
    sign.touch()
    found = subprocess.run(
        [sys.executable, "-c", WHERE, both_nodes.address, str(sign)],
        env=both_nodes.environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert found.stdout.split() == [both_nodes.here, "True", both_nodes.there, "False"]
