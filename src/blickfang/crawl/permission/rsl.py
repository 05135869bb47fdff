"""RSL 1.0 (Really Simple Licensing): licences that pages link to, or hold themselves.

In: `Terms` of a page. Out: signals. One that lies elsewhere is not fetched: it asks to be read
before the content is used, so it binds where the use is one that sites sell licences for,
training. One that the page holds is read. Its <content> with the longest pattern that matches the
address of the page speaks of it, any other of images at most. What one of them says:

| of training                                                | it is     |
|------------------------------------------------------------|-----------|
| a licence prohibits it, or a use that we do not know       | forbidden |
| a licence permits it, or prohibits other uses alone        | permitted |
| but for some users or places, for payment, or by a server  | forbidden |
| licences permit other uses alone, or say nothing of use    | forbidden |

Indexing and mining are forbidden where all its licences prohibit them. Where a document is in doubt
(XML that is broken, too long, too deep, or with a document type; no content) training is forbidden;
a content whose address we do not understand is that of the page.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple
from xml.parsers import expat

from blickfang.crawl.permission.path_patterns import Patterns, compile_patterns, matching, path_of
from blickfang.crawl.permission.signals import LICENCE_OF_IMAGES, NOTHING, TRAIN, Signal, signal
from blickfang.crawl.permission.usage_preferences import VOCABULARY, of_licences
from blickfang.io.urls import canonical, host
from blickfang.types import LicenceTerms

MAX_CHARS = 2**18  # of a licence
MAX_DEPTH = 50
MAX_ELEMENTS = 10_000
MAX_CONTENTS = 500
MAX_IMAGES = 1000  # of a page, that are compared with the patterns of a licence

USES = {
    **VOCABULARY["content-usage"],  # of earlier drafts
    "ai-all": TRAIN,
    "ai-train": TRAIN,
    "ai-input": NOTHING,
    "ai-index": NOTHING,
    "ai-summarize": NOTHING,
}
FOR_TRAINING = frozenset({"all", "ai-all", "ai-train", "ai", "train-ai"})  # what permits it
EVERYBODY = frozenset({"commercial", "non-commercial", "education", "government", "personal"})
FREE = "free"
NO_USE = "nothing"
ALONE = ("content", "license")  # none of them may stand in another one
BLANK = "\ufeff \t\r\n\0"
COMMENTED = BLANK + "/*"  # what scripts write around CDATA


class Element(NamedTuple):
    """An element of a licence, whatever the prefix of its name."""

    name: str
    attributes: dict[str, str]
    inner: list["Element"]
    texts: list[str]


class Licence(NamedTuple):
    """What a licence says."""

    forbids: frozenset[str]  # by name
    why_not: str  # why nobody may train by it; "" if everybody may


class LicensedContent(NamedTuple):
    """What is said of the content behind some addresses."""

    place: tuple[str, str] | None  # host, and pattern of paths; None where that is not understood
    forbids: frozenset[str]
    said: str  # of training


class LicenceDocument(NamedTuple):
    """A licence that a page holds."""

    contents: list[LicensedContent]
    hosts: dict[str, tuple[list[LicensedContent], Patterns]]


class _UnclearError(Exception):
    """This is nothing that we read."""


def of_terms(terms: Iterable[LicenceTerms], images: Iterable[str] = ()) -> list[Signal]:
    """Return what the licences of a page say of it, and of the images that it shows."""
    known = list(terms)
    found = of_licences("meta", [each.url for each in known if each.text is None])
    held = [each for each in known if each.text is not None]
    shown = list(dict.fromkeys(images)) if held else []
    for each in held:
        found += _of_held(each, shown)
    return list(dict.fromkeys(found))


def _of_held(terms: LicenceTerms, images: Sequence[str]) -> list[Signal]:
    """Return what a licence that a page holds says."""
    document = read_document(terms.text or "", terms.url)
    if document is None:
        return [_signal("cannot be read", TRAIN)]
    if not document.contents:
        return [_signal("names no content", TRAIN)]
    chosen = next(filter(None, (_choose(document, url) for url in (terms.url, *terms.names))), [])
    chosen = [*chosen, *(each for each in document.contents if each.place is None)]
    forbids = NOTHING.union(*(each.forbids for each in chosen))
    said = [each.said for each in chosen if each.forbids] or [each.said for each in chosen]
    one = _signal(said[0] if said else "is about other content", forbids)
    return [one, *_of_images(document, images)]


def _signal(said: str, forbids: frozenset[str]) -> Signal:
    return signal("meta", "license", f"in the page: {said}", forbids)


def _of_images(document: LicenceDocument, images: Sequence[str]) -> list[Signal]:
    """Return what a licence says of images; what it forbids of one holds for all of the page."""
    for number, url in enumerate(images):
        many = number == MAX_IMAGES
        chosen = document.contents if many else _choose(document, url)
        forbids = NOTHING.union(*(each.forbids for each in chosen))
        if forbids:
            ours = {"train-images"} | ({"images"} if "index" in forbids else NOTHING)
            said = next(each.said for each in chosen if each.forbids)
            value = f"in the page: {said}: {url}"
            return [signal("meta", LICENCE_OF_IMAGES, value, frozenset(ours))]
        if many:
            break
    return []


def read_document(text: str, url: str) -> LicenceDocument | None:
    """Return a licence that stands in the page of an address; None if it cannot be read."""
    root = _parse(text)
    if root is None:
        return None
    found = [each for each in _walk(root) if each.name == "content"]
    if len(found) > MAX_CONTENTS:
        return None
    contents = [_read_content(each, url) for each in found]
    by_host: dict[str, list[LicensedContent]] = {}
    for each in contents:
        if each.place is not None:
            by_host.setdefault(each.place[0], []).append(each)
    return LicenceDocument(
        contents,
        {
            name: (each, compile_patterns([one.place[1] for one in each if one.place]))
            for name, each in by_host.items()
        },
    )


def _choose(document: LicenceDocument, url: str) -> list[LicensedContent]:
    """Return which contents speak of an address: those whose patterns are the longest."""
    contents, patterns = document.hosts.get(_name_host(host(url)), ([], None))
    if patterns is None:
        return []
    tails = matching(patterns, path_of(url))
    if tails is None:  # too much work
        return contents
    longest = max((tail.priority for tail in tails), default=0)
    return [contents[tail.number] for tail in tails if tail.priority == longest]


def _read_content(content: Element, url: str) -> LicensedContent:
    """Return what a <content> says; its licences are alternatives."""
    licences = [_read_licence(each) for each in _walk(content) if each.name == "license"]
    forbids = frozenset[str]()
    if licences:
        forbids = frozenset.intersection(*(each.forbids for each in licences))
    place = _read_place(content.attributes.get("url", ""), url)
    why_not = _find_objection(content, licences)
    if why_not:
        return LicensedContent(place, forbids | TRAIN, why_not)
    denied = [word for word in _read_uses(content, "prohibits") if _forbidden_by(word)]
    return LicensedContent(
        place, forbids, f"prohibits {denied[0]}" if forbids else "permits training"
    )


def _find_objection(content: Element, licences: Sequence[Licence]) -> str:
    """Return why a <content> is not for training; "" if it is."""
    words = _read_uses(content, "prohibits")
    if prohibited := [word for word in words if "train" in _forbidden_by(word)]:
        return f"prohibits {prohibited[0]}"
    server = content.attributes.get("server", "").strip()
    if server:
        return f"licensed by {server}"
    if content.attributes.get("encrypted", "").strip().lower() not in ("", "false", "0"):
        return "encrypted"
    if any(not each.why_not for each in licences):
        return ""
    return licences[0].why_not if licences else "without a licence"


def _read_licence(licence: Element) -> Licence:
    """Return what a licence says by itself."""
    permitted, prohibited = (_read_uses(licence, name) for name in ("permits", "prohibits"))
    forbids = NOTHING.union(*map(_forbidden_by, prohibited))
    payments = [each for each in _walk(licence) if each.name == "payment"]
    paid = [each.attributes.get("type", "").strip().lower() for each in payments]
    if permitted and not FOR_TRAINING.intersection(permitted):
        return Licence(forbids, f"permits {' '.join(permitted)}")
    if limits := _find_limits(licence):
        return Licence(forbids, limits)
    if sold := [kind for kind in paid if kind != FREE]:
        return Licence(forbids, f"asks for payment: {sold[0] or 'of some kind'}")
    if not permitted and not prohibited and not paid:
        return Licence(forbids, "a licence that names no use")
    return Licence(forbids, "")


def _find_limits(licence: Element) -> str:
    """Return what limits a licence to some users or places; "" if it is for everybody."""
    for each in _walk(licence):
        kind = each.attributes.get("type", "usage").strip().lower()
        if each.name not in ("permits", "prohibits") or kind == "usage" or kind in USES:
            continue
        words = _split("".join(each.texts))
        everybody = "all" in words or EVERYBODY.issubset(words)
        if not (kind == "user" and each.name == "permits" and everybody):
            return f"{each.name} by {kind}: {' '.join(words)}"
    return ""


def _read_uses(element: Element, name: str) -> list[str]:
    """Return the uses that are permitted, or prohibited, within an element.

    Some write them as the type.
    """
    found: list[str] = []
    for each in _walk(element):
        kind = each.attributes.get("type", "usage").strip().lower()
        if each.name == name and (kind == "usage" or kind in USES):
            found += (_split("".join(each.texts)) or [NO_USE]) if kind == "usage" else [kind]
    return found


def _forbidden_by(word: str) -> frozenset[str]:
    """Return what is forbidden where a use is prohibited; what we do not know may be training."""
    return USES.get(word, TRAIN)


def _split(text: str) -> list[str]:
    return text.lower().replace(",", " ").replace(";", " ").split()


def _read_place(stated: str, url: str) -> tuple[str, str] | None:
    """Return host and pattern of an address as a licence states it, None if it is not clear.

    >>> _read_place("https://www.example.org:443/news/*", ""), _read_place("/a$", "http://b.org/")
    (('example.org', '/news/*'), ('b.org', '/a$'))
    """
    stated = stated.strip().partition("#")[0]
    if stated.startswith(("/", "*")) and not stated.startswith("//"):
        return _name_host(host(url)), stated
    scheme, slashes, rest = stated.partition("//")
    if not slashes or scheme.lower() not in ("", "http:", "https:"):
        return None
    name, slash, path = rest.partition("/")
    address = canonical(f"http://{name.partition('?')[0]}/")
    return (_name_host(host(address)), slash + path or "/") if address and "?" not in name else None


def _name_host(name: str) -> str:
    """Return the name under which a host is compared."""
    return name.removeprefix("www.")


def _walk(element: Element) -> Iterator[Element]:
    """Yield what lies within an element, in document order."""
    left = element.inner[::-1]
    while left:
        each = left.pop()
        yield each
        left += each.inner[::-1]


class _Reader:
    """The handlers of one reading, and what they have heard."""

    def __init__(self) -> None:
        self.open = [Element("", {}, [], [])]
        self.count = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.count += 1
        name = _local(name)
        nested = name in ALONE and any(each.name == name for each in self.open)
        if nested or len(self.open) > MAX_DEPTH or self.count > MAX_ELEMENTS:
            raise _UnclearError
        plain = {_local(key): value for key, value in attributes.items()}
        one = Element(name, plain, [], [])
        self.open[-1].inner.append(one)
        self.open.append(one)

    def end(self, _: str) -> None:
        self.open.pop()

    def say(self, text: str) -> None:
        self.open[-1].texts.append(text)

    def refuse(self, *_: object) -> None:
        raise _UnclearError


def _parse(text: str) -> Element | None:
    """Return what a document holds; None if it is broken, or asks too much of us."""
    reader, parser = _Reader(), expat.ParserCreate("utf-8")
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.say
    parser.StartDoctypeDeclHandler = reader.refuse
    parser.EntityDeclHandler = reader.refuse
    if len(text) > MAX_CHARS:
        return None
    try:
        parser.Parse(_unwrap(text).strip(BLANK).encode("utf-8"), True)
    except (expat.ExpatError, _UnclearError, ValueError):
        return None
    return reader.open[0]


def _unwrap(text: str) -> str:
    """Return a document without the CDATA that is put around scripts in XHTML."""
    before, mark, rest = text.partition("<![CDATA[")
    if not mark or before.strip(COMMENTED):
        return text
    return rest.rpartition("]]>")[0].strip(COMMENTED)


def _local(name: str) -> str:
    """Return a name without its prefix."""
    return name.rpartition(":")[2].lower()
