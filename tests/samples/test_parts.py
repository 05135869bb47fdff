"""What a build keeps of what it has read is used only as it was written."""

from pathlib import Path
from typing import Any

import pytest

from blickfang.config import open_collection
from blickfang.corpus.archives.archive_sources import Supply
from blickfang.corpus.archives.read_pages import Wrote, write_archives
from blickfang.corpus.build import build
from blickfang.errors import UnreachableError
from blickfang.io import storage
from blickfang.io.storage import MOST_SILENT, TRIES, Patience
from blickfang.types import Failure
from tests.samples.archives import draw, make_collection, page, picture, write_archive
from tests.samples.test_build import SITE, figure, make


@pytest.mark.parametrize("damage", ["gone", "cut", "other"])
def test_a_part_that_is_damaged_is_read_again(tmp_path: Path, damage: str) -> None:
    answers = page(f"{SITE}/", figure("t.png")), picture(f"{SITE}/t.png", draw(1))
    make(tmp_path, *answers)
    wanted = {path.name: path.read_bytes() for path in (tmp_path / "corpus").rglob("*.*")}
    (part,) = (tmp_path / "build").glob("*/pictures.parquet")
    data = part.read_bytes()
    if damage == "gone":
        part.unlink()
    else:
        part.write_bytes(data[:-10] if damage == "cut" else data[:20] + b"\0" + data[21:])
    build(open_collection(tmp_path))
    found = {path.name: path.read_bytes() for path in (tmp_path / "corpus").rglob("*.*")}
    assert found == wanted
    assert next((tmp_path / "build").glob("*/pictures.parquet")).read_bytes() == data


@pytest.mark.parametrize("silent_for", [TRIES, 2 * TRIES])
def test_a_storage_that_is_silent_for_a_while_is_asked_again_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, silent_for: int
) -> None:
    make_collection(tmp_path / "c")
    (tmp_path / "c" / "blickfang.toml").write_text('[crawl]\nmode = "unfocused"\n')
    path = write_archive(tmp_path / "a.warc.gz", [page("http://a.test/", "<p>words")])
    download, asked = storage._download, iter(range(1000))

    def fail_at_first(*args: Any) -> None:
        if next(asked) < silent_for:
            raise ConnectionError("nobody there")
        download(*args)

    monkeypatch.setattr(storage, "PAUSE_S", 0.0)
    monkeypatch.setattr(storage, "_download", fail_at_first)
    supply, collection = Supply((path.as_uri(),)), open_collection(tmp_path / "c")
    if silent_for == TRIES:
        assert len(build(collection, supply=supply).failures) == 0
        asked = iter(range(1000))
        (wrote,) = write_archives(tmp_path / "c", supply, tmp_path / "rows")
        assert isinstance(wrote, Wrote)
    else:  # not even then: nothing is built without what the network keeps back
        with pytest.raises(UnreachableError, match="nobody there"):
            build(collection, supply=supply)
        asked = iter(range(1000))
        (failure,) = write_archives(tmp_path / "c", supply, tmp_path / "rows")
        assert isinstance(failure, Failure)


def test_a_network_that_is_down_is_noticed() -> None:
    patience = Patience()
    for silence in ["no"] * (MOST_SILENT - 1) + [""] + ["no"] * (MOST_SILENT - 1):
        patience.note(silence)
    with pytest.raises(UnreachableError, match="down"):
        patience.note("down")
