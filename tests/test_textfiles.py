"""Text files as they come: encodings, compression, sizes, and what is no text."""

import bz2
import gzip
import io
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest

from blickfang.errors import InputError
from blickfang.io import text_files
from blickfang.io.text_files import read_lines, read_text


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("Grüße".encode(), "Grüße"),
        ("Grüße".encode("utf-8-sig"), "Grüße"),
        ("Grüße".encode("utf-16"), "Grüße"),
        ("Grüße".encode("utf-32"), "Grüße"),
        (b"\x00\x00\xfe\xff" + "Grüße".encode("utf-32-be"), "Grüße"),
        ("Grüße für alle".encode("latin-1"), "Grüße für alle"),
        ("Grüße, größer, schöner ".encode() + b"\xff", "Grüße, größer, schöner \ufffd"),
        (b"", ""),
    ],
)
def test_any_encoding(tmp_path: Path, data: bytes, text: str) -> None:
    path = tmp_path / "text.txt"
    path.write_bytes(data)
    assert read_text(path) == text
    assert [line for batch in read_lines(path) for line in batch] == ([text] if text else [])


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip), (".xz", lzma), (".bz2", bz2)])
def test_compressed(tmp_path: Path, suffix: str, pack: object) -> None:
    path = tmp_path / f"text.txt{suffix}"
    packed: bytes = pack.compress(b"one\ntwo\r\n\nfour")  # type: ignore[attr-defined]
    path.write_bytes(packed)
    assert list(read_lines(path)) == [["one", "two", "", "four"]]
    path.write_bytes(packed[:-6])
    with pytest.raises(InputError):
        list(read_lines(path))


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, bz2.compress, bytes])
def test_what_has_no_known_name_is_told_by_its_first_bytes(
    monkeypatch: pytest.MonkeyPatch, pack: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    (tmp_path / "page").write_bytes(pack(b"one\ntwo"))
    assert read_text(tmp_path / "page") == "one\ntwo"
    (tmp_path / "page").write_bytes(pack(b"one\ntwo")[:-1])
    if pack is not bytes:
        with pytest.raises(InputError, match="damaged"):
            read_text(tmp_path / "page")
    for read in (read_text, lambda path: "\n".join(next(read_lines(path)))):
        stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(pack(b"one\ntwo"))))
        monkeypatch.setattr("sys.stdin", stdin)
        assert read(Path("-")) == "one\ntwo"


def test_only_newlines_end_lines(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("a\u2028b\x0bc\nd")
    assert list(read_lines(path)) == [["a\u2028b\x0bc", "d"]]


def test_batches_hold_all_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_files, "BATCH_CHARS", 10)
    path = tmp_path / "text.txt"
    path.write_text("".join(f"line {i}\n" for i in range(20)))
    batches = list(read_lines(path))
    assert len(batches) > 5
    assert [line for batch in batches for line in batch] == [f"line {i}" for i in range(20)]


def test_an_endless_line_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_files, "MAX_LINE", 1000)
    path = tmp_path / "text.txt"
    path.write_text("fine\n" + "word " * 300)
    with pytest.raises(InputError, match="line 2"):
        list(read_lines(path))


@pytest.mark.parametrize("data", [bytes(range(256)) * 4, b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"])
def test_binary_files_are_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    with pytest.raises(InputError, match="binary"):
        read_text(path)
    with pytest.raises(InputError, match="binary"):
        list(read_lines(path))


def test_what_cannot_be_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in (tmp_path / "missing.txt", tmp_path):
        with pytest.raises(InputError, match="cannot read"):
            read_text(path)
    monkeypatch.setattr(text_files, "MAX_PAGE_BYTES", 3)
    (tmp_path / "large.txt").write_text("four")
    with pytest.raises(InputError, match="larger"):
        read_text(tmp_path / "large.txt")


def test_lines_of_marked_encodings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_files, "BATCH_CHARS", 30)
    lines = [f"Zeile \u2028 über {i}" for i in range(100)]
    for encoding in ("utf-8-sig", "utf-16", "utf-32"):
        path = tmp_path / encoding
        path.write_bytes("\r\n".join(lines).encode(encoding))
        assert [line for batch in read_lines(path) for line in batch] == lines


def test_a_later_line_has_no_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_bytes("first\nÿþ sind Buchstaben".encode("latin-1"))
    assert list(read_lines(path)) == [["first", "ÿþ sind Buchstaben"]]
