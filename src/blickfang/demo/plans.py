"""The hosts of the demo web as data/hosts.toml plans them, and its oddities of data/oddities.toml.

`PLANS` says who writes about what, and in which manner; `is_allowed` what robots.txt lets crawlers
fetch; `QUIRKS` which addresses do not answer with an ordinary page.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from blickfang.demo.grammar import read_toml
from blickfang.demo.truth import Quirk


@dataclass(frozen=True, slots=True)
class HostPlan:
    """How one host is made."""

    host: str
    name: str
    motto: str
    theme: str = "plain"  # a key of `themes` in data/pages.toml
    topic: str = ""  # where no lexicon says it
    lexicon: str = ""  # the stem of a file in data/lexicons
    first: int = 0  # which of the lexicon's things it writes about
    count: int = 0
    folder: str = ""
    sections: Sequence[str] = ()
    markups: Sequence[str] = ()  # of the pictures on its content pages, in turn
    listing: str = ""  # a key of `listings` in data/pages.toml
    sizes: Sequence[str] = ()  # of its pictures, in turn
    formats: Sequence[str] = ("JPEG",)
    file_names: str = "words"  # words, numbers, uploads
    articles: int = 0
    pictures: int = 2  # the most on a page
    sentences: int = 4  # a paragraph
    sized: bool = True  # whether pages state the size of images
    table: Sequence[str] = ()  # facts shown as a table
    links: str = ""  # hosts, from the start page and every sixth page; a star marks a paid link
    listed: bool = True  # in the directory; to others one gets through other hosts only
    notes: Sequence[tuple[str, str, str, str]] = ()  # page, sentence, its words that link, where to
    prints: int = 0  # how many pages have a print version
    mirror_of: str = ""  # the host whose pages this one copies
    gallery_of: str = ""  # the friend whose pictures it shows again
    sessions: bool = False  # whether links carry session ids
    old_start: bool = False  # whether a page sends visitors on by meta refresh
    noindex: str = ""  # of about, contact and privacy, the page that stays out of indexes
    charset: str = "utf-8"
    first_charset: str = ""  # of the first content page, which does not say it
    first_type: str = ""  # what the header says of it
    robots: str = "User-agent: *\nDisallow: \n"  # "" where there is no such file
    sitemap: bool = False
    image_opt_out: str = ""  # what the header of all its images refuses
    files: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # path: type, text


PLANS = {plan["host"]: HostPlan(**plan) for plan in read_toml("hosts")["host"]}
HUB_HOST = "wander-directory.test"
INSTITUTE = "quiet-university.test"

ODDITIES = read_toml("oddities")
# Where redirects lead, as their Location says it.
LOCATIONS: dict[str, str] = {
    quirk["url"]: quirk.pop("location") for quirk in ODDITIES["quirks"] if "location" in quirk
}
QUIRKS = {quirk["url"]: Quirk(**quirk) for quirk in ODDITIES["quirks"]}


def read_robots(text: str) -> list[tuple[str, bool]]:
    """Return the rules for all crawlers, which come first: paths and whether they are allowed."""
    lines = [line.partition(": ") for line in text.partition("\n\n")[0].splitlines()]
    rules = [(path, name == "Allow") for name, _, path in lines if path.startswith("/")]
    return sorted(rules, key=lambda rule: -len(rule[0]))


RULES = {host: read_robots(plan.robots) for host, plan in PLANS.items()}


def is_allowed(url: str) -> bool:
    """Tell whether robots.txt lets any crawler fetch a URL; the longest rule decides."""
    parts = urlsplit(url)
    if parts.path == "/robots.txt":
        return True
    path = parts.path + (f"?{parts.query}" if parts.query else "")
    rules = RULES.get(parts.netloc, [])
    return next((allowed for rule, allowed in rules if path.startswith(rule)), True)
