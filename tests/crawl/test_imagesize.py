"""Format and size of images from their first bytes, compared with Pillow."""

import io
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from blickfang.crawl.fetch.image_header import ImageHeader, read_head

SIZES = ((1, 1), (3, 5), (640, 481), (1921, 1))
SAVED = {
    "png": ({}, {"optimize": True}),
    "gif": ({},),
    "jpeg": ({}, {"progressive": True}, {"icc_profile": b"x" * 200_000}, {"comment": b"\xff\xd9"}),
    "webp": ({"lossless": True}, {"lossless": False}, {"exif": b"Exif\0\0II*\0"}),
    "bmp": ({},),
    "tiff": ({}, {"compression": "tiff_lzw"}, {"big_tiff": False}),
    "avif": ({},),
}


def save(name: str, size: tuple[int, int], mode: str = "RGB", **options: object) -> bytes:
    out = io.BytesIO()
    Image.new(mode, size, 99).save(out, name, **options)
    return out.getvalue()


CASES = [
    (name, size, save(name, size, **options))
    for name, ways in SAVED.items()
    for options in ways
    for size in SIZES
]


def box(name: bytes, *content: bytes) -> bytes:
    data = b"".join(content)
    return struct.pack(">I", len(data) + 8) + name + data


def heic(brand: bytes, sizes: list[tuple[int, int]], before: bytes = b"") -> bytes:
    ispe = [box(b"ispe", bytes(4), struct.pack(">II", *size)) for size in sizes]
    properties = box(b"iprp", box(b"ipco", box(b"colr", b"nclx"), *ispe), box(b"ipma"))
    meta = box(b"meta", bytes(4), box(b"hdlr", bytes(20)), properties)
    return box(b"ftyp", brand, bytes(4), b"mif1") + before + meta + box(b"mdat", bytes(99))


@pytest.mark.parametrize(("name", "size", "data"), CASES)
def test_as_pillow(name: str, size: tuple[int, int], data: bytes) -> None:
    with Image.open(io.BytesIO(data)) as image:
        assert image.format is not None
        assert image.format.lower() == name
        assert image.size == size
    assert read_head(data) == ImageHeader(name, *size)


@pytest.mark.parametrize(("name", "data"), [(name, data) for name, _, data in CASES])
def test_what_is_needed_is_enough(name: str, data: bytes) -> None:
    """Asking again with as much as was asked for comes to the same end."""
    have, asked = 1, 0
    while True:
        head = read_head(data[:have])
        assert head is not None
        assert head.format in ("", name)
        if not head.needs:
            break
        assert head.width is None
        assert head.needs > have
        have, asked = head.needs, asked + 1
        assert asked < 60
    assert head == read_head(data)
    assert name in ("tiff", "avif", "jpeg") or have <= 40


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGBA", "I;16"])
def test_modes(mode: str) -> None:
    assert read_head(save("png", (7, 9), mode)) == ImageHeader("png", 7, 9)


def test_icons_have_many_sizes() -> None:
    assert read_head(save("ico", (32, 32))) == ImageHeader("ico", None, None)


def test_heic_and_avif() -> None:
    assert read_head(heic(b"heic", [(512, 512), (4032, 3024), (320, 240)])) == ImageHeader(
        "heic", 4032, 3024
    )
    assert read_head(heic(b"avif", [(40, 30)])) == ImageHeader("avif", 40, 30)
    assert read_head(heic(b"mif1", [(40, 30)])) == ImageHeader("heic", 40, 30)
    late = heic(b"heic", [(40, 30)], before=box(b"mdat", bytes(5000)))
    assert read_head(late) == ImageHeader("heic", 40, 30)
    assert read_head(late[:100]) == ImageHeader("heic", None, None, 5036)
    assert read_head(heic(b"heic", [])) is None
    assert read_head(box(b"ftyp", b"isom", bytes(4), b"mp42") + bytes(99)) is None


def test_other_bmp_png_and_tiff() -> None:
    core = b"BM" + bytes(12) + struct.pack("<IHHHH", 12, 30, 40, 1, 24)
    assert read_head(core) == ImageHeader("bmp", 30, 40)
    upside_down = b"BM" + bytes(12) + struct.pack("<Iii", 40, 30, -40)
    assert read_head(upside_down) == ImageHeader("bmp", 30, 40)
    assert read_head(b"BMW builds cars and motorcycles.") is None
    apple = b"\x89PNG\r\n\x1a\n\0\0\0\4CgBI" + bytes(8)
    apple += b"\0\0\0\rIHDR" + struct.pack(">II", 30, 40)
    assert read_head(apple) == ImageHeader("png", 30, 40)
    tiff = b"MM\0*\0\0\0\x08\0\2" + struct.pack(">HHIHHHHII", 256, 3, 1, 30, 0, 257, 4, 1, 40)
    assert read_head(tiff) == ImageHeader("tiff", 30, 40)


@pytest.mark.parametrize(
    ("size", "bits"),
    [
        ((256, 256), [(1, 1), (31, 5), (1, 3)]),
        ((8, 16), [(1, 1), (1, 5), (0, 3), (0, 5)]),
        ((1280, 720), [(0, 1), (1, 2), (719, 13), (5, 3)]),
        ((501, 300), [(0, 1), (0, 2), (299, 9), (0, 3), (0, 2), (500, 9)]),
        ((70000, 2**30), [(0, 1), (3, 2), (2**30 - 1, 30), (0, 3), (2, 2), (69999, 18)]),
    ],
)
def test_jxl(size: tuple[int, int], bits: list[tuple[int, int]]) -> None:
    number, at = 0, 0
    for value, count in bits:
        number, at = number | value << at, at + count
    stream = b"\xff\x0a" + number.to_bytes(12, "little")
    assert read_head(stream) == ImageHeader("jxl", *size)
    begin = box(b"JXL ", b"\r\n\x87\n") + box(b"ftyp", b"jxl \0\0\0\0jxl ")
    assert read_head(begin + box(b"jxlc", stream)) == ImageHeader("jxl", *size)
    assert read_head(begin + box(b"jxlp", bytes(4), stream)) == ImageHeader("jxl", *size)
    assert read_head(begin) == ImageHeader("jxl", None, None, len(begin) + 8)


@pytest.mark.parametrize(
    "text",
    [
        "<svg xmlns='http://www.w3.org/2000/svg'/>",
        "\ufeff \n<?xml version='1.0'?>\n<!-- a cat > --><svg:svg width='3'>",
        '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x" [<!ENTITY a "b">]>\n<SVG>',
    ],
)
def test_svg(text: str) -> None:
    data = text.encode()
    assert read_head(data) == ImageHeader("svg", None, None)
    for cut in range(data.index(b"svg>" if b"svg>" in data else b"<"), 0, -1):
        head = read_head(data[:cut])
        assert head is not None
        assert head.format in ("", "svg")


@pytest.mark.parametrize(
    "data",
    [
        b"<!DOCTYPE html><html><svg></svg></html>",
        b"<html><body><svg width='1'></svg>",
        b"just some text, no image at all",
        b"\x89PNG\r\n\x1a\nnothing that a png would have",
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(8),
        b"GIF89b" + bytes(10),
        b"RIFF\0\0\0\0WAVEfmt " + bytes(20),
        b"\xff\xd8\xff\xd9" + bytes(20),
        b"\xff\xd8\xff\xda" + bytes(20),
        b"\0\0\1\0\0\0" + bytes(20),
        b"%PDF-1.4 " + bytes(20),
        b"<!-- " + b"x" * 5000,
        bytes(30),
    ],
)
def test_what_is_no_image(data: bytes) -> None:
    assert read_head(data) is None


def test_too_few_bytes_to_know() -> None:
    assert read_head(b"") == ImageHeader("", None, None, 16)
    assert read_head(b"\x89PN") == ImageHeader("", None, None, 16)
    assert read_head(b"\x89PNG\r\n\x1a\n") == ImageHeader("png", None, None, 24)


def test_padding_in_a_jpeg_costs_nothing() -> None:
    frame = b"\xff\xc0\0\x11\x08\0\x28\0\x1e\3"
    assert read_head(b"\xff\xd8" + b"\xff" * 1_000_000 + frame[1:]) == ImageHeader("jpeg", 30, 40)
    assert read_head(b"\xff\xd8\xff\xe0\0\x02 rubbish " + frame) == ImageHeader("jpeg", 30, 40)
    assert read_head(b"\xff\xd8" + b"\xff\xe0\0\x02" * 100_000) is None


MAGICS = sorted({data[:32] for _, _, data in CASES} | {b"", heic(b"heic", [(4, 3)])})


@settings(max_examples=1000)
@given(st.sampled_from(MAGICS), st.integers(0, 40), st.binary(max_size=300))
def test_nothing_raises(start: bytes, cut: int, noise: bytes) -> None:
    for data in (start[:cut] + noise, start + noise, noise + start):
        head = read_head(data)
        if head is not None and head.width is not None:
            assert head.height is not None
            assert min(head.width, head.height) > 0
        if head is not None:
            assert head.needs == 0 or head.needs > len(data)


@given(st.sampled_from([data for _, _, data in CASES]), st.integers(0, 2000), st.binary(max_size=9))
def test_damaged_images_do_not_raise(data: bytes, at: int, noise: bytes) -> None:
    at %= len(data)
    read_head(data[:at] + noise + data[at + len(noise) :])
    read_head(data[:at])
