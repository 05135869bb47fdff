"""PDFs: heads of papers, and files that want to hurt."""

import time
import zlib
from pathlib import Path
from unittest.mock import patch

import pytest

from blickfang.records.persons import pdf_head, read_pdf_head
from blickfang.records.persons.person_values import PaperHead
from blickfang.types import Failure
from tests.academia import MAILS, PLACE, SPEAKER, abstract_of, make_locked, make_paper, make_scan


def write_pdf(objects: dict[int, bytes], trailer: bytes = b"") -> bytes:
    """Return a PDF of some objects; 1 is its root."""
    parts, places, at = [b"%PDF-1.5\n"], {}, 9
    for number, body in objects.items():
        places[number] = at
        parts.append(b"%d 0 obj\n%s\nendobj\n" % (number, body))
        at += len(parts[-1])
    size = max(objects) + 1
    free = b"0000000000 65535 f \n"
    rows = [b"%010d 00000 n \n" % places[n] if n in places else free for n in range(size)]
    parts.append(b"xref\n0 %d\n%s" % (size, b"".join(rows)))
    parts.append(b"trailer\n<< /Size %d /Root 1 0 R %s >>\n" % (size, trailer))
    return b"".join(parts) + b"startxref\n%d\n%%%%EOF\n" % at


def stream(body: bytes, filters: bytes = b"") -> bytes:
    """Return a stream object."""
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(body), filters, body)


ROOT = b"<< /Type /Catalog /Pages 2 0 R >>"
ONE_PAGE = b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>"
FONT = b"<< /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Times-Roman >> >> >>"
LEAF = (
    b"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /MediaBox [0 0 600 800] /Resources %s >>" % FONT
)
HELLO = b"BT /F 20 Tf 50 700 Td (A Title of Four Words) Tj ET"


def plain(contents: bytes) -> bytes:
    """Return a PDF of one page with some contents."""
    return write_pdf({1: ROOT, 2: ONE_PAGE, 3: LEAF, 4: contents})


def bomb(rounds: int) -> bytes:
    """Return a stream that unpacks to much more than it is."""
    body = b" " * 100_000_000
    for _ in range(rounds):
        body = zlib.compress(body, 6)
    return stream(body, b"/Filter [%s]" % (b"/FlateDecode " * rounds))


def many_pages(number: int) -> bytes:
    """Return a PDF with so many pages, all below one node."""
    kids = b" ".join(b"%d 0 R" % at for at in range(5, 5 + number))
    objects = {1: ROOT, 2: b"<< /Type /Pages /Count %d /Kids [%s] >>" % (number, kids)}
    objects |= {4: stream(HELLO), **dict.fromkeys(range(5, 5 + number), LEAF)}
    return write_pdf(objects)


def nested_objects() -> bytes:
    """Return a PDF whose object stream holds arrays in arrays in arrays."""
    inner = b"7 0 " + b"[" * 200_000
    packed = stream(zlib.compress(inner), b"/Type /ObjStm /N 1 /First 4 /Filter /FlateDecode")
    return write_pdf({1: b"[" * 100_000, 2: ONE_PAGE, 3: LEAF, 4: packed})


HOSTILE = {
    "loop in xref": plain(stream(HELLO)).replace(b"/Root 1 0 R", b"/Prev 9 /Root 1 0 R"),
    "xref at itself": b"%PDF-1.4\nxref\n0 0\ntrailer <</Prev 9 /Root 1 0 R>>\nstartxref\n9\n%%EOF",
    "pages in a circle": write_pdf(
        {1: ROOT, 2: b"<< /Type /Pages /Count 9 /Kids [2 0 R 2 0 R] >>"}
    ),
    "root is itself": write_pdf({1: b"1 0 R"}),
    "contents in a circle": write_pdf({1: ROOT, 2: ONE_PAGE, 3: LEAF, 4: b"[4 0 R 4 0 R]"}),
    "bomb": plain(bomb(1)),
    "bomb in a bomb": plain(bomb(2)),
    "nested": nested_objects(),
    "forms that draw themselves": write_pdf(
        {
            1: ROOT,
            2: ONE_PAGE,
            3: LEAF.replace(FONT, b"<< /XObject << /X 5 0 R >> >>"),
            4: stream(b"/X Do /X Do /X Do"),
            5: stream(
                b"/X Do /X Do",
                b"/Type /XObject /Subtype /Form /Resources << /XObject << /X 5 0 R >> >>",
            ),
        }
    ),
    "a number as long as a book": plain(stream(b"BT " + b"9" * 3_000_000 + b" Tf ET")),
    "cut": make_paper(SPEAKER[0], PLACE, MAILS)[:900],
}


def test_the_head_of_a_paper() -> None:
    work = SPEAKER[0]
    data = make_paper(work, PLACE, MAILS)
    expected = PaperHead(
        work.title,
        ("Department of Speech, Northern University, Seaside 4, 20001 Nordstadt",),
        ("mueller@speech.nord.test", "okafor@speech.nord.test"),
        abstract_of(work),
    )
    assert read_pdf_head(data, "u", work.title, work.authors) == expected
    assert read_pdf_head(data, "u") == expected  # also when nothing is known of it
    other = read_pdf_head(data, "u", "Something Else Altogether")
    assert isinstance(other, Failure)
    assert other.reason.startswith("another paper")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (make_locked(), "encrypted"),
        (make_scan(), "no text: scanned, or drawn"),
        (b"<html>log in</html>", "not a PDF"),
        (b"", "not a PDF"),
        (b"%PDF-" + bytes(30_000_000), "larger than 30 MB"),
    ],
)
def test_what_cannot_be_read_says_why(data: bytes, reason: str) -> None:
    assert read_pdf_head(data, "u") == Failure("u", "papers", reason)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_end_soon_and_quietly(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    before = time.monotonic()
    assert isinstance(read_pdf_head(HOSTILE[name], "u"), Failure | PaperHead), name
    assert time.monotonic() - before < pdf_head.MOST_S + 5
    assert capfd.readouterr() == ("", "")


def test_only_the_first_pages_are_looked_at() -> None:
    head = read_pdf_head(many_pages(100_000), "u")
    assert isinstance(head, PaperHead)
    assert head.title == "A Title of Four Words"


def test_a_file_that_needs_too_long_is_left(tmp_path: Path) -> None:
    slow = tmp_path / "slow.py"
    slow.write_text("import time\ntime.sleep(60)\n")
    with patch.object(pdf_head, "PROGRAM", slow), patch.object(pdf_head, "MOST_S", 0.5):
        assert read_pdf_head(b"%PDF-1", "u") == Failure("u", "papers", pdf_head.TOO_SLOW)


def test_a_process_that_dies_is_a_failure(tmp_path: Path) -> None:
    dying = tmp_path / "dying.py"
    dying.write_text("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n")
    with patch.object(pdf_head, "PROGRAM", dying):
        assert read_pdf_head(b"%PDF-1", "u") == Failure("u", "papers", pdf_head.ENDED)
