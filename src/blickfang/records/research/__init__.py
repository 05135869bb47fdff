"""Publications of a person: lists on pages, PDF heads and BibTeX in; each publication once, out."""

from blickfang.records.research.bibtex import parse_bibtex, write_bibtex
from blickfang.records.research.merging import merge_publications
from blickfang.records.research.names import parse_name
from blickfang.records.research.papers import read_pdf_head
from blickfang.records.research.people import separate_people
from blickfang.records.research.values import Publication

__all__ = [
    "Publication",
    "merge_publications",
    "parse_bibtex",
    "parse_name",
    "read_pdf_head",
    "separate_people",
    "write_bibtex",
]
