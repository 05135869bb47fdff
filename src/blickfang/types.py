"""The values that travel from room to room: frozen, without methods, without imports from us.

Those of which a page has hundreds are tuples: they are made three times as fast.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Response:
    """What a server answered, as the archive keeps it."""

    url: str
    status: int
    headers: dict[str, str]  # names in lower case
    body: bytes
    fetched_at: str = ""


# Kinds of pictures that are not opened: no browser shows them in a page, or Pillow cannot.
NOT_READ = ("tiff", "ico", "heic", "jxl", "jp2", "psd", "svg")


class Link(NamedTuple):
    """A way from a page to another address."""

    url: str  # canonical
    anchor: str
    kind: str  # a, area, frame, iframe, refresh, or the relation of a <link>: canonical, next, …
    rel: tuple[str, ...]
    words: tuple[int, int]  # of the anchor, among the words of the page


class Context(NamedTuple):
    """The text that belongs to an image, as one method sees it."""

    method: str
    kind: str  # record, figure, text, decoration; "" where a method does not say
    confidence: float
    text: str
    words: tuple[tuple[int, int], ...]  # ranges among the words of the page
    reasons: tuple[str, ...]  # why
    headings: tuple[str, ...] = ()  # of the layout methods: the current ones, h1 first
    emphasised: tuple[str, ...] = ()  # of the layout methods: parts of the text


class Image(NamedTuple):
    """An image that a page shows or names, with every clue about it."""

    url: str | None  # canonical; None where the page gives no address of the web
    src: str  # as the page writes it
    origin: str  # img, noscript, meta, link, data, background, anchor
    number: int  # position among all <img> elements; -1 for others
    alt: str
    title: str
    label: str  # aria-label
    caption: str  # what the markup itself calls the caption
    name: str  # words of the address
    generated: tuple[str, ...]  # which of alt, title, label, caption no person wrote
    width: int | None  # as the page states it
    height: int | None
    link: str | None  # where a click on it leads
    attributes: Mapping[str, str]
    contexts: dict[str, Context]  # by method
    section: str = ""  # the nearest heading above it
    position: int = -1  # where it stands in the main text, in characters; -1 where that is unknown
    others: tuple[str, ...] = ()  # other forms of it, should the first not be there, or not be read
    credit: str = ""  # whom to name, as the page says in its data


class LicenceTerms(NamedTuple):
    """A licence in RSL: where it lies, or what it says if the page itself holds it."""

    url: str  # of the licence, or of the page that holds it
    text: str | None = None  # of one that the page holds
    names: tuple[str, ...] = ()  # other addresses of that page


@dataclass(frozen=True, slots=True)
class Page:
    """A page as it was read."""

    url: str
    title: str
    description: str
    keywords: str
    canonical: str | None  # the address it gives itself
    language: str | None  # of its text
    declared_language: str | None
    headings: tuple[tuple[int, str], ...]  # level and text
    licences: tuple[str, ...]
    metas: dict[str, str]  # what meta elements say, by name in lower case
    text: str
    main_text: str
    words: NDArray[np.uint64]  # hashes, in document order
    breaks: NDArray[np.bool_]  # a sentence begins with this word
    compared: NDArray[np.uint64]  # words and numbers, by which pages are alike; of a glance only
    emphasised: NDArray[np.int32]  # ranges of words, a row each; not of a glance
    links: tuple[Link, ...]
    images: tuple[Image, ...]
    notes: tuple[str, ...]  # what was cut or guessed
    terms: tuple[LicenceTerms, ...] = ()  # its licences in RSL, to be read before it is used


@dataclass(frozen=True, slots=True)
class Picture:
    """An image as its bytes show it."""

    url: str
    format: str  # jpeg, png, gif, webp, …; what the bytes are, whatever the address says
    width: int  # pixels as shown: after its orientation
    height: int
    bytes: int
    sha256: str
    phash: int  # 64 bits; pictures that look alike differ in few of them
    orientation: int  # as EXIF numbers it, 1 to 8; 1 is upright
    frames: int  # more than 1: animated
    data_mining: str  # what IPTC/PLUS DataMining says of mining it; "" for nothing
    licence: str  # embedded: an address, or words; "" for none
    credit: str  # embedded: whom to name; "" for nobody
    looks: NDArray[np.float32]  # colours, edges and texture, for visual search


class Column(NamedTuple):
    """A column of a list of records."""

    name: str
    kind: str  # names, title, date, price, url, email, number, image, long, label, text, or a class


class Record(NamedTuple):
    """A row of a list on a page: a product, a search result, a publication."""

    text: str
    cells: tuple[str, ...]  # one a column of its region
    links: tuple[tuple[str, str], ...]  # text and address
    images: tuple[str, ...]  # addresses
    fields: dict[str, str]  # by name of a class; authors are joined by "; "
    names: tuple[tuple[str, str], ...] = ()  # of authors: first and last names
    nodes: tuple[int, int] = (0, 0)  # of the page


@dataclass(frozen=True, slots=True)
class Region:
    """A list on a page as a table."""

    url: str  # of the page
    rank: int  # 1 is what a person would name first
    confidence: float  # 0 to 1, that this is the list of the page
    columns: tuple[Column, ...]
    records: tuple[Record, ...]
    pattern: str  # the structure of a record
    measures: dict[str, float]  # why it has this rank
    fit: float = 0.0  # 0 to 1, that the records are of the kind that was asked for


@dataclass(frozen=True, slots=True)
class Failure:
    """Something of the web, or a file, that could not be used: counted, kept and reported."""

    url: str  # or a path
    room: str  # where it failed
    reason: str
