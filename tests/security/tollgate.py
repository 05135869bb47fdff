"""A toll-gate before the network: every address that would be connected to passes it.

In: what names stand for, and a web (tests/crawl/sites.py). Out: a place where public addresses are
all answered by that web, on 127.0.0.1, and every other address is written down and refused. So the
product runs as it is, with private addresses forbidden, and a leak is seen however it came about.
"""

import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import aiohappyeyeballs

from blickfang.crawl.fetch.fetcher import Fetcher
from blickfang.io.warc.http_exchange import Exchange
from tests.crawl.sites import Sites, serving
from tests.security.forms import PUBLIC, PUBLIC_6

Lookup = Callable[[str], tuple[str, ...]]


class Tollgate:
    """What was seen."""

    def __init__(self, names: Mapping[str, tuple[str, ...]] | Lookup) -> None:
        self.names = names if callable(names) else lambda host: names.get(host, ())
        self.port = 0
        self.reached: list[str] = []  # addresses, public ones
        self.leaks: list[str] = []  # all others
        self.asked: dict[str, str] = {}  # addresses of the web: why not, "" if they were answered

    def look_up(self, host: bytes, *_: object, **__: object) -> list[Any]:
        """Play the name server."""
        found = self.names(host.decode())
        if not found:
            raise socket.gaierror(socket.EAI_NONAME, "unknown")
        return [(0, 0, 0, "", (address, 0)) for address in found]

    async def connect(self, addr_infos: list[Any], **more: Any) -> socket.socket:
        """Connect to the web that plays the internet, for its addresses only."""
        seen = [info[4][0] for info in addr_infos]
        leaks = [address for address in seen if address not in (PUBLIC, PUBLIC_6)]
        if leaks:
            self.leaks += leaks
            raise OSError("a leak")
        self.reached += seen
        place = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", self.port))
        more["local_addr_infos"] = None
        return await START([place], **more)


START = aiohappyeyeballs.start_connection
FETCH = Fetcher.fetch


@contextmanager
def guarding(names: Mapping[str, tuple[str, ...]] | Lookup, sites: Sites) -> Iterator[Tollgate]:
    """Let a web be the whole internet while the block runs."""
    gate = Tollgate(names)

    async def fetch(self: Fetcher, url: str, **more: Any) -> Any:
        found = await FETCH(self, url, **more)
        gate.asked[url] = "" if isinstance(found, Exchange) else found.reason
        return found

    with (
        serving(sites) as server,
        patch("socket.getaddrinfo", gate.look_up),
        patch("aiohappyeyeballs.start_connection", gate.connect),
        patch.object(Fetcher, "fetch", fetch),
    ):
        gate.port = server.port
        yield gate
