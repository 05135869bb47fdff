"""Which samples people are asked about.

In: a corpus and a `Selection`. Out: `Item`s: the best, random ones, those the ranking is least
sure of, or equally many of each value of a facet; always the same for the same seed. Nobody is
asked about what the removal list takes down.
"""

import heapq
import random
from collections import defaultdict
from collections.abc import Iterator, Set
from typing import Any, NamedTuple

from blickfang.corpus import Corpus
from blickfang.corpus.removals import list_removed
from blickfang.errors import InputError, SettingsError
from blickfang.io.urls import host
from blickfang.web.annotate.task import TaskSelection

SURE_OF_NOTHING = 0.5  # the rank that says neither yes nor no
LONGEST = 4000  # characters of a text that are shown
TEXTS = ("caption", "context_section_description", "caption_alt_text_description", "page_title")


class Variant(NamedTuple):
    """One of several texts of an image, and who proposed it; people never see who."""

    methods: tuple[str, ...]
    text: str


class TaskItem(NamedTuple):
    """A sample as it is shown to annotators."""

    sample: str
    text: str
    page_url: str = ""
    page_title: str = ""
    variants: tuple[Variant, ...] = ()


def select_items(
    corpus: Corpus, select: TaskSelection, also: tuple[str, ...] = ()
) -> list[TaskItem]:
    """Return the items of a task; `also` are samples that must be there, whatever is chosen."""
    if select.text not in TEXTS:
        raise SettingsError(f"text in [select] must be one of {', '.join(TEXTS)}")
    if select.how == "facet" and select.facet != "host":
        corpus.table([select.facet]).slice(0, 0)  # says which column is not there
    removed = list_removed(corpus)
    chosen = CHOICES[select.how](_rows(corpus, select, removed), select)
    if not chosen:
        reason = f"the filter {select.where!r} leaves none" if select.where else "it is empty"
        reason += f", or all are removed ({len(removed):,})" if removed else ""
        raise InputError(f"no sample of {corpus.folder} can be asked about: {reason}")
    there = {row["id"] for row in chosen}
    missing = {sample for sample in also if sample not in there}
    if missing:
        rest = TaskSelection(text=select.text)
        chosen += [row for row in _rows(corpus, rest, removed) if row["id"] in missing]
        lost = missing - {row["id"] for row in chosen}
        if lost:
            why = "on the removal list" if min(lost) in removed else f"not in {corpus.folder}"
            raise InputError(f"gold or example sample {min(lost)} is {why}")
    return [
        TaskItem(row["id"], row[select.text][:LONGEST], row["page_url"], row["page_title"])
        for row in chosen
    ]


def _rows(corpus: Corpus, select: TaskSelection, removed: Set[str]) -> Iterator[dict[str, Any]]:
    columns = {"id", "page_url", "page_title", "rank", select.text}
    columns |= {select.facet} - {"", "host"}
    for batch in corpus.batches(sorted(columns), where=select.where):
        yield from (row for row in batch.to_pylist() if row["id"] not in removed)


def _take_top(rows: Iterator[dict[str, Any]], select: TaskSelection) -> list[dict[str, Any]]:
    return [row for row, _ in zip(rows, range(select.count), strict=False)]


def _take_random(rows: Iterator[dict[str, Any]], select: TaskSelection) -> list[dict[str, Any]]:
    chance = random.Random(select.seed)  # noqa: S311 -- repeatable, not secret
    return heapq.nsmallest(select.count, rows, key=lambda _: chance.random())


def _take_uncertain(rows: Iterator[dict[str, Any]], select: TaskSelection) -> list[dict[str, Any]]:
    return heapq.nsmallest(
        select.count, rows, key=lambda row: abs((row["rank"] or 0.0) - SURE_OF_NOTHING)
    )


def _take_facets(rows: Iterator[dict[str, Any]], select: TaskSelection) -> list[dict[str, Any]]:
    """Take the best of every value in turn, until there are enough."""
    values: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        value = host(row["page_url"]) if select.facet == "host" else str(row[select.facet])
        if len(values[value]) < select.count:
            values[value].append(row)
    chosen: list[dict[str, Any]] = []
    depth = 0
    while len(chosen) < select.count and any(depth < len(group) for group in values.values()):
        turn = [group[depth] for group in values.values() if depth < len(group)]
        chosen += turn[: select.count - len(chosen)]
        depth += 1
    return chosen


CHOICES = {
    "top": _take_top,
    "random": _take_random,
    "uncertain": _take_uncertain,
    "facet": _take_facets,
}
