"""The web's oddities: robots rules, opt-outs, redirects, errors, slow pages and endless traps."""

import re
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

from blickfang.demo.sites.pieces import Draft, Link, heading, link_list, prose
from blickfang.demo.truth import Quirk


@dataclass(frozen=True, slots=True)
class Rules:
    """One host's robots.txt."""

    disallow: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    delay_s: int = 0
    more: str = ""  # further groups and sitemap lines, as they stand

    def allows(self, path: str) -> bool:
        """Tell whether any crawler may fetch a path; the longest rule decides."""
        banned = max((len(rule) for rule in self.disallow if path.startswith(rule)), default=-1)
        granted = max((len(rule) for rule in self.allow if path.startswith(rule)), default=-1)
        return banned < 0 or granted >= banned

    def text(self) -> str:
        """Write the file; Allow comes first, for parsers that stop at the first match."""
        lines = ["User-agent: *", *(f"Allow: {rule}" for rule in self.allow)]
        lines += [f"Disallow: {rule}" for rule in self.disallow or ("",)]
        lines += [f"Crawl-delay: {self.delay_s}"] if self.delay_s else []
        return "\n".join(lines) + "\n" + (f"\n{self.more}\n" if self.more else "")


ROBOTS = {
    "closed-garden.test": Rules(("/",)),
    "lighthouse-almanac.test": Rules(
        ("/print/",), more="Sitemap: http://lighthouse-almanac.test/sitemap.xml"
    ),
    "keepers-journal.test": Rules(("/articles/", "/login.html")),
    "fungi-field-guide.test": Rules(
        ("/articles/",),
        ("/articles/how-to-make-a-spore-print.html",),
        more="Sitemap: http://fungi-field-guide.test/sitemap.xml",
    ),
    "windy-meadow.test": Rules(
        ("/login.html",), more="User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /"
    ),
    "oxmoor-council.test": Rules(
        ("/planning/",), more="Sitemap: http://oxmoor-council.test/sitemap.xml"
    ),
    "red-kite-watch.test": Rules(("/login.html",), delay_s=1),
    "glow-and-shade.test": Rules(("/privacy.html", "/contact.html")),
    "skyline-studio.test": Rules(more="User-agent: GPTBot\nDisallow: /"),
}
NO_ROBOTS = ("harbour-lights.test", "rook-and-pawn.test")  # these answer 404
SITEMAPS = ("lighthouse-almanac.test", "fungi-field-guide.test", "oxmoor-council.test")
SESSION_HOST = "spore-print-club.test"


def rules_of(host: str) -> Rules:
    """Return a host's robots rules; no file means that all is allowed."""
    return ROBOTS.get(host, Rules())


def is_allowed(url: str) -> bool:
    """Tell whether robots.txt lets any crawler fetch a URL."""
    parts = urlsplit(url)
    path = parts.path + (f"?{parts.query}" if parts.query else "")
    return path == "/robots.txt" or rules_of(parts.netloc).allows(path)


# Opt-outs of the studio's pages, in turn: what is refused, the head's HTML, the HTTP header.
STUDIO = "skyline-studio.test"
OPT_OUTS: tuple[tuple[str, str, tuple[tuple[str, str], ...]], ...] = (
    ("noindex,noimageindex", '<meta name="robots" content="noindex,noimageindex">', ()),
    ("noai,noimageai", '<meta name="robots" content="noai, noimageai">', ()),
    ("noai", "", (("X-Robots-Tag", "noai"),)),
    ("tdm-reservation", '<meta name="tdm-reservation" content="1">', ()),
    ("noindex", "", (("X-Robots-Tag", "noindex, nofollow"),)),
)
STUDIO_FILES = {
    "/.well-known/tdmrep.json": (
        "application/json",
        '[{"location": "/prints/*", "tdm-reservation": 1},'
        ' {"location": "/images/*", "tdm-reservation": 1}]\n',
    ),
    "/ai.txt": ("text/plain", "User-Agent: *\nDisallow: /images/\nDisallow: *.jpg\n"),
}
IMAGE_OPT_OUT = ("X-Robots-Tag", "noai, noimageai")


def redirect(url: str, status: int, location: str, target: str = "") -> tuple[Quirk, str]:
    """Describe a redirect: its quirk, and the Location it answers with."""
    end = target or urljoin(url, location)
    return Quirk(url, "redirect", status, end), location


ALMANAC, FUNGI = "http://lighthouse-almanac.test", "http://fungi-field-guide.test"
WINDY, BELLCAP = (
    "http://windy-meadow.test",
    "http://fungi-field-guide.test/species/saffron-bellcap.html",
)
REDIRECTS = {
    quirk.url: (quirk, location)
    for quirk, location in (
        redirect(f"{ALMANAC}/index.html", 301, "/"),
        redirect(f"{ALMANAC}/old/skarvoe.html", 301, "/towers/skarvoe.html"),
        redirect("http://keepers-journal.test/go/almanac", 302, f"{ALMANAC}/"),
        redirect("http://kite-makers-guild.test/plans", 301, "/plans/index.html"),
        redirect("http://branch-line-times.test/timetable", 307, "stations/index.html"),
        redirect("http://toadstool-furniture.test/sale", 308, "/seats/index.html"),
        redirect(f"{FUNGI}/r/1", 302, "/r/2", BELLCAP),
        redirect(f"{FUNGI}/r/2", 301, "/r/3", BELLCAP),
        redirect(f"{FUNGI}/r/3", 302, BELLCAP),
        (Quirk(f"{WINDY}/loop/a", "loop", 302), "/loop/b"),
        (Quirk(f"{WINDY}/loop/b", "loop", 302), "/loop/a"),
    )
}
# What the mirror does not have is asked for at the original.
MIRROR = ("http://almanac-mirror.test/", f"{ALMANAC}/")

ERRORS = {
    quirk.url: quirk
    for quirk in (
        Quirk("http://oxmoor-council.test/planning/search.html", "failing", 500),
        Quirk("http://rook-and-pawn.test/results.html", "failing", 500),
        Quirk("http://plain-kitchen.test/comments.html", "failing", 503),
        Quirk(f"{ALMANAC}/towers/lost-light.html", "missing", 404),
        Quirk(f"{FUNGI}/species/unnamed.html", "missing", 404),
        Quirk("http://kite-makers-guild.test/plans/lost-plan.html", "missing", 404),
        Quirk("http://red-kite-watch.test/diary/1998.html", "missing", 410),
        Quirk("http://wander-directory.test/sites/closed.html", "missing", 404),
        *(
            Quirk(f"http://{host}/login.html", "refused", 403)
            for host in (
                "keepers-journal.test", "forest-basket.test", "windy-meadow.test",
                "plain-kitchen.test", "red-kite-watch.test",
            )
        ),
    )
}  # fmt: skip
SLOW = {
    quirk.url: quirk
    for quirk in (
        Quirk("http://rook-and-pawn.test/articles/rules-for-the-club-ladder.html",
              "slow", 200, delay_s=1.5),
        Quirk("http://paper-and-spar.test/articles/how-to-tie-a-bridle.html",
              "slow", 200, delay_s=0.4),
    )
}  # fmt: skip

CALENDAR = re.compile(r"http://oxmoor-council\.test/calendar/(\d{4})/(\d{1,2})\.html(?:\?day=\d+)?")
ARCHIVE = re.compile(r"http://plain-kitchen\.test/archive/(?:older/)*")
TRAP_ENTRIES = (
    "http://oxmoor-council.test/calendar/2026/11.html",
    "http://plain-kitchen.test/archive/",
)


def trap_page(url: str) -> Draft | None:
    """Write a page of an endless trap, None if the URL is no trap."""
    if match := CALENDAR.fullmatch(url):
        return calendar_page(url, int(match[1]), int(match[2]))
    return archive_page(url) if ARCHIVE.fullmatch(url) else None


def calendar_page(url: str, year: int, month: int) -> Draft:
    """Write one month of a calendar that never ends."""
    after = (year + month // 12, month % 12 + 1)
    before = (year, month - 1) if month > 1 else (year - 1, 12)
    turn = [
        Link(f"/calendar/{y}/{m}.html", label)
        for (y, m), label in ((after, "next month"), (before, "previous month"))
    ]
    days = [Link(f"/calendar/{year}/{month}.html?day={day}", str(day)) for day in range(1, 29)]
    title = f"Council calendar {year}-{month:02}"
    pieces = (
        heading(1, title),
        prose("No meetings are planned. Choose a day or another month."),
        link_list("Days", days),
        link_list("Months", turn),
    )
    return Draft(url, "noise:council", "en", "trap", title, pieces)


def archive_page(url: str) -> Draft:
    """Write a page of an archive that only ever points one folder deeper."""
    depth = url.count("older/")
    links = [Link(f"{urlsplit(url).path}older/", "Older recipes"), Link("/", "Plain Kitchen")]
    text = f"You are {depth} pages back in our archive. Nothing was cooked here."
    pieces = (heading(1, "Archive"), prose(text), link_list("Go on", links))
    return Draft(url, "noise:cookery", "en", "trap", "Archive", pieces)


def all_quirks() -> tuple[Quirk, ...]:
    """List every oddity, traps by their entries."""
    traps = (Quirk(url, "trap", 200) for url in TRAP_ENTRIES)
    return (*(quirk for quirk, _ in REDIRECTS.values()), *ERRORS.values(), *SLOW.values(), *traps)
