"""The keys of CDXJ indexes: addresses as web archives compare them, which is not canonically.

In: a URL. Out: its key, by the rules of the Internet Archive's `surt`, which pywb and cdxj-indexer
use: host turned round without www, no scheme, no login, everything in lower case, escapes undone
and redone, parameters sorted, session ids and the last slash removed. Different addresses may
share a key; the lines of an index say their URLs.

What is no address of http(s) is its own key.
"""

import re
from urllib.parse import quote_from_bytes, unquote_to_bytes

from blickfang.urls import surt

PARTS = re.compile(r"https?://\(([^)]*)\)([^?]*)(?:\?(.*))?", re.DOTALL)
ADDRESS = re.compile(r"[0-9.]+(?=:|$)")
LITERAL = re.compile(r"\[([^\]]*)\]")
WWW = re.compile(r",www[0-9]*(?=:|$)")
NOT_ESCAPED = "!\"$&'()*+,-./:;<=>?@[\\]^_`{|}~"
PATH_SESSION = re.compile(r"/\((?:[0-9a-z]{24}|(?:[a-z]\([0-9a-z]{24}\))+)\)(?=/[^?]+\.aspx)")
QUERY_SESSION = re.compile(
    r"(?:(?:jsessionid|(?:phpses)?sid)=[0-9a-z]{32}"
    r"|aspsessionid[a-z]{8}=[a-z]{24}|cfid=[^&]+&cftoken=[^&]+)(?:&|$)"
)


def index_key(url: str) -> str:
    """Return the key under which an index lists a URL.

    >>> index_key("https://www.Example.org:8080/Cats//All/?b=2&A=1#top")
    'org,example:8080)/cats/all?a=1&b=2'
    """
    parts = PARTS.fullmatch(surt(url) or "")
    if parts is None:
        return "".join(url.split())
    host, path, query = parts.groups("")
    key = f"{_host(host.partition('@')[0])}){_path(path)}"
    query = "&".join(sorted(QUERY_SESSION.sub("", _escape(_unescape(query))).split("&"), key=_pair))
    return f"{key}?{query}" if query else key


def _host(host: str) -> str:
    host = host.lstrip(",")  # a dot at the end of a name, or more of them
    if literal := LITERAL.fullmatch(host):
        return literal[1]
    if address := ADDRESS.match(host):
        return ",".join(reversed(address[0].split("."))) + host[address.end() :]
    return WWW.sub("", re.sub(",(?=:|$)", "", host))


def _path(path: str) -> str:
    *folders, name = _unescape(path).split(b"/")[1:]
    kept: list[bytes] = []
    for folder in folders:
        if folder == b".." and kept:
            kept.pop()
        elif folder not in (b"", b"."):
            kept.append(folder)
    text = PATH_SESSION.sub("", _escape(b"/" + b"/".join([*kept, name])))
    return text.removesuffix("/") or "/"


def _unescape(text: str) -> bytes:
    """Undo escapes, also those of escapes."""
    data = text.encode()
    while b"%" in data:
        plain = unquote_to_bytes(data)
        if plain == data:
            break
        data = plain
    return data


def _escape(data: bytes) -> str:
    return quote_from_bytes(data, NOT_ESCAPED).lower()


def _pair(parameter: str) -> list[str]:
    return parameter.split("=", 1)
