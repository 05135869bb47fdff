"""No regular expression of ours can be made slow: each is attacked by what it is made of."""

import re
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from types import FrameType

import pytest

from blickfang import read_page
from blickfang.corpus.pictures import read_picture
from blickfang.crawl.frontier.traps import pattern_of
from blickfang.crawl.permission.usage_preferences import of_usage_headers
from blickfang.html.decode import decode_page
from blickfang.html.images.generated_alts import is_generated
from blickfang.html.images.lazy_sources import list_candidates
from blickfang.types import Failure, Page
from tests.security.regexes import Expression, Found, attack, collect

SIZE = 2000  # characters of an attack
MOST_S = (
    0.05  # of processor time; what grows with the square takes longer, what explodes never ends
)
# What is slow by itself, and why nobody can use that.
HARMLESS = {
    "blickfang.text.language": "reads our own list of words",
    "blickfang.html.images.lazy_sources.CANDIDATE": "is given texts that end in no separator",
    "blickfang.records.cells.SHAPES": "only ever matched at the start of a cell",
    "blickfang.records.cells.COMPILED": "reads texts without runs of blanks",
}
DYNAMIC = {
    "blickfang.crawl.permission.robots_txt": "a host, escaped; matched once a line, at its start",
    "blickfang.io.warc.archive_writer": "the name of our own archive, escaped",
    "blickfang.records.persons.person_names": "a name, escaped",
}
LARGE = 200_000


@cache
def found() -> Found:
    return collect()


POSSESSIVE_GROUP = re.compile(r"(?<!\\)\)(?:[?*+]|\{[\d,]+\})\+")
IN_BRACKETS = re.compile(r"\[(?:\\.|[^\]\\])*+\]")


def test_no_group_is_possessive() -> None:
    """Python 3.11.2, as Debian has it, goes on behind what such a group has not matched."""
    for expression in found().expressions:
        text = expression.pattern.pattern
        text = text if isinstance(text, str) else text.decode("latin-1")
        assert not POSSESSIVE_GROUP.search(IN_BRACKETS.sub("[]", text)), expression


class SlowError(Exception):
    pass


@contextmanager
def within(seconds: float) -> Iterator[None]:
    def end(_: int, __: FrameType | None) -> None:
        raise SlowError

    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def find_slow(expression: Expression) -> str:
    """Return an attack that works, "" if none does."""
    for text in attack(expression, SIZE):
        for way in expression.ways:
            # Once more, should the machine have been busy with something else.
            if all(measure(expression, way, text) > MOST_S for _ in range(2)):
                return f"{expression.where}: {way} of {text[:60]!r}…"
    return ""


def measure(expression: Expression, way: str, text: str | bytes) -> float:
    """Return the seconds that an attack takes, or so many that it was enough."""
    began = time.process_time()
    with suppress(SlowError), within(10 * MOST_S):
        getattr(expression.pattern, way)(text)
    return time.process_time() - began


def test_attacks_find_what_is_slow() -> None:
    for pattern in (r"(a+)+$", r"=\s*\"?\s*\w*\s*x", r"\bx[^;]*?y\(\s*([^)]+)\s*\)"):
        assert find_slow(Expression("here", re.compile(pattern), frozenset({"search"}))), pattern
    assert not find_slow(Expression("here", re.compile(r"a++b"), frozenset({"match"})))


def test_no_expression_is_slow() -> None:
    known = tuple(HARMLESS)
    assert len(found().expressions) > 150
    slow = [find_slow(each) for each in found().expressions if not each.where.startswith(known)]
    assert not list(filter(None, slow))


def test_expressions_made_at_run_time_are_known() -> None:
    assert {line.partition(":")[0] for line in found().dynamic} == set(DYNAMIC)


@pytest.mark.parametrize(
    "body",
    [
        f'<div style="background url({" " * LARGE}">x</div>',
        f'<div style="{"background" * (LARGE // 10)}(">x</div>',
        f'<div style="{"background:url(" * (LARGE // 15)}">x</div>',
        f'<img srcset="{"," * LARGE}"><img srcset="{" " * LARGE}">',
        f'<img src=a.jpg width="1{" " * LARGE}x">',
        "".join(f'<img src={n}.jpg alt="{"9" * 199}!">' for n in range(300)),
        f"<meta charset={' ' * LARGE}>",
        f'<p data-bg="{"a.jpg?" * 10_900}{{">x</p>' * 3,
        f'<img src="data:," data-thumb="{"a.jpg?" * 1_300}{{">' * 60,
        "<picture><source srcset='a.jpg 1w'><img src=a.jpg>" * 30_000,
        "<picture><source srcset=',,a.jpg 1w'><img src=a.jpg>" * 30_000,
        f'<img src="data:," data-src="{"{a" * 30_000}">' * 3,
    ],
    ids=[
        *("spaces", "words", "urls", "srcset", "width", "alts", "charset"),
        *("backgrounds", "thumbs", "pictures", "odd pictures", "templates"),
    ],
)
def test_pages_that_were_slow_to_read(body: str) -> None:
    read_page("<p>compiled</p>")
    began = time.process_time()
    with within(5):
        assert isinstance(read_page(f"<title>x</title>{body}<p>text"), Page)
    assert time.process_time() - began < 2


def test_backgrounds_are_still_found() -> None:
    styles = ("background:url(a.jpg)", "background-image: url( 'b(1).jpg' )", 'background:url("c")')
    page = read_page(
        "".join(
            f"<p style='{s}'>x</p>" if "'" not in s else f'<p style="{s}">x</p>' for s in styles
        ),
        url="http://x.org/",
    )
    assert isinstance(page, Page)
    assert [image.src for image in page.images] == ["a.jpg", "b(1).jpg", "c"]


def test_other_things_that_were_slow() -> None:
    with within(2):
        assert isinstance(read_picture("", b"\xff\xd8" + b"\xff" * 2_000_000), Failure)
        assert not list(list_candidates(" , " * LARGE))
        for _ in range(100):
            assert not is_generated("a" * 199 + "!")
            assert is_generated("1" * 199 + "!")
            assert pattern_of("http://a.org/" + "e" * 1000) is None
            assert pattern_of("http://a.org/" + "1990-" * 200)
            assert pattern_of("http://a.org/1990/1/" + "1-" * 500 + "-" * 500)
        decode_page(b"x", "text/html; charset=" + " " * 60_000 + ";")
        slow = "<a>; type=application/rsl+xml; rel=" + " " * 30_000 + "rel=x " * 5000
        assert not of_usage_headers({"link": slow})
        licensed = '<http://a.org/l>; rel="me license"; type="application/rsl+xml"'
        assert of_usage_headers({"link": licensed})


def test_addresses_keep_their_patterns() -> None:
    assert pattern_of("http://a.org/x/1234abcd5678/eee/2019-13/") == (
        "http://a.org/x/0/eee/0-0/",
        5000,
    )
    assert pattern_of("http://a.org/abcdef12/2019/x/7") == ("http://a.org/0/0/x/0", 120)
    assert is_generated("3f2504e04f8941d39a0c0305e82c3301")
    assert is_generated("photo-3f2504e04f89-x")
    assert is_generated("IMG_2034 at 12.30 copy (2)")
