"""The matrix of requests that must not be made: spellings of hosts × ways into the crawler.

`python -m tests.security.ssrf` prints it as the table of docs/reliability.md. Everything runs as it
does for a user, with private addresses forbidden; only names and connections are played
(tollgate.py). A cell says what became of all spellings of its row: "×" refused, no connection was
tried; "○" no URL at all; "●" asked, only public addresses were connected to.
"""

import json
import sys
import tempfile
import time
from collections.abc import Callable
from html import unescape
from pathlib import Path

import numpy as np

from blickfang.crawl.crawl_options import CrawlOptions
from blickfang.crawl.fetch.dead_origins import origin_of
from blickfang.crawl.fetch.fetch_many import fetch_few
from blickfang.crawl.fetch.resolver import LOGIN, PORT, PRIVATE
from blickfang.crawl.focus.judged_values import HostState, JudgedPage
from blickfang.crawl.focus.strategy import order_alike
from blickfang.crawl.permission.recheck import recheck_store
from blickfang.crawl.state.state_db import StateDb
from blickfang.crawl.visit.page_verdict import Judgement
from blickfang.html import read
from blickfang.io.urls import canonical
from blickfang.io.urls import host as host_of
from blickfang.records.persons.research_sources import read_results
from blickfang.types import Failure, Response
from tests.crawl.sites import Reply, Sites, crawl_here, moved, page, settings, text
from tests.security.forms import ASKED, FORMS, NAMES, NO_ADDRESS, REFUSED, Form
from tests.security.tollgate import Tollgate, guarding

HOME = "http://public.test"
REASONS = frozenset({PRIVATE, PORT, LOGIN})
REDIRECTS = (301, 302, 303, 307, 308)


def in_style(url: str) -> str:
    """Write an address as a style means it: a backslash alone begins an escape there."""
    return url.replace("\\", "\\\\")


ON_A_PAGE: dict[str, Callable[[str], str]] = {
    "link": lambda url: f'<a href="{url}">x</a>',
    "frame": lambda url: f'<iframe src="{url}"></iframe>',
    "next": lambda url: f'<link rel=next href="{url}">',
    "image": lambda url: f'<img src="{url}.jpg">',
    "srcset": lambda url: f'<img srcset="{url}.jpg 2x">',
    "background": lambda url: f"<p style=\"background:url('{in_style(url)}.jpg')\">x</p>",
    "og:image": lambda url: f'<meta property="og:image" content="{url}.jpg">',
}
IMAGES = ("image", "srcset", "background", "og:image")
WAYS = (
    "seed",
    *ON_A_PAGE,
    "refresh",
    "redirect",
    "image redirect",
    "robots redirect",
    "sitemap",
    "few",
    "few redirect",
    "recheck",
    "search result",
)

KEPT = (
    "INSERT INTO visits (url, requested, kind, status, fetched_at, depth, via, type, bytes, facts, "
    "validators, file, place, length) VALUES (?, ?, 0, 200, '', 0, '', '', 0, '{}', '', 'a', 0, 0)"
)

SIGNS = {REFUSED: "×", NO_ADDRESS: "○", ASKED: "●"}

Cells = dict[tuple[str, str], set[str]]


def address(host: str, way: str, number: int) -> str:
    """Return the address for a cell, as a stranger writes it; each is another one."""
    return f"http://{host}/{way.replace(' ', '-').replace(':', '-')}/{number}"


def all_hosts() -> list[tuple[int, Form, str]]:
    """Return every spelling with a number."""
    flat = [(form, host) for form in FORMS for host in form.hosts]
    return [(number, form, host) for number, (form, host) in enumerate(flat)]


def judge_all(response: Response, host: str, state: HostState) -> Judgement | Failure:
    """Follow all that the real reader finds on a page, alike."""
    del host, state
    found = read(response, ())
    if isinstance(found, Failure):
        return found
    links = list(dict.fromkeys(link.url for link in found.links))
    images = list(dict.fromkeys(image.url for image in found.images if image.url))
    one, other = (order_alike(np.full(len(each), time.time())) for each in (links, images))
    return Judgement(
        judged=JudgedPage(1.0, 2.0, None, 0.5, 0.5, one, other, None),
        links=links,
        link_hosts=list(map(host_of, links)),
        images=images,
        image_hosts=list(map(host_of, images)),
        unwanted={},
        metas={},
        licences=(),
        text_key=None,
        sketch=None,
        needs_rendering=False,
        facts={},
    )


def strict(options: CrawlOptions) -> CrawlOptions:
    """Forbid private addresses, in settings that are else only allowed together with them."""
    object.__setattr__(options, "allow_private", False)
    return options


def make_web() -> tuple[Sites, list[str]]:
    """Return a public host whose pages name every spelling in every way, and its pages."""
    replies: dict[str, Reply] = {}
    pages = []
    for way, write in ON_A_PAGE.items():
        body = "".join(write(address(host, way, n)) for n, _, host in all_hosts())
        replies[f"{HOME}/{way.replace(':', '-')}"] = page(head=body)
        pages.append(f"{HOME}/{way.replace(':', '-')}")
    shown = []
    for number, _, host in all_hosts():
        target = unescape(address(host, "refresh", number))
        replies[f"{HOME}/refresh/{number}"] = page(
            head=f'<meta http-equiv=refresh content="0;url={address(host, "refresh", number)}">'
        )
        pages.append(f"{HOME}/refresh/{number}")
        for status in REDIRECTS:
            target = header(address(host, f"redirect {status}", number))
            replies[f"{HOME}/{status}/{number}"] = moved(target, status)
            pages.append(f"{HOME}/{status}/{number}")
        replies[f"{HOME}/image/{number}.jpg"] = moved(header(address(host, "moved", number)), 302)
        shown.append(f"{HOME}/image/{number}.jpg")
    replies[f"{HOME}/shown"] = page(images=tuple(shown))
    return Sites(replies), [*pages, f"{HOME}/shown"]


def header(url: str) -> str:
    """Return an address as it can stand in a header: as its bytes, without line breaks."""
    plain = unescape(url).replace("\n", "").replace("\t", "")
    return plain.encode().decode("latin-1")


def find_url(host: str, cell: str, number: int, ending: str) -> str | None:
    """Return the address of a cell as it is asked for, None if there is none to ask for."""
    written = unescape(address(host, cell, number))
    if cell == "srcset" and len(written.split()) > 1:  # a blank ends an address there
        written, ending = written.split()[0], ""
    return canonical(written + ending)


def note(
    cells: Cells, gate: Tollgate, way: str, cell: str, ending: str = "", *, rules: bool = False
) -> None:
    """Write down what became of every spelling, asked for under the address of a cell.

    With `rules`, robots.txt of its host is asked for first, or alone.
    """
    for number, form, host in all_hosts():
        url = find_url(host, cell, number, ending)
        outcome = NO_ADDRESS
        if url is not None:
            place = f"{origin_of(url)}/robots.txt" if rules and url not in gate.asked else url
            reason = gate.asked.get(place, "never asked for")
            outcome = REFUSED if reason in REASONS else reason or ASKED
        cells.setdefault((form.name, way), set()).add(outcome)


def crawl_all(cells: Cells, folder: Path) -> Tollgate:
    """Crawl the web, robots.txt aside: each address is then judged by itself."""
    sites, pages = make_web()
    seeds = [unescape(address(host, "seed", n)) for n, _, host in all_hosts()]
    known = [seed for seed in map(canonical, seeds) if seed]
    with guarding(NAMES, sites) as gate:
        options = strict(settings(None, *known, *pages, robots=False, retries=0))
        crawl_here(folder, options, judge=judge_all, limit_s=60)
    note(cells, gate, "seed", "seed")
    for way in ON_A_PAGE:
        note(cells, gate, way, way, ".jpg" if way in IMAGES else "")
    note(cells, gate, "refresh", "refresh")
    for status in REDIRECTS:
        note(cells, gate, "redirect", f"redirect {status}")
    note(cells, gate, "image redirect", "moved")
    return gate


def crawl_rules(cells: Cells, folder: Path) -> Tollgate:
    """Crawl hosts whose robots.txt has moved, and hosts whose robots.txt names a sitemap."""
    replies: dict[str, Reply] = {}
    names, seeds = dict(NAMES), []
    for number, _, host in all_hosts():
        target = header(address(host, "robots redirect", number))
        replies[f"http://r{number}.test/robots.txt"] = moved(target, 302)
        listed = unescape(address(host, "sitemap", number)).replace("\n", "").replace("\t", "")
        replies[f"http://s{number}.test/robots.txt"] = text(f"Sitemap: {listed}\n")
        replies[f"http://s{number}.test/"] = page()
        for letter in "rs":
            names[f"{letter}{number}.test"] = NAMES["public.test"]
            seeds.append(f"http://{letter}{number}.test/")
    with guarding(names, Sites(replies)) as gate:
        options = strict(settings(None, *seeds, sitemaps=True, retries=0))
        crawl_here(folder, options, judge=judge_all, limit_s=60)
    note(cells, gate, "robots redirect", "robots redirect")
    note(cells, gate, "sitemap", "sitemap", rules=True)
    return gate


def fetch_some(cells: Cells, way: str, *, is_moved: bool) -> Tollgate:
    """Fetch what `learn`, `records` and `publications` fetch, directly or behind a redirect."""
    replies: dict[str, Reply] = {}
    wanted = []
    for number, _, host in all_hosts():
        url = unescape(address(host, way, number))
        if is_moved:
            replies[f"{HOME}/{number}"] = moved(header(address(host, way, number)), 302)
            wanted.append(f"{HOME}/{number}")
        elif known := canonical(url):
            wanted.append(known)
    with guarding(NAMES, Sites(replies)) as gate:
        options = strict(settings(None, robots=False, retries=0))
        fetch_few(wanted, options, "Blickfang/0", lambda *_: None)
    note(cells, gate, way, way)
    return gate


def recheck_all(cells: Cells, folder: Path) -> Tollgate:
    """Ask the hosts of an archive again for their rules: by now they may lead elsewhere."""
    store = StateDb(folder / "store.sqlite")
    for number, _, host in all_hosts():
        url = canonical(unescape(address(host, "recheck", number)))
        if url:
            store.db.execute(KEPT, (url, url))
    store.commit()
    store.close()
    with guarding(NAMES, Sites({})) as gate:
        options = strict(settings(None, retries=0))
        recheck_store(folder / "store.sqlite", options, "Blickfang/0", lambda *_: None)
    note(cells, gate, "recheck", "recheck", rules=True)
    return gate


def search_results(cells: Cells) -> None:
    """Read what a search engine gives: its addresses are then fetched as all others are."""

    for number, form, host in all_hosts():
        url = unescape(address(host, "few", number))
        body = json.dumps({"results": [{"url": url}]}).encode()
        found = read_results(body, "http://127.0.0.1/")
        same = found == ([canonical(url)] if canonical(url) else [])
        outcome = next(iter(cells[form.name, "few"])) if same else "not as others"
        cells.setdefault((form.name, "search result"), set()).add(outcome)


def run_all(folder: Path) -> tuple[Cells, list[str]]:
    """Return the matrix, and every address that was connected to and is not public."""
    cells: Cells = {}
    gates = [
        crawl_all(cells, folder / "pages"),
        crawl_rules(cells, folder / "rules"),
        fetch_some(cells, "few", is_moved=False),
        fetch_some(cells, "few redirect", is_moved=True),
        recheck_all(cells, folder),
    ]
    search_results(cells)
    return cells, [leak for gate in gates for leak in gate.leaks]


def show(cells: Cells) -> str:
    """Return the matrix as a table of Markdown."""
    lines = ["| host written as | " + " | ".join(WAYS) + " |", "|---" * (len(WAYS) + 1) + "|"]
    for form in FORMS:
        outcomes = (sorted(cells.get((form.name, way), {"–"})) for way in WAYS)
        found = (" / ".join(SIGNS.get(each, each) for each in cell) for cell in outcomes)
        lines.append(f"| {form.name} ({len(form.hosts)}) | " + " | ".join(found) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        made, leaked = run_all(Path(place))
    sys.stdout.write(show(made))
    sys.exit(1 if leaked else 0)
