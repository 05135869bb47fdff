"""Empty shells: pages that are nothing before their scripts have run.

In: the bytes of a page, and how many words it has. Out: whether a browser would see more. Most
pages have words and are not looked at. Few words alone say little: pages of images, frames,
redirects and counters have few, too; a shell has a script that can draw and nothing to see, or the
empty place where something will be drawn.
"""

import re
from typing import NamedTuple

from blickfang.crawl.crawl_options import CrawlOptions
from blickfang.crawl.fetch.polite_client import Asker
from blickfang.crawl.permission.gate import name_refusal
from blickfang.crawl.render.browser_render import Renderer, to_response
from blickfang.crawl.shards.remote_fetch import RULES
from blickfang.io.urls import host as host_of
from blickfang.io.warc.http_exchange import Exchange, Later
from blickfang.types import Failure, Response

FEW_WORDS = 20  # "You need to enable JavaScript to run this app.", "Loading…"
NOTE_WORDS = 100  # a page that only explains how to switch scripts on
SCANNED = 400_000  # bytes
LARGE_SCRIPT = 1000  # bytes; a smaller one counts visitors or leads elsewhere
MANY_IMAGES = 5
MANY_LINKS = 3

START = re.compile(rb"<(?:!--|(?:script|style|noscript|template)\b)")
SOURCE = re.compile(rb"\ssrc\s*=\s*[\"']?([^\s\"'<>]+)")
NO_CODE = re.compile(rb"\stype\s*=\s*[\"']?(?:application/(?:ld\+)?json|importmap|text/(?:x-)?t)")
COUNTS = re.compile(rb"analytics|gtag|googletagmanager|matomo|piwik|insights|counter|fbevents")
ELSEWHERE = re.compile(rb"<frameset\b|<meta\b[^<>]*http-equiv\s*=\s*[\"']?refresh")
SHOWN = re.compile(rb"<(?:(a)|(img|picture)|(iframe|frame|object|embed|applet|video|audio))\b")
NOTE = re.compile(rb"enable\s+javascript|javascript[^<>]{0,40}\b(?:enabled|disabled|required)")
# An element with nothing in it, by a name that says that something will come, or of an own kind.
PLACE = re.compile(
    rb"<(?:(div|main|section|body)\s[^<>]{0,300}?\bid\s?=\s?[\"']?"
    rb"(?:[\w-]{0,30}(?:root|app|mount)|_+(?:next|nuxt|gatsby)|main|content|container|page|svelte)"
    rb"[\w-]{0,30}[\"']?(?=[\s>])[^<>]{0,300}+"
    rb"|([a-z]{1,30}+-[a-z0-9-]{1,60}+)[^<>]{0,300}+)>"
    rb"\s{0,200}+(?>(?:loading[.\x80-\xff]{0,9}+\s{0,200}+)?)</(?:\1|\2)\s?>"
)


class VisiblePage(NamedTuple):
    """A page without what is silent in it."""

    rest: bytes
    draws: bool  # one of its scripts could make a page


def looks_empty(html: bytes, words: int) -> bool:
    """Whether a page with so many words is a shell that scripts must fill.

    >>> looks_empty(b"<div id=root></div><script src=/app.js></script>", 0)
    True
    >>> looks_empty(b"<img src=cat.jpg><script src=/app.js></script>", 0)
    False
    """
    if words >= NOTE_WORDS:
        return False
    html = html[:SCANNED].lower()
    seen = cut_silent(html)
    if not seen.draws or ELSEWHERE.search(html):
        return False
    has_place = PLACE.search(seen.rest) is not None
    if words >= FEW_WORDS:
        return has_place and NOTE.search(html) is not None
    shown = SHOWN.findall(seen.rest)
    images = sum(bool(image) for _, image, _ in shown)
    links = sum(bool(link) for link, _, _ in shown)
    if has_place:
        return images < MANY_IMAGES and links < MANY_LINKS * 5
    return links < MANY_LINKS and links == len(shown)


def cut_silent(html: bytes) -> VisiblePage:
    """Return a page, in lower case, without comments, scripts and the like; in linear time."""
    parts, draws, at = [], False, 0
    while start := START.search(html, at):
        parts.append(html[at : start.start()])
        name = start[0][1:]
        if name == b"!--":
            at = html.find(b"-->", start.end()) + 3
            if at < 3:
                break
            continue
        inner = html.find(b">", start.end()) + 1
        end = html.find(b"</" + name, inner) if inner else -1
        if name == b"script" and not draws and inner:
            draws = can_draw(html[start.end() : inner], (end if end >= 0 else len(html)) - inner)
        if end < 0:
            return VisiblePage(b"".join(parts), draws)
        at = html.find(b">", end) + 1 or len(html)
    else:
        parts.append(html[at:])
    return VisiblePage(b"".join(parts), draws)


def can_draw(tag: bytes, length: int) -> bool:
    """Whether a script with such a tag and so much text could make a page."""
    source = SOURCE.search(tag)
    if source is not None:
        return not COUNTS.search(source[1])
    return length >= LARGE_SCRIPT and not NO_CODE.search(tag)


SCRIPT_BYTES = 5_000_000
NOT_BROUGHT = "another shard did not bring it"


class RenderedPage(NamedTuple):
    """A page after its scripts have run."""

    response: Response


class Rendering:
    """Renders the pages of a shard that need it."""

    def __init__(self, options: CrawlOptions, asker: Asker, renderer: Renderer) -> None:
        self.options, self.asker, self.renderer = options, asker, renderer

    async def render(self, page: Exchange, needs_it: bool) -> RenderedPage | Failure | None:
        """Render a page if the settings and the page call for it."""
        if self.options.render == "never" or (self.options.render == "auto" and not needs_it):
            return None
        found = await self.renderer.render(page, self._ask)
        return found if isinstance(found, Failure) else RenderedPage(to_response(page, found))

    async def _ask(self, url: str, kind: str) -> Exchange | Failure:
        """Ask for a script or for data, whoever owns its host."""
        host = host_of(url)
        if self.asker.is_ours(host):
            return await self._ask_here(url, host, kind)
        answer = await self.asker.ask_elsewhere(url, host, kind)
        return Failure(url, "render", NOT_BROUGHT) if isinstance(answer, Later) else answer

    async def ask_for_others(self, url: str, kind: str) -> Exchange | Failure | Later:
        """Ask a host of ours for what another shard needs of it."""
        if kind == RULES:
            return await self.asker.ask_rules_for_others(url)
        return await self._ask_here(url, host_of(url), kind)

    async def _ask_here(self, url: str, host: str, kind: str) -> Exchange | Failure:
        refusal = await self.asker.permit(url, host)
        if refusal:
            return Failure(url, "consent", name_refusal(refusal))
        accept = "*/*" if kind == "script" else "application/json,*/*;q=0.5"
        return await self.asker.ask(url, host, accept=accept, limit=SCRIPT_BYTES)
