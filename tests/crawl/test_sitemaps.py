"""Sitemaps: good ones, bad ones, and bombs."""

import gzip
import time
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.crawl.frontier import sitemaps
from blickfang.crawl.frontier.sitemaps import (
    MOST_ADDRESSES,
    ListedImage,
    Sitemap,
    find_sitemaps,
    read_sitemap,
)
from blickfang.io.urls import canonical

URL = "https://example.org/sitemap.xml"
SPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'


def read(text: str | bytes, url: str = URL, hosts: tuple[str, ...] = ()) -> Sitemap:
    return read_sitemap(text.encode() if isinstance(text, str) else text, url, hosts)


def at(*paths: str) -> tuple[str, ...]:
    return tuple(f"https://example.org/{path}" for path in paths)


def test_a_sitemap() -> None:
    found = read(
        f"""{HEAD}<urlset {SPACE}>
        <url><loc> https://EXAMPLE.org/a?b=1&amp;c=2 </loc><lastmod>2024-01-01</lastmod></url>
        <url><priority>0.5</priority><loc><![CDATA[https://example.org/d?e&f]]></loc></url>
        <!-- <url><loc>https://example.org/hidden</loc></url> -->
        <url><loc>https://example.org/a?b=1&#38;c=2</loc></url></urlset>"""
    )
    assert found == Sitemap("urlset", at("a?b=1&c=2", "d?e&f"), titles={})


def test_an_index() -> None:
    found = read(
        f"""{HEAD}<sitemapindex {SPACE}><sitemap><loc>https://example.org/1.xml.gz</loc></sitemap>
        <sitemap><loc>https://example.org/2.xml</loc></sitemap></sitemapindex>"""
    )
    assert (found.kind, found.pages, found.maps) == ("index", (), at("1.xml.gz", "2.xml"))
    mixed = read("<urlset><url><loc>/a</loc></url><sitemap><loc>/b</loc></sitemap></urlset>")
    assert (mixed.pages, mixed.maps) == (at("a"), at("b"))


@pytest.mark.parametrize(
    ("text", "pages", "maps"),
    [
        (
            "<sitemapindex><sitemap>http://x.org/1.xml</sitemap>"
            "<sitemap>\n http://x.org/2.xml?a&amp;b \n</sitemap></sitemapindex>",
            (),
            ("http://x.org/1.xml", "http://x.org/2.xml?a&b"),
        ),
        (
            "<sitemapindex><sitemap><loc><url>http://x.org/1.xml</url></loc></sitemap>"
            "<sitemap><loc><![CDATA[http://x.org/2.xml]]></loc></sitemap></sitemapindex>",
            (),
            ("http://x.org/1.xml", "http://x.org/2.xml"),
        ),
        (
            "<urlset><url><loc><url>http://x.org/a</url></loc></url><url>http://x.org/b</url>"
            "<url>a page: <loc>http://x.org/c</loc></url><url>http://x.org/d<loc>/e</loc></url>"
            "</urlset>",
            ("http://x.org/a", "http://x.org/b", "http://x.org/c", "http://x.org/e"),
            (),
        ),
    ],
)
def test_addresses_without_loc_or_within_another_tag(
    text: str, pages: tuple[str, ...], maps: tuple[str, ...]
) -> None:
    found = read_sitemap(text.encode(), "http://x.org/sitemap.xml")
    assert (found.pages, found.maps) == (pages, maps)


def test_images_with_what_is_said_of_them() -> None:
    found = read(
        """<urlset><url><image:image><image:loc>https://cdn.test/1.jpg</image:loc>
        <image:title>A <![CDATA[<b>fat</b> &amp;]]> cat</image:title>
        <image:caption>on  a mat</image:caption></image:image><loc>/a</loc>
        <image:image><image:loc>/2.jpg</image:loc></image:image></url>
        <url><loc>/b</loc><image:loc>/3.jpg</image:loc><image:loc>/4.jpg</image:loc></url>
        <url><loc>https://elsewhere.test/</loc><image:loc>/5.jpg</image:loc></url></urlset>"""
    )
    a, b = at("a", "b")
    assert found.images == (
        ListedImage("https://cdn.test/1.jpg", a, "A fat & cat", "on a mat"),
        ListedImage(at("2.jpg")[0], a),
        ListedImage(at("3.jpg")[0], b),
        ListedImage(at("4.jpg")[0], b),
    )


def test_news_have_titles() -> None:
    found = read("<urlset><url><loc>/a</loc><news:title>Cat &amp; dog</news:title></url></urlset>")
    assert found.titles == {at("a")[0]: "Cat & dog"}


def test_rss() -> None:
    found = read(
        """<rss version=2.0><channel><title>Site</title><link>https://example.org/</link>
        <image><url>https://example.org/logo.png</url><link>https://example.org/no</link></image>
        <item><title><![CDATA[Tom & Jerry]]></title><link>https://example.org/1</link>
        <guid isPermaLink="false">77</guid><enclosure url="/1.jpg" type="image/jpeg"/></item>
        <item><guid>https://example.org/2</guid><media:content url='https://example.org/2.png'/>
        <media:title>no</media:title><enclosure url="/2.mp3" type="audio/mpeg"/>
        <description><![CDATA[<a href=x>x</a><item><link>https://example.org/3</link>]]>
        </description></item><item><title>no link</title></item></channel></rss>"""
    )
    assert (found.kind, found.pages) == ("feed", at("1", "2"))
    assert found.titles == {at("1")[0]: "Tom & Jerry"}
    assert [image.url for image in found.images] == [*at("1.jpg", "2.png")]


def test_atom_and_rdf() -> None:
    atom = """<feed xmlns="http://www.w3.org/2005/Atom"><link href="https://example.org/"/>
    <entry><title type=html>One</title><link rel="edit" href="/e"/><link href="/1"/>
    <content type=html>&lt;p></content></entry>
    <entry><link rel='alternate' type='text/html' href='/2?a&amp;b'/></entry></feed>"""
    assert read(atom).pages == at("1", "2?a&b")
    assert read(atom).titles == {at("1")[0]: "One"}
    rdf = """<rdf:RDF xmlns="http://purl.org/rss/1.0/"><channel><link>/</link></channel>
    <item rdf:about="x"><title>A</title><link>https://example.org/1</link></item></rdf:RDF>"""
    assert read(rdf).pages == at("1")


def test_plain_lists() -> None:
    found = read("\ufeffhttps://example.org/a\r\n\r\nhttps://example.org/ü \nhttps://x.test/\nno")
    assert found.kind == "list"
    assert found.pages == at("a", "%C3%BC", "no")
    assert found.foreign == 1
    assert read("https://example.org/a\rhttps://example.org/b").pages == at("a", "b")


@pytest.mark.parametrize(
    "text",
    ["", "hello", "<!doctype html><html><head><title>404</title></head><a href=/x>", "{}", "<x>"],
)
def test_what_is_no_sitemap(text: str) -> None:
    assert read(text) == Sitemap(titles={})


# For whom a sitemap speaks

BOTH = "<urlset><url><loc>https://example.org/a</loc></url><url><loc>http://b.test/</loc></url>"


def test_it_speaks_for_its_own_host() -> None:
    found = read(BOTH)
    assert (found.pages, found.foreign) == (at("a"), 1)
    assert read(BOTH, "http://example.org/deep/map.xml").pages == at("a")


def test_it_speaks_for_those_whose_robots_name_it() -> None:
    found = read(BOTH, "https://maps.test/1.xml", ("b.test",))
    assert (found.pages, found.foreign) == (("http://b.test/",), 1)


def test_where_sitemaps_are() -> None:
    named = [" https://maps.test/1.xml ", "/2.xml", "/2.xml", "mailto:cat"]
    assert find_sitemaps("https://example.org", named) == ["https://maps.test/1.xml", *at("2.xml")]
    assert find_sitemaps("https://example.org:8080", []) == ["https://example.org:8080/sitemap.xml"]
    assert find_sitemaps("nowhere", []) == []


# What is broken


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("<urlset><url><loc>/a?b&c&copy=1</loc></url>", ["a?b&c&copy=1"]),
        ("<urlset><url><loc>/a</loc><url><loc>/b", ["a", "b"]),
        ("<urlset><loc>/a</loc><loc>/b</loc></urlset>", ["a", "b"]),
        ("<URLSET><URL><LOC>/a</LOC></URL></URLSET>", ["a"]),
        ("<ns0:urlset><ns0:url><ns0:loc>/a</ns0:loc></ns0:url></ns0:urlset>", ["a"]),
        ("\n\n  junk <?xml version='1.0'?><urlset><url><loc>/a</loc></url>", ["a"]),
        ("<!-- <html> --><urlset><url><loc lang='x'>/a</loc></url>", ["a"]),
        ("<urlset><url><loc>/a</loc><loc>mailto:b</loc></url><url><loc/></url>", ["a"]),
        ("<urlset><url><loc>&unknown;/a</loc></url>", ["&unknown;/a"]),
        ("<urlset><url><loc>/a&#9999999;b&#xD800;</loc></url>", ["a%EF%BF%BDb%EF%BF%BD"]),
        ("<urlset><url><loc>/a</loc><!-- never ends <url><loc>/b</loc>", ["a"]),
        ("<urlset><url><loc><![CDATA[/a", ["a"]),
    ],
)
def test_what_is_broken_is_read_as_far_as_it_goes(text: str, paths: list[str]) -> None:
    assert read(text).pages == at(*paths)


def test_entities_are_never_unfolded() -> None:
    laughs = "".join(f'<!ENTITY l{k} "{f"&l{k - 1};" * 10}">' for k in range(1, 30))
    found = read(
        f"""<!DOCTYPE urlset [<!ENTITY l0 "ha">{laughs}<!ENTITY f SYSTEM "file:///etc/passwd">]>
        <urlset><url><loc>/&l29;</loc></url><url><loc>/&f;</loc></url></urlset>"""
    )
    assert found.pages == at("&l29;", "&f;")


@pytest.mark.parametrize(
    ("head", "encoding"),
    [
        ('<?xml version="1.0" encoding="ISO-8859-1"?>', "latin-1"),
        ("<?xml version='1.0' encoding='windows-1252' ?>", "cp1252"),
        ('\ufeff<?xml version="1.0"?>', "utf-8"),
        ('<?xml version="1.0" encoding="utf-16"?>', "utf-16"),
        ('<?xml version="1.0" encoding="unicode_escape"?>', "utf-8"),
        ('<?xml version="1.0" encoding="iso-8859-99"?>', "utf-8"),
    ],
)
def test_encodings(head: str, encoding: str) -> None:
    body = f"{head}<urlset><url><loc>/kätzchen</loc></url></urlset>".encode(encoding)
    assert read(body).pages == at("k%C3%A4tzchen")


def test_gzip() -> None:
    plain = b"<urlset><url><loc>/a</loc></url></urlset>"
    assert read(gzip.compress(plain)).pages == at("a")
    assert read(gzip.compress(gzip.compress(plain))).pages == at("a")
    assert read(gzip.compress(plain[:20]) + gzip.compress(plain[20:])).pages == at("a")
    many = b"<urlset>" + b"".join(b"<url><loc>/%d</loc></url>" % k for k in range(50_000))
    packed = gzip.compress(many)
    cut = read(packed[: len(packed) // 2])
    assert 1000 < len(cut.pages) < 40_000
    assert cut.notes == (sitemaps.BROKEN,)
    broken = read(packed[: 2**16] + b"\xff" * 1000 + packed[2**16 :])
    assert broken.pages
    assert broken.notes == (sitemaps.BROKEN,)
    assert read(b"\x1f\x8bno").notes == (sitemaps.BROKEN,)


# What is too much


def test_numbers_are_limited() -> None:
    pages = "".join(f"<url><loc>/{k}</loc></url>" for k in range(MOST_ADDRESSES + 5))
    found = read(f"<urlset>{pages}</urlset>")
    assert len(found.pages) == MOST_ADDRESSES
    assert found.notes == (sitemaps.TOO_MANY,)
    images = "".join(f"<image:loc>/{k}</image:loc>" for k in range(MOST_ADDRESSES + 5))
    found = read(f"<urlset><url><loc>/a</loc>{images}</url><url><loc>/b</loc></url></urlset>")
    assert len(found.images) == MOST_ADDRESSES
    assert found.pages == at("a", "b")
    assert found.notes == (sitemaps.TOO_MANY_IMAGES,)
    found = read("".join(f"https://example.org/{k}\n" for k in range(MOST_ADDRESSES + 5)))
    assert len(found.pages) == MOST_ADDRESSES
    assert found.notes == (sitemaps.TOO_MANY,)


def test_a_bomb_is_cut() -> None:
    bomb = gzip.compress(b"<urlset><url><loc>/a</loc></url>" + b" " * 300_000_000, 1)
    tracemalloc.start()
    found = read(bomb)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (found.pages, found.notes) == (at("a"), (sitemaps.CUT,))
    assert peak < 300e6


BOMBS = ["<", "<!", "<!--", "<!---->", "<![CDATA[", "<![CDATA[&]]>", "<loc", "<loc>", "<a:", "\n"]
BOMBS += [
    "<url><loc>http://b.test/</loc>",
    "<loc>http://a.test/&#1;",
    "<image:loc>x",
    "&",
    "<item ",
]
BOMBS += ["<link href='", "<title>&lt;", "a:", "<url>", "http://a.test/\n", "<link rel=x href="]


@pytest.mark.parametrize("bomb", BOMBS)
def test_time_is_limited(bomb: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MOST_BYTES", "MOST_TRIED", "MOST_TAGS", "MOST_MARKS", "MOST_LINES"):
        monkeypatch.setattr(sitemaps, name, getattr(sitemaps, name) // 25)
    for start in ("<urlset>", "<rss><item>", ""):
        body = (start + bomb * (2_000_000 // len(bomb))).encode()
        begin = time.perf_counter()
        read(body)
        assert time.perf_counter() - begin < 1.0


PIECES = [
    "<urlset>",
    "<sitemapindex>",
    "<rss>",
    "<feed ",
    "<url>",
    "</url>",
    "<loc>",
    "</loc>",
    "<item>",
]
PIECES += [
    "<entry>",
    "<link ",
    "href='/x'",
    ">",
    "<link>",
    "http://example.org/",
    "/a",
    "&amp;",
    "&#",
]
PIECES += [
    "38;",
    "<![CDATA[",
    "]]>",
    "<!--",
    "-->",
    "<image:loc>",
    "<image:image>",
    "<title>",
    "\ufeff",
]
PIECES += [
    "<?xml encoding='",
    "utf-16",
    "shift_jis",
    "'?>",
    "<enclosure url='a.jpg'>",
    "<media:content ",
]


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=40), st.booleans())
def test_any_pieces_can_be_read(pieces: list[str], packed: bool) -> None:
    body = "".join(pieces).encode("utf-8", "replace")
    found = read(gzip.compress(body) if packed else body)
    addresses = [*found.pages, *found.maps, *(image.url for image in found.images)]
    assert all(canonical(address) == address for address in addresses)
    assert set(found.titles) <= set(found.pages)
    assert {image.page for image in found.images} <= set(found.pages)


@given(
    st.binary(max_size=300), st.sampled_from([b"", b"\x1f\x8b\x08", b"\xff\xfe", b"<rss><item>"])
)
def test_any_bytes_can_be_read(body: bytes, start: bytes) -> None:
    assert isinstance(read(start + body), Sitemap)


@given(st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=20), max_size=10))
def test_what_is_written_is_read(paths: list[str]) -> None:
    wanted = [canonical(f"https://example.org/?{path}".strip()) for path in paths]
    escaped = (path.translate({38: "&amp;", 60: "&lt;", 62: "&gt;"}) for path in paths)
    body = "".join(f"<url><loc>https://example.org/?{path}</loc></url>" for path in escaped)
    expected = tuple(dict.fromkeys(url for url in wanted if url))
    assert read(f"{HEAD}<urlset {SPACE}>{body}</urlset>").pages == expected
