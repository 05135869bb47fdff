"""Reading a page: bytes of one answer → `Page`. The way in order: decode, guard, parse, read.

In: a `Response`, or just HTML. Out: a `Page` with its text, links and images and, for each image,
the text that belongs to it; a `Failure` only where there is nothing to read. What is over a limit
is cut and noted on the page.
"""

import gc
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from blickfang.html.contexts.layout_method import find_emphasised_words
from blickfang.html.contexts.registry import (
    BEST,
    METHODS,
    PageImages,
    find_best_words,
    find_contexts,
    make_place,
)
from blickfang.html.decode import decode_page, looks_binary
from blickfang.html.guard import guard_page
from blickfang.html.images.image_position import find_no_places, find_places
from blickfang.html.images.images import MAX_IMAGES, TEXTS, Contexts, find_images, look_at_images
from blickfang.html.images.unshown_images import add_told, find_named
from blickfang.html.layout.boxes import Boxes
from blickfang.html.links import LinkTargets, find_home, find_links, follow, read_references
from blickfang.html.main_text import NO_MAIN_TEXT, MainText, find_main_text
from blickfang.html.metadata import (
    About,
    add_stated,
    find_held_terms,
    find_sent,
    glance_about,
    read_about,
    read_headings,
    read_title,
)
from blickfang.html.parse.tree import Tree, read_tree, slice_text
from blickfang.text.language import detect_language
from blickfang.text.words import Hashes, read_encoded
from blickfang.types import Failure, Image, Link, Page, Response


def read_text(tree: Tree) -> str:
    """Return all visible text of a page."""
    return slice_text(tree, 0, len(tree.text))


Measure = Callable[[Tree], Boxes]


class WantedParts(NamedTuple):
    """What of a page is read."""

    texts: bool = True
    images: bool = True


WHOLE = WantedParts()
NO_WORDS = np.empty(0, np.uint64)
NO_PARTS = np.empty((0, 2), np.int32)

MAX_BYTES = 10_000_000  # of a page; the largest real ones have two million
SAMPLE_CHARS = 2000  # of the text, from which its language is guessed
SURE = 0.5


def parse_page(body: bytes, content_type: str | None = None) -> tuple[Tree, list[str]] | None:
    """Return the arrays of a page and what was cut or guessed; None for what is no page."""
    notes = []
    if len(body) > MAX_BYTES:
        body = body[:MAX_BYTES]
        notes.append(f"cut after {MAX_BYTES:,} bytes")
    if not body or body.isspace() or looks_binary(body, content_type):
        return None
    decoded = decode_page(body, content_type)
    guarded = guard_page(decoded.data)
    tree = read_tree(guarded.data, canonical=guarded.canonical)
    return tree, [*notes, *decoded.notes, *guarded.notes]


class PausedCollector:
    """Keeps Python from looking for cycles: a page makes many objects, and no cycles.

    On a page with 50,000 images it would go through all of them again and again.
    """

    __slots__ = ("was_on",)

    def __enter__(self) -> None:
        self.was_on = gc.isenabled()
        gc.disable()

    def __exit__(self, *_: object) -> None:
        if self.was_on:
            gc.enable()


def read(
    response: Response, methods: Sequence[str] = (BEST,), measure: Measure | None = None
) -> Page | Failure:
    """Read the page that a server sent, with the text of each image by some methods.

    `measure` gives boxes for the layout methods (html/layout/browser_layout.py); else they are
    estimated.
    """
    with PausedCollector():
        return _read(response, methods, measure, WHOLE)


def glance(response: Response, *, images: bool = True) -> Page | Failure:
    """Read of a page only what a crawl goes by: title, words, links, images with their best texts.

    All texts are left out, those of links and captions too, and on demand its images.
    """
    with PausedCollector():
        return _read(response, (BEST,), None, WantedParts(texts=False, images=images))


def _read(
    response: Response, methods: Sequence[str], measure: Measure | None, wanted: WantedParts
) -> Page | Failure:
    parsed = parse_page(response.body, response.headers.get("content-type"))
    if parsed is None:
        return Failure(response.url, "page", "binary or empty, not a page")
    tree, notes = parsed
    headings = read_headings(tree) if wanted.texts else []
    about, targets, base = _find_out(tree, response.url, headings, wanted)
    about = add_stated(about, response.headers, response.url, whole=wanted.texts)
    text, main, language = _read_texts(tree) if wanted.texts else ("", NO_MAIN_TEXT, None)
    find_texts = partial(find_contexts, methods=methods) if wanted.texts else find_best_words
    images: tuple[Image, ...] = ()
    if wanted.images:
        sought = about, targets, base, find_texts, measure, headings, main
        images, left_out = _read_images(tree, *sought)
        notes = [*notes, *left_out]
    return Page(
        url=response.url,
        title=about.title,
        description=about.description,
        keywords=about.keywords,
        canonical=about.canonical,
        language=language or about.language,
        declared_language=about.language,
        headings=about.headings,
        licences=about.licences,
        metas=about.metas,
        text=text,
        main_text=main.text,
        words=tree.words.hashes,
        breaks=tree.words.breaks,
        compared=NO_WORDS if wanted.texts else _read_compared(tree),
        emphasised=find_emphasised_words(tree) if wanted.texts else NO_PARTS,
        links=_find_links(tree, response, base, targets, with_anchors=wanted.texts),
        images=images,
        notes=tuple(notes),
        terms=about.terms,
    )


def _find_out(
    tree: Tree, url: str, headings: list[str], wanted: WantedParts
) -> tuple[About, LinkTargets, str]:
    """Return what a page says of itself, where references lead, what they are relative to."""
    home, references = find_home(tree, url), read_references(tree)
    targets = follow(tree, references, home) if home else None
    if wanted.texts:
        about = read_about(tree, home, references, headings, targets.urls if targets else ())
    else:
        about = glance_about(tree, home, references)
    if held := find_held_terms(tree, url, home, references):
        about = about._replace(terms=(*about.terms, *held))
    base = home or about.canonical or ""  # a file from disk may still say where it comes from
    return about, targets or follow(tree, references, base), base


def _find_links(
    tree: Tree, response: Response, base: str, targets: LinkTargets, *, with_anchors: bool
) -> tuple[Link, ...]:
    """Return where a page and its headers lead."""
    links = find_links(tree, base, targets, with_anchors=with_anchors)
    sent = find_sent(response.headers, response.url) if "refresh" in response.headers else ()
    return (*sent, *links) if sent else links


def _read_compared(tree: Tree) -> Hashes:
    """Return the words with digits: pages that differ in numbers only are not alike."""
    return read_encoded(tree.words.data, digits=True).hashes


def _read_texts(tree: Tree) -> tuple[str, MainText, str | None]:
    """Return all text of a page, its main text, and their language."""
    text, main = read_text(tree), find_main_text(tree)
    return text, main, _guess_language(main.text or text)


def _read_images(
    tree: Tree,
    about: About,
    targets: LinkTargets,
    base: str,
    find_texts: Callable[[PageImages], Contexts],
    measure: Measure | None,
    headings: list[str],
    main: MainText,
) -> tuple[tuple[Image, ...], list[str]]:
    """Return the images of a page with the texts that are found for them, and notes."""
    shown, with_texts = look_at_images(tree), main is not NO_MAIN_TEXT
    nodes, clues = shown.nodes, shown.clues
    boxes = measure and measure(tree)
    place = make_place(
        *(tree, nodes, shown.captions, clues.widths, clues.heights, boxes),
        shown.pointed.captions,
    )
    contexts = find_texts(place)
    places = find_places(tree, nodes, headings, main) if with_texts else find_no_places(len(nodes))
    images = find_images(tree, shown, targets, contexts, places, with_texts=with_texts)
    urls = {image.url for image in images}
    found = find_named(tree, base, about.pictures, targets, urls, with_texts=with_texts)
    named, notes, told = found
    if told:
        images = [add_told(one, told[one.url]) if one.url in told else one for one in images]
    return _unite(images, named), [*_note_images(tree), *notes]


def _note_images(tree: Tree) -> list[str]:
    """Return what is left out of too many images."""
    count = len(tree.census.images)
    return [f"only {MAX_IMAGES:,} of {count:,} images are read"] if count > MAX_IMAGES else []


def _guess_language(text: str) -> str | None:
    """Return the language of a text, if that is likely enough."""
    language = detect_language(text[:SAMPLE_CHARS])
    return language[0] if language and language[1] >= SURE else None


def _unite(shown: list[Image], named: list[Image]) -> tuple[Image, ...]:
    """Return all images: those shown, and behind them those only named.

    What a shown image links to is the same in large: it has the same texts, and the same place.
    """
    if not named:
        return tuple(shown)
    small = {image.link: image for image in reversed(shown) if image.link}
    twins = (small.get(image.url or "") for image in named)
    pairs = zip(named, twins, strict=True)
    return (*shown, *(_enlarge(image, twin) if twin else image for image, twin in pairs))


def _enlarge(image: Image, small: Image) -> Image:
    """Give an image the place of the small one that links to it, and texts where it has none."""
    texts = {key: getattr(image, key) or getattr(small, key) for key in TEXTS}
    own = {key for key in TEXTS if getattr(image, key)}
    taken = tuple(key for key in small.generated if key not in own)
    generated = (*image.generated, *taken)
    return image._replace(
        contexts=small.contexts, generated=generated, position=small.position, **texts
    )


def read_page(
    html: bytes | bytearray | str, url: str = "", methods: str | Sequence[str] = (BEST,)
) -> Page | Failure:
    """Read a page from its HTML; `methods` names ways to find the text of its images, or all."""
    if isinstance(html, str) and html.strip():
        html = "\ufeff" + html  # its characters are known: nothing shall be guessed from its bytes
    body = html.encode("utf-8", "surrogatepass") if isinstance(html, str) else bytes(html)
    return read(Response(url, 200, {}, body), choose_methods(methods))


def choose_methods(named: str | Sequence[str]) -> Sequence[str]:
    """Return the methods that are named, one or several; "all" is every one."""
    asked = (named,) if isinstance(named, str) else named
    return METHODS if tuple(asked) == ("all",) else asked


def read_body_text(html: bytes) -> str | None:
    """Return only the text of a page; None for what is no page."""
    parsed = parse_page(html)
    return read_text(parsed[0]) if parsed else None


def read_titled_text(html: bytes) -> str | None:
    """Return the title and the text of a page: what a topic is learned from."""
    parsed = parse_page(html)
    return f"{read_title(parsed[0])}\n{read_text(parsed[0])}".strip() if parsed else None
