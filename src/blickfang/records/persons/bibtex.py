"""BibTeX read and written: a file of entries ⇄ publications.

In: the text of a .bib file, or of a page that shows entries. Out: publications. Whatever a file
holds costs no more than its length: entries are scanned, never parsed by recursion, and one that
is never closed ends where the next one begins.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from urllib.parse import quote

from blickfang.records.persons.person_names import parse_name
from blickfang.records.persons.person_values import BIBTEX, Publication

MARKS = {
    "'": "\u0301",
    "`": "\u0300",
    "^": "\u0302",
    '"': "\u0308",
    "~": "\u0303",
    "=": "\u0304",
    ".": "\u0307",
    "u": "\u0306",
    "v": "\u030c",
    "H": "\u030b",
    "c": "\u0327",
    "k": "\u0328",
    "r": "\u030a",
    "d": "\u0323",
    "b": "\u0331",
}
LETTERS = {
    "ss": "ß",
    "o": "ø",
    "O": "Ø",
    "l": "ł",
    "L": "Ł",
    "ae": "æ",
    "AE": "Æ",
    "oe": "œ",
    "OE": "Œ",
    "aa": "å",
    "AA": "Å",
    "i": "i",
    "j": "j",
    "dj": "đ",
    "DJ": "Đ",
    "textbackslash": "\\",
    "textbraceleft": "{",
    "textbraceright": "}",
    "textasciitilde": "~",
    "textasciicircum": "^",
    "textquotesingle": "'",
    "textquotedbl": '"',
    "textendash": "–",
    "textemdash": "—",
    "ldots": "…",
    "dots": "…",
}
SIGNS = frozenset("&%$#_{}@ ")
TOKEN = re.compile(
    r"""\\(?P<accent>['`^"~=.]|[uvHckrdb](?![A-Za-z]))\s*+(?:\{\s*+(?P<in>\\?[^\W\d_])?\s*+\}|(?P<bare>\\[ij](?![A-Za-z])\s*|[^\W\d_]))
      | \\(?P<name>[A-Za-z]+)\*?\s*(?:\{\})?
      | \\(?P<sign>.)
      | (?P<dash>---?)
      | (?P<drop>[{}$])
      | (?P<tie>~)
      | (?P<quote>``|'')""",
    re.VERBOSE | re.DOTALL,
)
ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "'": r"\textquotesingle{}",
    "`": r"\textquotesingle{}",
    '"': r"\textquotedbl{}",
    **{sign: f"\\{sign}" for sign in "&%$#_"},
}
SPECIAL = re.compile(r"""[\\{}~^&%$#_"]|''|``|--""")


def read_latex(text: str) -> str:
    r"""Return the plain text of a field.

    >>> read_latex(r"G{\"o}del, {\'E}mile \& \v{C}apek -- {The {TeX}book}")
    'Gödel, Émile & Čapek – The TeXbook'
    """
    plain = TOKEN.sub(_read_token, text)
    return " ".join(unicodedata.normalize("NFC", plain).split())


def _read_token(token: re.Match[str]) -> str:
    if token["accent"]:
        letter = (token["in"] or token["bare"] or "").strip("\\ \t\n")
        return letter + MARKS[token["accent"]] if letter else ""
    if token["name"]:
        return LETTERS.get(token["name"], " " if token["name"] == "newline" else "")
    if token["sign"]:
        return token["sign"] if token["sign"] in SIGNS else " " if token["sign"] == "\\" else ""
    if token["dash"]:
        return "–" if len(token["dash"]) == 2 else "—"
    return {"tie": " ", "quote": '"'}.get(token.lastgroup or "", "")


def write_latex(text: str) -> str:
    r"""Return a text as a field that says just this, whatever is in it.

    >>> write_latex("R&D {100%}")
    'R\\&D \\textbraceleft{}100\\%\\textbraceright{}'
    """
    return SPECIAL.sub(_write_sign, text)


def _write_sign(sign: re.Match[str]) -> str:
    found = sign[0]
    if found == "--":
        return "-{}-"
    return "".join(ESCAPES[char] for char in found)


MAX_CHARS = 5_000_000  # of a file
MAX_ENTRIES = 20_000
MAX_VALUE = 20_000  # characters of a field; abstracts have two thousand
MAX_AUTHORS = 5_000
MAX_PARTS = 50  # of a value, joined by #
MAX_FIELDS = 200  # of an entry
ENTRY = re.compile(r"(?<![^\s})])@[ \t]{0,9}([A-Za-z]{1,30})\s{0,99}[{(]")
FIELD = re.compile(r"[\s,]*([A-Za-z][\w:+.-]*)\s*=\s*")
KEY = re.compile(r"[^,=\s{}()]*\s*(?=,|[})])")
BARE = re.compile(r"[^\s,#{}()\"]+")
JOIN = re.compile(r"\s*#\s*")
AND = re.compile(r"\sand\s", re.IGNORECASE)
YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
PAPER = re.compile(r"\.pdf(?:$|[?#])|/pdf/", re.IGNORECASE)
ADDRESS = re.compile(r"https?://[^\s\"'<>{}\\]+")
UNSAFE = re.compile(r"[\s\"'<>{}\\]")  # what may not stand in an address, or ends a field
UNESCAPE = re.compile(r"\\([_%&#~$])(?:\{\})?")
VENUES = ("journal", "journaltitle", "booktitle", "school", "institution", "howpublished")
LINKS = ("pdf", "url", "ee", "link", "file")
MEETINGS = re.compile(
    r"\b(?:proc|proceedings|conference|conf|workshop|symposium|congress|tagung|konferenz)\b", re.I
)
NO_RECORDS = frozenset({"comment", "preamble", "string"})

Fields = dict[str, str]


def parse_bibtex(text: str, source: str = "") -> list[Publication]:
    """Return the publications of BibTeX entries; what is no entry is passed over.

    >>> entry = '@book{k, title = "The {TeX}book", author={Knuth, D. and G{\\\\"o}del, K}}'
    >>> parse_bibtex(entry)[0][:2]
    ('The TeXbook', ('Knuth, D.', 'Gödel, K'))
    """
    found = (_to_publication(fields, source) for fields in read_entries(text))
    return [publication for publication in found if publication is not None]


def read_entries(text: str) -> Iterator[Fields]:
    """Give the fields of each entry as written, names in small letters; macros are replaced."""
    text = text[:MAX_CHARS]
    macros: dict[str, str] = {}
    starts = [match for _, match in zip(range(MAX_ENTRIES), ENTRY.finditer(text), strict=False)]
    ends = [*(match.start() for match in starts[1:]), len(text)]
    for match, end in zip(starts, ends, strict=False):
        kind = match[1].lower()
        if kind == "string":
            macros.update(_read_fields(text, match.end(), end, macros))
        elif kind not in NO_RECORDS:
            key = KEY.match(text, match.end(), end)
            fields = _read_fields(text, key.end() if key else match.end(), end, macros)
            if fields:
                yield fields


def _read_fields(text: str, at: int, end: int, macros: dict[str, str]) -> Fields:
    found: Fields = {}
    while field := FIELD.match(text, at, end):
        value, at = _read_value(text, field.end(), end, macros)
        parts = [value]
        while join := JOIN.match(text, at, end):
            value, at = _read_value(text, join.end(), end, macros)
            if len(parts) < MAX_PARTS:  # macros may stand for much
                parts.append(value)
        found.setdefault(field[1].lower(), "".join(parts)[:MAX_VALUE])
        if at <= field.end() or len(found) >= MAX_FIELDS:
            break
    return found


def _read_value(text: str, at: int, end: int, macros: dict[str, str]) -> tuple[str, int]:
    """Return a value that begins at a place, in braces, quotes, or bare, and where it ends."""
    if at >= end:
        return "", at
    opening = text[at]
    if opening not in '{"':
        bare = BARE.match(text, at, end)
        if bare is None:
            return "", at
        return macros.get(bare[0].lower(), bare[0]), bare.end()
    depth, begin = 0, at
    while at < end:
        char = text[at]
        if char == "\\":
            at += 2
            continue
        depth += (char == "{") - (char == "}")
        if at > begin and depth <= 0 and char == ('"' if opening == '"' else "}"):
            return text[begin + 1 : at], at + 1
        at += 1
    return "", end  # never closed


def _to_publication(fields: Fields, source: str) -> Publication | None:
    title = read_latex(fields.get("title", ""))
    if not title:
        return None
    year = YEAR.search(fields.get("year", "") or fields.get("date", ""))
    venue = next((fields[name] for name in VENUES if fields.get(name)), "")
    links = [UNESCAPE.sub(r"\1", fields.get(name, "")) for name in LINKS]
    papers = [link for text in links for link in ADDRESS.findall(text) if PAPER.search(link)]
    doi = fields.get("doi", "").rpartition("doi.org/")[2]
    return Publication(
        title=title,
        authors=split_authors(fields.get("author", "") or fields.get("editor", "")),
        year=year[0] if year else "",
        venue=read_latex(venue),
        pdfs=tuple(dict.fromkeys(papers)),
        abstract=read_latex(fields.get("abstract", "")),
        doi=UNESCAPE.sub(r"\1", doi).strip().lower(),
        sources=(source,) if source else (),
        trust=BIBTEX,
    )


def split_authors(text: str) -> tuple[str, ...]:
    """Return the names of an author field; "and" within braces is part of a name.

    >>> split_authors("Knuth, Donald and {Barnes and Noble} and others")
    ('Knuth, Donald', 'Barnes and Noble')
    """
    names, begin = [], 0
    depths = _find_depths(text)
    for match in AND.finditer(text):
        if depths[match.start()] == 0 and match.start() >= begin:
            names.append(text[begin : match.start()])
            begin = match.end() - 1  # the blank may belong to the next "and"
    names.append(text[begin:])
    plain = [read_latex(name) for name in names[:MAX_AUTHORS]]
    return tuple(name for name in plain if name and name.casefold() not in ("others", "et al."))


def _find_depths(text: str) -> list[int]:
    """Return for each character how many braces are open."""
    depths, depth, escaped = [], 0, False
    for char in text:
        if not escaped:
            depth = max(0, depth + (char == "{") - (char == "}"))
        escaped = char == "\\" and not escaped
        depths.append(depth)
    return depths


def write_bibtex(publications: Iterable[Publication]) -> Iterator[str]:
    """Give publications as BibTeX entries, each with a key of its own."""
    used: set[str] = set()
    for publication in publications:
        key = _make_key(publication, used)
        used.add(key)
        kind, place = _choose_kind(publication.venue)
        fields = {
            "author": " and ".join(_write_name(name) for name in publication.authors),
            "title": f"{{{write_latex(publication.title)}}}",
            place: write_latex(publication.venue),
            "year": write_latex(publication.year),
            "doi": write_latex(publication.doi),
            "url": _write_address(next(iter(publication.pdfs), "")),
            "abstract": write_latex(publication.abstract),
        }
        lines = [f"  {name} = {{{value}}}" for name, value in fields.items() if value]
        yield f"@{kind}{{{key},\n" + ",\n".join(lines) + "\n}\n"


def _write_name(name: str) -> str:
    written = write_latex(name)
    protected = AND.search(f" {name} ") or name.casefold() in ("others", "et al.")
    return f"{{{written}}}" if protected else written


def _write_address(url: str) -> str:
    return UNSAFE.sub(lambda sign: quote(sign[0], safe=""), url).replace("%", r"\%")


def _choose_kind(venue: str) -> tuple[str, str]:
    if not venue:
        return "misc", "howpublished"
    return ("inproceedings", "booktitle") if MEETINGS.search(venue) else ("article", "journal")


def _make_key(publication: Publication, used: set[str]) -> str:
    last = parse_name(publication.authors[0]).last if publication.authors else ""
    words = [word for word in re.findall(r"\w+", publication.title) if len(word) > 3]
    parts = (last, publication.year, words[0] if words else "")
    plain = unicodedata.normalize("NFKD", "".join(parts)).encode("ascii", "ignore").decode()
    stem = re.sub(r"[^A-Za-z0-9]", "", plain).lower() or "publication"
    key, number = stem, 2
    while key in used:
        key, number = f"{stem}-{number}", number + 1
    return key
