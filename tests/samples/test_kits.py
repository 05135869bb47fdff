"""Workers that do not see our disk: archives come as bytes, parts go back as bytes."""

import pickle
import shutil
from pathlib import Path
from typing import Any

import pytest

from blickfang.compute import EngineOptions
from blickfang.config import open_collection
from blickfang.corpus import build as building
from blickfang.corpus.archives import archive_parts
from blickfang.corpus.build import build
from blickfang.crawl.shards.worker_bundle import Kit, Parcel, ReceivedFile, open_kit, packing
from tests.samples.archives import draw, make_collection, page, picture, write_archive

SITE = "http://a.test"


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def travel(thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing))  # noqa: S301 -- our own, just made


def test_a_parcel_becomes_its_content_on_the_way(tmp_path: Path) -> None:
    (tmp_path / "a.warc.gz").write_bytes(b"words")
    parcel = Parcel(tmp_path / "a.warc.gz")
    assert travel(parcel) == ReceivedFile("a.warc.gz", b"words")


def test_a_build_by_workers_that_see_nothing_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "towers"
    make_collection(root)
    for number in range(2):
        figure = f"<h1>T</h1><figure><img src=/{number}.png><figcaption>A tower of {number}"
        answers = [page(f"{SITE}/{number}", figure), picture(f"{SITE}/{number}.png", draw(number))]
        write_archive(root / f"{number}.warc.gz", answers)
    built = build(open_collection(root))
    expected = contents(built.folder)
    assert built.samples == 2
    shutil.rmtree(root / "build")
    seen: list[Any] = []

    def carry(task: Any, things: Any, *_: object, **__: object) -> Any:
        """Do as a worker on another machine does: everything comes and goes by value."""
        monkeypatch.setattr(Kit, "sees", lambda _: False)
        for thing in things:
            far, arrived = travel((task, thing))
            seen.append(arrived.place)
            yield travel(far(arrived))

    def join(task: Any, bundles: Any, **_: object) -> Any:
        return (travel(far(arrived)) for far, arrived in (travel((task, b)) for b in bundles))

    monkeypatch.setattr(archive_parts, "each", carry)
    monkeypatch.setattr(building, "group", join)
    again = build(open_collection(root), where=EngineOptions("ray"))
    assert [type(place) for place in seen] == [type(root), type(root), ReceivedFile, ReceivedFile]
    assert contents(again.folder) == expected
    assert not again.failures


def test_a_kit_is_a_small_copy_where_the_folder_is_not_seen(tmp_path: Path) -> None:
    make_collection(tmp_path)
    (tmp_path / "crawl").mkdir()
    (tmp_path / "crawl" / "weights").write_bytes(b"learned")
    with packing(open_collection(tmp_path), EngineOptions("ray")) as kit:
        assert open_kit(kit) == tmp_path.resolve()
    copy = open_kit(kit)  # the sign is gone: as on another machine
    assert copy != tmp_path.resolve()
    assert (copy / "crawl" / "weights").read_bytes() == b"learned"
    assert (copy / "blickfang.toml").read_text() == (tmp_path / "blickfang.toml").read_text()
    assert not list(tmp_path.glob(".here-*"))
