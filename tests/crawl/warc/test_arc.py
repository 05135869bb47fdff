"""ARC and WACZ: archives from before WARC, and those in ZIP files; hostile ones, too."""

import gzip
import io
import json
import struct
import time
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator  # type: ignore[import-untyped]

from blickfang.crawl.replay.recorded_web import RecordedWeb
from blickfang.crawl.replay.replay import find_archives
from blickfang.dedupe.documents import Document, read_documents
from blickfang.io.warc import Archived, read_archive, read_at, wacz
from blickfang.io.warc.walk import Payloads
from blickfang.records.record_sources import RecordsSource, read_sources
from blickfang.types import Failure, Response
from tests.crawl.warc.test_reader import answer, bodies, read, record

HTTP = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
ONE, TWO = (
    b"1 1 InternetArchive\nURL IP-address Archive-date Content-type Archive-length\n",
    (
        b"2 0 Alexa Internet\nURL IP-address Archive-date Content-type Result-code Checksum "
        b"Location Offset Filename Archive-length\n"
    ),
)


def about(version: int, wrong: int = 0) -> bytes:
    """The record in front, which tells of the file."""
    more = b"text/plain" if version == 1 else b"text/plain 200 - - 0 a.arc"
    block = (ONE if version == 1 else TWO) + b"\n"
    size = len(block) + wrong
    return b"filedesc://a.arc 0.0.0.0 20080430204826 %b %d\n%b" % (more, size, block)


def arc(number: int, version: int = 1, block: bytes | None = None, wrong: int = 0) -> bytes:
    more = b"text/html" if version == 1 else b"text/html 200 4f1a - %d a.arc" % (100 * number)
    block = HTTP + b"%d" % number if block is None else block
    head = b"http://example.org/%d 192.0.2.1 20080430204825 %b %d\n"
    return head % (number, more, len(block) + wrong) + block + b"\n"


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("packing", ["no", "each", "whole", "halves"])
def test_both_versions_packed_or_not(tmp_path: Path, version: int, packing: str) -> None:
    """Per record as the Internet Archive and Common Crawl did it, or as anybody may pack a file."""
    parts = [about(version) + b"\n", *(arc(number, version) for number in range(3))]
    whole = b"".join(parts)
    data = {
        "no": whole,
        "each": b"".join(gzip.compress(part, mtime=0) for part in parts),
        "whole": gzip.compress(whole),
        "halves": gzip.compress(whole[:300]) + gzip.compress(whole[300:]),
    }[packing]
    path = tmp_path / "a.arc"
    path.write_bytes(data)
    found = [one for one in read_archive(path) if isinstance(one, Archived)]
    assert [one.body for one in found] == bodies(data) == [b"0", b"1", b"2"]
    peer = version == 1 and packing in ("no", "each")
    with path.open("rb") as file:  # warcio's own reading of the same file
        theirs = [
            (
                one.rec_headers.get_header("WARC-Target-URI"),
                one.rec_headers.get_header("WARC-Date"),
                one.rec_headers.get_header("WARC-IP-Address"),
                one.http_headers.get_header("Content-Type"),
                one.content_stream().read(),
            )
            for one in (ArchiveIterator(file, arc2warc=True) if peer else ())
            if one.rec_type == "response"
        ]
    ours = [
        (one.url, one.date, one.fields["warc-ip-address"], one.headers["content-type"], one.body)
        for one in found
    ]
    assert theirs == (ours if peer else [])
    assert ours[0][:3] == ("http://example.org/0", "2008-04-30T20:48:25Z", "192.0.2.1")
    for one in found if packing in ("no", "each") else ():
        assert one.place is not None
        again = read_at(path, one.place.offset, one.place.length)
        assert isinstance(again, Archived)
        assert (again.url, again.body, again.status) == (one.url, one.body, 200)


def test_lines_as_they_are_found() -> None:
    lines = [
        b"http://a.test/a b c.html 192.0.2.1 20080430204825 text/html; charset=utf-8 48",
        b"http://a.test/on the 20080101 or 192.0.2.1 20080430204825 text/html 48",
        b"http://a.test/ 2001:db8::1 200804302048 no-type 48",
        b"http://a.test/?date=20080430 192.0.2.1 20080430 - 48",
        b"http://a.test/ 192.0.2.1 20080430204825123  48",
    ]
    block = HTTP + b"body"
    assert len(block) == 48
    found = read(b"".join(line + b"\n" + block + b"\n" for line in lines))
    assert [(one.url, one.date, one.body) for one in found if isinstance(one, Archived)] == [
        ("http://a.test/a%20b%20c.html", "2008-04-30T20:48:25Z", b"body"),
        ("http://a.test/on%20the%2020080101%20or", "2008-04-30T20:48:25Z", b"body"),
        ("http://a.test/", "2008-04-30T20:48:00Z", b"body"),
        ("http://a.test/?date=20080430", "2008-04-30T00:00:00Z", b"body"),
        ("http://a.test/", "2008-04-30T20:48:25Z", b"body"),
    ]


def test_what_is_no_answer() -> None:
    """Names of hosts are not of the web; an answer of HTTP/0.9 has no head."""
    dns = b"dns:example.org 192.0.2.1 20080430204825 text/dns 5\nx\ny\nz\n"
    bare = arc(1, block=b"<html>old")
    found = read(about(1) + b"\n" + dns + bare + arc(2, block=b"HTTP/1.0 404 No\r\n\r\n"))
    assert [(one.kind, one.status, one.body) for one in found if isinstance(one, Archived)] == [
        ("resource", 200, b"<html>old"),
        ("response", 404, b""),
    ]
    assert isinstance(found[0], Archived)
    assert found[0].headers == {"content-type": "text/html"}
    assert len(found) == 2


@pytest.mark.parametrize("each", [True, False])
def test_wrong_lengths_and_damage(each: bool) -> None:
    def join(*parts: bytes) -> bytes:
        return b"".join(map(gzip.compress, parts) if each else parts)

    first = about(1, wrong=-20) + b"\n"  # known of old files
    assert bodies(join(first, arc(1), arc(2))) == [b"1", b"2"]
    long = join(first, arc(1, wrong=9), arc(2), arc(3))
    assert bodies(long) == [b"1\n" if each else b"1", b"2", b"3"]
    short = bodies(
        join(first, arc(1, block=HTTP + b"body\nhttp://no.test/ end\n", wrong=-9), arc(2))
    )
    assert (short[0], short[-1]) == (b"body\nhttp://no.t", b"2")
    cut = bodies(join(arc(1), arc(2))[:-12])
    assert cut[0] == b"1"
    assert cut[-1] in ("record shorter than it says", "file ends within a record")
    if each:
        members = [gzip.compress(arc(number), mtime=0) for number in range(3)]
        members[1] = members[1][:40] + b"????" + members[1][44:]
        assert bodies(b"".join(members)) == [b"0", "damaged data", b"2"]


@pytest.mark.parametrize(
    "data",
    [
        b"http://a.test/ 192.0.2.1 20080430204825 text/html 5\n" + b"\n" * 3_000_000,
        (b"http://a.test/ 192.0.2.1 20080430204825 text/html 60000000\n" + b"ab:c\n" * 600_000),
        arc(1) + b"http:" + b" 20080430" * 300_000,
        (b"http://a.test/ 192.0.2.1 20080430204825 text/html 3000000\n") * 30_000,
        b"http:" + b" a" * 1_500_000,
    ],
)
def test_time_is_limited(data: bytes) -> None:
    begun = time.process_time()
    for _ in read(data):
        pass
    assert time.process_time() - begun < 10


def packed(members: dict[str, bytes], how: int = zipfile.ZIP_STORED, before: bytes = b"") -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", how) as target:
        for name, data in members.items():
            target.writestr(name, data)
    return before + file.getvalue()


DESCRIPTION = {
    "datapackage.json": json.dumps({"profile": "data-package", "wacz_version": "1.1.1"}).encode(),
    "pages/pages.jsonl": b'{"format": "json-pages-1.0"}\n',
    "indexes/index.cdx.gz": gzip.compress(b"org,example)/ 20140802095213 {}\n"),
}


@pytest.mark.parametrize("how", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_archives_in_a_zip_file(tmp_path: Path, how: int) -> None:
    members = {
        "archive/data-1.warc.gz": gzip.compress(answer(1)) + gzip.compress(answer(2)),
        "archive/data-2.warc": answer(3) + answer(4),
        "archive/old.arc.gz": gzip.compress(about(1) + b"\n") + gzip.compress(arc(5)),
    }
    path = tmp_path / "a.wacz"
    path.write_bytes(packed({**DESCRIPTION, **members}, how))
    found = list(read_archive(path))
    assert [one.body for one in found if isinstance(one, Archived)] == [
        b"1",
        b"2",
        b"3",
        b"4",
        b"5",
    ]
    for one in found:
        assert isinstance(one, Archived)
        assert (one.place is not None) == (how == zipfile.ZIP_STORED)
        if one.place:  # in the ZIP file itself
            assert one.place.file == "a.wacz"
            again = read_at(path, one.place.offset, one.place.length)
            assert isinstance(again, Archived)
            assert again.body == one.body


def test_repetitions_are_filled_from_the_same_zip_file(tmp_path: Path) -> None:
    digest = "WARC-Payload-Digest: sha1:AAAA\r\n"
    whole = record("http://example.org/1", HTTP + b"once", more=digest)
    more = (
        digest
        + "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\n"
    )
    again = record("http://example.org/2", HTTP, "revisit", more=more)
    path = tmp_path / "a.wacz"
    path.write_bytes(packed({"archive/1.warc": whole, "archive/2.warc": again}))
    payloads = Payloads(path)
    first, second = read_archive(path)
    assert isinstance(first, Archived)
    assert isinstance(second, Archived)
    payloads.note(first)
    filled = payloads.fill(second)
    assert filled is not None
    assert filled.record.body == b"once"


def reasons(data: bytes) -> list[str]:
    return [one.reason for one in read(data) if isinstance(one, Failure)]


def test_zip_files_that_are_broken_or_hostile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = packed({"archive/a.warc": answer(1)})
    assert reasons(packed({"../../etc/passwd": b"x"})) == [wacz.NO_ARCHIVE]
    assert reasons(packed({})) == [wacz.NO_ARCHIVE]
    for cut in (4, 30, len(good) // 2, len(good) - 1):
        assert reasons(good[:cut])[0].startswith(wacz.DAMAGED)
    assert bodies(packed({"../../a.warc": answer(1)})) == [b"1"]  # names are never used
    assert not list(tmp_path.iterdir())
    bomb = packed({"archive/a.warc": answer(1) + bytes(20_000_000)}, zipfile.ZIP_DEFLATED)
    begun = time.process_time()
    assert bodies(bomb)[0] == b"1"
    assert "too much in a ZIP file: the rest is not read" in reasons(bomb)
    assert time.process_time() - begun < 10
    locked = bytearray(good)
    locked[good.index(b"PK\1\2") + 8] |= 1
    assert reasons(bytes(locked)) == ["an archive with a password in a ZIP file"]
    moved = bytearray(good)
    struct.pack_into("<L", moved, good.index(b"PK\1\2") + 42, len(good) - 10)
    assert reasons(bytes(moved))[0].startswith(wacz.DAMAGED)
    monkeypatch.setattr(wacz, "MOST_MEMBERS", 50)
    many = packed({f"archive/{number}.warc": b"" for number in range(60)})
    assert reasons(many) == ["a ZIP file of 60 members: too many"]


def test_large_zip_files_have_an_end_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond 4 GB sizes and places are written elsewhere; here every file is said to be large."""
    members = {"archive/1.warc.gz": gzip.compress(answer(1)), "archive/2.warc": answer(2)}
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 10)
    large = packed(members)
    assert b"PK\6\6" in large
    assert bodies(large) == [b"1", b"2"]
    monkeypatch.setattr(wacz, "MOST_MEMBERS", 1)
    assert reasons(large) == ["a ZIP file of 2 members: too many"]


def test_members_within_each_other() -> None:
    """A few bytes that a thousand members share are read once, or not at all."""
    data = packed({"archive/a.warc": answer(1) * 50})
    at = data.index(b"PK\1\2")
    end = data.index(b"PK\5\6")
    entry = data[at:end]
    for shared in (entry,):
        tail = bytearray(data[end:])
        struct.pack_into("<HHL", tail, 8, 1000, 1000, 1000 * len(shared))
        assert len(bodies(data[:at] + shared * 1000 + bytes(tail))) == 50
    inner = bytearray()
    for number in range(20):  # each begins at another place
        moved = bytearray(entry)
        struct.pack_into("<L", moved, 42, number)
        inner += moved
    tail = bytearray(data[end:])
    struct.pack_into("<HHL", tail, 8, 20, 20, len(inner))
    assert reasons(data[:at] + bytes(inner) + bytes(tail)) == [
        f"{wacz.DAMAGED}: its members lie in each other"
    ]


def test_every_way_to_archives_knows_them(tmp_path: Path) -> None:
    """Documents of a folder, archives that are replayed, and pages with pictures behind a build."""
    html = HTTP + b"<title>A</title><p>A tower of stone stands on the rock by the sea."
    (tmp_path / "old.arc.gz").write_bytes(gzip.compress(about(1)) + gzip.compress(arc(1, 1, html)))
    (tmp_path / "new.wacz").write_bytes(
        packed({**DESCRIPTION, "archive/a.warc": record("http://example.org/2", html)})
    )
    (tmp_path / "notes.txt").write_text("about these archives")
    found = list(read_documents([tmp_path]))
    ids = {one.id: one.text for one in found if isinstance(one, Document)}
    assert sorted(ids) == ["http://example.org/1", "http://example.org/2"]
    assert all("A tower of stone" in text for text in ids.values())
    web = RecordedWeb(find_archives([str(tmp_path)], tmp_path))
    for url in ids:
        answered = web.answer(url)
        assert isinstance(answered, Response)
        assert b"A tower of stone" in answered.body
    pages = [
        one.page
        for path in (tmp_path / "old.arc.gz", tmp_path / "new.wacz")
        for one in read_sources([str(path)], None)
        if isinstance(one, RecordsSource)
    ]
    assert sorted(pages) == sorted(ids)


@given(st.binary(max_size=300), st.integers(0, 600), st.sampled_from(["arc", "zip", "packed"]))
def test_nothing_raises(junk: bytes, at: int, kind: str) -> None:
    data = {
        "arc": about(1) + b"\n" + arc(1) + arc(2),
        "zip": packed({"archive/a.warc": answer(1)}),
        "packed": packed({"archive/a.arc": arc(1)}, zipfile.ZIP_DEFLATED),
    }[kind]
    read(data[:at] + junk + data[at + len(junk) // 2 :])
