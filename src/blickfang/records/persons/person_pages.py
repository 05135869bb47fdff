"""Which pages are lists of a person's publications, and what stands on them.

In: a page and its lists, read as publications. Out: the publications of the person, whether the
list is that person's own, and where else to look: one link further, within the domain.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from blickfang.io.urls import host, url_words
from blickfang.records.extract import FITS
from blickfang.records.persons.bibtex import parse_bibtex
from blickfang.records.persons.person_names import (
    Name,
    NameLikeness,
    compare_names,
    fold,
    parse_name,
)
from blickfang.records.persons.person_values import Publication
from blickfang.types import Link, Page, Record, Region

OWN = 0.5  # of the records have the person among their authors: the list is that person's
NAMED_OWN = 0.25  # where the page is headed by the name
LEFT_OUT = 0.05  # under this share a list headed by the name leaves its owner out
MIN_RECORDS = 3  # of a list that may be somebody's own
HEADINGS = 12  # that are looked at
MAX_LINKS = 4  # from one page to lists of publications
MAX_YEARS = 40  # from one list to those of other years
LISTS = re.compile(
    r"\b(?:publi[ck]ation(?:s|en)?|papers?|veröffentlichung(?:en)?|veroeffentlichungen|schriften"
    r"|pubs?|bibliograph(?:y|ie)|publicaciones|publicações|pubblicazioni|articles|研究業績|论文|論文)\b",
    re.IGNORECASE,
)
A_YEAR = re.compile(r"\s*(?:19|20)\d\d\s*")
BIB_TEXT = re.compile(r"\W*(?:bib|bibtex|bib\s?tex)\W*", re.IGNORECASE)
BIB_FILE = re.compile(r"\.bib(?:$|[?#])", re.IGNORECASE)
SHOWN = re.compile(
    r"@\s*(?:article|inproceedings|book|incollection|misc|techreport|phdthesis)\s*\{"
)
FRAMES = ("frame", "iframe")


class PersonOnPage(NamedTuple):
    """What a page holds of a person."""

    found: tuple[Publication, ...]
    is_list: bool  # of anybody's publications
    is_own: bool
    is_named: bool  # its title or a heading has the name
    bibs: tuple[str, ...]  # BibTeX files that belong to the page as a whole


def read_sighting(page: Page, regions: Sequence[Region], person: Name) -> PersonOnPage:
    """Return what a page holds of a person."""
    lists = [region for region in regions if region.fit >= FITS]
    told = [to_publication(record, page.url) for record in unite_records(lists)]
    shown = parse_bibtex(page.text, page.url) if SHOWN.search(page.text) else []
    told = [each for each in told if each.title and not SHOWN.search(each.title)]
    headings = [page.title, *(text for _, text in page.headings[:HEADINGS])]
    named = any(is_named(text, person) for text in headings)
    likeness = [best_likeness(each, person) for each in told]
    share = sum(each >= NameLikeness.INITIALS for each in likeness) / max(len(told), 1)
    long_enough = len(told) >= MIN_RECORDS
    leaves_out = named and share < LEFT_OUT and long_enough and _is_headed(page, person)
    own = long_enough and (share >= OWN or (named and share >= NAMED_OWN) or leaves_out)
    least = NameLikeness.NONE if leaves_out else NameLikeness.LAST if own else NameLikeness.INITIALS
    kept = [each for each, like in zip(told, likeness, strict=True) if like >= least]
    if leaves_out:  # such a list says who else wrote it, not who did
        kept = [
            each._replace(told=tuple(one._replace(whole=False) for one in each.tellings()))
            for each in kept
        ]
    kept += [each for each in shown if best_likeness(each, person) >= NameLikeness.INITIALS]
    owned = (page.url,) if own else ()
    return PersonOnPage(
        tuple(each._replace(owned=owned) for each in kept),
        bool(lists or shown),
        own,
        named,
        tuple(dict.fromkeys(link.url for link in page.links if BIB_FILE.search(link.url))),
    )


def unite_records(lists: Sequence[Region]) -> Iterator[Record]:
    """Give the records of several lists, the first list first, no part of the page twice."""
    nodes = max((record.nodes[1] for each in lists for record in each.records), default=0)
    taken = bytearray(nodes)
    for each in lists:
        new = [record for record in each.records if not any(taken[slice(*record.nodes)])]
        for record in new:
            first, end = record.nodes
            taken[first:end] = b"\x01" * (end - first)
        yield from new


def _is_headed(page: Page, person: Name) -> bool:
    """Whether the very first thing that a page says is the name."""
    heads = [page.title, *(text for level, text in page.headings[:HEADINGS] if level == 1)]
    return any(is_named(text, person) for text in heads)


def to_publication(record: Record, url: str) -> Publication:
    """Return a record of a list as a publication."""
    fields = record.fields
    bibs = [
        target
        for text, target in record.links
        if BIB_FILE.search(target) or (BIB_TEXT.fullmatch(text) and "://" in target)
    ]
    authors = tuple(name for name in fields.get("authors", "").split("; ") if name)
    return Publication(
        title=fields.get("title", ""),
        authors=authors,
        year=fields.get("year", ""),
        venue=fields.get("venue", ""),
        pdfs=(fields["pdf"],) if "://" in fields.get("pdf", "") else (),
        bibs=tuple(dict.fromkeys(bibs)),
        sources=(url,),
    )


def best_likeness(one: Publication, person: Name) -> NameLikeness:
    """Return how much one of the authors is like a person."""
    return max(
        (compare_names(parse_name(author), person) for author in one.authors),
        default=NameLikeness.NONE,
    )


def is_named(text: str, person: Name) -> bool:
    """Whether a short text has a person's name, in whatever order.

    >>> is_named("Home page of Müller, Jörg", parse_name("Joerg Mueller"))
    True
    """
    words = [form for word in re.findall(r"[^\W\d_]+", text[:300]) for form in fold(word)]
    joined, known = "".join(words), set(words)
    for reading in person.readings:
        lasts = fold("".join(reading.last))
        if not any(last in known or (len(last) > 5 and last in joined) for last in lasts):
            continue
        firsts = fold(reading.first[0]) if reading.first else frozenset()
        if not firsts or known & firsts or known & {first[:1] for first in firsts}:
            return True
    return False


def find_ways(page: Page, sighting: PersonOnPage, person: Name) -> list[str]:
    """Return where else to look: lists that a person's page links to, other years of a list."""
    ways: dict[str, None] = {}
    lists = years = 0
    for link in _within_domain(page):
        if sighting.is_own and A_YEAR.fullmatch(link.anchor) and years < MAX_YEARS:
            years += 1
            ways[link.url] = None
        is_frame = link.kind in FRAMES
        is_theirs = is_frame or sighting.is_named or is_named(link.anchor, person)
        is_way = not sighting.is_own and is_theirs and (is_frame or _leads_to_list(link))
        if is_way and lists < MAX_LINKS:
            lists += 1
            ways[link.url] = None
    return list(ways)


def _leads_to_list(link: Link) -> bool:
    words = url_words(link.url)
    return bool(LISTS.search(link.anchor[:100]) or LISTS.search(words[-100:]))


def _within_domain(page: Page) -> Iterator[Link]:
    """Give the links of a page that stay in its domain and lead to another page."""
    here, domain = page.url.partition("#")[0], _domain(page.url)
    for link in page.links:
        is_page = link.kind in ("a", "area", *FRAMES) and not BIB_FILE.search(link.url)
        if is_page and link.url.partition("#")[0] != here and _domain(link.url) == domain:
            yield link


def _domain(url: str) -> str:
    """Return the last labels of a host: two, or three where the one before the last is short.

    >>> _domain("http://www.cs.example.ac.uk/"), _domain("http://a.example.org/")
    ('example.ac.uk', 'example.org')
    """
    labels = host(url).split(":")[0].split(".")
    if labels[-1].isdigit():
        return host(url)
    short = len(labels) > 2 and len(labels[-2]) <= 3 and len(labels[-1]) == 2
    return ".".join(labels[-3 if short else -2 :])
