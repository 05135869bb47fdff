"""Targets that read what servers say: consent, headers, addresses, sitemaps, archives."""

import gzip
import io
import itertools
import json
import zlib
from collections.abc import Iterator
from pathlib import Path

import brotli  # type: ignore[import-untyped]

from blickfang.crawl.fetch.resolver import refuse
from blickfang.crawl.frontier.sitemaps import find_sitemaps, read_sitemap
from blickfang.crawl.frontier.traps import find_trap, pattern_of, without_session
from blickfang.crawl.permission import decide, read_host, signals_of, signals_of_answer
from blickfang.crawl.permission.crawl_manners import retry_after
from blickfang.crawl.permission.host_rules import dump_host, load_host
from blickfang.crawl.permission.robots_txt import delay_for
from blickfang.html.decode import decode_page
from blickfang.html.images.lazy_sources import list_candidates
from blickfang.io.content_encoding import EncodingError, choose_decoder
from blickfang.io.urls import (
    canonical,
    file_words,
    host,
    is_image_url,
    resolve,
    resolve_many,
    surt,
    url_words,
)
from blickfang.io.warc import ArchiveWriter, find_captures, read_archive, read_at, write_index
from blickfang.io.warc.http_exchange import Exchange
from blickfang.io.warc.payload import decode_body, split_response
from blickfang.types import Failure, LicenceTerms
from tests.fuzz.kinds import COVERAGE, Target, folder, spread, text_of, written

SEES = (
    "blickfang.crawl",
    "blickfang.io.urls",
    "blickfang.html.decode",
    "blickfang.html.images.lazy_sources",
)
NOW = 1_800_000_000.0
DATE = "2026-01-31T12:34:56.789Z"
BASE = "http://example.org/a/b?c"
URLS = (BASE, "http://example.org/", "http://example.org/private/x.php?id=3", "https://a.b/%7Ec")
ROBOTS = (
    b"User-agent: *\nDisallow: /private/*.php$\nAllow: /a\nCrawl-delay: 3\n"
    b"Content-Usage: /a train-ai=n, search=y\nContent-Signal: ai-train=no\n"
    b"Sitemap: http://example.org/s.xml\nLicense: http://example.org/rsl.xml\n",
    b"\xef\xbb\xbfUser-agent: Blickfang\nUser-agent: other\nDisallow:\n\nRequest-rate: 1/10\n",
    b"<!doctype html><title>404</title>",
)
ROBOTS_TOKENS = (
    b"User-agent: ", b"*", b"Blickfang", b"Disallow: ", b"Allow: ", b"/", b"$", b"\n", b"\r", b":",
    b"#",
    b"Crawl-delay: ", b"Sitemap: ", b"Content-Usage: ", b"Content-Signal: ", b"train-ai=n", b"/a*",
    b"ai-train=no", b"License: ", b"%2F", b"%", b"search=", b"(", b")", b";", b",", b"/*/*/*/*$",
    b"Request-rate: 1/10", b"Visit-time: ", b"\t",
)  # fmt: skip
TDM = json.dumps(
    [
        {"location": "/a*", "tdm-reservation": 1, "tdm-policy": "http://example.org/p.json"},
        {"location": "/*.php$", "tdm-reservation": 0},
    ]
).encode()
JSON_TOKENS = (
    b"[", b"]", b"{", b"}", b'"', b":", b",", b"null", b"true", b"1e999", b"-0", b'"\\ud800"',
    b"\\u0000",
    b'{"a":', b"[[", b"NaN", b'""', b"\\",
)  # fmt: skip


def exchange(body: bytes, status: int = 200) -> Exchange:
    """Return an answer of a host with this body."""
    return Exchange(
        url="http://example.org/robots.txt",
        request_head=b"GET / HTTP/1.1\r\nHost: example.org\r\n\r\n",
        response_head=b"HTTP/1.1 %d OK\r\n\r\n" % status,
        status=status,
        headers={},
        body=body,
        ip="192.0.2.1",
        fetched_at=DATE,
        first_byte_s=0.1,
        total_s=0.2,
    )


def call_robots(data: bytes) -> object:
    """Read robots.txt and ai.txt, ask about addresses, keep the rules and load them again."""
    rules = read_host(exchange(data), NOW, None, exchange(data))
    found = [signal for url in URLS for signal in signals_of(rules, url)]
    assert load_host(json.loads(json.dumps(dump_host(rules)))) == rules
    pace = delay_for(rules.robots, 1.0)
    find_sitemaps("http://example.org", rules.robots.records.sitemaps)
    decision = decide(found, "train", "page")
    return decision, pace, frozenset(signal.name for signal in found)


def call_tdmrep(data: bytes) -> object:
    """Read tdmrep.json, whole and cut."""
    rules = read_host(exchange(b""), NOW, exchange(data))
    found = [signal for url in URLS for signal in signals_of(rules, url)]
    assert load_host(json.loads(json.dumps(dump_host(rules)))) == rules
    return len(rules.tdm.rules), frozenset((signal.name, signal.value) for signal in found)


HEADERS = (
    b"content-usage: train-ai=n, (a b);q=1, search=y\r\ncontent-signal: ai-train=no\r\n",
    b"x-robots-tag: googlebot: noindex, unavailable_after: 25 Jun 2010 15:00:00 PST\r\n",
    b"x-robots-tag: noai, noimageai, none\r\nretry-after: Wed, 21 Oct 2015 07:28:00 GMT\r\n",
    b'link: <http://a.b/l.xml>; rel="license"; type="application/rsl+xml", </n>; rel=next\r\n',
    b"tdm-reservation: 1\r\ntdm-policy: http://a.b/p\r\ncontent-type: a/b; charset=x-sjis\r\n",
    b"content-type: text/html;charset='utf-16'; charset=\"latin1\"\r\nretry-after: 120\r\n",
    b"content-encoding: gzip, br\r\ntransfer-encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n0\r\n\r\n",
)
HEADER_TOKENS = (
    b"content-usage: ", b"content-signal: ", b"x-robots-tag: ", b"retry-after: ", b"link: ",
    b"\r\n",
    b"tdm-reservation: ", b"tdm-policy: ", b"content-type: ", b"content-encoding: ", b"; charset=",
    b"transfer-encoding: chunked", b"noindex", b"unavailable_after: ", b"none", b"train-ai=n",
    b"?1",
    b"<http://a.b/>", b'; rel="license"', b"1", b"31 Dec 9999 23:59:59 +9999", b"0001-01-01", b",",
    b"=", b'"', b"\\", b"(", b")", b";", b":", b" ", b"gzip", b"deflate", b"br", b"zstd",
    b"ffffffff\r\n",
)  # fmt: skip


def call_headers(data: bytes) -> object:
    """Read the head of an answer, and everything that headers and meta elements may say."""
    found = split_response(b"HTTP/1.1 200 OK\r\n" + data)
    assert found is not None
    _, headers, body = found
    terms = [
        LicenceTerms(headers.get("link", "")),
        LicenceTerms("http://a.b/", body.decode("utf-8", "replace")),
    ]
    signals = signals_of_answer(headers, {}, NOW, terms, ["http://a.b/a.png"])
    # The same words in the elements of a page.
    said = signals_of_answer({}, {"robots": headers.get("x-robots-tag", ""), **headers}, NOW)
    wait = retry_after(headers, NOW)
    assert wait is None or 0 <= wait <= 86_400
    plain, cut = decode_body(headers, body, 2**20)
    assert len(plain) <= 2**20
    decoded = decode_page(body or b"x", headers.get("content-type"))
    decision = decide([*signals, *said], "train", "image")
    return decision.reasons, wait is None, cut, decoded.notes, spread(len(headers))


ADDRESSES = (
    b"HTTP://Example.org:80/a/../%7eb%c3%a4?#c", b"//user:pw@xn--bcher-kva.example:8080/x;y?z=1#t",
    b"http://[::ffff:127.0.0.1]/", b"http://0x7f.1/", b"http://2130706433/",
    b"../../x/./y/%2e%2e/z",
    b"javascript:alert(1)", b"data:text/html,x", b"http://a.b/c.jpg.webp?w=3", b"?q", b"#f", b"",
    "http://bücher.example/straße/Ä.PNG".encode(), b"http://a\tb\n.c/", b"https:\\\\a.b\\c",
    b"http://a.b/2015/02/is-the-kitten-XXX.jpg;jsessionid=3?PHPSESSID=4&sid=5",
    b"a.jpg 100w, b.jpg 2x, data:x 3x",
)  # fmt: skip
ADDRESS_TOKENS = (
    b"http://", b"https://", b"//", b"/", b"..", b".", b"%2e", b"%", b"%zz", b"%25", b"?", b"#",
    b"@", b":",
    b"[::1]", b"[", b"]", b"xn--", b"\xe3\x80\x82", b"\xc2\xad", b"0x", b"127.0.0.1", b":80",
    b":99999",
    b"\\", b"\t", b"\n", b" ", b"*", b"{", b"|", b"&", b";jsessionid=", b"sid=", b"a", b"/a/b/a/b",
    b".jpg",
    b",", b" 2x", b" 100w",
)  # fmt: skip


def call_urls(data: bytes) -> object:
    """Bring an address into its canonical form, join it, take it apart."""
    text = text_of(data)
    known = canonical(text)
    for base in (BASE, "", text[:200]):
        assert resolve_many(base, [text, "x"]) == [resolve(base, text), resolve(base, "x")]
    words = url_words(text), file_words(text), is_image_url(text)
    candidates = list(list_candidates(text))
    name = host(text)
    refuse(name, 80, False)
    if known is None:
        return words[2], spread(len(candidates))
    assert canonical(known) == known
    assert resolve(BASE, known) == known
    assert surt(known) is not None
    trap = find_trap(known)
    assert canonical(without_session(known)) is not None
    return trap, pattern_of(known) is None, name.startswith("["), "@" in known, "%" in known


SITEMAPS = (
    b'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
    b' xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"><url><loc>http://example.org/a'
    b"</loc><lastmod>2026-01-01</lastmod><image:image><image:loc>http://example.org/b.jpg</image:loc>"
    b"<image:caption><![CDATA[A & B]]></image:caption></image:image></url></urlset>",
    b"<sitemapindex><sitemap><loc>http://example.org/s2.xml</loc></sitemap></sitemapindex>",
    b'<rss version="2.0"><channel><item><link>http://example.org/c</link></item></channel></rss>',
    b'<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="/d"/></entry></feed>',
    b"http://example.org/e\nhttp://example.org/f\n",
)
SITEMAP_TOKENS = (
    b"<urlset>", b"<url>", b"</url>", b"<loc>", b"</loc>", b"<image:image>", b"</image:image>",
    b"<!--",
    b"<image:loc>", b"<image:title>", b"<image:caption>", b"<sitemap>", b"</sitemap>",
    b"<![CDATA[", b"]]>",
    b"-->", b"<!DOCTYPE a [<!ENTITY b 'c'>]>", b"&b;", b"&amp;", b"&#x110000;",
    b"http://example.org/#",
    b"<item>", b"<link>", b"<link href='", b"<news:news>", b"<news:name>", b"<", b">", b"/", b"\n",
    b"xmlns:",
    b' encoding="utf-16"', b"<?xml", b"?>", b"\xff\xfe", b"\x1f\x8b\x08",
)  # fmt: skip


def sitemaps() -> Iterator[bytes]:
    """Give sitemaps, plain and packed."""
    yield from SITEMAPS
    yield gzip.compress(SITEMAPS[0], mtime=0)
    yield SITEMAPS[0].decode().encode("utf-16")


def call_sitemap(data: bytes) -> object:
    """Read a sitemap or feed."""
    found = read_sitemap(data, "http://example.org/sitemap.xml", ("example.org",))
    return tuple(spread(len(part)) if hasattr(part, "__len__") else part for part in found)


def archives() -> Iterator[bytes]:
    """Give archives as we and others write them: packed, plain, as one piece, with lies in them."""
    place = folder() / "archive"
    pages = [b"<!doctype html><title>%d</title><p>A cat." % n for n in range(3)]
    with ArchiveWriter.open(place, "seed", None, {"operator": "mailto:a@b.c"}) as archive:
        for page in pages:
            archive.write(exchange(page))
        archive.write(exchange(pages[0]), ("http://example.org/", DATE))
        archive.write_conversion("http://example.org/", DATE, pages[1], "<urn:uuid:1>")
    packed = b"".join(path.read_bytes() for path in sorted(place.glob("*.warc.gz")))
    plain = gzip.decompress(packed)
    yield packed
    yield plain
    yield gzip.compress(plain, mtime=0)
    yield plain.replace(b"WARC/1.1", b"WARC/0.18").replace(b"\r\n", b"\n")
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n"
    squeezed = gzip.compress(b"x" * 10_000, mtime=0)
    block = chunked + b"%x\r\n%b\r\n0\r\n\r\n" % (len(squeezed), squeezed)
    head = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: <http://a.b/>\r\n"
    head += b"Content-Length: %d\r\n"
    yield head % len(block) + b"WARC-Date: 2009-03-65T08:43:19-0800\r\n\r\n" + block + b"\r\n\r\n"
    bomb = gzip.compress(bytes(30_000_000), mtime=0)
    yield head % (len(bomb) + 43) + b"\r\nHTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + bomb


WARC_TOKENS = (
    b"WARC/1.1\r\n", b"WARC/1.0\r\n", b"WARC/0.18\n", b"WARC-Type: response\r\n", b"\r\n\r\n",
    b"\r\n", b"\n",
    b"WARC-Type: revisit\r\n", b"Content-Length: 99999999999\r\n", b"Content-Length: 0\r\n", b" ",
    b"\t",
    b"WARC-Target-URI: http://a.b/\r\n", b"HTTP/1.1 200 OK\r\n", b"Transfer-Encoding: chunked\r\n",
    b"Content-Encoding: gzip\r\n", b"Content-Encoding: br\r\n", b"\x1f\x8b\x08\0\0\0\0\0\0\xff",
    b"0\r\n\r\n",
    b"WARC-Date: 2026-01-31T12:34:56Z\r\n", b"WARC-Truncated: length\r\n", b"ffffffff\r\n",
    b"1\r\nx\r\n",
    b"WARC-Segment-Number: 1\r\n", b"\x28\xb5\x2f\xfd", b"\x04\x22\x4d\x18", b":",
    b"Content-Encoding: zstd\r\n",
    gzip.compress(b"", mtime=0), gzip.compress(b"WARC/1.1\r\n", mtime=0),
)  # fmt: skip


def read_all(source: Path | io.BytesIO) -> tuple[int, frozenset[str]]:
    """Read an archive to its end."""
    count, seen = 0, set()
    for found in read_archive(source, 2**22):
        count += 1
        seen.add(found.reason[:30] if isinstance(found, Failure) else found.kind + found.truncated)
    return spread(count), frozenset(seen)


def call_warc(data: bytes) -> object:
    """Read an archive, packed by itself where it is not; ask for a record at a place."""
    shape = read_all(io.BytesIO(data))
    path = written(data, "a.warc.gz")
    at = int.from_bytes(data[-2:]) % (len(data) + 1)
    read_at(path, at, 1000, 2**20)
    return shape


def call_warc_packed(data: bytes) -> object:
    """Pack what was changed, so that the lies lie behind sound checksums."""
    cuts = [0, len(data) // 3, 2 * len(data) // 3, len(data)]
    parts = [data[a:b] for a, b in itertools.pairwise(cuts)]
    return read_all(io.BytesIO(b"".join(gzip.compress(part, 1, mtime=0) for part in parts)))


def plain_archives() -> Iterator[bytes]:
    """Give archives that are not packed."""
    yield from (data for data in archives() if data.startswith(b"WARC"))


def call_index(data: bytes) -> object:
    """Write the index of an archive and look an address up in it."""
    failures = write_index(written(data, "b.warc.gz"), folder() / "b.cdxj")
    captures = list(find_captures(folder() / "b.cdxj", "http://example.org/robots.txt"))
    return spread(len(captures)), spread(len(failures))


def call_captures(data: bytes) -> object:
    """Look an address up in an index that somebody else wrote."""
    return spread(len(list(find_captures(written(data, "c.cdxj"), "http://example.org/a"))))


CAPTURES = (
    b'org,example)/a 20260131123456 {"url": "http://example.org/a", "status": "200", "offset": "5",'
    b' "length": "10", "filename": "a.warc.gz", "mime": "text/html", "digest": "sha1:A"}\n'
)


def bodies() -> Iterator[bytes]:
    """Give bodies in all encodings; the first byte chooses one."""
    plain = b"The cat sat on the mat. " * 40
    yield b"\0" + gzip.compress(plain, mtime=0)
    yield b"\1" + zlib.compress(plain)
    yield b"\1" + zlib.compress(plain)[2:-4]
    yield b"\2" + brotli.compress(plain)
    yield b"\0" + gzip.compress(plain[:9], mtime=0) * 30
    yield b"\0" + gzip.compress(bytes(20_000_000), mtime=0)
    yield b"\2" + brotli.compress(bytes(20_000_000))


def call_decoding(data: bytes) -> object:
    """Undo the encoding of a body as a fetch does, in pieces, and as the archive does."""
    name = ("gzip", "deflate", "br")[data[0] % 3] if data else "gzip"
    body, room, size = data[1:], 2**21, 1 + len(data) // 7
    decoder = choose_decoder(name)
    assert decoder is not None
    got = b""
    try:
        for at in range(0, len(body), size):
            got += decoder.feed(body[at : at + size], room - len(got))
            if len(got) >= room:
                break
    except EncodingError as error:
        got = str(error).encode()
    assert len(got) <= room
    plain, cut = decode_body({"content-encoding": name}, body, room)
    assert len(plain) <= max(room, len(body))
    return name, cut, spread(len(got)), spread(len(plain))


WEB_TARGETS = (
    Target("robots", call_robots, lambda: ROBOTS, ROBOTS_TOKENS, COVERAGE, sees=SEES),
    Target(
        "tdmrep",
        call_tdmrep,
        lambda: (TDM, b"[]", b"{}"),
        (*JSON_TOKENS, b'"location"'),
        COVERAGE,
        sees=SEES,
    ),
    Target("headers", call_headers, lambda: HEADERS, HEADER_TOKENS, COVERAGE, sees=SEES),
    Target("urls", call_urls, lambda: ADDRESSES, ADDRESS_TOKENS, COVERAGE, longest=2000, sees=SEES),
    Target("sitemap", call_sitemap, sitemaps, SITEMAP_TOKENS, COVERAGE, sees=SEES),
    Target("warc", call_warc, archives, WARC_TOKENS, COVERAGE, sees=SEES, seconds=3.0),
    Target(
        "warc-packed",
        call_warc_packed,
        plain_archives,
        WARC_TOKENS,
        COVERAGE,
        sees=SEES,
        seconds=3.0,
    ),
    Target("warc-index", call_index, archives, WARC_TOKENS, COVERAGE, sees=SEES, seconds=3.0),
    Target(
        "captures",
        call_captures,
        lambda: (CAPTURES,),
        (*JSON_TOKENS, b"\n", b" "),
        COVERAGE,
        sees=SEES,
    ),
    Target("decoding", call_decoding, bodies, (b"\x1f\x8b\x08", b"\0\0\xff\xff", b"\x78\x9c")),
)
