"""Files that are never half there."""

import os
from pathlib import Path

import pytest

from blickfang.errors import DiskFullError, InputError
from blickfang.io.atomic_files import publishing, replacing, replacing_folder, set_aside, write_text


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_text(path, "old")
    with pytest.raises(RuntimeError), replacing(path) as file:  # noqa: PT012
        file.write(b"new")
        raise RuntimeError
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    write_text(tmp_path / "target", "old")
    (tmp_path / "link").symlink_to("target")
    write_text(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "new"


def test_what_is_no_file_is_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, Path("/dev/null"), Path(), Path("/")):
        with pytest.raises(InputError, match="not a file"):
            write_text(path, "text")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot write"):
        write_text(tmp_path / "file" / "below", "text")


def test_leftovers_of_killed_processes_go(tmp_path: Path) -> None:
    (tmp_path / ".file.999999999.part").write_text("half")
    (tmp_path / f".file.{os.getppid()}.part").write_text("being written")
    write_text(tmp_path / "file", "whole")
    assert {path.name for path in tmp_path.iterdir()} == {"file", f".file.{os.getppid()}.part"}


def test_a_full_disk(tmp_path: Path) -> None:
    def fill() -> None:
        with replacing(tmp_path / "file"):
            raise OSError(28, "No space left on device")

    with pytest.raises(DiskFullError, match="no room left"):
        fill()
    assert not list(tmp_path.iterdir())


def test_what_is_set_aside_is_not_lost(tmp_path: Path) -> None:
    for content in ("one", "two"):
        (tmp_path / "sheet.tsv").write_text(content)
        set_aside(tmp_path / "sheet.tsv")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "sheet-before-1.tsv",
        "sheet-before-2.tsv",
    ]
    assert (tmp_path / "sheet-before-1.tsv").read_text() == "one"


def test_what_a_killed_process_of_our_number_left_goes(tmp_path: Path) -> None:
    """In a container all have the same."""
    (tmp_path / f".folder.{os.getpid()}-01234567.part").mkdir()
    with replacing_folder(tmp_path / "folder") as part:
        (part / "file").write_text("whole")
        with replacing_folder(tmp_path / "folder"):
            assert part.exists()  # that one is not left
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
    assert (tmp_path / "folder" / "file").read_text() == "whole"


@pytest.mark.parametrize("is_whole", [True, False])
def test_who_was_faster_stays_if_it_is_whole(tmp_path: Path, is_whole: bool) -> None:
    with publishing(tmp_path / "part", lambda _: is_whole) as fresh:
        fresh.mkdir()
        (fresh / "file").write_text("second")
        (tmp_path / "part").mkdir()
        (tmp_path / "part" / "file").write_text("first")
    assert (tmp_path / "part" / "file").read_text() == ("first" if is_whole else "second")
    assert [path.name for path in tmp_path.iterdir()] == ["part"]
