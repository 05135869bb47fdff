"""Addresses: canonical form, joining, hosts, SURT, and the words an address is made of.

In: a URL as a page or a person writes it. Out: its canonical form, the key of all that is fetched
once only, or None for what no web server can be asked for. Two URLs share a canonical form only if
every server must take them for one: no parameter is sorted, none is removed.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from urllib.parse import unquote

from ada_url import URL, idna_to_unicode, join_url

MAX_LENGTH = 8192  # servers refuse longer ones; what is longer carries data

NO_ADDRESS = ("javascript:", "data:", "mailto:", "tel:")  # those that pages are full of

# Escapes of characters that need none. One behind a percent sign that begins no escape stays:
# decoded, it could complete another one.
NEEDLESS = re.compile(
    r"(?<!%)(?<!%[0-9A-Fa-f])%(?:2[DdEe]|3[0-9]|[46][1-9A-Fa-f]|[57][0-9Aa]|5[Ff]|7[Ee])"
)
LOWER_ESCAPE = re.compile("%(?:[a-f][0-9A-Fa-f]|[0-9A-F][a-f])")

# References in canonical form already, with safe characters only: just a prefix is missing.
_ESCAPED = "%(?:2[0-9A-CF]|3[A-F]|[0189A-F][0-9A-F]|[46]0|5[B-E]|7[B-DF])"
_NAME = "-A-Za-z0-9_~!$&'()*+,;=@"
_PATH = rf"(?>(?:[{_NAME}.:/]++|{_ESCAPED})*)"
_QUERY = rf"\?(?>(?:[A-Za-z0-9_~!$&()*+,;=@.:/?|-]++|{_ESCAPED})+)"
_HOST = r"(?>(?:(?!xn--)[a-z0-9_-]++\.)+)(?!xn--)[a-z][a-z0-9_-]*+"
_REST = rf"{_PATH}(?>(?:{_QUERY})?)"
READY = re.compile(
    rf"(?:(https?://{_HOST}/{_REST})"
    rf"|(//{_HOST}/{_REST})"
    rf"|(/(?!/){_REST})"
    rf"|((?:[{_NAME}]|{_ESCAPED})(?>(?:[{_NAME}.]++|{_ESCAPED})*)(?:/{_REST}|(?>(?:{_QUERY})?)))"
    rf"|({_QUERY})"
    r"|())(?>(?:#[!-~]*+)?)"
)
# Of a canonical URL: scheme, credentials, host, port, folders, file name.
PARTS = re.compile(r"(https?:)//([^/@]*@)?([^/]*?)(:[0-9]+)?(/(?:[^?]*/)?)([^?/]*)")
# The URL standard allows hosts that no name server can know: with quotes, stars, braces.
ON_THE_WEB = re.compile(
    r"https?://(?:[^/@]*@)?(?:[a-z0-9_-][a-z0-9_.-]*|\[[0-9a-f:.]+\])(?::[0-9]+)?/"
)
PLAIN_HOST = re.compile(r"https?://((?>(?:[a-z0-9_-]++\.)+)[a-z][a-z0-9_-]*+)(?::[0-9]++)?/")
ADDRESS = re.compile(r"[0-9.]+|\[.*\]")  # a host that is no name

IMAGE_TYPES = frozenset(re.findall(r"\w+", "avif bmp gif heic jpeg jpg jxl png tif tiff webp"))
LONGEST_TYPE = 4  # what is longer behind a dot is a word
BLANKED = {code: chr(code) if chr(code).isalpha() else " " for code in range(128)}


def canonical(url: str) -> str | None:
    """Return the canonical form of an absolute URL, None if it is none of http(s).

    >>> canonical("HTTP://Example.org:80/a/../%7eb%c3%a4?#c")
    'http://example.org/~b%C3%A4'
    """
    ready = READY.fullmatch(url)
    if ready and ready[1] and "/." not in url:
        return ready[1] if len(url) <= MAX_LENGTH else None
    if len(url) > MAX_LENGTH:
        return None
    try:
        return _settle(URL(url).href)
    except ValueError:  # also of text that is not Unicode
        return None


def resolve(base: str, reference: str) -> str | None:
    """Return where a reference on a page leads, canonical; None if to nothing of http(s).

    >>> resolve("http://example.org/cats/all.html", "../dogs/1.html#top")
    'http://example.org/dogs/1.html'
    """
    if len(reference) > MAX_LENGTH or reference.startswith(NO_ADDRESS):
        return None
    try:
        return _settle(join_url(base, reference))
    except ValueError:
        return None


def resolve_many(base: str, references: Sequence[str]) -> list[str | None]:
    """Return where each reference on a page leads: as `resolve`, but quick for those of most pages.

    >>> resolve_many("http://example.org/cats/", ["1.html", "/", "mailto:cat"])
    ['http://example.org/cats/1.html', 'http://example.org/', None]
    """
    prefixes = prefixes_of(base)
    if prefixes is None:
        found = {reference: resolve(base, reference) for reference in set(references)}
        return [found[reference] for reference in references]
    page = prefixes[-1]
    match = READY.fullmatch
    seen: dict[str, str | None] = {}
    for reference in dict.fromkeys(references):
        ready = match(reference)
        if ready is None or "/." in reference or len(reference) > MAX_LENGTH:
            seen[reference] = resolve(page, reference)
        else:
            kind = ready.lastindex or 0  # exactly one group takes part
            url = prefixes[kind] + ready[kind]
            seen[reference] = url if len(url) <= MAX_LENGTH else None
    return [seen[reference] for reference in references]


@lru_cache(maxsize=16)  # a page is asked about several times, then the next one
def prefixes_of(base: str) -> tuple[str, ...] | None:
    """Return what references of a page lack to be addresses, by the group of READY they are in.

    The last one is the page itself, the others its beginnings. None where it has no address.
    """
    page = canonical(base)
    parts = PARTS.match(page) if page else None
    if page is None or parts is None:
        return None
    return "", "", parts[1], page[: parts.start(5)], page[: parts.end(5)], parts[0], page


def _settle(href: str) -> str | None:
    """Return the canonical form of a URL that went through the parser of the URL standard."""
    if not ON_THE_WEB.match(href):
        return None
    href = href.partition("#")[0]
    if href[-1] == "?" and href.index("?") == len(href) - 1:
        href = href[:-1]
    if "%" in href:
        href = NEEDLESS.sub(lambda escape: chr(int(escape[0][1:], 16)), href)
        href = LOWER_ESCAPE.sub(lambda escape: escape[0].upper(), href)
    return href if len(href) <= MAX_LENGTH else None


def host(url: str) -> str:
    """Return the host of a URL without its port, "" if it has none.

    >>> host("https://www.example.org:8080/a")
    'www.example.org'
    """
    plain = PLAIN_HOST.match(url)
    if plain:
        return plain[1]
    try:
        return URL(url).hostname
    except ValueError:
        return ""


def surt(url: str) -> str | None:
    """Return a URL with its host turned round, so that what belongs together sorts together.

    As archives write it; its prefixes are the scope rules of a crawl. The case of the path stays.

    >>> surt("http://www.example.org:8080/Path?q")
    'http://(org,example,www,:8080)/Path?q'
    """
    known = canonical(url)
    parts = PARTS.match(known) if known else None
    if known is None or parts is None:
        return None
    scheme, login, name, port, _, _ = parts.groups("")
    if not ADDRESS.fullmatch(name):
        name = ",".join(reversed(name.split("."))) + ","
    place = f"{name}{port}@{login[:-1]}" if login else name + port
    return f"{scheme}//({place}){known[parts.start(5) :]}"


def url_words(url: str) -> str:
    """Return the words of host, folders and file name; of the name without its extension.

    >>> url_words("http://pictures-of-cats.org/uploads/2015/02/is-the-kitten-healthy-XXX.jpg")
    'pictures of cats org uploads is the kitten healthy xxx'
    """
    place, folders, name, _ = _split(url)
    return f"{_folder_words(place, folders)} {_letters(name)}".strip()


@lru_cache(maxsize=1024)  # the images of a page, and of its host, lie in few folders
def _folder_words(place: str, folders: str) -> str:
    """Return the words of a host and the folders on it."""
    if "xn--" in place and place.isascii():
        place = idna_to_unicode(place.partition(":")[0])
    return _letters(f"{place} {folders}")


def file_words(url: str) -> str:
    """Return the words of the file name alone, without its extension.

    >>> file_words("http://example.org/uploads/K%C3%A4tzchen_2.jpg?size=3")
    'kätzchen'
    """
    return _letters(_split(url)[2])


def is_image_url(url: str) -> bool:
    """Whether the file name of a URL is that of an image, one of pixels: no svg, no ico.

    With a colon it is the page about an image, as wikis name it.

    >>> is_image_url("http://example.org/cat.JPG?w=3"), is_image_url("http://a.b/File:Cat.jpg")
    (True, False)
    """
    _, _, name, extension = _split(url)
    return extension in IMAGE_TYPES and ":" not in name


def _split(url: str) -> tuple[str, str, str, str]:
    """Return host, folders, file name and its extension in lower case, not escaped any more."""
    if len(url) > MAX_LENGTH:
        return "", "", "", ""  # no address, as everywhere
    place, _, path = url.partition("//")[2].partition("?")[0].partition("#")[0].partition("/")
    if "%" in path:
        path = unquote(path)
    folders, _, name = path.rpartition("/")
    stem, _, extension = name.rpartition(".")
    if not (stem and extension.isalnum() and len(extension) <= LONGEST_TYPE):
        return place.rpartition("@")[2], folders, name, ""
    inner, _, second = stem.rpartition(".")
    if inner and second.lower() in IMAGE_TYPES:  # "cat.jpg.webp"
        stem = inner
    return place.rpartition("@")[2], folders, stem, extension.lower()


def _letters(text: str) -> str:
    """Return the words of a text in lower case; digits and punctuation cut them."""
    text = text.lower()
    if text.isascii():
        return " ".join(text.translate(BLANKED).split())
    kept = (c if unicodedata.category(c)[0] in "LM" else " " for c in text)
    return " ".join("".join(kept).split())
