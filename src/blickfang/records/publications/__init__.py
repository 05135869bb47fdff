"""The rows of a publication list in; title, authors, year, venue and links of each, out."""

from blickfang.records.publications.choose_fields import FieldWeights, read_publications
from blickfang.records.publications.publication_entry import ListedPublication
from blickfang.records.publications.record_row import measure_text

__all__ = ["FieldWeights", "ListedPublication", "measure_text", "read_publications"]
