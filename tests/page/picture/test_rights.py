"""What a picture says about its use, wherever a format keeps it."""

import struct
import zlib

import pytest

from blickfang.corpus.pictures.image_metadata import read_xmp
from tests.page.picture.samples import (
    MINING,
    XMP,
    encode,
    exif,
    iim,
    paint,
    read,
    refuse,
    with_chunk,
    with_segment,
)

LICENCE = "https://creativecommons.org/licenses/by/4.0/"
ADOBE = b"http://ns.adobe.com/xap/1.0/\0"


def png_text(packed: bool) -> bytes:
    content = zlib.compress(XMP) if packed else XMP
    return b"XML:com.adobe.xmp\0" + bytes((packed, 0)) + b"\0\0" + content


def gif_with_xmp() -> bytes:
    gif = encode(paint().quantize(8), "GIF")
    trailer = b"\x01" + bytes(range(255, -1, -1)) + b"\0"
    return gif[:-1] + b"\x21\xff\x0bXMP DataXMP" + XMP + trailer + b";"


def profile(name: str, content: bytes) -> bytes:
    """Return metadata as ImageMagick writes it into a PNG."""
    text = f"\n{name}\n{len(content):8d}\n".encode() + content.hex().encode() + b"\n"
    return f"Raw profile type {name}".encode() + b"\0\0" + zlib.compress(text)


@pytest.mark.parametrize(
    "data",
    [
        with_segment(encode(paint(), "JPEG"), 0xE1, ADOBE + XMP),
        encode(paint(), "JPEG", xmp=XMP),
        with_chunk(encode(paint(), "PNG"), b"iTXt", png_text(False)),
        with_chunk(encode(paint(), "PNG"), b"iTXt", png_text(True)),
        with_chunk(encode(paint(), "PNG"), b"zTXt", profile("xmp", XMP)),
        encode(paint(), "WEBP", xmp=XMP),
        encode(paint(), "AVIF", xmp=XMP),
        gif_with_xmp(),
    ],
    ids=["jpeg", "jpeg of Pillow", "png", "png packed", "png profile", "webp", "avif", "gif"],
)
def test_xmp_of_every_format(data: bytes) -> None:
    picture = read(data)
    assert picture.data_mining == MINING
    assert picture.licence == LICENCE
    assert picture.credit == "Agency & Co"


def test_xmp_forms() -> None:
    """Properties may be attributes, elements, resources, bags, alternatives."""
    plus, rights = "http://ns.useplus.org/ldf/xmp/1.0/", "http://ns.adobe.com/xap/1.0/rights/"
    rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    packet = f"""<r:RDF xmlns:r="{rdf}" xmlns:p="{plus}" xmlns:x="{rights}">
      <r:Description p:DataMining="{MINING}" x:WebStatement="https://a.test/terms">
        <p:Licensor><r:Seq><r:li r:parseType="Resource">
          <p:LicensorName>Nobody</p:LicensorName><p:LicensorURL>https://b.test</p:LicensorURL>
        </r:li></r:Seq></p:Licensor>
        <d:rights xmlns:d="http://purl.org/dc/elements/1.1/"><r:Alt>
          <r:li xml:lang="x-default">All  rights
            reserved</r:li></r:Alt></d:rights>
      </r:Description></r:RDF>""".encode()
    assert read_xmp(packet) == {
        "data_mining": [MINING],
        "statement": ["https://a.test/terms"],
        "licensor": ["https://b.test"],
        "rights": ["All rights reserved"],
    }
    assert read_xmp(packet.decode().encode("utf-16")) == read_xmp(packet)


def test_exif_and_iim() -> None:
    base = encode(paint(), "JPEG", exif=exif(artist="Jo Ünder", copyright="© Jo"))
    assert (read(base).credit, read(base).licence) == ("Jo Ünder", "© Jo")
    old = with_segment(
        encode(paint(), "JPEG"), 0xED, iim(byline="Bo", credit="Press", notice="No use")
    )
    assert (read(old).credit, read(old).licence) == ("Press", "No use")
    png = encode(paint(), "PNG")
    records = iim(byline="Bo").removeprefix(b"Photoshop 3.0\0").partition(b"abc\0")[2]
    assert read(with_chunk(png, b"zTXt", profile("iptc", records))).credit == "Bo"
    assert read(with_chunk(png, b"tEXt", b"Copyright\0\xa9 J\xf6")).licence == "© Jö"
    assert read(with_chunk(png, b"tEXt", b"Author\0Mia")).credit == "Mia"
    assert read(encode(paint(), "PNG", exif=exif(artist="Jo"))).credit == "Jo"
    assert read(encode(paint(), "WEBP", exif=exif(artist="Jo"))).credit == "Jo"


def test_resources_cut_into_two_segments() -> None:
    whole = iim(credit="a long credit line", notice="n").removeprefix(b"Photoshop 3.0\0")
    jpeg = encode(paint(), "JPEG")
    jpeg = with_segment(jpeg, 0xED, b"Photoshop 3.0\0" + whole[45:])
    jpeg = with_segment(jpeg, 0xED, b"Photoshop 3.0\0" + whole[:45])
    assert read(jpeg).credit == "a long credit line"


def test_the_most_exact_statement_counts() -> None:
    jpeg = encode(paint(), "JPEG", exif=exif(copyright="EXIF", artist="E"), xmp=XMP)
    picture = read(with_segment(jpeg, 0xED, iim(notice="IIM", byline="I")))
    assert (picture.licence, picture.credit) == (LICENCE, "Agency & Co")


@pytest.mark.parametrize("cut", [400, 640, 900])
def test_an_opt_out_counts_in_broken_xml(cut: int) -> None:
    """Whether the XML ends early or has a hole: who says no is heard."""
    broken = XMP[:100] + b"<&" + XMP[100 : cut + 200]
    if MINING.encode() not in broken:
        broken += MINING.encode().join((b"/vocab/", b"<"))
    assert read(encode(paint(), "WEBP", xmp=broken)).data_mining == MINING


def test_xml_bombs_are_not_lit() -> None:
    """Entities are never expanded, inner or outer."""
    levels = "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 10))
    bomb = f'<!DOCTYPE x [<!ENTITY a0 "aaaaaaaaaa">{levels}]><x>&a9;</x>'.encode()
    assert read_xmp(bomb) == {}
    outer = b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>'
    assert read_xmp(outer) == {}
    assert read_xmp(b"<x>" * 100_000) == {}
    assert read_xmp(b'<x xmlns:d="http://purl.org/dc/elements/1.1/"><d:rights>' * 150) == {}


def test_long_texts_are_cut() -> None:
    jpeg = encode(paint(), "JPEG", exif=exif(copyright="x" * 9000))
    assert len(read(jpeg).licence) == 500


def test_metadata_that_is_none() -> None:
    """Damage there is no reason to drop a picture."""
    jpeg, png = encode(paint(), "JPEG"), encode(paint(), "PNG")
    for content in (
        b"Exif\0\0",
        b"Exif\0\0II*\0\xff\xff\xff\xff",
        b"Exif\0\0MM\0*\0\0\0\x08\xff\xff",
    ):
        assert read(with_segment(jpeg, 0xE1, content)).orientation == 1
    resources = b"Photoshop 3.0\x008BIM\x04\x04"
    for more in (b"", b"\0", b"\0\0", b"\0\0\xff\xff\xff\xff\x1c\x02\x74\xff\xff\x80"):
        assert read(with_segment(jpeg, 0xED, resources + more)).licence == ""
    for content in (b"", b"XML:com.adobe.xmp", b"XML:com.adobe.xmp\0\1\0\0\0no zlib"):
        assert read(with_chunk(png, b"iTXt", content)).data_mining == ""
    assert read(with_chunk(png, b"zTXt", b"Raw profile type exif\0\0" + b"zz")).credit == ""
    odd = zlib.compress(b"\nexif\n 3\nabc")
    assert read(with_chunk(png, b"zTXt", b"Raw profile type exif\0\0" + odd)).credit == ""


def test_a_text_bomb_costs_little() -> None:
    png = encode(paint(), "PNG")
    packed = zlib.compress(bytes(100_000_000), 1)
    assert read(with_chunk(png, b"zTXt", b"Copyright\0\0" + packed)).licence == ""
    assert read(with_chunk(png, b"iCCP", b"p\0\0" + packed)).format == "png"
    assert refuse(png[:40]) == "truncated"
    lied = png[:33] + struct.pack(">I", 0x7FFFFFFF) + b"tEXtCopyright\0me"
    assert refuse(lied) == "truncated"
