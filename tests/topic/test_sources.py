"""Pages a topic is learned from: found, read once, read again when changed."""

import os
from pathlib import Path

import pytest

from blickfang.errors import InputError, SettingsError
from blickfang.text.topic_pages import find_files, opening_store


def make(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"text of {name}", errors="replace")


def test_files_folders_and_globs(tmp_path: Path) -> None:
    make(tmp_path, "a.txt", "b.html", "deep/c.htm", "deep/er/d.txt", "deep/picture.png", "x[1].txt")

    def names(*patterns: str) -> list[str]:
        return [str(path.relative_to(tmp_path)) for path in find_files(patterns, tmp_path)]

    assert names("a.txt") == ["a.txt"]
    assert names("*.txt", "a.txt") == ["a.txt", "x[1].txt"]
    assert names("deep") == ["deep/c.htm", "deep/er/d.txt"]
    assert names("**/*.txt") == ["a.txt", "deep/er/d.txt", "x[1].txt"]
    assert names("x[1].txt") == ["x[1].txt"]
    assert names(str(tmp_path / "b.html")) == ["b.html"]


@pytest.mark.parametrize(
    "pattern", ["nothing/*.txt", "missing.html", "https://example.org/", "~\0nobody/a.txt"]
)
def test_what_names_no_file_is_an_error(tmp_path: Path, pattern: str) -> None:
    with pytest.raises(SettingsError):
        find_files([pattern], tmp_path)


def test_only_what_changed_is_read_again(tmp_path: Path) -> None:
    make(tmp_path, "a.txt", "b.txt")
    asked: list[str] = []

    def read(path: Path) -> str:
        asked.append(path.name)
        return path.read_text()

    def learn(*names: str) -> list[str]:
        with opening_store(tmp_path / "topic", tmp_path) as store:
            return store.read([tmp_path / name for name in names], read).texts

    assert learn("a.txt", "b.txt") == ["text of a.txt", "text of b.txt"]
    make(tmp_path, "c.txt")
    (tmp_path / "b.txt").write_text("changed")
    os.utime(tmp_path / "b.txt", ns=(1, 1))
    assert learn("a.txt", "b.txt", "c.txt") == ["text of a.txt", "changed", "text of c.txt"]
    assert asked == ["a.txt", "b.txt", "b.txt", "c.txt"]


def test_a_moved_collection_reads_nothing_again(tmp_path: Path) -> None:
    make(tmp_path / "old", "a.txt")
    with opening_store(tmp_path / "old/topic", tmp_path / "old") as store:
        assert store.read([tmp_path / "old/a.txt"], Path.read_text).fresh == 1
    (tmp_path / "old").rename(tmp_path / "new")
    with opening_store(tmp_path / "new/topic", tmp_path / "new") as store:
        assert store.read([tmp_path / "new/a.txt"], Path.read_text).fresh == 0


def test_an_unreadable_page_does_not_stop_the_others(tmp_path: Path) -> None:
    make(tmp_path, "a.txt", "b.txt")

    def read(path: Path) -> str:
        if path.name == "a.txt":
            raise InputError("it is binary")
        return "fine"

    with opening_store(tmp_path / "topic", tmp_path) as store:
        reading = store.read([tmp_path / n for n in ("a.txt", "b.txt", "gone.txt")], read)
    assert reading.texts == ["fine"]
    assert [Path(failure.url).name for failure in reading.failures] == ["a.txt", "gone.txt"]


def test_a_page_that_was_saved_twice_counts_once(tmp_path: Path) -> None:
    make(tmp_path, "a.txt", "b.txt")
    (tmp_path / "copy.txt").write_text("text of a.txt")
    with opening_store(tmp_path / "topic", tmp_path) as store:
        reading = store.read(
            [tmp_path / name for name in ("a.txt", "b.txt", "copy.txt")], Path.read_text
        )
    assert reading.texts == ["text of a.txt", "text of b.txt"]
    (left_out,) = reading.failures
    assert left_out.reason == f"{tmp_path / 'copy.txt'} has the same text as {tmp_path / 'a.txt'}"


def test_odd_names_and_links(tmp_path: Path) -> None:
    root = tmp_path / "birds[1] *"
    odd = os.fsdecode(b"caf\xe9.txt")
    make(root, "a.txt", "with space.txt", "folder.txt/inner.txt", odd)
    (root / "loop").symlink_to(".")
    (root / "again.txt").symlink_to("a.txt")
    (root / "broken.txt").symlink_to("nowhere")
    os.mkfifo(root / "pipe.txt")
    for pattern in ("**/*.txt", "."):
        found = find_files([pattern], root)
        assert sorted(path.resolve().name for path in found) == sorted(
            ["a.txt", "with space.txt", "inner.txt", odd]
        )
    with opening_store(tmp_path / "topic", root) as store:
        assert len(store.read(found, Path.read_text).texts) == 4
        assert store.read(found, Path.read_text).fresh == 0
    for pattern in ("~nobody-of-this-name/x", "pipe.txt", "broken.txt"):
        with pytest.raises(SettingsError, match="nothing matches"):
            find_files([pattern], root)


def test_an_interruption_keeps_what_was_read(tmp_path: Path) -> None:
    make(tmp_path, "a.txt", "b.txt")

    def read(path: Path) -> str:
        if path.name == "b.txt":
            raise KeyboardInterrupt
        return "read"

    paths = [tmp_path / "a.txt", tmp_path / "b.txt"]
    with opening_store(tmp_path / "topic", tmp_path) as store, pytest.raises(KeyboardInterrupt):
        store.read(paths, read)
    with opening_store(tmp_path / "topic", tmp_path) as store:
        assert store.read(paths, Path.read_text).fresh == 1


def test_pages_no_longer_named_are_forgotten(tmp_path: Path) -> None:
    make(tmp_path, "a.txt", "b.txt")
    paths = [tmp_path / "a.txt", tmp_path / "b.txt"]
    with opening_store(tmp_path / "topic", tmp_path) as store:
        store.read(paths, Path.read_text)
        store.forget_others(paths[:1])
        assert store.read(paths, Path.read_text).fresh == 1


def test_a_damaged_store_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "pages.sqlite").write_bytes(b"no database" * 100)
    with pytest.raises(InputError, match="delete it"), opening_store(tmp_path, tmp_path):
        pass
