"""Archives and corpora in an object store: a real server of the S3 protocol on loopback."""

import http.server
import os
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.cluster.nodes import Cluster, find_port, give_keys
from tests.cluster.test_batch import contents, copy, make_archives
from tests.samples.archives import make_collection

EXPIRED = b"""<?xml version="1.0" encoding="UTF-8"?><Error><Code>ExpiredToken</Code>
<Message>The provided token has expired.</Message></Error>"""


@contextmanager
def moto(host: str = "127.0.0.1", port: int = 0, **environment: str) -> Iterator[str]:
    """Run a server of the S3 protocol; give its address."""
    port = port or find_port(host)
    command = [sys.executable, "-m", "moto.server", "-H", host, "-p", str(port)]
    server = subprocess.Popen(
        command,
        env=os.environ | environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://{host}:{port}"
    try:
        for _ in range(600):
            with suppress(OSError), urllib.request.urlopen(f"{address}/moto-api/", timeout=2):  # noqa: S310
                break
            assert server.poll() is None
            time.sleep(0.1)
        yield address
    finally:
        server.kill()
        server.wait()


@pytest.fixture(scope="module")
def store() -> Iterator[str]:
    with moto() as address:
        yield address


def credentials(address: str) -> dict[str, str]:
    return os.environ | give_keys(address)


def blickfang(env: dict[str, str], *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "blickfang", *command],
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )


def store_files(address: str, bucket: str, files: list[Path]) -> None:
    import s3fs

    env = credentials(address)
    key, secret = env["AWS_ACCESS_KEY_ID"], env["AWS_SECRET_ACCESS_KEY"]
    fs = s3fs.S3FileSystem(key=key, secret=secret, endpoint_url=address)
    fs.mkdir(bucket)
    for file in files:
        fs.put_file(str(file), f"{bucket}/warcs/{file.name}")


def take_out(address: str, bucket: str, target: Path) -> Path:
    import s3fs

    env = credentials(address)
    key, secret = env["AWS_ACCESS_KEY_ID"], env["AWS_SECRET_ACCESS_KEY"]
    fs = s3fs.S3FileSystem(key=key, secret=secret, endpoint_url=address)
    fs.get(f"{bucket}/", str(target), recursive=True)
    return target


def build_from_store_to_store(store: str, folder: Path, env: dict[str, str], *more: str) -> None:
    """Build from files, and from the same archives in a store into the store: equal corpora."""
    here, there = folder / "a" / "towers", folder / "b" / "towers"
    here.mkdir(parents=True)
    there.parent.mkdir()
    make_collection(here)
    make_archives(here, 3, 40)
    files = sorted(here.glob("*.warc.gz"))
    store_files(store, "bucket", files)
    made = blickfang(credentials(store), "build", str(here))
    assert made.returncode == 0, made.stderr
    copy(here, there)
    for path in there.glob("*.warc.gz"):
        path.unlink()
    (there / "my.paths").write_text("\n".join(f"warcs/{file.name}" for file in files))
    (there / "removals.txt").write_text("taken.test\n")
    given = ["--archives", str(there / "my.paths"), "--prefix", "s3://bucket"]
    made = blickfang(env, "build", str(there), *given, "--out", "s3://bucket/out", *more)
    assert made.returncode == 0, made.stderr
    assert contents(here / "corpus") == contents(there / "corpus")
    found = take_out(store, "bucket/out", folder / "out")
    assert (found / "removals.txt").read_text() == "taken.test\n"
    (found / "removals.txt").unlink()
    assert contents(found) == contents(here / "corpus")
    assert made.stdout.rstrip().endswith("s3://bucket/out")


def test_from_a_store_into_a_store(store: str, tmp_path: Path) -> None:
    build_from_store_to_store(store, tmp_path, credentials(store))


def test_from_a_store_into_a_store_by_a_cluster_that_shares_no_disk(both_nodes: Cluster) -> None:
    asked = ("--engine", "ray", "--address", both_nodes.address)
    folder = both_nodes.hidden / "stored"
    with moto(both_nodes.here, both_nodes.store_port) as store:
        build_from_store_to_store(store, folder, both_nodes.environment, *asked)


def test_a_list_in_a_store_and_rows_into_it(store: str, tmp_path: Path) -> None:
    root = tmp_path / "towers"
    make_collection(root)
    make_archives(root, 2, 5)
    (root / "blickfang.toml").write_text('[crawl]\nmode = "unfocused"\n')
    (root / "warc.paths").write_text("warcs/000.warc.gz\nwarcs/001.warc.gz\n")
    store_files(store, "rows", [*root.glob("*.warc.gz"), root / "warc.paths"])
    command = ["read", str(root), "s3://rows/warcs/warc.paths", "-o", "s3://rows/out"]
    made = blickfang(credentials(store), *command)
    assert made.returncode == 0, made.stderr
    assert "10 pages read" in made.stderr
    assert len(contents(take_out(store, "rows/out", tmp_path / "out"))) == 2
    again = blickfang(credentials(store), *command)
    assert "2 archives were read before" in again.stderr
    assert "0 pages read, 0 records" in again.stderr


class Expired(http.server.BaseHTTPRequestHandler):
    """Answers as S3 does when the time of credentials is over."""

    def do_GET(self) -> None:
        self.send_response(400)
        self.send_header("Content-Type", "application/xml")
        self.send_header("Content-Length", str(len(EXPIRED)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(EXPIRED)

    do_HEAD = do_GET  # noqa: N815

    def log_message(self, *_: object) -> None:
        pass


def say(env: dict[str, str], root: Path, place: str) -> str:
    """Return the one sentence that a build ends with."""
    if not (root / "blickfang.toml").exists():
        make_collection(root)
    made = blickfang(env, "build", str(root), "--archives", place)
    assert made.returncode in (1, 4), made.stderr
    lines = [line for line in made.stderr.splitlines() if not line.startswith("compiling")]
    assert len(lines) == 1, made.stderr
    assert lines[0].startswith("error: ")
    return lines[0]


def test_every_trouble_is_one_sentence(store: str, tmp_path: Path) -> None:
    env = credentials(store)
    assert "no such bucket: s3://nowhere" in say(env, tmp_path, "s3://nowhere/*.warc.gz")
    assert "no such bucket: s3://nowhere" in say(env, tmp_path, "s3://nowhere/a.warc.gz")
    nobody = credentials("http://127.0.0.1:9")
    assert "cannot be reached" in say(nobody, tmp_path, "s3://bucket/a.warc.gz")
    bare = {k: v for k, v in env.items() if not k.startswith("AWS_") or "REGION" in k}
    bare |= {"AWS_ENDPOINT_URL": store, "AWS_EC2_METADATA_DISABLED": "true", "HOME": str(tmp_path)}
    assert "there are no credentials" in say(bare, tmp_path, "s3://bucket/a.warc.gz")


def test_credentials_that_are_refused(tmp_path: Path) -> None:
    with moto(INITIAL_NO_AUTH_ACTION_COUNT="0") as address:
        told = say(credentials(address), tmp_path, "s3://bucket/*.warc.gz")
    assert "refuses our credentials" in told


def test_credentials_that_have_expired(tmp_path: Path) -> None:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Expired)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    env = credentials(f"http://127.0.0.1:{server.server_address[1]}")
    told = say(env, tmp_path, "s3://bucket/*.warc.gz")
    server.shutdown()
    server.server_close()
    assert "have expired; renew them" in told
