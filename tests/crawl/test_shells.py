"""Which pages need a browser: shells, and what only looks like one."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.crawl.render.js_shell import NOTE_WORDS, SCANNED, looks_empty

APP = "<script src=/static/js/main.js></script>"
COUNTER = "<script async src=https://www.googletagmanager.com/gtag/js?id=G-1></script>"
NOTE = "<noscript>You need to enable JavaScript to run this app.</noscript>"
INLINE = f"<script>{'window.draw(1);' * 100}</script>"

SHELLS = {
    "react": f"{NOTE}<div id='root'></div>{APP}",
    "vue": f"<noscript><strong>We're sorry</strong></noscript><div id=app></div>{APP}",
    "angular": f"<app-root></app-root>{APP}",
    "angular, loading": '<app-root>Loading...</app-root><script src="main.js" type="module">',
    "router": f'<div id="app"><router-view></router-view></div>{APP}',
    "next": f'<div id="__next"></div>{APP}<script type="application/json">{{}}</script>',
    "docsify": f"<div id=app>Loading…</div>{INLINE}{APP}",
    "nothing but a script": f"<title>Birds</title><body>{APP}",
    "inline": f"<body><div class=grid></div>{INLINE}",
    "spinner": f"<div id=root><div class=spin><img src=wait.gif></div><p id=app></p></div>{APP}"
    "<section id=app-content></section>",
    "skip links": f"<a href=#main>Skip</a><div id=root class='x y'> </div>{APP}",
    "comments": f"<!-- <img src=x.jpg><iframe></iframe> --><div id=root></div>{APP}",
    "a pixel": f"<noscript><img src=//count.test/p><iframe src=x></iframe></noscript>{APP}",
    "cut": f"<div id=root></div>{APP}<script>" + "x" * 2000,
    "capitals": "<DIV ID=ROOT></DIV><SCRIPT SRC=A.JS></SCRIPT>",
}
OTHERS = {
    "empty": "",
    "no scripts": "<div id=root></div>",
    "a counter": f"<body>{COUNTER}<div></div>",
    "an image": f"<img src=cat.jpg>{APP}",
    "an image of a <picture>": f"<picture><source srcset=cat.webp></picture>{APP}",
    "a gallery": f"<div id=app></div>{'<a href=1><img src=1.jpg></a>' * 9}{APP}",
    "links": f"<ul>{'<li><a href=x>x</a>' * 3}</ul>{APP}",
    "frames": f"<frameset cols=*><frame src=a><frame src=b></frameset>{APP}",
    "frames in a page": f"<iframe src=x></iframe>{APP}",
    "refresh": f"<meta content='0;url=/x' http-equiv=Refresh>{APP}<div id=root></div>",
    "a script that leads on": "<script>location.href = '/home'</script>",
    "film": f"<video src=x.mp4></video>{APP}",
    "flash": f"<object data=x.swf><embed src=x.swf></object>{APP}",
    "data": f"<script type=application/ld+json>{' ' * 5000}</script><div id=root></div>",
    "a template": f"<script type='text/template'>{' ' * 5000}</script>",
}


@pytest.mark.parametrize("name", SHELLS)
def test_shells(name: str) -> None:
    assert looks_empty(SHELLS[name].encode(), 3)
    assert not looks_empty(SHELLS[name].encode(), NOTE_WORDS)


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_none(name: str) -> None:
    assert not looks_empty(OTHERS[name].encode(), 3)


def test_a_page_that_only_asks_for_scripts() -> None:
    long = f"<noscript><p>Please enable JavaScript.</p></noscript><div id=root></div>{APP}"
    assert looks_empty(long.encode(), 60)
    comments = f"<p>A short post.</p><noscript>Please enable JavaScript to comment.</noscript>{APP}"
    assert not looks_empty(comments.encode(), 60)
    assert not looks_empty(f"<p>A short post.</p><div id=root></div>{APP}".encode(), 60)


PIECES = [
    "<script",
    "<script src=x>",
    "</script",
    "<!--",
    "-->",
    "<div id=",
    "root",
    "<a-b",
    ">",
    " ",
]
PIECES += ["<noscript>", "</noscript>", "<style>", "<img ", "<template>", "id=app", "\n", "<", "x-"]


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=3)), st.integers(0, 120))
def test_anything_is_either(pieces: list[str], words: int) -> None:
    assert looks_empty("".join(pieces).encode("utf-8", "replace"), words) in (True, False)


@pytest.mark.parametrize(
    "piece",
    [*PIECES, "<div id=app ", "<a-a", "-a", "<div id=app>", "<x-y>", "<script>", " src", "<meta "],
)
def test_long_pages_are_quick(piece: str) -> None:
    for before in ("", "<div ", "<x-", f"{APP}<div id=", "<script>", "<meta "):
        page = (before + piece * (2 * SCANNED // len(piece))).encode()
        begin = time.thread_time()
        looks_empty(page, 0)
        assert time.thread_time() - begin < 0.5


def test_pages_with_words_are_not_looked_at() -> None:
    page = SHELLS["react"].encode() * 10_000
    begin = time.thread_time()
    for _ in range(1000):
        looks_empty(page, NOTE_WORDS)
    assert time.thread_time() - begin < 0.02
