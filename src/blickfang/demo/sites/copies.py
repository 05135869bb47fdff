"""Near-duplicates: a Site goes in; print versions, a mirror, session copies, reposts come out."""

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from urllib.parse import urlsplit

from blickfang.demo.drawing.sketch import SUFFIXES, Sketch, copy_of
from blickfang.demo.sites.captions import Shot, figure, local
from blickfang.demo.sites.compose import Site, decor_of
from blickfang.demo.sites.pieces import Draft, Link, Piece, Shown, heading, link_list, prose

PRINTED = 8  # how many pages of the almanac have a print version
MIRRORED = 12  # how many pages the mirror copies

# What the mirror's editor changed. Every phrase has a blank in it, so no address is ever touched.
EDITS = (
    ("nautical miles", "sea miles"),
    (" metres high", " m high"),
    (" built of ", " made of "),
    ("The keepers ", "The two keepers "),
    ("On a clear night ", "In clear weather "),
    ("was lit for the first time ", "was first lit "),
)
# How a reposted image differs from its original: change, share of the width, format or "".
REPOSTS = (
    ("watermarked", 1.0, ""),
    ("resized", 0.8, ""),
    ("cropped", 1.0, ""),
    ("brighter", 1.0, ""),
    ("reencoded", 1.0, "PNG"),
    ("reencoded", 1.0, "WEBP"),
)


def with_prints(site: Site) -> Site:
    """Add print versions of some pages, each with a canonical link, and links to them."""
    drafts: list[Draft] = []
    prints: list[Draft] = []
    for draft in site.drafts:
        if draft.kind != "content" or len(prints) == PRINTED:
            drafts.append(draft)
            continue
        url = draft.url.replace(f"{site.host}/", f"{site.host}/print/")
        note = link_list("Tools", [Link(local(url), "Print this page", "nofollow")], "tools")
        drafts.append(replace(draft, pieces=(*draft.pieces, note)))
        head = f'<link rel="canonical" href="{draft.url}">'
        prints.append(
            replace(
                draft, url=url, kind="duplicate", theme="print", head=head, duplicate_of=draft.url
            )
        )
    return replace(site, drafts=(*drafts, *prints))


def mirror_of(site: Site, host: str, name: str) -> Site:
    """Make a mirror: a dozen pages with small edits, their images changed in many ways."""
    originals = [draft for draft in site.drafts if draft.kind == "content"][:MIRRORED]
    known = {sketch.url: sketch for sketch in site.sketches}
    wanted = dict.fromkeys(shown.image for draft in originals for shown in draft.shown)
    images = {
        url: repost(known[url], f"http://{host}{urlsplit(url).path}", number)
        for number, url in enumerate(wanted)
        if url in known
    }
    pages = [mirror_page(draft, site.host, host, images) for draft in originals]
    links = [Link(local(page.url), page.title) for page in pages]
    pieces = (
        heading(1, name),
        prose("A friendly mirror of pages about lighthouses, kept in case the original goes dark."),
        link_list("Mirrored pages", links),
    )
    start = Draft(f"http://{host}/", site.topic, site.language, "start", name, pieces)
    return Site(
        host=host,
        name=name,
        motto="A friendly mirror",
        topic=site.topic,
        language=site.language,
        theme="plain",
        drafts=(start, *pages),
        sketches=tuple(images.values()),
        menu=(Link("/", "Mirror"),),
        decor=decor_of(host),
    )


def repost(sketch: Sketch, url: str, number: int) -> Sketch:
    """Sketch a changed copy of an image, changed in the way that is this number's turn."""
    change, share, kind = REPOSTS[number % len(REPOSTS)]
    if kind and kind != sketch.format:
        url = url.rsplit(".", 1)[0] + "." + SUFFIXES[kind]
    elif kind:
        change = "brighter"
    return copy_of(sketch, url, change, round(sketch.width * share), kind)


def mirror_page(draft: Draft, host: str, to: str, images: dict[str, Sketch]) -> Draft:
    """Copy one page to the mirror."""
    pieces = tuple(mirror_piece(piece, images) for piece in draft.pieces)
    note = prose(f"Mirrored with thanks from {host}.")
    url = draft.url.replace(host, to)
    head = "".join(piece.head for piece in pieces)
    return replace(
        draft, url=url, kind="duplicate", duplicate_of=draft.url, pieces=(*pieces, note), head=head
    )


def mirror_piece(piece: Piece, images: dict[str, Sketch]) -> Piece:
    """Copy one piece: edited words, the mirror's own images."""
    html = edit(piece.html)
    for url, copy in images.items():
        html = html.replace(f'"{local(url)}"', f'"{local(copy.url)}"')
        html = html.replace(f"{local(url)} ", f"{local(copy.url)} ")
    shown = tuple(Shown(images[it.image].url, it.markup, edit(it.caption)) for it in piece.shown)
    return Piece(html, edit(piece.text), shown)


def edit(text: str) -> str:
    """Apply the mirror's small edits."""
    for old, new in EDITS:
        text = text.replace(old, new)
    return text


def with_gallery(site: Site, friend: Site) -> Site:
    """Add a gallery page of a friend's pictures, each changed a little."""
    # The last ones, since the mirror takes the first: no image is changed twice in the same way.
    wanted = [(sketch, shown) for sketch, shown in captioned(friend) if sketch.width >= 400][-9:]
    sketches, pieces = [], [heading(1, f"Pictures from {friend.name}")]
    for number, (sketch, shown) in enumerate(wanted):
        stem = sketch.url.rsplit("/", 1)[1]
        copy = repost(sketch, f"http://{site.host}/gallery/{stem}", number)
        sketches.append(copy)
        pieces.append(figure(Shot(copy, f"{shown.caption}. Photo: {friend.name}", "Guest photo")))
    links = [Link(f"http://{friend.host}/", friend.name)]
    pieces.append(link_list("Taken from", links))
    url = f"http://{site.host}/gallery/friends.html"
    title = f"Pictures from {friend.name}"
    page = Draft(url, site.topic, site.language, "listing", title, tuple(pieces))
    menu = (*site.menu, Link(local(url), title))
    return replace(
        site, drafts=(*site.drafts, page), sketches=(*site.sketches, *sketches), menu=menu
    )


def captioned(site: Site) -> Sequence[tuple[Sketch, Shown]]:
    """Return a host's original pictures, each with one place where it is shown."""
    known = {sketch.url: sketch for sketch in site.sketches if sketch.original is None}
    first: dict[str, Shown] = {}
    for shown in (shown for draft in site.drafts for shown in draft.shown):
        first.setdefault(shown.image, shown)
    return [(known[url], shown) for url, shown in first.items() if url in known]


def session_id(seen: str, path: str) -> str:
    """Return the session id that a link to a path carries, on a page asked for with another."""
    return sha256(f"{seen}>{path}".encode()).hexdigest()[:10]


def session_copies(site: Site) -> tuple[Draft, ...]:
    """List the session copies one click from the menu, and the pages one click further."""
    by_path = {local(draft.url): draft for draft in site.drafts}
    listing = next(link.url for link in site.menu if "index" in link.url)
    first = session_id("", listing)
    further = [path for path, draft in by_path.items() if draft.kind == "content"][:6]
    paths = [(listing, first)] + [(path, session_id(first, path)) for path in further]
    return tuple(
        replace(
            by_path[path], url=f"{by_path[path].url}?sid={sid}", kind="duplicate",
            duplicate_of=by_path[path].url,
        )
        for path, sid in paths
    )  # fmt: skip
