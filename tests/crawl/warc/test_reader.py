"""Archives of other people, and damaged ones: what can be read is read, the rest is reported."""

import gzip
import io
import zlib
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from warcio.statusandheaders import StatusAndHeaders  # type: ignore[import-untyped]
from warcio.warcwriter import WARCWriter  # type: ignore[import-untyped]

from blickfang.errors import InputError
from blickfang.io.warc import Archived, read_archive, read_at
from blickfang.io.warc import warc_records as records
from blickfang.io.warc.byte_stream import Tape
from blickfang.io.warc.record_types import archived_response
from blickfang.types import Failure
from tests.crawl.warc.samples import PAGE, exchange, open_archive

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


def record(
    url: str,
    block: bytes,
    kind: str = "response",
    version: str = "1.0",
    length: int | None = None,
    more: str = "",
) -> bytes:
    head = (
        f"WARC/{version}\r\nWARC-Type: {kind}\r\nWARC-Date: 2014-08-02T09:52:13Z\r\n"
        f"WARC-Record-ID: <urn:uuid:ffbfb0c0-6456-42b0-af03-3867be6fc09f>\r\n"
        f"WARC-Target-URI: {url}\r\n{more}Content-Type: application/http; msgtype={kind}\r\n"
        f"Content-Length: {len(block) if length is None else length}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def read(data: bytes) -> list[Archived | Failure]:
    return list(read_archive(io.BytesIO(data)))


def bodies(data: bytes) -> list[bytes | str]:
    return [one.reason if isinstance(one, Failure) else one.body for one in read(data)]


def answer(number: int) -> bytes:
    return record(f"http://example.org/{number}", HEAD + b"\r\n" + b"%d" % number)


def in_chunks(body: bytes, size: int) -> bytes:
    parts = [body[at : at + size] for at in range(0, len(body), size)]
    chunks = [b"%X;name=value\r\n%b\r\n" % (len(part), part) for part in parts]
    return b"".join([*chunks, b"0\r\nTrailer: x\r\n\r\n"])


ODD_LINES = (
    b"WARC-Target-URI: http://example.org/\r\n",
    b"WARC-Type: response\r\n",
    b"Content-Length: 3\r\n",
    b"CONTENT-length \t: 4 \x0b\r\n",
    b"X-Caf\xc3\xa9: 1\r\n",
    b"X-Name: caf\xe9\xc2\xa0\r\n",
    b"X-Name:\x1c a : b\x1f\r\n",
    b"  goes on\r\n",
    b"only LF: 1\n",
    b"CR \r within: 1\r\n",
    b" \r\n",
    b"\r\n",
    b"no field\r\n",
    b"WARC/1.0\r\n",
    b"X: " + b"y" * 4100 + b"\r\n",
)


@given(lines=st.lists(st.sampled_from(ODD_LINES), max_size=8), end=st.sampled_from([b"\r\n", b""]))
@settings(deadline=None)
def test_heads_read_at_once_are_what_they_are_line_by_line(lines: list[bytes], end: bytes) -> None:
    data = b"WARC/1.0\r\n" + b"".join(lines) + end + b"abc\r\n\r\n" + answer(1)
    at_once = list(records.read_records(Tape(io.BytesIO(data))))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records, "_read_plain", lambda _: {})
        assert at_once == list(records.read_records(Tape(io.BytesIO(data))))


def test_an_archive_of_common_crawl(tmp_path: Path) -> None:
    records = [
        record("", b"software: Nutch\r\n", "warcinfo"),
        record("http://example.org/", b"GET / HTTP/1.1\r\n\r\n", "request"),
        record("http://example.org/", HEAD + b"X-A: 1\r\nX-A: 2\r\n\r\n" + PAGE),
        record("http://example.org/", b"fetchTimeMs: 3\r\n", "metadata"),
        record("dns:example.org", b"20140802 example.org 192.0.2.1", "response"),
        record("<http://example.org/2>", HEAD + b"\r\n"),
    ]
    path = tmp_path / "crawl.warc.gz"
    path.write_bytes(b"".join(map(gzip.compress, records)))
    first, second = read_archive(path)
    assert isinstance(first, Archived)
    assert isinstance(second, Archived)
    assert (first.url, first.status, first.body) == ("http://example.org/", 200, PAGE)
    assert first.headers == {"content-type": "text/html", "x-a": "1, 2"}
    assert first.date == "2014-08-02T09:52:13Z"
    assert second.url == "http://example.org/2"
    for one in (first, second):
        assert one.place is not None
        assert read_at(path, one.place.offset, one.place.length) == one
        assert archived_response(one).body == one.body


@pytest.mark.parametrize("packing", ["none", "one", "each", "blocks", "lz4", "zstd"])
def test_every_packing(packing: str, tmp_path: Path) -> None:
    from fastwarc.stream_io import Lz4Writer, ZstdWriter  # here, as its first import warns

    records = [answer(number) for number in range(200)]
    whole = b"".join(records)
    out = io.BytesIO()
    if packing in ("lz4", "zstd"):
        writer = Lz4Writer(out) if packing == "lz4" else ZstdWriter(out)
        for data in records:
            writer.write(data)
            writer.finish()
            writer.flush()
    packed = {
        "none": whole,
        "one": gzip.compress(whole),
        "each": b"".join(map(gzip.compress, records)),
        "blocks": b"".join(gzip.compress(whole[at : at + 777]) for at in range(0, len(whole), 777)),
    }
    path = tmp_path / "archive"
    path.write_bytes(packed.get(packing, out.getvalue()))
    found = [one for one in read_archive(path) if isinstance(one, Archived)]
    assert [one.body for one in found] == [b"%d" % number for number in range(200)]
    if packing in ("none", "each"):
        for one in found:
            assert one.place is not None
            assert read_at(path, one.place.offset, one.place.length) == one
    elif packing == "one":
        assert all(one.place is None for one in found)


@settings(max_examples=100)
@given(st.lists(st.integers(0, 5000)))
def test_gzip_members_may_end_anywhere(cuts: list[int]) -> None:
    whole = b"".join(answer(number) for number in range(10))
    at = [0, *sorted(min(cut, len(whole)) for cut in cuts), len(whole)]
    members = [gzip.compress(whole[begin:end], 1) for begin, end in pairwise(at)]
    assert bodies(b"".join(members)) == [b"%d" % number for number in range(10)]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # of warcio's files
@pytest.mark.parametrize(("is_packed", "version"), [(True, "1.0"), (False, "1.1")])
def test_an_archive_that_warcio_wrote(is_packed: bool, version: str) -> None:
    out = io.BytesIO()
    writer = WARCWriter(out, gzip=is_packed, warc_version=version)
    writer.write_record(writer.create_warcinfo_record("x.warc", {"software": "warcio"}))
    headers = [("Content-Type", "text/html"), ("Content-Encoding", "gzip")]
    http = StatusAndHeaders("200 OK", headers, protocol="HTTP/1.1")
    body = io.BytesIO(gzip.compress(PAGE))
    url = "http://example.org/"
    answered = writer.create_warc_record(url, "response", body, http_headers=http)
    writer.write_record(answered)
    digest = answered.rec_headers.get_header("WARC-Payload-Digest")
    writer.write_record(
        writer.create_revisit_record(url, digest, url, "2020-01-01T00:00:00Z", http_headers=http)
    )
    first, revisit = read(out.getvalue())
    assert isinstance(first, Archived)
    assert (first.body, first.digest, first.status) == (PAGE, digest, 200)
    assert isinstance(revisit, Archived)
    assert revisit.original == ("", url, "2020-01-01T00:00:00Z")


def test_chunked_and_packed_answers() -> None:
    packed = in_chunks(gzip.compress(PAGE), 50)
    head = HEAD + b"Transfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n"
    assert bodies(record("http://example.org/", head + packed)) == [PAGE]
    found = read(record("http://example.org/", head + packed[:-100]))[0]
    assert isinstance(found, Archived)
    assert found.truncated == "unspecified"
    assert PAGE.startswith(found.body)
    assert found.body
    # Common Crawl once undid encodings and left the headers as they were.
    assert bodies(record("http://example.org/", head + PAGE)) == [PAGE]


def test_a_bomb_is_cut() -> None:
    head = HEAD + b"Content-Encoding: gzip, gzip\r\n\r\n"
    bomb = gzip.compress(gzip.compress(b"\0" * 10**8))
    data = record("http://example.org/", head + bomb)
    found = list(read_archive(io.BytesIO(gzip.compress(data)), max_body=10**6))
    assert [(len(one.body), one.truncated) for one in found if isinstance(one, Archived)] == [
        (10**6, "length")
    ]


def test_a_huge_record_is_skipped() -> None:
    huge = record("http://example.org/huge", HEAD + b"\r\n" + b"\0" * (2**26 + 1))
    found = read(gzip.compress(huge) + gzip.compress(answer(1)))
    assert found[0] == Failure("http://example.org/huge", "archive", "record too long")
    assert isinstance(found[1], Archived)
    lie = record("http://example.org/lie", b"short", length=10**17)
    assert bodies(lie) == ["record too long"]
    assert bodies(record("http://example.org/lie", b"short", length=10**25)) == [
        "record without a length"
    ]


def clueweb(
    number: int, url: str, html: bytes, length: int | None = None, surplus: int = 0
) -> bytes:
    """Return a record as ClueWeb09 has them."""
    block = b"HTTP/1.1 200 OK\nContent-Type: text/html\nServer: WebServerX\n\n" + html
    head = (
        f"WARC/0.18\nWARC-Type: response\nWARC-Target-URI: {url}\n"
        "WARC-Warcinfo-ID: 993d3969-9643-4934-b1c6-68d4dbe55b83\n"
        "WARC-Date: 2009-03-65T08:43:19-0800\n"
        f"WARC-Record-ID: <urn:uuid:67f7cabd-146c-41cf-bd01-04f5fa7d{number:04}>\n"
        f"WARC-TREC-ID: clueweb09-en0000-00-{number:05}\n"
        "Content-Type: application/http;msgtype=response\nWARC-Identified-Payload-Type: \n"
        f"Content-Length: {(len(block) if length is None else length) + surplus}\n\n"
    )
    return head.encode("latin-1") + block + b"\n\n"


def test_clueweb09() -> None:
    info = (
        b"WARC/0.18\nWARC-Type: warcinfo\nWARC-Date: 2009-03-65T08:43:19-0800\n"
        b"WARC-Record-ID: <urn:uuid:993d3969-9643-4934-b1c6-68d4dbe55b83>\n"
        b"Content-Type: application/warc-fields\nContent-Length: 219\n\n"
        b"software: Nutch 1.0-dev (modified for clueweb09)\nisPartOf: clueweb09-en\n"
        b"description: clueweb09 crawl with WARC output\nformat: WARC file version 0.18\n"
        b"conformsTo: http://www.archive.org/documents/WarcFileFormat-0.18.html\n\n"
    )
    html = b"<html>\n\n<p>caf\xe9\n</html>"
    records = [
        clueweb(0, "http://00000-nrt-realestate.homepagestartup.com/", html),
        clueweb(1, "http://example.org/short", html, length=70),
        clueweb(2, "http://example.org/long", html, length=700),
        clueweb(3, "http://example.org/empty\n", html),
        clueweb(4, "http://example.org/with\n\na/break", html),
        clueweb(5, "http://2fered.tistory.com/tag/\x08\xc3\x80\xc2\xa4", html),
        clueweb(6, "http://example.org/last", html),
    ]
    whole = info + b"".join(records)
    for data in (whole, gzip.compress(whole), b"".join(map(gzip.compress, [info, *records]))):
        found = read(data)
        answers = [one for one in found if isinstance(one, Archived)]
        assert len(answers) == len(found) == 7, found
        assert {one.body.rstrip(b"\n") for one in answers} == {html}
        assert {one.date for one in answers} == {"2009-03-06T16:43:19Z"}
        assert {one.status for one in answers} == {200}
        assert answers[4].url == "http://example.org/witha/break"
        ids = [one.fields["warc-trec-id"] for one in answers]
        assert ids == [f"clueweb09-en0000-00-{number:05}" for number in range(7)]


def test_a_length_that_is_too_great_costs_one_record_only() -> None:
    wrong = record("http://example.org/0", HEAD + b"\r\nwrong", length=400)
    assert bodies(answer(1) + wrong + answer(2) + answer(3)) == [b"1", b"wrong", b"2", b"3"]
    alone = gzip.compress(wrong)
    assert bodies(alone + gzip.compress(answer(2))) == ["record shorter than it says", b"2"]


@given(
    surplus=st.integers(1, 200),
    wrong=st.integers(0, 1),
    packing=st.sampled_from(["no", "one", "each"]),
)
@settings(deadline=None)
@example(surplus=3, wrong=0, packing="no")
@example(surplus=21, wrong=1, packing="one")
def test_no_surplus_of_a_length_costs_the_next_record(
    surplus: int, wrong: int, packing: str
) -> None:
    html = b"<p>Text\nWARC/1.0\nWARC/0.18 of %d"
    old, new = [], []
    for number in range(3):
        more = surplus if number == wrong else 0
        url, page = f"http://example.org/{number}", html % number
        old.append(clueweb(number, url, page, surplus=more))
        new.append(record(url, HEAD + b"\r\n" + page, length=len(HEAD) + 2 + len(page) + more))
    # In WARC/1.0 the end of a gzip member before that of a record is damage, and is said to be.
    for members in (old,) if packing == "each" else (old, new):
        data = b"".join(map(gzip.compress, members) if packing == "each" else members)
        found = read(gzip.compress(data) if packing == "one" else data)
        pages = [one for one in found if isinstance(one, Archived)]
        assert len(found) == len(pages) == 3, found
        assert [one.body.rstrip(b"\r\n") for one in pages] == [html % n for n in range(3)]
        for one in pages:
            place = one.place
            assert (place is None) == (packing == "one")
            assert place is None or read_at(io.BytesIO(data), place.offset, place.length) == one


def test_what_lies_between_records_is_reported() -> None:
    data = answer(1) + b"rubbish\r\nmore rubbish\r\n" + answer(2) + b"\r\n\r\n\r\n" + answer(3)
    assert bodies(data) == [b"1", "no record where one should begin", b"2", b"3"]


def test_a_file_that_ends_too_soon() -> None:
    data = gzip.compress(answer(1)) + gzip.compress(answer(2))
    for cut in range(1, len(gzip.compress(answer(2)))):
        first, *rest = bodies(data[:-cut])
        assert first == b"1"
        assert rest in ([b"2", "file ends within a record"], ["file ends within a record"])
        assert cut < 12 or len(rest) == 1  # before that, only the check sum is missing
    assert bodies((answer(1) + answer(2))[:-10]) == [b"1", "record shorter than it says"]
    assert bodies(data + b"\0" * 512) == [b"1", b"2"]


def test_damage_costs_the_damaged_records_only() -> None:
    members = [gzip.compress(answer(number)) for number in range(5)]
    members[2] = members[2][:60] + b"????" + members[2][64:]
    assert bodies(b"".join(members)) == [b"0", b"1", "damaged data", b"3", b"4"]
    members[1] = members[1][:-3]
    assert bodies(b"".join(members)) == [b"0", "damaged data", b"3", b"4"]


def test_what_is_no_archive(tmp_path: Path) -> None:
    for nothing in (b"", b"\r\n\r\n", gzip.compress(b"")):
        assert bodies(nothing) == ["empty file"]
    assert bodies(b"<html>") == ["not a WARC, ARC or WACZ file"]
    assert bodies(b"<html>\r\n\r\n" + answer(1)) == ["no record where one should begin", b"1"]
    assert bodies(b"WARC/1.0\r\n\r\n") == ["record without a length"]
    assert bodies(record("http://example.org/", b"<html>")) == ["no HTTP response"]
    with pytest.raises(InputError, match="cannot read"):
        list(read_archive(tmp_path / "missing"))
    with pytest.raises(InputError, match="cannot read"):
        read_at(tmp_path / "missing", 0, 1)
    with open_archive(tmp_path) as archive:
        place = archive.write(exchange())
    path = tmp_path / place.file
    other = read_at(path, 0, place.offset)
    assert other == Failure(str(path), "archive", "a record of another kind")
    assert isinstance(read_at(path, place.offset + 5, place.length), Failure)
    assert isinstance(read_at(path, 10**9, 10), Failure)


def test_other_records_of_the_web() -> None:
    data = record("http://example.org/a.txt", b"text", "resource").replace(
        b"application/http; msgtype=resource", b"text/plain"
    )
    data += record("http://example.org/", b"", "revisit", more="WARC-Refers-To: <urn:uuid:1>\r\n")
    part = record("http://example.org/", HEAD + b"\r\npart", more="WARC-Segment-Number: 1\r\n")
    resource, revisit, segment = read(data + part)
    assert isinstance(resource, Archived)
    assert (resource.body, resource.headers) == (b"text", {"content-type": "text/plain"})
    assert isinstance(revisit, Archived)
    assert (revisit.status, revisit.body) == (0, b"")
    assert revisit.original == ("<urn:uuid:1>", "", "")
    assert isinstance(segment, Archived)
    assert segment.truncated == "length"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("2014-08-02T09:52:13Z", "2014-08-02T09:52:13Z"),
        ("2014-08-02T09:52:13.123456Z", "2014-08-02T09:52:13.123456Z"),
        ("2014-08-02T09:52:13+02:00", "2014-08-02T07:52:13Z"),
        ("2009-03-84T15:35:08-0700", "2009-03-25T22:35:08Z"),
        ("2009-01-12T15:35:08-0700", "2009-01-12T22:35:08Z"),
        ("0000-00-00T00:00:00+0000", "0000-00-00T00:00:00+0000"),
        ("yesterday", "yesterday"),
        ("", ""),
    ],
)
def test_dates(written: str, meant: str) -> None:
    data = answer(1).replace(b"2014-08-02T09:52:13Z", written.encode())
    found = read(data)[0]
    assert isinstance(found, Archived)
    assert found.date == meant


@given(st.binary(max_size=400), st.integers(0, 3000), st.booleans())
def test_no_content_raises(noise: bytes, at: int, is_packed: bool) -> None:
    good = answer(1) + clueweb(1, "http://example.org/", PAGE[:300]) + answer(2)
    data = gzip.compress(good) if is_packed else good
    at %= len(data) + 1
    read(data[:at] + noise + data[at + len(noise) :])
    read(data[:at] + noise + data[at:])
    read(data[:at] + zlib.compress(noise))
    read(noise)
