"""Sitemaps: the pages that a host lists itself, as seeds.

In: the body of an answer and its address. Out: the addresses of pages, of further sitemaps and of
images, canonical, each once. Read are XML sitemaps and their indexes, RSS and Atom feeds and plain
lists, also gzipped. Many sitemaps are no XML that a parser would take: here only a few tags are
looked for and the rest is not read. No entity is ever declared, so none can unfold.
"""

import codecs
import re
from collections.abc import Collection, Iterable, Mapping
from html import unescape
from types import MappingProxyType
from typing import NamedTuple

from blickfang.io.content_encoding import GZIP_MAGIC, Deflate, EncodingError
from blickfang.io.urls import canonical, host, is_image_url, resolve

MOST_BYTES = 50_000_000  # decoded; this and the next as sitemaps.org has it
MOST_ADDRESSES = 50_000  # of each kind
MOST_TRIED = 3 * MOST_ADDRESSES  # with those of other hosts, and what is no address
MOST_TAGS = 600_000
MOST_MARKS = 4_000_000  # "<"
MOST_LINES = 2 * MOST_ADDRESSES
LONGEST_TEXT = 500  # characters of a title
LONGEST_DATA = 9000  # bytes between two tags: an address and some
WELL_KNOWN = "/sitemap.xml"
PIECE = 65_536

CUT = "too long: cut"
TOO_MANY = "too many addresses: cut"
TOO_MANY_IMAGES = "too many images: cut"
BROKEN = "broken gzip: cut"

KINDS = {
    "urlset": "urlset",
    "sitemapindex": "index",
    "rss": "feed",
    "rdf": "feed",
    "feed": "feed",
}
FIRST_TAG = re.compile(rb"<(?:[\w.-]{1,30}:)?([a-zA-Z]{1,30})[\s>/]")
# Of tags that end only those of entries matter. Groups: slash, prefix, name, attributes, text.
TAG = re.compile(
    rb"<(?:(/)(?=(?:[\w.-]{1,30}:)?(?:url|sitemap|item|entry)\b))?(?:([\w.-]{1,30}):)?"
    rb"(loc|url|sitemap|image|title|caption|item|entry|link|guid|enclosure|content|thumbnail)"
    rb"(?=[\s>/])([^<>]{0,9000}+)>([^<]{0,9000}+)",
    re.IGNORECASE,
)
SECTION = re.compile(rb"<!(?:--|\[CDATA\[)")
ATTRIBUTE = re.compile(
    rb"\b(href|rel|type|url|ispermalink)\s?=\s?(?:\"([^\"]*+)\"|'([^']*+)')", re.I
)
DECLARED = re.compile(rb"\s{0,99}<\?xml[^<>]{0,200}?\bencoding\s?=\s?[\"']([\w.-]{1,30})")
# Codecs of Python that are texts of the web and leave "<" where it is.
ENCODINGS = re.compile(
    r"utf-?8|(?:us-)?ascii|iso[-_]8859[-_]\d+|latin-?1|(?:windows|cp)-?\d+|koi8-[ru]|gbk|gb2312"
    r"|gb18030|big5|euc-(?:jp|kr)|shift[-_]jis",
    re.IGNORECASE,
)
WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
REFERENCE = re.compile(r"&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([0-9a-f]{1,6}));", re.IGNORECASE)
NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
LAST_CHARACTER = 0x10FFFF
EXTENSIONS = ("image", "media", "news", "video", "xhtml")
MARKUP = re.compile(r"<[^<>]*+>")


class ListedImage(NamedTuple):
    """An image that a sitemap names."""

    url: str  # canonical
    page: str  # that shows it
    title: str = ""
    caption: str = ""


class Sitemap(NamedTuple):
    """What a sitemap names, in its order; all addresses are canonical."""

    kind: str = ""  # urlset, index, feed, list; "" if it is none
    pages: tuple[str, ...] = ()
    maps: tuple[str, ...] = ()
    images: tuple[ListedImage, ...] = ()
    titles: Mapping[str, str] = MappingProxyType({})  # of pages; news and feeds have them
    foreign: int = 0  # addresses left out: of hosts that this sitemap cannot speak for
    notes: tuple[str, ...] = ()


def read_sitemap(body: bytes, url: str, hosts: Collection[str] = ()) -> Sitemap:
    """Return what a sitemap names, as far as it can be read.

    It speaks for its own host, and for those whose robots.txt names it: `hosts`. Images may be
    anywhere.

    >>> read_sitemap(b"<urlset><url><loc>/a?b&amp;c</loc></url></urlset>", "http://x.org/s").pages
    ('http://x.org/a?b&c',)
    """
    data, notes = unfold(body)
    if data.startswith(WIDE):
        data = data.decode("utf-16", "replace").encode("utf-8", "replace")
        encoding = "utf-8"
    else:
        encoding = find_encoding(data)
    data = tidy(data, notes)
    first = FIRST_TAG.search(data, 0, PIECE)
    kind = KINDS.get(first[1].decode().lower(), "") if first else ""
    found = SitemapPages(url, {host(url), *hosts}, notes)
    if kind:
        read_tags(data, encoding, kind, found)
    elif not first and data.lstrip(b"\xef\xbb\xbf \t\r\n")[:4].lower() == b"http":
        kind = "list"
        read_lines(data, found)
    return found.report(kind)


def read_lines(data: bytes, found: "SitemapPages") -> None:
    """Read a plain list, one address a line."""
    lines = data.replace(b"\r", b"\n").split(b"\n", MOST_LINES)
    if len(lines) > MOST_LINES:
        found.notes.append(TOO_MANY)
    for line in lines[:MOST_LINES]:
        if found.is_full:
            found.notes.append(TOO_MANY)
            return
        found.add(found.pages, line[:LONGEST_DATA].decode("utf-8-sig", "replace"))


def find_sitemaps(origin: str, named: Iterable[str]) -> list[str]:
    """Return where the sitemaps of an origin are: where its robots.txt says, or at the usual place.

    >>> find_sitemaps("http://x.org", ["/maps/1.xml"]), find_sitemaps("http://x.org", [])
    (['http://x.org/maps/1.xml'], ['http://x.org/sitemap.xml'])
    """
    found = [resolve(origin + "/", text.strip()) for text in named]
    known = list(dict.fromkeys(url for url in found if url))
    usual = canonical(origin + WELL_KNOWN)
    return known or ([usual] if usual else [])


class SitemapPages:
    """What was found so far."""

    def __init__(self, url: str, hosts: Collection[str], notes: list[str]) -> None:
        self.url, self.hosts, self.notes = url, hosts, notes
        self.pages: dict[str, None] = {}
        self.maps: dict[str, None] = {}
        self.images: dict[tuple[str, str], ListedImage] = {}
        self.titles: dict[str, str] = {}
        self.foreign = self.tried = 0
        self.is_full = False

    def add(self, known: dict[str, None], text: str) -> str:
        """Keep a page or a sitemap; return its address, "" if it is not kept."""
        self.tried += 1
        self.is_full = self.is_full or self.tried >= MOST_TRIED
        address = self._resolve(text)
        if address is None:
            return ""
        if host(address) not in self.hosts:
            self.foreign += 1
            return ""
        if address not in known:
            if len(known) >= MOST_ADDRESSES:
                self.is_full = True
                return ""
            known[address] = None
        return address

    def add_image(self, text: str, page: str, title: str, caption: str) -> None:
        """Keep an image."""
        if len(self.images) >= MOST_ADDRESSES:
            if TOO_MANY_IMAGES not in self.notes:
                self.notes.append(TOO_MANY_IMAGES)
            return
        image = self._resolve(text)
        if image is not None:
            self.images.setdefault((image, page), ListedImage(image, page, title, caption))

    def _resolve(self, text: str) -> str | None:
        text = text.strip()
        if text.startswith("http"):
            return canonical(text)
        return resolve(self.url, text) if text else None

    def report(self, kind: str) -> Sitemap:
        """Return all that was found."""
        return Sitemap(
            kind,
            tuple(self.pages),
            tuple(self.maps),
            tuple(self.images.values()),
            self.titles,
            self.foreign,
            tuple(dict.fromkeys(self.notes)),
        )


def unfold(body: bytes) -> tuple[bytes, list[str]]:
    """Return a body that is no gzip any more, and what was lost of it."""
    notes: list[str] = []
    for _ in range(2):  # some servers do it twice
        if not body.startswith(GZIP_MAGIC):
            break
        stream, parts, size = Deflate("gzip"), [], 0
        try:
            for start in range(0, len(body), PIECE):
                part = stream.feed(body[start : start + PIECE], MOST_BYTES + 1 - size)
                parts.append(part)
                size += len(part)
                if size > MOST_BYTES:
                    break
            is_whole = stream.finished or size > MOST_BYTES
        except EncodingError:
            is_whole = False
        if not is_whole:
            notes.append(BROKEN)
        body = b"".join(parts)
    if len(body) > MOST_BYTES:
        notes.append(CUT)
    return body[:MOST_BYTES], notes


def find_encoding(data: bytes) -> str:
    """Return the encoding that a document declares, if it is one of the web's."""
    declared = DECLARED.match(data.removeprefix(codecs.BOM_UTF8)[:500])
    name = declared[1].decode() if declared else "utf-8"
    if ENCODINGS.fullmatch(name):
        try:
            return codecs.lookup(name).name
        except LookupError:
            return "utf-8"
    return "utf-8"


def tidy(data: bytes, notes: list[str]) -> bytes:
    """Return a document without comments, and with CDATA as the text that it stands for."""
    parts: list[bytes] = []
    at = size = 0
    while start := SECTION.search(data, at):
        if len(parts) >= MOST_TAGS or size > MOST_BYTES:
            notes.append(CUT)
            break
        parts.append(data[at : start.start()])
        is_comment = start[0] == b"<!--"
        end = data.find(b"-->" if is_comment else b"]]>", start.end())
        end = end if end >= 0 else len(data)
        if not is_comment:
            text = data[start.end() : min(end, start.end() + LONGEST_DATA)]
            parts.append(text.replace(b"&", b"&amp;").replace(b"<", b"&lt;"))
        size += len(parts[-1])
        at = end + 3
    parts.append(data[at : at + MOST_BYTES])
    data = b"".join(parts) if at else data
    marks = data.count(b"<")
    if marks > MOST_MARKS:
        notes.append(CUT)
        data = data[: len(data) * MOST_MARKS // marks]
    return data


class SitemapEntry:
    """One page or sitemap, or one piece of news of a feed, while it is read."""

    def __init__(self, is_map: bool) -> None:
        self.is_map = is_map
        self.address = self.permalink = self.bare = self.title = ""
        self.images: list[dict[str, str]] = []

    def note_bare(self, text: str) -> None:
        """Note an address that stands in the entry itself; <loc> goes before it."""
        if text.lstrip()[:4].lower() == "http":
            self.bare = text

    def note(self, prefix: str, name: str, text: str) -> None:
        """Note what a tag of a sitemap says."""
        if prefix != "image":
            if name == "loc":
                self.address = text
            elif name == "title" and prefix == "news":
                self.title = text
        elif name == "image":
            self.images.append({})
        elif name in ("loc", "title", "caption"):
            if not self.images or (name == "loc" and "loc" in self.images[-1]):
                self.images.append({})
            self.images[-1].setdefault(name, text)

    def note_news(self, prefix: str, name: str, attributes: dict[str, str], text: str) -> None:
        """Note what a tag of a feed says."""
        if name == "link":  # a text in RSS, an attribute in Atom
            if attributes.get("rel", "alternate") == "alternate" and not self.address:
                self.address = attributes.get("href") or text.strip()
        elif name == "guid" and attributes.get("ispermalink", "true") != "false":
            self.permalink = text.strip() if text.lstrip().startswith("http") else ""
        elif name == "title" and prefix != "media":
            self.title = self.title or text
        elif name == "enclosure" or prefix == "media":
            kind, source = attributes.get("type", ""), attributes.get("url", "")
            if kind.startswith("image/") or (not kind and is_image_url(source)):
                self.images.append({"loc": source})

    def add_to(self, found: SitemapPages) -> None:
        """Keep what was read."""
        address = self.address or self.permalink or self.bare
        if self.is_map:
            found.add(found.maps, address)
            return
        page = found.add(found.pages, address)
        title = clean(self.title)
        if page and title:
            found.titles.setdefault(page, title)
        for image in self.images if page else ():
            texts = clean(image.get("title", "")), clean(image.get("caption", ""))
            found.add_image(image.get("loc", ""), page, *texts)


def read_tags(data: bytes, encoding: str, kind: str, found: SitemapPages) -> None:
    """Read the entries of a document, one after the other, until there are too many."""
    entries = ("item", "entry") if kind == "feed" else ("url", "sitemap")
    entry: SitemapEntry | None = None
    for number, tag in enumerate(TAG.finditer(data)):
        if number >= MOST_TAGS or found.is_full:
            found.notes.append(TOO_MANY)
            break
        prefix = tag[2].decode("ascii").lower() if tag[2] else ""
        name = tag[3].decode("ascii").lower()
        is_new = name in entries and prefix not in EXTENSIONS
        if tag[1] and not is_new:
            continue
        is_orphan = name == "loc" and prefix != "image" and (entry is None or entry.address)
        if is_new or (is_orphan and kind != "feed"):
            if entry is not None:
                entry.add_to(found)
            entry = None if tag[1] else SitemapEntry(name == "sitemap" or kind == "index")
        if entry is None:
            continue
        text = read_text(tag[5], encoding)
        if is_new:
            entry.note_bare(text)
        elif kind == "feed":
            entry.note_news(prefix, name, read_attributes(tag[4], encoding), text)
        else:
            entry.note(prefix, name, text)
    if entry is not None:
        entry.add_to(found)


def read_attributes(data: bytes, encoding: str) -> dict[str, str]:
    """Return the attributes of a tag that matter."""
    return {
        name.decode("ascii").lower(): read_text(one or other, encoding).strip()
        for name, one, other in ATTRIBUTE.findall(data)
    }


def read_text(data: bytes, encoding: str) -> str:
    """Return a text with its references resolved; those of HTML stay, for they may be parameters.

    >>> read_text(b"a&amp;b&copy=1&#228;", "utf-8")
    'a&b&copy=1ä'
    """
    text = data.decode(encoding, "replace")
    return REFERENCE.sub(_resolve, text) if "&" in text else text


def _resolve(reference: re.Match[str]) -> str:
    if reference[1]:
        return NAMED[reference[1].lower()]
    code = int(reference[2]) if reference[2] else int(reference[3], 16)
    is_character = 0 < code < 0xD800 or 0xDFFF < code <= LAST_CHARACTER
    return chr(code) if is_character else "\ufffd"


def clean(text: str) -> str:
    """Return a title without markup and needless blanks."""
    if not text:
        return ""
    text = unescape(MARKUP.sub(" ", text[: 4 * LONGEST_TEXT]))
    return " ".join(text.split())[:LONGEST_TEXT]
