"""Publications of a person: lists on pages, PDF heads and BibTeX in; each publication once, out."""

from blickfang.records.persons.bibtex import parse_bibtex, write_bibtex
from blickfang.records.persons.disambiguate import separate_people
from blickfang.records.persons.pdf_head import read_pdf_head
from blickfang.records.persons.person_names import parse_name
from blickfang.records.persons.person_values import Publication
from blickfang.records.persons.publication_merging import merge_publications

__all__ = [
    "Publication",
    "merge_publications",
    "parse_bibtex",
    "parse_name",
    "read_pdf_head",
    "separate_people",
    "write_bibtex",
]
