import pytest

from blickfang.crawl.traps import find_trap, pattern_of, without_session


@pytest.mark.parametrize(
    ("url", "trap"),
    [
        ("http://a.org/", False),
        ("http://a.org/2015/02/a-cat-in-the-sun.html", False),
        ("http://a.org/en/docs/en/cats.html", False),
        ("http://a.org/img/img/img/img/x.html", True),
        ("http://a.org/" + "x/" * 30, True),
        ("http://a.org/" + "/".join(str(n) for n in range(30)), True),
        ("http://a.org/?" + "x" * 2000, True),
    ],
)
def test_growing_paths_are_traps(url: str, trap: bool) -> None:
    assert bool(find_trap(url)) == trap


def test_pages_that_differ_in_words_share_no_budget() -> None:
    one = pattern_of("http://a.org/2015/02/cats.html")
    other = pattern_of("http://a.org/2016/03/dogs.html")
    assert one is not None
    assert other is not None
    assert one[0] != other[0]


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("http://a.org/?sid=3", "http://a.org/?sid=3"),  # may be a section
        ("http://a.org/?phpsessid=3", "http://a.org/"),
        ("http://a.org/x.html?sid=9f31c07e2b&a=1", "http://a.org/x.html?a=1"),
        ("http://a.org/?a=1&sessionid=3", "http://a.org/?a=1"),
        ("http://a.org/x;jsessionid=9F", "http://a.org/x"),
    ],
)
def test_session_ids_do_not_make_new_pages(url: str, kept: str) -> None:
    assert without_session(url) == kept
