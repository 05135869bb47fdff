"""All hosts together: a seed goes in; sites with copies, links and oddities come out."""

from collections.abc import Callable
from dataclasses import replace

from blickfang.demo.sites.compose import Site, build_site
from blickfang.demo.sites.copies import mirror_of, session_copies, with_gallery, with_prints
from blickfang.demo.sites.institute import institute
from blickfang.demo.sites.links import directory, with_links
from blickfang.demo.sites.pieces import Draft, Link, heading, link_list
from blickfang.demo.sites.plans import MIRROR_HOST, PLANS
from blickfang.demo.sites.quirks import OPT_OUTS, SESSION_HOST, STUDIO, TRAP_ENTRIES, trap_page

# A host and the friend whose pictures it shows again.
GALLERIES = (
    ("keepers-journal.test", "lighthouse-almanac.test"),
    ("forest-basket.test", "fungi-field-guide.test"),
    ("windy-meadow.test", "kite-makers-guild.test"),
)


def build_sites(seed: int) -> tuple[Site, ...]:
    """Make every host, the directory first."""
    made = {plan.host: build_site(plan, seed) for plan in PLANS}
    made["lighthouse-almanac.test"] = with_prints(made["lighthouse-almanac.test"])
    made[MIRROR_HOST] = mirror_of(made["lighthouse-almanac.test"], MIRROR_HOST, "Almanac Mirror")
    for host, friend in GALLERIES:
        made[host] = with_gallery(made[host], made[friend])
    names = {site.host: site.name for site in made.values()}
    sites = [ODDITIES.get(site.host, same)(with_links(site, names)) for site in made.values()]
    sites = [*(with_traps(site) for site in sites), institute()[0]]
    return (directory(sites), *sites)


def same(site: Site) -> Site:
    """Leave a site as it is."""
    return site


def with_traps(site: Site) -> Site:
    """Add the entry pages of a host's traps."""
    pages = [trap_page(url) for url in TRAP_ENTRIES if f"//{site.host}/" in url]
    return replace(site, drafts=(*site.drafts, *(page for page in pages if page)))


def with_sessions(site: Site) -> Site:
    """Add the copies of pages under a session's address."""
    return replace(site, drafts=(*site.drafts, *session_copies(site)))


def with_opt_outs(site: Site) -> Site:
    """Let each content page refuse something, each in another way."""
    drafts, turn = [], 0
    for draft in site.drafts:
        if draft.kind == "content":
            what, head, headers = OPT_OUTS[turn % len(OPT_OUTS)]
            draft = replace(draft, opt_out=what, head=draft.head + head, headers=headers)
            turn += 1
        drafts.append(draft)
    return replace(site, drafts=tuple(drafts))


def with_old_start(site: Site) -> Site:
    """Add a page that sends visitors on by meta refresh."""
    pieces = (heading(1, "We have moved"), link_list("Go on", [Link("/", "Keepers' Journal")]))
    head = '<meta http-equiv="refresh" content="0; url=http://keepers-journal.test/">'
    url = f"http://{site.host}/old-start.html"
    page = Draft(url, site.topic, "en", "boilerplate", "We have moved", pieces, head)
    return replace(site, drafts=(*site.drafts, page))


def with_noindex(site: Site) -> Site:
    """Let the contact page stay out of indexes."""
    head = '<meta name="robots" content="noindex">'
    drafts = [
        replace(draft, head=head, opt_out="noindex")
        if draft.url.endswith("/contact.html")
        else draft
        for draft in site.drafts
    ]
    return replace(site, drafts=tuple(drafts))


def all_western(site: Site) -> Site:
    """Serve a whole host in windows-1252, as its meta element says."""
    return replace(site, drafts=tuple(replace(it, charset="windows-1252") for it in site.drafts))


def one_latin(site: Site) -> Site:
    """Serve one page in ISO-8859-1, declared by the HTTP header."""
    return recode(site, "iso-8859-1", says=True)


def one_undeclared(site: Site) -> Site:
    """Serve one page in windows-1252 and say so nowhere."""
    return recode(site, "windows-1252", says=False)


def recode(site: Site, charset: str, says: bool) -> Site:
    """Give a host's first content page another charset."""
    first = next(draft for draft in site.drafts if draft.kind == "content")
    headers = (("Content-Type", f"text/html; charset={charset}"),) if says else ()
    other = replace(first, charset=charset, says_charset=False, headers=headers)
    return replace(site, drafts=tuple(other if it is first else it for it in site.drafts))


ODDITIES: dict[str, Callable[[Site], Site]] = {
    SESSION_HOST: with_sessions,
    STUDIO: with_opt_outs,
    "keepers-journal.test": with_old_start,
    "forest-basket.test": with_noindex,
    "harbour-lights.test": all_western,
    "leuchttuerme-kueste.test": one_latin,
    "gemeinde-moorbach.test": one_undeclared,
}
