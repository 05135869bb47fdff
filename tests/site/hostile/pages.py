"""Hostile pages by name. Out: `PAGES`, functions that write them; `SLOW`, the names of large ones.

The pages under `SLOW` take a parser without a guard between half a second and minutes, or make it
write many times what it read. See README.md.
"""

from collections.abc import Callable, Iterator

HEAD = b"<!doctype html><title>t</title><body>"
PIXEL = b"data:image/gif;base64,R0lGODlhAQABAAAAACw="
TEXT = "Ein Kätzchen für Zoë, 日本の猫"


def nest(*pieces: bytes, times: int) -> Callable[[], bytes]:
    return lambda: HEAD + b"".join(pieces) * times


def number(pattern: bytes, times: int) -> bytes:
    return b"".join(pattern.replace(b"#", b"%d" % k) for k in range(times))


def write_repeated_fonts() -> bytes:
    return HEAD + b"<p>" + number(b"<font id=#>", 600) + b"</p>" + b"<p>x" * 100_000


def write_many_fonts_in_blocks() -> bytes:
    return HEAD + number(b"<font id=#>", 20) + b"<div>x</div>" * 100_000


def write_long_link_in_blocks() -> bytes:
    return HEAD + b'<a href="/' + b"x" * 60_000 + b'">' + b"<p>x" * 100_000


def write_adopted_links() -> bytes:
    link = b'<a href="/' + b"x" * 60_000 + b'">'
    return HEAD + (link + b"<div>" * 200 + b"</a>" * 30 + b"</div>" * 200) * 60


def write_deep_then_wide() -> bytes:
    return HEAD + b"<div>" * 250 + b"<i>x</i>" * 500_000


def write_leaking_markers() -> bytes:
    return HEAD + b"<div><object></div>" * 100_000 + b"<b><b><b><b><b></b></b></b></b></b>" * 50_000


def write_selects() -> bytes:
    return HEAD + (b"<select>" + b"<option>x" * 2_500 + b"</select>") * 200


def write_style_of_svg() -> bytes:
    """The parser writes as it is what such a style holds, so that it seems to end within."""
    texts = (
        TEXT,
        "<img src=é",
        '<meta name=é content=é"€',
        "<p =",
        "<title>",
        "<x é=",
        "a & b",
        "&",
    )
    styles = (
        f"</style>{a}{b}".replace("&", "&amp;").replace("<", "&lt;") for a in texts for b in texts
    )
    return HEAD + "".join(f"<svg><style>{style}</style></svg>" for style in styles).encode()


def write_select_with_much_inside() -> bytes:
    return HEAD + b"<select>" + b"<b></b>" * 100_000 + b"<option>x" * 2_000


def write_attributes() -> bytes:
    return HEAD + b"<p " + number(b"a# ", 50_000) + b">x"


def write_names_of_attributes() -> bytes:
    tag = b"<p " + number(b"#_ ", 100) + b">"
    return HEAD + b"".join(tag.replace(b"_", b"x%d" % k) for k in range(8_000))


def write_html_tags() -> bytes:
    return HEAD + number(b"<html a#>", 20_000) + number(b"<body b#>", 20_000)


def write_wide_html_tags() -> bytes:
    return HEAD + (b"<html " + number(b"a#=1 ", 120) + b">") * 5_000


def write_marked_up_script() -> bytes:
    return HEAD + b"<script><!-- <script> " + b"</script>--" * 200_000 + b"<div>" * 50_000


LARGE: dict[str, Callable[[], bytes]] = {
    "hidden between images": nest(b"<img><span hidden>x y</span>z ", times=20_000),
    "areas and images in a link": lambda: (
        HEAD + b"<a href=x>" + b"<area href=y>" * 20_000 + b"<img>" * 20_000
    ),
    "images of a picture": lambda: HEAD + b"<picture>" + b"<img srcset='a 1x'>" * 20_000,
    "backgrounds of a box": lambda: (
        HEAD + b'<div style="' + number(b"background:url(#.jpg);", 2_500) + b'">' + b"x y " * 10**6
    ),
    "nested backgrounds": lambda: (
        HEAD + number(b"<div style=background:url(#)>", 250) + b"x y " * 10**6
    ),
    "links to images": lambda: HEAD + number(b"<a href=#.jpg>x</a>", 190_000),
    "run behind images": lambda: (
        HEAD + b"<p>" + b"<img src=a>" * 50_000 + number(b"<b>q#z</b> ", 50_000)
    ),
    "lines behind images": lambda: HEAD + b"<img>" * 40_000 + number(b"q#z<br>", 90_000),
    "different relations": lambda: HEAD + number(b"<link rel='license r#' href=/#>", 80_000),
    "one meta": lambda: HEAD + (b"<meta name=k content=" + b"x" * 100 + b">") * 78_000,
    "links in svg": lambda: (
        HEAD + b"<svg>" + b"<g>" * 250 + b"<base href=a /><link rel=a />" * 90_000
    ),
    "empty canonicals": lambda: HEAD + number(b"<link rel='canonical r#' href=x:>", 90_000),
    "nested div": nest(b"<div>", times=50_000),
    "nested ul li": nest(b"<ul><li>", times=50_000),
    "nested dl dd": nest(b"<dl><dd>", times=50_000),
    "nested span": nest(b"<span>", times=200_000),
    "nested unknown": nest(b"<x-y>", times=200_000),
    "nested table": nest(b"<table><tr><td>", times=50_000),
    "nested table, no cells": nest(b"<table>", times=200_000),
    "nested form": nest(b"<form><div></form>", times=100_000),
    "nested template": nest(b"<template>", times=50_000),
    "nested template cells": nest(b"<template><td>", times=50_000),
    "nested select": nest(b"<select><div>", times=100_000),
    "nested button": nest(b"<div><button>", times=100_000),
    "nested object": nest(b"<object>", times=100_000),
    "nested ruby": nest(b"<ruby><rt>", times=100_000),
    "nested svg": nest(b"<svg>", times=100_000),
    "nested g": lambda: HEAD + b"<svg>" + b"<g>" * 200_000,
    "nested svg style": lambda: HEAD + b"<svg><style>" + b"<g>" * 100_000,
    "nested math": nest(b"<math><mi>", times=100_000),
    "nested foreignObject": nest(b"<svg><foreignObject><div>", times=50_000),
    "nested annotation": nest(b"<math><annotation-xml encoding=text/html><div>", times=30_000),
    "nested annotation, hidden": nest(
        b"<math><annotation-xml encoding=text&#47;html><div></div>", times=30_000
    ),
    "nested annotation in svg": lambda: (
        b"<svg>" + b"<select><annotation-xml encoding=text/html><annotation-xml>" * 30_000
    ),
    "nested behind stray <": lambda: (
        b"<svg>" + b"<<code id=3>x</rb><rb><math><math><marquee>" * 30_000
    ),
    "nested frameset": lambda: b"<!doctype html><frameset>" + b"<frameset><frame src=a>" * 50_000,
    "nested noscript": nest(b"<noscript>", times=100_000),
    "nested a div": nest(b"<a><div>", times=50_000),
    "nested b p": nest(b"<b><p>", times=100_000),
    "nested nobr": nest(b"<nobr><div>", times=100_000),
    "misnested formatting": nest(b"<b><i><u></b></i></u><p>", times=100_000),
    "misnested formatting and blocks": nest(b"<b><div><i><p></b></div></i></p>", times=100_000),
    "misnested links": nest(b"<a><table><a>", times=100_000),
    "options": lambda: HEAD + b"<select>" + b"<optgroup><option>" * 50_000,
    "many selects": write_selects,
    "select with much inside": write_select_with_much_inside,
    "repeated fonts": write_repeated_fonts,
    "many fonts in blocks": write_many_fonts_in_blocks,
    "long link in blocks": write_long_link_in_blocks,
    "adopted links": write_adopted_links,
    "leaking markers": write_leaking_markers,
    "deep, then wide": write_deep_then_wide,
    "attributes": write_attributes,
    "different names of attributes": write_names_of_attributes,
    "different names of tags": lambda: HEAD + number(b"<x#></x#>", 200_000),
    "different names of end tags": lambda: HEAD + number(b"</x#>", 400_000),
    "html tags": write_html_tags,
    "wide html tags": write_wide_html_tags,
    "10 MB attribute": lambda: HEAD + b'<img alt="' + b"x" * 10_000_000 + b'" src=a>',
    "10 MB attribute, no quotes": lambda: HEAD + b"<img alt=" + b"x" * 10_000_000 + b" src=a>",
    "10 MB attribute, never closed": lambda: HEAD + b'<img alt="' + b"x" * 10_000_000,
    "10 MB name": lambda: HEAD + b"<" + b"x" * 10_000_000 + b">y",
    "data URIs": lambda: HEAD + (b'<img src="' + PIXEL + b"A" * 100_000 + b'">') * 50,
    "never closed comment": lambda: HEAD + b"x<!--" + b"<div>-" * 800_000,
    "comment in script": write_marked_up_script,
    "never closed script": lambda: HEAD + b"<script>" + b"<div>" * 1_000_000,
    "empty comments": nest(b"<!---->", times=700_000),
    "less than": lambda: b"<" * 5_000_000,
    "less than, slash": lambda: b"</" * 2_500_000,
    "open tags": lambda: b"<a " * 1_600_000,
    "ampersands": lambda: b"&" * 5_000_000,
    "half entities": lambda: b"&notit" * 800_000,
    "breaks": lambda: b"<br>" * 1_200_000,
    "end tags of p": lambda: b"</p>" * 1_200_000,
    "text between ignored tags": lambda: b"x</td>" * 800_000,
    "NULs": lambda: b"\0" * 5_000_000,
    "lone bytes": lambda: b"\xff\xfe\x80" * 1_600_000,
    "plaintext": lambda: HEAD + b"<plaintext>" + b"<div>" * 200_000,
    "xmp": lambda: HEAD + b"<xmp>" + b"<div>" * 200_000,
    "cells without table": nest(b"<td>x<tr>", times=500_000),
    "cells": lambda: HEAD + b"<table>" + b"<td>x" * 1_000_000,
    "text in table": lambda: HEAD + b"<table>" + b"x<tr>" * 1_000_000,
}


def write_meta(charset: str, body: bytes) -> bytes:
    return b"<!doctype html><meta charset=%b><title>t</title><p>%b</p>" % (charset.encode(), body)


def write_bases(*urls: str) -> bytes:
    bases = "".join(f'<base href="{url}">' for url in urls)
    return f"<!doctype html>{bases}<title>t</title><a href=a>A</a><img src=b alt=B>".encode()


def write_small() -> Iterator[tuple[str, bytes]]:
    latin = "Kätzchen für Zoë".encode("latin-1")
    yield "utf-8 declared, latin-1 sent", write_meta("utf-8", latin)
    yield "shift_jis declared, utf-8 sent", write_meta("shift_jis", TEXT.encode())
    yield "utf-16 declared, utf-8 sent", write_meta("utf-16", TEXT.encode())
    yield "unknown charset", write_meta("x-no-such", TEXT.encode())
    for order in ("le", "be"):
        text = write_meta("utf-8", TEXT.encode()).decode().encode(f"utf-16-{order}")
        mark = b"\xff\xfe" if order == "le" else b"\xfe\xff"
        yield f"utf-16 {order} with mark", mark + text
        yield f"utf-16 {order} without mark", text
    yield "utf-8 with mark", b"\xef\xbb\xbf" + write_meta("utf-8", TEXT.encode())
    yield "cut in a character", HEAD + TEXT.encode()[:-1]
    yield "NULs in text", HEAD + b"<p>a\0b<im\0g src=a><a hr\0ef=b>\0c</a>"
    for k, cut in enumerate(
        (b"<", b"</", b"<a", b"<a href", b"<a href=", b'<a href="x', b"<a href='")
    ):
        yield f"cut tag {k}", HEAD + b"<p>text" + cut
    for k, cut in enumerate(
        (b"<!", b"<!-", b"<!--", b"<!--x-", b"<!--x--", b"<?", b"&", b"&am", b"&#")
    ):
        yield f"cut markup {k}", HEAD + b"<p>text" + cut
    yield "double attributes", HEAD + b"<img src=a src=b SRC=c alt=1 alt=2><a href=a href=b>x</a>"
    yield "base javascript", write_bases("javascript:alert(1)")
    yield "base data", write_bases("data:text/html,x")
    yield "base empty", write_bases("")
    yield "base broken", write_bases("http://[")
    yield "many bases", write_bases("/a/", "/b/", "http://127.0.0.1/c/")
    yield (
        "javascript links",
        HEAD + b'<a href="javascript:x()">a</a><a href=" jAvA&#9;script:x">b</a>',
    )
    yield (
        "odd links",
        HEAD + b'<a href="http://">a</a><a href="//">b</a><a href="http://a:b/">c</a>',
    )
    yield "pixels", HEAD + b'<img src=p.gif width=1 height=1><img src="' + PIXEL + b'">'
    yield "svg island", HEAD + b"<svg><title>t</title><image href=a /><style><p>x</style></svg>y"
    yield "markup in the style of svg", write_style_of_svg()
    yield "math island", HEAD + b"<math><mi>x<mglyph src=a></mi><annotation-xml><img src=b>"
    yield "option in svg", b"<svg>" + b"</col></xmp><option selected>" * 300  # parser writes wildly
    yield "frames", b"<html><head></head><frameset><frame src=a><frame src=b></frameset></html>"
    yield "empty", b""
    yield "one byte", b"<"


SMALL = {name: (lambda data=data: data) for name, data in write_small()}
PAGES: dict[str, Callable[[], bytes]] = {**SMALL, **LARGE}
SLOW = tuple(LARGE)
