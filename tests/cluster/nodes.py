"""A real cluster of two nodes on one machine: the second one has a network of its own, and does
not see one of its folders.

In: nothing but the right to make network namespaces (root on Linux) and the command `ip`. Out:
`Cluster`: where it is, what a driver needs in its environment, and how to kill the second node.
Everything that is started carries a mark in its environment and is ended by process id.
"""

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from blickfang.io.chromium import find_descendants

MARK = "BLICKFANG_TEST_CLUSTER"
STARTING_S = 240.0
HIDE = 'mount -t tmpfs none "$0" && exec "$@"'  # within the mounts that `ip netns exec` makes
PROBE = """
import ray, sys, logging
ray.init(address=sys.argv[1], log_to_driver=False, logging_level=logging.ERROR)
print(sum(node["Alive"] for node in ray.nodes()))
"""


def find_obstacle() -> str:
    """Return why there can be no cluster here, "" if nothing is in the way."""
    if sys.platform != "linux":
        return "network namespaces are a thing of Linux"
    if os.geteuid() != 0:
        return "only root may make a network namespace: run it as root, or in a container"
    if shutil.which("ip") is None:
        return "the command `ip` is missing: apt-get install iproute2"
    made = subprocess.run(["ip", "netns", "add", MARK], capture_output=True, check=False)
    subprocess.run(["ip", "netns", "del", MARK], capture_output=True, check=False)
    if made.returncode:
        return f"network namespaces cannot be made here: {made.stderr.decode().strip()}"
    return ""


def give_keys(store: str) -> dict[str, str]:
    """Return what the environment of those says who know an object store."""
    return {
        "AWS_ENDPOINT_URL": store,
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }


@dataclass(slots=True)
class Cluster:
    """Two nodes: the head on this machine's network, the other one in a network of its own."""

    name: str
    folder: Path
    here: str  # the address of this machine, as the second node sees it
    there: str
    port: int
    store_port: int  # where an object store may be started that all nodes have the keys of
    cpus: int
    started: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def hidden(self) -> Path:
        """A folder of this machine in which the second node sees nothing of ours."""
        return self.folder / "hidden"

    @property
    def address(self) -> str:
        """Where drivers connect to."""
        return f"{self.here}:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        """What a driver and all nodes need in their environment."""
        return {
            **os.environ,
            MARK: self.name,
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN_PATH": str(self.folder / "token"),
            "RAY_USAGE_STATS_ENABLED": "0",
            "RAY_DISABLE_IMPORT_WARNING": "1",
            **give_keys(f"http://{self.here}:{self.store_port}"),
        }

    def start_head(self) -> None:
        """Start the first node."""
        place = [f"--node-ip-address={self.here}", f"--port={self.port}", "--head"]
        self._start([*place, f"--temp-dir={self.folder}", "--include-dashboard=false"], [], "head")

    def start_second(self) -> None:
        """Start the second node, in its own network; again after it was killed."""
        place = [f"--address={self.address}", f"--node-ip-address={self.there}"]
        hiding = ["sh", "-c", HIDE, str(self.hidden)]
        self._start(place, ["ip", "netns", "exec", self.name, *hiding], "second")

    def _start(self, options: list[str], inside: list[str], name: str) -> None:
        ray = [sys.executable, "-m", "ray.scripts.scripts", "start", "--block"]
        more = [f"--num-cpus={self.cpus}", "--object-store-memory=100000000"]
        with (self.folder / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(
                [*inside, *ray, *more, *options],
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                cwd=self.folder,
            )
        self.started.append(process)

    def wait(self, nodes: int) -> None:
        """Wait until so many nodes are there; one that gave up on a busy machine starts again."""
        end = time.monotonic() + STARTING_S
        while time.monotonic() < end:
            if nodes > 1 and not self.processes_there():
                self.start_second()
            found = subprocess.run(
                [sys.executable, "-c", PROBE, self.address],
                env=self.environment,
                capture_output=True,
                text=True,
                check=False,
                timeout=STARTING_S,
            )
            if found.stdout.strip() == str(nodes):
                return
            time.sleep(0.5)
        logs = [path.read_text("utf-8")[-2000:] for path in sorted(self.folder.glob("*.log"))]
        raise TimeoutError("\n".join([*logs, found.stderr[-2000:]]))

    def processes_there(self) -> list[int]:
        """Return the processes of the second node."""
        found = subprocess.run(
            ["ip", "netns", "pids", self.name], capture_output=True, text=True, check=True
        )
        return [int(pid) for pid in found.stdout.split()]

    def kill_second(self) -> None:
        """Kill all of the second node at once, as a power cut would."""
        for pid in self.processes_there():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def marked(self) -> list[int]:
        """Return all processes that were started for this cluster, wherever they run."""
        mark = f"{MARK}={self.name}".encode()
        found = []
        for path in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if mark in (path / "environ").read_bytes().split(b"\0"):
                    found.append(int(path.name))
        return [pid for pid in found if pid != os.getpid()]

    def end(self) -> None:
        """End all its processes, by their numbers, and take its network down."""
        end = time.monotonic() + 20
        while (left := self.marked()) and time.monotonic() < end:
            # Ray's agents write their name over their environment: only their parents know them.
            agents = [child for pid in left for child in find_descendants(pid)]
            for pid in {*left, *agents}:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.1)
        for process in self.started:
            process.wait(10)
        subprocess.run(["ip", "netns", "del", self.name], check=False, capture_output=True)
        shutil.rmtree(self.folder, ignore_errors=True)


def link_networks(name: str, number: int) -> tuple[str, str]:
    """Make the network of the second node; return our address in it, and its own."""
    net = f"10.{200 + number // 64 % 50}.{number % 64 * 4}"
    here, there = f"{net}.1", f"{net}.2"
    inside = ["ip", "netns", "exec", name]
    outer, inner = f"bfo{number}", f"bfi{number}"
    for command in (
        ["ip", "netns", "add", name],
        ["ip", "link", "add", outer, "type", "veth", "peer", "name", inner],
        ["ip", "link", "set", inner, "netns", name],
        ["ip", "addr", "add", f"{here}/30", "dev", outer],
        ["ip", "link", "set", outer, "up"],
        [*inside, "ip", "addr", "add", f"{there}/30", "dev", inner],
        [*inside, "ip", "link", "set", inner, "up"],
        [*inside, "ip", "link", "set", "lo", "up"],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
    return here, there


def find_port(address: str) -> int:
    """Return a port that nobody uses."""
    with closing(socket.socket()) as probe:
        probe.bind((address, 0))
        return int(probe.getsockname()[1])


@contextmanager
def two_nodes(cpus: int = 1) -> Iterator[Cluster]:
    """Start a cluster of two nodes, and leave nothing of it behind."""
    number = os.getpid() % 3200
    name = f"blickfang-{number}"
    folder = Path(tempfile.mkdtemp(prefix="bf"))  # short: sockets have paths of 107 bytes at most
    (folder / "token").write_text(secrets.token_hex(32), "utf-8")
    cluster = Cluster(name, folder, "", "", 0, 0, cpus)
    cluster.hidden.mkdir()
    try:
        cluster.here, cluster.there = link_networks(name, number)
        cluster.port, cluster.store_port = find_port(cluster.here), find_port(cluster.here)
        cluster.start_head()
        cluster.wait(1)
        cluster.wait(2)
        yield cluster
    finally:
        cluster.end()


@contextmanager
def being(environment: Mapping[str, str]) -> Iterator[None]:
    """Have another environment, for drivers in this process."""
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(environment)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
