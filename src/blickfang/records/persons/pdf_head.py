"""The head of a paper: where title, authors, affiliations, e-mail addresses and abstract stand.

In: the lines of its first pages with the sizes of their letters; its title and authors, where a
list of publications told them. Out: `Head`, or None if the paper is another one. A head goes from
the title to the abstract; what in it is neither name nor mail and speaks of an institution is an
affiliation, the lines below it that go on with its address included.
"""

import json
import re
import subprocess
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from blickfang.io.log import LOGGER
from blickfang.records.persons.person_names import fold, parse_name
from blickfang.records.persons.person_values import PaperHead
from blickfang.records.persons.publication_merging import title_key
from blickfang.types import Failure

MAX_LINES = 80  # of a head
MAX_TITLE_LINES = 6
MAX_ABSTRACT = 4000  # characters
MAX_AFFILIATION = 300
MAX_FOUND = 20  # affiliations, addresses
ENOUGH = 0.8  # of a title that must be there
PROSE, MOSTLY = 8, 0.6  # words of a line of running text, and the share in small letters
ADDRESS_LINES = 2  # below the name of an institution
ABSTRACT = re.compile(
    r"^\W{0,3}(?:(?i:abstract|summary|zusammenfassung|kurzfassung|r[ée]sum[ée]|resumen|sommario"
    r"|аннотация|摘\s?要|概要)\s*(?:$|[^\w\s]\W*)|ABSTRACT\s)"
)
SPACED = re.compile(r"^(?:[A-Z] ){4,}[A-Z]\b")  # "A B S T R A C T"
END = re.compile(
    r"^\W{0,3}(?:(?:\d{1,2}|I)?[.:)]?\s*(?:introduction|einleitung|einführung|introducción)\b"
    r"|key\s?-?words\b|index\s+terms\b|general\s+terms\b|categories\s+and\b|schl(?:ü|ue)sselw"
    r"|ccs\s+concepts|acm\s+reference|mots[\s-]cl|ключевые|关键词|キーワード)",
    re.IGNORECASE,
)
PLACE = re.compile(
    r"universi|institut|depart[ae]|\bdept\b|laborator|\blabs?\b|college|\bschool\b|academ|akademi"
    r"|hochschule|fakult|facult|\bcent(?:er|re|ro)\b|zentrum|polytec|politec|\bgmbh\b|\binc\b"
    r"|\bcorp|\bltd\b|hospital|klinik|école|ecole|max-planck|fraunhofer|\bresearch\b|observator"
    r"|universität|универс|институт|大学|研究|학교",
    re.IGNORECASE,
)
MAIL = re.compile(
    r"[A-Za-z0-9][\w.+'’-]{0,60}\s?(?:@|\(at\)|\[at\])\s?[A-Za-z0-9][\w-]*(?:\.[\w-]+)+"
)
MAILS = re.compile(
    r"[{(\[]([\w.+\-\s,;|/'’]{1,300})[})\]]\s?(?:@|\(at\)|\[at\])\s?([A-Za-z0-9][\w-]*(?:\.[\w-]+)+)"
)
MARKED = re.compile(r"^[\s\d*†‡§¶,.;:()\[\]{}∗⋆♯]+")
NUMBERED = re.compile(r"(?:^|(?<=[\s,;.]))\(?([1-9]\d?)\)?[.)]?\s?(?=[^\W\d_])")
MONTHS = (
    "jan|feb|mar|mär|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez|janv|févr|avr|juin|juil|août|déc"
    "|ene|abr|ago|dic"
)
DATE = re.compile(  # a date and no more: a day or a year, with a month
    rf"[\W_]*(?:[a-z]+day,?\s+)?(?:(?:last\s+)?(?:revised|received|updated|version|draft|date|of)\W+)*"
    rf"(?:\d{{1,2}}(?:st|nd|rd|th)?\W{{0,3}})?(?:{MONTHS})[^\W\d_]*\.?(?:\s*\d{{1,2}}(?:st|nd|rd|th)?)?"
    rf"(?:\W{{1,3}}(?:19|20)\d\d)?[\W_]*|\W*\d{{1,4}}[-./]\d{{1,2}}[-./]\d{{1,4}}\W*",
    re.IGNORECASE,
)
LAST_DATE = re.compile(
    rf"(?<![,;.\s])[,;.\s]++(?:\d{{1,2}}\.?\s++)?(?:{MONTHS})[a-zä]*+\.?\s++"
    r"(?:\d{1,2},?\s++)?(?:19|20)\d\d\W*+$",
    re.IGNORECASE,
)
# TeX draws an accent before its letter; as text both stand side by side.
ACCENTS = {
    "¨": "\u0308", "´": "\u0301", "`": "\u0300", "ˆ": "\u0302", "˜": "\u0303", "¯": "\u0304",
    "˘": "\u0306", "˙": "\u0307", "˚": "\u030a", "ˇ": "\u030c", "¸": "\u0327", "˝": "\u030b",
    "˛": "\u0328",
}  # fmt: skip
FREE = re.compile(
    r"(?P<blank>\s?)(?:(?P<sign>[¨´ˆ˜¯˘˙˚ˇ¸˝˛])|(?<![^\W\d_])(?P<mark>[\u0300-\u030c\u0327\u0328])"
    r"|(?<=\s)(?P<drawn>[\u0300-\u030c\u0327\u0328]))\s?(?P<letter>[^\W\d_])"
)
DOTLESS = {"ı": "i", "ȷ": "j"}
LIGATURES = re.compile("ffi|ffl|ff|fi|fl")  # fonts without a table lose them: "ecient"
AT = re.compile(r"\s?(?:@|\(at\)|\[at\])\s?")


class PdfLine(NamedTuple):
    """A line of a page and the size of its letters."""

    text: str
    size: float


def find_head(
    sheets: Sequence[Sequence[PdfLine]], title: str = "", authors: Sequence[str] = ()
) -> PaperHead | None:
    """Return the head of a paper; None if a title was given and is on none of the pages."""
    for page in sheets:
        lines = [PdfLine(clean(line.text), line.size) for line in page if line.text.strip()]
        span = locate_title(lines, title) if title else guess_title(lines)
        if span is not None:
            return _read_head(lines, span, title, authors)
    return None


def clean(text: str) -> str:
    """Return a line with ligatures and the like written out, accents upon their letters.

    >>> clean("Universit ¨at Bª, S˜ao Paulo, Fran¸cois, Mart´ın")
    'Universität Ba, São Paulo, François, Martín'
    """
    kept = unicodedata.normalize("NFKC", FREE.sub(put_accent, text)).replace("\u00ad", "")
    return " ".join("".join(c if c.isprintable() else " " for c in kept).split())


def put_accent(found: re.Match[str]) -> str:
    """Return a letter with the accent that was drawn before it; what is no such letter stays."""
    mark = ACCENTS.get(found["sign"] or "") or found["mark"] or found["drawn"]
    letter = DOTLESS.get(found["letter"], found["letter"])
    whole = unicodedata.normalize("NFC", letter + mark)
    if len(whole) > 1:
        return found[0]
    return whole if letter.islower() else found["blank"] + whole


def locate_title(lines: Sequence[PdfLine], title: str) -> tuple[int, int] | None:
    """Return the lines that hold a title; also where all ligatures are lost."""
    keys = [title_key(line.text) for line in lines[: MAX_LINES + MAX_TITLE_LINES]]
    key = title_key(title)
    found = _locate(keys, key)
    if found is None and LIGATURES.search(key):
        found = _locate([LIGATURES.sub("", each) for each in keys], LIGATURES.sub("", key))
    return found


def _locate(keys: Sequence[str], key: str) -> tuple[int, int] | None:
    if not key:
        return None
    for begin in range(min(len(keys), MAX_LINES)):
        text = ""
        for end in range(begin, min(len(keys), begin + MAX_TITLE_LINES)):
            text += keys[end]
            if key in text or (len(text) >= ENOUGH * len(key) and key.startswith(text)):
                return begin, end + 1
            if len(text) > len(key) + 200 or not _may_go_on(key, text):
                break
    return None


def _may_go_on(key: str, text: str) -> bool:
    """Whether the end of a text is the beginning of a title."""
    return any(key.startswith(text[at:]) for at in range(max(0, len(text) - len(key)), len(text)))


def guess_title(lines: Sequence[PdfLine]) -> tuple[int, int] | None:
    """Return the lines of the largest letters above the abstract."""
    end = next((n for n, line in enumerate(lines) if ABSTRACT.match(line.text)), len(lines))
    above = [n for n in range(min(end, MAX_LINES)) if title_key(lines[n].text)]
    if not above:
        return None
    begin = max(above, key=lambda n: (round(lines[n].size), len(lines[n].text) > 3, -n))
    stop = begin + 1
    while stop < min(end, begin + MAX_TITLE_LINES) and _same(lines[begin].size, lines[stop].size):
        stop += 1
    return begin, stop


def _same(one: float, other: float) -> bool:
    return abs(one - other) <= 0.05 * max(one, other) and one > 0


def _read_head(
    lines: Sequence[PdfLine], span: tuple[int, int], title: str, authors: Sequence[str]
) -> PaperHead:
    begin, end = span
    found = title or " ".join(line.text for line in lines[begin:end])
    rest = [line.text for line in lines[end:]]
    at = next((n for n, text in enumerate(rest) if is_abstract(text)), None)
    head = rest[: at if at is not None else _find_prose(rest)][:MAX_LINES]
    abstract = join_lines(_read_abstract(rest[at:])) if at is not None else ""
    mails = tuple(dict.fromkeys(mail for text in rest for mail in find_mails(text)))[:MAX_FOUND]
    return PaperHead(found, tuple(find_affiliations(head, authors))[:MAX_FOUND], mails, abstract)


def is_abstract(text: str) -> bool:
    """Whether a line is, or begins with, the word over an abstract.

    >>> [is_abstract(text) for text in ("Abstract—We", "A B S T R A C T", "Abstraction")]
    [True, True, False]
    """
    spaced = SPACED.match(text)
    return bool(ABSTRACT.match(spaced[0].replace(" ", "") if spaced else text))


def _find_prose(texts: Sequence[str]) -> int:
    """Return where running text begins, if nothing says so."""
    for at, text in enumerate(texts):
        if END.match(text) or is_prose(text):
            return at
    return len(texts)


def is_prose(text: str) -> bool:
    """Whether a line is of running text: many words, most of them in small letters."""
    words = [word for word in text.split() if word[:1].isalpha()]
    small = sum(word.islower() for word in words)
    return len(words) >= PROSE and small >= MOSTLY * len(words)


def _read_abstract(texts: Sequence[str]) -> Iterator[str]:
    """Give the lines of an abstract, without the word over it."""
    spaced = SPACED.match(texts[0])
    first = ABSTRACT.sub("", texts[0][spaced.end() :] if spaced else texts[0])
    length = len(first)
    if first:
        yield first
    for text in texts[1:]:
        if END.match(text) or length > MAX_ABSTRACT:
            return
        length += len(text)
        yield text


def join_lines(texts: Iterator[str]) -> str:
    """Return lines as one text, words that were divided at their ends joined.

    >>> join_lines(iter(["We pro-", "pose a state-of-the-", "Art"]))
    'We propose a state-of-the-Art'
    """
    joined = ""
    for text in texts:
        if joined.endswith("-") and joined[-2:-1].isalpha():
            joined = (joined[:-1] if text[:1].islower() else joined) + text
        else:
            joined += (" " if joined else "") + text
    return joined[:MAX_ABSTRACT].strip()


def find_mails(text: str) -> Iterator[str]:
    """Give the e-mail addresses of a line, those written together one by one.

    >>> list(find_mails("{ann, bob}@x.edu, c.d@y.org, e (at) z.de"))
    ['ann@x.edu', 'bob@x.edu', 'c.d@y.org', 'e@z.de']
    """
    for group in MAILS.finditer(text):
        for name in re.split(r"[\s,;|/]+", group[1].strip()):
            if name:
                yield f"{name}@{group[2].rstrip('.')}"
    for match in MAIL.finditer(MAILS.sub(" ", text)):
        yield AT.sub("@", match[0]).rstrip(".")


def find_affiliations(texts: Sequence[str], authors: Sequence[str]) -> Iterator[str]:
    """Give the institutions of a head with their addresses, each once."""
    lasts = [fold(parse_name(author).last) for author in authors]
    seen: set[str] = set()
    at = 0
    texts = [part for text in texts for part in split_numbered(text)]
    while at < len(texts):
        text = _without_mails(texts[at])
        at += 1
        if not PLACE.search(text) or is_prose(text):
            continue
        parts = [text]
        while at < len(texts) and len(parts) <= ADDRESS_LINES:
            below = _without_mails(texts[at])
            if DATE.fullmatch(texts[at].strip()) or NUMBERED.match(texts[at]):
                break
            if not below or (PLACE.search(below) and len(parts) > 1):
                break
            if "@" in texts[at] or _is_name(below, lasts) or is_prose(below):
                break
            parts.append(below)
            at += 1
        whole = ", ".join(part.strip(" ,;") for part in parts)[:MAX_AFFILIATION]
        whole = LAST_DATE.sub("", whole)
        if title_key(whole) not in seen:
            seen.add(title_key(whole))
            yield whole


def split_numbered(text: str) -> list[str]:
    """Return the institutions of a line that are numbered one behind the other.

    >>> split_numbered("1 University of A, B-12 2 Institute of C")
    ['1 University of A, B-12', '2 Institute of C']
    """
    marks = [(match.start(), int(match[1])) for match in NUMBERED.finditer(text)]
    if not marks or marks[0][0]:
        return [text]
    cuts, number = [0], marks[0][1]
    for place, following in marks[1:]:
        if following == number + 1 and PLACE.search(text[cuts[-1] : place]):
            cuts.append(place)
            number = following
    ends = [*cuts[1:], len(text)]
    return [text[first:end].strip() for first, end in zip(cuts, ends, strict=True)]


def _without_mails(text: str) -> str:
    """Return a line without addresses and the marks that refer to authors."""
    plain = MAIL.sub(" ", MAILS.sub(" ", text))
    plain = re.sub(r"\be-?mails?\b\W*", " ", plain, flags=re.IGNORECASE)
    return " ".join(MARKED.sub("", plain).split()).strip(" ,;")


def _is_name(text: str, lasts: Sequence[frozenset[str]]) -> bool:
    """Whether a line holds an author; where none is known, whether it looks like a name."""
    words = {form for word in re.findall(r"[^\W\d_]+", text) for form in fold(word)}
    if lasts:
        return any(words & last for last in lasts)
    capital = [word[:1].isupper() for word in text.split()]
    return 1 < len(capital) <= 4 and all(capital) and not re.search(r"[\d,]", text)


PROGRAM = Path(__file__).with_name("pdf_text.py")
ROOM = "papers"
MAX_BYTES = 30_000_000
MOST_S = 20.0  # by the clock; its processor time is limited to half of that
MARK, MARK_WITHIN = b"%PDF-", 1024
NOT_A_PDF, TOO_LARGE = "not a PDF", "larger than 30 MB"
TOO_SLOW, ENDED = "takes too long to read", "reading it ended its process"


def read_pdf_head(
    data: bytes, url: str = "", title: str = "", authors: Sequence[str] = ()
) -> PaperHead | Failure:
    """Return what stands above the text of a paper; its title and authors help, if known."""
    sheets = read_first_pages(data, url)
    if isinstance(sheets, Failure):
        return sheets
    head = find_head(sheets, title, authors)
    return head or Failure(url, ROOM, "another paper: its title is not on the first pages")


def read_first_pages(data: bytes, url: str = "") -> list[list[PdfLine]] | Failure:
    """Return the lines of the first two pages of a PDF."""
    if len(data) > MAX_BYTES:
        return Failure(url, ROOM, TOO_LARGE)
    if MARK not in data[:MARK_WITHIN]:
        return Failure(url, ROOM, NOT_A_PDF)
    try:
        done = subprocess.run(  # noqa: S603 - our own program
            [sys.executable, "-I", str(PROGRAM)],
            input=data,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=MOST_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Failure(url, ROOM, TOO_SLOW)
    if done.returncode:
        return Failure(url, ROOM, ENDED)
    try:
        found = json.loads(done.stdout)
    except ValueError:
        return Failure(url, ROOM, ENDED)
    if "failure" in found:
        LOGGER.debug("%s: %s", url, found.get("traceback", found["failure"]))
        return Failure(url, ROOM, str(found["failure"]))
    return [[PdfLine(str(text), float(size)) for text, size in page] for page in found["pages"]]
