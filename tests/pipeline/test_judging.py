"""Judging: which images are not worth a request, by the size that a page shows them in."""

from blickfang.crawl.page_judge import find_unwanted
from blickfang.html import read_page
from blickfang.types import Failure

SIZES = (200, 200, 2000, 2000)


def test_only_what_is_shown_far_too_small_is_left_out() -> None:
    shown = {"a": (250, 150), "b": (99, 300), "c": (16, 16), "d": (5000, 300), "e": (200, 200)}
    tags = "".join(
        f'<img src="/{name}.jpg" width="{width}" height="{height}">'
        for name, (width, height) in shown.items()
    )
    page = read_page(f"<p>{tags}</p><img src='/c2.jpg'>".encode(), "http://a.example/")
    assert not isinstance(page, Failure)
    urls = [f"http://a.example/{name}.jpg" for name in (*shown, "c2")]
    assert {*find_unwanted(page, urls, SIZES)} == {1, 2, 3}


def test_shown_once_large_enough_is_enough() -> None:
    tags = '<img src="/a.jpg" width="20" height="20"><img src="/a.jpg" width="300" height="300">'
    page = read_page(f"<p>{tags}</p>".encode(), "http://a.example/")
    assert not isinstance(page, Failure)
    assert not find_unwanted(page, ["http://a.example/a.jpg"], SIZES)
