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

from blickfang.errors import SettingsError

HOST_HEADER = re.compile(r"(?:\[([^\]]*)\]|([^:]*))(?::[0-9]{0,5})?")
LEAST_TOKEN = 16  # characters: what can be guessed is no protection
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
EVERYWHERE = frozenset({"", "0.0.0.0", "::"})  # noqa: S104 -- known, not bound to


@dataclass(frozen=True, slots=True)
class Access:
    """What a running server knows of who may do what."""

    token: str = ""  # of the administrator; "" where only this machine gets in
    names: frozenset[str] = LOOPBACK  # by which the server may be called
    addresses: bool = False  # any numeric address will do: the server listens on all
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

    def is_token(self, given: str) -> bool:
        """Whether this is the token of the administrator."""
        return bool(self.token) and hmac.compare_digest(given.encode(), self.token.encode())


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
