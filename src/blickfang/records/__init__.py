"""A page in; the lists on it as tables of records, out."""

from blickfang.records.attribute_classes import (
    Classes,
    learn_classes,
    load_classes,
    read_examples,
    save_classes,
)
from blickfang.records.extract import extract_records, find_lists

__all__ = [
    "Classes",
    "extract_records",
    "find_lists",
    "learn_classes",
    "load_classes",
    "read_examples",
    "save_classes",
]
