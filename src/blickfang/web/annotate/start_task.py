"""A task is made of samples of the corpus, and of pages where texts are compared.

In: a collection or a corpus, and a task. Out: the task in the store of that folder. To compare ways
to find the text of an image, its page is read again from the archive with each of them; people
later see the texts in a random order, and never who proposed which.
"""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from blickfang.compute.worker_progress import Advance, stay_silent
from blickfang.config import open_collection
from blickfang.corpus import Corpus, open_corpus
from blickfang.corpus.archives.archive_sources import find_archives, list_archives, tell_apart
from blickfang.errors import InputError, SettingsError
from blickfang.html import METHODS, read
from blickfang.io.warc.walk import read_answer
from blickfang.types import Context, Failure, Page, Response
from blickfang.web import annotate
from blickfang.web.annotate import open_store, select_items
from blickfang.web.annotate.item_selection import LONGEST, TaskItem, Variant
from blickfang.web.annotate.task import Task
from blickfang.web.annotate.task_list import OpenTask

LONGEST_RECORD = 32 * 2**20
COLUMNS = ("id", "url", "page_url", "page_warc_file", "page_warc_offset", "mentions")


class Started(NamedTuple):
    """A task that was started."""

    asked: OpenTask
    failures: list[Failure]  # samples whose page could not be read again


def start_task(root: Path, task: Task, advance: Advance = stay_silent) -> Started:
    """Choose the items of a task and put it into the store of a collection or corpus."""
    corpus = open_corpus(root)
    known = [entry.sample for entry in (*task.gold, *task.examples)]
    items = select_items(corpus, task.select, tuple(dict.fromkeys(known)))
    failures: list[Failure] = []
    if any(question.each for question in task.questions):
        items, failures = _add_texts(root, corpus, task, items, advance)
        if not items:
            raise InputError(f"no page could be read again; the first: {failures[0].reason}")
    with open_store(root) as store:
        annotate.add_task(store, task, items)
        return Started(annotate.find_task(store, task.name), failures)


def _add_texts(
    root: Path, corpus: Corpus, task: Task, items: Sequence[TaskItem], advance: Advance
) -> tuple[list[TaskItem], list[Failure]]:
    """Give every item the texts that each method finds for it."""
    unknown = [method for method in task.select.methods if method not in METHODS]
    if unknown or not task.select.methods:
        wrong = f"{unknown[0]!r} is none" if unknown else "there are none"
        raise SettingsError(f"methods in [select]: {wrong}; choose of {', '.join(METHODS)}")
    collection = open_collection(root)
    told = tell_apart(list_archives(collection))
    archives = {told[path]: path for path in find_archives(collection)}
    wanted = {item.sample for item in items}
    rows = {
        row["id"]: row
        for batch in corpus.batches(COLUMNS)
        for row in batch.to_pylist()
        if row["id"] in wanted
    }
    found, failures = [], []
    for done, item in enumerate(items, 1):
        texts = _find_texts(rows[item.sample], archives, task.select.methods)
        if isinstance(texts, Failure):
            failures.append(texts)
        else:
            found.append(item._replace(variants=_mix(texts, f"{task.select.seed}:{item.sample}")))
        advance(done, len(items))
    return found, failures


def _mix(texts: dict[str, list[str]], seed: str) -> tuple[Variant, ...]:
    """Return texts in an order that says nothing of who proposed them."""
    variants = [Variant(tuple(methods), text) for text, methods in texts.items()]
    random.Random(seed).shuffle(variants)  # noqa: S311 -- repeatable, not secret
    return tuple(variants)


def _find_texts(
    row: dict[str, Any], archives: dict[str, Path], methods: Sequence[str]
) -> dict[str, list[str]] | Failure:
    """Return the different texts of an image on its page, each with the methods that give it."""
    path, offset = archives.get(row["page_warc_file"]), row["page_warc_offset"]
    if path is None or offset is None:
        return Failure(row["page_url"], "annotate", "its page is not in the archives")
    record = read_answer(path, offset, LONGEST_RECORD)
    if isinstance(record, Failure):
        return record
    page = read(Response(row["page_url"], record.status, record.headers, record.body), methods)
    if isinstance(page, Failure):
        return page
    contexts = _find_contexts(row, page)
    texts: dict[str, list[str]] = {}
    for method in methods:
        text = contexts[method].text.strip()[:LONGEST] if method in contexts else ""
        if text:
            texts.setdefault(text, []).append(method)
    return texts or Failure(row["page_url"], "annotate", "no method finds a text for its image")


def _find_contexts(row: dict[str, Any], page: Page) -> dict[str, Context]:
    """Return the contexts of the image of a sample, under whatever address its page shows it."""
    here = [mention for mention in row["mentions"] if mention["page_url"] == row["page_url"]]
    addresses = {row["url"], *(mention["copy_url"] for mention in here)} - {""}
    for image in page.images:
        if image.url in addresses and image.contexts:
            return image.contexts
    return {}
