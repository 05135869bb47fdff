"""Every verb sees the same pages of an archive, whatever of it only repeats other records."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from blickfang.config import Collection, open_collection
from blickfang.corpus.archives.archive_parts import read_parts
from blickfang.corpus.archives.archive_sources import Supply
from blickfang.corpus.archives.read_pages import read_archives
from blickfang.corpus.search.page_index import MOVED, PAGE
from blickfang.crawl.replay.recorded_web import RecordedWeb
from blickfang.crawl.state.state_db import STATE, StateDb
from blickfang.crawl.visit.archiving import COLUMNS, INSERT_VISIT
from blickfang.dedupe.documents import Document, read_documents
from blickfang.io.warc import Archived, read_archive, write_index
from blickfang.io.warc.walk import NOT_AT_HAND, find_target, iterate_archive
from blickfang.records.persons.person_index import list_entries
from blickfang.records.record_sources import read_sources
from blickfang.types import Failure
from blickfang.web.archived_page import find_archived
from blickfang.web.report.rescore_pages import retell_archives
from tests.crawl.warc.samples import DATE, exchange, open_archive

HOST = "http://example.org"
FIRST, OTHER, SAME, LATER = (f"{HOST}/{name}" for name in ("first", "other", "same", "later"))
LOST, OLD, GONE = f"{HOST}/lost", f"{HOST}/old", f"{HOST}/gone"
ALL = [FIRST, OTHER, SAME, LATER]
WORDS = b"<title>Robins</title><p>The robin sings at dawn, long before others wake in these woods. "
NO_ANSWER = (
    b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\nContent-Length: 3\r\n\r\nno!"
)

Seen = tuple[list[str], list[str]]  # pages, and what could not be read


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """Write a crawl of two files: what the second one repeats is in the first one, or nowhere."""
    root = tmp_path_factory.mktemp("same")
    (root / "blickfang.toml").write_text('[crawl]\nmode = "unfocused"\n')
    shard = root / "crawl" / "shard-00"
    archive = open_archive(shard, roll_at=10**9)
    digest = archive.write(exchange(FIRST, WORDS * 9)).digest
    archive.write(exchange(OTHER, WORDS + b"A dog sat there, too. " * 40))
    moved = b"Content-Type: text/html\r\nLocation: /first\r\n"
    archive.write(exchange(OLD, b"moved", 301, moved))
    archive.write(exchange(SAME), (FIRST, DATE), digest)
    archive.write(exchange(FIRST, b"", 304), (FIRST, DATE))  # not modified: no page again
    archive.write(exchange(GONE, b"no such page", 404))
    archive.close()
    (path,) = shard.glob("*.warc.gz")
    with path.open("ab") as file:
        file.write(gzip.compress(NO_ANSWER % f"{HOST}/broken".encode() + b"\r\n\r\n"))
    write_index(path, path.with_name(path.name.removesuffix(".warc.gz") + ".cdxj"))
    archive = open_archive(shard / "more")
    archive.write(exchange(LATER), (FIRST, DATE), digest)
    archive.write(exchange(LOST), (f"{HOST}/elsewhere", DATE), "sha1:" + "A" * 32)
    archive.close()
    (later,) = (shard / "more").glob("*.warc.gz")
    later.replace(shard / "zzz.warc.gz")
    note_visits(shard)
    return open_collection(root)


def note_visits(shard: Path) -> None:
    """Write the database of the crawl, as far as it is asked for archived pages."""
    store = StateDb(shard / STATE)
    for path in sorted(shard.glob("*.warc.gz")):
        for record in read_archive(path):
            if isinstance(record, Archived) and record.place:
                place = {"file": path.name, "place": record.place.offset}
                row = dict.fromkeys(COLUMNS, "") | {"kind": 0, "depth": 0, "bytes": 0} | place
                row |= {"url": record.url, "status": record.status, "fetched_at": record.date}
                store.db.execute(INSERT_VISIT, row | {"length": record.place.length})
    store.commit()
    store.close()


def see_read(collection: Collection, paths: list[Path]) -> Seen:
    rows = list(read_archives(collection.root, Supply(tuple(map(str, paths)))))
    return [r["url"] for r in rows if isinstance(r, dict)], failed(rows)


def see_documents(_: Collection, paths: list[Path]) -> Seen:
    """Of `dedupe` and `compare`."""
    found = list(read_documents(paths))
    return [one.url for one in found if isinstance(one, Document)], failed(found)


def see_records(_: Collection, paths: list[Path]) -> Seen:
    found = list(read_sources(list(map(str, paths)), None))
    assert all(isinstance(one, Failure) or one.body for one in found)
    return [one.url for one in found if not isinstance(one, Failure)], failed(found)


def see_build(collection: Collection, paths: list[Path]) -> Seen:
    parts, failures = read_parts(collection, paths)
    assert not failures
    tables = [pq.read_table(part.folder / "pages.parquet").to_pylist() for part in parts]
    detours = [pq.read_table(part.folder / "detours.parquet").to_pylist() for part in parts]
    assert {(row["url"], row["target"]) for rows in detours for row in rows} >= {(OLD, FIRST)}
    lost = [url.split(" in ")[0] for part in parts for url, _ in part.failures]
    return [row["url"] for rows in tables for row in rows], lost


def see_report(collection: Collection, paths: list[Path]) -> Seen:
    """Of archives that no crawl of ours made; sentences that were counted are not counted again."""
    told = list(retell_archives(paths, collection.root))
    sentences = {one.visit.url: one.retold.sentences for one in told}
    assert sentences[FIRST]
    assert sentences[OTHER]
    assert sentences[SAME] == sentences[LATER] == 0
    lost = [one.visit.url for one in told if one.retold.failed]
    return [one.visit.url for one in told if not one.retold.failed], [*lost, f"{HOST}/broken"]


def see_publications(collection: Collection, paths: list[Path]) -> Seen:
    entries = [entry for path in paths for entry in list_entries(collection.crawl_folder, path)]
    assert [(one.url, one.place) for one in entries if one.kind == MOVED] == [(OLD, FIRST)]
    pages = [one for one in entries if one.kind == PAGE]
    assert len({one.text for one in pages}) == 2
    return [one.url for one in pages], [LOST, f"{HOST}/broken"]  # left out


def see_app(collection: Collection, _: list[Path]) -> Seen:
    found = {url: find_archived(collection, url) for url in [*ALL, LOST]}
    assert all(one.body for one in found.values() if isinstance(one, Archived))
    lost = failed(found.values())
    return [url for url in found if url not in lost], [*lost, f"{HOST}/broken"]


def see_replay(_: Collection, paths: list[Path]) -> Seen:
    web = RecordedWeb(paths)
    found = {url: web.read(url) for url in [*ALL, LOST]}
    assert found[SAME] == found[LATER] == found[FIRST] != found[OTHER]
    lost = [url for url, body in found.items() if isinstance(body, Failure)]
    return [url for url in found if url not in lost], [*lost, *failed(web.failures)]


def failed(found: object) -> list[str]:
    """Return the addresses of failures."""
    return [one.url.split(" in ")[0] for one in found if isinstance(one, Failure)]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "see",
    [
        see_read,
        see_documents,
        see_records,
        see_build,
        see_report,
        see_publications,
        see_app,
        see_replay,
    ],
)
def test_every_verb_sees_the_same_pages(
    collection: Collection, see: Callable[[Collection, list[Path]], Seen]
) -> None:
    paths = sorted(collection.crawl_folder.glob("shard-*/*.warc.gz"))
    assert len(paths) == 2
    pages, lost = see(collection, paths)
    assert sorted(pages) == sorted(ALL)
    assert sorted(lost) == sorted([LOST, f"{HOST}/broken"])


def test_the_rule_itself(collection: Collection) -> None:
    """A revisit has an address of its own and the payload of another record; or it is named."""
    found = [
        one
        for path in sorted(collection.crawl_folder.glob("shard-*/*.warc.gz"))
        for one in iterate_archive(path)
    ]
    whole = {one.record.url: one for one in found if not isinstance(one, Failure)}
    assert list(whole) == ALL
    assert whole[SAME].record.body == whole[LATER].record.body == whole[FIRST].record.body
    assert whole[SAME].offset == whole[FIRST].offset
    assert whole[LATER].offset == -1  # in another file
    reasons = {one.url: one.reason for one in found if isinstance(one, Failure)}
    assert reasons == {f"{HOST}/broken": "no HTTP response", LOST: NOT_AT_HAND}
    assert find_target(OLD, 301, {"location": "/first"}) == FIRST
    assert find_target(OLD, 304, {}) is find_target(OLD, 200, {"location": "/first"}) is None
