"""A page as strategies see it."""

from blickfang.crawl.focus import PageFeatures
from blickfang.crawl.focus.page_features import name_hosts
from blickfang.text.words import Hashes
from tests.focus.pages import BIRD_PAGE, look, words, write_page


def text(seen: PageFeatures, number: int) -> list[int]:
    """Return the words of a text, in all its ranges."""
    ranges = zip(seen.texts.text, seen.texts.first, seen.texts.last, strict=True)
    return [int(w) for t, a, b in ranges if t == number for w in seen.words[a:b]]


def plain(hashes: Hashes) -> list[int]:
    return [int(word) for word in hashes]


def test_the_title_stands_in_front() -> None:
    seen = look(write_page("Two birds", "<p>sing here</p>", '<a href="/tree.html">x</a>'))
    assert plain(seen.words[: seen.page_words]) == plain(words("two birds sing here x"))
    assert len(seen.words) > seen.page_words  # the address stands behind


def test_links_and_images_have_their_words() -> None:
    seen = look(BIRD_PAGE)
    assert seen.links == [
        "http://a.example/wren.html",
        "http://a.example/about.html",
        "http://b.example/robin",
    ]
    assert seen.link_hosts == ["a.example", "a.example", "b.example"]
    assert seen.images == ["http://a.example/wren.jpg"]
    assert text(seen, 0) == plain(words("the nest of the bird"))
    assert text(seen, 3) == plain(words("wren html"))  # without the host that all have
    assert text(seen, 5) == plain(words("b example robin"))
    assert text(seen, 6)[-8:] != []
    assert set(plain(words("a bird on its nest wren jpg"))) <= set(text(seen, 6))


def test_an_address_named_twice_is_one_link_with_both_texts() -> None:
    seen = look(write_page("", '<a href="/x">red</a> <a href="/y">no</a> <a href="/x">robin</a>'))
    assert seen.links == ["http://a.example/x", "http://a.example/y"]
    assert text(seen, 0) == plain(words("red robin"))


def test_what_is_said_of_an_image_speaks_for_its_link() -> None:
    seen = look(write_page("", '<a href="/x"><img src="/p.png" alt="a robin"></a>'))
    assert set(plain(words("a robin"))) <= set(text(seen, 0))


def test_no_link_to_itself_none_to_style_sheets() -> None:
    page = '<a href="/index.html#top">up</a><link rel="stylesheet" href="/a.css"><a href="/b">b</a>'
    assert look(write_page("", page)).links == ["http://a.example/b"]


def test_escaped_addresses_are_read() -> None:
    seen = look(write_page("", '<a href="/K%C3%A4tzchen">x</a>'))
    assert text(seen, 1) == plain(words("Kätzchen"))


def test_hosts_and_what_addresses_tell() -> None:
    """Within the host of the page the path; elsewhere all but the scheme."""
    told = {
        "/birds/wren": ("a.example", "birds wren"),
        "https://a.example/other": ("a.example", "a example other"),
        "http://a.example:81/port": ("a.example", "a example 81 port"),
        "http://b.example/http/": ("b.example", "b example http"),
        "/http://c.example/copy": ("a.example", "c example copy"),
        "//d.example/x": ("d.example", "d example x"),
    }
    seen = look(write_page("", "".join(f'<a href="{url}">x</a>' for url in told)))
    assert seen.link_hosts == [host for host, _ in told.values()]
    count = len(told)
    assert [text(seen, count + n) for n in range(count)] == [
        plain(words(said)) for _, said in told.values()
    ]
    assert name_hosts(seen.links) == seen.link_hosts


def test_long_addresses_and_texts_are_cut() -> None:
    page = f'<a href="/{"word-" * 800}">x</a><img src="/i.png" alt="{"cat " * 5000}">'
    seen = look(write_page("", page))
    assert len(text(seen, 1)) <= 101
    assert len(text(seen, 2)) <= 200


def test_an_empty_page() -> None:
    seen = look("<html><body> </body></html>")
    assert (seen.links, seen.images, seen.page_words, seen.texts.size) == ([], [], 0, 0)
