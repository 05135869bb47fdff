"""Who may come in: names of this server, the administrator's token, tokens of forms, signatures.

In: how the server is reached, and a secret. Out: `Access`, which answers questions about requests
and makes what it will later recognise. Nothing is kept on disk: a new start makes a new secret.
"""

import hashlib
import hmac
import ipaddress
import re
import secrets
import socket
from collections.abc import Iterable
from dataclasses import dataclass, field
from time import monotonic

from blickfang.errors import SettingsError

HOST_HEADER = re.compile(r"(?:\[([^\]]*)\]|([^:]*))(?::[0-9]{0,5})?")
LEAST_TOKEN = 16  # characters: what can be guessed is no protection
MOST_WRONG, WAIT_S = 10, 60.0  # tokens of one address, and within how long
MOST_GUESSERS = 10_000  # addresses that are remembered
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
EVERYWHERE = frozenset({"", "0.0.0.0", "::"})  # noqa: S104 -- known, not bound to


class Tries:
    """Counts wrong tokens: an address has a few in a minute, then none counts, not even a right."""

    def __init__(self) -> None:
        self._wrong: dict[str, list[float]] = {}

    def note(self, who: str) -> None:
        """Count a wrong token of somebody."""
        kept = [at for at in self._wrong.pop(who, []) if monotonic() - at < WAIT_S]
        self._wrong[who] = [*kept, monotonic()][-MOST_WRONG:]
        if len(self._wrong) > MOST_GUESSERS:
            del self._wrong[next(iter(self._wrong))]

    def is_over(self, who: str) -> bool:
        """Whether somebody must wait."""
        wrong = self._wrong.get(who, [])
        return len(wrong) == MOST_WRONG and monotonic() - wrong[0] < WAIT_S


@dataclass(frozen=True, slots=True)
class Access:
    """What a running server knows of who may do what."""

    token: str = ""  # of the administrator; "" where only this machine gets in
    names: frozenset[str] = LOOPBACK  # by which the server may be called
    addresses: bool = False  # any numeric address will do: the server listens on all
    tries: Tries = field(default_factory=Tries)
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32))

    def knows_name(self, header: str) -> bool:
        """Whether a Host header names this server; else another site plays tricks with names."""
        name = _without_port(header).lower().rstrip(".")
        return name in self.names or (self.addresses and _is_address(name))

    def sign(self, *parts: str) -> str:
        """Return what only this server can have written under some words."""
        text = "\0".join(parts).encode("utf-8", "surrogatepass")
        return hmac.new(self.secret, text, hashlib.sha256).hexdigest()[:40]

    def is_signed(self, signature: str, *parts: str) -> bool:
        """Whether this server wrote a signature under these words."""
        return hmac.compare_digest(signature.encode(), self.sign(*parts).encode())

    def is_token(self, given: str, who: str) -> bool:
        """Whether this is the token of the administrator; who guessed wrong often must wait."""
        if not self.token or not given or self.tries.is_over(who):
            return False
        right = hmac.compare_digest(given.encode("utf-8", "replace"), self.token.encode())
        if not right:
            self.tries.note(who)
        return right


def make_access(host: str, token: str = "", names: Iterable[str] = ()) -> Access:
    """Return who may use a server on a host; beyond loopback a token is a must."""
    if not is_loopback(host) and not token:
        raise SettingsError(f"{host} can be reached by others: give a token for the administrator")
    if token and (len(token) < LEAST_TOKEN or not token.isascii()):
        raise SettingsError(f"the token must have at least {LEAST_TOKEN} plain characters")
    own = {name.lower().rstrip(".") for name in (host, *names) if name not in EVERYWHERE}
    if host in EVERYWHERE:
        own |= {socket.gethostname().lower(), socket.getfqdn().lower()}
    return Access(token, LOOPBACK | own, host in EVERYWHERE)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a host."""
    return host == "localhost" or (_is_address(host) and ipaddress.ip_address(host).is_loopback)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _without_port(header: str) -> str:
    """Return the host of a Host header.

    >>> _without_port("[::1]:8000"), _without_port("localhost:1"), _without_port("a.org")
    ('::1', 'localhost', 'a.org')
    >>> _without_port("localhost:1; script-src *")
    ''
    """
    found = HOST_HEADER.fullmatch(header)
    return (found[1] or found[2]) if found else ""
