"""A host's pages: its Plan goes in, a Site with drafts, sketches and menu comes out."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from blickfang.demo.drawing.sketch import Sketch
from blickfang.demo.sites.captions import LISTS, MARKUPS, Shot, local
from blickfang.demo.sites.pieces import Draft, Link, Piece, facts_table, heading, link_list, prose
from blickfang.demo.sites.plans import Plan
from blickfang.demo.sites.shots import list_shot, slug, take_shot
from blickfang.demo.writing.furniture import BOILERPLATE, WORDS
from blickfang.demo.writing.grammar import Facts, Lexicon, facts_about, paragraph, say, seeded
from blickfang.demo.writing.lexicons import lexicon as find_lexicon

PER_LISTING = 12


@dataclass(frozen=True, slots=True)
class Site:
    """One host, ready to be served."""

    host: str
    name: str
    motto: str
    topic: str
    language: str
    theme: str
    drafts: tuple[Draft, ...]
    sketches: tuple[Sketch, ...]
    menu: tuple[Link, ...]
    decor: tuple[Sketch, ...]  # logo, icon, banner: what the theme puts on its pages
    papers: tuple[tuple[str, str], ...] = ()  # PDF files: address and bytes as text


@dataclass(frozen=True, slots=True)
class Thing:
    """Something a site has a page about."""

    facts: Facts
    url: str
    shots: tuple[tuple[Shot, str], ...]  # with the markup each is shown in


def build_site(plan: Plan, seed: int) -> Site:
    """Make a host from its plan."""
    lexicon = find_lexicon(plan.lexicon)
    random = seeded(f"site/{seed}/{plan.host}")
    things = draw_things(plan, lexicon, random)
    small = [list_shot(thing.shots[0][0], plan.listing, local(thing.url)) for thing in things]
    articles = [article(plan, lexicon, number, things, random) for number in range(plan.articles)]
    listings = list_pages(plan, lexicon, small)
    content = [content_page(plan, lexicon, things, number, random) for number in range(len(things))]
    start = start_page(plan, lexicon, things, articles, listings)
    fixed = [boilerplate(plan, lexicon, key) for key in ("about", "contact", "privacy")]
    shots = [shot for thing in things for shot, _ in thing.shots] + small
    return Site(
        host=plan.host,
        name=plan.name,
        motto=plan.motto,
        topic=lexicon.topic,
        language=lexicon.language,
        theme=plan.theme,
        drafts=(start, *listings, *content, *articles, *fixed),
        sketches=tuple(dict.fromkeys(it for shot in shots for it in (shot.sketch, *shot.copies))),
        menu=menu_of(lexicon, listings, articles),
        decor=decor_of(plan.host),
    )


def draw_things(plan: Plan, lexicon: Lexicon, random: Random) -> list[Thing]:
    """Choose the things of a host and take their pictures."""
    things = []
    for number, row in enumerate(lexicon.rows[plan.first : plan.first + plan.count]):
        facts = facts_about(lexicon, row)
        count = 1 + random.randrange(plan.pictures)
        shots = [take_shot(plan, lexicon, facts, (number, i), random) for i in range(count)]
        url = f"http://{plan.host}/{plan.folder}/{slug(row['name'])}.html"
        things.append(Thing(facts, url, tuple(shots)))
    return things


def content_page(
    plan: Plan, lexicon: Lexicon, things: Sequence[Thing], number: int, random: Random
) -> Draft:
    """Write the page about one thing, its pictures between the paragraphs."""
    words = WORDS[lexicon.language]
    thing, other = things[number], things[(number * 5 + 3) % len(things)]
    facts = (
        dict(thing.facts) | {"other": other.facts["name"]} | dict(thing.shots[0][0].sketch.facts)
    )
    pieces = [heading(1, facts["name"])]
    if plan.table:
        pieces.append(facts_table([(words[key], facts[key]) for key in plan.table]))
    pictures = [MARKUPS[markup](shot) for shot, markup in thing.shots]
    links = {other.facts["name"]: local(other.url)} if other is not thing else {}
    for place, key in enumerate(plan.sections):
        pieces.append(heading(2, say(lexicon, lexicon.sections[key].heading, facts, random)))
        pieces.append(prose(paragraph(lexicon, key, facts, random, plan.sentences), links))
        pieces += pictures[place : place + 1]
    turn = (number + 1) % len(things)
    near = [(things[number - 1], words["previous"]), (things[turn], words["next"])]
    related = [Link(local(other.url), other.facts["name"])]
    related += [Link(local(it.url), f"{label}: {it.facts['name']}") for it, label in near]
    pieces.append(link_list(words["latest"], related, "related"))
    return draft(lexicon, thing.url, "content", facts["name"], pieces)


def draft(lexicon: Lexicon, url: str, kind: str, title: str, pieces: Sequence[Piece]) -> Draft:
    """Fill in a draft what its site decides."""
    head = "".join(piece.head for piece in pieces)
    return Draft(url, lexicon.topic, lexicon.language, kind, title, tuple(pieces), head)


def article(
    plan: Plan, lexicon: Lexicon, number: int, things: Sequence[Thing], random: Random
) -> Draft:
    """Write an article: the same sentences, but about several things."""
    title, keys = lexicon.articles[number % len(lexicon.articles)]
    pieces = [heading(1, title)]
    for key in (*keys.split(), plan.sections[0]):
        one, other = random.sample(things, 2)
        facts = {"other": other.facts["name"]} | dict(one.shots[0][0].sketch.facts)
        pieces.append(heading(2, say(lexicon, lexicon.sections[key].heading, facts, random)))
        links = {one.facts["name"]: local(one.url), other.facts["name"]: local(other.url)}
        pieces.append(prose(paragraph(lexicon, key, facts, random, plan.sentences), links))
    url = f"http://{plan.host}/articles/{slug(title)}.html"
    return draft(lexicon, url, "content", title, pieces)


def list_pages(plan: Plan, lexicon: Lexicon, shots: Sequence[Shot]) -> list[Draft]:
    """Write the listing pages, a dozen records each."""
    words, pages = WORDS[lexicon.language], []
    urls = [
        f"http://{plan.host}/{plan.folder}/index{number or ''}.html"
        for number in range((len(shots) + PER_LISTING - 1) // PER_LISTING)
    ]
    for number, url in enumerate(urls):
        title = f"{words['all']}, {words['page']} {number + 1}"
        records = LISTS[plan.listing](shots[number * PER_LISTING : (number + 1) * PER_LISTING])
        pager = [Link(local(to), str(place + 1)) for place, to in enumerate(urls)]
        pieces = [heading(1, title), records, link_list(words["page"], pager, "pager")]
        pages.append(draft(lexicon, url, "listing", title, pieces))
    return pages


def start_page(
    plan: Plan,
    lexicon: Lexicon,
    things: Sequence[Thing],
    articles: Sequence[Draft],
    listings: Sequence[Draft],
) -> Draft:
    """Write the start page: who we are, and ways into the site."""
    words, random = WORDS[lexicon.language], seeded(f"start/{plan.host}")
    facts = {"other": things[-1].facts["name"]} | dict(things[0].shots[0][0].sketch.facts)
    welcome = paragraph(lexicon, plan.sections[0], facts, random, 3)
    pieces = [heading(1, plan.name), prose(plan.motto), prose(welcome)]
    latest = [Link(local(thing.url), thing.facts["name"]) for thing in things[:6]]
    pieces.append(link_list(words["latest"], latest))
    pieces.append(link_list(words["articles"], [Link(local(a.url), a.title) for a in articles]))
    # A worthless anchor text on purpose: only the page around it says where it leads.
    pieces.append(link_list(words["all"], [Link(local(listings[0].url), words["more"])]))
    return draft(lexicon, f"http://{plan.host}/", "start", plan.name, pieces)


def boilerplate(plan: Plan, lexicon: Lexicon, key: str) -> Draft:
    """Write an about, contact or privacy page."""
    title = WORDS[lexicon.language][key]
    texts = BOILERPLATE[lexicon.language][key]
    pieces = [heading(1, title)]
    pieces += [prose(text.format(site=plan.name, motto=plan.motto)) for text in texts]
    url = f"http://{plan.host}/{key}.html"
    return draft(lexicon, url, "boilerplate", title, pieces)


def menu_of(
    lexicon: Lexicon, listings: Sequence[Draft], articles: Sequence[Draft]
) -> tuple[Link, ...]:
    """Make the menu that stands on every page of a host."""
    words = WORDS[lexicon.language]
    pages = [Link("/", words["home"]), Link(local(listings[0].url), words["all"])]
    pages += [Link(local(page.url), page.title) for page in articles[:2]]
    pages += [Link(f"/{key}.html", words[key]) for key in ("about", "contact", "privacy")]
    return tuple(pages)


def decor_of(host: str) -> tuple[Sketch, ...]:
    """Sketch the logo, the icon, the banner and the stand-in of a host."""
    made = (("logo.png", "emblem", 120, 48), ("feed.gif", "emblem", 16, 16),
            ("banner.gif", "emblem", 468, 60), ("blank.gif", "blank", 1, 1))  # fmt: skip
    return tuple(
        Sketch(
            url=f"http://{host}/static/{name}",
            motif=motif,
            topic="decoration",
            facts=(),
            seed=f"{host}/{name}",
            width=width,
            height=height,
            format=name.rsplit(".", 1)[1].upper(),
        )
        for name, motif, width, height in made
    )
