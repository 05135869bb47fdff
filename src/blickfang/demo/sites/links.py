"""Links between hosts: blogrolls, tunnels through off-topic pages, and the directory host."""

from collections.abc import Sequence
from dataclasses import replace
from html import escape

from blickfang.demo.drawing.sketch import Sketch
from blickfang.demo.sites.compose import Site, decor_of
from blickfang.demo.sites.pieces import Draft, Link, Piece, Shown, heading, link_list, prose, tag
from blickfang.demo.sites.plans import HUB_HOST
from blickfang.demo.writing.grammar import seeded

# Who links to whom, from the start page and every sixth page. A star marks a paid link.
BLOGROLLS = {
    "lighthouse-almanac.test": "keepers-journal leuchttuerme-kueste almanac-mirror glow-and-shade*",
    "keepers-journal.test": "lighthouse-almanac windy-meadow plain-kitchen",
    "leuchttuerme-kueste.test": "lighthouse-almanac gemeinde-moorbach",
    "harbour-lights.test": "lighthouse-almanac branch-line-times",
    "fungi-field-guide.test": "forest-basket spore-print-club toadstool-furniture*",
    "forest-basket.test": "fungi-field-guide plain-kitchen closed-garden",
    "spore-print-club.test": "fungi-field-guide oxmoor-council",
    "kite-makers-guild.test": "windy-meadow skyline-studio kite-aerospace*",
    "windy-meadow.test": "kite-makers-guild red-kite-watch skyline-studio",
    "paper-and-spar.test": "kite-makers-guild rook-and-pawn",
    "oxmoor-council.test": "branch-line-times rook-and-pawn plain-kitchen",
    "plain-kitchen.test": "oxmoor-council forest-basket",
    "branch-line-times.test": "oxmoor-council lighthouse-audit*",
    "rook-and-pawn.test": "oxmoor-council plain-kitchen",
    "gemeinde-moorbach.test": "branch-line-times",
    "lighthouse-audit.test": "kite-aerospace glow-and-shade",
    "glow-and-shade.test": "toadstool-furniture lighthouse-audit",
    "toadstool-furniture.test": "glow-and-shade plain-kitchen",
    "kite-aerospace.test": "lighthouse-audit oxmoor-council",
    "red-kite-watch.test": "oxmoor-council branch-line-times",
}
# Hosts the directory does not know: one gets there through other hosts only.
UNLISTED = (
    "harbour-lights.test",
    "paper-and-spar.test",
    "skyline-studio.test",
    "almanac-mirror.test",
)

# Single links: the page, the sentence around the link, the anchor text, where it leads.
CROSSINGS = (
    ("http://branch-line-times.test/stations/saltmouth.html",
     "From the station it is ten minutes on foot to the mole and its old beacon: local walks.",
     "local walks", "http://harbour-lights.test/"),
    ("http://plain-kitchen.test/recipes/plum-crumble.html",
     "The plums came from a jar of jam that somebody won with a kite; the story is told here.",
     "here", "http://paper-and-spar.test/"),
    ("http://plain-kitchen.test/recipes/mushroom-barley-soup.html",
     "If you collect your own, ask people who know fungi before you cook anything.",
     "people who know fungi", "http://fungi-field-guide.test/"),
    ("http://plain-kitchen.test/", "Older recipes are in the archive.", "the archive",
     "/archive/"),
    ("http://plain-kitchen.test/", "Read what others say in the comments.", "the comments",
     "/comments.html"),
    ("http://oxmoor-council.test/", "All meetings are in the calendar of the council.",
     "calendar", "/calendar/2026/11.html"),
    ("http://oxmoor-council.test/", "Use the planning search to find applications.",
     "planning search", "/planning/search.html"),
    ("http://lighthouse-almanac.test/", "The page of Skarvoe has moved.", "page of Skarvoe",
     "/old/skarvoe.html"),
    ("http://lighthouse-almanac.test/", "We still look for the lost light of 1802.",
     "lost light", "/towers/lost-light.html"),
    ("http://lighthouse-almanac.test/about.html", "Back to the front page of the almanac.",
     "front page", "/index.html"),
    ("http://keepers-journal.test/", "Much of what we know stands in the almanac.",
     "the almanac", "/go/almanac"),
    ("http://keepers-journal.test/", "Our old start page is kept for old bookmarks.",
     "old start page", "/old-start.html"),
    ("http://fungi-field-guide.test/", "Species of the month, by a short link.",
     "Species of the month", "/r/1"),
    ("http://fungi-field-guide.test/", "One species still has no name.", "no name",
     "/species/unnamed.html"),
    ("http://windy-meadow.test/", "The prize draw is explained in circles.", "prize draw",
     "/loop/a"),
    ("http://kite-makers-guild.test/", "All plans in one folder; one plan is lost.",
     "All plans", "/plans"),
    ("http://kite-makers-guild.test/", "If you have the lost plan, write to us.", "lost plan",
     "/plans/lost-plan.html"),
    ("http://branch-line-times.test/", "The full timetable is one click away.", "timetable",
     "/timetable"),
    ("http://rook-and-pawn.test/", "Results are computed by an old machine.", "Results",
     "/results.html"),
    ("http://toadstool-furniture.test/", "The summer sale has begun.", "summer sale", "/sale"),
    ("http://red-kite-watch.test/", "The diary of 1998 was taken down.", "diary of 1998",
     "/diary/1998.html"),
)  # fmt: skip


def with_links(site: Site, names: dict[str, str]) -> Site:
    """Add a host's blogroll and its single links to its pages."""
    roll = blogroll(site.host, names)
    drafts = []
    for number, draft in enumerate(site.drafts):
        added = [
            prose(text, {anchor: url}) for page, text, anchor, url in CROSSINGS if page == draft.url
        ]
        if roll and draft.kind in ("start", "content") and number % 6 == 0:
            added.append(roll)
        drafts.append(replace(draft, pieces=(*draft.pieces, *added)))
    return replace(site, drafts=tuple(drafts))


def blogroll(host: str, names: dict[str, str]) -> Piece | None:
    """Make a host's blogroll; a few of its links have no words at all."""
    if host not in BLOGROLLS:
        return None
    random = seeded(f"blogroll/{host}")
    links = []
    for word in BLOGROLLS[host].split():
        to = word.rstrip("*") + ".test"
        text = random.choice([names[to], names[to], names[to], "click here", ""])
        links.append(Link(f"http://{to}/", text, "nofollow sponsored" if "*" in word else ""))
    return link_list("Links", links, "blogroll")


def directory(sites: Sequence[Site]) -> Site:
    """Make the directory host, which leads to nearly all others."""
    listed = [site for site in sites if site.host not in UNLISTED]
    pages = [*letter_pages(listed), *fresh_pages(listed)]
    plan = Sketch(
        f"http://{HUB_HOST}/static/map.png", "emblem", "decoration", (), "map", 600, 200, "PNG"
    )
    pieces = (
        heading(1, "Wander Directory"),
        prose("A directory of small sites, collected by hand and sorted by their first letter."),
        Piece(area_map(pages), shown=(Shown(plan.url, "decoration", ""),)),
        link_list("Pages", [Link(page.url, page.title) for page in pages]),
        link_list("Gone", [Link(f"http://{HUB_HOST}/sites/closed.html", "Closed sites")]),
    )
    start = hub_page("/", "start", "Wander Directory", pieces)
    return Site(
        host=HUB_HOST,
        name="Wander Directory",
        motto="Small sites, by hand",
        topic="noise:directory",
        language="en",
        theme="plain",
        drafts=(start, *pages),
        sketches=(plan,),
        menu=(Link("/", "Directory"),),
        decor=decor_of(HUB_HOST),
    )


def hub_page(path: str, kind: str, title: str, pieces: Sequence[Piece]) -> Draft:
    """Write one page of the directory."""
    url = f"http://{HUB_HOST}{path}"
    return Draft(url, "noise:directory", "en", kind, title, tuple(pieces))


def letter_pages(sites: Sequence[Site]) -> list[Draft]:
    """Write the pages A to Z, with descriptive anchors."""
    pages = []
    for letters in ("a-f", "g-k", "l-o", "p-r", "s-z"):
        low, high = letters.split("-")
        here = [site for site in sites if low <= site.host[0] <= high]
        links = [Link(f"http://{site.host}/", f"{site.name}: {site.motto}") for site in here]
        title = f"Sites {letters.upper()}"
        pieces = [heading(1, title), link_list(title, links)]
        pages.append(hub_page(f"/sites/{letters}.html", "listing", title, pieces))
    return pages


def fresh_pages(sites: Sequence[Site]) -> list[Draft]:
    """Write the pages in mixed order, whose anchors say nothing."""
    mixed = list(sites)
    seeded("fresh").shuffle(mixed)
    pages = []
    for number in range(0, len(mixed), 6):
        title = f"Fresh links {number // 6 + 1}"
        pieces = [heading(1, title)]
        pieces += [
            prose(
                f"{site.motto.rstrip('.')}. To go there, click here.",
                {"click here": f"http://{site.host}/"},
            )
            for site in mixed[number : number + 6]
        ]
        pages.append(hub_page(f"/fresh/{number // 6 + 1}.html", "listing", title, pieces))
    return pages


def area_map(pages: Sequence[Draft]) -> str:
    """Write an image map that leads to the given pages."""
    areas = "".join(
        f'<area shape="rect" coords="{place * 60},0,{place * 60 + 60},200" '
        f'href="{escape(page.url)}" alt="{escape(page.title)}">'
        for place, page in enumerate(pages)
    )
    picture = (
        '<img src="/static/map.png" usemap="#sites" width="600" height="200" alt="Map of sites">'
    )
    return picture + tag("map", {"name": "sites"}, areas)
