"""The bytes of a page become UTF-8, whatever they are and whatever the page says they are.

In: the body of a response and its Content-Type. Out: `Decoded`: valid UTF-8 without byte order
mark; the encoding it was read as, by its name in the encoding standard; notes on what was wrong.
As in browsers, a byte order mark goes before the header, the header before <meta>; but bytes that
plainly contradict them go before both. Nothing raises: what cannot be read becomes U+FFFD.
"""

import codecs
import re
from html import unescape
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, filling, inlined
from blickfang.compute.simd import LANES, match_high
from blickfang.io.text_files import MULTI_BYTE, SNIFF_BYTES, bom_encoding

Bytes = NDArray[np.uint8]

# Name, codec of Python, further labels: the encoding standard's, as far as Python reads them.
_ENCODINGS = """
utf-8 utf-8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf8 x-unicode20utf8
utf-16le utf-16-le csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16
utf-16be utf-16-be unicodefffe
ibm866 cp866 866 cp866 csibm866
iso-8859-2 iso8859-2 csisolatin2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2
iso-8859-3 iso8859-3 csisolatin3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3
iso-8859-4 iso8859-4 csisolatin4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4
iso-8859-5 iso8859-5 csisolatincyrillic cyrillic iso-ir-144 iso8859-5 iso88595 iso_8859-5
iso-8859-5 iso8859-5 iso_8859-5:1988
iso-8859-6 iso8859-6 arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6-e
iso-8859-6 iso8859-6 iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987
iso-8859-7 iso8859-7 csisolatingreek ecma-118 elot_928 greek greek8 iso-ir-126 iso8859-7 iso88597
iso-8859-7 iso8859-7 iso_8859-7 iso_8859-7:1987 sun_eu_greek
iso-8859-8 iso8859-8 csiso88598e csisolatinhebrew hebrew iso-8859-8-e iso-ir-138 iso8859-8 iso88598
iso-8859-8 iso8859-8 iso_8859-8 iso_8859-8:1988 visual csiso88598i iso-8859-8-i logical
iso-8859-10 iso8859-10 csisolatin6 iso-ir-157 iso8859-10 iso885910 l6 latin6
iso-8859-13 iso8859-13 iso8859-13 iso885913
iso-8859-14 iso8859-14 iso8859-14 iso885914
iso-8859-15 iso8859-15 csisolatin9 iso8859-15 iso885915 iso_8859-15 l9
iso-8859-16 iso8859-16
koi8-r koi8-r cskoi8r koi koi8 koi8_r
koi8-u koi8-u koi8-ru
macintosh mac-roman csmacintosh mac x-mac-roman
x-mac-cyrillic mac-cyrillic x-mac-ukrainian
windows-874 cp874 dos-874 iso-8859-11 iso8859-11 iso885911 tis-620
windows-1250 cp1250 cp1250 x-cp1250
windows-1251 cp1251 cp1251 x-cp1251
windows-1252 cp1252 ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100
windows-1252 cp1252 iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii x-cp1252
windows-1252 cp1252 latin-1 x-user-defined
windows-1253 cp1253 cp1253 x-cp1253
windows-1254 cp1254 cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9
windows-1254 cp1254 iso_8859-9:1989 l5 latin5 x-cp1254
windows-1255 cp1255 cp1255 x-cp1255
windows-1256 cp1256 cp1256 x-cp1256
windows-1257 cp1257 cp1257 x-cp1257
windows-1258 cp1258 cp1258 x-cp1258
gbk gb18030 chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 iso-ir-58 x-gbk
gb18030 gb18030
big5 big5hkscs big5-hkscs cn-big5 csbig5 x-x-big5
euc-jp euc_jis_2004 cseucpkdfmtjapanese x-euc-jp
iso-2022-jp iso2022_jp_ext csiso2022jp
shift_jis cp932 csshiftjis ms932 ms_kanji shift-jis sjis windows-31j x-sjis
euc-kr cp949 cseuckr csksc56011987 iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601
euc-kr cp949 windows-949
hz-gb-2312 hz
iso-2022-kr iso2022_kr csiso2022kr
"""
_ROWS = [row.split() for row in _ENCODINGS.strip().splitlines()]
CODECS = {name: codec for name, codec, *_ in _ROWS} | {"utf-32": "utf-32"}
NAMES = {label: row[0] for row in _ROWS for label in [row[0], *row[2:]]}
WIDE = frozenset(["utf-16le", "utf-16be"])
ESCAPING = {"iso-2022-jp": b"\x1b", "iso-2022-kr": b"\x0e", "hz-gb-2312": b"~{"}  # in ASCII bytes
PAIRED = frozenset(["gbk", "gb18030", "big5", "euc-jp", "shift_jis", "euc-kr"])
SNIFFED = {  # gbk is read as gb18030
    CODECS[name]: name
    for name in [
        *(f"windows-{number}" for number in (874, *range(1250, 1259))),
        *(f"iso-8859-{number}" for number in (2, 5, 7, 8)),
        *["ibm866", "koi8-r", "koi8-u", "gb18030", "big5", "euc-jp", "shift_jis", "euc-kr"],
    ]
}

COMMENT = re.compile(rb"<!--(?:.*?-->|.*)", re.DOTALL)
CHARSET = re.compile(r"charset\s*+=\s*+[\"']?\s*+([^\s\"';,]++)", re.IGNORECASE)
# In lower case, as patterns that begin with plain letters are found ten times as quickly.
META_CHARSET = re.compile(
    rb"<meta[^>]{0,200}?charset\s*+=\s*+[\"']?\s*+((?>(?:[\w.:-]|&#\w{1,8};?)+))"
)
BEFORE_CHARSET = len(b"<meta") + 200  # bytes, at most
XML_ENCODING = re.compile(rb"\s*<\?xml[^>]{0,200}?\sencoding\s*=\s*[\"']\s*([\w.:-]+)")
BYTE_ORDER_MARKS = re.compile(rb"(?:\xef\xbb\xbf)+")
BETWEEN_TAGS = re.compile(rb"[^<>]+")
ASCII = bytes(range(128))
CONTROLS = bytes(sorted({*range(32)} - {*b"\t\n\v\f\r\x1b"}))
FIRST_TAG = re.compile(rb"\s*<(?:!doctype|!--|\?xml|[a-z][a-z0-9]*[\s/>])", re.IGNORECASE)
MAX_SNIFFED = 8000  # bytes of text; more does not tell more
WIDE_TAGS = frozenset([b"<\0", b"\0<"])  # how a tag begins in UTF-16
FEW = 5  # pairs of bytes that may look like UTF-8 by chance

MAGIC = re.compile(
    rb"%PDF-|%!PS|\x89PNG|\xff\xd8\xff|GIF8[79]a|RIFF....(?:WEBP|AVI |WAVE)|....ftyp|II\*\0|MM\0\*"
    rb"|PK[\x03\x05]|\x1f\x8b|BZh[1-9]1AY|\xfd7zXZ|7z\xbc\xaf|Rar!\x1a|\x28\xb5\x2f\xfd|ID3[\x02-\x04]"
    rb"|OggS|fLaC|\x1aE\xdf\xa3|FLV\x01|[CF]WS[\x01-\x20]|wOF[F2]|\0\x01\0\0|\x7fELF|\0asm"
    rb"|\xd0\xcf\x11\xe0|\{\\rtf|\xff\x0a|\0\0\0\x0cJXL |BM....\0\0\0\0",
    re.DOTALL,
)


class Decoded(NamedTuple):
    """A page as UTF-8."""

    data: bytes
    encoding: str
    notes: tuple[str, ...]


def decode_page(body: bytes, content_type: str | None = None) -> Decoded:
    """Return the bytes of a page as UTF-8.

    >>> decode_page(b"<p>K\\xe4tzchen", "text/html; charset=ISO-8859-1")[:2]
    (b'<p>K\\xc3\\xa4tzchen', 'windows-1252')
    """
    mark = bom_encoding(body)
    if mark is not None:
        name = _marked(body, mark)
        return _read(body, name, name == "utf-8" and _is_utf8(body), [])
    label = _declared(body, content_type)
    declared = NAMES.get(label) if label else None
    notes = [f"unknown encoding {label!r} declared"] if label and declared is None else []
    is_plain = body.isascii()
    sound = is_plain or _is_utf8(body)
    name = _choose(body, declared, sound, is_plain)
    if declared is not None and name != declared:
        notes.append(f"declared {declared}, read as {name}")
    return _read(body, name, name == "utf-8" and sound, notes)


def looks_binary(body: bytes, content_type: str | None = None) -> bool:
    """Whether some bytes are no page but an image, an archive, a PDF or the like.

    As in browsers, NULs make no page unreadable.

    >>> looks_binary(b"%PDF-1.7"), looks_binary("<p>".encode("utf-16"))
    (True, False)
    """
    # Nearly all pages begin with a tag, and nothing else but a film may.
    if (body[:1] != b"<" or body[4:8] == b"ftyp") and MAGIC.match(body):
        return True
    head = body[:SNIFF_BYTES]
    if not _has_controls(head) or bom_encoding(head) or _wide(head, _is_wide(content_type)):
        return False
    head = body.lstrip(b"\0")[:SNIFF_BYTES].replace(b"\0", b"")
    return FIRST_TAG.match(head) is None or _has_controls(head)


def _has_controls(head: bytes) -> bool:
    """Whether there are more control characters than in any text."""
    return len(head) - len(head.translate(None, CONTROLS)) > len(head) // 20


def _marked(body: bytes, mark: str) -> str:
    """Return the name of the encoding that a byte order mark stands for."""
    if mark == "utf-16":
        return "utf-16le" if body.startswith(codecs.BOM_UTF16_LE) else "utf-16be"
    return "utf-32" if mark == "utf-32" else "utf-8"


def _label(content_type: str | None) -> str | None:
    """Return the encoding that a header names, in lower case."""
    stated = CHARSET.search(content_type) if content_type else None
    return stated[1].lower() if stated else None


def _is_wide(content_type: str | None) -> bool:
    """Whether a header says that a page is UTF-16; a page cannot say so itself."""
    return NAMES.get(_label(content_type) or "") in WIDE


def _declared(body: bytes, content_type: str | None) -> str | None:
    """Return the encoding that header or page name, in lower case; an unknown one as it stands."""
    label = _label(content_type)
    if label in NAMES:
        return label
    head = body[:SNIFF_BYTES].lower()
    head = COMMENT.sub(b"", head) if b"<!--" in head else head
    stated = XML_ENCODING.match(head)
    name = _find_stated(head) if stated is None else stated[1].decode("ascii")
    if not name:
        return label
    return "utf-8" if NAMES.get(name) in WIDE else name  # or else it could not have been read


def _find_stated(head: bytes) -> str:
    """Return the encoding that a <meta> names; sought from where the word may belong to one.

    The first that is one counts: browsers pass over others, too.
    """
    place, first = head.find(b"charset"), ""
    if place >= 0:
        for meta in META_CHARSET.finditer(head, max(0, place - BEFORE_CHARSET)):
            name = unescape(meta[1].decode("ascii"))
            if name in NAMES:
                return name
            first = first or name
    return first


def _choose(body: bytes, declared: str | None, sound: bool, is_plain: bool) -> str:
    """Return the encoding to read a page with: the declared one if its bytes allow."""
    wide = _wide(body[:SNIFF_BYTES], declared in WIDE)
    if wide:
        return wide
    if is_plain:
        if b"\x1b$B" in body or b"\x1b$@" in body:
            return "iso-2022-jp"
        if declared is None or declared in WIDE or ESCAPING.get(declared, b"") not in body:
            return "utf-8"
        return declared
    broken = 0 if sound else _count_broken(body)
    if declared in {None, "utf-8"} or declared in WIDE or declared in ESCAPING:
        if not broken or broken <= len(MULTI_BYTE.findall(body)):
            return "utf-8"
        return _sniff(body)
    return _doubt(body, str(declared), broken)


def _doubt(body: bytes, declared: str, broken: int) -> str:
    """Return the declared old encoding, or another if the bytes are plainly not in it."""
    fitting = len(MULTI_BYTE.findall(body))
    unread = body.decode(CODECS[declared], "replace").count("\ufffd")
    chance = declared in PAIRED and fitting < FEW and not unread
    if fitting and 10 * broken <= fitting and not chance:
        return "utf-8"
    high = len(body.translate(None, ASCII))
    return _sniff(body) if unread >= FEW and 10 * unread > high else declared


def _is_utf8(body: bytes) -> bool:
    return is_utf8(np.frombuffer(body, np.uint8))


@inlined
def measure_character(data: Bytes, i: Integer) -> Integer:
    """Return how many bytes the character at a place takes beyond ASCII, 0 if it is no UTF-8."""
    first, left = data[np.uint64(i)], len(data) - i
    size = 2 if first < 0xE0 else 3 if first < 0xF0 else 4
    if first < 0xC2 or first > 0xF4 or left < size:
        return 0
    second = data[np.uint64(i + 1)]
    low = 0xA0 if first == 0xE0 else 0x90 if first == 0xF0 else 0x80  # else it could be shorter
    high = 0x9F if first == 0xED else 0x8F if first == 0xF4 else 0xBF  # surrogates; the end of all
    if not low <= second <= high:
        return 0
    for k in range(2, size):
        if data[np.uint64(i + k)] & 0xC0 != 0x80:
            return 0
    return size


@filling
def is_utf8(data: Bytes) -> bool:
    """Whether some bytes are UTF-8.

    Python would make a text of them to know it, and throw it away.
    """
    i: Integer = 0
    n = len(data)
    while i < n:
        if i + LANES <= n and not match_high(data, i):
            i += LANES
            continue
        while i < n and data[np.uint64(i)] < 0x80:
            i += 1
        while i < n and data[np.uint64(i)] > 0x7F:
            size = measure_character(data, i)
            if size == 0:
                return False
            i += size
    return True


def _count_broken(body: bytes) -> int:
    """Return how many places are no UTF-8; not counting an end that was cut off."""
    try:
        codecs.utf_8_decode(body, "strict", False)
    except UnicodeDecodeError:
        return body.decode("utf-8", "replace").count("\ufffd") - body.count(b"\xef\xbf\xbd")
    return 0


def _wide(head: bytes, stated: bool) -> str | None:
    """Return which UTF-16 it is, by the zero bytes of markup in it.

    Text in Japanese has none, and in Chinese others (U+4E00 is "one"): where the header says that
    it is UTF-16, or a tag comes first, the tags tell.
    """
    if b"\0" not in head:
        return None
    if b"</" in head or b"<!" in head:  # markup of one byte a letter, with a few zeros in it
        return None
    if stated or head[:2] in WIDE_TAGS:
        big, little = _count_tags(head, "utf-16be"), _count_tags(head, "utf-16le")
        if big != little:
            return "utf-16be" if big > little else "utf-16le"
    first, second = head[::2].count(0), head[1::2].count(0)
    most, least = max(first, second), min(first, second)
    if most < max(4, len(head) // 20) or least > most // 10:
        return None
    return "utf-16be" if first > second else "utf-16le"


def _count_tags(head: bytes, name: str) -> int:
    """Return how many tags begin in some bytes if they are in an encoding; 0 if they are not."""
    text = head.decode(CODECS[name], "replace")
    return text.count("<") if text.count("\ufffd") < 2 else 0  # the last character may be cut


def _sniff(body: bytes) -> str:
    """Return the likeliest encoding of text that is not UTF-8."""
    import chardet  # takes 0.1 s and 40 MB, for one page in hundreds

    pieces: list[bytes] = []
    room = MAX_SNIFFED
    for found in BETWEEN_TAGS.finditer(body):
        if room > 0 and not found[0].isascii():
            piece = found[0] if len(found[0]) <= room else found[0].lstrip(ASCII)[:room]
            pieces.append(piece)
            room -= len(piece)
    guess = chardet.detect(b"\n".join(pieces), include_encodings=SNIFFED, compat_names=False)
    return SNIFFED.get(guess["encoding"] or "", "windows-1252")


def _read(body: bytes, name: str, sound: bool, notes: list[str]) -> Decoded:
    """Return a page read in an encoding; what is sound UTF-8 already as it is."""
    data = body
    if not sound:
        text = body.decode(CODECS[name], "replace")
        unread = text.count("\ufffd")
        if unread:
            notes.append(f"{unread} characters unreadable")
        data = text.encode()
    marks = BYTE_ORDER_MARKS.match(data)
    return Decoded(data[marks.end() :] if marks else data, name, tuple(notes))
