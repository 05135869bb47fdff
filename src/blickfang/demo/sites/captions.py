"""Caption markups: a shot goes in, the HTML that shows it and its words in one way comes out.

`MARKUPS` are for one picture on a content page, `LISTS` for the repeated records of a listing.
The key is what `Mention.markup` says.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from urllib.parse import urlsplit

from blickfang.demo.drawing.sketch import Sketch
from blickfang.demo.sites.pieces import Link, Piece, Shown, anchor, attributes, tag


@dataclass(frozen=True, slots=True)
class Shot:
    """A picture with all that a page may say about it."""

    sketch: Sketch
    caption: str
    name: str  # a short name: headings, poor alt texts
    copies: tuple[Sketch, ...] = ()  # smaller ones, for srcset, thumbnails, cards
    link: str = ""  # the page about it
    blurb: str = ""
    sized: bool = True  # whether the page states width and height


def local(url: str) -> str:
    """Return a URL as its own host writes it: from the root."""
    parts = urlsplit(url)
    return parts.path + (f"?{parts.query}" if parts.query else "")


def img(shot: Shot, sketch: Sketch, alt: str, **more: str) -> str:
    """Write an img element."""
    given: dict[str, str | int] = {"src": local(sketch.url)}
    if shot.sized:
        given |= {"width": sketch.width, "height": sketch.height}
    given |= {"alt": alt} | {name.replace("_", "-"): value for name, value in more.items()}
    return f"<img{attributes(given)}>"


def seen(markup: str, shot: Shot, *sketches: Sketch) -> tuple[Shown, ...]:
    """State that these images are shown with the shot's caption."""
    return tuple(Shown(sketch.url, markup, shot.caption) for sketch in sketches)


def figure(shot: Shot) -> Piece:
    """figure and figcaption."""
    caption = tag("figcaption", {}, escape(shot.caption))
    html = tag("figure", {}, img(shot, shot.sketch, shot.name) + caption)
    return Piece(html, shot.caption, seen("figure", shot, shot.sketch))


def cell(shot: Shot) -> Piece:
    """A table with the caption in the cell below the image, or beside it if that is narrow."""
    picture = f"<td>{img(shot, shot.sketch, '')}</td>"
    words = tag("td", {"class": "small"}, escape(shot.caption))
    between = "</tr><tr>" if shot.sketch.width >= 500 else ""
    html = f'<table border="0"><tr>{picture}{between}{words}</tr></table>'
    return Piece(html, shot.caption, seen("cell", shot, shot.sketch))


def alt(shot: Shot) -> Piece:
    """Nothing but the alt attribute."""
    return Piece(
        f"<p>{img(shot, shot.sketch, shot.caption)}</p>", "", seen("alt", shot, shot.sketch)
    )


def title(shot: Shot) -> Piece:
    """Nothing but the title attribute."""
    html = f"<p>{img(shot, shot.sketch, '', title=shot.caption)}</p>"
    return Piece(html, "", seen("title", shot, shot.sketch))


def blank_url(shot: Shot) -> str:
    """Return the address of the stand-in image of a host."""
    return "http://" + urlsplit(shot.sketch.url).netloc + "/static/blank.gif"


def lazy(shot: Shot) -> Piece:
    """A stand-in in src, the real address in data-src, the caption in a paragraph after it."""
    given = {"class": "lazyload", "src": local(blank_url(shot)), "data-src": local(shot.sketch.url)}
    picture = f'<img{attributes(given)} alt="">'
    html = tag("div", {"class": "media"}, picture + f"<p>{escape(shot.caption)}</p>")
    stand_in = Shown(blank_url(shot), "decoration", "")
    return Piece(html, shot.caption, (*seen("lazy", shot, shot.sketch), stand_in))


def noscript(shot: Shot) -> Piece:
    """A stand-in, and a copy of the element for browsers without scripts."""
    stand_in = (
        f'<img src="{local(blank_url(shot))}" data-original="{local(shot.sketch.url)}" alt="">'
    )
    plain = f"<noscript>{img(shot, shot.sketch, shot.name)}</noscript>"
    words = tag("div", {"class": "legend"}, escape(shot.caption))
    shown = (*seen("noscript", shot, shot.sketch), Shown(blank_url(shot), "decoration", ""))
    return Piece(tag("div", {"class": "photo"}, stand_in + plain + words), shot.caption, shown)


def srcset(shot: Shot) -> Piece:
    """One img with several widths in srcset; the caption is its alt text."""
    every = (*shot.copies, shot.sketch)
    widths = ", ".join(f"{local(sketch.url)} {sketch.width}w" for sketch in every)
    picture = img(shot, shot.sketch, shot.caption, srcset=widths, sizes="(max-width: 700px) 90vw")
    return Piece(tag("div", {"class": "wide"}, picture), "", seen("srcset", shot, *every))


def picture(shot: Shot) -> Piece:
    """A picture element with a source for each copy, and a legend below."""
    sources = "".join(
        f'<source media="(max-width: {copy.width}px)" srcset="{local(copy.url)}">'
        for copy in shot.copies
    )
    inner = tag("picture", {}, sources + img(shot, shot.sketch, shot.name))
    html = tag("div", {"class": "shot"}, inner + f"<p><em>{escape(shot.caption)}</em></p>")
    return Piece(html, shot.caption, seen("picture", shot, *shot.copies, shot.sketch))


def linked(shot: Shot) -> Piece:
    """A thumbnail that links to the large image, captioned the WordPress way."""
    thumb = img(shot, shot.copies[0], shot.name)
    inner = tag("a", {"href": local(shot.sketch.url)}, thumb)
    inner += tag("p", {"class": "wp-caption-text"}, escape(shot.caption))
    html = tag("div", {"class": "wp-caption alignright"}, inner)
    return Piece(html, shot.caption, seen("linked", shot, shot.copies[0], shot.sketch))


def background(shot: Shot) -> Piece:
    """The image as a CSS background, with its words inside the box."""
    style = f"background-image: url('{local(shot.sketch.url)}'); min-height: 300px"
    html = tag("div", {"class": "hero", "style": style}, f"<span>{escape(shot.caption)}</span>")
    return Piece(html, shot.caption, seen("background", shot, shot.sketch))


def generated(shot: Shot) -> Piece:
    """An alt text that a machine made from the address; the true caption is the next paragraph."""
    stem = local(shot.sketch.url).strip("/").rsplit(".", 1)[0]
    words = stem.split("/")[-1] if "IMG_" in stem else re.sub(r"[^a-z0-9]+", " ", stem)
    html = f"<p>{img(shot, shot.sketch, words)}</p><p>{escape(shot.caption)}</p>"
    return Piece(html, shot.caption, seen("generated", shot, shot.sketch))


def aria(shot: Shot) -> Piece:
    """An image that names the element with its caption, which stands apart from it."""
    name = "about-" + shot.sketch.url.rsplit("/", 1)[1].rsplit(".", 1)[0]
    picture = img(shot, shot.sketch, "", aria_describedby=name)
    html = f"<div>{picture}</div><hr>{tag('p', {'id': name}, escape(shot.caption))}"
    return Piece(html, shot.caption, seen("aria", shot, shot.sketch))


def wiki(shot: Shot) -> Piece:
    """The nested boxes of MediaWiki, with an empty magnifying glass before the caption."""
    picture = tag(
        "a", {"href": local(shot.sketch.url), "class": "image"}, img(shot, shot.sketch, "")
    )
    glass = tag("div", {"class": "magnify"}, tag("a", {"href": local(shot.sketch.url)}))
    words = tag("div", {"class": "thumbcaption"}, glass + escape(shot.caption))
    inner = tag("div", {"class": "thumbinner"}, picture + words)
    html = tag("div", {"class": "thumb tright"}, inner)
    return Piece(html, shot.caption, seen("wiki", shot, shot.sketch))


def social(shot: Shot) -> Piece:
    """og:image in the head, with its alt text."""
    head = f'<meta property="og:image" content="{escape(shot.sketch.url)}">'
    head += f'<meta property="og:image:alt" content="{escape(shot.caption)}">'
    return Piece("", "", seen("og", shot, shot.sketch), head)


MARKUPS: dict[str, Callable[[Shot], Piece]] = {
    "figure": figure, "cell": cell, "alt": alt, "title": title, "lazy": lazy,
    "noscript": noscript, "srcset": srcset, "picture": picture, "linked": linked,
    "background": background, "generated": generated, "aria": aria, "wiki": wiki,
    "og": social,
}  # fmt: skip


def record_text(shots: Sequence[Shot]) -> str:
    """Return the words of a listing."""
    return "\n".join(f"{shot.name}\n{shot.caption}\n{shot.blurb}" for shot in shots)


def record_words(shot: Shot) -> str:
    """Write caption and blurb of a record."""
    return f"<p>{escape(shot.caption)}</p><p class='blurb'>{escape(shot.blurb)}</p>"


def listed(markup: str, shot: Shot) -> Shown:
    """State that a listing shows the small copy of a picture in a record."""
    record = (shot.name, shot.caption, shot.blurb)
    return Shown(shot.copies[0].url, markup, shot.caption, record)


def cards(shots: Sequence[Shot]) -> Piece:
    """Records in a wrapper each: article with image, linked heading, text."""
    items = "".join(
        tag("article", {"class": "card"}, img(shot, shot.copies[0], "")
            + f"<h3>{anchor(Link(shot.link, shot.name))}</h3>" + record_words(shot))
        for shot in shots
    )  # fmt: skip
    shown = tuple(listed("card", shot) for shot in shots)
    return Piece(tag("div", {"class": "grid"}, items), record_text(shots), shown)


def items(shots: Sequence[Shot]) -> Piece:
    """Records as list items, the image linked to the page."""
    inner = "".join(
        tag("li", {}, tag("a", {"href": shot.link}, img(shot, shot.copies[0], shot.name))
            + tag("strong", {}, escape(shot.name)) + record_words(shot))
        for shot in shots
    )  # fmt: skip
    shown = tuple(listed("card", shot) for shot in shots)
    return Piece(tag("ul", {"class": "catalogue"}, inner), record_text(shots), shown)


def flat(shots: Sequence[Shot]) -> Piece:
    """Records without any wrapper: heading, image, paragraphs, heading, image, …"""
    inner = "".join(
        f"<h3>{anchor(Link(shot.link, shot.name))}</h3>" + img(shot, shot.copies[0], "")
        + record_words(shot)
        for shot in shots
    )  # fmt: skip
    shown = tuple(listed("flat", shot) for shot in shots)
    return Piece(inner, record_text(shots), shown)


def rows(shots: Sequence[Shot]) -> Piece:
    """Records as table rows: the image in one cell, its words in the next."""
    inner = "".join(
        f"<tr><td>{img(shot, shot.copies[0], '')}</td><td>{anchor(Link(shot.link, shot.name))}<br>"
        f"{escape(shot.caption)}</td><td>{escape(shot.blurb)}</td></tr>"
        for shot in shots
    )
    shown = tuple(listed("cell", shot) for shot in shots)
    table = tag("table", {"border": 1, "cellpadding": 4}, inner)
    return Piece(table, record_text(shots), shown)


def names(shots: Sequence[Shot]) -> Piece:
    """Records without images: a list of links, each with a line of text."""
    inner = "".join(
        f"<li>{anchor(Link(shot.link, shot.name))} – {escape(shot.blurb)}</li>" for shot in shots
    )
    return Piece(f"<ul>{inner}</ul>", "\n".join(f"{s.name} {s.blurb}" for s in shots))


LISTS: dict[str, Callable[[Sequence[Shot]], Piece]] = {
    "cards": cards, "items": items, "flat": flat, "rows": rows, "names": names,
}  # fmt: skip
