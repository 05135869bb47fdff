"""CDXJ indexes: lines as other tools write them, and quick look-up."""

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blickfang.errors import InputError
from blickfang.io.warc import Archived, find_captures, read_at, write_index
from blickfang.io.warc.cdxj import index_key
from tests.crawl.warc.samples import DATE, PAGE, exchange, open_archive
from tests.crawl.warc.test_reader import answer


def test_lines(tmp_path: Path) -> None:
    with open_archive(tmp_path) as archive:
        second = archive.write(exchange("http://www.example.org/dogs?b=2&a=1"))
        first = archive.write(exchange("http://example.org/Cats/", status=404))
        archive.write(exchange("http://example.org/cats"), ("http://example.org/Cats/", DATE))
        archive.write_conversion("http://example.org/cats", DATE, PAGE, first.record_id)
    out = tmp_path / "index.cdxj"
    assert write_index(tmp_path / first.file, out) == []
    lines = out.read_text().splitlines()
    assert lines == sorted(lines)
    assert len(lines) == 3
    key, timestamp, facts = lines[2].split(" ", 2)
    assert (key, timestamp) == ("org,example)/dogs?a=1&b=2", "20260131123456")
    assert json.loads(facts) == {
        "url": "http://www.example.org/dogs?b=2&a=1",
        "mime": "text/html",
        "status": "200",
        "digest": second.digest,
        "length": str(second.length),
        "offset": str(second.offset),
        "filename": second.file,
    }
    found = list(find_captures(out, "https://example.org/cats"))
    assert {(one.url, one.status, one.mime) for one in found} == {
        ("http://example.org/Cats/", "404", "text/html"),
        ("http://example.org/cats", "200", "warc/revisit"),
    }
    for one in found:
        read = read_at(tmp_path / one.file, one.offset, one.length)
        assert isinstance(read, Archived)
        assert read.url == one.url


@settings(max_examples=100)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 8)), max_size=40))
def test_every_capture_is_found(
    tmp_path_factory: pytest.TempPathFactory, pages: list[tuple[str, int]]
) -> None:
    index = tmp_path_factory.mktemp("index") / "all.cdxj"
    lines = [
        f'org,{host}{number})/ {at:014} {{"url": "http://{host}{number}.org/", "length": "1", '
        f'"offset": "{at}", "filename": "f"}}\n'
        for at, (host, number) in enumerate(pages)
    ]
    index.write_text("".join(sorted(lines)))
    for host in "abc":
        for number in range(10):
            found = find_captures(index, f"http://{host}{number}.org/")
            expected = [at for at, page in enumerate(pages) if page == (host, number)]
            assert [one.offset for one in found] == expected


def test_what_cannot_be_indexed(tmp_path: Path) -> None:
    path = tmp_path / "one.warc.gz"
    path.write_bytes(gzip.compress(answer(1) + answer(2)))
    with pytest.raises(InputError, match="record by record"):
        write_index(path, tmp_path / "index")
    assert not (tmp_path / "index").exists()
    path.write_bytes(gzip.compress(answer(1)) + gzip.compress(answer(2))[:-9])
    assert [one.reason for one in write_index(path, tmp_path / "index")] == [
        "file ends within a record"
    ]
    assert len(list(find_captures(tmp_path / "index", "http://example.org/1"))) == 1
    (tmp_path / "index").write_text("org,example)/ no index\n")
    with pytest.raises(InputError, match="no CDXJ index"):
        list(find_captures(tmp_path / "index", "http://example.org/"))
    with pytest.raises(InputError, match="cannot read"):
        list(find_captures(tmp_path / "missing", "http://example.org/"))


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://www.example.org", "org,example)/"),
        ("http://www34.example.org/?", "org,example)/"),
        ("http://www2cats.org/", "org,www2cats)/"),
        ("https://user:password@example.org:8080/A//b/", "org,example:8080)/a/b"),
        ("http://example.org/?b=2&a=2&a=1&a", "org,example)/?a&a=1&a=2&b=2"),
        ("http://example.org/a?x=1&", "org,example)/a?&x=1"),
        ("http://192.0.2.1/cats", "1,2,0,192)/cats"),
        ("http://[2001:db8::1]:8080/", "[2001:db8::1]:8080)/"),
        ("http://[2001:db8::1]/Cats", "2001:db8::1)/cats"),
        ("http://www.example.org./a", "org,example)/a"),
        ("http://example.org.:8080/", "org,example:8080)/"),
        ("http://example.org/%25%32%35", "org,example)/%25"),
        ("http://example.org/K%C3%A4se Brot", "org,example)/k%c3%a4se%20brot"),
        ("http://bücher.example/", "example,xn--bcher-kva)/"),
        ("http://example.org/(S(4hqa0555fwsecu455xqckv45))/a.aspx", "org,example)/a.aspx"),
        ("http://example.org/?sid=9682993c8daa2c5497996114facdc805&y=2", "org,example)/?y=2"),
        ("http://example.org/?PHPSESSID=9682993c8daa2c5497996114facdc805", "org,example)/"),
        ("urn:cats and:dogs", "urn:catsand:dogs"),
    ],
)
def test_keys(url: str, key: str) -> None:
    assert index_key(url) == key


@given(st.text())
def test_keys_have_no_blanks(text: str) -> None:
    for url in (text, f"http://example.org/{text}", f"http://example.org/?{text}"):
        assert len(index_key(url).split(" ")) == 1
        assert "\n" not in index_key(url)
