"""Web research: a name → pages → lists of publications → papers → each publication once.

In: a name, addresses to begin with, and a source of answers. Out: a `Study`: publications with
what pages, BibTeX and PDFs tell of them, people of one name numbered; failures for all the rest.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from blickfang.crawl.permission.current_consent import find_page_objection
from blickfang.errors import SettingsError
from blickfang.html import read, read_body_text
from blickfang.html.page import parse_page
from blickfang.io.log import report_bug
from blickfang.io.text_files import decode
from blickfang.records import extract_records
from blickfang.records.extract import PUBLICATIONS
from blickfang.records.persons.answer_sources import Advance, Answers, AnswerSource
from blickfang.records.persons.bibtex import MAX_CHARS, parse_bibtex
from blickfang.records.persons.disambiguate import separate_people
from blickfang.records.persons.pdf_head import NOT_A_PDF, read_pdf_head
from blickfang.records.persons.person_names import Name, NameLikeness, parse_name
from blickfang.records.persons.person_pages import (
    PersonOnPage,
    best_likeness,
    find_ways,
    read_sighting,
)
from blickfang.records.persons.person_values import Finding, PaperHead, Publication, Study
from blickfang.records.persons.publication_merging import merge_publications
from blickfang.types import Failure, Page, Response

ROOM = "research"
NO_LIST, OF_OTHERS = "no list of publications", "publications of others"


class ResearchLimits(NamedTuple):
    """How much is looked at."""

    pages: int = 40  # from the provider; as many again by links
    papers: int = 100  # PDFs
    follow: bool = True  # a link further, within the domain
    purpose: str = "research"  # as in [crawl]


class SeenPage(NamedTuple):
    """A page that was looked at."""

    page: Page
    sighting: PersonOnPage


def parse_person(text: str) -> Name:
    """Return the name of the person to look for."""
    person = parse_name(text)
    if not person.readings or not (person.first and person.last):
        raise SettingsError(f'{text!r} is no full name; write "First Last"')
    return person


def research(
    person: Name,
    addresses: Sequence[str],
    source: AnswerSource,
    limits: ResearchLimits,
    advance: Advance,
) -> Study:
    """Return the publications of a person that can be found from some addresses."""
    failures: list[Failure] = []
    seen = look_around(person, addresses, source, limits, advance, failures)
    told = [each for one in seen for each in one.sighting.found]
    told += read_bibs(person, seen, source, advance, failures)
    merged = merge_publications(told)
    merged = merge_publications(read_papers(merged, source, limits.papers, advance, failures))
    numbers = separate_people(merged, person)
    findings = sorted(
        (Finding(each, number) for each, number in zip(merged, numbers, strict=True)),
        key=lambda finding: finding.person,
    )
    return Study(tuple(findings), max(numbers, default=0), tuple(failures))


def look_around(
    person: Name,
    addresses: Sequence[str],
    source: AnswerSource,
    limits: ResearchLimits,
    advance: Advance,
    failures: list[Failure],
) -> list[SeenPage]:
    """Return pages with publications of a person: those given, and what they link to."""
    found: list[SeenPage] = []
    known: set[str] = set()
    wave = list(dict.fromkeys(addresses))[: limits.pages]
    for step in range(2):
        known.update(wave)
        ways: dict[str, None] = {}
        for one in look_at_all(person, source.get(wave, advance), limits.purpose):
            if isinstance(one, Failure):
                failures.append(one)
                continue
            known.add(one.page.url)
            if one.sighting.found:
                found.append(one)
            else:
                reason = OF_OTHERS if one.sighting.is_list else NO_LIST
                failures.append(Failure(one.page.url, ROOM, reason))
            ways |= dict.fromkeys(find_ways(one.page, one.sighting, person))
        wave = [url for url in ways if url not in known][: limits.pages]
        if step or not limits.follow or not wave:
            break
    return found


def look_at_all(person: Name, answers: Answers, purpose: str) -> Iterator[SeenPage | Failure]:
    """Give what pages hold of a person; a page that was reached twice counts once."""
    reached: set[str] = set()
    for answer in answers.values():
        if isinstance(answer, Failure):
            yield answer
        elif answer.url not in reached:
            reached.add(answer.url)
            try:
                yield look_at(person, answer, purpose)
            except Exception as error:  # one page must not end research
                yield Failure(answer.url, "page", f"not readable: {report_bug(error, answer.url)}")


def look_at(person: Name, answer: Response, purpose: str) -> SeenPage | Failure:
    """Return what a page holds of a person."""
    objection = find_page_objection(answer, purpose)
    if objection is not None:
        return objection
    page = read(answer, ())
    if isinstance(page, Failure):
        return page
    parsed = parse_page(answer.body, answer.headers.get("content-type"))
    regions = extract_records(parsed[0] if parsed else b"", answer.url, PUBLICATIONS)
    if isinstance(regions, Failure):
        return regions
    return SeenPage(page, read_sighting(page, regions, person))


def read_bibs(
    person: Name,
    seen: Iterable[SeenPage],
    source: AnswerSource,
    advance: Advance,
    failures: list[Failure],
) -> list[Publication]:
    """Return the publications of a person in the BibTeX that pages link to."""
    links: dict[str, tuple[str, ...]] = {}
    for one in seen:
        owned = (one.page.url,) if one.sighting.is_own else ()
        for url in (*one.sighting.bibs, *(bib for each in one.sighting.found for bib in each.bibs)):
            links.setdefault(url, owned)
    found: list[Publication] = []
    for url, answer in source.get(list(links), advance, papers=True).items() if links else ():
        if isinstance(answer, Failure):
            failures.append(answer)
            continue
        told = parse_bibtex(read_bib(answer), url)
        if not told:
            failures.append(Failure(url, ROOM, "no BibTeX"))
        theirs = (each for each in told if best_likeness(each, person) >= NameLikeness.INITIALS)
        found += [each._replace(owned=links[url]) for each in theirs]
    return found


def read_bib(answer: Response) -> str:
    """Return the text of a BibTeX file, or of a page that shows one."""
    kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind in ("text/html", "application/xhtml+xml"):
        return read_body_text(answer.body) or ""
    return decode(answer.body[: 4 * MAX_CHARS])


def read_papers(
    merged: Sequence[Publication],
    source: AnswerSource,
    most: int,
    advance: Advance,
    failures: list[Failure],
) -> list[Publication]:
    """Return publications with what the heads of their PDFs say."""
    wanted = {each.pdfs[0]: each for each in reversed(merged) if each.pdfs}
    chosen = list(wanted)[::-1][:most]
    answers = source.get(chosen, advance, papers=True) if chosen else {}
    papers = [(url, answer) for url, answer in answers.items() if isinstance(answer, Response)]
    failures += [answer for answer in answers.values() if isinstance(answer, Failure)]
    told = {url: (wanted[url].title, wanted[url].authors) for url, _ in papers}
    read_ones: dict[Publication, Publication] = {}
    for url, head in read_heads(papers, told, advance):
        one = wanted[url]
        if isinstance(head, Failure):
            failures.append(head)
            if head.reason == NOT_A_PDF:  # a link that said "paper" and led to a page
                read_ones[one] = one._replace(pdfs=one.pdfs[1:])
            continue
        abstract = head.abstract or one.abstract
        read_ones[one] = one._replace(
            affiliations=head.affiliations, emails=head.emails, abstract=abstract
        )
    return [read_ones.get(each, each) for each in merged]


def read_heads(
    papers: Sequence[tuple[str, Response]],
    told: Mapping[str, tuple[str, Sequence[str]]],
    advance: Advance,
) -> Iterator[tuple[str, PaperHead | Failure]]:
    """Give the heads of papers, read side by side: each waits for a process of its own."""
    pool = ThreadPoolExecutor(len(os.sched_getaffinity(0)))
    try:
        tasks = [
            (url, pool.submit(read_pdf_head, answer.body, url, *told[url]))
            for url, answer in papers
        ]
        for done, (url, task) in enumerate(tasks, 1):
            yield url, task.result()
            advance(done, len(tasks))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)  # who has had enough need not wait
