"""Which archives are read: names, patterns, lists, and lists that lead astray."""

import gzip
from pathlib import Path

import pytest

from blickfang.config import open_collection
from blickfang.corpus.archives.archive_sources import (
    Supply,
    list_archives,
    list_places,
    read_list,
    resolve_entry,
)
from blickfang.corpus.archives.read_pages import Wrote, read_archives, write_archives
from blickfang.corpus.build import build
from blickfang.errors import BlickfangError, InputError, SettingsError
from blickfang.records.record_sources import read_sources
from blickfang.types import Failure
from tests.cli.running import run
from tests.samples.archives import make_collection, page, write_archive, write_damaged

LIST = "https://data.test/crawl/warc.paths.gz"


def test_a_list_as_common_crawl_gives_them(tmp_path: Path) -> None:
    file = tmp_path / "warc.paths.gz"
    file.write_bytes(gzip.compress(b"crawl/a.warc.gz\n# no\n\ncrawl/b.warc.gz\n"))
    assert read_list(file) == [tmp_path / "crawl/a.warc.gz", tmp_path / "crawl/b.warc.gz"]
    supply = Supply((str(file),), "s3://commoncrawl", 1)
    assert list_places(supply) == ["s3://commoncrawl/crawl/a.warc.gz"]


def test_entries_are_relative_to_the_host_of_the_list() -> None:
    assert resolve_entry("crawl/a", LIST) == "https://data.test/crawl/a"
    assert resolve_entry("https://data.test/b", LIST) == "https://data.test/b"
    assert resolve_entry("a", "s3://bucket/x/warc.paths") == "s3://bucket/a"


@pytest.mark.parametrize(
    "entry",
    ["http://169.254.169.254/latest", "https://data.test.evil.test/a", "/etc/passwd", "../../a"],
)
def test_a_list_from_elsewhere_leads_nowhere_else(entry: str) -> None:
    with pytest.raises((SettingsError, InputError), match=r"elsewhere|leads out"):
        resolve_entry(entry, LIST)


def test_ones_own_list_may_name_anything(tmp_path: Path) -> None:
    assert resolve_entry("s3://b/a", tmp_path / "my.txt") == "s3://b/a"
    assert resolve_entry("/data/a", tmp_path / "my.txt") == Path("/data/a")


@pytest.mark.parametrize(
    "data", [b"", gzip.compress(b"# none", mtime=0), gzip.compress(b"a\n", mtime=0)[:-4]]
)
def test_lists_that_are_none(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "warc.paths.gz").write_bytes(data)
    with pytest.raises(BlickfangError, match=r"names no archives|is cut"):
        read_list(tmp_path / "warc.paths.gz")


def test_what_is_named_takes_the_place_of_what_a_collection_has(tmp_path: Path) -> None:
    make_collection(tmp_path)
    for name in ("a", "b", "c[1]"):
        write_archive(tmp_path / f"{name}.warc.gz", [page("http://a.test/", "<p>words")])
    collection = open_collection(tmp_path)
    assert len(list_archives(collection)) == 3
    assert len(list_archives(collection, Supply(limit=2))) == 2
    odd = str(tmp_path / "c[1].warc.gz")
    assert list_archives(collection, Supply((odd, odd))) == [Path(odd).resolve()]


def test_rows_go_to_files_and_what_is_there_is_not_read_again(tmp_path: Path) -> None:
    make_collection(tmp_path / "c")
    (tmp_path / "c" / "blickfang.toml").write_text('[crawl]\nmode = "unfocused"\n')
    paths = [tmp_path / f"{n}.warc.gz" for n in range(2)]
    for number, path in enumerate(paths):
        write_archive(path, [page(f"http://a.test/{number}", "<p>Some words of a page.")])
    supply = Supply(tuple(map(str, paths)))
    rows = [row for row in read_archives(tmp_path / "c", supply) if isinstance(row, dict)]
    assert [row["url"] for row in rows] == ["http://a.test/0", "http://a.test/1"]
    assert rows[0]["warc"] == str(paths[0])
    out = tmp_path / "rows"
    wrote = [one for one in write_archives(tmp_path / "c", supply, out) if isinstance(one, Wrote)]
    assert [one.pages for one in wrote] == [1, 1]
    kept = sorted(out.iterdir())
    assert len(kept) == 2
    kept[0].unlink()
    again = [one for one in write_archives(tmp_path / "c", supply, out) if isinstance(one, Wrote)]
    assert [(one.file, one.pages, one.was_there) for one in again] == [
        (str(kept[1]), 0, True),
        (str(kept[0]), 1, False),
    ]
    assert b'"http://a.test/0"' in gzip.decompress(kept[0].read_bytes())


def test_damage_is_told_with_the_archive_it_is_in(tmp_path: Path) -> None:
    make_collection(tmp_path / "c")
    (tmp_path / "c" / "blickfang.toml").write_text('[crawl]\nmode = "unfocused"\n')
    _, cut, empty = paths = write_damaged(tmp_path)
    supply = Supply(tuple(map(str, paths)))
    copied = Supply(tuple(path.as_uri() for path in paths))
    for given, names in ((supply, (cut, empty)), (copied, (cut.as_uri(), empty.as_uri()))):
        found = list(read_archives(tmp_path / "c", given))
        assert sum(isinstance(row, dict) for row in found) == 1
        assert [row for row in found if isinstance(row, Failure)] == [
            Failure(f"http://a.test/gone in {names[0]}", "archive", "record shorter than it says"),
            Failure(str(names[1]), "archive", "empty file"),
        ]
        built = build(open_collection(tmp_path / "c"), supply=given)
        told = sorted((failure.url, failure.reason) for failure in built.failures)
        assert told == [
            ("c.warc.gz", "empty file"),
            ("http://a.test/gone in b.warc.gz", "record shorter than it says"),
        ]


def test_damage_met_by_records_is_told_with_its_archive(tmp_path: Path) -> None:
    names = [path.as_uri() for path in write_damaged(tmp_path)]
    found = list(read_sources(names, None))
    assert [one.url for one in found] == [
        "http://a.test/",
        f"http://a.test/gone in {names[1]}",
        names[2],
    ]


@pytest.mark.parametrize("remote", [False, True])
def test_rows_of_what_an_archive_had_been_are_removed(tmp_path: Path, remote: bool) -> None:
    make_collection(tmp_path / "c")
    (tmp_path / "c" / "blickfang.toml").write_text('[crawl]\nmode = "unfocused"\n')
    twins = [tmp_path / folder / "x.warc.gz" for folder in ("d1", "d2")]
    for path in twins:  # two archives with one name, of one size
        path.parent.mkdir()
        write_archive(path, [page("http://a.test/0", "<p>Some words of a page.")])
    (tmp_path / "rows").mkdir()
    (tmp_path / "rows" / "x.warc.gz-01234567.jsonl.gz").write_bytes(b"of somebody else")
    out = (tmp_path / "rows").as_uri() if remote else tmp_path / "rows"

    def write(*paths: Path) -> list[Wrote]:
        supply = Supply(tuple(map(str, paths)))
        found = write_archives(tmp_path / "c", supply, out)
        return [one for one in found if isinstance(one, Wrote)]

    def count() -> int:
        files = [path.read_bytes() for path in (tmp_path / "rows").iterdir()]
        return sum(gzip.decompress(data).count(b"\n") for data in files if data[:2] != b"of")

    assert [one.cleared for one in write(*twins)] == [0, 0]
    assert count() == 2
    again = [page(f"http://a.test/{number}", "<p>More words.") for number in range(3)]
    write_archive(twins[0], again)
    assert sum(one.cleared for one in write(*twins)) == 1
    assert count() == 4
    write_archive(twins[1], again)
    assert [one.cleared for one in write(twins[1])] == [1]
    assert count() == 6
    assert [one.cleared for one in write(twins[1])] == [0]
    assert len(list((tmp_path / "rows").iterdir())) == 3


def test_what_is_no_archive_is_named_every_time(tmp_path: Path) -> None:
    make_collection(tmp_path / "c")
    (tmp_path / "c" / "blickfang.toml").write_text('[crawl]\nmode = "unfocused"\n')
    good = write_archive(tmp_path / "good.warc.gz", [page("http://a.test/", "<p>words")])
    junk = tmp_path / "junk.warc.gz"
    junk.write_bytes(b"this was never an archive" * 40)
    for _ in range(2):
        done = run("read", tmp_path / "c", junk, "-o", tmp_path / "rows")
        assert done.returncode == 1
        assert f"{junk}: not a WARC, ARC or WACZ file" in done.stderr
    for _ in range(2):  # there is something that can be read
        done = run("read", tmp_path / "c", junk, good, "-o", tmp_path / "rows")
        assert done.returncode == 0
        assert f"{junk}: not a WARC, ARC or WACZ file" in done.stderr
    assert len(list((tmp_path / "rows").iterdir())) == 1


def test_rows_of_an_archive_with_the_same_name_elsewhere_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_collection(tmp_path / "c")
    (tmp_path / "c" / "blickfang.toml").write_text('[crawl]\nmode = "unfocused"\n')

    def write(folder: str, pages: int) -> list[int]:
        path = tmp_path / folder / "x.warc.gz"
        path.parent.mkdir(exist_ok=True)
        body = "<p>Some words of a page."
        write_archive(path, [page(f"http://a.test/{number}", body) for number in range(pages)])
        monkeypatch.chdir(path.parent)  # the user names it as it is called there
        found = write_archives(tmp_path / "c", Supply(("x.warc.gz",)), tmp_path / "rows")
        return [one.cleared for one in found if isinstance(one, Wrote)]

    assert [write("d1", 1), write("d2", 2), write("d1", 3)] == [[0], [0], [1]]
    files = [gzip.decompress(path.read_bytes()) for path in (tmp_path / "rows").iterdir()]
    assert sorted(data.count(b"\n") for data in files) == [2, 3]
