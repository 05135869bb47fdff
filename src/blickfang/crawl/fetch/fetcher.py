"""Fetching: one address, one request, one answer.

In: a canonical URL. Out: an `Exchange`, or a `Failure` with one of the fixed reasons. No redirect
is followed, no cookie kept, and whatever a server does ends within the limits. What can be decided
before a body is complete (a wrong type, an image that is too small) is decided by the `stop` of
the caller; the rest is then not fetched.
"""

import asyncio
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType, TracebackType
from typing import NamedTuple, Protocol, Self, cast

import aiohttp
from yarl import URL

from blickfang.crawl.crawl_options import CrawlOptions
from blickfang.crawl.fetch.resolver import LOGIN, Resolver, refuse
from blickfang.crawl.fetch.streamed_answer import (
    CLOSED,
    CONTROLS,
    PROXY,
    TIMED_OUT,
    Incoming,
    Stop,
    StreamedAnswer,
    explain,
)
from blickfang.crawl.permission.crawl_manners import reaches_somebody
from blickfang.errors import SettingsError
from blickfang.io.content_encoding import ACCEPTED, EncodingError
from blickfang.io.warc.http_exchange import Exchange
from blickfang.types import Failure

ROOM = "fetch"
PAGES = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.1"
IMAGES = "image/avif,image/webp,image/png,image/jpeg,image/*;q=0.8,*/*;q=0.1"
READ_AHEAD = 65_536
NO_CONTROLS = dict.fromkeys(CONTROLS)


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """What one answer may cost."""

    header_bytes: int = 64_000
    header_lines: int = 200
    page_bytes: int = 10_000_000
    image_bytes: int = 40_000_000
    connect_s: float = 10.0  # to one address, TLS included
    first_byte_s: float = 20.0  # from the request, with lookup and connection, to the headers
    total_s: float = 60.0
    idle_s: float = 15.0  # an unused connection is kept so long


class Fetching(Protocol):
    """Whoever answers for the web: hosts themselves, or a record of what they said."""

    async def look_up(self, host: str) -> tuple[str, ...]:
        """Return the addresses of a name, none if they do not matter."""

    async def fetch(
        self,
        url: str,
        *,
        accept: str = ...,
        limit: int | None = None,
        more_headers: Mapping[str, str] = ...,
        stop: Stop | None = None,
    ) -> Exchange | Failure:
        """Ask for an address once."""


class FetchRequest(NamedTuple):
    """What is asked for."""

    target: URL
    headers: dict[str, str]


class Fetcher:
    """Asks servers, on connections that are kept for the next request."""

    def __init__(
        self,
        user_agent: str,
        *,
        limits: FetchLimits | None = None,
        proxy: str = "",
        allow_private: bool = False,
        allow_public: bool = True,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        if user_agent != user_agent.translate(NO_CONTROLS):
            raise SettingsError("the name of the crawler must be one line")
        self.limits = limits or FetchLimits()
        self._user_agent = user_agent
        self._proxy = proxy
        self._allow_private = allow_private
        self._allow_public = allow_public
        self._tls = tls  # None: the authorities this machine trusts

    async def __aenter__(self) -> Self:
        # Behind a proxy the only name to look up is its own, and that may well be a private one.
        behind = bool(self._proxy)
        allowed = self._allow_private or behind, self._allow_public or behind
        self._resolver = Resolver(allowed[0], allow_public=allowed[1])
        self._session = self._open_session()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._session.close()
        await self._resolver.close()

    async def look_up(self, host: str) -> tuple[str, ...]:
        """Return the public addresses of a name: none if it has none, or behind a proxy."""
        try:
            return () if self._proxy else await self._resolver.addresses(host.strip("[]"))
        except OSError:
            return ()

    async def fetch(
        self,
        url: str,
        *,
        accept: str = PAGES,
        limit: int | None = None,
        more_headers: Mapping[str, str] = MappingProxyType({}),
        stop: Stop | None = None,
    ) -> Exchange | Failure:
        """Ask for a canonical URL once; a redirect is an answer like any other.

        A body of more than `limit` bytes, decoded, is cut there. `stop` is asked when the headers
        are there and again as the body grows; the text it returns is the reason of the failure.
        """
        request = self._prepare(url, accept, more_headers)
        reason = self._refuse(request.target)
        if reason:
            return Failure(url, ROOM, reason)
        incoming = Incoming(url, limit or self.limits.page_bytes)
        try:
            reason = await self._receive(request, incoming, stop)
        except TimeoutError as error:
            is_lost = self._proxy and isinstance(error, aiohttp.ConnectionTimeoutError)
            is_lost = is_lost and request.target.scheme == "http"  # else the host may be to blame
            reason = incoming.save("time", PROXY if is_lost else TIMED_OUT)
        except EncodingError as error:
            reason = incoming.save("unspecified", str(error), with_body=False)
        except (aiohttp.ClientError, OSError) as error:
            reason = explain(error, bool(self._proxy))
            reason = incoming.save("disconnect" if reason == CLOSED else "unspecified", reason)
        finally:
            incoming.close()
        if reason:
            return Failure(url, ROOM, reason)
        return incoming.report(self._write_head(request), with_ip=not self._proxy)

    def _prepare(self, url: str, accept: str, more_headers: Mapping[str, str]) -> FetchRequest:
        headers = {"Accept": accept}
        for name, value in more_headers.items():  # an ETag comes from a server
            headers[name] = value.translate(NO_CONTROLS)
        return FetchRequest(URL(url, encoded=True), headers)

    def _refuse(self, target: URL) -> str:
        if target.raw_user is not None or target.raw_password is not None:
            return LOGIN
        host, port = target.raw_host or "", target.explicit_port
        return refuse(host, port, self._allow_private, allow_public=self._allow_public)

    async def _receive(self, request: FetchRequest, incoming: Incoming, stop: Stop | None) -> str:
        limits = self.limits
        loop = asyncio.get_running_loop()
        end = loop.time() + limits.total_s
        async with asyncio.timeout(limits.first_byte_s) as deadline:
            answer = await self._ask(request)
            if not answer.content.is_eof():
                deadline.reschedule(end)
            return incoming.open(answer, limits.header_bytes) or await incoming.read(stop)

    async def _ask(self, request: FetchRequest) -> StreamedAnswer:
        """Send the request and wait for the headers of the answer."""
        try:
            answer = await self._session.get(
                request.target, headers=request.headers, allow_redirects=False
            )
        except (RuntimeError, ValueError) as error:
            if self._session.closed or isinstance(error, aiohttp.ClientError):
                raise
            # Hosts no certificate can name, addresses no socket takes: of the loop, of OpenSSL.
            raise OSError(str(error)) from error
        return cast(StreamedAnswer, answer)

    def _write_head(self, request: FetchRequest) -> bytes:
        """Return the request as it was sent, but for what only the proxy was told."""
        target = request.target
        whole = self._proxy and target.scheme == "http"
        lines = [
            f"GET {target if whole else target.raw_path_qs} HTTP/1.1",
            f"Host: {target.host_port_subcomponent}",
            f"User-Agent: {self._user_agent}",
            f"Accept-Encoding: {ACCEPTED}",
        ]
        lines += [f"{name}: {value}" for name, value in request.headers.items()]
        return "\r\n".join([*lines, "", ""]).encode()

    def _open_session(self) -> aiohttp.ClientSession:
        limits = self.limits
        connector = aiohttp.TCPConnector(
            resolver=self._resolver,
            use_dns_cache=False,  # the resolver has its own
            ssl=self._tls or True,
            limit=0,
            keepalive_timeout=limits.idle_s,
        )
        return aiohttp.ClientSession(
            connector=connector,
            headers={"User-Agent": self._user_agent, "Accept-Encoding": ACCEPTED},
            cookie_jar=aiohttp.DummyCookieJar(),
            proxy=URL(self._proxy) if self._proxy else None,
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=limits.connect_s),
            response_class=StreamedAnswer,
            auto_decompress=False,
            trust_env=False,
            read_bufsize=READ_AHEAD,
            max_line_size=limits.header_bytes,
            max_field_size=limits.header_bytes,
            max_headers=limits.header_lines,
        )


def make_fetcher(user_agent: str, options: CrawlOptions) -> Fetcher:
    """Return who asks as the settings say: hosts of others only with a contact they can reach.

    Who may not ask private ones has a contact, or nothing is asked at all
    (crawl/focus/fetch_topic_pages.py).
    """
    is_private = options.allow_private
    return Fetcher(
        user_agent,
        proxy=options.proxy,
        allow_private=is_private,
        allow_public=not is_private or reaches_somebody(options.contact),
    )
