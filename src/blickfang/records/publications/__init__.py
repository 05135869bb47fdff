"""The rows of a publication list in; title, authors, year, venue and links of each, out."""

from blickfang.records.publications.choose import Weights, read_publications
from blickfang.records.publications.entries import Entry
from blickfang.records.publications.row import measure_text

__all__ = ["Entry", "Weights", "measure_text", "read_publications"]
