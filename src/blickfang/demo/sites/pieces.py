"""Pieces of a page: HTML with the text and the images it shows, so that truth comes for free."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape


@dataclass(frozen=True, slots=True)
class Link:
    """A link as one page writes it."""

    url: str
    anchor: str
    rel: str = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """An image as one piece shows it."""

    image: str
    markup: str
    caption: str
    record: tuple[str, ...] = ()  # name, caption and blurb, where a listing shows it


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of HTML, its plain text, the images in it, and what it adds to the page's head."""

    html: str
    text: str = ""
    shown: tuple[Shown, ...] = ()
    head: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """A page before its site's theme is put around it."""

    url: str
    topic: str
    language: str
    kind: str
    title: str
    pieces: tuple[Piece, ...]
    head: str = ""
    theme: str = ""  # "" means the site's own
    charset: str = "utf-8"
    says_charset: bool = True
    duplicate_of: str | None = None
    opt_out: str = ""
    headers: tuple[tuple[str, str], ...] = ()

    @property
    def text(self) -> str:
        """The page's main text."""
        return "\n".join(piece.text for piece in self.pieces if piece.text)

    @property
    def shown(self) -> tuple[Shown, ...]:
        """Every image the page's pieces show."""
        return tuple(shown for piece in self.pieces for shown in piece.shown)


def attributes(given: Mapping[str, object]) -> str:
    """Write attributes, escaped; a leading blank before each."""
    return "".join(f' {name}="{escape(str(value))}"' for name, value in given.items())


def tag(name: str, given: Mapping[str, object], inner: str = "") -> str:
    """Write an element around HTML that is already escaped.

    >>> tag("p", {"class": "lead"}, escape("salt & pepper"))
    '<p class="lead">salt &amp; pepper</p>'
    """
    return f"<{name}{attributes(given)}>{inner}</{name}>"


def heading(level: int, text: str) -> Piece:
    """A heading."""
    return Piece(tag(f"h{level}", {}, escape(text)), text)


def prose(text: str, links: Mapping[str, str] | None = None) -> Piece:
    """A paragraph; the first time each name in `links` occurs it becomes a link."""
    inner = escape(text)
    for name, url in (links or {}).items():
        inner = inner.replace(escape(name), anchor(Link(url, name)), 1)
    return Piece(f"<p>{inner}</p>", text)


def anchor(link: Link) -> str:
    """Write a link."""
    given = {"href": link.url} | ({"rel": link.rel} if link.rel else {})
    return tag("a", given, escape(link.anchor))


def link_list(title: str, links: Sequence[Link], css: str = "links") -> Piece:
    """A titled list of links; its words are furniture, not main text."""
    items = "".join(f"<li>{anchor(link)}</li>" for link in links)
    return Piece(tag("div", {"class": css}, f"<h4>{escape(title)}</h4><ul>{items}</ul>"))


def facts_table(rows: Sequence[tuple[str, str]]) -> Piece:
    """A table of names and values."""
    cells = "".join(f"<tr><th>{escape(k)}</th><td>{escape(v)}</td></tr>" for k, v in rows)
    return Piece(f'<table class="facts">{cells}</table>', "\n".join(f"{k} {v}" for k, v in rows))
