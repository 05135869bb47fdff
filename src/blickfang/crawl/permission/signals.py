"""Signals: what one source says about one URL, and what it forbids.

In: `X-Robots-Tag`, `<meta name="robots">`, the bytes of an image. Out: `Signal` values, all of
them, whether they forbid anything or not: what binds is decided elsewhere, for a purpose
(decide.py). What is not understood forbids nothing and is not kept.

| forbidden    | means                                                                      |
|--------------|----------------------------------------------------------------------------|
| fetch        | to ask for it at all                                                       |
| follow       | to use the links of the page                                               |
| index        | to make it findable: to keep it                                            |
| images       | to keep images of the page, or the image                                   |
| mine         | text and data mining (EU directive 2019/790, article 4)                    |
| train        | to train models with it                                                    |
| train-images | to train models with images of the page, or the image                      |
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from blickfang.crawl.permission.crawl_manners import read_date
from blickfang.crawl.permission.record_lines import PRODUCT

MAX_HEADER = 8192  # characters of a header or meta element that are read
MAX_VALUE = 500  # characters of a value that are kept
MAX_SIGNALS = 50  # of one source

NOTHING: frozenset[str] = frozenset()
TRAIN = frozenset({"train"})

# Of robots meta elements and headers. A page says "noimageindex" of its images.
DIRECTIVES = {
    "noindex": frozenset({"index"}),
    "nofollow": frozenset({"follow"}),
    "none": frozenset({"index", "follow"}),
    "noimageindex": frozenset({"images"}),
    "noai": TRAIN,
    "noml": TRAIN,
    "noimageai": frozenset({"train-images"}),
}
# With a value behind a colon: what stands before another colon is the name of a robot.
VALUED = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})
UNAVAILABLE = re.compile(
    r"unavailable_after\s*:((?:\s*(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,)?[^,]*)"
)
LICENCE_OF_IMAGES = "license of images"
ABOUT_IMAGES = frozenset({*DIRECTIVES, "unavailable_after", LICENCE_OF_IMAGES} - {"nofollow"})

# PLUS DataMining, which IPTC took over, as it stands in the XMP packet of an image.
DATA_MINING = re.compile(rb"DMI-([A-Z]{1,40}(?:-[A-Z]{1,40})?)")
DMI_REACH = 400  # bytes from the name of the property to its value
DMI = {
    "PROHIBITED": frozenset({"index", "mine", "train"}),
    "PROHIBITED-AIMLTRAINING": TRAIN,
    "PROHIBITED-GENAIMLTRAINING": TRAIN,
}
OTHERWISE_PROHIBITED = frozenset({"mine", "train"})  # except for search engines; see elsewhere


class Signal(NamedTuple):
    """What one source says about a URL."""

    source: str  # robots.txt, tdmrep.json, ai.txt, header, meta, image
    name: str  # short and fixed
    value: str  # as it was written, cut to MAX_VALUE
    forbids: frozenset[str]


def signal(source: str, name: str, value: str, forbids: frozenset[str] = NOTHING) -> Signal:
    """Return a signal whose value can be kept: short, and without halves of characters."""
    value = value[:MAX_VALUE].encode("utf-8", "replace").decode("utf-8")
    return Signal(source, name, value, forbids)


def of_robots_header(headers: Mapping[str, str], now: float) -> list[Signal]:
    """Return what the header X-Robots-Tag says to us; a robot's name governs its line only."""
    lines = headers.get("x-robots-tag", "")[:MAX_HEADER].split("\n")
    found = [one for line in lines for one in _directives("header", line, now)]
    return list(dict.fromkeys(found))[:MAX_SIGNALS]


def of_robots_metas(metas: Mapping[str, str], now: float) -> list[Signal]:
    """Return what the meta elements `robots` and `blickfang` say; both bind."""
    found = []
    for name, content in metas.items():
        if name.lower() in ("robots", PRODUCT.lower()):
            found += _directives("meta", content, now)
    return found[:MAX_SIGNALS]


def of_image(body: bytes) -> list[Signal]:
    """Return what an image says about data mining, in its own bytes."""
    found: list[Signal] = []
    place = body.find(b"DataMining")
    while place >= 0 and len(found) < MAX_SIGNALS:
        code = DATA_MINING.search(body, place, place + DMI_REACH)
        value = code[1].decode("ascii") if code else ""
        other = OTHERWISE_PROHIBITED if value.startswith("PROHIBITED") else NOTHING
        found.append(signal("image", "data-mining", value, DMI.get(value, other)))
        place = body.find(b"DataMining", place + DMI_REACH)
    return list(dict.fromkeys(found))


def inherited(signals: list[Signal]) -> list[Signal]:
    """Return those signals of a page that hold for its images too.

    A reservation of the page is none of its images, which have their own answer (TDMRep).
    """
    return [one for one in signals if one.source in ("header", "meta") and one.name in ABOUT_IMAGES]


def _directives(source: str, text: str, now: float) -> list[Signal]:
    """Return the directives of a header or meta element that are for us."""
    text = text[:MAX_HEADER].lower()
    dates = iter(UNAVAILABLE.findall(text))  # they may hold commas and colons
    found = []
    for name, ours in _named(UNAVAILABLE.sub("unavailable_after", text)):
        if name == "unavailable_after":
            date = next(dates, "").strip()
            moment = read_date(date)
            over = moment is not None and moment < now
            one = signal(source, name, date, DIRECTIVES["noindex"] if over else NOTHING)
        elif name in DIRECTIVES:
            one = signal(source, name, "", DIRECTIVES[name])
        else:
            continue
        if ours and one not in found:
            found.append(one)
    return found[:MAX_SIGNALS]


def _named(text: str) -> Iterator[tuple[str, bool]]:
    """Yield each directive and whether it is for us: a robot's name governs all that follows."""
    ours = True
    for piece in text.split(","):
        robot, colon, rest = piece.partition(":")
        if colon and robot.strip() not in VALUED:
            ours = robot.strip() in ("*", "robots", PRODUCT.lower())
            piece = rest
        for name in piece.replace(";", " ").split():
            yield name, ours
