"""A question is put together: who is looked for, where, and who is asked.

In: what the user wants. Out: a `Study`. The settings of a collection are those of the fetching.
"""

from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from blickfang.collection import Collection, open_collection
from blickfang.compute.worker_progress import Advance, stay_silent
from blickfang.crawl import CrawlOptions
from blickfang.crawl.fetch.fetch_many import Few
from blickfang.crawl.focus.fetch_topic_pages import name_crawler
from blickfang.errors import SettingsError
from blickfang.pipeline.researching.answers import AnswerSource, ArchivedAnswers, LiveAnswers
from blickfang.pipeline.researching.index import open_page_index, research_folder
from blickfang.pipeline.researching.providers import ask_searx, find_local, read_addresses
from blickfang.pipeline.researching.research import ResearchLimits, parse_person, research
from blickfang.records.research.values import Study
from blickfang.types import Failure


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
