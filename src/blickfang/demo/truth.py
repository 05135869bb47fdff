"""The values of the demo web that others read: answers, and what is true about every address."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Answer:
    """What the demo web says to one request."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def header(self, name: str) -> str:
        """Return the value of a header, "" where it is missing."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), "")


@dataclass(frozen=True, slots=True)
class PageTruth:
    """What is true about one page."""

    url: str
    host: str
    topic: str  # one of the three topics, noise:<what> or near-miss:<what>
    language: str  # en, de
    kind: str  # start, content, listing, boilerplate, duplicate, trap
    title: str
    text: str  # the main text, without navigation and footer
    duplicate_of: str | None  # the URL of the page this one nearly repeats
    allowed: bool  # by robots.txt, for every crawler
    opt_out: str  # what the page refuses beyond robots.txt: noindex, noai, …; "" if nothing


@dataclass(frozen=True, slots=True)
class Mention:
    """One place where a page shows an image."""

    page: str
    markup: str  # figure, cell, card, flat, alt, title, lazy, …: see data/pages.toml
    caption: str  # exactly the words that belong to the image; "" for decoration
    record: tuple[str, ...] = ()  # in a listing: the texts of its whole record, in their order


@dataclass(frozen=True, slots=True)
class ImageTruth:
    """What is true about one image."""

    url: str
    host: str
    topic: str
    motif: str
    width: int
    height: int
    format: str  # PNG, JPEG, GIF, WEBP: as Pillow names them
    duplicate_of: str | None  # the URL of the picture this one was made from
    change: str  # how it was made from it: resized, reencoded, cropped, brighter, watermarked
    allowed: bool
    opt_out: str
    mentions: tuple[Mention, ...]


@dataclass(frozen=True, slots=True)
class RecordTruth:
    """One record of a page that lists many of a kind."""

    page: str
    kind: str  # publication, or the motif of a listing: lighthouse, plate, …
    fields: tuple[tuple[str, str], ...]  # name and value; "" where this record has none


@dataclass(frozen=True, slots=True)
class Quirk:
    """An address that does not answer with an ordinary page, on purpose."""

    url: str
    what: str  # redirect, missing, failing, slow, loop, trap
    status: int
    target: str = ""  # where a redirect ends; "" for a loop and all others
    delay_s: float = 0.0
