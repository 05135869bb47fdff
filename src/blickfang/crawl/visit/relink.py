"""Pages of the archive whose links are offered again: they count for more than when they came.

In: visits that the store lists for it. Out: candidates. With a limit of depth a page may be found
nearer to the seeds after it was fetched: then its links are nearer, too, and those that had been
too deep are followed. The page is read from the archive and judged anew, nobody is asked; but for
pages that need a browser which was not wanted when they came: they are fetched once more. A few at
a time, listed until they are done: a crawl goes on meanwhile, and after a kill.
"""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from blickfang.crawl.fetch.dead_origins import origin_of
from blickfang.crawl.fetch.early_stop import is_html
from blickfang.crawl.frontier.candidates import PAGE, Candidate
from blickfang.crawl.render.browser_render import ROOM
from blickfang.crawl.render.render_requests import RenderLimits
from blickfang.crawl.visit.link_candidates import list_images, list_links, offer, offer_sitemaps
from blickfang.crawl.visit.page_fetcher import PageFetcher
from blickfang.crawl.visit.page_verdict import Judgement, unite
from blickfang.crawl.visit.requeue import RENDER_FROM, ask_anew
from blickfang.io.urls import host as host_of
from blickfang.io.warc import Archived, read_at
from blickfang.io.warc.record_types import Original
from blickfang.io.warc.walk import Spot, read_answer
from blickfang.types import Failure, Response

BESIDE_S, ALONE_S = 0.03, 0.3  # of a tenth of a second beside visits; where there are none
FIRST = "SELECT visit, depth FROM reoffers ORDER BY visit LIMIT 1"
FETCHED = "SELECT url, duplicate_of IS NOT NULL, file, place, length FROM visits WHERE number = ?"
FORMER = "SELECT url, is_copy, file, place, length FROM former WHERE number = ?"
SINCE = "SELECT 1 FROM visits WHERE url = ? AND status = 200 AND number > ?"
WHOLE = (  # the record that another one repeats; there may be several of one address
    "SELECT file, place, length FROM visits WHERE url = ? AND status = 200 AND file != '' "
    "ORDER BY fetched_at != ?, number LIMIT 1"
)
RENDERED_BYTES = RenderLimits().html_bytes  # of a record, packed, and what follows


class ArchivedPage(NamedTuple):
    """A page of the archive, and how deep it is by now."""

    visit: int
    depth: int
    url: str
    is_copy: bool
    file: str
    place: int
    length: int


class Reoffering:
    """Offers the links of fetched pages again."""

    def __init__(self, visitor: PageFetcher, folder: Path) -> None:
        self.visitor, self.folder = visitor, folder
        self.db = visitor.archiving.store.db
        self.render_from = visitor.archiving.store.fact(RENDER_FROM)  # None: it was never raised

    def offer_sitemaps(self) -> None:
        """Offer the sitemaps of hosts whose seeds were fetched before; they may not have been."""
        visitor = self.visitor
        if not visitor.options.sitemaps:
            return
        for url in visitor.frontier.queues.list_seeds():
            page, origin = Candidate(url, host_of(url)), origin_of(url)
            visitor.post(offer_sitemaps(page, origin, visitor.gate.sitemaps(origin)))

    def is_waiting(self) -> bool:
        """Whether pages are listed."""
        return bool(self.db.execute("SELECT EXISTS (SELECT 1 FROM reoffers)").fetchone()[0])

    def step(self, *, alone: bool) -> None:
        """Offer what some of the listed pages name; more of them if there is nothing else to do."""
        end = time.monotonic() + (ALONE_S if alone else BESIDE_S)
        while time.monotonic() < end:
            row = self.db.execute(FIRST).fetchone()  # one by one: each may bring others nearer
            if row is None:
                return
            self.db.execute("DELETE FROM reoffers WHERE visit = ?", row[:1])
            found = self.db.execute(FORMER if row[0] < 0 else FETCHED, row[:1]).fetchone()
            if found is not None:
                self._offer(ArchivedPage(*row, *found))

    def _offer(self, page: ArchivedPage) -> None:
        found = self._judge(page)
        if found is None:
            return
        visitor, options = self.visitor, self.visitor.options
        response, judged = found
        follow, with_images = visitor.gate.permits(
            response, judged.metas, judged.licences, judged.images
        )
        if not follow and options.robots:
            return
        candidate = Candidate(page.url, host_of(page.url), PAGE, depth=page.depth)
        if not options.max_depth or page.depth < options.max_depth:
            links = list_links(judged, page.is_copy)
            visitor.post(offer(candidate, links, visitor.frontier, visitor.scope))
        if options.images and (with_images or not options.robots):
            images = list_images(judged, page.is_copy)
            visitor.post(offer(candidate, images, visitor.frontier, visitor.scope))

    def _judge(self, page: ArchivedPage) -> tuple[Response, Judgement] | None:
        """Return a page as it came, and what it is worth; None if it is not at hand any more."""
        path = self.folder / page.file
        if not path.exists():  # archives of a cluster may lie elsewhere
            return None
        record = read_answer(path, page.place, page.length, self._list_spots)
        if isinstance(record, Failure):
            return None
        response = Response(page.url, record.status, record.headers, record.body, record.date)
        found = self._judge_response(response)
        if found is not None and (found.needs_rendering or self.visitor.options.render == "always"):
            rendered = self._find_rendered(page, record)
            again = self._judge_response(rendered) if rendered is not None else None
            found = unite(found, again) if again else found
            if rendered is None and is_html(record.headers) and self._came_before(page):
                self._render(page.url)
        return None if found is None else (response, found)

    def _came_before(self, page: ArchivedPage) -> bool:
        """Whether a page was fetched last before `render` was raised."""
        if self.render_from is None or page.visit > self.render_from:
            return False
        return self.db.execute(SINCE, (page.url, self.render_from)).fetchone() is None

    def _render(self, url: str) -> None:
        """Queue a page to be rendered, if that can be done here; else say that it was not."""
        visitor = self.visitor
        missing = visitor.rendering.renderer.missing
        if visitor.options.render == "never":
            return
        if not missing:
            ask_anew(visitor.frontier, url)
            return
        visitor.tally.unrendered[missing] += 1
        page, failure = Candidate(url, host_of(url)), Failure(url, ROOM, missing)
        visitor.archiving.note_failure(page, failure, last=True)

    def _judge_response(self, response: Response) -> Judgement | None:
        host = host_of(response.url)
        state = self.visitor.frontier.host(host).state
        found = self.visitor.judge(response, host, state)
        return None if isinstance(found, Failure) else found

    def _list_spots(self, original: Original) -> Iterator[Spot]:
        """Yield where the record lies that another one repeats, as far as our database knows."""
        for file, place, length in self.db.execute(WHOLE, (original.url, original.date)):
            yield self.folder / file, place, length

    def _find_rendered(self, page: ArchivedPage, record: Archived) -> Response | None:
        """Return a page as a browser had made it, which lies behind the answer."""
        found = read_at(self.folder / page.file, page.place + page.length, RENDERED_BYTES)
        if not isinstance(found, Archived) or found.kind != "conversion" or found.original is None:
            return None
        if found.original.record_id != record.record_id:
            return None
        return Response(page.url, record.status, record.headers, found.body, record.date)
