"""A publication as an entry of BibTeX.

In: a row of a publication. Out: text. What kind of publication it is nobody said: all are @misc,
the venue stands in howpublished.
"""

import re
import unicodedata
from typing import Any

WORD = re.compile(r"[a-z0-9]+")
FIELDS = {"title": "title", "year": "year", "venue": "howpublished", "pdf": "url"}
FIELDS |= {"abstract": "abstract"}
MARKS = {"\\": "\\textbackslash{}", "{": "\\{", "}": "\\}", "~": "\\textasciitilde{}"}
MARKS |= {"^": "\\textasciicircum{}"} | {sign: "\\" + sign for sign in "&%$#_"}
PLAIN = {"{": "%7B", "}": "%7D", "\\": "%5C", " ": "%20"}


def escape(text: str, marks: dict[str, str]) -> str:
    """Return a text in which no sign steers BibTeX or TeX.

    >>> escape("50% {R&D}", MARKS)
    '50\\\\% \\\\{R\\\\&D\\\\}'
    """
    return "".join(marks.get(sign, sign) for sign in " ".join(text.split()))


def make_key(row: dict[str, Any], taken: set[str]) -> str:
    """Return a key: last name of the first author, year, first long word of the title."""
    names = row.get("names") or [{"last": "anonymous"}]
    words = WORD.findall(fold(row.get("title", "")))
    long = next((word for word in words if len(word) > 3), "".join(words[:1]))
    last = "".join(WORD.findall(fold(names[0]["last"])))
    key = stem = f"{last or 'anonymous'}{row.get('year', '')}{long}"
    number = 1
    while key in taken:
        number += 1
        key = f"{stem}-{number}"
    taken.add(key)
    return key


def fold(text: str) -> str:
    """Return a text in small letters without accents."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    return "".join(sign for sign in plain if not unicodedata.combining(sign))


def write_entry(row: dict[str, Any], taken: set[str]) -> str:
    """Return the entry of a publication; `taken` holds the keys that are in use."""
    lines = [f"@misc{{{make_key(row, taken)},"]
    people = [name_person(name) for name in row.get("names", [])]
    if people:
        lines.append(f"  author = {{{' and '.join(people)}}},")
    for column, field in FIELDS.items():
        if value := row.get(column):
            shown = escape(str(value), PLAIN if column == "pdf" else MARKS)
            lines.append(f"  {field} = {{{shown}}},")
    return "\n".join([*lines, "}", ""]) + "\n"


def name_person(name: dict[str, str]) -> str:
    """Return a name as BibTeX has it: Last, First."""
    last, first = escape(name["last"], MARKS), escape(name["first"], MARKS)
    return f"{last}, {first}" if first else f"{{{last}}}" if " " in last else last
