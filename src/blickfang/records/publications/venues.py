"""Where a publication appeared: the part of a row that names a journal or a meeting.

In: a row and what in it is title and authors. Out: the venue as printed, or "". Months, links and
kinds of documents, and fields that say that they are something else, are none.
"""

import re

from blickfang.records.publications.name_spans import Authors
from blickfang.records.publications.record_row import (
    BLANKLESS,
    CAPITAL,
    HARD,
    INITIAL,
    LOWER,
    STRONG,
    YEARS,
    RecordRow,
    cut_text,
)

VENUE_CUE = re.compile(r"^(?:in|to appear in|appears in|erschienen in)\b[:\s]*", re.IGNORECASE)
# What follows the name of a journal: volume, number, pages.
BEHIND = re.compile(
    r"(?:[,;.]|(?<!\s))\s++(?:vol(?:ume)?|no|nr|núm|num|n°|bd|band|heft|issue|pp?|pages?|pg|ss?|seiten?|т|с|№)\b"
    r"\.?\s*+[\d№(].*$|,\s*+\d[\d\s()/:;,.–—-]{0,300}+$",
    re.IGNORECASE | re.DOTALL,
)
BRACKETS = {"(": ")", "[": "]"}
MAX_VENUE = 40  # words
LABEL_WORDS = (
    "in journal venue conference source book booktitle publication published revue zeitschrift "
    "konferenz tagung quelle revista fuente rivista журнал источник 期刊 会议 来源 出处"
)
VENUE_LABELS = frozenset(LABEL_WORDS.split())
# What stands in a row where a venue may stand, and is none: months, links, kinds of documents.
OTHER_WORDS = """
    jan feb mar apr may jun jul aug sep sept oct nov dec january february march april june july
    august september october november december januar februar märz mai juni juli oktober dezember
    janvier février mars avril juin juillet août septembre octobre novembre décembre enero febrero
    marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre gennaio febbraio
    aprile maggio giugno luglio settembre ottobre dicembre
    pdf ps html bib bibtex ris doi url link links abstract abstracts code slides slide poster video
    videos project page website web online paper papers download downloads cite citation cited by
    data dataset demo supplement supplementary material talk full text fulltext volltext preprint
    read more view details show hide open access file files scholar google publisher
    article articles artikel aufsatz beitrag journal conference proceedings inproceedings
    contribution contributions chapter book buch buchkapitel thesis dissertation report
    workshop publication publications type peer reviewed review research output the a an and or of
    in to for from de la el le des et und der die das über via as with
"""
NO_VENUE = frozenset(OTHER_WORDS.split())


def find_venue(row: RecordRow, title: tuple[int, int], authors: Authors) -> str:
    """Return what names a journal or a meeting, first of what stands behind title and authors."""
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


def find_part_end(row: RecordRow, first: int, stop: int) -> int:
    """Return where a part of a row ends: at a line's end, or before a year that is not in it."""
    begun = False
    for at in range(first, min(stop, first + MAX_VENUE)):
        if at > first and (row.gaps[at].strength == HARD or at in row.labels):
            return at
        if row.kinds[at] == YEARS and begun and not is_inside(row, at):
            return at
        begun |= row.kinds[at] not in "YDJ"
    return min(stop, first + MAX_VENUE)


def is_inside(row: RecordRow, at: int) -> bool:
    """Whether a year is part of a name, as in "KI 2006: Advances": another year follows."""
    goes_on = at + 1 < len(row.words) and row.kinds[at + 1] in (CAPITAL, INITIAL, LOWER)
    gap = row.gaps[at + 1]
    return (
        goes_on and gap.marks in ("", ":") and gap.strength < HARD and YEARS in row.kinds[at + 2 :]
    )


def skip_no_venue(row: RecordRow, first: int, stop: int) -> int:
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


def is_venue(row: RecordRow, first: int, stop: int) -> bool:
    """Whether words may name a journal or a meeting: a name among them, under no other label."""
    label = row.labels.get(first, "")
    if label and VENUE_LABELS.isdisjoint(re.findall(r"\w+", label)):
        return False
    return any(
        (row.kinds[at] in (CAPITAL, INITIAL) or BLANKLESS.match(row.words[at]))
        and not is_no_venue(row.words[at])
        for at in range(first, stop)
    )


def cut_venue(row: RecordRow, first: int, stop: int) -> str:
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
    venue = VENUE_CUE.sub("", cut_text(row, first, stop))
    return close_brackets(BEHIND.sub("", venue), behind)


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
