"""What was chosen in a row becomes an entry: title, names, year, venue, links.

In: choices. Out: entries, without rows that are headings or remarks.
"""

import re
from typing import NamedTuple

from blickfang.records.publications.row import (
    BLANKLESS,
    CAPITAL,
    DIGITS,
    HARD,
    INITIAL,
    LOWER,
    STRONG,
    YEARS,
    Row,
    cut_text,
)
from blickfang.records.publications.spans import Authors, Item

PAPER = re.compile(r"\.(?:pdf|ps|ps\.gz)(?:$|[?#])|/pdf/", re.IGNORECASE)
PAPER_TEXT = re.compile(r"\b(?:pdf|paper|download|full text|volltext|preprint|ps)\b", re.IGNORECASE)
VENUE_CUE = re.compile(r"^(?:in|to appear in|appears in|erschienen in)\b[:\s]*", re.IGNORECASE)
OLD_YEAR = re.compile(r"1[5-8]\d\d")  # also a page: only where no later year stands in the row
NUMBERED = re.compile(r"(?<=[^\W\d_]{2})\d{1,2}(?=\s|,|$)")  # by its affiliation: "Berg1"
DASHES = frozenset("-‐‑–—")
BRACKETS = {"(": ")", "[": "]"}
ENDS_TITLE = frozenset("?!%")
FEW_WORDS = 4
RARE = 0.15  # of the rows have no authors: such a row is then likely none
MAX_VENUE = 40  # words
YEAR_IN = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
VENUE_LABELS = frozenset(
    "in journal venue conference source book booktitle publication published revue zeitschrift "
    "konferenz tagung quelle revista fuente rivista журнал источник 期刊 会议 来源 出处".split()
)
# What stands in a row where a venue may stand, and is none: months, links, kinds of documents.
NO_VENUE = frozenset(
    """jan feb mar apr may jun jul aug sep sept oct nov dec january february march april june july
    august september october november december januar februar märz mai juni juli oktober dezember
    janvier février mars avril juin juillet août septembre octobre novembre décembre enero febrero
    marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre gennaio febbraio
    aprile maggio giugno luglio settembre ottobre dicembre
    pdf ps html bib bibtex ris doi url link links abstract abstracts code slides slide poster video
    videos project page website web online paper papers download downloads cite citation cited by
    data dataset demo supplement supplementary material talk full text fulltext volltext preprint
    arxiv read more view details show hide open access file files scholar google publisher
    article articles artikel aufsatz beitrag journal conference proceedings inproceedings
    contribution contributions chapter book buch buchkapitel thesis dissertation report
    workshop publication publications type peer reviewed review research output the a an and or of
    in to for from de la el le des et und der die das über via as with""".split()
)


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
    """Return the last year in a row, or ""; one that may be a page only where there is no other."""
    years = [
        (at, found[0])
        for at, (word, kind) in enumerate(zip(row.words, row.kinds, strict=True))
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


def is_range(row: Row, at: int) -> bool:
    """Whether a number is one end of a range, as pages are."""
    for gap, other in ((at, at - 1), (at + 1, at + 1)):
        dashed = not DASHES.isdisjoint(row.gaps[gap].marks)
        if dashed and 0 <= other < len(row.words) and row.kinds[other] in (DIGITS, YEARS):
            return True
    return False


def read_person(row: Row, item: Item) -> Person:
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


def find_venue(row: Row, choice: Choice) -> str:
    """Return what names a journal or a meeting, first of what stands behind title and authors."""
    title, authors = choice.title, choice.authors
    behind = max(title[1], authors.stop)
    parts = [(behind, len(row.words))]
    if authors.items and title[1] < authors.first:
        parts.append((title[1], authors.first))
    for first, stop in parts:
        while first < stop:
            end = find_part_end(row, first, stop)
            begin = skip_no_venue(row, first, end)
            if begin < end and is_venue(row, begin, end):
                return cut_venue(row, begin, end)
            first = end
    return ""


def find_part_end(row: Row, first: int, stop: int) -> int:
    """Return where a part of a row ends: at a line's end, or before a year that is not inside it."""
    begun = False
    for at in range(first, min(stop, first + MAX_VENUE)):
        if at > first and (row.gaps[at].strength == HARD or at in row.labels):
            return at
        if row.kinds[at] == YEARS and begun and not is_inside(row, at):
            return at
        begun |= row.kinds[at] not in "YDJ"
    return min(stop, first + MAX_VENUE)


def is_inside(row: Row, at: int) -> bool:
    """Whether a year is part of a name, as in "KI 2006: Advances": words and another year follow."""
    goes_on = at + 1 < len(row.words) and row.kinds[at + 1] in (CAPITAL, INITIAL, LOWER)
    gap = row.gaps[at + 1]
    return (
        goes_on and gap.marks in ("", ":") and gap.strength < HARD and YEARS in row.kinds[at + 2 :]
    )


def skip_no_venue(row: Row, first: int, stop: int) -> int:
    """Return where in a part something begins that is neither number, month, nor link."""
    while first < stop:
        end = first + 1
        while end < stop and row.gaps[end].strength < STRONG:
            end += 1
        words = range(first, end)
        if not all(row.kinds[at] in "YDJ" or is_no_venue(row.words[at]) for at in words):
            break
        first = end
    while first < stop and row.kinds[first] in "YDJ":
        first += 1
    return first


def is_no_venue(word: str) -> bool:
    """Whether a word says nothing of where something was published."""
    return word.lower() in NO_VENUE or len(word) == 1


def is_venue(row: Row, first: int, stop: int) -> bool:
    """Whether words may name a journal or a meeting: a name among them, under no other label."""
    label = row.labels.get(first, "")
    if label and VENUE_LABELS.isdisjoint(re.findall(r"\w+", label)):
        return False
    return any(
        (row.kinds[at] in (CAPITAL, INITIAL) or BLANKLESS.match(row.words[at]))
        and not is_no_venue(row.words[at])
        for at in range(first, stop)
    )


def cut_venue(row: Row, first: int, stop: int) -> str:
    """Return the text of a venue, without what stands before and behind it."""
    end = first + 1
    while end < stop:  # links behind it
        part = end + 1
        while part < stop and row.gaps[part].strength < STRONG:
            part += 1
        linked = row.gaps[end].strength >= STRONG and all(
            row.words[at].lower() in NO_VENUE and row.kinds[at] in (CAPITAL, INITIAL)
            for at in range(end, part)
        )
        if linked and part == stop:
            stop = end
            break
        end = part
    behind = row.gaps[stop].marks
    if stop < len(row.words) and row.kinds[stop] == YEARS:  # the bracket may be closed behind it
        behind += row.gaps[stop + 1].marks
    return close_brackets(VENUE_CUE.sub("", cut_text(row, first, stop)), behind)


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
