"""The verb on a real Ray: as on one machine, and what is said where versions differ."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cluster.nodes import MARK, Cluster

ROOT = Path(__file__).parent.parent.parent
CODE = """
import json, sys
from blickfang.compute import EngineOptions, LostTask, each
from tests.cluster import test_engine as tasks

task, things, address, in_order = json.loads(sys.argv[1])
where = EngineOptions("ray", address)
for found in each(getattr(tasks, task), things, 0, where, in_order=in_order):
    print(json.dumps(["lost", found.thing] if isinstance(found, LostTask) else found), flush=True)
"""
OTHER = """
import json, sys
from ray._raylet import GcsClient
from blickfang.compute.ray_pool import connect

gcs = GcsClient(address=sys.argv[1])
told = gcs.internal_kv_get(b"CLUSTER_METADATA", b"cluster", timeout=10)
changed = json.dumps(json.loads(told) | {"ray_version": "1.0.0"}).encode()
gcs.internal_kv_put(b"CLUSTER_METADATA", changed, True, b"cluster", timeout=10)
try:
    connect(sys.argv[1])
except Exception as error:
    print(f"{type(error).__name__}: {error}")
finally:
    gcs.internal_kv_put(b"CLUSTER_METADATA", told, True, b"cluster", timeout=10)
"""


def double(number: int) -> int:
    return 2 * number


def die_of_13(number: int) -> int:
    if number == 13:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def refuse_7(number: int) -> int:
    if number == 7:
        raise ValueError("seven")
    return number


def dawdle(number: int) -> list[object]:
    """Sleep for long on the first try of the last thing; say whether it was the first."""
    mark = Path("/var/tmp") / f"dawdle-{os.environ[MARK]}-{number}"  # noqa: S108
    first = not mark.exists() and number == 9
    if first:
        mark.touch()
        time.sleep(100)
    mark.unlink(missing_ok=True)
    time.sleep(0.2)
    return [number, first]


def carry(
    cluster: Cluster, task: str, things: list[int], *, in_order: bool = True
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", CODE, json.dumps([task, things, cluster.address, in_order])],
        env=cluster.environment | {"PYTHONPATH": str(ROOT)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )


def lines(done: subprocess.CompletedProcess[str]) -> list[object]:
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("in_order", [True, False])
def test_results_come_in_order_or_as_they_come(both_nodes: Cluster, in_order: bool) -> None:
    found = lines(carry(both_nodes, "double", list(range(500)), in_order=in_order))
    assert (found if in_order else sorted(map(int, map(str, found)))) == list(range(0, 1000, 2))


def test_what_kills_its_workers_is_lost_and_the_others_arrive(both_nodes: Cluster) -> None:
    done = carry(both_nodes, "die_of_13", list(range(20)))
    assert lines(done) == [["lost", 13] if n == 13 else n for n in range(20)], done.stderr


def test_mistakes_come_through(both_nodes: Cluster) -> None:
    done = carry(both_nodes, "refuse_7", list(range(1000)))
    assert lines(done) == list(range(7))
    assert "ValueError: seven" in done.stderr


def test_what_takes_too_long_is_begun_again(both_nodes: Cluster) -> None:
    begun = time.monotonic()
    found = lines(carry(both_nodes, "dawdle", list(range(10))))
    assert found == [[number, False] for number in range(10)]
    assert time.monotonic() - begun < 100


def test_other_versions_are_named(both_nodes: Cluster) -> None:
    done = subprocess.run(
        [sys.executable, "-c", OTHER, both_nodes.address],
        env=both_nodes.environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert "SettingsError: the Ray cluster at" in done.stdout, done.stderr
    assert "has other versions (Ray: 1.0.0" in done.stdout
    assert "install the same on all" in done.stdout


def test_a_wrong_token_is_named(both_nodes: Cluster, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("0" * 64)
    code = f"from blickfang.compute import connect; connect({both_nodes.address!r})"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=both_nodes.environment | {"RAY_AUTH_TOKEN_PATH": str(tmp_path / "token")},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert "SettingsError: the Ray cluster at" in done.stderr
    assert "refuses our token" in done.stderr
