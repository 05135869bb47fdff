"""Which machines may be asked: only those of the public internet.

In: the host and port of a URL, or a name to look up. Out: why it must not be asked, or its public
addresses. A page can link to http://169.254.169.254/ or to a name that leads into the network the
crawler runs in; so every address is judged here, and only judged ones are connected to. Who names
no contact may ask hosts of his own alone.
"""

import asyncio
import re
import socket
from concurrent.futures import ThreadPoolExecutor
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from time import monotonic
from typing import NamedTuple

from aiohttp.abc import AbstractResolver, ResolveResult

PRIVATE = "private address refused"
PORT = "port refused"
LOGIN = "address with credentials"
NO_CONTACT = "hosts of others need a contact"
REFUSALS = frozenset({PRIVATE, PORT, LOGIN, NO_CONTACT})  # there is nothing to wait for


# The registries of IANA (special purpose, multicast, reserved), not what `ipaddress` knows of them:
# that differs between versions of Python.
NOT_PUBLIC = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "168.63.129.16/32",  # metadata of Azure, in public space
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/3",
    )
)
UNICAST = IPv6Network("2000::/3")
NOT_PUBLIC_6 = tuple(
    IPv6Network(network) for network in ("2001::/23", "2001:db8::/32", "3fff::/20")
)
TEREDO = IPv6Network("2001::/32")
# Prefixes behind which an IPv4 address stands, and how far it is from the right.
EMBEDDING = (
    (IPv6Network("::/96"), 0),
    (IPv6Network("::ffff:0:0/96"), 0),
    (IPv6Network("64:ff9b::/96"), 0),
    (IPv6Network("2002::/16"), 80),
)
ISATAP = (0x5EFE, 0x02005EFE)

# Where other protocols listen: the "bad ports" of the Fetch standard.
_PORTS = """1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110
111 113 115 117 119 123 135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548
554 556 563 587 601 636 989 990 993 995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665
6666 6667 6668 6669 6679 6697 10080"""
BAD_PORTS = frozenset(int(port) for port in _PORTS.split())

NUMERIC = re.compile(r"(?:^|\.)(?:[0-9]+|0x[0-9a-f]*)\.?$", re.IGNORECASE)
LOCAL = re.compile(r"(?:^|\.)localhost\.?$", re.IGNORECASE)

KNOWN_S = 300.0
UNKNOWN_S = 30.0  # a name server that does not answer now may do so soon
MOST_NAMES = 20_000
MOST_ADDRESSES = 8  # of one name
THREADS = 32  # a name server may take half a minute; one thread waits for one name


class RefusedAddressError(OSError):
    """A name leads to no address that may be asked; its text is the reason."""


class ResolvedName(NamedTuple):
    """What is known of a name, and until when."""

    addresses: tuple[str, ...]
    refused: bool  # there were addresses, none of them to be asked
    until: float


def is_public(address: str) -> bool:
    """Whether an address, IPv4 or IPv6, is one of the public internet.

    IPv6 addresses that stand for an IPv4 address are judged by that one.

    >>> is_public("9.9.9.9"), is_public("10.0.0.1"), is_public("::ffff:127.0.0.1")
    (True, False, False)
    """
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    if isinstance(parsed, IPv4Address):
        return _is_public_4(parsed)
    return parsed.scope_id is None and _is_public_6(parsed)  # a zone is of this machine


def _is_public_4(address: IPv4Address) -> bool:
    return not any(address in network for network in NOT_PUBLIC)


def _is_public_6(address: IPv6Address) -> bool:
    number = int(address)
    for network, shift in EMBEDDING:
        if address in network:
            return _is_public_4(IPv4Address(number >> shift & 0xFFFFFFFF))
    if address in TEREDO:  # the server, and the client with its bits turned round
        server, client = number >> 64 & 0xFFFFFFFF, ~number & 0xFFFFFFFF
        return _is_public_4(IPv4Address(server)) and _is_public_4(IPv4Address(client))
    if number >> 32 & 0xFFFFFFFF in ISATAP and not _is_public_4(IPv4Address(number & 0xFFFFFFFF)):
        return False
    return address in UNICAST and not any(address in network for network in NOT_PUBLIC_6)


def refuse(host: str, port: int | None, allow_private: bool, *, allow_public: bool = True) -> str:
    """Return why this host must not be asked at this port, "" if nothing is known against it.

    Names are judged when they are looked up; here only what needs no look. A number that is no
    dotted address is refused: what the system makes of it is not what was checked.
    """
    if port in BAD_PORTS:
        return PORT
    literal = ":" in host or NUMERIC.search(host)
    if allow_private:
        return NO_CONTACT if literal and not allow_public and is_public(host) else ""
    return PRIVATE if LOCAL.search(host) or (literal and not is_public(host)) else ""


class Resolver(AbstractResolver):
    """Looks names up and keeps the answers for a while; gives out what is allowed only."""

    def __init__(self, allow_private: bool, *, allow_public: bool = True) -> None:
        self._allow_private = allow_private
        self._allow_public = allow_public
        self._found: dict[str, ResolvedName] = {}
        self._asked: dict[str, asyncio.Task[ResolvedName]] = {}
        self._threads = ThreadPoolExecutor(THREADS, "names")

    async def addresses(self, host: str) -> tuple[str, ...]:
        """Return the addresses of a name that may be used; raise OSError if there are none."""
        found = self._found.get(host)
        if found is None or found.until < monotonic():
            if host not in self._asked:
                self._asked[host] = asyncio.create_task(self._ask(host))
            # Whoever waits may run out of time: the answer, when it comes, is kept all the same.
            found = await asyncio.shield(self._asked[host])
        if found.refused:
            raise RefusedAddressError(PRIVATE if self._allow_public else NO_CONTACT)
        if not found.addresses:
            raise OSError(f"no address for {host}")
        return found.addresses

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Return addresses as aiohttp wants them: it connects to these and to no other."""
        del family  # both: which of them works is found out by connecting
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=socket.IPPROTO_TCP,
                flags=socket.AI_NUMERICHOST,
            )
            for address in await self.addresses(host)
        ]

    async def close(self) -> None:
        """Let go of lookups that still run."""
        for task in self._asked.values():
            task.cancel()
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _ask(self, host: str) -> ResolvedName:
        loop = asyncio.get_running_loop()
        try:
            everything = await loop.run_in_executor(self._threads, _look_up, host)
        finally:
            del self._asked[host]
        usable = [
            a for a in everything if (self._allow_public if is_public(a) else self._allow_private)
        ]
        found = ResolvedName(
            addresses=tuple(usable[:MOST_ADDRESSES]),
            refused=bool(everything) and not usable,
            until=monotonic() + (KNOWN_S if usable else UNKNOWN_S),
        )
        self._found.pop(host, None)
        self._found[host] = found
        if len(self._found) > MOST_NAMES:
            del self._found[next(iter(self._found))]
        return found


def _look_up(host: str) -> list[str]:
    """Return all addresses of a name, in the order the system prefers; none if it has none."""
    try:
        answers = socket.getaddrinfo(host.encode(), None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return list(dict.fromkeys(str(answer[4][0]) for answer in answers))
