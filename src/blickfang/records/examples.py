"""Examples of attribute classes from files that people have: BibTeX, DBLP XML, CSV.

In: a path. Out: texts by class. Of BibTeX and DBLP the fields are the classes (author, title, year,
and journal or booktitle as venue), of CSV its columns.
"""

import csv
import html
import io
import re
from bisect import bisect_left
from pathlib import Path

from blickfang.errors import InputError
from blickfang.io.text_files import OPENERS, SNIFF_BYTES, decode, is_binary, opening
from blickfang.records.publications.row import NAMESAKE
from blickfang.records.research.bibtex import read_entries
from blickfang.records.research.latex import read_latex

MAX_BYTES = 64 * 2**20
VENUES = {"journal": "venue", "booktitle": "venue", "author": "authors", "editor": "authors"}
FIELDS = frozenset({"author", "editor", "title", "year", "journal", "booktitle"})
EDGE = re.compile(rf"<(/?)({'|'.join(sorted(FIELDS))})\b[^<>]*>")
MARKUP = re.compile(r"<[^<>]+>")

Examples = dict[str, list[str]]


def read_examples(path: Path) -> Examples:
    """Return the texts of a file by class."""
    kind = (path.with_suffix("") if path.suffix in OPENERS else path).suffix.lower()
    readers = {".bib": read_bibtex, ".xml": read_dblp, ".csv": read_csv}
    if kind not in readers:
        raise InputError(f"{path}: examples come as {', '.join(readers)}, not as {kind or 'this'}")
    try:
        found = readers[kind](read_beginning(path))
    except csv.Error as error:
        raise InputError(f"{path} is no CSV with a head: {error}") from error
    if not any(found.values()):
        raise InputError(f"{path}: no entries found in it")
    return found


def read_beginning(path: Path) -> str:
    """Return the text of a file; of a huge one (all of DBLP) the beginning is examples enough."""
    with opening(path) as file:
        data = file.read(MAX_BYTES)
    if is_binary(data[:SNIFF_BYTES]):
        raise InputError(f"{path} is binary, not text")
    return decode(data)


def add(found: Examples, field: str, text: str) -> None:
    """Add a text to its class."""
    name = VENUES.get(field.lower(), field.lower())
    if clean := " ".join(MARKUP.sub("", html.unescape(text)).split()):
        found.setdefault(name, []).append(clean)


def read_bibtex(text: str) -> Examples:
    """Return the fields of BibTeX entries.

    >>> read_bibtex("@book{x, title = {The {C} Book}, year=1999}")
    {'title': ['The C Book'], 'year': ['1999']}
    """
    found: Examples = {}
    for fields in read_entries(text):
        for name in filter(FIELDS.__contains__, fields):
            add(found, name, read_latex(fields[name]))
    return found


def read_dblp(text: str) -> Examples:
    """Return the fields of a DBLP-like XML file; numbers that tell namesakes apart are no names."""
    found: Examples = {}
    edges = list(EDGE.finditer(text))
    ends: dict[str, list[int]] = {name: [] for name in FIELDS}
    for edge in edges:
        if edge[1]:
            ends[edge[2]].append(edge.start())
    behind = 0
    for edge in edges:
        if edge[1] or edge.start() < behind:
            continue
        # Looked up, not searched for: a file of beginnings only would take hours.
        place = bisect_left(ends[edge[2]], edge.end())
        if place < len(ends[edge[2]]):
            behind = ends[edge[2]][place]
            add(found, edge[2], NAMESAKE.sub("", text[edge.end() : behind]))
    return found


def read_csv(text: str) -> Examples:
    """Return the columns of a CSV file with a head."""
    found: Examples = {}
    for row in csv.DictReader(io.StringIO(text), strict=True):
        for name, value in row.items():
            if name and isinstance(value, str):
                add(found, name, value)
    return found
