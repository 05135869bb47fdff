"""What is wanted of pages: which kind of records, which lists, by which rule.

In: what a user typed. Out: `Asked`, small enough to go to every process.
"""

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from blickfang.collection import open_collection
from blickfang.config import FILE
from blickfang.crawl import CrawlOptions
from blickfang.pipeline.recording.shelf import CLASSES, RULES, find_named
from blickfang.records import Classes, load_classes
from blickfang.records.extract import PUBLICATIONS
from blickfang.records.rules import Rule, load_rule

ALL = 0
LOOKED_AT = 3  # lists among which those of the kind that was asked for come first
LOOKED_AT_FOR_ALL = 10  # by --as and --region all


@dataclass(frozen=True, slots=True)
class RecordsRequest:
    """What is wanted of pages."""

    kind: str = ""  # "", publications, or the name of learned classes
    region: int = 1  # which list; 0 means all
    classes: str = ""  # file of learned classes
    rule: str = ""  # file of a rule
    options: CrawlOptions | None = None  # how addresses are fetched
    split: bool = False  # texts of lists are cut where rows agree on a separator


def ask(
    kind: str = "",
    region: int = 1,
    rule: str = "",
    contact: str = "",
    collection: Path | None = None,
    *,
    split: bool = False,
) -> RecordsRequest:
    """Return what is wanted; names that are not there are mistakes.

    Addresses are fetched with the settings of a collection, by default that of the current folder.
    """
    options = find_options(contact, collection)
    if rule:
        path = find_named(RULES, rule)
        return RecordsRequest(load_rule(path).kind, region, "", str(path), options, split)
    learned = kind if kind != PUBLICATIONS else ""
    classes = str(find_named(CLASSES, learned)) if learned else ""
    return RecordsRequest(kind, region, classes, "", options, split)


def find_options(contact: str, collection: Path | None) -> CrawlOptions | None:
    """Return the settings by which addresses are fetched; None where nobody gave a contact."""
    if collection is None and not Path(FILE).exists():
        return CrawlOptions(contact=contact) if contact else None
    options = open_collection(collection or Path()).settings.crawl
    return replace(options, contact=contact) if contact else options


@cache
def recall_classes(path: str) -> Classes | None:
    """Return learned classes, read once a process."""
    return load_classes(Path(path)) if path else None


@cache
def recall_rule(path: str) -> Rule:
    """Return a rule, read once a process."""
    return load_rule(Path(path))
