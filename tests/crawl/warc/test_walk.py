"""Records that repeat a payload are pages like all others, where it can be found."""

from dataclasses import replace
from pathlib import Path

import pytest

from blickfang.corpus.archives.archive_sources import Supply
from blickfang.corpus.archives.read_pages import read_archives
from blickfang.dedupe.documents import Document, read_documents, read_place
from blickfang.io.warc import Archived, read_archive, write_index
from blickfang.io.warc import walk as module
from blickfang.io.warc.walk import NOT_AT_HAND, Payloads, is_repetition
from blickfang.types import Failure
from tests.cli.running import objects, run
from tests.crawl.sites import Reply, Sites, page, serving, write_collection
from tests.crawl.warc.samples import DATE, exchange, open_archive

FIRST, OTHER = "http://example.org/cats", "http://example.org/other"
LATER = [f"http://example.org/copy{number}" for number in range(3)]
WORDS = "The robin sings at dawn, long before anybody else is awake in these woods. " * 4


def write_crawl(folder: Path, roll_at: int = 10**9) -> list[Path]:
    """Write a page, what repeats it, and another one; in files that are rolled."""
    archive = open_archive(folder, roll_at=roll_at)
    digest = archive.write(exchange(FIRST)).digest
    archive.write(exchange(OTHER, b"<title>Dogs</title><p>A dog sat there, too." * 40))
    for url in LATER:
        archive.write(exchange(url), (FIRST, DATE), digest)
    archive.write(exchange(FIRST, b"", 304), (FIRST, DATE))  # nothing that is not there already
    archive.close()
    return sorted(folder.glob("*.warc.gz"))


def make_collection(folder: Path) -> Path:
    folder.mkdir()
    (folder / "blickfang.toml").write_text('[crawl]\nmode = "unfocused"\n')
    return folder


def test_pages_of_one_archive(tmp_path: Path) -> None:
    (path,) = write_crawl(tmp_path / "a")
    supply = Supply((str(path),))
    rows = list(read_archives(make_collection(tmp_path / "c"), supply))
    assert [row["url"] for row in rows if isinstance(row, dict)] == [FIRST, OTHER, *LATER]
    assert len({row["offset"] for row in rows if isinstance(row, dict)}) == 5
    found = [one for one in read_documents([path]) if isinstance(one, Document)]
    assert [one.id for one in found] == [FIRST, OTHER, *LATER]
    assert [one.text == found[0].text for one in found] == [True, False, True, True, True]
    for one in found:  # and when they are read again
        again = read_place(path, one.number, one.offset, one.length)
        assert isinstance(again, Document)
        assert again.text == one.text


@pytest.mark.parametrize("indexed", [True, False])
def test_payloads_of_another_archive(tmp_path: Path, indexed: bool) -> None:
    paths = write_crawl(tmp_path / "a", roll_at=1)
    assert len(paths) > 3
    (tmp_path / "a" / "broken.cdxj").write_text("org,example)/cats no index\n")
    for path in paths if indexed else ():
        write_index(path, path.with_name(path.name.removesuffix(".warc.gz") + ".cdxj"))
    supply = Supply(tuple(map(str, paths)))
    rows = list(read_archives(make_collection(tmp_path / "c"), supply))
    pages = [row["url"] for row in rows if isinstance(row, dict)]
    failures = [row for row in rows if isinstance(row, Failure)]
    assert pages == [FIRST, OTHER, *LATER] if indexed else [FIRST, OTHER]
    assert [one.reason for one in failures] == ([] if indexed else [NOT_AT_HAND] * 3)
    found = list(read_documents(paths))
    assert sum(isinstance(one, Document) for one in found) == len(pages)
    assert len(found) == 5
    if indexed:  # an index may be older than what it is of
        revisit = next(one for path in paths for one in records(path) if one.url == LATER[0])
        for path in paths[:-1]:
            path.write_bytes(paths[-1].read_bytes())
        assert Payloads(paths[-1]).fill(revisit) is None
        for path in paths[:-1]:
            path.unlink()
        assert Payloads(paths[-1]).fill(revisit) is None


def records(path: Path) -> list[Archived]:
    return [one for one in read_archive(path) if isinstance(one, Archived)]


def test_by_address_and_date_where_no_digest_is_stated(tmp_path: Path) -> None:
    (path,) = write_crawl(tmp_path)
    first, _, revisit, *_, unchanged = records(path)
    assert [is_repetition(one) for one in (first, revisit, unchanged)] == [False, True, False]
    payloads = Payloads(path)
    payloads.note(replace(first, digest=""))
    filled = payloads.fill(replace(revisit, digest="", status=0, headers={}))
    assert filled is not None
    assert (filled.record.url, filled.record.body) == (LATER[0], first.body)
    assert (filled.record.status, filled.record.headers) == (200, first.headers)
    assert not filled.record.truncated
    assert Payloads(path).fill(replace(revisit, digest="", original=None)) is None


def test_memory_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", 1)
    (path,) = write_crawl(tmp_path)
    payloads = Payloads(path)
    for record in records(path):
        payloads.note(record)
    assert len(payloads.places) == 1


def test_all_pages_of_a_crawl_are_read(tmp_path: Path) -> None:
    names = [f"http://a.test/{number}" for number in range(6)]
    replies: dict[str, Reply] = {url: page(text=WORDS) for url in names}
    replies["http://a.test/"] = page(*names)
    with serving(Sites(replies)) as server:
        write_collection(tmp_path, server, "http://a.test/", images=False, shards=1)
        assert run("crawl", tmp_path).returncode == 0
    listed = [row["url"] for row in objects(run("pages", tmp_path, "--json"))]
    archives = sorted((tmp_path / "crawl").glob("shard-*/*.warc.gz"))
    read = [row["url"] for row in objects(run("read", tmp_path, *archives, "--json"))]
    assert sorted(map(str, read)) == sorted(map(str, listed)) == sorted(replies)
