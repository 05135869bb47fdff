"""Lists of pages as tables: pages, addresses, archives in; CSV, JSON Lines, Parquet, BibTeX out."""

from blickfang.pipeline.recording.asking import ask
from blickfang.pipeline.recording.shelf import learn_named, list_named
from blickfang.pipeline.recording.tables import read_tables, save_rule
from blickfang.pipeline.recording.writing import print_tables, write_tables

__all__ = [
    "ask",
    "learn_named",
    "list_named",
    "print_tables",
    "read_tables",
    "save_rule",
    "write_tables",
]
