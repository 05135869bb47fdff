"""Where pages, papers and BibTeX files come from: the archive of a collection, or the web.

In: addresses. Out: for each a `Response`, or a `Failure` that says why there is none. The web is
asked with the manners of the crawl; what it answered is kept for a day, so that research that was
broken off goes on. What hosts and pages reserve is left alone, wherever it lies.
"""

import gzip
import hashlib
import json
import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from blickfang.config import Collection
from blickfang.corpus.search.page_index import MOVED, PageTexts
from blickfang.crawl import CrawlOptions
from blickfang.crawl.fetch.fetch_many import FetchSpec, Few
from blickfang.crawl.fetch.streamed_answer import ResponseHead
from blickfang.crawl.permission.current_consent import make_consents
from blickfang.crawl.permission.decide import find_objection
from blickfang.io.atomic_files import replacing
from blickfang.io.urls import canonical
from blickfang.io.warc.http_exchange import Exchange, to_response
from blickfang.io.warc.record_types import archived_response
from blickfang.io.warc.walk import read_answer
from blickfang.records.persons.pdf_head import MAX_BYTES
from blickfang.types import Failure, Response

ROOM = "research"
NOT_ARCHIVED = "not in the archive"
MAX_HOPS = 5
KEPT_S = 86_400.0
NOT_PAPERS = ("image/", "video/", "audio/", "font/", "application/zip", "application/gzip")

Answers = dict[str, Response | Failure]
Advance = Callable[[int, int], None]


class AnswerSource(Protocol):
    """Who has the answers of the web."""

    def get(self, urls: Sequence[str], advance: Advance, *, papers: bool = False) -> Answers:
        """Return what there is at some addresses: pages, or papers and BibTeX."""
        ...


class ArchivedAnswers:
    """Answers from the archive of a collection; what is not in it may be asked of the web."""

    def __init__(self, collection: Collection, index: PageTexts, web: AnswerSource | None) -> None:
        self._folder, self._index, self._web = collection.crawl_folder, index, web
        self._consents = make_consents(collection)
        self._purpose = collection.settings.crawl.purpose

    def get(self, urls: Sequence[str], advance: Advance, *, papers: bool = False) -> Answers:
        """Return what there is at some addresses."""
        found = {url: self._look_up(url) for url in urls}
        missing = [
            url
            for url, answer in found.items()
            if isinstance(answer, Failure) and answer.reason == NOT_ARCHIVED
        ]
        if self._web is not None and missing:
            found |= self._web.get(missing, advance, papers=papers)
        return found

    def _look_up(self, url: str) -> Response | Failure:
        place = canonical(url) or url
        for _ in range(MAX_HOPS):
            entry = self._index.look_up(place)
            if entry is None:
                break
            if entry.kind == MOVED:
                place = entry.place
                continue
            refusal = self._consents(place, "page")
            if refusal:
                return Failure(url, "consent", refusal)
            file, offset, length = entry.place.split("\t")
            read = read_answer(self._folder / file, int(offset), int(length))
            if isinstance(read, Failure):
                return read
            return obey(archived_response(read), self._purpose)
        return Failure(url, ROOM, NOT_ARCHIVED)


def obey(response: Response, purpose: str) -> Response | Failure:
    """Return an answer, or the failure that its headers ask for."""
    return find_objection(response, purpose) or response


class LiveAnswers:
    """Answers from the web, with the manners of the crawl."""

    def __init__(self, few: Few, options: CrawlOptions, folder: Path | None) -> None:
        """`folder` keeps what was fetched for a day, so that work goes on after a break."""
        self._few, self._purpose, self._folder = few, options.purpose, folder

    def get(self, urls: Sequence[str], advance: Advance, *, papers: bool = False) -> Answers:
        """Return what there is at some addresses."""
        found: Answers = {}
        for url in urls:
            kept = self._recall(url)
            if kept is not None:
                found[url] = kept
        known = len(found)
        missing = [url for url in urls if url not in found]

        def keep(url: str, answer: Exchange) -> None:
            if answer.truncated and papers:
                found[url] = Failure(url, "fetch", f"cut: {answer.truncated}")
            else:
                response = to_response(answer)
                found[url] = obey(response, self._purpose)
                refused = isinstance(found[url], Failure)  # then only the refusal is kept
                self._keep(url, replace(response, body=b"") if refused else response)

        def tell(done: int, _: int) -> None:
            advance(known + done, len(urls))

        wish = FetchSpec(pick_paper, MAX_BYTES) if papers else FetchSpec()
        return found | self._few.fetch(missing, keep, tell, wish)

    def _place(self, url: str) -> Path | None:
        name = hashlib.sha256(url.encode("utf-8", "replace")).hexdigest()[:24]
        return self._folder / f"{name}.gz" if self._folder else None

    def _keep(self, url: str, response: Response) -> None:
        path = self._place(url)
        if path is None:
            return
        head = {"url": response.url, "headers": response.headers, "at": response.fetched_at}
        line = json.dumps(head | {"asked": url}).encode()
        with replacing(path) as file:
            file.write(gzip.compress(line + b"\n" + response.body, 1))

    def _recall(self, url: str) -> Response | Failure | None:
        path = self._place(url)
        try:
            if path is None or time.time() - path.stat().st_mtime > KEPT_S:
                return None
            line, _, body = gzip.decompress(path.read_bytes()).partition(b"\n")
            head: dict[str, Any] = json.loads(line)
            response = Response(head["url"], 200, dict(head["headers"]), body, head["at"])
        except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError):
            return None  # damaged, or not there: asked for again
        return obey(response, self._purpose)


def pick_paper(head: ResponseHead, _: bytes) -> str | None:
    """Return why an answer is neither a paper nor BibTeX nor a page."""
    if head.status != 200:
        return None
    kind = head.headers.get("content-type", "").partition(";")[0].strip().lower()
    return "not a paper" if kind.startswith(NOT_PAPERS) else None
