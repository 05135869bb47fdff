"""What the command dedupe reads and leaves behind: sources, outputs, which copy stays."""

import json
import os
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from blickfang.dedupe import run_dedupe
from blickfang.dedupe.dedupe_outputs import write_copies
from blickfang.dedupe.documents import Document, read_documents
from blickfang.errors import InputError
from tests.cli.test_dedupe import BASE, DOCUMENTS, FAR, lines, run, write
from tests.samples.archives import page, write_archive


def write_table(path: Path, ids: list[Any], texts: list[str], **columns: list[Any]) -> Path:
    pq.write_table(pa.table({"id": ids, "text": texts, **columns}), path)
    return path


def test_parquet_keeps_its_columns(tmp_path: Path) -> None:
    columns: dict[str, list[Any]] = {"n": [1.5, 2.5, 3.5], "tags": [["a"], [], ["b", "c"]]}
    source = write_table(tmp_path / "d.parquet", [7, 8, 9], [BASE, FAR, BASE], **columns)
    assert run(source, "--keep", tmp_path / "k.parquet")[0] == 0
    kept = pq.read_table(tmp_path / "k.parquet")
    assert kept.schema == pq.read_table(source).schema
    assert kept.to_pylist() == pq.read_table(source).to_pylist()[:2]
    assert run(source, "--keep", tmp_path / "k.jsonl")[0] == 0
    assert lines(tmp_path / "k.jsonl") == kept.to_pylist()


def test_parquet_of_several_files_has_ids_as_in_pairs(tmp_path: Path) -> None:
    sources = [
        write_table(tmp_path / "a.parquet", ["x", None, "y"], [BASE, "none", "one"]),
        write_table(tmp_path / "b.parquet", ["x", "z"], [FAR, BASE]),
    ]
    assert run(*sources, "--keep", tmp_path / "k.parquet")[0] == 0
    assert pq.read_table(tmp_path / "k.parquet")["id"].to_pylist() == ["x", "y", "x#2"]
    other = write_table(tmp_path / "c.parquet", [1], [FAR])
    code, _, said = run(*sources, other, "--keep", tmp_path / "o.parquet")
    assert (code, "other columns" in said) == (1, True)
    code, _, said = run(write(tmp_path / "d.jsonl", DOCUMENTS), "--keep", tmp_path / "o.parquet")
    assert (code, "not Parquet" in said) == (4, True)
    assert not (tmp_path / "o.parquet").exists()


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_times_beyond_those_of_python_lose_nothing(tmp_path: Path, kind: str) -> None:
    far = pa.array([10**18, 0], pa.timestamp("us"))
    first = {"id": ["a1", "a2"], "text": ["one two three four", FAR], "created": far, "date": far}
    second = {"id": ["b1", "b2"], "text": [BASE, BASE], "created": far, "date": far}
    sources = []
    for name, columns in (("a", first), ("b", second)):
        pq.write_table(pa.table(columns), tmp_path / f"{name}.parquet")
        sources.append(tmp_path / f"{name}.parquet")
    out = tmp_path / f"k.{kind}"
    assert run(*sources, "--keep", out)[0] == 0
    kept = lines(out) if kind == "jsonl" else pq.read_table(out, columns=["id"]).to_pylist()
    assert [row["id"] for row in kept] == ["a1", "a2", "b2"]  # 1970 is earlier than unknown


def test_values_of_parquet_are_json(tmp_path: Path) -> None:
    columns: dict[str, list[Any]] = {"f": [float("nan"), 1.0], "b": [b"\x00\xff", b""]}
    source = write_table(tmp_path / "d.parquet", ["x", "y"], [BASE, FAR], **columns)
    run(source, "--keep", tmp_path / "k.jsonl")
    assert [(row["f"], row["b"]) for row in lines(tmp_path / "k.jsonl")] == [
        (None, "AP8="),
        (1.0, ""),
    ]


@pytest.mark.parametrize(
    ("kind", "ids"),
    [
        ("jsonl", ["z", "y"]),  # of Parquet only rows are counted
        *((kind, ids) for kind in ("jsonl", "parquet") for ids in (["x"], ["x", "y", "z"])),
    ],
)
def test_sources_that_change_meanwhile_are_not_kept(
    tmp_path: Path, kind: str, ids: list[str]
) -> None:
    source = write_table(tmp_path / "d.parquet", ["x", "y"], [BASE, FAR])
    likeness = run_dedupe.DuplicateCriteria()
    copies = run_dedupe.find_copies([source], likeness)
    write_table(source, ids, [BASE, FAR, "a b c"][: len(ids)])
    with pytest.raises(InputError):
        write_copies(copies, [source], likeness, (None, None, tmp_path / f"k.{kind}"))
    assert not (tmp_path / f"k.{kind}").exists()


def test_pages_keep_their_address_and_time(tmp_path: Path) -> None:
    answers = [page("http://a.test/x", f"<p>{BASE}</p>", "2026-01-02T03:04:05Z")]
    run(write_archive(tmp_path / "d.warc.gz", answers), "--keep", tmp_path / "k.jsonl")
    (kept,) = lines(tmp_path / "k.jsonl")
    assert (kept["url"], kept["time"]) == ("http://a.test/x", "2026-01-02T03:04:05Z")


TIMES = [
    (["", "1000000000", "999999999"], 2),
    ([None, "soon", "2001-09-09"], 2),
    (["2001-09-09T02:00:00+01:00", "2001-09-09T01:30:00Z", ""], 0),
    ([1_000_000_000, "2001-09-08", 1_000_000_000_000], 1),
]


@pytest.mark.parametrize(("times", "earliest"), TIMES)
def test_of_equally_long_texts_the_earliest_stays(
    tmp_path: Path, times: list[Any], earliest: int
) -> None:
    rows = [{"id": n, "text": BASE, "date": time} for n, time in enumerate(times)]
    source = tmp_path / "d.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    table = write_table(
        tmp_path / "d.parquet",
        [0, 1, 2],
        [BASE] * 3,
        time=[None if time is None else str(time) for time in times],
    )
    for given in (source, table):
        run(given, "--keep", tmp_path / "k.jsonl")
        assert [row["id"] for row in lines(tmp_path / "k.jsonl")] == [earliest]


def test_what_cannot_be_read_or_written_is_told_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_dedupe, "read_documents", None)
    source = write(tmp_path / "d.jsonl", DOCUMENTS)
    code, _, said = run(source, tmp_path / "none.jsonl")
    assert (code, "there is no" in said) == (1, True), said
    link = tmp_path / "link"
    link.symlink_to("/dev/stdout")
    system = (Path("/dev/stdout"), Path("/proc/self/fd/1"), link)
    for out in (tmp_path, source / "x", *system, Path("-")):
        code, _, said = run(source, "--clusters", out)
        assert (code, "cannot write" in said) == (1, True), said


def test_pipes_are_refused_and_lines_under_another_name_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    for place in (tmp_path / "pipe.jsonl", Path("/dev/stdin"), Path("/dev/null")):
        code, _, said = run(place)
        assert (code, "no file" in said) == (1, True), said
    text = write(tmp_path / "d.txt", DOCUMENTS)
    assert [entry.id for entry in read_documents([text]) if isinstance(entry, Document)] == [
        *DOCUMENTS
    ]


def test_an_interrupted_search_does_not_promise_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(run_dedupe, "find_pairs", stop)
    code, _, said = run(write(tmp_path / "d.jsonl", DOCUMENTS))
    assert (code, "starts anew" in said, "goes on" in said) == (11, True, False)


def test_joining_tells_how_far_it_is(tmp_path: Path) -> None:
    source = write(tmp_path / "d.jsonl", DOCUMENTS)
    told: dict[str, list[tuple[int, int]]] = {}

    def bar(title: str) -> AbstractContextManager[Any]:
        told[title] = []
        return nullcontext(lambda done, of: told[title].append((done, of)))

    run_dedupe.find_copies([source], run_dedupe.DuplicateCriteria("simhash"), bar)
    done, of = told["looking for copies"][-1]
    assert done == of > 0
