"""The lines of robots.txt and ai.txt that speak to us.

In: the bytes of a file, never mind how broken. Out: `Records`: the rules of our group, or of the
group for everybody, and what stands beside them. Two kinds of lines group differently. Rules end a
row of user agents (RFC 9309, 2.2.4: no other record may). Other records, such as Crawl-delay,
belong to the user agents directly above them; those above the first user agent are for everybody.
"""

import codecs
import re
from collections.abc import Iterator
from typing import NamedTuple

PRODUCT = "Blickfang"  # our token, compared without case

MAX_BYTES = 512 * 1024  # at least 500 KiB (RFC 9309, 2.5)
MAX_OTHERS = 200  # of each kind: sitemaps, licences, usage preferences
MAX_OTHER = 2048  # characters of each

# Misspellings that Google's reader accepts too.
FIELDS = {
    **dict.fromkeys(("user-agent", "useragent", "user agent"), "user-agent"),
    **dict.fromkeys(
        ("disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"), "disallow"
    ),
    **dict.fromkeys(("sitemap", "site-map"), "sitemap"),
    **dict.fromkeys(("crawl-delay", "crawldelay", "crawl delay"), "crawl-delay"),
    **dict.fromkeys(("content-signal", "content-signals"), "content-signal"),
    **{name: name for name in ("allow", "content-usage", "license")},
}
LINE = re.compile(
    rf"^[ \t]*+({'|'.join(sorted(FIELDS, reverse=True))})"
    r"[ \t]*+(?::|(?<=[ \t]))([^\n#]*+)",
    re.ASCII | re.IGNORECASE | re.MULTILINE,
)
# As people write it: "10s", "2,5", "1 minute"; where a unit is missing it is seconds.
DELAY = re.compile(
    r"([0-9]{1,9}(?:[.,][0-9]*)?|[.,][0-9]+)[ \t]*(s|secs?|seconds?|m|mins?|minutes?|)\.?",
    re.ASCII | re.IGNORECASE,
)
UNITS = {"": 1.0, "s": 1.0, "m": 60.0}
NAME = re.compile(r"[A-Za-z_-]+")
SEVERAL = re.compile("[,;]")
BYTE_ORDER_MARK = codecs.BOM_UTF8  # half of it is found, too, and two of them
NO_UTF8 = re.compile("[\udc80-\udcff]+")
UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Records(NamedTuple):
    """What a file says to us."""

    rules: tuple[tuple[bool, str], ...] = ()  # whether allowed, and the path pattern
    delay_s: float | None = None
    usages: tuple[tuple[str, str], ...] = ()  # content-usage or content-signal, and its value
    sitemaps: tuple[str, ...] = ()
    licences: tuple[str, ...] = ()


class _Group:
    """What has been read for one user agent so far."""

    def __init__(self) -> None:
        self.named = False
        self.rules: dict[tuple[bool, str], None] = {}  # in order, each once
        self.delays: list[float] = []
        self.usages: list[tuple[str, str]] = []

    def note(self, field: str, value: str) -> None:
        """Keep a record other than a rule."""
        if field != "crawl-delay":
            if len(self.usages) < MAX_OTHERS:
                self.usages.append((field, value[:MAX_OTHER]))
        elif delay := DELAY.fullmatch(value):
            self.delays.append(float(delay[1].replace(",", ".")) * UNITS[delay[2].lower()[:1]])


def decode(body: bytes, cut: bool = False) -> str:
    """Return the text of a file; octets that are no UTF-8 appear as escapes, as URLs spell them.

    The last line of a file that was cut is dropped: half a rule would be another rule.

    >>> decode(b"Disallow: /k\\xe4se")
    'Disallow: /k%E4se'
    """
    if body.startswith(UTF16):
        text = body[:MAX_BYTES].decode("utf-16", "replace")
    else:
        plain = body[:MAX_BYTES].lstrip(BYTE_ORDER_MARK)  # any of its bytes
        text = plain.decode("utf-8", "surrogateescape")
        text = NO_UTF8.sub(_as_escapes, text)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text[: text.rfind("\n") + 1] if cut or len(body) > MAX_BYTES else text


def read_records(text: str) -> Records:
    """Return what a file says to us."""
    ours, everybody = _Group(), _Group()
    site: dict[str, list[str]] = {"sitemap": [], "license": []}
    ruled: set[_Group] = set()  # whom a rule is for
    above = {ours, everybody}  # whom another record is for
    rules_seen = records_seen = True  # since the last user agent
    for field, value in _lines(text):
        if field == "user-agent":
            group = _addressed(value, ours, everybody)
            ruled = group if rules_seen else ruled | group
            above = group if records_seen else above | group
            rules_seen = records_seen = False
            for named in group:
                named.named = True
        elif field in ("allow", "disallow"):
            rules_seen = records_seen = True
            for named in ruled if value else ():
                named.rules[field == "allow", value] = None
        elif field in site:  # grouping does not see it
            if len(site[field]) < MAX_OTHERS and value:
                site[field].append(value[:MAX_OTHER])
        else:
            records_seen = True
            for named in above:
                named.note(field, value)
    return _chosen(ours if ours.named else everybody, site)


def _chosen(group: _Group, site: dict[str, list[str]]) -> Records:
    return Records(
        tuple(group.rules),
        max(group.delays, default=None),
        tuple(group.usages),
        tuple(site["sitemap"]),
        tuple(site["license"]),
    )


def _lines(text: str) -> Iterator[tuple[str, str]]:
    """Yield field and value of every line that has a known field."""
    for line in LINE.finditer(text):
        yield FIELDS[line[1].lower()], line[2].strip()


def _addressed(value: str, ours: _Group, everybody: _Group) -> set[_Group]:
    """Return whom a user-agent line addresses: us, everybody, or somebody else.

    A version behind a product token is not compared; generators write "*/" for everybody. People
    name several robots in a line, which the RFC does not know.
    """
    found: set[_Group] = set()
    for part in map(str.strip, SEVERAL.split(value)):
        if part.startswith("*") and not NAME.match(part.lstrip("*")):
            found.add(everybody)
        names = (NAME.match(word.lstrip("*")) for word in part.split())
        if any(name and name[0].lower() == PRODUCT.lower() for name in names):
            found.add(ours)
    return found


def _as_escapes(octets: re.Match[str]) -> str:
    return "%" + octets[0].encode("utf-8", "surrogateescape").hex("%").upper()
