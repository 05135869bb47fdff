"""Sightings on disk: all of an address together, whatever run they are of."""

from pathlib import Path

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from blickfang.corpus.mentions.mention_buckets import MentionRuns, merge_runs, write_run


@given(
    runs=st.lists(st.lists(st.integers(0, 200), min_size=1, max_size=40), min_size=1, max_size=4)
)
@settings(max_examples=30, deadline=None)
def test_each_address_is_whole_in_one_bucket(
    tmp_path_factory: object, runs: list[list[int]]
) -> None:
    folder: Path = tmp_path_factory.mktemp("runs")  # type: ignore[attr-defined]
    paths = []
    for number, urls in enumerate(runs):
        table = pa.table({"url": [f"u{n}" for n in urls], "run": [number] * len(urls)})
        paths.append(folder / f"{number}.parquet")
        write_run(table, paths[-1])
    expected = sorted((f"u{n}", number) for number, urls in enumerate(runs) for n in urls)
    tables = [table.to_pylist() for table in MentionRuns(paths).buckets()]
    seen = [{row["url"] for row in table} for table in tables]
    assert sum(map(len, seen)) == len(set().union(*seen)), "an address is in two buckets"
    assert sorted((row["url"], row["run"]) for table in tables for row in table) == expected
    target = folder / "all.parquet"
    merge_runs(paths, target)
    assert [table.to_pylist() for table in MentionRuns([target]).buckets()] == tables
    assert not any(path.exists() for path in paths)
