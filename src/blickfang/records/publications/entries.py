"""What was chosen in a row becomes an entry: title, names, year, venue, links.

In: choices. Out: entries, without rows that are headings or remarks.
"""

import re
from typing import NamedTuple

from blickfang.records.publications.row import CAPITAL, HARD, YEARS, Row, cut_text
from blickfang.records.publications.spans import Authors, Item

PAPER = re.compile(r"\.(?:pdf|ps|ps\.gz)(?:$|[?#])|/pdf/", re.IGNORECASE)
PAPER_TEXT = re.compile(r"\b(?:pdf|paper|download|full text|volltext|preprint|ps)\b", re.IGNORECASE)
VENUE_CUE = re.compile(r"^(?:in|to appear in|appears in|erschienen in)\b[:\s]*", re.IGNORECASE)
OLD_YEAR = re.compile(r"1[5-8]\d\d")  # also a page: only where no later year stands in the row
DASHES = frozenset("-‐‑–—")
BRACKETS = {"(": ")", "[": "]"}
ENDS_TITLE = frozenset("?!%")
FEW_WORDS = 4
RARE = 0.15  # of the rows have no authors: such a row is then likely none
MAX_VENUE = 40  # words


class Choice(NamedTuple):
    """What was chosen in a row."""

    row: Row
    authors: Authors
    title: tuple[int, int]
    confidence: float


class Person(NamedTuple):
    """A name as printed, and its parts."""

    name: str
    first: str
    last: str


class Entry(NamedTuple):
    """A publication."""

    title: str
    authors: tuple[Person, ...]
    year: str
    venue: str
    pdf: str  # address as written, or ""
    links: tuple[tuple[str, str], ...]  # text and address as written
    confidence: float


def keep_entries(choices: list[Choice]) -> list[Choice]:
    """Return the choices that are publications; headings and remarks among the rows are not."""
    bare = sum(not choice.authors.items for choice in choices)
    rare = bare < RARE * len(choices)
    kept = []
    for choice in choices:
        words = choice.title[1] - choice.title[0]
        if choice.authors.items or not (words < 2 or (rare and words < FEW_WORDS)):
            kept.append(choice)
    return kept


def make_entry(choice: Choice) -> Entry:
    """Return the entry of a choice."""
    row = choice.row
    links = tuple((cut_text(row, first, stop), href) for first, stop, href in row.links)
    return Entry(
        cut_title(row, *choice.title),
        tuple(read_person(row, item) for item in choice.authors.items),
        find_year(row),
        find_venue(row, choice),
        find_paper(links),
        links,
        choice.confidence,
    )


def cut_title(row: Row, first: int, stop: int) -> str:
    """Return the words of a title with the signs that belong to its end: ? ! % and a bracket."""
    title = cut_text(row, first, stop)
    for sign in row.gaps[stop].marks:
        if sign not in ENDS_TITLE and not (sign == ")" and title.count("(") > title.count(")")):
            break
        title += sign
    return title


def find_year(row: Row) -> str:
    """Return the last year in a row, or ""."""
    years = [word for word, kind in zip(row.words, row.kinds, strict=True) if kind == YEARS]
    old = [
        word
        for at, word in enumerate(row.words)
        if OLD_YEAR.fullmatch(word)
        and DASHES.isdisjoint(row.gaps[at].marks + row.gaps[at + 1].marks)
    ]
    return (years or old or [""])[-1]


def read_person(row: Row, item: Item) -> Person:
    """Return a name with first and last names apart."""
    name = cut_text(row, item.first, item.stop)
    period = item.stop < len(row.words) and row.kinds[item.stop - 1] == "I"
    name += "." if period and row.gaps[item.stop].marks.startswith(".") else ""
    if "," in name:
        last, _, first = name.partition(",")
        return Person(name, first.strip(), last.strip())
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


def find_venue(row: Row, choice: Choice) -> str:
    """Return what stands behind title and authors, up to the line's end or the year."""
    first = max(choice.title[1], choice.authors.stop)
    while first < len(row.words) and row.kinds[first] in "YDJ":
        first += 1
    stop = first
    while stop < min(len(row.words), first + MAX_VENUE):
        if stop > first and (row.gaps[stop].strength == HARD or row.kinds[stop] == YEARS):
            break
        stop += 1
    behind = row.gaps[stop].marks
    if stop < len(row.words) and row.kinds[stop] == YEARS:  # the bracket may be closed behind it
        behind += row.gaps[stop + 1].marks
    venue = close_brackets(VENUE_CUE.sub("", cut_text(row, first, stop)), behind)
    return venue if CAPITAL in row.kinds[first:stop] or "I" in row.kinds[first:stop] else ""


def close_brackets(text: str, behind: str) -> str:
    """Return a text with the brackets that it opens and the signs behind it close.

    >>> close_brackets("Library Quarterly 81(2", "),")
    'Library Quarterly 81(2)'
    >>> close_brackets("Brook Letters 3", "),")
    'Brook Letters 3'
    """
    missing: list[str] = []  # what would close those that are open, the innermost last
    for sign in text:
        if sign in BRACKETS:
            missing.append(BRACKETS[sign])
        elif missing and sign == missing[-1]:
            missing.pop()
    for sign in behind:
        if sign in BRACKETS:  # of something else
            break
        if missing and sign == missing[-1]:
            text += missing.pop()
    return text
