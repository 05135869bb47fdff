"""Reading text files that come as they are: any encoding, compressed or not, huge or broken.

In: a path, `-` for standard input. Out: the text, or its lines in batches; `InputError` for what
is no text. Decoding never fails: what no encoding explains becomes U+FFFD.
"""

import bz2
import codecs
import gzip
import io
import lzma
import re
import sys
import tomllib
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, BinaryIO

from blickfang.errors import InputError, SettingsError

MAX_LINE = 64 * 2**20  # a longer one is no sentence; it would fill the memory
MAX_PAGE_BYTES = 64 * 2**20
MAX_TOML_BYTES = 2**20
# The time that tomllib takes for a key grows with the square of its parts.
LONG_KEY = re.compile(
    r"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){100}""", re.ASCII
)
BATCH_CHARS = 4 * 2**20
SNIFF_BYTES = 4096


def _open_zstd(path: Path) -> AbstractContextManager[Any]:
    from pyarrow import input_stream  # who reads no such file need not wait for it

    return io.BufferedReader(input_stream(str(path), compression="zstd"))


OPENERS: dict[str, Callable[[Path], AbstractContextManager[Any]]] = {
    ".gz": gzip.open,
    ".xz": lzma.open,
    ".bz2": bz2.open,
    ".zst": _open_zstd,
}
# What has no name is told by its first bytes.
MAGIC: dict[bytes, Callable[[Any], AbstractContextManager[Any]]] = {
    b"\x1f\x8b": gzip.open,
    b"\xfd7zXZ\0": lzma.open,
    b"BZh": bz2.open,
}
BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
MARKS = tuple(mark for mark, _ in BOMS)
MULTI_BYTE = re.compile(rb"[\xc2-\xf4][\x80-\xbf]+")
CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


@contextmanager
def opening(path: Path) -> Iterator[io.BufferedReader]:
    """Open a file of bytes, unpacked if its name ends in .gz, .xz, .bz2 or .zst.

    What is called otherwise, and standard input, is unpacked by its first bytes, if they are those
    of the former three.
    """
    try:
        if str(path) == "-":
            with _unpack(sys.stdin.buffer) as file:
                yield file
        elif opener := OPENERS.get(path.suffix.lower()):
            with opener(path) as file:
                yield file
        else:
            with path.open("rb") as plain, _unpack(plain) as file:
                yield file
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
        raise InputError(f"{path} is damaged: {error}") from error
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error


def _unpack(file: BinaryIO) -> AbstractContextManager[Any]:
    """Return a file as it is, or unpacked if its first bytes say that it is packed."""
    if isinstance(file, io.BufferedReader):
        head = file.peek(SNIFF_BYTES)
        for magic, unpack in MAGIC.items():
            if head.startswith(magic):
                return unpack(file)
    return nullcontext(file)


def is_binary(head: bytes) -> bool:
    """Whether the first bytes of a file show that it is no text."""
    if bom_encoding(head):
        return False
    return b"\0" in head or len(CONTROLS.findall(head)) > len(head) // 20


def bom_encoding(head: bytes) -> str | None:
    """Return the encoding that a byte order mark names."""
    if not head.startswith(MARKS):
        return None
    return next((encoding for mark, encoding in BOMS if head.startswith(mark)), None)


def decode(data: bytes) -> str:
    """Return the text of some bytes: by their byte order mark, as UTF-8, else as Windows-1252."""
    encoding = bom_encoding(data)
    return data.decode(encoding, "replace") if encoding else decode_unmarked(data)


def decode_unmarked(data: bytes) -> str:
    """Return the text of bytes that nothing is known of: UTF-8, else Windows-1252."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        # A few broken bytes in UTF-8 are likelier than text that looks like UTF-8 by chance.
        lossy = data.decode("utf-8", "replace")
        if lossy.count("\ufffd") <= len(MULTI_BYTE.findall(data)):
            return lossy
        return data.decode("windows-1252", "replace")


def read_bytes(path: Path) -> bytes:
    """Return the bytes of a page, up to a limit."""
    with opening(path) as file:
        data = file.read(MAX_PAGE_BYTES + 1)
    if len(data) > MAX_PAGE_BYTES:
        raise InputError(f"{path} is larger than {MAX_PAGE_BYTES >> 20} MB; split it")
    return data


def read_text(path: Path) -> str:
    """Return a whole text file."""
    data = read_bytes(path)
    if is_binary(data[:SNIFF_BYTES]):
        raise InputError(f"{path} is binary, not text")
    return decode(data)


def read_lines(path: Path) -> Iterator[list[str]]:
    """Yield the lines of a text file without their ends, some megabytes at once."""
    with opening(path) as file:
        head = file.peek(SNIFF_BYTES)[:SNIFF_BYTES]
        if is_binary(head):
            raise InputError(f"{path} is binary, not text")
        encoding = bom_encoding(head)
        yield from _marked_lines(file, encoding, path) if encoding else _plain_lines(file, path)


def _plain_lines(file: io.BufferedReader, path: Path) -> Iterator[list[str]]:
    """Yield lines of a file that does not name its encoding, which may change from line to line."""
    number, rest = 0, b""
    batch: list[str] = []
    while data := file.read(BATCH_CHARS):
        cut = data.rfind(b"\n") + 1
        whole, rest = (rest + data[:cut], data[cut:]) if cut else (b"", rest + data)
        for piece in (whole, rest):
            if len(piece) > MAX_LINE:  # only then one of its lines may be
                sizes = [len(line) > MAX_LINE for line in piece.split(b"\n")]
                if any(sizes):
                    raise _too_long(number + sizes.index(True) + 1, path)
            number += piece.count(b"\n")
        if whole:
            if batch:
                yield batch
            batch = _split_lines(whole)
    if batch or rest:
        yield batch + (_split_lines(rest) if rest else [])


def _split_lines(data: bytes) -> list[str]:
    """Return lines without their ends; only a newline ends one."""
    data = data.removesuffix(b"\n")
    try:
        lines = data.decode().split("\n")  # each is UTF-8 if all are
    except UnicodeDecodeError:
        lines = [decode_unmarked(line) for line in data.split(b"\n")]
    return [line.rstrip("\r") for line in lines] if b"\r" in data else lines


def _marked_lines(file: io.BufferedReader, encoding: str, path: Path) -> Iterator[list[str]]:
    """Yield lines of a file that names its encoding."""
    marked = io.TextIOWrapper(file, encoding, "replace", newline="\n")
    batch: list[str] = []
    size = number = 0
    while line := marked.readline(MAX_LINE + 1):
        number += 1
        if len(line) > MAX_LINE:
            raise _too_long(number, path)
        batch.append(line.rstrip("\r\n"))
        size += len(line)
        if size >= BATCH_CHARS:
            yield batch
            batch, size = [], 0
    marked.detach()  # whoever opened the file closes it
    if batch:
        yield batch


def _too_long(number: int, path: Path) -> InputError:
    return InputError(
        f"line {number} of {path} is longer than {MAX_LINE >> 20} MB; "
        "put one sentence, or at least one paragraph, on a line"
    )


def read_toml(path: Path, hint: str) -> dict[str, Any]:
    """Return the tables of a TOML file; `hint` says what to do where there is none."""
    try:
        if path.stat().st_size > MAX_TOML_BYTES:
            raise SettingsError(f"{path} is too large for settings")
        return parse_toml(path.read_text(encoding="utf-8-sig"), str(path))
    except FileNotFoundError as error:
        raise SettingsError(f"there is no {path}; {hint}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"cannot read {path}: {error}") from error


def parse_toml(text: str, name: str = "this") -> dict[str, Any]:
    """Return the tables of a text in TOML."""
    if len(text) > MAX_TOML_BYTES:
        raise SettingsError(f"{name} is too large for settings")
    if LONG_KEY.search(text):
        raise SettingsError(f"{name} is not valid TOML for settings: a key has too many dots")
    try:
        return tomllib.loads(text)
    except ValueError as error:  # also numbers with thousands of digits
        raise SettingsError(f"{name} is not valid TOML: {error}") from error
    except RecursionError as error:
        raise SettingsError(f"{name} is not valid TOML: nested too deeply") from error
