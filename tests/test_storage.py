"""Files that lie elsewhere: what is fetched, and what is said when that cannot be."""

import http.server
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from blickfang.errors import BlickfangError, InputError, SettingsError
from blickfang.io import storage


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """Give a folder, and the address at which a real server shows it."""
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path))
    )
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield tmp_path, f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def test_a_file_of_the_web_is_copied_and_the_copy_goes(served: tuple[Path, str]) -> None:
    folder, address = served
    (folder / "a.warc.gz").write_bytes(b"x" * 10_000_000)
    with storage.fetching(f"{address}/a.warc.gz") as path:
        assert path.name == "a.warc.gz"
        assert path.read_bytes() == b"x" * 10_000_000
    assert not path.exists()
    assert storage.inspect(f"{address}/a.warc.gz").size == 10_000_000


def test_what_is_too_large_or_not_there(served: tuple[Path, str]) -> None:
    folder, address = served
    (folder / "a").write_bytes(b"x" * 100)
    with (
        pytest.raises(InputError, match="larger than 99 bytes"),
        storage.fetching(f"{address}/a", 99),
    ):
        pass
    with pytest.raises(InputError, match="larger than 99 bytes"):
        storage.read_bytes(folder / "a", 99)
    with pytest.raises(InputError, match="there is no http"):
        storage.inspect(f"{address}/b")
    states = storage.inspect_all([f"{address}/b", f"{address}/a", folder / "c"])
    assert [isinstance(state, storage.FileState) for state in states] == [False, True, False]


def test_a_server_that_gives_no_parts_is_noticed(served: tuple[Path, str]) -> None:
    folder, address = served
    (folder / "a").write_bytes(b"0123456789")
    with pytest.raises(InputError, match="no parts of files"):
        storage.read_range(f"{address}/a", 2, 3)  # http.server knows no ranges


def test_nobody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "PAUSE_S", 0.0)
    with pytest.raises(BlickfangError, match=r"cannot be reached.*run it again"):
        storage.inspect("http://127.0.0.1:9/a")


def test_storages_that_are_missing_are_named() -> None:
    with pytest.raises(SettingsError, match=r'gs:// needs a package.*pip install "blickfang\[gcs'):
        storage.inspect("gs://bucket/a")
    with pytest.raises(SettingsError, match="nosuch:// is no storage"):
        storage.inspect("nosuch://a/b")
    with pytest.raises(SettingsError, match="nothing can be written on the web"):
        storage.write_bytes("https://a.test/b", b"")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (PermissionError("The provided token has expired."), "have expired; renew them"),
        (PermissionError("Access Denied"), "refuses our credentials"),
        (FileNotFoundError("The specified bucket does not exist"), "no such bucket"),
        (FileNotFoundError("s3://b/c"), "there is no s3://b/c"),
        (RuntimeError("Unable to locate credentials"), "AWS_ACCESS_KEY_ID"),
        (OSError(28, "No space left on device"), "no room left on the disk"),
        (TimeoutError(), "cannot be reached"),
    ],
)
def test_every_trouble_is_one_sentence(error: Exception, said: str) -> None:
    told = str(storage.explain(error, "s3://b/c"))
    assert str(storage.explain(FileNotFoundError("b/expired"), "s3://b/expired")).startswith(
        "there is no"
    )
    assert said in told
    assert "\n" not in told


def test_what_killed_processes_left_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    old, other = tmp_path / f"{storage.OURS}999999999-abc", tmp_path / "blickfang-demo-1"
    old.mkdir()
    other.mkdir()
    with storage.scratch() as folder:
        assert folder.exists()
        assert not old.exists()
    assert not folder.exists()
    assert other.exists()


def test_a_folder_is_made_the_same_elsewhere(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    (here / "data").mkdir(parents=True)
    (here / "data" / "a").write_text("a")
    (here / "manifest.json").write_text("{}")
    assert storage.upload(here, there.as_uri(), "manifest.json") == 2
    (here / "data" / "a").rename(here / "data" / "b")
    storage.upload(here, there.as_uri(), "manifest.json")
    assert sorted(p.name for p in there.rglob("*") if p.is_file()) == ["b", "manifest.json"]
    storage.upload(here, there.as_uri(), "manifest.json", {"list": b"one"})
    assert (there / "list").read_bytes() == b"one"
    assert storage.upload(here, there.as_uri(), "manifest.json", {"list": None}) == 2
    assert (there / "list").exists()
    storage.upload(here, there.as_uri(), "manifest.json")
    assert not (there / "list").exists()
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "thesis.tex").write_text("mine")
    with pytest.raises(SettingsError, match="holds something else"):
        storage.upload(here, (tmp_path / "theirs").as_uri(), "manifest.json")
