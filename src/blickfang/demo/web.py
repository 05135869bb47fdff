"""The demo web: `build_web` makes it, `DemoWeb.answer` says what any address answers, and why.

No sockets here: an answer is a function of the URL and the request's headers. Pages are dressed and
images painted when they are first asked for.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from gzip import compress
from hashlib import sha256
from html import escape
from urllib.parse import parse_qs, urljoin, urlsplit

from blickfang.demo.assembly import build_sites, institute, session_id, trap_page
from blickfang.demo.compose import PAGES, Draft, Site, Sketch, decor_of, dress, shown_decor
from blickfang.demo.plans import HUB_HOST, LOCATIONS, PLANS, QUIRKS, is_allowed
from blickfang.demo.truth import Answer, ImageTruth, Mention, PageTruth, Quirk, RecordTruth

TOPICS = ("lighthouses", "mushrooms", "kites")
NEUTRAL_HOSTS = ("oxmoor-council.test", "rook-and-pawn.test")

Headers = tuple[tuple[str, str], ...]

HTML = "text/html; charset=utf-8"
# Pages in folders are under a session; about.html and its like, at the root, are not.
LINK = re.compile(r"^/[^?#]+/[^?#]*$|^/$")
IN_SESSION = re.compile(r'(?<=href=")/(?:[^"?#./]+/[^"?#]*\.html)?(?=")')
GZIP_FROM_BYTES = 400  # below this, compression saves nothing worth the work


def build_web(seed: int = 7) -> "DemoWeb":
    """Make the demo web; the same seed gives the same bytes everywhere."""
    return DemoWeb(build_sites(seed))


class DemoWeb:
    """Many hosts, their pages and images, and what is true about them."""

    def __init__(self, sites: tuple[Site, ...]) -> None:
        self.hosts: tuple[str, ...] = tuple(site.plan.host for site in sites)
        self.start_urls: tuple[str, ...] = (f"http://{HUB_HOST}/",)
        self.topics: tuple[str, ...] = TOPICS
        self._sites = {site.plan.host: site for site in sites}
        self._drafts = {draft.url: draft for site in sites for draft in site.drafts}
        sketches = ((*site.sketches, *decor_of(site.plan.host).values()) for site in sites)
        self._sketches = {sketch.url: sketch for made in sketches for sketch in made}
        self.pages: tuple[PageTruth, ...] = tuple(map(page_truth, self._drafts.values()))
        self.images: tuple[ImageTruth, ...] = tuple(
            image_truth(self._sketches[url], tuple(found))
            for url, found in mentions_of(sites).items()
        )
        self.records: tuple[RecordTruth, ...] = (*self._listed_records(), *institute()[1])
        self.quirks: tuple[Quirk, ...] = tuple(QUIRKS.values())
        self._papers = dict(paper for site in sites for paper in site.papers)
        self._painted: dict[str, bytes] = {}

    def _listed_records(self) -> Iterator[RecordTruth]:
        """State the records of all listings that show images."""
        for draft in self._drafts.values():
            for shown in draft.shown:
                if shown.record:
                    words = zip(("name", "caption", "blurb"), shown.record, strict=True)
                    fields = (*words, ("image", shown.image))
                    yield RecordTruth(draft.url, self._sketches[shown.image].motif, fields)

    def seed_pages(self, topic: str) -> tuple[str, ...]:
        """Return six content pages of one host of a topic: positive examples."""
        return self._content_pages(next(it.host for it in self.pages if it.topic == topic))[:6]

    def neutral_pages(self) -> tuple[str, ...]:
        """Return content pages of two off-topic hosts: neutral examples."""
        return tuple(url for host in NEUTRAL_HOSTS for url in self._content_pages(host)[:7])

    def _content_pages(self, host: str) -> tuple[str, ...]:
        wanted = [page for page in self.pages if page.host == host and page.kind == "content"]
        return tuple(page.url for page in wanted if page.allowed)

    def delay_s(self, url: str) -> float:
        """Return how long a server should wait before it answers."""
        return QUIRKS[url].delay_s if url in QUIRKS else 0.0

    def answer(self, url: str, headers: Mapping[str, str] | None = None) -> Answer:
        """Answer a request for a URL, without any network."""
        asked = {name.lower(): value for name, value in (headers or {}).items()}
        return finish(self._respond(normal(url)), asked)

    def _respond(self, url: str) -> Answer:
        """Find out what stands at a URL: a file, an oddity, an image, a page, a trap, nothing."""
        host, path = urlsplit(url).netloc, urlsplit(url).path
        if host not in self._sites:
            return plain_answer(404, HTML, error_page(404, "No such host"))
        if found := self._host_file(host, path):
            return found
        if url in LOCATIONS:
            return moved(QUIRKS[url].status, url, LOCATIONS[url])
        if url in QUIRKS and (status := QUIRKS[url].status) >= 400:
            retry = (("Retry-After", "120"),) if status == 503 else ()
            return plain_answer(status, HTML, error_page(status, QUIRKS[url].what), *retry)
        if url in self._sketches:
            return self._picture(url)
        if url in self._papers:
            return plain_answer(200, "application/pdf", self._papers[url])
        if draft := self._drafts.get(page_url(url)) or trap_page(url):
            return self._page(draft, url)
        if original := PLANS[host].mirror_of:  # it has what the mirror has not
            return moved(302, url, url.replace(host, original, 1))
        return plain_answer(404, HTML, error_page(404, "Page not found"))

    def _host_file(self, host: str, path: str) -> Answer | None:
        """Answer the files that belong to a host as a whole."""
        plan = PLANS[host]
        if path == "/robots.txt" and plan.robots:
            return plain_answer(200, "text/plain; charset=utf-8", plan.robots)
        if path == "/sitemap.xml" and plan.sitemap:
            return plain_answer(200, "application/xml", self._sitemap(host))
        if path == "/static/style.css":
            style = f"/* {plan.name} */\n{PAGES['style']}"
            return plain_answer(200, "text/css; charset=utf-8", style)
        return plain_answer(200, *plan.files[path]) if path in plan.files else None

    def _sitemap(self, host: str) -> str:
        """List a host's own pages for crawlers."""
        pages = [it.url for it in self.pages if it.host == host and it.kind in ("start", "content")]
        inner = "".join(f"<url><loc>{escape(url)}</loc></url>" for url in pages)
        space = "http://www.sitemaps.org/schemas/sitemap/0.9"
        return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{space}">{inner}</urlset>\n'

    def _picture(self, url: str) -> Answer:
        """Answer with an image, painted the first time."""
        if url not in self._painted:
            from blickfang.demo.motifs import picture_bytes  # Pillow only when it is needed

            self._painted[url] = picture_bytes(self._sketches[url])
        headers: Headers = (("Content-Type", f"image/{self._sketches[url].format.lower()}"),)
        if refused := PLANS[urlsplit(url).netloc].image_opt_out:
            headers += (("X-Robots-Tag", refused),)
        return Answer(200, headers, self._painted[url])

    def _page(self, draft: Draft, url: str) -> Answer:
        """Answer with a page in its site's theme and its own charset."""
        site = self._sites[urlsplit(url).netloc]
        if site.plan.sessions:
            html = dress_session(draft, site, parse_qs(urlsplit(url).query).get("sid", [""])[0])
        else:
            html = dress(draft, site)
        kind = HTML if draft.charset == "utf-8" else "text/html"
        headers: Headers = (("Content-Type", kind),)
        if any(name == "Content-Type" for name, _ in draft.headers):
            headers = ()
        return Answer(200, headers + draft.headers, html.encode(draft.charset, "xmlcharrefreplace"))


def normal(url: str) -> str:
    """Bring a URL into the form the web's tables use: http, no port, no fragment."""
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    return f"http://{host}{parts.path or '/'}" + (f"?{parts.query}" if parts.query else "")


def page_url(url: str) -> str:
    """Return the URL without a session id, on the host that uses them."""
    plan = PLANS.get(urlsplit(url).netloc)
    return url.split("?sid=")[0] if plan and plan.sessions else url


def dress_session(draft: Draft, site: Site, seen: str) -> str:
    """Write a page whose menu, and once inside a session every link, carries a new session id."""

    def mark(match: re.Match[str]) -> str:
        return f"{match[0]}?sid={session_id(seen, match[0])}"

    menu = tuple(replace(link, url=LINK.sub(mark, link.url)) for link in site.menu)
    html = dress(draft, replace(site, menu=menu))
    return IN_SESSION.sub(mark, html) if seen else html


def page_truth(draft: Draft) -> PageTruth:
    """State what is true about one page."""
    return PageTruth(
        url=draft.url,
        host=urlsplit(draft.url).netloc,
        topic=draft.topic,
        language=draft.language,
        kind=draft.kind,
        title=draft.title,
        text=draft.text,
        duplicate_of=draft.duplicate_of,
        allowed=is_allowed(draft.url),
        opt_out=draft.opt_out,
    )


def image_truth(sketch: Sketch, mentions: tuple[Mention, ...]) -> ImageTruth:
    """State what is true about one image."""
    host = urlsplit(sketch.url).netloc
    return ImageTruth(
        url=sketch.url,
        host=host,
        topic=sketch.topic,
        motif=sketch.motif,
        width=sketch.width,
        height=sketch.height,
        format=sketch.format,
        duplicate_of=sketch.original.url if sketch.original else None,
        change=sketch.change,
        allowed=is_allowed(sketch.url),
        opt_out=PLANS[host].image_opt_out,
        mentions=mentions,
    )


def mentions_of(sites: Sequence[Site]) -> dict[str, list[Mention]]:
    """Collect for each image where it is shown."""
    mentions: dict[str, list[Mention]] = {}
    for site, draft in ((one, draft) for one in sites for draft in one.drafts):
        for shown in draft.shown:
            mention = Mention(draft.url, shown.markup, shown.caption, shown.record)
            mentions.setdefault(shown.image, []).append(mention)
        for sketch in shown_decor(draft, site).values():
            mentions.setdefault(sketch.url, []).append(Mention(draft.url, "decoration", ""))
    return mentions


def plain_answer(status: int, kind: str, text: str, *more: tuple[str, str]) -> Answer:
    """Answer with text."""
    return Answer(status, (("Content-Type", kind), *more), text.encode())


def moved(status: int, url: str, location: str) -> Answer:
    """Answer with a redirect; the Location stands as it was given, relative or not."""
    words = f"<p>Moved to <a href='{escape(urljoin(url, location))}'>here</a>.</p>"
    return plain_answer(status, HTML, words, ("Location", location))


def error_page(status: int, words: str) -> str:
    """Write the page that goes with an error."""
    return f"<!DOCTYPE html><title>{status}</title><h1>{escape(words)}</h1>"


def finish(answer: Answer, asked: Mapping[str, str]) -> Answer:
    """Add what HTTP asks of any answer: a tag to compare by, and compression if wanted."""
    if answer.status != 200:
        return answer
    tag = f'"{sha256(answer.body).hexdigest()[:16]}"'
    headers = (*answer.headers, ("ETag", tag), ("Last-Modified", "Mon, 05 Jan 2026 08:00:00 GMT"))
    if asked.get("if-none-match") == tag:
        return Answer(304, headers, b"")
    body = answer.body
    small = len(body) < GZIP_FROM_BYTES or answer.header("Content-Type").startswith("image/")
    if not small and "gzip" in asked.get("accept-encoding", ""):
        body = compress(body, 6, mtime=0)
        headers += (("Content-Encoding", "gzip"), ("Vary", "Accept-Encoding"))
    return Answer(200, headers, body)
