"""What the archive writes: readable by every tool, whole after every accident."""

import base64
import errno
import hashlib
import os
import uuid
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from warcio.checker import Checker  # type: ignore[import-untyped]

from blickfang.errors import DiskFullError, InputError
from blickfang.io.warc import Archived, read_archive, read_at
from blickfang.io.warc.archive_writer import AT_ONCE, MAX_UNCOMMITTED
from blickfang.io.warc.record_headers import new_record_id, payload_digest
from tests.crawl.warc.samples import ABOUT, DATE, PAGE, exchange, open_archive, read_with_warcio

FIRST = "test-00000.warc.gz"
TEXT = st.characters(min_codepoint=32, max_codepoint=255)


def read_all(path: Path) -> list[Archived]:
    read = list(read_archive(path))
    assert all(isinstance(one, Archived) for one in read), read
    return [one for one in read if isinstance(one, Archived)]


def test_an_exchange(tmp_path: Path) -> None:
    with open_archive(tmp_path) as archive:
        place = archive.write(exchange(truncated="time"))
        assert archive.position == (FIRST, place.offset + place.length)
    info, request, response = read_with_warcio(tmp_path / FIRST)
    assert info[0] == "warcinfo"
    assert info[1]["WARC-Filename"] == FIRST
    lines = info[2].decode().splitlines()
    assert lines[0].startswith("software: blickfang/")
    assert [f"{name}: {value}" for name, value in ABOUT.items()] == lines[3:]
    assert request[0] == "request"
    assert request[1]["WARC-Concurrent-To"] == response[1]["WARC-Record-ID"] == place.record_id
    assert response[0] == "response"
    assert response[1]["WARC-Target-URI"] == "http://example.org/cats"
    assert response[1]["WARC-Date"] == DATE
    assert response[1]["WARC-IP-Address"] == "192.0.2.1"
    assert response[1]["WARC-Truncated"] == "time"
    assert response[1]["Content-Type"] == "application/http; msgtype=response"
    assert response[1]["WARC-Payload-Digest"] == place.digest == payload_digest(PAGE)
    assert response[2] == PAGE
    assert (tmp_path / FIRST).read_bytes()[place.offset :].startswith(b"\x1f\x8b")


def test_other_tools_read_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with open_archive(tmp_path) as archive:
        for number in range(20):
            archive.write(exchange(f"http://example.org/{number}", PAGE * number))
        archive.write(
            exchange(refers_to_test := "http://example.org/again"), (refers_to_test, DATE)
        )
        archive.write_conversion(refers_to_test, DATE, PAGE, "<urn:uuid:1>")

    class Request:
        inputs = (str(tmp_path / FIRST),)
        verbose = False

    assert Checker(Request).process_all() == 0
    assert capsys.readouterr().out == ""
    from fastwarc import ArchiveIterator  # here, as its first import warns

    records = list(ArchiveIterator(str(tmp_path / FIRST), parse_http=False))
    assert len(records) == 1 + 2 * 21 + 1
    kinds = [str(record.record_type) for record in records]
    assert kinds[:3] == ["warcinfo", "request", "response"]
    again = ArchiveIterator(str(tmp_path / FIRST), verify_digests=True)
    assert sum(1 for _ in again) == len(records)


@settings(max_examples=100)
@given(
    st.binary(max_size=3000),
    st.lists(st.tuples(st.from_regex("[A-Za-z][A-Za-z0-9-]{0,8}", fullmatch=True), st.text(TEXT))),
    st.integers(100, 599),
)
def test_every_body_and_header_comes_back(
    tmp_path_factory: pytest.TempPathFactory,
    body: bytes,
    headers: list[tuple[str, str]],
    status: int,
) -> None:
    folder = tmp_path_factory.mktemp("archive")
    head = "".join(f"X-{name}: {value}\r\n" for name, value in headers).encode("latin-1")
    with open_archive(folder) as archive:
        place = archive.write(exchange(body=body, head=head, status=status))
        archive.write(exchange(body=PAGE))
    read = read_all(folder / FIRST)
    assert [one.body for one in read] == [body, PAGE]
    assert read[0].status == status
    assert read[0].place == place
    assert read_at(folder / place.file, place.offset, place.length) == read[0]
    names = {f"x-{name}".lower() for name, _ in headers}
    assert set(read[0].headers) == names
    assert [one[2] for one in read_with_warcio(folder / FIRST)][2::2] == [body, PAGE]


def test_what_is_packed_already_is_stored(tmp_path: Path) -> None:
    photo = b"\xff\xd8\xff\xe0" + os.urandom(50_000)
    with open_archive(tmp_path) as archive:
        assert archive.write(exchange(body=photo)).length < len(photo) + 1000
    assert read_all(tmp_path / FIRST)[0].body == photo
    assert read_with_warcio(tmp_path / FIRST)[2][2] == photo


def test_a_revisit_keeps_the_head_only(tmp_path: Path) -> None:
    body = os.urandom(1000)
    earlier = ("http://example.org/cats", DATE)
    with open_archive(tmp_path) as archive:
        first = archive.write(exchange(body=body))
        again = archive.write(exchange("http://example.org/2", body), earlier)
        same = archive.write(exchange(status=304, body=b""), earlier)
    assert again.length < first.length
    _, revisit, not_modified = read_all(tmp_path / FIRST)
    assert (revisit.kind, revisit.body, revisit.status) == ("revisit", b"", 200)
    assert revisit.original is not None
    assert revisit.original[1:] == ("http://example.org/cats", DATE)
    assert revisit.digest == first.digest
    assert revisit.fields["warc-profile"].endswith("/identical-payload-digest")
    assert not_modified.fields["warc-profile"].endswith("/server-not-modified")
    assert (not_modified.status, not_modified.digest) == (304, "")
    assert same.record_id == not_modified.record_id
    assert len(read_with_warcio(tmp_path / FIRST)) == 7


def test_conversion(tmp_path: Path) -> None:
    with open_archive(tmp_path) as archive:
        place = archive.write(exchange())
        made = archive.write_conversion("http://example.org/cats", DATE, PAGE, place.record_id)
    _, conversion = read_all(tmp_path / FIRST)
    assert conversion.kind == "conversion"
    assert conversion.body == PAGE
    assert conversion.headers["content-type"] == "text/html; charset=utf-8"
    assert conversion.original is not None
    assert conversion.original.record_id == place.record_id
    assert conversion.place == made
    kind, fields, content = read_with_warcio(tmp_path / FIRST)[-1]
    assert (kind, fields["WARC-Refers-To"], content) == ("conversion", place.record_id, PAGE)


def test_rolls(tmp_path: Path) -> None:
    with open_archive(tmp_path, roll_at=3000) as archive:
        places = [archive.write(exchange(f"http://example.org/{n}")) for n in range(30)]
        archive.flush(sync=True)
        last = archive.position
    files = sorted(path.name for path in tmp_path.iterdir())
    assert len(files) > 3
    assert files[-1] == last[0]
    for name in files:
        assert read_with_warcio(tmp_path / name)[0][0] == "warcinfo"
    read = [one for name in files for one in read_all(tmp_path / name)]
    assert [one.place for one in read] == places
    assert [one.url for one in read] == [f"http://example.org/{n}" for n in range(30)]


@settings(max_examples=100)
@given(st.integers(0, 12), st.integers(0, 12), st.floats(0, 1), st.binary(max_size=200))
def test_a_killed_crawl_goes_on_from_its_last_commit(
    tmp_path_factory: pytest.TempPathFactory,
    committed: int,
    lost: int,
    part: float,
    garbage: bytes,
) -> None:
    folder = tmp_path_factory.mktemp("archive")
    archive = open_archive(folder, roll_at=3000)
    for number in range(committed):
        archive.write(exchange(f"http://example.org/{number}"))
    archive.flush()
    position = archive.position if committed else None
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    for number in range(lost):
        archive.write(exchange(f"http://example.org/lost/{number}"))
    archive.close()
    last = max(folder.iterdir())
    whole = last.read_bytes()
    keep = before.get(last.name, b"")
    cut = len(keep) + int(part * (len(whole) - len(keep)))
    last.write_bytes(whole[:cut] + garbage)  # as a write that was under way
    with open_archive(folder, position, roll_at=3000) as archive:
        if position is not None:
            assert archive.position[1] >= position[1] or archive.position[0] > position[0]
            for name, content in before.items():
                assert (folder / name).read_bytes() == content
        archive.write(exchange("http://example.org/next"))
    read = [one for path in sorted(folder.iterdir()) for one in read_all(path)]
    kept = [f"http://example.org/{number}" for number in range(committed)]
    assert [one.url for one in read] == [*kept, "http://example.org/next"]
    for path in folder.iterdir():
        read_with_warcio(path)


def test_closing_is_no_end(tmp_path: Path) -> None:
    archive = open_archive(tmp_path, roll_at=1000)
    for number in range(9):
        archive.write(exchange(f"http://example.org/{number}"))
        archive.close()
        archive.close()
        archive.flush(sync=True)
    archive.close()
    read = [one for path in sorted(tmp_path.iterdir()) for one in read_all(path)]
    assert [one.url[-1] for one in read] == list("012345678")


def test_other_archives_in_the_folder_stay(tmp_path: Path) -> None:
    for name in ("test-00000.warc", "tests-00000.warc.gz", "test-00001.warc.gz.txt"):
        (tmp_path / name).write_text("mine")
    with open_archive(tmp_path) as archive:
        archive.write(exchange())
    assert len(list(tmp_path.iterdir())) == 4


def test_an_archive_that_the_state_does_not_know_is_not_deleted(tmp_path: Path) -> None:
    with (tmp_path / FIRST).open("wb") as file:
        file.truncate(MAX_UNCOMMITTED + 1)  # takes no room
    with pytest.raises(InputError, match="does not know"):
        open_archive(tmp_path)
    assert (tmp_path / FIRST).exists()


def test_an_archive_that_lost_records_is_not_continued(tmp_path: Path) -> None:
    with open_archive(tmp_path) as archive:
        archive.write(exchange())
        name, length = archive.position
    with pytest.raises(InputError, match="has lost 5 bytes"):
        open_archive(tmp_path, (name, length + 5))
    with pytest.raises(InputError, match="has lost"):
        open_archive(tmp_path, ("test-00001.warc.gz", 100))
    with pytest.raises(ValueError, match="no file of the archive"):
        open_archive(tmp_path, ("other-00000.warc.gz", 0))


def test_a_full_disk_leaves_whole_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    really_write = os.pwrite

    def write_a_part(file: int, data: bytes, offset: int) -> int:
        if len(data) <= 300:
            raise OSError(errno.ENOSPC, "No space left on device")
        return really_write(file, data[:300], offset)

    archive = open_archive(tmp_path)
    archive.write(exchange())
    position = archive.position
    monkeypatch.setattr(os, "pwrite", write_a_part)
    with pytest.raises(DiskFullError, match=r"cannot write .*test-00000.*no room left"):
        archive.write(exchange("http://example.org/2"))
    assert archive.position == position
    assert (tmp_path / FIRST).stat().st_size == position[1]
    monkeypatch.undo()
    archive.write(exchange("http://example.org/3"))
    archive.close()
    urls = [one.url for one in read_all(tmp_path / FIRST)]
    assert urls == ["http://example.org/cats", "http://example.org/3"]


def test_a_full_disk_while_a_file_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with open_archive(tmp_path, roll_at=100) as archive:
        archive.write(exchange())
        monkeypatch.setattr(os, "pwrite", fail)
        for _ in range(2):
            with pytest.raises(DiskFullError):
                archive.write(exchange())
        monkeypatch.undo()
        place = archive.write(exchange())
        archive.flush()
    assert read_with_warcio(tmp_path / place.file)[0][0] == "warcinfo"
    assert len(read_all(tmp_path / place.file)) == 1


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot write to"):
        open_archive(tmp_path / "file")


def test_mistakes_of_ours_raise_and_leave_no_trace(tmp_path: Path) -> None:
    with open_archive(tmp_path) as archive:
        position = archive.position
        with pytest.raises(ValueError, match="empty line"):
            archive.write(exchange(head=b"A: 1\r\n\r\nB: 2\r\n"))
        with pytest.raises(ValueError, match="line break"):
            archive.write(exchange(), ("http://example.org/\r\nWARC-Type: x", DATE))
        assert archive.position == position
        archive.write(exchange())
    assert len(read_with_warcio(tmp_path / FIRST)) == 3


@given(st.binary())
def test_digests_are_as_is_customary(body: bytes) -> None:
    expected = base64.b32encode(hashlib.sha1(body).digest()).decode()  # noqa: S324
    assert payload_digest(body) == f"sha1:{expected}"


def test_records_have_random_ids() -> None:
    ids = {new_record_id() for _ in range(1000)}
    assert len(ids) == 1000
    for one in ids:
        known = uuid.UUID(one.removeprefix("<urn:uuid:").removesuffix(">"))
        assert (known.version, known.variant) == (4, uuid.RFC_4122)
        assert one == f"<{known.urn}>"


def test_large_bodies_are_packed_in_pieces(tmp_path: Path) -> None:
    large = b"a page of text, again and again. " * (AT_ONCE // 30)
    with open_archive(tmp_path) as archive:
        archive.write(exchange(body=large))
        archive.write(exchange(body=PAGE))
    bodies = [body for kind, _, body in read_with_warcio(tmp_path / FIRST) if kind == "response"]
    assert bodies == [large, PAGE]
