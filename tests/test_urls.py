"""Canonical once is canonical for ever; the quick way of joining equals the standard's."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.io.urls import (
    MAX_LENGTH,
    canonical,
    file_words,
    host,
    is_image_url,
    resolve,
    resolve_many,
    surt,
    url_words,
)

PIECES = st.sampled_from(
    re.findall(
        r"\S+",
        r"http: https: HTTP: // / \ . .. ... ./ ../ ? # : @ % %% %2 %2e %2E %41 %7e %7E %20 %25 "
        r"%00 %c3%a4 %C3%A4 %2F %2f a b.html index.php cat-1.jpg A B ~x _ - ; , = & + * ' ( ) ! $ "
        r"[ ] { } | ^ ` < > www. example .org .com :80 :443 :8080 :99999 xn-- xn--mnchen-3ya .de "
        r"0x7f 127.0.0.1 1 [::1] user:pass@ javascript: data: mailto: /a/b?c=d #frag q=1&r=2 _x "
        'münchen 例え localhost " \u00ad \u3002 \ud800',
    )
)
SPACES = st.sampled_from([" ", "\t", "\n", "\r", "\0", "\x0c", "\u2028", "\x7f"])
SOUP = st.lists(PIECES | PIECES | SPACES | st.characters(), max_size=12).map("".join)
WEB_SOUP = st.builds("".join, st.tuples(st.sampled_from(["http://", "https://a.org/", "//"]), SOUP))
NAMES = st.text("abz019-_.~%2eE", min_size=1, max_size=6)
TAME = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(
        ["", "/", "//www.example.org/", "https://example.org/", "?", "#", "http://a-b.co"]
    ),
    st.lists(NAMES, max_size=4).map("/".join),
    st.sampled_from(["", "/", ".html", "?", "?a=b", "?a=/../c&d=%20", "?x=[1]|2", "?'"]),
    st.sampled_from(["", "#", "#top", "#/./", "# x"]),
)
ANY_URL = SOUP | WEB_SOUP | TAME
BASES = st.sampled_from(
    [
        "http://example.org",
        "https://www.example.org/a/b/c.html?d=e/f?g#h",
        "http://user:pass@example.org:8080//x//",
        "https://[::1]:1/%41%c3%a4/b%",
        "http://example.org/a/%",
        "http://example.org/?",
        "HTTP://EXAMPLE.ORG/A b/%2e%2E/c",
        "about:blank",
        "data:text/html,x",
        "",
        "no base",
    ]
)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://example.org", "http://example.org/"),
        ("HTTPS://Example.ORG:443/A", "https://example.org/A"),
        ("http://example.org:443/", "http://example.org:443/"),
        (" http://example.org/a\n/b\t ", "http://example.org/a/b"),
        ("http:\\\\example.org\\a", "http://example.org/a"),
        ("http://example.org/a/./b/../c/%2e%2E/d", "http://example.org/a/d"),
        ("http://example.org/%7euser/%41%2f%c3%a4", "http://example.org/~user/A%2F%C3%A4"),
        ("http://example.org/ä b", "http://example.org/%C3%A4%20b"),
        ("http://example.org/?", "http://example.org/"),
        ("http://example.org/??", "http://example.org/??"),
        ("http://example.org/?#", "http://example.org/"),
        ("http://example.org/#?", "http://example.org/"),
        ("http://example.org/?b=2&a=1&utm_source=x", "http://example.org/?b=2&a=1&utm_source=x"),
        ("http://example.org/?q=%2b+%2B", "http://example.org/?q=%2B+%2B"),
        ("http://münchen.DE/", "http://xn--mnchen-3ya.de/"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://a.org/100%", "http://a.org/100%"),
        ("http://a.org/%%34%31%4%31", "http://a.org/%%341%4%31"),
        ("http://user:pw@a.org/", "http://user:pw@a.org/"),
    ],
)
def test_canonical_form(url: str, expected: str) -> None:
    assert canonical(url) == expected


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.org/a",
        "//example.org/",
        "/a",
        "ftp://example.org/",
        "file:///etc/passwd",
        "javascript:void(0)",
        "mailto:a@example.org",
        "data:image/png;base64,AAAA",
        "http://",
        "http://?",
        "http://a b/",
        "http://'+cat+'/",
        "http://./",
        "http://example.org:99999/",
        "http://[::1/",
        "http://256.256.256.256/",
        "http://\ud800.org/",
        "http://example.org/" + "a" * MAX_LENGTH,
        "http://example.org/" + "ä" * (MAX_LENGTH // 3),
    ],
)
def test_what_no_web_server_has(url: str) -> None:
    assert canonical(url) is None


@given(ANY_URL | st.text())
def test_canonical_twice_is_canonical_once(url: str) -> None:
    once = canonical(url)
    if once is not None:
        assert canonical(once) == once
        assert once.isascii()
        assert len(once) <= MAX_LENGTH
        assert "#" not in once
        assert not {*' \t\n"<>'} & {*once}


@given(st.text("%0123456789abcdefABCDEF", max_size=24))
def test_escapes_settle_at_once(path: str) -> None:
    once = canonical(f"http://a.org/{path}?{path}")
    assert once is not None
    assert canonical(once) == once


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("", "http://example.org/a/b.html?q"),
        ("#top", "http://example.org/a/b.html?q"),
        ("?r", "http://example.org/a/b.html?r"),
        ("?", "http://example.org/a/b.html"),
        ("c.html", "http://example.org/a/c.html"),
        ("c/d.html#e", "http://example.org/a/c/d.html"),
        ("./c", "http://example.org/a/c"),
        ("../..//c", "http://example.org//c"),
        ("/c", "http://example.org/c"),
        ("//other.org/c", "http://other.org/c"),
        ("//other.org", "http://other.org/"),
        ("https://other.org/c?d=/./e", "https://other.org/c?d=/./e"),
        (" \n/c\td ", "http://example.org/cd"),
        ("http:c", "http://example.org/a/c"),
        ("c:d", None),
        ("javascript:void(0)", None),
        ("mailto:cat@example.org", None),
        ("http://", None),
        ("c" * 9000, None),
    ],
)
def test_joining(reference: str, expected: str | None) -> None:
    page = "http://example.org/a/b.html?q#here"
    assert resolve(page, reference) == expected
    assert resolve_many(page, [reference]) == [expected]


@given(BASES | WEB_SOUP, st.lists(ANY_URL, max_size=8))
def test_the_quick_way_equals_the_standard_one(base: str, references: list[str]) -> None:
    references += references[:2]
    assert resolve_many(base, references) == [resolve(base, each) for each in references]


@given(TAME)
def test_the_quick_way_equals_the_standard_one_on_tame_references(reference: str) -> None:
    base = "https://www.example.org/a/b/c.html?d"
    assert resolve_many(base, [reference]) == [resolve(base, reference)]


@given(BASES, ANY_URL)
def test_joined_is_canonical(base: str, reference: str) -> None:
    joined = resolve(base, reference)
    assert joined is None or canonical(joined) == joined


def test_a_long_base_gives_no_long_url() -> None:
    base = "http://example.org/" + "a/" * (MAX_LENGTH // 2 - 20)
    assert resolve_many(base, ["b", "b" * 100]) == [base + "b", None]


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://example.org/", "example.org"),
        ("https://user:pass@www.example.org:8080/a@b", "www.example.org"),
        ("http://Example.ORG", "example.org"),
        ("http://[::1]:80/", "[::1]"),
        ("http://127.0.0.1/", "127.0.0.1"),
        ("http://good.org\\@evil.org/", "good.org"),
        ("nonsense", ""),
        ("", ""),
    ],
)
def test_host(url: str, expected: str) -> None:
    assert host(url) == expected


@given(ANY_URL)
def test_host_of_the_canonical_form_is_the_same(url: str) -> None:
    known = canonical(url)
    if known is not None:
        assert host(known) == host(url) != ""


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://example.org", "http://(org,example,)/"),
        ("https://www.Example.org/Path?q=1#x", "https://(org,example,www,)/Path?q=1"),
        ("http://www.example.org:8080/", "http://(org,example,www,:8080)/"),
        ("http://user:pw@example.org/", "http://(org,example,@user:pw)/"),
        ("http://127.0.0.1/a", "http://(127.0.0.1)/a"),
        ("http://[::1]:8080/a", "http://([::1]:8080)/a"),
        ("mailto:a@b", None),
    ],
)
def test_surt(url: str, expected: str | None) -> None:
    assert surt(url) == expected


@given(ANY_URL, st.text("ab/.?", max_size=5))
def test_surt_keeps_prefixes(url: str, more: str) -> None:
    known = canonical(url)
    longer = canonical(f"{known}{more}")
    if known and longer and longer.startswith(known):
        assert str(surt(longer)).startswith(str(surt(known)))


@pytest.mark.parametrize(
    ("url", "words", "of_file"),
    [
        (
            "http://pictures-of-cats.org/wp-content/uploads/2015/02/is-the-kitten-healthy-XXX.jpg",
            "pictures of cats org wp content uploads is the kitten healthy xxx",
            "is the kitten healthy xxx",
        ),
        ("http://www.example.org", "www example org", ""),
        ("http://example.org/a.b/", "example org a b", ""),
        ("http://example.org/Cat.jpg?dog=1#mouse", "example org cat", "cat"),
        ("http://example.org/cat.jpg.webp", "example org cat", "cat"),
        ("http://example.org/St.Bernhard", "example org st bernhard", "st bernhard"),
        ("http://example.org/.cat", "example org cat", "cat"),
        (
            "http://example.org/images%2Fblack%20cat.jpg",
            "example org images black cat",
            "black cat",
        ),
        ("http://xn--mnchen-3ya.de:80/K%C3%84TZCHEN.png", "münchen de kätzchen", "kätzchen"),
        ("http://a.org/%E0%A4%B9%E0%A4%BF%E0%A4%82%E0%A4%A6%E0%A5%80.jpg", "a org हिंदी", "हिंदी"),
        ("http://a.org/k%E4tzchen.jpg", "a org k tzchen", "k tzchen"),
        ("http://user:pw@a.org/x", "a org x", "x"),
        ("", "", ""),
    ],
)
def test_words(url: str, words: str, of_file: str) -> None:
    assert url_words(url) == words
    assert file_words(url) == of_file


@given(ANY_URL | st.text())
def test_words_are_letters_in_lower_case(url: str) -> None:
    for words in (url_words(url), file_words(url)):
        assert words == words.lower() == " ".join(words.split())
        assert not any(c.isdigit() or c in "._-/%" for c in words)
    assert url_words(url).endswith(file_words(url))


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://example.org/cat.jpg", True),
        ("http://example.org/cat.JPEG?w=1", True),
        ("http://example.org/cat.avif#x", True),
        ("http://example.org/size:3/cat.webp", True),
        ("http://example.org/cat.jpg/", False),
        ("http://example.org/?cat.jpg", False),
        ("http://example.org/cat.html", False),
        ("http://example.org/cat.svg", False),
        ("http://example.org/wiki/File:Cat.jpg", False),
        ("http://example.org/wiki/File%3ACat.jpg", False),
        ("http://cat.png", False),
        ("", False),
    ],
)
def test_image_urls(url: str, expected: bool) -> None:
    assert is_image_url(url) is expected
