"""Shards saved to a real server of the S3 protocol, on loopback."""

import os
from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest
from moto.server import ThreadedMotoServer

from blickfang.crawl.state.checkpoint import Keeper
from blickfang.crawl.state.checkpoint_store import CheckpointStore, read_position
from blickfang.errors import SettingsError
from tests.cluster.nodes import being
from tests.crawl.test_restoring import save_something

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")


@pytest.fixture
def bucket() -> Iterator[str]:
    """Give a bucket."""
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    access = {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    with being({**os.environ, **access}):
        boto3.client("s3").create_bucket(Bucket="shelf")
        yield "s3://shelf/birds"
    server.stop()


def test_a_shard_comes_back_from_an_object_store(bucket: str, tmp_path: Path) -> None:
    shelf = CheckpointStore(bucket)
    shelf.check()
    save_something(shelf, tmp_path / "work")
    shelf.put(0, tmp_path / "work" / "state.sqlite", "crawl-00-00002.warc.gz")
    again = Keeper(shelf, 0, tmp_path / "elsewhere")
    again.pool.shutdown()
    assert again.epoch == 2
    position = read_position(tmp_path / "elsewhere" / "state.sqlite")
    assert position == ("crawl-00-00001.warc.gz", 10)
    assert shelf.list_shards() == [0]
    assert shelf.fetch_state(0, tmp_path / "home")
    shelf.fetch_archives(0, tmp_path / "home")
    sizes = {path.name: path.stat().st_size for path in (tmp_path / "home").glob("*.gz")}
    assert sizes == {"crawl-00-00000.warc.gz": 4, "crawl-00-00001.warc.gz": 10}


def test_a_bucket_that_is_not_there_is_said_to_be_missing(bucket: str) -> None:
    with pytest.raises(SettingsError, match="cannot write to the store s3://nobodys"):
        CheckpointStore(bucket.replace("shelf", "nobodys")).check()
