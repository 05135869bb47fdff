"""Publications as files: CSV for spreadsheets, JSON Lines for programs, BibTeX for papers.

In: a study. Out: text. Every cell comes from the web: none is ever a formula, a control character
or a line break.
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator
from typing import Any

from blickfang.errors import SettingsError
from blickfang.io.escaping import FORMULA, one_line
from blickfang.records.persons import Publication, write_bibtex
from blickfang.records.persons.person_names import parse_name
from blickfang.records.persons.person_values import Finding, Study
from blickfang.records.persons.publication_merging import count_confirmations


def write_bibliography(publications: Iterable[Publication]) -> Iterator[str]:
    """Give an entry a publication, each with a key of its own."""
    return write_bibtex(map(clean, publications))


def clean(publication: Publication) -> Publication:
    """Return a publication whose texts are single lines without invisible traps."""
    return publication._replace(
        title=one_line(publication.title),
        authors=tuple(map(one_line, publication.authors)),
        year=one_line(publication.year),
        venue=one_line(publication.venue),
        pdfs=tuple(map(one_line, publication.pdfs)),
        abstract=one_line(publication.abstract),
        doi=one_line(publication.doi),
    )


COLUMNS = (
    "title",
    "authors",
    "year",
    "venue",
    "pdf",
    "affiliation",
    "email",
    "abstract",
    "person",
    "sources",
    "confirmed",
)
BETWEEN = "; "


def write_study(study: Study, form: str) -> Iterator[str]:
    """Give the lines of a study in a format: csv, jsonl or bibtex."""
    writers = {"csv": write_csv, "jsonl": write_lines, "bibtex": write_entries}
    if form not in writers:
        raise SettingsError(f"there is no format {form!r}: {', '.join(writers)}")
    return writers[form](study)


def to_row(finding: Finding) -> dict[str, str]:
    """Return a publication as the cells of a table."""
    one = finding.publication
    return {
        "title": one.title,
        "authors": BETWEEN.join(one.authors),
        "year": one.year,
        "venue": one.venue,
        "pdf": next(iter(one.pdfs), ""),
        "affiliation": BETWEEN.join(one.affiliations),
        "email": BETWEEN.join(one.emails),
        "abstract": one.abstract,
        "person": str(finding.person),
        "sources": BETWEEN.join(one.sources),
        "confirmed": str(count_confirmations(one)),
    }


def escape_cell(text: str) -> str:
    """Return a text that a spreadsheet shows and never computes.

    >>> escape_cell("=1+1"), escape_cell("a\\nb")
    ("'=1+1", 'a b')
    """
    line = one_line(text)
    return f"'{line}" if FORMULA.match(line) else line


def write_csv(study: Study) -> Iterator[str]:
    """Give a head and a line a publication."""
    yield _join_cells(COLUMNS)
    for finding in study.findings:
        row = to_row(finding)
        yield _join_cells([escape_cell(row[name]) for name in COLUMNS])


def _join_cells(cells: Any) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue()


def write_lines(study: Study) -> Iterator[str]:
    """Give an object a publication, first and last names apart."""
    for finding in study.findings:
        one = finding.publication
        names = [(author, parse_name(author)) for author in one.authors]
        row = {
            **to_row(finding),
            "authors": [
                {"name": author, "first": name.first, "last": name.last} for author, name in names
            ],
            "pdf": list(one.pdfs),
            "affiliation": list(one.affiliations),
            "email": list(one.emails),
            "doi": one.doi,
            "person": finding.person,
            "sources": list(one.sources),
            "confirmed": count_confirmations(one),
        }
        yield json.dumps(row, ensure_ascii=True) + "\n"


def write_entries(study: Study) -> Iterator[str]:
    """Give BibTeX entries."""
    return write_bibliography(finding.publication for finding in study.findings)
