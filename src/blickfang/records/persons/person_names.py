"""Names of people in all their writings: "First Last", "Last, F.", initials, particles, any script.

In: a name as printed. Out: `Name`s that can be compared: whether two of them may be one person's,
and how sure that is. Names of Han, Kana and Hangul have no blanks: they are compared as a whole.
"""

import re
import unicodedata
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

PARTICLE_WORDS = """van von vom zu zum zur der den de del della di da do dos das du des la le el al
    bin ibn ben ter ten te af av st y e i"""
TITLE_WORDS = "dr prof professor phd msc bsc dipl ing rer nat habil mr mrs ms sir"
PARTICLES, TITLES = frozenset(PARTICLE_WORDS.split()), frozenset(TITLE_WORDS.split())
GENERATIONS = frozenset({"jr", "sr", "ii", "iii", "iv"})
WORD = re.compile(r"[^\W\d_]+(?:['’ʼ`´‐‑-][^\W\d_]+)*\.?")
HYPHEN = re.compile("[‐‑-]")
SPACELESS = re.compile(r"[\u1100-\u11ff\u3005-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
LETTERS = str.maketrans(
    {"ø": "o", "đ": "d", "ð": "d", "ł": "l", "ı": "i", "þ": "th", "ß": "ss", "æ": "ae", "œ": "oe"}
)
GERMAN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})
MAX_CHARS = 200  # of a name; more is none
MAX_INITIALS = 3  # letters without periods that are initials: "JD"
MAX_ABBREVIATION = 4  # letters before a period: "Ch.", "Thos."
SHORT_FORM = 4  # letters from which on a beginning stands for a name: "Alex" for "Alexander"


class NameLikeness(IntEnum):
    """How much two names speak for one person."""

    NONE = 0
    LAST = 1  # one of them has no first name
    INITIALS = 2
    FULL = 3  # at least one first name is written out in both


class NameReading(NamedTuple):
    """One way to understand a name: words in small letters, initials of one letter."""

    first: tuple[str, ...]
    last: tuple[str, ...]
    particles: tuple[str, ...]


class Name(NamedTuple):
    """A name as printed, its parts as printed, and the ways to understand it."""

    printed: str
    first: str
    last: str
    readings: tuple[NameReading, ...]


@lru_cache(maxsize=4096)
def fold(word: str) -> frozenset[str]:
    """Return the plain writings of a word: without diacritics, and as German replaces them.

    >>> sorted(fold("Müller")), sorted(fold("O’Neill"))
    (['mueller', 'muller'], ['oneill'])
    """
    low = unicodedata.normalize("NFC", word.casefold())
    return frozenset(_strip(each) for each in (low, low.translate(GERMAN)))


def _strip(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.translate(LETTERS))
    return "".join(char for char in plain if char.isalnum())


@lru_cache(maxsize=4096)
def parse_name(text: str) -> Name:
    """Return a name with its parts.

    >>> parse_name("van der Berg, J.-P.")[1:3], parse_name("Ludwig van Beethoven")[1:3]
    (('J.-P.', 'van der Berg'), ('Ludwig', 'van Beethoven'))
    """
    printed = " ".join(unicodedata.normalize("NFC", text[:MAX_CHARS]).split()).strip(" ,;")
    if SPACELESS.search(printed):
        return _parse_spaceless(printed)
    parts = [part.strip() for part in printed.split(",") if part.strip()]
    parts = [part for part in parts if _bare(part) not in GENERATIONS | TITLES] or parts[:1]
    if len(parts) > 1:
        first, last = " ".join(parts[1:]), parts[0]
        found = _split_words(first), _split_words(last)
        return Name(printed, first, last, _readings(*found) if found[1] else ())
    words = [word for word in _split_words(printed) if _bare(word) not in TITLES]
    while len(words) > 1 and _bare(words[-1]) in GENERATIONS:
        words.pop()
    return _parse_words(printed, words)


def _bare(word: str) -> str:
    return word.casefold().strip(". ")


def _split_words(text: str) -> list[str]:
    return WORD.findall(text)


def _parse_words(printed: str, words: list[str]) -> Name:
    """Return a name written without a comma: the last word, or two, are the last name."""
    if not words:
        return Name(printed, "", printed, ())
    at = len(words)
    while at > 1 and _is_initials(words[at - 1], words):
        at -= 1
    if at < len(words) and not any(_is_initials(word, words) for word in words[:at]):
        # "Smith J. D.": initials behind the last name.
        return _make(printed, words[at:], words[:at], ())
    at = _find_last(words, len(words) - 1)
    others = []
    if at > 1 and not _is_initials(words[at - 1], words):
        others.append(_find_last(words, at - 1))  # two last names, as in Spanish
    return _make(printed, words[:at], words[at:], tuple((words[:o], words[o:]) for o in others))


def _find_last(words: list[str], at: int) -> int:
    """Return where a last name begins: particles before it belong to it."""
    while at > 1 and words[at - 1].islower() and words[at - 1] in PARTICLES:
        at -= 1
    return at


def _make(
    printed: str, first: list[str], last: list[str], others: tuple[tuple[list[str], list[str]], ...]
) -> Name:
    readings = [reading for pair in ((first, last), *others) for reading in _readings(*pair)]
    shown = [_locate(printed, part) for part in (first, last)]
    return Name(printed, shown[0], shown[1], tuple(dict.fromkeys(readings)))


def _locate(printed: str, words: list[str]) -> str:
    """Return some words as they stand in a name, with what is between them."""
    if not words:
        return ""
    begin = printed.find(words[0])
    for candidate in re.finditer(re.escape(words[0]), printed):
        found = _split_words(printed[candidate.start() :])
        if found[: len(words)] == words:
            begin = candidate.start()
            break
    end = begin
    for word in words:
        end = printed.find(word, end) + len(word)
    return printed[begin:end]


def _readings(first: list[str], last: list[str]) -> tuple[NameReading, ...]:
    """Return the readings of given and family names."""
    particles = tuple(w.casefold() for w in last if w.casefold() in PARTICLES)
    proper = [w for w in last if w.casefold() not in PARTICLES] or last
    particles = particles if len(particles) < len(last) else ()
    given: list[str] = []
    for word in first:
        if word.casefold() in PARTICLES and word.islower():
            continue
        if _is_initials(word, first + last):
            given.extend(word.rstrip(".").casefold())
        else:
            given.extend(HYPHEN.split(word))
    words = tuple(word.rstrip(".") for word in proper)
    return (NameReading(tuple(given), words, particles),)


def _is_initials(word: str, words: list[str]) -> bool:
    """Whether a word stands for first names: "J.", "Ch.", "JD" among words in small letters."""
    bare = word.rstrip(".")
    if len(bare) == 1:
        return True
    if bare.isupper() and len(bare) <= MAX_INITIALS:
        return any(not other.isupper() for other in words)
    return False


def _is_abbreviation(word: str) -> bool:
    return len(word) == 1 or (word.endswith(".") and len(word) <= MAX_ABBREVIATION + 1)


def _parse_spaceless(printed: str) -> Name:
    """Return a name of Han, Kana or Hangul: the family name, one character mostly, comes first."""
    parts = [part for part in re.split(r"[\s,、・·]+", printed) if part]
    whole = "".join(parts)
    last = parts[0] if len(parts) > 1 else whole[: 1 if len(whole) < 4 else 2]
    return Name(printed, whole[len(last) :], last, (NameReading((), (whole,), ()),))


def compare_names(one: Name, other: Name) -> NameLikeness:
    """Return how much two names speak for one person; NONE if they cannot be one's.

    >>> ask = lambda a, b: compare_names(parse_name(a), parse_name(b)).name
    >>> ask("Jörg Müller", "Mueller, J."), ask("Jörg Müller", "Jan Müller")
    ('INITIALS', 'NONE')
    """
    pairs = ((a, b) for a in one.readings for b in other.readings)
    return max((_compare(a, b) for a, b in pairs), default=NameLikeness.NONE)


def _compare(one: NameReading, other: NameReading) -> NameLikeness:
    if one.particles and other.particles and one.particles != other.particles:
        return NameLikeness.NONE
    if not _writings(one.last) & _writings(other.last):
        return NameLikeness.NONE
    if not one.first or not other.first:
        spaceless = SPACELESS.search("".join(one.last))
        return NameLikeness.FULL if spaceless else NameLikeness.LAST
    return _compare_first(one.first, other.first)


@lru_cache(maxsize=4096)
def _writings(words: tuple[str, ...]) -> frozenset[str]:
    """Return the plain writings of a last name as one word: "García-Márquez" is "garciamarquez"."""
    plain = ["".join(_strip(word.casefold()) for word in words)]
    german = ["".join(_strip(_lower(word).translate(GERMAN)) for word in words)]
    return frozenset(plain + german)


def _lower(word: str) -> str:
    return unicodedata.normalize("NFC", word.casefold())


def _compare_first(one: tuple[str, ...], other: tuple[str, ...]) -> NameLikeness:
    """Compare first names: the first must agree, of the others one list may leave some out."""
    if _writings(one) & _writings(other) and max(map(len, one)) > 1:
        return NameLikeness.FULL  # "Xiao-Ming" is "Xiaoming"
    short, long = sorted((one, other), key=len)
    likeness = _compare_words(short[0], long[0])
    if likeness == NameLikeness.NONE:
        return likeness
    at = 1
    for word in short[1:]:
        while at < len(long) and _compare_words(word, long[at]) == NameLikeness.NONE:
            at += 1
        if at == len(long):
            return NameLikeness.NONE
        likeness = max(likeness, _compare_words(word, long[at]))
        at += 1
    return likeness


def _compare_words(one: str, other: str) -> NameLikeness:
    """Compare two first names, either of which may be an initial or a short form."""
    ones, others = fold(one), fold(other)
    is_cut = any(_is_abbreviation(word) for word in (one, other))
    if ones & others:
        return NameLikeness.INITIALS if is_cut else NameLikeness.FULL
    pairs = [(a, b) if len(a) <= len(b) else (b, a) for a in ones for b in others]
    if is_cut:
        same = any(short and long.startswith(short) for short, long in pairs)
        return NameLikeness.INITIALS if same else NameLikeness.NONE
    same = any(len(short) >= SHORT_FORM and long.startswith(short) for short, long in pairs)
    return NameLikeness.FULL if same else NameLikeness.NONE
