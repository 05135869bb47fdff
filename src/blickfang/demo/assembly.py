"""All hosts together: a seed goes in; sites with copies, links between them and oddities come out.

Near-duplicates are print versions, a mirror, galleries of a friend's pictures, session copies. The
directory leads to nearly all hosts; a research institute lists publications in four styles.
"""

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from hashlib import sha256
from html import escape
from urllib.parse import urlsplit

from blickfang.demo.compose import (
    PAGES,
    SUFFIXES,
    Anchor,
    Draft,
    PagePiece,
    Photo,
    ShownImage,
    Site,
    Sketch,
    build_site,
    heading,
    link_list,
    local,
    prose,
    show_photo,
    slug,
)
from blickfang.demo.grammar import lexicon, say, seeded
from blickfang.demo.plans import HUB_HOST, INSTITUTE, ODDITIES, PLANS, QUIRKS, HostPlan
from blickfang.demo.truth import RecordTruth

Swaps = Sequence[tuple[str, str]]

EDITS: Swaps = ODDITIES["edits"]
MIRRORED = 12  # how many pages the mirror copies

PEOPLE = lexicon("institute")  # its rows
CALENDAR = re.compile(r"http://oxmoor-council\.test/calendar/(\d{4})/(\d{1,2})\.html(?:\?day=\d+)?")
ARCHIVE = re.compile(r"http://plain-kitchen\.test/archive/(?:older/)*")


def build_sites(seed: int) -> tuple[Site, ...]:
    """Make every host, the directory first."""
    made: dict[str, Site] = {}
    for host, plan in PLANS.items():
        if plan.lexicon:
            made[host] = with_prints(build_site(plan, seed))
        elif plan.mirror_of:
            made[host] = mirror_site(plan, made[plan.mirror_of])
    for host, site in made.items():
        if site.plan.gallery_of:
            made[host] = with_gallery(site, made[site.plan.gallery_of])
    sites = [*(with_oddities(with_links(site)) for site in made.values()), institute()[0]]
    return (directory(sites), *sites)


def with_prints(site: Site) -> Site:
    """Add print versions of some pages, each with a canonical link, and links to them."""
    drafts: list[Draft] = []
    prints: list[Draft] = []
    for draft in site.drafts:
        if draft.kind != "content" or len(prints) == site.plan.prints:
            drafts.append(draft)
            continue
        url = draft.url.replace(f"{site.plan.host}/", f"{site.plan.host}/print/")
        note = link_list("Tools", [Anchor(local(url), "Print this page", "nofollow")], "tools")
        drafts.append(replace(draft, pieces=(*draft.pieces, note)))
        head = f'<link rel="canonical" href="{draft.url}">'
        copy = replace(draft, url=url, kind="duplicate", duplicate_of=draft.url, head=head)
        prints.append(replace(copy, theme="print"))
    return replace(site, drafts=(*drafts, *prints))


def mirror_site(plan: HostPlan, site: Site) -> Site:
    """Make a mirror: a dozen pages with small edits, their images changed in many ways."""
    originals = [draft for draft in site.drafts if draft.kind == "content"][:MIRRORED]
    known = {sketch.url: sketch for sketch in site.sketches}
    wanted = dict.fromkeys(shown.image for draft in originals for shown in draft.shown)
    images = {
        url: repost(known[url], f"http://{plan.host}{urlsplit(url).path}", number)
        for number, url in enumerate(wanted)
        if url in known
    }
    swaps = list(EDITS)
    for old, new in ((local(url), local(copy.url)) for url, copy in images.items()):
        swaps += [(f'"{old}"', f'"{new}"'), (f"{old} ", f"{new} ")]
    pages = [mirror_page(draft, plan, images, swaps) for draft in originals]
    pieces = (
        heading(1, plan.name),
        prose("A friendly mirror of pages about lighthouses, kept in case the original goes dark."),
        link_list("Mirrored pages", [Anchor(local(page.url), page.title) for page in pages]),
    )
    start = replace(site.drafts[0], url=f"http://{plan.host}/", title=plan.name, pieces=pieces)
    return Site(plan, (start, *pages), tuple(images.values()), (Anchor("/", "Mirror"),))


def repost(sketch: Sketch, url: str, number: int) -> Sketch:
    """Sketch a changed copy of an image, changed in the way that is this number's turn."""
    change, share, kind = ODDITIES["reposts"][number % len(ODDITIES["reposts"])]
    if kind and kind != sketch.format:
        url = url.rsplit(".", 1)[0] + "." + SUFFIXES[kind]
    elif kind:
        change = "brighter"
    return sketch.copy(url, change, round(sketch.width * share), kind)


def mirror_page(draft: Draft, plan: HostPlan, images: dict[str, Sketch], swaps: Swaps) -> Draft:
    """Copy one page to the mirror: edited words, the mirror's own images."""
    pieces = []
    for piece in draft.pieces:
        shown = [replace(it, image=images[it.image].url) for it in piece.shown]
        shown = [replace(it, caption=edit(it.caption, EDITS)) for it in shown]
        pieces.append(PagePiece(edit(piece.html, swaps), edit(piece.text, EDITS), tuple(shown)))
    pieces.append(prose(f"Mirrored with thanks from {plan.mirror_of}."))
    url = draft.url.replace(plan.mirror_of, plan.host)
    page = replace(draft, url=url, kind="duplicate", duplicate_of=draft.url, head="")
    return replace(page, pieces=pieces)


def edit(text: str, swaps: Swaps) -> str:
    """Replace some words by others, one after the other."""
    for old, new in swaps:
        text = text.replace(old, new)
    return text


def with_gallery(site: Site, friend: Site) -> Site:
    """Add a gallery page of a friend's pictures, each changed a little."""
    known = {sketch.url: sketch for sketch in friend.sketches if sketch.original is None}
    captions: dict[str, str] = {}
    for shown in (shown for draft in friend.drafts for shown in draft.shown):
        captions.setdefault(shown.image, shown.caption)
    wide = [url for url in captions if url in known and known[url].width >= 400]
    title, copies = f"Pictures from {friend.plan.name}", []
    pieces = [heading(1, title)]
    # The last ones, since the mirror takes the first: no image is changed twice in the same way.
    for number, url in enumerate(wide[-9:]):
        file = url.rsplit("/", 1)[1]
        copy = repost(known[url], f"http://{site.plan.host}/gallery/{file}", number)
        copies.append(copy)
        caption = f"{captions[url]}. Photo: {friend.plan.name}"
        pieces.append(show_photo("figure", Photo(copy, caption, "Guest photo")))
    links = [Anchor(f"http://{friend.plan.host}/", friend.plan.name)]
    pieces.append(link_list("Taken from", links))
    url = f"http://{site.plan.host}/gallery/friends.html"
    page = replace(site.drafts[0], url=url, kind="listing", title=title, pieces=pieces, head="")
    menu = (*site.menu, Anchor(local(url), title))
    drafts, sketches = (*site.drafts, page), (*site.sketches, *copies)
    return Site(site.plan, drafts, sketches, menu)


def session_id(seen: str, path: str) -> str:
    """Return the session id that a link to a path carries, on a page asked for with another."""
    return sha256(f"{seen}>{path}".encode()).hexdigest()[:10]


def session_copies(site: Site) -> list[Draft]:
    """List the session copies one click from the menu, and the pages one click further."""
    by_path = {local(draft.url): draft for draft in site.drafts}
    listing = next(link.url for link in site.menu if "index" in link.url)
    first = session_id("", listing)
    further = [path for path, draft in by_path.items() if draft.kind == "content"][:6]
    copies = []
    for path, seen in ((listing, ""), *((path, first) for path in further)):
        draft = by_path[path]
        url = f"{draft.url}?sid={session_id(seen, path)}"
        copies.append(replace(draft, url=url, kind="duplicate", duplicate_of=draft.url))
    return copies


def with_links(site: Site) -> Site:
    """Add a host's blogroll and its single links; a few of the roll have no words at all."""
    random, links, drafts = seeded(f"blogroll/{site.plan.host}"), [], []
    for word in site.plan.links.split():
        to = word.rstrip("*") + ".test"
        name = PLANS[to].name
        text = random.choice([name, name, name, "click here", ""])
        links.append(Anchor(f"http://{to}/", text, "nofollow sponsored" if "*" in word else ""))
    for number, draft in enumerate(site.drafts):
        notes = [note for note in site.plan.notes if note[0] == local(draft.url)]
        added = [prose(text, {words: url}) for _, text, words, url in notes]
        if links and draft.kind in ("start", "content") and number % 6 == 0:
            added.append(link_list("Links", links, "blogroll"))
        drafts.append(replace(draft, pieces=(*draft.pieces, *added)))
    return replace(site, drafts=tuple(drafts))


def directory(sites: Sequence[Site]) -> Site:
    """Make the directory host, which leads to nearly all others."""
    plan = PLANS[HUB_HOST]
    pages = directory_pages(plan, [site.plan for site in sites if site.plan.listed])
    chart = f"http://{HUB_HOST}/static/map.png"
    sketch = Sketch(chart, "emblem", "decoration", (), "map", 600, 200, "PNG")
    areas = "".join(
        f'<area shape="rect" coords="{place * 60},0,{place * 60 + 60},200" '
        f'href="{escape(page.url)}" alt="{escape(page.title)}">'
        for place, page in enumerate(pages)
    )
    picture = '<img src="/static/map.png" usemap="#sites" width="600" height="200"'
    html = f'{picture} alt="Map of sites"><map name="sites">{areas}</map>'
    pieces = (
        heading(1, plan.name),
        prose("A directory of small sites, collected by hand and sorted by their first letter."),
        PagePiece(html, shown=(ShownImage(chart, "decoration", ""),)),
        link_list("Pages", [Anchor(page.url, page.title) for page in pages]),
        link_list("Gone", [Anchor(f"http://{HUB_HOST}/sites/closed.html", "Closed sites")]),
    )
    start = write_page(plan, "/", "start", plan.name, pieces)
    return Site(plan, (start, *pages), (sketch,), (Anchor("/", "Directory"),))


def directory_pages(hub: HostPlan, plans: Sequence[HostPlan]) -> list[Draft]:
    """Write pages A to Z with telling links, then pages in mixed order whose links say nothing."""
    pages = []
    for letters in ("a-f", "g-k", "l-o", "p-r", "s-z"):
        low, high = letters.split("-")
        here = [plan for plan in plans if low <= plan.host[0] <= high]
        links = [Anchor(f"http://{plan.host}/", f"{plan.name}: {plan.motto}") for plan in here]
        title = f"Sites {letters.upper()}"
        pieces = [heading(1, title), link_list(title, links)]
        pages.append(write_page(hub, f"/sites/{letters}.html", "listing", title, pieces))
    mixed = list(plans)
    seeded("fresh").shuffle(mixed)
    for number, first in enumerate(range(0, len(mixed), 6), 1):
        title = f"Fresh links {number}"
        pieces = [heading(1, title)]
        for plan in mixed[first : first + 6]:
            text = f"{plan.motto.rstrip('.')}. To go there, click here."
            pieces.append(prose(text, {"click here": f"http://{plan.host}/"}))
        pages.append(write_page(hub, f"/fresh/{number}.html", "listing", title, pieces))
    return pages


def write_page(
    plan: HostPlan, path: str, kind: str, title: str, pieces: Sequence[PagePiece]
) -> Draft:
    """Write a page of a host without a lexicon."""
    return Draft(f"http://{plan.host}{path}", plan.topic, "en", kind, title, pieces)


def with_oddities(site: Site) -> Site:
    """Add what a host's plan has beyond ordinary pages: opt-outs, charsets, sessions, traps."""
    plan, drafts, ways = site.plan, list(site.drafts), ODDITIES["opt_outs"]
    content = [place for place, draft in enumerate(drafts) if draft.kind == "content"]
    for turn, place in enumerate(content if plan.image_opt_out else ()):
        way, draft = ways[turn % len(ways)], drafts[place]
        headers = (("X-Robots-Tag", way["header"]),) if "header" in way else ()
        head = draft.head + way.get("head", "")
        drafts[place] = replace(draft, opt_out=way["what"], head=head, headers=headers)
    if plan.first_charset:
        first = replace(drafts[content[0]], charset=plan.first_charset, says_charset=False)
        headers = (("Content-Type", plan.first_type),) if plan.first_type else ()
        drafts[content[0]] = replace(first, headers=headers)
    if plan.old_start:
        title, start = "We have moved", drafts[0].url
        pieces = (heading(1, title), link_list("Go on", [Anchor("/", plan.name)]))
        head = f'<meta http-equiv="refresh" content="0; url={start}">'
        url, topic = f"{start}old-start.html", drafts[0].topic
        drafts.append(Draft(url, topic, "en", "boilerplate", title, pieces, head))
    if plan.sessions:
        drafts += session_copies(site)
    entries = [url for url, quirk in QUIRKS.items() if quirk.what == "trap"]
    traps = [trap_page(url) for url in entries if urlsplit(url).netloc == plan.host]
    return replace(site, drafts=(*drafts, *(page for page in traps if page)))


def trap_page(url: str) -> Draft | None:
    """Write a page of an endless trap, None if the URL is no trap."""
    if match := CALENDAR.fullmatch(url):
        return calendar_page(url, int(match[1]), int(match[2]))
    if not ARCHIVE.fullmatch(url):
        return None
    # An archive that only ever points one folder deeper.
    links = [Anchor(f"{urlsplit(url).path}older/", "Older recipes"), Anchor("/", "Plain Kitchen")]
    depth = url.count("older/")
    text = f"You are {depth} pages back in our archive. Nothing was cooked here."
    pieces = (heading(1, "Archive"), prose(text), link_list("Go on", links))
    return Draft(url, "noise:cookery", "en", "trap", "Archive", pieces)


def calendar_page(url: str, year: int, month: int) -> Draft:
    """Write one month of a calendar that never ends."""
    after = (year + month // 12, month % 12 + 1)
    before = (year, month - 1) if month > 1 else (year - 1, 12)
    turns = ((after, "next month"), (before, "previous month"))
    days = [Anchor(f"/calendar/{year}/{month}.html?day={day}", str(day)) for day in range(1, 29)]
    title = f"Council calendar {year}-{month:02}"
    pieces = (
        heading(1, title),
        prose("No meetings are planned. Choose a day or another month."),
        link_list("Days", days),
        link_list("Months", [Anchor(f"/calendar/{y}/{m}.html", text) for (y, m), text in turns]),
    )
    return Draft(url, "noise:council", "en", "trap", title, pieces)


@dataclass(frozen=True, slots=True)
class DemoPublication:
    """One paper, as the truth names its fields."""

    authors: str
    title: str
    venue: str
    year: str
    link: str  # "" where the list gives none


def write_papers(person: str) -> list[DemoPublication]:
    """Invent a person's publications, newest first."""
    random, papers = seeded(f"papers/{person}"), []
    year = random.randint(2019, 2025)
    me = f"{person[0]}. {person.split()[-1]}"
    for _ in range(random.randint(9, 14)):
        names = [me, *random.sample(PEOPLE.words["coauthor"], random.randint(0, 3))]
        random.shuffle(names)
        template = random.choice(PEOPLE.sections["title"].sentences)
        title = say(PEOPLE, template, {}, random)
        link = f"http://{INSTITUTE}/papers/{slug(title)}.pdf" if random.random() < 0.7 else ""
        venue = random.choice(PEOPLE.words["venue"])
        papers.append(DemoPublication(", ".join(names), title, venue, str(year), link))
        year -= random.randint(0, 2)
    return papers


@cache
def institute() -> tuple[Site, tuple[RecordTruth, ...]]:
    """Make the institute's host and state the records on its pages."""
    plan = PLANS[INSTITUTE]
    written = {row["name"]: write_papers(row["name"]) for row in PEOPLE.rows}
    pages = [person_page(place, papers) for place, papers in enumerate(written.values())]
    people = [Anchor(page.url, page.title) for page in pages]
    welcome = prose("We study things that make no noise, and publish about them without hurry.")
    pieces = (heading(1, plan.name), welcome, link_list("People", people))
    start = write_page(plan, "/", "start", plan.name, pieces)
    files = [(it.link, pdf_text(it)) for papers in written.values() for it in papers if it.link]
    menu = (Anchor("/", "Institute"), *people)
    truths = [
        RecordTruth(page.url, "publication", tuple(asdict(paper).items()))
        for page in pages
        for paper in written[page.title]
    ]
    return Site(plan, (start, *pages), (), menu, tuple(files)), tuple(truths)


def person_page(place: int, papers: Sequence[DemoPublication]) -> Draft:
    """Write the page of one person: a few words, then the publications in this page's style."""
    row = PEOPLE.rows[place]
    random = seeded(f"person/{row['name']}")
    about = [say(PEOPLE, line, row, random) for line in PEOPLE.sections["person"].sentences]
    style, records = PAGES["publications"][place], ""
    for number, paper in enumerate(papers, 1):
        values = {name: escape(value) for name, value in asdict(paper).items()}
        path = paper.link.removeprefix(f"http://{INSTITUTE}")
        file = f'<a href="{path}">{style["file"]}</a>' if path else ""
        records += style["record"].format(number=number, file=file, **values)
    text = "\n".join(f"{it.authors} {it.title} {it.venue} {it.year}" for it in papers)
    pieces = (
        heading(1, row["name"]),
        prose(" ".join(about)),
        heading(2, "Publications"),
        PagePiece(style["page"].format(records=records), text),
    )
    path = f"/people/{slug(row['name'])}.html"
    return write_page(PLANS[INSTITUTE], path, "listing", row["name"], pieces)


def pdf_text(paper: DemoPublication) -> str:
    """Write a one-page PDF that shows title and authors, with a correct cross-reference table."""
    shown = [paper.title, paper.authors, f"{paper.venue}, {paper.year}"]
    plain = [line.encode("ascii", "replace").decode() for line in shown]
    lines = " ".join(f"({line}) Tj 0 -24 Td" for line in plain)
    stream = f"BT /F1 14 Tf 60 760 Td {lines} ET"
    objects: list[str] = PAGES["pdf"]
    text, places = "%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(text))
        filled = body.replace("{length}", str(len(stream))).replace("{stream}", stream)
        text += f"{number} 0 obj\n{filled}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    return (
        f"{text}xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
        f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(text)}\n%%EOF\n"
    )
