"""A question is put together: who is looked for, where, and who is asked.

In: what the user wants. Out: a `Study`. The settings of a collection are those of the fetching.
"""

import asyncio
import json
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import product
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

import uvloop

from blickfang import __version__
from blickfang.compute.worker_progress import Advance, stay_silent
from blickfang.config import Collection, open_collection
from blickfang.corpus.search.page_index import PageTexts, Phrase, split_terms
from blickfang.crawl import CrawlOptions
from blickfang.crawl.fetch.fetch_many import Few
from blickfang.crawl.fetch.fetcher import Fetcher
from blickfang.crawl.focus.fetch_topic_pages import PRIVATE_CONTACT, name_crawler
from blickfang.crawl.permission.crawl_manners import user_agent
from blickfang.errors import InputError, SettingsError
from blickfang.io.urls import canonical
from blickfang.records.persons.answer_sources import AnswerSource, ArchivedAnswers, LiveAnswers
from blickfang.records.persons.person_index import open_page_index, research_folder
from blickfang.records.persons.person_names import GERMAN, Name, NameReading
from blickfang.records.persons.person_values import Study
from blickfang.records.persons.run_research import ResearchLimits, parse_person, research
from blickfang.types import Failure

CUES = ("publications", "publikationen", "papers", "bibliography", "publication", "publikation")
MAX_JSON = 5_000_000
MAX_PHRASES = 40
MAX_LINES = 10_000
MIDDLE = 2  # names between the first and the last
REPLACED = (("ae", "a"), ("oe", "o"), ("ue", "u"))


def make_queries(name: str) -> list[str]:
    """Return what to ask a search engine.

    >>> make_queries("Ann Lee")
    ['"Ann Lee" publications', '"Ann Lee" publikationen', 'Ann Lee publications']
    """
    plain = " ".join(name.replace('"', " ").split())
    return [f'"{plain}" publications', f'"{plain}" publikationen', f"{plain} publications"]


def find_local(index: PageTexts, person: Name, most: int) -> list[str]:
    """Return archived pages that have a person's name, the most promising first."""
    return [entry.url for entry in index.find(make_phrases(person), CUES, most)]


def make_phrases(person: Name) -> list[Phrase]:
    """Return the ways in which a page may write a name."""
    found: dict[Phrase, None] = {}
    for reading in person.readings:
        for last in _spell(reading.last):
            for phrase in _phrases_of(reading, last):
                found[phrase] = None
    return list(found)[:MAX_PHRASES]


def _phrases_of(reading: NameReading, last: tuple[str, ...]) -> Iterator[Phrase]:
    if not reading.first:
        yield Phrase(last)
        return
    for first in _spell(reading.first[:1]):
        yield Phrase((*first, *last), MIDDLE, 2.0)
        yield Phrase((*last, *first), 0, 1.5)
    initial = split_terms(reading.first[0])[0][:1]
    yield Phrase((initial, *last), MIDDLE, 0.7)
    yield Phrase((*last, initial), 0, 0.7)


def _spell(words: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return words as the index has them, with and without "ue" for "ü"."""
    forms = []
    for word in words[:4]:
        low = word.casefold()
        short = low
        for long, plain in REPLACED:
            short = short.replace(long, plain)
        spelled = (split_terms(form) for form in (low, low.translate(GERMAN), short))
        forms.append(list(dict.fromkeys(tuple(terms) for terms in spelled if terms)))
    whole = (tuple(term for part in parts for term in part) for parts in product(*forms))
    return [terms for terms in whole if terms]


def ask_searx(address: str, name: str, most: int) -> list[str]:
    """Return what a SearXNG-compatible search engine finds, the best of all queries first."""
    base = canonical(address)
    if base is None:
        raise SettingsError(f"{address} is no address; write http://127.0.0.1:8080/")
    base = base if base.rstrip("/").endswith("/search") else base.rstrip("/") + "/search"
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        lists = runner.run(_ask_all(base.rstrip("/"), make_queries(name)))
    ranked: dict[str, int] = {}
    for found in lists:
        for rank, url in enumerate(found):
            ranked[url] = min(rank, ranked.get(url, rank))
    return sorted(ranked, key=lambda url: ranked[url])[:most]


async def _ask_all(base: str, queries: list[str]) -> list[list[str]]:
    # The user has named this host, so it may be a private one, and robots.txt is not about it.
    agent = user_agent(PRIVATE_CONTACT, __version__)
    async with Fetcher(agent, allow_private=True) as fetcher:
        lists = []
        for query in queries:
            url = f"{base}?{urlencode({'q': query, 'format': 'json'})}"
            answer = await fetcher.fetch(url, accept="application/json", limit=MAX_JSON)
            if isinstance(answer, Failure):
                raise InputError(f"the search engine at {base} does not answer: {answer.reason}")
            if answer.status != 200:
                raise InputError(
                    f"the search engine at {base} answers with status {answer.status}; "
                    "SearXNG needs `json` among the formats of its settings.yml"
                )
            lists.append(read_results(answer.body, base))
    return lists


def read_results(body: bytes, base: str) -> list[str]:
    """Return the addresses in an answer of a search engine."""
    try:
        results = json.loads(body)["results"]
        found = [canonical(str(result["url"])) for result in results if "url" in result]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(
            f"the answer of {base} is not JSON as SearXNG writes it; "
            "allow `json` among the formats of its settings.yml"
        ) from error
    return [url for url in found if url]


def read_addresses(lines: Iterable[str]) -> tuple[list[str], list[Failure]]:
    """Return the addresses that a user gave, one a line, and what is none."""
    found: dict[str, None] = {}
    failures = []
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if number > MAX_LINES:
            failures.append(Failure(text[:200], "research", f"more than {MAX_LINES:,} addresses"))
            break
        if text and not text.startswith("#"):
            url = canonical(text)
            if url is None:
                failures.append(Failure(text[:200], "research", "no address of the web"))
            else:
                found[url] = None
    return list(found), failures


class ResearchQuestion(NamedTuple):
    """Who is looked for, and where."""

    name: str
    folder: Path | None = None  # a collection: its archive, and its settings for fetching
    searx: str = ""  # address of a search engine
    urls: Iterable[str] | None = None  # addresses, one a line
    fetch: bool = False  # also fetch what the archive does not have
    contact: str = ""  # where there is no collection
    allow_private: bool = False
    pages: int = 40
    papers: int = 100
    follow: bool = True


def find_publications(question: ResearchQuestion, advance: Advance = stay_silent) -> Study:
    """Return the publications of a person."""
    person = parse_person(question.name)
    collection = open_collection(question.folder) if question.folder else None
    options = collection.settings.crawl if collection else _make_options(question)
    limits = ResearchLimits(question.pages, question.papers, question.follow, options.purpose)
    wrong: list[Failure] = []
    is_local = not question.searx and question.urls is None
    with ExitStack() as stack:
        web: AnswerSource | None = None
        if question.fetch or not is_local:
            few = stack.enter_context(Few(options, name_crawler(options)))
            kept = research_folder(collection) / "fetched" if collection else None
            web = LiveAnswers(few, options, kept)
        if question.searx:
            addresses = ask_searx(question.searx, question.name, question.pages)
        elif question.urls is not None:
            addresses, wrong = read_addresses(question.urls)
        source: AnswerSource
        if is_local or (collection and question.fetch):
            source, found = _open_archive(question, collection, web, advance)
            addresses = found if is_local else addresses
        else:
            source = _needed(web)
        study = research(person, addresses, source, limits, advance)
    return study._replace(failures=(*wrong, *study.failures))


def _open_archive(
    question: ResearchQuestion,
    collection: Collection | None,
    web: AnswerSource | None,
    advance: Advance,
) -> tuple[AnswerSource, list[str]]:
    if collection is None:
        raise SettingsError("name a collection to look in, or give --searx URL or --urls FILE")
    index = open_page_index(collection, advance)
    found = find_local(index, parse_person(question.name), question.pages)
    return ArchivedAnswers(collection, index, web), found


def _needed(web: AnswerSource | None) -> AnswerSource:
    if web is None:
        raise RuntimeError("nobody to ask")  # our mistake
    return web


def _make_options(question: ResearchQuestion) -> CrawlOptions:
    """Return how to fetch where no collection says it."""
    return CrawlOptions(contact=question.contact, allow_private=question.allow_private)
