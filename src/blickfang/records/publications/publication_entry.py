"""What was chosen in a row becomes an entry: title, names, year, venue, links.

In: choices. Out: entries, without rows that are headings or remarks.
"""

import re
from typing import NamedTuple

from blickfang.records.publications.name_spans import Authors, NameItem
from blickfang.records.publications.record_row import (
    BLANKLESS,
    DIGITS,
    YEARS,
    RecordRow,
    cut_text,
)
from blickfang.records.publications.venues import find_venue

PAPER = re.compile(r"\.(?:pdf|ps|ps\.gz)(?:$|[?#])|/pdf/", re.IGNORECASE)
PAPER_TEXT = re.compile(r"\b(?:pdf|paper|download|full text|volltext|preprint|ps)\b", re.IGNORECASE)
OLD_YEAR = re.compile(r"1[5-8]\d\d")  # also a page: only where no later year stands in the row
NUMBERED = re.compile(r"(?<=[^\W\d_]{2})\d{1,2}(?=\s|,|$)")  # by its affiliation: "Berg1"
DASHES = frozenset("-‐‑–—")
ENDS_TITLE = frozenset("?!%")
VISITED_WORDS = """
accessed retrieved visited abgerufen zugriff aufgerufen consulté consultado обращения
"""
VISITED = frozenset(VISITED_WORDS.split())  # somebody looked at an address in a year
FEW_WORDS = 4
RARE = 0.15  # of the rows have no authors: such a row is then likely none
YEAR_IN = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


class ChosenFields(NamedTuple):
    """What was chosen in a row."""

    row: RecordRow
    authors: Authors
    title: tuple[int, int]
    confidence: float


class Person(NamedTuple):
    """A name as printed, and its parts."""

    name: str
    first: str
    last: str


class ListedPublication(NamedTuple):
    """A publication."""

    title: str
    authors: tuple[Person, ...]
    year: str
    venue: str
    pdf: str  # address as written, or ""
    links: tuple[tuple[str, str], ...]  # text and address as written
    confidence: float


def keep_entries(choices: list[ChosenFields]) -> list[ChosenFields]:
    """Return the choices that are publications; headings and remarks among the rows are not."""
    bare = sum(not choice.authors.items for choice in choices)
    rare = bare < RARE * len(choices)
    kept = []
    for choice in choices:
        words = choice.title[1] - choice.title[0]
        if choice.authors.items or not (words < 2 or (rare and words < FEW_WORDS)):
            kept.append(choice)
    return kept


def make_entry(choice: ChosenFields) -> ListedPublication:
    """Return the entry of a choice."""
    row = choice.row
    links = tuple((cut_text(row, first, stop), href) for first, stop, href in row.links)
    return ListedPublication(
        cut_title(row, *choice.title),
        tuple(read_person(row, item) for item in join_first(row, choice.authors.items)),
        find_year(row),
        find_venue(row, choice.title, choice.authors),
        find_paper(links),
        links,
        choice.confidence,
    )


def join_first(row: RecordRow, items: tuple[NameItem, ...]) -> tuple[NameItem, ...]:
    """Return names of which only the first may be turned: "Berg, Anna, Carl Tal and Eva See"."""
    if len(items) < 2 or items[0].shape != "C" or items[1].shape not in ("C", "CI"):
        return items
    first, second, *others = items
    comma = row.gaps[second.first].marks == "," and first.stop == second.first
    if not comma or any(item.shape in ("C", "I", "CI", "L") for item in others):
        return items
    return (NameItem(first.first, second.stop, "L"), *others)


def cut_title(row: RecordRow, first: int, stop: int) -> str:
    """Return the words of a title with the signs that belong to its end: ? ! % and a bracket."""
    title = cut_text(row, first, stop)
    for sign in row.gaps[stop].marks:
        if sign not in ENDS_TITLE and not (sign == ")" and title.count("(") > title.count(")")):
            break
        title += sign
    return title


def find_year(row: RecordRow) -> str:
    """Return the last year in a row, or ""; one that may be a page only where there is no other."""
    visits = (at for at, word in enumerate(row.words) if word.lower() in VISITED)
    end = next(visits, len(row.words))
    years = [
        (at, found[0])
        for at, (word, kind) in enumerate(zip(row.words[:end], row.kinds[:end], strict=True))
        if kind == YEARS and (found := YEAR_IN.search(word))
    ]
    alone = [year for at, year in years if not is_range(row, at)]
    old = [
        word
        for at, word in enumerate(row.words)
        if OLD_YEAR.fullmatch(word)
        and DASHES.isdisjoint(row.gaps[at].marks + row.gaps[at + 1].marks)
    ]
    return (alone or [year for _, year in years] or old or [""])[-1]


def is_range(row: RecordRow, at: int) -> bool:
    """Whether a number is one end of a range, as pages are."""
    for gap, other in ((at, at - 1), (at + 1, at + 1)):
        dashed = not DASHES.isdisjoint(row.gaps[gap].marks)
        if dashed and 0 <= other < len(row.words) and row.kinds[other] in (DIGITS, YEARS):
            return True
    return False


def read_person(row: RecordRow, item: NameItem) -> Person:
    """Return a name with first and last names apart."""
    name = NUMBERED.sub("", cut_text(row, item.first, item.stop))
    period = item.stop < len(row.words) and row.kinds[item.stop - 1] == "I"
    name += "." if period and row.gaps[item.stop].marks.startswith(".") else ""
    if "," in name:
        last, _, first = name.partition(",")
        return Person(name, first.strip(), last.strip())
    if BLANKLESS.search(name) and item.stop - item.first == 2:
        middle = row.spans[item.first][1] - row.spans[item.first][0]
        return Person(name, name[middle:].strip(), name[:middle])
    words, kinds = name.split(), row.kinds[item.first : item.stop]
    if item.shape == "CI":
        at = max(len(words) - 1, 1)
        return Person(name, " ".join(words[at:]), " ".join(words[:at]))
    at = len(words) - 1
    # Particles belong to the last name: "Ludwig van Beethoven".
    while at > 1 and len(kinds) == len(words) and kinds[at - 1] == "p":
        at -= 1
    return Person(name, " ".join(words[:at]), " ".join(words[at:]))


def find_paper(links: tuple[tuple[str, str], ...]) -> str:
    """Return the address of the paper itself, or ""."""
    for _, href in links:
        if PAPER.search(href):
            return href
    for text, href in links:
        if PAPER_TEXT.search(text) and not href.startswith("#"):
            return href
    return ""
