"""Values that kernels make are counted as all others: none is lost, none is kept."""

import gc
import pickle
import sys
from collections.abc import Callable

import pytest

from blickfang.html.page import glance, read_page
from blickfang.types import Context, Image, Link, Page, Response
from tests.fuzz.kinds import GOLDEN

TIMES = 50
COUNTED = (Link, Image, Context, None, (), "", "img", "a", 0.0)


def read_all() -> list[object]:
    return [read_page(path.read_bytes(), "http://a.org/") for path in sorted(GOLDEN.glob("*.html"))]


def glance_all() -> list[object]:
    paths = sorted(GOLDEN.glob("*.html"))
    return [glance(Response("http://a.org/", 200, {}, path.read_bytes())) for path in paths]


@pytest.mark.parametrize("read", [read_all, glance_all])
def test_pages_leave_nothing_behind(read: Callable[[], list[object]]) -> None:
    for _ in range(TIMES):
        read()  # what is kept for the next page of its kind
    gc.collect()
    before, blocks = [sys.getrefcount(value) for value in COUNTED], sys.getallocatedblocks()
    for _ in range(TIMES):
        read()
    gc.collect()
    after, more = [sys.getrefcount(value) for value in COUNTED], sys.getallocatedblocks() - blocks
    # A page has hundreds of each, and each round has many pages: one mistake would make thousands.
    assert max(abs(a - b) for a, b in zip(after, before, strict=True)) < TIMES, (before, after)
    assert more < 10 * TIMES


def test_values_hash_as_those_that_python_makes() -> None:
    """A tuple that keeps its hash must not come with one: since Python 3.14 it would be 0."""
    for page in read_all():
        assert isinstance(page, Page)
        pairs = [link.words for link in page.links]
        assert list(map(hash, page.links)) == [hash((*link,)) for link in page.links]
        assert list(map(hash, pairs)) == [hash((*pair,)) for pair in pairs]


def test_pages_can_be_sent_to_other_processes() -> None:
    for page in read_all():
        assert isinstance(page, Page)
        again = pickle.loads(pickle.dumps(page))  # noqa: S301 -- our own
        assert (again.links, again.images) == (page.links, page.images)
        assert all(type(link) is Link for link in page.links)
