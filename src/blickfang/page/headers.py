"""What the headers of an answer state of its page: its address, licences, language, refresh.

In: headers by name in lower case, the address they are relative to. Out: what a page says of
itself, and where it sends its reader. What the page itself says goes before its headers.
"""

import re
from collections.abc import Iterator, Mapping

from blickfang.page.about import About
from blickfang.page.addresses import resolve_all
from blickfang.page.links import read_refresh
from blickfang.text.language import declared_language
from blickfang.types import Link

MAX_HEADER = 100_000  # characters
SPEAKING = frozenset({"link", "content-language"})  # few answers have them
PARAMETER = r";\s*+([^\s=;,]*+)(?>(?:\s*+=\s*+(?:\"([^\"]*+)\"|([^\s;,\"]*+)))?)"
LINK = re.compile(rf"<([^<>]*+)>((?>(?:\s*+{PARAMETER})*))")
EACH_PARAMETER = re.compile(PARAMETER)


def add_stated(about: About, headers: Mapping[str, str], url: str, *, whole: bool) -> About:
    """Return what a page says of itself and its headers add; not `whole`: only its language.

    Licences that a crawl asks for are read from headers in crawl/consent.
    """
    if SPEAKING.isdisjoint(headers):
        return about
    language = about.language or declared_language(headers.get("content-language", ""))
    links = list(_read_links(headers.get("link", "")[:MAX_HEADER])) if whole else []
    canonicals = resolve_all(url, [target for target, rel in links if "canonical" in rel])
    licences = resolve_all(url, [target for target, rel in links if "license" in rel])
    return about._replace(
        canonical=about.canonical or next(filter(None, canonicals), None),
        licences=tuple(dict.fromkeys([*about.licences, *filter(None, licences)])),
        language=language,
    )


def find_sent(headers: Mapping[str, str], url: str) -> list[Link]:
    """Return where the header Refresh sends the reader of a page."""
    target = read_refresh(headers.get("refresh", ""))
    found = resolve_all(url, [target]) if target else []
    return [Link(address, "", "refresh", (), (0, 0)) for address in found if address]


def _read_links(said: str) -> Iterator[tuple[str, list[str]]]:
    """Yield where each link of the header Link leads, and its relations (RFC 8288)."""
    for link in LINK.finditer(said):
        stated: dict[str, str] = {}
        for name, quoted, plain in EACH_PARAMETER.findall(link[2]):
            stated.setdefault(name.lower(), quoted or plain)  # the first one counts
        if "anchor" not in stated:  # else it is said of another page
            yield link[1].strip(), stated.get("rel", "").lower().split()
