"""Little that unfolds into much: read within limits, whatever it is, however it is wrapped."""

import bz2
import gzip
import io
import lzma
import time
import tracemalloc
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from struct import pack

import brotli  # type: ignore[import-untyped]
import pytest
from PIL import Image

from blickfang.cli.print_results import shrink
from blickfang.corpus.pictures import read_picture, show_picture
from blickfang.corpus.pictures.image_metadata import read_xmp
from blickfang.crawl.fetch.image_header import read_head
from blickfang.crawl.frontier.sitemaps import read_sitemap
from blickfang.errors import InputError
from blickfang.io.content_encoding import EncodingError, choose_decoder
from blickfang.io.text_files import read_bytes
from blickfang.io.warc.payload import decode_body
from blickfang.records.attribute_classes import read_examples
from blickfang.types import Failure

MB = 2**20
ZEROS = bytes(16 * MB)
GZIP = gzip.compress(ZEROS, 9)
PACKED = {
    "gzip": GZIP,
    "deflate": zlib.compress(ZEROS, 9),
    "br": brotli.compress(ZEROS, quality=2),
}


@contextmanager
def cheap(megabytes: float = 12, seconds: float = 2) -> Iterator[None]:
    """Fail if the block needs more memory or processor time."""
    began = time.process_time()
    tracemalloc.start()
    try:
        yield
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < megabytes * MB, f"{most / MB:.0f} MB"
    assert time.process_time() - began < seconds


@pytest.mark.parametrize("coding", PACKED)
def test_a_body_is_unfolded_to_its_limit_only(coding: str) -> None:
    decoder = choose_decoder(coding)
    assert decoder is not None
    with cheap():
        assert len(decoder.feed(PACKED[coding], MB)) == MB


@pytest.mark.parametrize("coding", PACKED)
def test_a_body_of_an_archive_is_too(coding: str) -> None:
    with cheap():
        body, _ = decode_body({"content-encoding": coding}, PACKED[coding], MB)
        assert len(body) <= MB + 1
    twice = {"content-encoding": "gzip, gzip"}
    with cheap():
        assert len(decode_body(twice, gzip.compress(GZIP, 1), MB)[0]) <= MB + 1


@pytest.mark.parametrize(
    "codings",
    ["gzip, gzip", "gzip, br", "br, br, br", "deflate, gzip", "zstd", "gzip, zstd", "dcz"],
)
def test_bodies_in_several_wrappings_are_refused(codings: str) -> None:
    """We ask for one of three; what comes in two is a mistake, or an attack."""
    with pytest.raises(EncodingError):
        choose_decoder(codings)


def test_a_sitemap_packed_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blickfang.crawl.frontier.sitemaps.MOST_BYTES", MB)
    with cheap():
        assert read_sitemap(gzip.compress(GZIP, 9), "http://a.org/s.xml").pages == ()


LAUGHS = (
    b'<!DOCTYPE l [<!ENTITY a "ha">'
    + b"".join(b'<!ENTITY %c "%b">' % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(9))
    + b'<!ENTITY x SYSTEM "file:///etc/passwd">]>'
)


def test_entities_are_never_unfolded(tmp_path: Path) -> None:
    site = LAUGHS + b"<urlset><url><loc>http://a.org/&j;&x;</loc></url></urlset>"
    feed = LAUGHS + b"<rss><item><link>http://a.org/&j;&x;</link><title>&x;</title></item></rss>"
    rdf = b"http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    xmp = LAUGHS + b'<r:RDF xmlns:r="%b"><r:li>&j;&x;</r:li></r:RDF>' % rdf
    examples = tmp_path / "dblp.xml"
    examples.write_bytes(
        LAUGHS
        + b"<dblp><article><title>&j;&x; Tea</title><author>&x; Lee</author></article></dblp>"
    )
    with cheap():
        for body in (site, feed):
            found = read_sitemap(body, "http://a.org/")
            assert "root:" not in str(found)
            assert len(str(found)) < 1000
        assert read_xmp(xmp) == {}
    with cheap(80):  # the file itself may be as large
        read = read_examples(examples)
        assert "root:" not in str(read)
        assert len(str(read)) < 1000
        assert read_head(LAUGHS.replace(b"DOCTYPE l", b"DOCTYPE svg") + b"<svg>&j;</svg>")


def draw(kind: str, size: tuple[int, int]) -> bytes:
    file = io.BytesIO()
    image = Image.new("1" if kind in ("PNG", "BMP") else "L", size)
    image.save(file, kind)
    return file.getvalue()


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP", "BMP", "AVIF"])
def test_pixels_are_counted_before_they_are_made(kind: str) -> None:
    plain = draw(kind, (64, 48))
    large = {
        "PNG": plain[:16] + pack(">II", 60_000, 60_000) + plain[24:],
        "GIF": plain[:6] + pack("<HH", 65_535, 65_535) + plain[10:],
        "BMP": plain[:18] + pack("<ii", 60_000, 60_000) + plain[26:],
        "JPEG": plain.replace(pack(">HH", 48, 64), pack(">HH", 65_500, 65_500)),
        "WEBP": b"RIFF\x1e\0\0\0WEBPVP8L\x11\0\0\0\x2f\xff\xff\xff\x0f" + bytes(13),
        "AVIF": plain.replace(pack(">II", 64, 48), pack(">II", 60_000, 60_000)),
    }[kind]
    with cheap():
        assert isinstance(read_picture("", large), Failure)
        assert isinstance(show_picture("", large, 200), Failure)
        assert shrink(large) == b""


def test_thumbnails_read_what_the_corpus_reads_and_nothing_else() -> None:
    assert shrink(draw("PNG", (64, 48))).startswith(b"\x89PNG")
    ghost = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n%%EndComments\n(id) run\n"
    for data in (ghost, b"8BPS\0\1" + bytes(40), draw("TIFF", (9, 9)), b"", b"<svg/>"):
        assert shrink(data) == b""


def test_only_the_first_frame_is_decoded() -> None:
    plain = draw("GIF", (200, 200))
    frame = plain[plain.index(b",") : -1]
    read_picture("", plain)  # compiled
    with cheap():
        found = read_picture("", plain[:-1] + frame * 2000 + b";")
        assert not isinstance(found, Failure)
        assert found.frames == 2001


@pytest.mark.parametrize(("ending", "pack_it"), [(".gz", gzip), (".xz", lzma), (".bz2", bz2)])
def test_files_are_read_to_their_limit(
    tmp_path: Path, ending: str, pack_it: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("blickfang.io.text_files.MAX_PAGE_BYTES", MB)
    path = tmp_path / f"page.html{ending}"
    path.write_bytes(pack_it.compress(bytes(4 * MB)))  # type: ignore[attr-defined]
    with cheap(), pytest.raises(InputError, match="larger than 1 MB"):
        read_bytes(path)
