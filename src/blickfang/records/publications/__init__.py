"""The rows of a publication list in; title, authors, year, venue and links of each, out."""

from blickfang.records.publications.choose import FieldWeights, read_publications
from blickfang.records.publications.entries import ListedPublication
from blickfang.records.publications.row import measure_text

__all__ = ["FieldWeights", "ListedPublication", "measure_text", "read_publications"]
