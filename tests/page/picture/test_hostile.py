"""Files that are not what they should be: each becomes a `Failure`, at little cost."""

import pickle
import struct
import subprocess
import sys
import time
import warnings
import zlib
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from blickfang.corpus.pictures import PictureLimits, read_picture
from blickfang.types import Failure, Picture
from tests.page.picture.samples import (
    URL,
    XMP,
    chunk,
    encode,
    exif,
    iim,
    paint,
    read,
    refuse,
    segment,
    with_chunk,
    with_segment,
)

PAGE = b"<!DOCTYPE html>\n<html><head><title>404</title></head><body>gone</body></html>"
SVG = b'<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>'
SIZES = {"small": (90, 60), "wide": (700, 20)}


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty file"),
        (b"\0", "not a picture: unknown"),
        (PAGE, "not a picture: html"),
        (b"\xef\xbb\xbf\r\n  <HTML><svg></svg>", "not a picture: html"),
        (b"<p>no</p>", "not a picture: html"),
        (b"<?xml version='1.0'?><rss></rss>", "not a picture: xml"),
        (b'{"error": "not found"}', "not a picture: text"),
        (SVG, "svg is not read"),
        (b"<!-- drawn --><svg>" + PAGE + b"</svg>", "svg is not read"),
        (b"%PDF-1.7\n%\xe2\xe3", "not a picture: pdf"),
        (b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom", "not a picture: video"),
        (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "heic is not read"),
        (b"\x1a\x45\xdf\xa3\x01\0\0\0", "not a picture: video"),
        (b"RIFF\x24\0\0\0AVI LIST", "not a picture: video"),
        (b"RIFF\x24\0\0\0WAVEfmt ", "not a picture: sound"),
        (b"OggS\0\2\0\0", "not a picture: video"),
        (b"\x1f\x8b\x08\0\0\0", "not a picture: archive"),
        (b"PK\x03\x04\x14\0", "not a picture: archive"),
        (b"II*\0\x08\0\0\0", "tiff is not read"),
        (b"\0\0\1\0\1\0\x10\x10", "ico is not read"),
        (b"\xff\x0a\xfa\x1f", "jxl is not read"),
        (b"8BPS\0\1", "psd is not read"),
        (b"\x7fELF\2\1\1\0\0", "not a picture: unknown"),
    ],
)
def test_what_came_instead(data: bytes, reason: str) -> None:
    assert refuse(data) == reason


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "GIF", "WEBP", "AVIF", "BMP"])
def test_truncated(kind: str) -> None:
    """However little is missing, but for a trailer that holds nothing of the picture."""
    data = encode(paint(), kind)
    for share in (0.2, 0.5, 0.9):
        assert refuse(data[: int(len(data) * share)]) in ("truncated", "broken")
    for kept in range(3, 60):
        refuse(data[:kept])


def test_a_missing_end_mark_is_no_damage() -> None:
    gif, png = encode(paint(), "GIF"), encode(paint(), "PNG")
    assert read(gif[:-1]).phash == read(gif).phash
    assert read(png[:-12]).phash == read(png).phash


def test_truncated_progressive_jpegs() -> None:
    data = encode(paint(), "JPEG", progressive=True)
    assert read(data).format == "jpeg"
    for share in (0.1, 0.3, 0.6):
        assert refuse(data[: int(len(data) * share)]) == "truncated"


def test_no_pixels() -> None:
    png = encode(paint(), "PNG")
    assert refuse(png[:16] + bytes(4) + png[20:]) == "no pixels"
    gif = encode(paint(), "GIF")
    empty = gif[:6] + bytes(4) + gif[10:]
    at = empty.index(b"\x2c\0\0\0\0")
    assert refuse(empty[: at + 5] + bytes(4) + empty[at + 9 :]) == "no pixels"
    jpeg = encode(paint(), "JPEG")
    at = jpeg.index(b"\xff\xc0")
    assert refuse(jpeg[: at + 5] + bytes(4) + jpeg[at + 9 :]) == "no pixels"


def test_declared_pixels_are_checked_before_anything_is_decoded() -> None:
    png = encode(paint(), "PNG")
    header = struct.pack(">II", 30_000, 30_000) + png[24:29]
    assert refuse(png[:8] + chunk(b"IHDR", header) + png[33:]) == "too many pixels"
    jpeg = encode(paint(), "JPEG")
    at = jpeg.index(b"\xff\xc0")
    assert refuse(jpeg[: at + 5] + b"\xff\xff\xff\xff" + jpeg[at + 9 :]) == "too many pixels"
    gif = encode(paint(), "GIF")
    assert refuse(gif[:6] + b"\xff\xff\xff\xff" + gif[10:]) == "too many pixels"
    at = gif.index(b"\x2c\0\0\0\0")  # a frame may be larger than its screen
    assert refuse(gif[: at + 5] + b"\xff\xff\xff\xff" + gif[at + 9 :]) == "too many pixels"
    webp = bytearray(encode(paint(), "WEBP", exif=exif(artist="a")))  # VP8X
    webp[24:30] = b"\xff\x3f\0\xff\x3f\0"
    assert refuse(bytes(webp)) == "too many pixels"
    bmp = encode(paint(), "BMP")
    assert refuse(bmp[:18] + struct.pack("<ii", 60_000, -60_000) + bmp[26:]) == "too many pixels"


def test_limits_are_the_callers() -> None:
    png = encode(paint(), "PNG")
    for limits, reason in (
        (PictureLimits(megabytes=0.01), "too many bytes"),
        (PictureLimits(megapixels_whole=0.03), "too many pixels"),
    ):
        assert read_picture(URL, png, limits) == Failure(URL, "picture", reason)
    assert isinstance(read_picture(URL, png, PictureLimits(megapixels=0.01)), Picture)
    jpeg = encode(paint(), "JPEG", progressive=True)
    few = PictureLimits(megapixels_scanned=0.1)
    assert read_picture(URL, jpeg, few) == Failure(URL, "picture", "too many scans")


def quick(data: bytes, seconds: float = 3.0) -> str:
    """Return what becomes of a bomb, which must not take long."""
    start = time.process_time()
    found = read_picture(URL, data)
    assert time.process_time() - start < seconds
    return found.reason if isinstance(found, Failure) else "read"


def test_thousands_of_scans() -> None:
    """Each scan of a progressive JPEG costs the whole picture again."""
    jpeg = encode(Image.new("RGB", (3000, 3000), (200, 30, 40)), "JPEG", progressive=True)
    last, end = jpeg.rindex(b"\xff\xda"), jpeg.rindex(b"\xff\xd9")
    bomb = jpeg[:end] + jpeg[last:end] * 2000 + jpeg[end:]
    assert quick(bomb) == "too many scans"
    # An end mark inside a comment must not hide the scans behind it.
    hidden = jpeg[:end] + segment(0xFE, b"\xff\xd9" * 9) + jpeg[last:end] * 2000 + jpeg[end:]
    assert quick(hidden) == "too many scans"


def test_what_is_behind_the_end_is_no_scan() -> None:
    jpeg = encode(paint(), "JPEG", progressive=True)
    assert quick(jpeg + b"\xff\xda\0\2" * 100_000) == "read"


def test_many_parts() -> None:
    jpeg = encode(paint(), "JPEG")
    assert quick(jpeg[:2] + segment(0xFE, b"") * 1_000_000 + jpeg[2:]) == "too many parts"
    png = encode(paint(), "PNG")
    assert quick(png[:33] + chunk(b"IDAT", b"") * 1_000_000 + png[33:]) == "too many parts"
    gif = encode(paint(), "GIF")
    frame = gif[gif.index(b"\x2c\0\0\0\0") : -1]
    tiny = b"\x2c\0\0\0\0\1\0\1\0\0\2\2\x44\1\0"
    assert quick(gif[:-1] + tiny * 2_000_000 + b";") == "too many parts"
    assert quick(gif[:-1] + b"\x21\xfe" + b"\1a" * 5_000_000 + b"\0;") == "too many parts"
    assert read(gif[:-1] + frame * 40 + b";").frames == 41
    webp = encode(paint(), "WEBP", exif=exif(artist="a"))
    bomb = webp + b"junk\0\0\0\0" * 1_000_000
    bomb = bomb[:4] + struct.pack("<I", len(bomb) - 8) + bomb[8:]
    assert quick(bomb) == "too many parts"


def test_pixels_that_are_more_than_their_bytes() -> None:
    """Forty million pixels in a few bytes: allowed, and must be quick."""
    rows = zlib.compress(bytes(6_001 * 6_000), 1)
    head = struct.pack(">IIBBBBB", 6_000, 6_000, 8, 0, 0, 0, 0)
    flat = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    assert quick(flat) == "read"
    longer = zlib.compress(bytes(100_000_000), 1)  # more than the picture takes
    small = struct.pack(">IIBBBBB", 60, 60, 8, 0, 0, 0, 0)
    bomb = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", small) + chunk(b"IDAT", longer)
    assert quick(bomb + chunk(b"IEND", b"")) == "read"


def test_runs_of_a_bmp_are_bounded() -> None:
    """Pillow decodes them in Python."""
    header = struct.pack("<IiiHHIIiiII", 40, 6000, 6000, 1, 8, 1, 0, 0, 0, 256, 0)
    body = bytes(1024) + b"\1\7" * 9_000_000
    bmp = b"BM" + struct.pack("<IHHI", 54 + len(body), 0, 0, 1078) + header + body
    assert quick(bmp) == "too many bytes"


def laden() -> list[bytes]:
    """Return valid pictures that have everything a file can have."""
    rich = encode(paint(90, 60), "JPEG", exif=exif(orientation=6, artist="A"), xmp=XMP)
    frames = [paint(40, 30, seed=seed) for seed in range(3)]
    more = {"save_all": True, "append_images": frames[1:]}
    gif = encode(frames[0], "GIF", **more)
    return [
        with_segment(rich, 0xED, iim(credit="C", notice="N")),
        encode(paint(90, 60), "JPEG", progressive=True),
        encode(paint(90, 60).convert("CMYK"), "JPEG"),
        with_chunk(encode(paint(90, 60), "PNG", exif=exif(artist="A")), b"tEXt", b"Author\0B"),
        encode(frames[0], "PNG", **more),
        encode(paint(60, 40).quantize(9), "PNG", transparency=0),
        gif,
        encode(frames[0], "WEBP", xmp=XMP, exif=exif(orientation=3), **more),
        encode(paint(60, 40), "WEBP", lossless=True),
        encode(paint(60, 40), "AVIF", xmp=XMP, exif=exif(orientation=8)),
        encode(paint(60, 40), "BMP"),
    ]


LADEN = laden()
MAGIC = [data[:16] for data in LADEN]


def check(data: bytes) -> None:
    """Read anything: a picture or a failure, no exception, no warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = read_picture(URL, data)
    if isinstance(found, Picture):
        assert found.width > 0
        assert found.height > 0
        assert found.frames > 0
        assert 1 <= found.orientation <= 8
        assert 0 <= found.phash < 1 << 64
        assert abs(float(found.looks @ found.looks) - 1) < 1e-4
    else:
        assert found.room == "picture"
        assert found.reason


@given(st.binary(max_size=300), st.sampled_from([b"", *MAGIC]))
def test_any_bytes(data: bytes, magic: bytes) -> None:
    check(magic + data)


@given(st.sampled_from(LADEN), st.data())
def test_any_damage(data: bytes, draw: st.DataObject) -> None:
    """Bytes changed, cut out, doubled or put in, near the head more often than elsewhere."""
    damaged = bytearray(data)
    for _ in range(draw.draw(st.integers(1, 6))):
        reach = draw.draw(st.sampled_from([40, 200, len(damaged)]))
        at = draw.draw(st.integers(0, max(0, min(reach, len(damaged)) - 1)))
        size = draw.draw(st.integers(0, 12))
        match draw.draw(st.sampled_from(["change", "cut", "double", "put in", "end"])):
            case "change":
                new = draw.draw(st.binary(min_size=1, max_size=4))
                damaged[at : at + len(new)] = new
            case "cut":
                del damaged[at : at + size]
            case "double":
                damaged[at:at] = damaged[at : at + size]
            case "put in":
                damaged[at:at] = draw.draw(st.binary(max_size=12))
            case _:
                del damaged[max(at, 20) :]
    check(bytes(damaged))


def test_what_was_laden_is_read() -> None:
    for data in LADEN:
        read(data)


def test_nothing_is_printed() -> None:
    """Not by Python's warnings, and not by the libraries underneath."""
    script = (
        "import pickle, sys; from blickfang.corpus.pictures import read_picture\n"
        "for data in pickle.load(sys.stdin.buffer):\n"
        "    for at in range(0, len(data), 1 + len(data) // 40):\n"
        "        read_picture('u', data[:at] + b'\\xff\\x00\\xfe' + data[at + 3:])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], input=pickle.dumps(LADEN), capture_output=True, check=True
    )
    assert (done.stdout, done.stderr) == (b"", b"")


def test_memory_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("blickfang.corpus.pictures.picture.make_small", fail)
    assert refuse(encode(paint(), "PNG")) == "out of memory"


def test_mistakes_of_ours_are_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what decoders raise is caught."""

    def fail(*_: object) -> None:
        raise AssertionError("ours")

    monkeypatch.setattr("blickfang.corpus.pictures.picture.make_small", fail)
    with pytest.raises(AssertionError, match="ours"):
        read_picture(URL, encode(paint(), "PNG"))


def test_pillows_own_limit_is_never_met() -> None:
    """Whoever lowers or lifts it elsewhere in the process changes nothing here."""
    buffer = BytesIO()
    Image.new("L", (9000, 8800)).save(buffer, "JPEG")
    assert quick(buffer.getvalue()) == "read"
