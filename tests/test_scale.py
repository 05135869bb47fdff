"""The page on cost and scale says what its command prints."""

import json

from benchmarks.scale import DOCS, MARK, RATES, show


def test_the_tables_are_those_of_the_rates() -> None:
    tables = show(json.loads(RATES.read_text("utf-8")))
    assert DOCS.read_text("utf-8").split(MARK)[1] == tables
    assert tables.count("| 3 G |") == 1
