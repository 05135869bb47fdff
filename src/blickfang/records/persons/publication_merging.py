"""Many tellings of a publication become one: same title in different writings, fields united.

In: publications of any sources, in any order. Out: each publication once. What comes out does not
depend on the order, and merging again changes nothing: one round follows another until none does.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations

from blickfang.records.persons.person_names import NameLikeness, compare_names, parse_name
from blickfang.records.persons.person_values import Publication, Telling

WORD = re.compile(r"[^\W_]+")
NUMBER = re.compile(r"\d|^(?:i{1,3}|iv|v|vi{1,3}|ix|x|[a-h])$")  # tells parts of a series apart
YEAR = re.compile("[0-9]{1,6}")
CUT = re.compile(r"(?:\.\.\.|…)\s*$")
SUBTITLE = re.compile(r"(?<!\s)(?:\s*+[:–—?!.]\s++|\s++-\s++)")
MIN_WORDS = 4  # of a title that may be the beginning of another
MIN_TYPO = 6  # letters of a word that may be misspelt
YEARS = 1  # apart: a preprint, and what was printed later
CONFIRMED = 2  # sources of a longer list of authors
FEWER = 4  # times fewer than tell of the shorter one they may be
BLOCK_CHARS = 12  # at either end of a title, by which candidates meet
ALL_PAIRS = 60  # up to so many in a block all are compared, beyond that neighbours
NEIGHBOURS = 8


def merge_publications(found: Iterable[Publication]) -> list[Publication]:
    """Return each publication once, the newest first."""
    current = sorted(set(found))
    while True:
        groups = _group(current)
        united = sorted({_unite(group) for group in groups})
        if united == current:
            return sorted(united, key=lambda each: (_newest(each.year), each))
        current = united


def _newest(year: str) -> int:
    return -int(year) if YEAR.fullmatch(year) else 1


@lru_cache(maxsize=65_536)
def title_words(title: str) -> tuple[str, ...]:
    """Return the words of a title, however it is written.

    >>> title_words("Über Multi-Modal „Dialogs“")
    ('uber', 'multi', 'modal', 'dialogs')
    """
    plain = unicodedata.normalize("NFKD", title.casefold().replace("ß", "ss"))
    kept = "".join(char for char in plain if not unicodedata.combining(char))
    return tuple(WORD.findall(kept))


@lru_cache(maxsize=65_536)
def title_key(title: str) -> str:
    """Return what a title has in all its writings: letters and digits, without blanks."""
    return "".join(title_words(title))


def is_same(one: Publication, other: Publication) -> bool:
    """Whether two tellings are of one publication."""
    if one.doi and one.doi == other.doi:
        return True
    if not _years_agree(one.year, other.year):
        return False
    ones, others = title_key(one.title), title_key(other.title)
    if not ones or not others:
        return False
    if ones == others:
        few = len(title_words(one.title)) < MIN_WORDS
        return _authors_agree(one, other, needed=few)
    if _is_beginning(one.title, other.title) or _is_beginning(other.title, one.title):
        return _authors_agree(one, other, needed=True)
    if _is_misspelt(one.title, other.title):
        return one.year == other.year and _authors_equal(one, other)
    return False


def _years_agree(one: str, other: str) -> bool:
    if not (YEAR.fullmatch(one) and YEAR.fullmatch(other)):
        return True
    return abs(int(one) - int(other)) <= YEARS


def _authors_agree(one: Publication, other: Publication, *, needed: bool) -> bool:
    """Whether two lists have a person in common; lists that are not there say nothing."""
    if not one.authors or not other.authors:
        return not needed
    return any(_may_be_one(a, b) for a in one.authors[:50] for b in other.authors[:50])


def _authors_equal(one: Publication, other: Publication) -> bool:
    if not one.authors or len(one.authors) != len(other.authors):
        return False
    return all(map(_may_be_one, one.authors, other.authors))


@lru_cache(maxsize=65_536)
def _may_be_one(one: str, other: str) -> bool:
    return compare_names(parse_name(one), parse_name(other)) > NameLikeness.NONE


def _is_beginning(short: str, long: str) -> bool:
    """Whether a title is another one without its subtitle, or cut by dots."""
    words, key, whole = title_words(short), title_key(short), title_key(long)
    if len(words) < MIN_WORDS or len(key) >= len(whole) or not whole.startswith(key):
        return False
    if CUT.search(short):
        return True
    heads = (title_key(long[: match.start()]) for match in SUBTITLE.finditer(long))
    return key in heads


def _is_misspelt(one: str, other: str) -> bool:
    """Whether titles differ in one letter of one long word."""
    ones, others = title_words(one), title_words(other)
    if len(ones) != len(others) or len(ones) < MIN_WORDS:
        return False
    differing = [(a, b) for a, b in zip(ones, others, strict=True) if a != b]
    if len(differing) != 1:
        return False
    a, b = differing[0]
    long = min(len(a), len(b)) >= MIN_TYPO and a[0] == b[0]
    return long and not NUMBER.search(a + b) and _one_letter_apart(a, b)


def _one_letter_apart(one: str, other: str) -> bool:
    """Whether a letter was left out, added, replaced, or two were exchanged."""
    short, long = sorted((one, other), key=len)
    if len(long) - len(short) > 1:
        return False
    begin = 0
    while begin < len(short) and short[begin] == long[begin]:
        begin += 1
    if len(short) < len(long):
        return short[begin:] == long[begin + 1 :]
    crossed = short[begin : begin + 2][::-1] == long[begin : begin + 2]
    return short[begin + 1 :] == long[begin + 1 :] or (
        crossed and short[begin + 2 :] == long[begin + 2 :]
    )


def _group(current: Sequence[Publication]) -> list[list[Publication]]:
    """Return the publications that belong together, directly or through others."""
    leaders = list(range(len(current)))

    def lead(at: int) -> int:
        while leaders[at] != at:
            leaders[at] = leaders[leaders[at]]
            at = leaders[at]
        return at

    for a, b in _find_pairs(current):
        if lead(a) != lead(b) and is_same(current[a], current[b]):
            leaders[max(lead(a), lead(b))] = min(lead(a), lead(b))
    groups = defaultdict(list)
    for at, publication in enumerate(current):
        groups[lead(at)].append(publication)
    return list(groups.values())


def _find_pairs(current: Sequence[Publication]) -> Iterator[tuple[int, int]]:
    """Give the pairs worth a look: titles that begin or end alike, or the same DOI."""
    blocks: dict[tuple[str, str], list[int]] = defaultdict(list)
    for at, each in enumerate(current):
        key = title_key(each.title)
        blocks["begin", key[:BLOCK_CHARS]].append(at)
        blocks["end", key[-BLOCK_CHARS:]].append(at)
        if each.doi:
            blocks["doi", each.doi].append(at)
    for block in blocks.values():
        if len(block) <= ALL_PAIRS:
            yield from combinations(block, 2)
            continue
        block.sort(key=lambda at: (title_key(current[at].title), current[at]))
        for step in range(1, NEIGHBOURS + 1):
            yield from zip(block, block[step:], strict=False)


def _unite(group: Sequence[Publication]) -> Publication:
    """Return one publication with what all tell of it; where they differ, the best telling."""
    if len(group) == 1:
        return _tidy(group[0])
    trusted = max(each.trust for each in group)
    best = [each for each in group if each.trust == trusted]
    years = [each.year for each in best if each.year] or [each.year for each in group]
    venues = [each.venue for each in best if each.venue] or [each.venue for each in group]
    told = sorted({telling for each in group for telling in each.tellings()})
    return _tidy(
        Publication(
            title=max((each.title for each in best), key=_rate_title),
            authors=_unite_authors(told, max(title_key(each.title) for each in group)),
            year=max(years, key=lambda year: (_count_sources(told, year), year)),
            venue=max(venues, key=_rate_text),
            pdfs=tuple(pdf for each in group for pdf in each.pdfs),
            bibs=tuple(bib for each in group for bib in each.bibs),
            affiliations=tuple(place for each in group for place in each.affiliations),
            emails=tuple(mail for each in group for mail in each.emails),
            abstract=max((each.abstract for each in group), key=_rate_text),
            doi=max(each.doi for each in group),
            sources=tuple(source for each in group for source in each.sources),
            owned=tuple(source for each in group for source in each.owned),
            trust=trusted,
            told=tuple(told),
        )
    )


def _count_sources(told: Sequence[Telling], year: str) -> int:
    """Return how many sources tell of a year."""
    return len({each.source for each in told if each.year == year})


def _tidy(one: Publication) -> Publication:
    """Return a publication whose lists have no order but their own, and nothing twice."""
    return one._replace(
        title=one.title if CUT.search(one.title) else one.title.rstrip(" .,;:"),
        pdfs=tuple(sorted(set(one.pdfs))),
        bibs=tuple(sorted(set(one.bibs))),
        affiliations=tuple(sorted(set(one.affiliations))),
        emails=tuple(sorted(set(one.emails))),
        sources=tuple(sorted(set(one.sources))),
        owned=tuple(sorted(set(one.owned))),
    )


def _rate_title(title: str) -> tuple[bool, bool, int, str]:
    """Prefer whole titles, in small letters as well, and longer ones."""
    return not CUT.search(title), not title.isupper(), len(title), title


def _rate_text(text: str) -> tuple[int, str]:
    return len(text), text


def count_confirmations(publication: Publication) -> int:
    """Return how many sources tell of just these authors."""
    told = publication.tellings()
    return len({each.source for each in told if _are_alike(each.authors, publication.authors)})


def _unite_authors(told: Sequence[Telling], title: str) -> tuple[str, ...]:
    """Return the list that most sources tell; each name as it is written out most fully anywhere.

    One page that reads a venue as an author, or drops a name, stands against all others. A longer
    list comes before one that only leaves some of its names out if a second source confirms it.
    """
    given = [each for each in told if each.authors]
    given = [each for each in given if each.whole] or given
    if not given:
        return ()
    places = [key for each in told if (key := title_key(each.venue))] + [title]
    lists = sorted({each.authors for each in given})
    votes = {names: _count_votes(names, given) for names in lists}

    def rate(names: tuple[str, ...]) -> tuple[bool, int, int, int, tuple[str, ...]]:
        no_name = any(len(k := title_key(n)) > 3 and any(k in p for p in places) for n in names)
        return not no_name, votes[names], len(names), sum(map(len, names)), names

    best = max(lists, key=rate)
    longer = [
        names
        for names in lists
        if len(names) > len(best)
        and rate(names)[0]
        and votes[names] >= max(CONFIRMED, votes[best] / FEWER)
        and _leaves_out(best, names)
    ]
    best = max(longer, key=rate, default=best)
    columns = zip(*(each.authors for each in given if _are_alike(each.authors, best)), strict=True)
    return tuple(max(column, key=_rate_name) for column in columns)


def _count_votes(names: tuple[str, ...], told: Sequence[Telling]) -> int:
    """Return how many sources tell of a list; one that states its fields counts twice."""
    agreeing = {each.source: 1 + each.trust for each in told if _are_alike(each.authors, names)}
    return sum(agreeing.values())


def _are_alike(ones: tuple[str, ...], others: tuple[str, ...]) -> bool:
    """Whether two lists may be of the same people."""
    return len(ones) == len(others) and all(map(_may_be_one, ones, others))


def _leaves_out(short: tuple[str, ...], long: tuple[str, ...]) -> bool:
    """Whether a list is another one without some of its names."""
    rest = iter(long)
    return all(any(_may_be_one(name, other) for other in rest) for name in short)


def _rate_name(name: str) -> tuple[int, bool, str]:
    """Prefer names that are written out, and as they are spoken."""
    return sum(map(str.isalpha, name)), "," not in name, name
