"""Reading whole pages against trafilatura and lxml, on the same pages in the same run.

Ours is `read_page` with everything: text, main text, links, images, the best context of each.
trafilatura extracts the main text only, lxml parses and lists text, links and images only. The
pages are those of the gold data in ../shared; where it is missing, nothing is measured.
"""

import gzip
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import lxml.html
import trafilatura

from benchmarks.timing import Row, clock, race
from blickfang.html import read_page
from blickfang.html.contexts.best import find_best
from blickfang.html.contexts.method_agreement import find_witnesses
from blickfang.html.contexts.registry import (
    BEST,
    PageImages,
    find_contexts,
    make_place,
)
from blickfang.html.decode import decode_page, looks_binary
from blickfang.html.guard import Guarded, guard_page
from blickfang.html.images.image_position import find_places
from blickfang.html.images.images import Contexts, ShownImages, find_images, look_at_images
from blickfang.html.images.unshown_images import find_named
from blickfang.html.links import LinkTargets, find_links, follow, read_references
from blickfang.html.main_text import MainText, find_main_text
from blickfang.html.metadata import About, read_about, read_headings
from blickfang.html.page import SAMPLE_CHARS, parse_page, read_text
from blickfang.html.parse.tree import Tree, read_tree
from blickfang.html.structure.page_terms import read_terms
from blickfang.text.language import detect_language

GOLD = Path(__file__).parent.parent.parent / "shared"
FOLDERS = ("context-gold", "text-gold", "text-gold/more")
LARGE = range(120_000, 240_001)  # bytes: the class of pages of 161 kB
SAMPLE = 60  # pages; trafilatura is slow
ROUNDS = 3
MANY_ROUNDS = 9  # where both take about as long: noise of the machine would decide
URL = "https://example.org/a/page.html"
ALL_GOAL, MAIN_GOAL, LXML_GOAL = 8.0, 10.0, 1.0

Pages = list[bytes]


class Prepared(NamedTuple):
    """A page and everything that is made of it on the way."""

    body: bytes
    decoded: bytes
    guarded: Guarded
    tree: Tree
    headings: list[str]
    about: About
    targets: LinkTargets
    shown: ShownImages
    place: PageImages
    contexts: Contexts
    main: MainText


def run(_: Path) -> list[Row]:
    """Compare on the pages of context-gold, on large pages, and the main text on text-gold."""
    missing = [name for name in FOLDERS if not (GOLD / name / "pages").is_dir()]
    if missing:
        return [Row(f"reading: skipped, ../shared has no {missing[0]}", "", "", "", "", None)]
    sets = {name: load_pages(GOLD / name / "pages") for name in FOLDERS}
    whole = [*sets["text-gold"], *sets["text-gold/more"]]  # with their scripts and styles
    large = [page for page in whole if len(page) in LARGE]
    return [
        *compare_all("context-gold", sets["context-gold"]),
        *compare_all("whole pages of 120–240 kB", large),
        compare(
            "main text alone, text-gold",
            read_main_text,
            "trafilatura",
            trafilatura.extract,
            spread(sets["text-gold"]),
            MAIN_GOAL,
        ),
    ]


def load_pages(folder: Path) -> Pages:
    """Return the pages of a folder."""
    return [gzip.decompress(path.read_bytes()) for path in sorted(folder.glob("*.html.gz"))]


def spread(pages: Pages) -> Pages:
    """Return a sample, evenly spread."""
    return [pages[k * len(pages) // SAMPLE] for k in range(SAMPLE)]


def compare_all(name: str, pages: Pages) -> list[Row]:
    """Race everything we read against both, and say where our time goes."""
    what, sample = f"read_page, {name}", spread(pages)
    return [
        compare(what, read_all, "lxml", read_with_lxml, pages, LXML_GOAL, MANY_ROUNDS),
        compare(what, read_all, "trafilatura", trafilatura.extract, sample, ALL_GOAL),
        *measure_parts(sample),
    ]


def compare(
    what: str,
    ours: Callable[[bytes], object],
    peer: str,
    theirs: Callable[[bytes], object],
    pages: Pages,
    goal: float,
    rounds: int = ROUNDS,
) -> Row:
    """Time both on the same pages."""
    for page in pages[:2]:
        ours(page)  # all is compiled and loaded
        theirs(page)
    our_time, their_time = race(
        lambda: do_each(ours, pages), lambda: do_each(theirs, pages), times=1, rounds=rounds
    )
    kilobytes = sum(map(len, pages)) / len(pages) / 1000
    return Row(
        f"{what}, {len(pages)} pages of {kilobytes:.0f} kB",
        f"{1000 * our_time / len(pages):.2f} ms/page",
        f"{peer} {1000 * their_time / len(pages):.2f} ms/page",
        f"{their_time / our_time:.2f}×",
        f"≥ {goal:.1f}×",
        their_time / our_time >= goal,
    )


def do_each(work: Callable[[bytes], object], pages: Pages) -> None:
    """Work on each page and drop the result, as a crawl does: kept ones cost memory and time."""
    for page in pages:
        work(page)


def read_all(page: bytes) -> object:
    """Read everything."""
    return read_page(page, f"https://example.org/a/{len(page)}.html")  # each has its own address


def read_main_text(page: bytes) -> str:
    """Decode, guard, parse, and read the main text only."""
    parsed = parse_page(page)
    return find_main_text(parsed[0]).text if parsed else ""


def read_with_lxml(page: bytes) -> object:
    """Parse and list text, links and images; no address is resolved, no image looked at."""
    root = lxml.html.document_fromstring(page)
    links = [node.get("href") for node in root.iter("a")]
    images = [(node.get("src"), node.get("alt")) for node in root.iter("img")]
    return root.text_content(), links, images


def prepare(body: bytes) -> Prepared:
    """Go all the way once and keep what each part takes."""
    decoded = decode_page(body).data
    guarded = guard_page(decoded)
    tree = read_tree(guarded.data, canonical=guarded.canonical)
    shown = look_at_images(tree)
    references, headings = read_references(tree), read_headings(tree)
    place = make_place(tree, shown.nodes, shown.captions, shown.clues.widths, shown.clues.heights)
    return Prepared(
        body,
        decoded,
        guarded,
        tree,
        headings,
        read_about(tree, URL, references, headings),
        follow(tree, references, URL),
        shown,
        place,
        find_contexts(place, (BEST,)),
        find_main_text(tree),
    )


def find_all_images(page: Prepared) -> None:
    """Read all clues about images."""
    look_at_images(page.tree)
    places = find_places(page.tree, page.shown.nodes, page.headings, page.main)
    images = find_images(
        page.tree, page.shown, page.targets, page.contexts, places, with_texts=True
    )
    urls = {image.url for image in images}
    find_named(page.tree, URL, page.about.pictures, page.targets, urls)


PARTS: dict[str, Callable[[Prepared], object]] = {
    "decode": lambda page: (looks_binary(page.body), decode_page(page.body)),
    "guard, write": lambda page: guard_page(page.decoded),
    "parse if messy, scan, words": lambda page: read_tree(
        page.guarded.data, canonical=page.guarded.canonical
    ),
    "terms": lambda page: read_terms(page.tree),
    "best contexts": lambda page: find_best(*page.place[:6]),
    "witnesses": lambda page: find_witnesses(page.place.terms, page.place.images),
    "contexts into words": lambda page: find_contexts(page.place, (BEST,)),  # with the two before
    "main text": lambda page: find_main_text(page.tree),
    "language": lambda page: detect_language(page.main.text[:SAMPLE_CHARS]),
    "all text": lambda page: read_text(page.tree),
    "about": lambda page: read_about(
        page.tree, URL, page.targets.references, read_headings(page.tree)
    ),
    "links": lambda page: find_links(
        page.tree, URL, follow(page.tree, read_references(page.tree), URL)
    ),
    "images": find_all_images,
}


def measure_parts(bodies: Pages) -> list[Row]:
    """Time each part; "the rest" is what no part accounts for."""
    works = {**PARTS, "whole": lambda page: read_page(page.body, URL)}
    times = dict.fromkeys(works, 0.0)
    for page in map(prepare, bodies):
        # Part after part, as in reality: one again and again would find all in the cache.
        rounds = [
            {name: clock(partial(work, page)) for name, work in works.items()}
            for _ in range(ROUNDS)
        ]
        for name in works:
            times[name] += min(found[name] for found in rounds) * 1000 / len(bodies)
    times["contexts into words"] -= times["best contexts"] + times["witnesses"]
    whole = times.pop("whole")
    times["the rest"] = whole - sum(times.values())
    return [
        Row(f"  of it {name}", f"{time:.3f} ms/page", "", f"{time / whole:.0%}", "", None)
        for name, time in times.items()
    ]
