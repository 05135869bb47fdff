"""Pages of a host: its plan goes in, a site with drafts, sketches and menu comes out.

A page is made of pieces, which know the text and the images they show, so that truth comes for
free; a sketch is an image before it is painted, a photo a sketch with words. The HTML stands in
data/pages.toml: `show_photo` fills its markups, `list_photos` its listings, `dress` its themes.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from html import escape
from random import Random
from urllib.parse import urlsplit

from blickfang.demo.grammar import (
    Facts,
    facts_about,
    lexicon,
    paragraph,
    read_toml,
    say,
    seeded,
)
from blickfang.demo.plans import HostPlan

SUFFIXES = {"JPEG": "jpg", "PNG": "png", "GIF": "gif", "WEBP": "webp"}
PAGES = read_toml("pages")
MARKUPS = {name: html for group in PAGES["markups"].values() for name, html in group.items()}
TEXTS = read_toml("words")
WORDS: dict[str, dict[str, str]] = TEXTS["words"]
PER_LISTING = 12
LETTERS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "é": "e", "'": "", "’": ""})


@dataclass(frozen=True, slots=True)
class Sketch:
    """All that decides the bytes of one image; so light that a whole web of them costs nothing."""

    url: str
    motif: str
    topic: str
    facts: tuple[tuple[str, str], ...]  # what the motif shows: colours, hour, shape, …
    seed: str  # decides everything the facts leave open
    width: int
    height: int
    format: str  # PNG, JPEG, GIF, WEBP
    original: "Sketch | None" = None  # the picture this one is a changed copy of
    change: str = ""  # a key of blickfang.demo.motifs.CHANGES

    def copy(self, url: str, change: str, width: int, kind: str = "") -> "Sketch":
        """Sketch a changed copy of the picture, at a given width."""
        height = round(width * self.height / self.width)
        looks = self.motif, self.topic, self.facts, self.seed
        return Sketch(url, *looks, width, height, kind or self.format, self, change)


@dataclass(frozen=True, slots=True)
class Photo:
    """A picture with all that a page may say about it."""

    sketch: Sketch
    caption: str
    name: str  # a short name: headings, poor alt texts
    copies: tuple[Sketch, ...] = ()  # smaller ones, for srcset, thumbnails, cards
    link: str = ""  # the page about it
    blurb: str = ""
    sized: bool = True  # whether the page states width and height


@dataclass(frozen=True, slots=True)
class Anchor:
    """A link as one page writes it."""

    url: str
    text: str
    rel: str = ""


@dataclass(frozen=True, slots=True)
class ShownImage:
    """An image as one piece shows it."""

    image: str
    markup: str
    caption: str
    record: tuple[str, ...] = ()  # name, caption and blurb, where a listing shows it


@dataclass(frozen=True, slots=True)
class PagePiece:
    """A stretch of HTML, its plain text, the images in it, and what it adds to the page's head."""

    html: str
    text: str = ""
    shown: tuple[ShownImage, ...] = ()
    head: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """A page before its site's theme is put around it."""

    url: str
    topic: str
    language: str
    kind: str
    title: str
    pieces: Sequence[PagePiece]
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
    def shown(self) -> tuple[ShownImage, ...]:
        """Every image the page's pieces show."""
        return tuple(shown for piece in self.pieces for shown in piece.shown)


@dataclass(frozen=True, slots=True)
class Site:
    """One host, ready to be served."""

    plan: HostPlan
    drafts: tuple[Draft, ...]  # the start page first
    sketches: tuple[Sketch, ...]
    menu: tuple[Anchor, ...]
    papers: tuple[tuple[str, str], ...] = ()  # PDF files: address and bytes as text


def local(url: str) -> str:
    """Return a URL as its own host writes it: from the root."""
    parts = urlsplit(url)
    return parts.path + (f"?{parts.query}" if parts.query else "")


def heading(level: int, text: str) -> PagePiece:
    """A heading."""
    return PagePiece(f"<h{level}>{escape(text)}</h{level}>", text)


def prose(text: str, links: Mapping[str, str] | None = None) -> PagePiece:
    """A paragraph; the first time each name in `links` occurs it becomes a link.

    >>> prose("salt & pepper", {"pepper": "/p.html"}).html
    '<p>salt &amp; <a href="/p.html">pepper</a></p>'
    """
    inner = escape(text)
    for name, url in (links or {}).items():
        inner = inner.replace(escape(name), write_link(Anchor(url, name)), 1)
    return PagePiece(f"<p>{inner}</p>", text)


def write_link(link: Anchor) -> str:
    """Write a link."""
    rel = f' rel="{escape(link.rel)}"' if link.rel else ""
    return f'<a href="{escape(link.url)}"{rel}>{escape(link.text)}</a>'


def link_list(title: str, links: Sequence[Anchor], css: str = "links") -> PagePiece:
    """A titled list of links; its words are furniture, not main text."""
    items = "".join(f"<li>{write_link(link)}</li>" for link in links)
    return PagePiece(f'<div class="{css}"><h4>{escape(title)}</h4><ul>{items}</ul></div>')


def facts_table(rows: Sequence[tuple[str, str]]) -> PagePiece:
    """A table of names and values."""
    cells = "".join(f"<tr><th>{escape(k)}</th><td>{escape(v)}</td></tr>" for k, v in rows)
    text = "\n".join(f"{name} {value}" for name, value in rows)
    return PagePiece(f'<table class="facts">{cells}</table>', text)


def show_photo(markup: str, photo: Photo) -> PagePiece:
    """Show a picture and its words in one of the ways of `MARKUPS`."""
    html = MARKUPS[markup].format_map(values_of(photo))
    every = (*photo.copies, photo.sketch)
    shown = tuple(ShownImage(sketch.url, markup, photo.caption) for sketch in every)
    if "{blank}" in MARKUPS[markup]:
        blank = decor_of(urlsplit(photo.sketch.url).netloc)["blank"]
        shown += (ShownImage(blank.url, "decoration", ""),)
    if markup in PAGES["markups"]["head"]:
        return PagePiece("", "", shown, html)
    return PagePiece(html, photo.caption if markup in PAGES["markups"]["text"] else "", shown)


def list_photos(listing: str, photos: Sequence[Photo]) -> PagePiece:
    """Show pictures and their words as the records of a listing."""
    how = PAGES["listings"][listing]
    records = "".join(how["record"].format_map(values_of(photo)) for photo in photos)
    html = how["page"].format(records=records)
    if "markup" not in how:
        return PagePiece(html, "\n".join(f"{photo.name} {photo.blurb}" for photo in photos))
    words = [(photo.name, photo.caption, photo.blurb) for photo in photos]
    shown = tuple(
        ShownImage(photo.copies[0].url, how["markup"], photo.caption, record)
        for photo, record in zip(photos, words, strict=True)
    )
    return PagePiece(html, "\n".join(map("\n".join, words)), shown)


def values_of(photo: Photo) -> dict[str, str]:
    """Return what stands in the braces of markups and listings."""
    sketch, src = photo.sketch, local(photo.sketch.url)
    thumb = photo.copies[0] if photo.copies else sketch
    stem = src.strip("/").rsplit(".", 1)[0]
    name = stem.rsplit("/", 1)[-1]
    return {
        "url": escape(sketch.url),
        "src": src,
        "size": size_of(sketch) if photo.sized else "",
        "thumb": local(thumb.url),
        "thumb_size": size_of(thumb) if photo.sized else "",
        "blank": "/static/blank.gif",
        "widths": ", ".join(f"{local(it.url)} {it.width}w" for it in (*photo.copies, sketch)),
        "sources": "".join(
            f'<source media="(max-width: {copy.width}px)" srcset="{local(copy.url)}">'
            for copy in photo.copies
        ),
        "machine": name if "IMG_" in stem else re.sub(r"[^a-z0-9]+", " ", stem),
        "stem": name,
        "row_break": "</tr><tr>" if sketch.width >= 500 else "",
        "name": escape(photo.name),
        "caption": escape(photo.caption),
        "blurb": escape(photo.blurb),
        "link": photo.link,
    }


def size_of(sketch: Sketch) -> str:
    """Write the attributes for an image's size."""
    return f' width="{sketch.width}" height="{sketch.height}"'


@cache
def decor_of(host: str) -> dict[str, Sketch]:
    """Sketch what themes put on a host's pages, by name: logo, icon, banner, and the stand-in."""
    decor = {}
    for name, look in PAGES["decor"].items():
        file = f"{name}.{look['format'].lower()}"
        url, seed = f"http://{host}/static/{file}", f"{host}/{file}"
        decor[name] = Sketch(url=url, topic="decoration", facts=(), seed=seed, **look)
    return decor


def shown_decor(draft: Draft, site: Site) -> dict[str, Sketch]:
    """Return the decoration images that stand on a page, by name."""
    html = PAGES["themes"][draft.theme or site.plan.theme]["page"]
    decor = decor_of(site.plan.host)
    return {name: sketch for name, sketch in decor.items() if f"{{{name}}}" in html}


def dress(draft: Draft, site: Site) -> str:
    """Write the whole document of a draft in its theme."""
    theme = PAGES["themes"][draft.theme or site.plan.theme]
    title, name = escape(draft.title), escape(site.plan.name)
    decor = {
        key: f'<img src="{local(sketch.url)}"{size_of(sketch)} alt="{name}">'
        for key, sketch in shown_decor(draft, site).items()
    }
    page = theme["page"].format(
        body="\n".join(piece.html for piece in draft.pieces),
        menu=theme["between"].join(map(write_link, site.menu)),
        site=name,
        title=title,
        motto=escape(site.plan.motto),
        kind=draft.kind,
        words=WORDS[draft.language],
        **decor,
    )
    charset = f'<meta charset="{draft.charset}">' if draft.says_charset else ""
    document: str = PAGES["document"]
    return document.format(
        language=draft.language, charset=charset, title=title, site=name, head=draft.head, page=page
    )


@dataclass(frozen=True, slots=True)
class Thing:
    """Something a site has a page about."""

    facts: Facts
    url: str
    photos: Sequence[tuple[str, Photo]]  # with the markup each is shown in

    @property
    def name(self) -> str:
        """What it is called."""
        return self.facts["name"]

    @property
    def view(self) -> Facts:
        """Its facts, and what its first picture shows."""
        return dict(self.photos[0][1].sketch.facts)

    @property
    def link(self) -> Anchor:
        """A link to its page."""
        return Anchor(local(self.url), self.name)


def build_site(plan: HostPlan, seed: int) -> Site:
    """Make a host from its plan."""
    random = seeded(f"site/{seed}/{plan.host}")
    writer = SiteWriter(plan, random)
    small = [list_photo(plan, thing) for thing in writer.things]
    articles = [writer.article(number) for number in range(plan.articles)]
    listings = writer.listings(small)
    content = [writer.content_page(number) for number in range(len(writer.things))]
    start = writer.start_page(articles, listings)
    fixed = [writer.boilerplate(key) for key in ("about", "contact", "privacy")]
    photos = [photo for thing in writer.things for _, photo in thing.photos] + small
    sketches = dict.fromkeys(it for photo in photos for it in (photo.sketch, *photo.copies))
    menu = [Anchor("/", writer.words["home"])]
    menu.append(Anchor(local(listings[0].url), writer.words["all"]))
    menu += [Anchor(local(page.url), page.title) for page in (*articles[:2], *fixed)]
    return Site(plan, (start, *listings, *content, *articles, *fixed), tuple(sketches), tuple(menu))


class SiteWriter:
    """Writes the pages of one host; what is left to chance is drawn in the order of the calls."""

    def __init__(self, plan: HostPlan, random: Random) -> None:
        self.plan, self.random = plan, random
        self.lexicon = lexicon(plan.lexicon)
        self.words = WORDS[self.lexicon.language]
        rows = self.lexicon.rows[plan.first : plan.first + plan.count]
        self.things = [self.draw_thing(number, row) for number, row in enumerate(rows)]

    def draw_thing(self, number: int, row: Facts) -> Thing:
        """Make one thing of a host and take its pictures."""
        facts = facts_about(self.lexicon, row)
        count = 1 + self.random.randrange(self.plan.pictures)
        photos = [take_photo(self.plan, facts, (number, i), self.random) for i in range(count)]
        url = f"http://{self.plan.host}/{self.plan.folder}/{slug(row['name'])}.html"
        return Thing(facts, url, photos)

    def draft(self, path: str, kind: str, title: str, pieces: Sequence[PagePiece]) -> Draft:
        """Fill in a draft what its site decides."""
        head, url = "".join(piece.head for piece in pieces), f"http://{self.plan.host}{path}"
        subject = self.lexicon.topic, self.lexicon.language
        return Draft(url, *subject, kind, title, pieces, head, charset=self.plan.charset)

    def section(self, key: str, facts: Facts, links: Sequence[Thing]) -> list[PagePiece]:
        """Write a heading and a paragraph, in which the names of some things are links."""
        title = say(self.lexicon, self.lexicon.sections[key].heading, facts, self.random)
        text = paragraph(self.lexicon, key, facts, self.random, self.plan.sentences)
        return [heading(2, title), prose(text, {it.name: it.link.url for it in links})]

    def content_page(self, number: int) -> Draft:
        """Write the page about one thing, its pictures between the paragraphs."""
        things = self.things
        thing, other = things[number], things[(number * 5 + 3) % len(things)]
        facts = {**thing.facts, "other": other.name, **thing.view}
        pieces = [heading(1, thing.name)]
        if self.plan.table:
            pieces.append(facts_table([(self.words[key], facts[key]) for key in self.plan.table]))
        pictures = [show_photo(markup, photo) for markup, photo in thing.photos]
        for place, key in enumerate(self.plan.sections):
            pieces += self.section(key, facts, [other] if other is not thing else [])
            pieces += pictures[place : place + 1]
        related = [other.link]
        for label, near in (("previous", number - 1), ("next", (number + 1) % len(things))):
            link = things[near].link
            related.append(Anchor(link.url, f"{self.words[label]}: {link.text}"))
        pieces.append(link_list(self.words["latest"], related, "related"))
        return self.draft(local(thing.url), "content", thing.name, pieces)

    def article(self, number: int) -> Draft:
        """Write an article: the same sentences, but about several things."""
        title, keys = self.lexicon.articles[number % len(self.lexicon.articles)]
        pieces = [heading(1, title)]
        for key in (*keys.split(), self.plan.sections[0]):
            one, other = self.random.sample(self.things, 2)
            pieces += self.section(key, {"other": other.name, **one.view}, [one, other])
        return self.draft(f"/articles/{slug(title)}.html", "content", title, pieces)

    def listings(self, photos: Sequence[Photo]) -> list[Draft]:
        """Write the listing pages, a dozen records each."""
        starts = range(0, len(photos), PER_LISTING)
        paths = [f"/{self.plan.folder}/index{place or ''}.html" for place in range(len(starts))]
        pager = [Anchor(path, str(place)) for place, path in enumerate(paths, 1)]
        drafts = []
        for start, link in zip(starts, pager, strict=True):
            title = f"{self.words['all']}, {self.words['page']} {link.text}"
            records = list_photos(self.plan.listing, photos[start : start + PER_LISTING])
            pieces = [heading(1, title), records, link_list(self.words["page"], pager, "pager")]
            drafts.append(self.draft(link.url, "listing", title, pieces))
        return drafts

    def start_page(self, articles: Sequence[Draft], listings: Sequence[Draft]) -> Draft:
        """Write the start page: who we are, and ways into the site."""
        plan, words, random = self.plan, self.words, seeded(f"start/{self.plan.host}")
        facts = {"other": self.things[-1].name, **self.things[0].view}
        welcome = paragraph(self.lexicon, plan.sections[0], facts, random, 3)
        titles = [Anchor(local(article.url), article.title) for article in articles]
        pieces = [
            heading(1, plan.name),
            prose(plan.motto),
            prose(welcome),
            link_list(words["latest"], [thing.link for thing in self.things[:6]]),
            link_list(words["articles"], titles),
            # A worthless text on purpose: only the page around the link says where it leads.
            link_list(words["all"], [Anchor(local(listings[0].url), words["more"])]),
        ]
        return self.draft("/", "start", plan.name, pieces)

    def boilerplate(self, key: str) -> Draft:
        """Write an about, contact or privacy page."""
        texts = TEXTS["boilerplate"][self.lexicon.language][key]
        pieces = [heading(1, self.words[key])]
        pieces += [prose(it.format(site=self.plan.name, motto=self.plan.motto)) for it in texts]
        page = self.draft(f"/{key}.html", "boilerplate", self.words[key], pieces)
        if key != self.plan.noindex:
            return page
        head = '<meta name="robots" content="noindex">'
        return replace(page, head=head, opt_out="noindex")


def slug(name: str) -> str:
    """Turn a name into a file name.

    >>> slug("St Brannoc's Große Düne")
    'st-brannocs-grosse-duene'
    """
    return re.sub(r"[^a-z0-9]+", "-", name.lower().translate(LETTERS)).strip("-")


def take_photo(
    plan: HostPlan, facts: Facts, place: tuple[int, int], random: Random
) -> tuple[str, Photo]:
    """Sketch picture number `place[1]` of thing number `place[0]`; return it with its markup."""
    known, (thing, number) = lexicon(plan.lexicon), place
    # What one picture shows beside the facts: hour, weather, side.
    seen = {**facts, **{view: random.choice(given) for view, given in known.views.items()}}
    caption = say(known, random.choice(known.captions), seen, random)
    markup = plan.markups[(thing + number) % len(plan.markups)]
    width, height = map(int, plan.sizes[(thing + 2 * number) % len(plan.sizes)].split("x"))
    kind = plan.formats[(thing + number) % len(plan.formats)]
    url = f"http://{plan.host}{image_path(plan, facts['name'], caption, place)}.{SUFFIXES[kind]}"
    shown = known.motif, known.topic, tuple(seen.items()), url
    sketch = Sketch(url, *shown, width, height, kind)
    blurb = say(known, random.choice(known.blurbs), seen, random)
    copies = markup_copies(sketch, markup)
    return markup, Photo(sketch, caption, facts["name"], copies, blurb=blurb, sized=plan.sized)


def image_path(plan: HostPlan, name: str, caption: str, place: tuple[int, int]) -> str:
    """Name an image file as its host does: by its words, by the camera, by the upload folder."""
    thing, number = place
    if plan.file_names == "numbers":
        return f"/images/IMG_{2000 + 17 * thing + number}"
    if plan.file_names == "uploads":
        month = f"{2012 + thing % 8}/{1 + (thing * 5 + number) % 12:02}"
        return f"/wp-content/uploads/{month}/{slug(name)}-{thing:02}{number}"
    return f"/images/{'-'.join(slug(caption).split('-')[:6])}-{thing:02}{number}"


def markup_copies(sketch: Sketch, markup: str) -> tuple[Sketch, ...]:
    """Sketch the smaller copies a markup needs."""
    stem, suffix = sketch.url.rsplit(".", 1)
    if markup == "srcset":
        widths = (sketch.width // 4, sketch.width // 2)
        return tuple(sketch.copy(f"{stem}-{w}w.{suffix}", "resized", w) for w in widths)
    if markup == "picture":
        width = sketch.width // 2
        return (sketch.copy(f"{stem}-{width}w.webp", "reencoded", width, "WEBP"),)
    if markup == "linked":
        return (sketch.copy(f"{stem}-150x113.{suffix}", "resized", 150),)
    return ()


def list_photo(plan: HostPlan, thing: Thing) -> Photo:
    """Make a listing's photo of a page's first picture: a small copy, linked to the page."""
    first = replace(thing.photos[0][1], copies=(), link=thing.link.url)
    if "width" not in PAGES["listings"][plan.listing]:
        return first
    stem, suffix = first.sketch.url.rsplit(".", 1)
    width = min(PAGES["listings"][plan.listing]["width"], first.sketch.width * 3 // 4)
    return replace(first, copies=(first.sketch.copy(f"{stem}-small.{suffix}", "resized", width),))
