"""Lanes against a look at each byte."""

import os
import subprocess
import sys

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from blickfang.compute.kernels import Integer, filling
from blickfang.compute.simd import LANES, Bytes, copy_plain, copy_small, find_sign, match_high
from blickfang.html.parse.tags import hash_known, hash_span

SIGNS = (*b'&<>"\r\xc2',)
PAPER = 0xEE  # what nobody has written on

pages = st.text("ab&<>\"\r\xa0Zz[@`{'", max_size=3 * LANES + 5).map(str.encode)


@filling
def find(data: Bytes, i: Integer) -> Integer:
    """Look for any of several signs."""
    return find_sign(data, i, SIGNS)


@filling
def copy_some(data: Bytes, i: Integer, end: Integer, out: Bytes, at: Integer) -> Integer:
    """Copy what is before any of several signs."""
    return copy_plain(data, i, end, out, at, SIGNS)


@filling
def copy_in_small(data: Bytes, i: Integer, out: Bytes) -> None:
    """Copy as many bytes as there are lanes."""
    copy_small(out, 0, data, i)


@filling
def find_high(data: Bytes, i: Integer) -> int:
    """Look for bytes beyond ASCII."""
    return match_high(data, i)


@filling
def hash_some(data: Bytes, i: Integer, end: Integer) -> np.uint64:
    """Hash a range."""
    return hash_span(data, i, end)


@given(pages, st.integers(0, 20))
def test_the_next_sign_is_found(page: bytes, start: int) -> None:
    wanted = [k for k in range(start, len(page)) if page[k] in SIGNS]
    expected = wanted[0] if wanted else max(start, len(page))
    assert find(np.frombuffer(page, np.uint8), start) == expected


@given(pages, st.integers(0, 20), st.integers(0, 40), st.integers(0, 9))
def test_what_stands_before_a_sign_is_copied(page: bytes, start: int, size: int, at: int) -> None:
    end = min(start + size, len(page))
    out = np.full(len(page) + at + LANES, PAPER, np.uint8)
    stop = copy_some(np.frombuffer(page, np.uint8), start, end, out, at)
    wanted = [k for k in range(start, end) if page[k] in SIGNS]
    assert stop == (wanted[0] if wanted else max(start, end) if start < end else start)
    assert out[at : at + stop - start].tobytes() == page[start:stop]
    assert (out[:at] == PAPER).all()


@given(st.binary(min_size=LANES, max_size=LANES + 9), st.data())
def test_letters_are_made_small(page: bytes, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(page) - LANES))
    out = np.empty(LANES, np.uint8)
    copy_in_small(np.frombuffer(page, np.uint8), start, out)
    assert out.tobytes() == page[start : start + LANES].lower()


def test_without_numba_the_same_is_plain_python() -> None:
    code = (
        "import numpy as np\n"
        "from tests.test_lanes import copy_in_small, copy_some, find\n"
        "page = np.frombuffer(b'Abc' * 20 + b'<x', np.uint8)\n"
        "out = np.zeros(99, np.uint8)\n"
        "copy_in_small(page, 1, out)\n"
        "print(find(page, 2), copy_some(page, 0, 62, out, 40 - 9), out[0], out[31])\n"
    )
    plain = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    said = subprocess.run(
        [sys.executable, "-c", code], env=plain, capture_output=True, text=True, check=True
    )
    assert said.stdout.split() == ["60", "60", "98", "65"]


@given(st.binary(max_size=99), st.integers(0, 99))
def test_bytes_beyond_ascii_are_found(page: bytes, start: int) -> None:
    data = np.frombuffer(page + bytes(LANES), np.uint8)
    start = min(start, len(page))
    wanted = sum(1 << k for k, byte in enumerate(data[start : start + LANES]) if byte > 0x7F)
    assert find_high(data, start) == wanted


@given(st.text(max_size=40), st.text(max_size=9), st.booleans())
def test_names_have_the_hash_that_tables_have(name: str, before: str, at_end: bool) -> None:
    behind = "" if at_end else "and more than eight letters"
    start, size = len(before.encode()), len(name.encode())
    data = np.frombuffer((before + name + behind).encode(), np.uint8)
    assert hash_some(data, start, start + size) == hash_known(name)
