"""A corpus that wants to harm whoever looks at it: every text, name, file and page is an attack.

`make_hostile` gives rows and pages. Whatever runs asks for /hacked, so that a test can see it.
"""

import hashlib
from typing import Any

from tests.app.webs import plain_rows

HACK = "fetch('/hacked');new Image().src='/hacked';alert(1)"
ATTACKS = (
    f"<script>{HACK}</script>",
    f'"><img src=x onerror="{HACK}">',
    f"' autofocus onfocus='{HACK}",
    f"</title></textarea></script><svg onload={HACK}>",
    "{{ 7 * 7 }}{% for x in y %}",
    f"javascript:{HACK}",
    "\u202eevil\u2066\x00\x1b[31m",
    "=cmd|' /C calc'!A0",
)
SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="200">'
    f"<script>{HACK}</script><rect width='200' height='200' onload=\"{HACK}\"/></svg>"
).encode()
LONG = "long " * 2_000_000  # ten million letters
PAGE = f"""<!doctype html><html onload="{HACK}"><head><title>{ATTACKS[3]}</title>
<base href="http://evil.example/"><meta http-equiv="refresh" content="0;url=http://evil.example/">
<link rel=stylesheet href="http://evil.example/x.css"><link rel=prefetch href="/hacked">
<style>@import url(http://evil.example/y.css); body{{background:url(http://evil.example/z)}}</style>
<script>{HACK}</script><script src="/hacked"></script></head>
<body onload="{HACK}" onpageshow="{HACK}" background="http://evil.example/b.png">
<iframe src="http://evil.example/" srcdoc="<script>{HACK}</script>"></iframe>
<object data="/hacked"></object><embed src="/hacked"><video src="http://evil.example/v" autoplay>
<form action="http://evil.example/"><input autofocus onfocus="{HACK}" formaction=/hacked></form>
<svg onload="{HACK}"><animate onbegin="{HACK}" attributeName=x dur=1s></animate>
<use href="http://evil.example/#x"/><image href="http://evil.example/i.png"/>
<foreignObject><script>{HACK}</script></foreignObject></svg>
<math><mtext><script>{HACK}</script></mtext></math>
<a href="javascript:{HACK}" ping="/hacked" target=_top>link</a>
<details open ontoggle="{HACK}">x</details><marquee onstart="{HACK}">m</marquee>
<img src=x srcset="http://evil.example/s.png 2x" onerror="{HACK}">
<noscript><p title="</noscript><img src=x onerror='{HACK}'>"></noscript>
<template><script>{HACK}</script></template>
<p style="background:url(http://evil.example/p)" title='"><script>{HACK}</script>'>Styled</p>
"""


def make_hostile() -> tuple[list[dict[str, Any]], dict[str, bytes]]:
    """Return samples and pages of which everything is an attack."""
    rows = plain_rows(len(ATTACKS) + 2)
    pages: dict[str, bytes] = {}
    for row, attack in zip(rows, (*ATTACKS, LONG, SVG.decode()), strict=True):
        _poison(row, attack)
        shown = f'<figure><img src="{row["url"]}" alt="{attack[:2000]}"><figcaption>{attack[:2000]}'
        pages[row["page_url"]] = pages.get(row["page_url"], PAGE.encode()) + shown.encode()
    svg = rows[-1]
    svg["image"]["bytes"], svg["format"] = SVG, "svg"
    svg["sha256"] = hashlib.sha256(SVG).hexdigest()
    svg["id"] = svg["sha256"][:16]
    return rows, pages


def _poison(row: dict[str, Any], attack: str) -> None:
    texts = (
        *("caption", "page_title", "section_title", "caption_alt_text_description", "title"),
        *("caption_reference_description", "context_section_description", "url_words", "language"),
        *("context_method", "context_kind", "licence", "credit", "consent", "data_mining"),
        *("fetched_at", "warc_file", "page_warc_file"),
    )
    row.update(dict.fromkeys(texts, attack[:100_000]))
    row["caption"] = row["language"] = attack  # in full: it may be long
    row["licences"] = row["link_texts"] = [attack[:100_000]]
    row["image"]["path"] = attack[:100]
    told = ("page_title", "title", "caption", "context")
    for mention in row["mentions"]:
        mention.update(dict.fromkeys(told, attack[:100_000]), alt=attack)
    for text in row["texts"]:
        text["text"] = text["name"] = attack[:100_000]
