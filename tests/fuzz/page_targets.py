"""Targets that read pages and pictures. Their work is done by kernels, which only we can grow."""

import gzip
import struct
import zlib
from collections.abc import Iterator
from io import BytesIO

from PIL import Image

from blickfang.corpus.pictures import read_picture
from blickfang.crawl.fetch.image_header import read_head
from blickfang.crawl.render.js_shell import looks_empty
from blickfang.html import METHODS, glance, read_page
from blickfang.html.page import parse_page
from blickfang.records import extract_records
from blickfang.records.extract import PUBLICATIONS, may_publish
from blickfang.records.saved_rules import apply_rule, dump_rule, load_rule, make_rule
from blickfang.types import Failure, Page, Picture
from tests.fuzz.kinds import COVERAGE, GOLD, GOLDEN, Target, gold_pages, spread, written
from tests.page.guard.both import write_both
from tests.page.picture.samples import XMP, chunk, encode, paint, with_chunk, with_segment
from tests.site.hostile.pages import PAGES, SMALL

URL = "http://example.org/a/b.html"
NAMES = [
    "html",
    "head",
    "body",
    "frameset",
    "frame",
    "noframes",
    "base",
    "link",
    "meta",
    "title",
    "style",
    "script",
    "noscript",
    "template",
    "a",
    "abbr",
    "address",
    "area",
    "article",
    "aside",
    "b",
    "bdo",
    "blockquote",
    "button",
    "caption",
    "center",
    "cite",
    "code",
    "col",
    "colgroup",
    "dd",
    "del",
    "details",
    "dfn",
    "dir",
    "div",
    "dl",
    "dt",
    "em",
    "fieldset",
    "figcaption",
    "figure",
    "font",
    "footer",
    "form",
    "h1",
    "h2",
    "h6",
    "header",
    "hgroup",
    "hr",
    "i",
    "iframe",
    "img",
    "input",
    "ins",
    "kbd",
    "label",
    "legend",
    "li",
    "main",
    "map",
    "math",
    "mi",
    "mark",
    "menu",
    "nav",
    "nobr",
    "object",
    "ol",
    "optgroup",
    "option",
    "p",
    "param",
    "picture",
    "plaintext",
    "pre",
    "q",
    "rb",
    "rp",
    "rt",
    "ruby",
    "s",
    "select",
    "small",
    "source",
    "span",
    "strong",
    "sub",
    "summary",
    "sup",
    "svg",
    "g",
    "foreignObject",
    "desc",
    "table",
    "tbody",
    "td",
    "textarea",
    "tfoot",
    "th",
    "thead",
    "time",
    "tr",
    "tt",
    "u",
    "ul",
    "video",
    "wbr",
    "xmp",
    "x-y",
    "annotation-xml",
]
ATTRIBUTES = (
    b' href="/a#"', b' src="a.jpg"', b' srcset="a.jpg 1x, b.jpg 2x"', b' class="item c#"',
    b' style="display:none;width:30%;float:left"', b" hidden", b' alt="A cat"', b" id=#",
    b' width="100" height="9999999999"', b' colspan="1000"', b' rowspan="65535"', b' rel="next"',
    b' content="0;url=/x"', b' http-equiv="refresh"', b' property="og:image"', b' lang="de"',
    b' data-src="b.png"', b' itemprop="image"', b' encoding="text/html"', b' type="hidden"',
)  # fmt: skip
TEXTS = (
    b"x", b" ", b"\n", b"A cat sat on the mat. ", b"12.99 EUR ", b"2019", b"Doe, J., and Roe, R. ",
    b"&amp;", b"&#x1F408;", b"&", b"<", b"</", b"<!--", b"-->", b"<![CDATA[", b"]]>", b"<?php",
    b">",
    b'"', b"'", b"=", b"/>", b"<!doctype html>", b"\xe6\x97\xa5\xe6\x9c\xac", b"<x#>", b"</x#>",
    b"<p a#=1>", b"<li>x#",
)  # fmt: skip
MARKUP = (
    *(f"<{name}>".encode() for name in NAMES),
    *(f"</{name}>".encode() for name in NAMES),
    *(f"<{name}".encode() for name in ("a", "img", "div", "li", "td", "meta", "link")),
    *ATTRIBUTES,
    *TEXTS,
    b"<li><a href=#>x</a></li>",
    b"<tr><td>x<td>y</tr>",
    b'<img src="a#.jpg">',
    b"<p>A cat sat on the mat.</p>",
)


def pages() -> Iterator[bytes]:
    """Give pages: golden ones, hostile ones, and of the gold ones where they are."""
    for path in sorted(GOLDEN.glob("*.html")):
        yield path.read_bytes()
    yield from (PAGES[name]() for name in SMALL)
    yield from gold_pages()


def call_page(data: bytes) -> object:
    """Read a page as a build does, and as a crawl does."""
    page = read_page(data, URL)
    if isinstance(page, Failure):
        return page.reason
    assert isinstance(page, Page)
    kinds = {context.kind for image in page.images for context in image.contexts.values()}
    counts = (page.links, page.images, page.words, page.main_text, page.headings)
    return (*(spread(len(part)) for part in counts), page.notes, frozenset(kinds), page.language)


def call_canonical(data: bytes) -> object:
    """Write an orderly page as the parser does, byte for byte."""
    ours, parsers = write_both(data.decode("utf-8", "replace").encode())
    if ours is None:
        return None
    assert ours == parsers
    return spread(len(ours)), spread(ours.count(b"<")), spread(ours.count(b"&"))


def call_glance(data: bytes) -> object:
    """Look at a page as a crawl does, which must find the same words."""
    from blickfang.types import Response

    seen = glance(Response(URL, 200, {}, data))
    looks_empty(data, 10)
    if isinstance(seen, Failure):
        return seen.reason
    assert seen.text == ""
    return spread(len(seen.links)), spread(len(seen.images)), seen.notes, spread(len(seen.compared))


def call_contexts(data: bytes) -> object:
    """Find the texts of images by all methods."""
    page = read_page(data, URL, methods="all")
    if isinstance(page, Failure):
        return page.reason
    for image in page.images:
        assert set(image.contexts) <= set(METHODS)
    found = [c for image in page.images for c in image.contexts.values()]
    return spread(len(page.images)), spread(sum(len(context.text) for context in found))


def call_records(data: bytes) -> object:
    """Read the lists of a page as tables."""
    found = extract_records(data, URL)
    if isinstance(found, Failure):
        return found.reason
    for region in found:
        assert all(len(record.cells) == len(region.columns) for record in region.records)
    return tuple((spread(len(r.records)), spread(len(r.columns))) for r in found)


def call_publications(data: bytes) -> object:
    """Read the lists of a page as publications."""
    found = extract_records(data, URL, PUBLICATIONS)
    if isinstance(found, Failure):
        return found.reason
    parsed = parse_page(data)
    likely = parsed is not None and may_publish(parsed[0])
    return likely, tuple((spread(len(r.records)), round(r.fit, 1)) for r in found)


PRODUCTS = b"<ul>" + b"".join(
    b"<li><a href=/%d><b>Thing %d</b></a> <i>%d.99 EUR</i><br>kept in drawer %d</li>" % (n, n, n, n)
    for n in range(9)
)


def rules() -> Iterator[bytes]:
    """Give saved rules."""
    for html in (PRODUCTS, (GOLDEN / "products.html").read_bytes()):
        parsed = parse_page(html)
        found = extract_records(html, URL)
        assert parsed is not None
        assert not isinstance(found, Failure)
        for kind in ("", PUBLICATIONS):
            yield dump_rule(make_rule(parsed[0], found[0], kind, "a.html")).encode()


def call_rule(data: bytes) -> object:
    """Load a saved rule and find its list again."""
    rule = load_rule(written(data, "a.rule"))
    parsed = parse_page(PRODUCTS)
    assert parsed is not None
    applied = apply_rule(rule, parsed[0], URL)
    return applied.region is None, applied.remark[:20]


def pictures() -> Iterator[bytes]:
    """Give small pictures of all formats, with everything that may be embedded."""
    small = paint(24, 16)
    for kind in ("jpeg", "png", "gif", "webp", "bmp", "avif", "tiff", "ico", "jpeg2000", "ppm"):
        yield encode(small, kind)
    jpeg, png = encode(small, "jpeg"), encode(small, "png")
    yield encode(paint(40, 30), "jpeg", progressive=True)
    yield with_segment(jpeg, 0xE1, b"http://ns.adobe.com/xap/1.0/\0" + XMP)
    exif = Image.Exif()
    exif[0x0112], exif[0x8298] = 6, "someone"
    yield encode(small, "jpeg", exif=exif)
    yield encode(small, "webp", lossless=True, xmp=XMP)
    yield with_chunk(png, b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0" + XMP)
    yield with_chunk(png, b"zTXt", b"a\0\0" + zlib.compress(b"x" * 1000))
    frames = [paint(24, 16, n) for n in range(4)]
    for kind in ("gif", "png", "webp"):
        buffer = BytesIO()
        frames[0].save(buffer, kind, save_all=True, append_images=frames[1:])
        yield buffer.getvalue()
    for mode in ("1", "L", "LA", "P", "RGBA", "I;16"):
        image = small.convert("L") if mode == "I;16" else small.convert(mode)
        yield encode(image.convert("I").convert("I;16") if mode == "I;16" else image, "png")
    yield encode(small.convert("CMYK"), "jpeg")
    yield encode(small.convert("P"), "bmp")
    head = struct.pack(">IIBBBBB", 5000, 5000, 8, 6, 0, 0, 0)
    bomb = zlib.compress(bytes(20_000_000), 9)
    parts = chunk(b"IHDR", head) + chunk(b"IDAT", bomb) + chunk(b"IEND", b"")
    yield b"\x89PNG\r\n\x1a\n" + parts


PICTURE_TOKENS = (
    b"\xff\xd8\xff", b"\xff\xd9", b"\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00", b"\xff\xc2",
    b"\xff\xdd",
    b"\xff\xe1\x00\x10Exif\0\0", b"\x89PNG\r\n\x1a\n", b"\0\0\0\x0dIHDR", b"\0\0\0\0IDAT", b"acTL",
    b"fcTL", b"iTXt", b"zTXt", b"GIF89a", b"\x21\xf9\x04", b"\x2c\0\0\0\0\x10\0\x10\0\0",
    b"\x21\xff",
    b"RIFF", b"WEBPVP8 ", b"WEBPVP8L", b"WEBPVP8X", b"ANMF", b"ftypavif", b"meta", b"iloc", b"ispe",
    b"BM", b"II*\0", b"MM\0*", b"http://ns.adobe.com/xap/1.0/\0", b"<rdf:li>", b"<!ENTITY a 'b'>",
    b"8BIM\x04\x04", b"\x1c\x02\x50", b"DMI-PROHIBITED", XMP,
)  # fmt: skip


def call_picture(data: bytes) -> object:
    """Read a picture from its bytes, and its size from its head alone."""
    from blickfang.crawl.permission.signals import of_image

    head = read_head(data)
    signals = of_image(data)
    found = read_picture(URL, data)
    seen = None if head is None else type(head).__name__
    if isinstance(found, Failure):
        return found.reason, seen, len(signals)
    assert isinstance(found, Picture)
    return found.format, found.orientation, spread(found.frames), spread(found.width), seen


def call_mended(data: bytes) -> object:
    """Read a PNG whose checksums are made to fit: what lies behind them is reached."""
    made, at = bytearray(data), 8
    while at + 12 <= len(made):
        length = int.from_bytes(made[at : at + 4])
        if at + 12 + length > len(made):
            break
        check = zlib.crc32(bytes(made[at + 4 : at + 8 + length]))
        made[at + 8 + length : at + 12 + length] = check.to_bytes(4)
        at += 12 + length
    return call_picture(bytes(made))


def packed_gold() -> Iterator[bytes]:
    """Give lists of publications and products of the gold data, where they are."""
    folder = GOLD / "records-gold"
    for name in ("publications", "records"):
        paths = sorted((folder / name).rglob("*.html.gz")) if folder.is_dir() else []
        for path in paths[:: max(1, len(paths) // 30)][:30]:
            page = gzip.decompress(path.read_bytes())
            if len(page) < 60_000:
                yield page


def lists() -> Iterator[bytes]:
    """Give pages with lists."""
    yield PRODUCTS
    yield from (PAGES[name]() for name in SMALL)
    for name in ("products", "publications", "results", "definitions", "listicle", "mediawiki"):
        yield (GOLDEN / f"{name}.html").read_bytes()
    yield from packed_gold()


def few() -> Iterator[bytes]:
    """Give some short pages with lists: each row costs a millisecond."""
    yield from (page for page in lists() if len(page) < 8000)


PAGE_TARGETS = (
    Target("page", call_page, pages, MARKUP, grown=200),
    Target("canonical", call_canonical, pages, MARKUP, grown=500),
    Target("glance", call_glance, pages, MARKUP, grown=200),
    Target("contexts", call_contexts, pages, MARKUP, longest=8000, grown=2000),
    Target("records", call_records, lists, MARKUP, grown=150, seconds=3.0),
    # Linear, 0.1 to 0.2 ms a row and list: docs list it as known.
    Target("publications", call_publications, few, MARKUP, longest=8000, most=100_000),
    Target(
        "rule",
        call_rule,
        rules,
        (b'"', b"[", b"]", b"{", b"}", b"null", b",", b":"),
        COVERAGE,
        sees=("blickfang.records",),
    ),
    Target("picture", call_picture, pictures, PICTURE_TOKENS),
    Target("png", call_mended, pictures, PICTURE_TOKENS),
)
