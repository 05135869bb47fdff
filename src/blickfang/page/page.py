"""Reading a page: bytes of one answer → `Page`. The way in order: decode, guard, parse, read.

In: a `Response`, or just HTML. Out: a `Page` with its text, links and images and, for each image,
the text that belongs to it; a `Failure` only where there is nothing to read. What is over a limit
is cut and noted on the page.
"""

from collections.abc import Sequence
from dataclasses import replace

from blickfang.data import Failure, Image, Page, Response
from blickfang.page.about import read_about
from blickfang.page.contexts.choice import BEST, find_contexts, make_place
from blickfang.page.decode import decode_page, looks_binary
from blickfang.page.guard import guard_page
from blickfang.page.images import TEXTS, find_images, look_at_images
from blickfang.page.language import detect_language
from blickfang.page.links import find_home, find_links, read_targets
from blickfang.page.main import find_main_text
from blickfang.page.named import find_named
from blickfang.page.text import read_text
from blickfang.page.tree import Tree, read_tree

MAX_BYTES = 10_000_000  # of a page; the largest real ones have two million
SAMPLE_CHARS = 2000  # of the text, from which its language is guessed
SURE = 0.5


def parse_page(body: bytes, content_type: str | None = None) -> tuple[Tree, list[str]] | None:
    """Return the arrays of a page and what was cut or guessed; None for what is no page."""
    notes = []
    if len(body) > MAX_BYTES:
        body = body[:MAX_BYTES]
        notes.append(f"cut after {MAX_BYTES:,} bytes")
    if not body.strip() or looks_binary(body):
        return None
    decoded = decode_page(body, content_type)
    guarded = guard_page(decoded.data)
    return read_tree(guarded.data), [*notes, *decoded.notes, *guarded.notes]


def read(response: Response, methods: Sequence[str] = (BEST,)) -> Page | Failure:
    """Read the page that a server sent, with the text of each image by some methods."""
    parsed = parse_page(response.body, response.headers.get("content-type"))
    if parsed is None:
        reason = "binary, not a page" if response.body.strip() else "empty"
        return Failure(response.url, "page", reason)
    tree, notes = parsed
    base = find_home(tree, response.url)
    about = read_about(tree, base)
    base = base or about.canonical or ""  # a file from disk may still say where it comes from
    targets = read_targets(tree, base)
    shown = look_at_images(tree)
    place = make_place(tree, shown.nodes, shown.captions, shown.sizes)
    contexts = find_contexts(place, methods)
    main = find_main_text(tree)
    language = detect_language((main.text or read_text(tree))[:SAMPLE_CHARS])
    return Page(
        url=response.url,
        title=about.title,
        description=about.description,
        keywords=about.keywords,
        canonical=about.canonical,
        language=language[0] if language and language[1] >= SURE else about.language,
        declared_language=about.language,
        headings=about.headings,
        licences=about.licences,
        text=read_text(tree),
        main_text=main.text,
        words=tree.words.hashes,
        breaks=tree.words.breaks,
        links=find_links(tree, base, targets),
        images=_unite(
            find_images(tree, shown, base, targets, contexts),
            find_named(tree, base, about.metas, targets),
        ),
        notes=tuple(notes),
    )


def _unite(shown: list[Image], named: list[Image]) -> tuple[Image, ...]:
    """Return all images: those shown, and of those only named the ones not shown, each once.

    What a shown image links to is the same in large: it has the same texts.
    """
    seen = {image.url for image in shown}
    small = {image.link: image for image in reversed(shown) if image.link}
    fresh: dict[str | None, Image] = {}
    for image in named:
        twin = small.get(image.url or "")
        if image.url not in seen and image.url not in fresh:
            fresh[image.url] = image if twin is None else _enlarge(image, twin)
    return (*shown, *fresh.values())


def _enlarge(image: Image, small: Image) -> Image:
    """Give an image the texts of the small one that links to it, where it has none of its own."""
    texts = {key: getattr(image, key) or getattr(small, key) for key in TEXTS}
    own = {key for key in TEXTS if getattr(image, key)}
    taken = tuple(key for key in small.generated if key not in own)
    generated = (*image.generated, *taken)
    return replace(image, contexts=small.contexts, generated=generated, **texts)


def read_page(html: bytes | str, url: str = "", methods: Sequence[str] = (BEST,)) -> Page | Failure:
    """Read a page from its HTML; `methods` names the ways to find the text of its images."""
    body, headers = html, {}
    if isinstance(body, str):
        body = body.encode("utf-8", "replace")
        headers = {"content-type": "text/html; charset=utf-8"}
    return read(Response(url, 200, headers, body), methods)


def read_body_text(html: bytes) -> str | None:
    """Return only the text of a page; None for what is no page."""
    parsed = parse_page(html)
    return read_text(parsed[0]) if parsed else None
