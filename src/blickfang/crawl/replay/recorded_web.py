"""A recorded web: archives that answer as the hosts did, without a socket.

In: WARC files, ours or anybody's. Out: for each address the answer that was recorded, handed out
like a fetched one (`Replayer` takes the place of `Fetcher`); for all others a `Failure`. A page
that was rendered answers with what the browser made of it.
"""

import asyncio
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import NamedTuple, Self

from blickfang.crawl.fetch.streamed_answer import ResponseHead, Stop
from blickfang.errors import InputError
from blickfang.io.urls import canonical
from blickfang.io.warc import Archived, ArchiveWriter, read_archive, read_at
from blickfang.io.warc.http_exchange import Exchange
from blickfang.io.warc.record_types import RecordPlace
from blickfang.io.warc.walk import HOPS, find_original, find_target
from blickfang.types import Failure, Response

NOT_RECORDED = "not in the archive"
UNREADABLE = "not readable in the archive"
ANSWER_S = 0.05  # on the clock of the loop: as long as a host nearby takes
IN_MEMORY = 200_000_000  # bytes of bodies that are kept at hand
HEAD_END = b"HTTP/1.1 200 OK\r\n\r\n"  # of no interest to anybody here
BEGIN = 946_684_800.0  # the first second of the year 2000, where logical clocks begin


class Recorded(NamedTuple):
    """Where the answer for an address lies, and what its head says."""

    path: Path
    offset: int
    length: int
    status: int
    headers: Mapping[str, str]
    original: str = ""  # the address whose body this one repeats
    body: bytes | None = None  # where the file gives no access to single records


class RecordedWeb:
    """What archives know of the web: the youngest answer of each address."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self.answers: dict[str, Recorded] = {}
        self.failures: list[Failure] = []
        self._bodies: dict[tuple[Path, int], bytes] = {}
        self._kept = 0
        for path in paths:
            for record in read_archive(path):
                if isinstance(record, Failure):
                    self.failures.append(record)
                else:
                    self._add(record, path)
        if not self.answers:
            raise InputError("the archives hold no answer of any host")

    def _add(self, record: Archived, path: Path) -> None:
        url = canonical(record.url)
        if url is None:
            return
        known = self.answers.get(url)
        if record.kind == "revisit":
            original = canonical(record.original.url) if record.original else None
            if known is None and original is not None and original != url:
                status = record.status or 200
                self.answers[url] = Recorded(path, 0, 0, status, record.headers, original)
            return
        if record.kind == "conversion" and "html" not in record.headers.get("content-type", ""):
            return
        if record.place is None:
            self.answers[url] = Recorded(
                path, 0, 0, record.status, record.headers, body=record.body
            )
        else:
            _, offset, length, *_ = record.place
            self.answers[url] = Recorded(path, offset, length, record.status, record.headers)

    def __iter__(self) -> Iterator[str]:
        return iter(self.answers)

    def find(self, url: str) -> Recorded | None:
        """Return what is known of an address."""
        return self.answers.get(url)

    def read(self, url: str) -> bytes | Failure:
        """Return the body of a recorded answer."""
        found = find_original(self.answers, url)
        return self._read(url, found) if found else Failure(url, "fetch", NOT_RECORDED)

    def answer(self, url: str) -> Response | Failure:
        """Return what was recorded for an address, behind redirects."""
        for _ in range(HOPS):
            found, body = self.answers.get(url), self.read(url)
            if found is None or isinstance(body, Failure):
                return Failure(url, "fetch", NOT_RECORDED if found is None else UNREADABLE)
            target = find_target(url, found.status, found.headers)
            if target is None:
                return Response(url, found.status, dict(found.headers), body)
            url = target
        return Failure(url, "fetch", "redirected too often")

    def _read(self, url: str, found: Recorded) -> bytes | Failure:
        if found.body is not None:
            return found.body
        kept = self._bodies.get((found.path, found.offset))
        if kept is not None:
            return kept
        record = read_at(found.path, found.offset, found.length)
        if isinstance(record, Failure):
            return Failure(url, "archive", UNREADABLE)
        if self._kept + len(record.body) <= IN_MEMORY:
            self._kept += len(record.body)
            self._bodies[found.path, found.offset] = record.body
        return record.body


class Replayer:
    """Answers for a recorded web as `Fetcher` does for the real one."""

    def __init__(self, web: RecordedWeb, answer_s: float = ANSWER_S) -> None:
        self.web, self.answer_s = web, answer_s

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        return None

    async def look_up(self, host: str) -> tuple[str, ...]:  # noqa: ARG002
        """Return no address: nothing is connected to."""
        return ()

    async def fetch(
        self,
        url: str,
        *,
        accept: str = "",  # noqa: ARG002
        limit: int | None = None,
        more_headers: Mapping[str, str] = MappingProxyType({}),  # noqa: ARG002
        stop: Stop | None = None,
    ) -> Exchange | Failure:
        """Return what was recorded for an address, after the time that an answer takes."""
        await asyncio.sleep(self.answer_s)
        found = self.web.find(url)
        if found is None:
            return Failure(url, "fetch", NOT_RECORDED)
        body = self.web.read(url)
        if isinstance(body, Failure):
            return body
        body = body[:limit] if limit else body
        headers = dict(found.headers)
        reason = stop(ResponseHead(found.status, headers), body) if stop else None
        if reason:
            return Failure(url, "fetch", reason)
        return Exchange(
            url=url,
            request_head=b"",
            response_head=HEAD_END,
            status=found.status,
            headers=headers,
            body=body,
            ip="",
            fetched_at=name_moment(asyncio.get_running_loop().time()),
            first_byte_s=self.answer_s,
            total_s=self.answer_s,
        )


class NoArchive(ArchiveWriter):
    """Takes what a replay would archive: it is in an archive already."""

    def __init__(self) -> None:
        super().__init__(Path(), "", {}, 0, 0)

    def write(
        self,
        exchange: Exchange,  # noqa: ARG002
        refers_to: tuple[str, str] | None = None,  # noqa: ARG002
        digest: str = "",
    ) -> RecordPlace:
        """Write nothing; return no place."""
        return RecordPlace("", 0, 0, "", digest)

    def flush(self, sync: bool = False) -> None:
        """Do nothing: there is nothing to lose."""


def name_moment(seconds: float) -> str:
    """Return a moment of a logical clock as dates are written.

    >>> name_moment(61.5)
    '2000-01-01T00:01:01.500Z'
    """
    whole, thousandths = divmod(round(1000 * (BEGIN + seconds)), 1000)
    date = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(whole))
    return f"{date}.{thousandths:03d}Z"
