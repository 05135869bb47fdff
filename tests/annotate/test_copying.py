"""What people said is there twice, and a file that is damaged, gone or older is refused."""

import shutil
import stat
from pathlib import Path

import pytest

from blickfang.errors import InputError
from blickfang.web import annotate
from blickfang.web.annotate import label_store as copying
from blickfang.web.annotate.label_store import FILE, copy_of, open_store
from tests.annotate.desks import make_desk, person, pets, say


def answer(folder: Path, name: str = "ann", count: int = 2) -> None:
    with open_store(folder) as store:
        who = person(store, name)
        for unit in annotate.assign(store, who, count).units:
            say(store, who, unit.id)


def remove(folder: Path) -> None:
    for path in folder.glob(f"{FILE}*"):
        path.unlink()


def test_a_copy_is_made_when_the_store_is_closed(tmp_path: Path) -> None:
    make_desk(tmp_path, pets()).close()
    answer(tmp_path)
    copy = copy_of(tmp_path / FILE)
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600  # it holds tokens
    with open_store(tmp_path) as store:
        wanted = annotate.list_labels(store, "pets")
    remove(tmp_path)
    with pytest.raises(InputError, match=r"is gone; delete .* give labels-copy\.sqlite"):
        open_store(tmp_path)
    copy.rename(tmp_path / FILE)
    with open_store(tmp_path) as store:
        assert annotate.list_labels(store, "pets") == wanted != []


def test_a_copy_is_made_now_and_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copying, "COPY_S", 0.0)
    with make_desk(tmp_path, pets()) as store:
        assert copy_of(tmp_path / FILE).exists()
        monkeypatch.setattr(copying, "COPY_S", 60.0)
        before = copy_of(tmp_path / FILE).stat().st_ino
        annotate.invite(store, "pets", "dan")
        assert copy_of(tmp_path / FILE).stat().st_ino == before


def test_a_damaged_file_is_refused_and_its_copy_stays(tmp_path: Path) -> None:
    make_desk(tmp_path, pets(), 200).close()
    copy = copy_of(tmp_path / FILE).read_bytes()
    with (tmp_path / FILE).open("r+b") as file:
        file.seek(4096 * 3)
        file.write(b"\x17" * 4096)
    with pytest.raises(InputError, match=r"is damaged.*labels-copy\.sqlite"):
        open_store(tmp_path)
    assert copy_of(tmp_path / FILE).read_bytes() == copy


def test_a_file_that_knows_less_than_its_copy_is_refused(tmp_path: Path) -> None:
    make_desk(tmp_path, pets()).close()
    shutil.copy(tmp_path / FILE, tmp_path / "old")
    answer(tmp_path)
    remove(tmp_path)
    (tmp_path / "old").rename(tmp_path / FILE)
    with pytest.raises(InputError, match="has lost 2 answers"):
        open_store(tmp_path)
