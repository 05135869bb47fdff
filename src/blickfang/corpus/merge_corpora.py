"""Two corpora made one: equal pictures are joined, their texts pooled.

In: two corpora. Out: a third, best rank first. Of a picture that is in both, the row with the
better rank stays and takes over mentions, link texts and copies of the other. Pictures that are
merely alike stay apart: that is for a build to see. Pictures are read in order, some at a time.
Their removal lists are joined, too: what was taken down in one is taken down in the new one.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from heapq import merge
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from blickfang.corpus.corpus_reader import Corpus, open_corpus
from blickfang.corpus.corpus_writer import LIST, write_parts
from blickfang.corpus.dataset_card import FunnelStep, Origin, origin_from_json
from blickfang.corpus.removals import carry_lists
from blickfang.corpus.sample_columns import REJECTED, SAMPLES, make_schema
from blickfang.errors import InputError
from blickfang.io.atomic_files import refuse_full_folder, replacing_folder

BATCH_ROWS = 200
LIMIT = "Two corpora were joined: pictures of both that only look the same stay apart."
TAKEN = "id taken"  # two pictures whose sha-256 begin alike: somebody made them so
POOLED = ("mentions", "link_texts", "copies")
GIVEN = ("url", "sha256", "width", "height", *POOLED)

Row = dict[str, Any]
Pair = tuple[Corpus, Corpus]
Advance = Callable[[int], None]


class MergePlan:
    """Which rows are written, in which order, and which are not."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, bool]] = []  # of each: its corpus, and whether it is written
        self.joining: tuple[set[str], set[str]] = (set(), set())  # sha-256, by corpus
        self.taken: tuple[set[str], set[str]] = (set(), set())


class MergedCorpus(NamedTuple):
    """What two corpora became."""

    corpus: Corpus
    listed: int  # removals of both


def merge_collections(
    one: Corpus, other: Corpus, out: Path, advance: Advance | None = None
) -> MergedCorpus:
    """Write two corpora as one, with their removal lists, to an empty folder, in one step."""
    refuse_full_folder(out)
    with replacing_folder(out) as part:
        removals = carry_lists((one.folder, other.folder), part / LIST)
        (part / "corpus").mkdir()
        _write_joined((one, other), part / "corpus", advance)
    return MergedCorpus(open_corpus(out), len(removals))


def _write_joined(pair: Pair, folder: Path, advance: Advance | None) -> dict[str, Any]:
    """Write the samples of two corpora into a folder that is not yet in its place."""
    for corpus in pair:
        if not corpus.has_images:
            raise InputError(f"{corpus.folder} holds no pictures and cannot be merged")
    plan = _make_plan(pair)
    return write_parts(
        folder,
        _join_samples(pair, plan, advance or (lambda _: None)),
        _join_origins(pair, plan),
        _join_rejected(pair, plan),
        _join_pages(pair),
    )


def _make_plan(pair: Sequence[Corpus]) -> MergePlan:
    """Decide which rows stay: the first of each picture in the order of ranks."""
    plan = MergePlan()
    seen: dict[str, str] = {}
    for _, sha256, number, identity in merge(*(_read_order(pair[at], at) for at in (0, 1))):
        new = identity not in seen
        plan.rows.append((number, new))
        if new:
            seen[identity] = sha256
        else:
            going = plan.joining if seen[identity] == sha256 else plan.taken
            going[number].add(sha256)
    return plan


def _read_order(corpus: Corpus, number: int) -> Iterator[tuple[float, str, int, str]]:
    """Yield of each row what decides its place: best rank first, then hash, then corpus."""
    for batch in corpus.batches(["rank", "sha256", "id"], 10_000):
        for row in batch.to_pylist():
            yield -(row["rank"] or 0.0), row["sha256"], number, row["id"]


class _Reader:
    """Reads the rows of a corpus in order, as many as asked for."""

    def __init__(self, corpus: Corpus) -> None:
        self.batches = corpus.batches([column.name for column in SAMPLES], BATCH_ROWS)
        self.waiting = make_schema(SAMPLES).remove_metadata().empty_table()

    def take(self, count: int) -> Any:
        """Return the next rows as a table."""
        parts = [self.waiting]
        rows = self.waiting.num_rows
        while rows < count:
            parts.append(pa.Table.from_batches([next(self.batches)]))
            rows += parts[-1].num_rows
        found = pa.concat_tables(parts)
        self.waiting = found.slice(count)
        return found.slice(0, count)


def _join_samples(pair: Sequence[Corpus], plan: MergePlan, advance: Advance) -> Iterator[Any]:
    """Yield the rows that stay, in order, with what those that go give them."""
    given = {
        row["sha256"]: row
        for number in (0, 1)
        for row in _pick(pair[number], GIVEN, plan.joining[number])
    }
    readers = [_Reader(corpus) for corpus in pair]
    for start in range(0, len(plan.rows), BATCH_ROWS):
        chunk = plan.rows[start : start + BATCH_ROWS]
        parts = []
        for number in (0, 1):
            staying = [stays for corpus, stays in chunk if corpus == number]
            parts.append(readers[number].take(len(staying)).filter(pa.array(staying, pa.bool_())))
        origins = [corpus for corpus, stays in chunk if stays]
        nexts = [0, parts[0].num_rows]
        order = []
        for number in origins:
            order.append(nexts[number])
            nexts[number] += 1
        joined = pa.concat_tables(parts).take(pa.array(order, pa.int64()))
        yield from _give(joined, given).to_batches()
        advance(len(chunk))


def _pick(corpus: Corpus, columns: Sequence[str], wanted: set[str]) -> Iterator[Row]:
    """Yield the rows with some hashes."""
    if wanted:
        for batch in corpus.batches(columns, 10_000):
            yield from (row for row in batch.to_pylist() if row["sha256"] in wanted)


def _give(table: Any, given: dict[str, Row]) -> Any:
    """Return samples with what equal pictures of the other corpus add to them."""
    hashes = table.column("sha256").to_pylist()
    if not given.keys() & set(hashes):
        return table
    rows = table.select(["url", "sha256", "width", "height", *POOLED]).to_pylist()
    for row in rows:
        if row["sha256"] in given:
            _pool(row, given[row["sha256"]])
    for name in POOLED:
        at = table.schema.get_field_index(name)
        kind = table.schema.field(at)
        table = table.set_column(at, kind, pa.array([row[name] for row in rows], kind.type))
    return table


def _pool(row: Row, other: Row) -> None:
    """Add the texts and copies of an equal picture to a row."""
    names = ("url", "sha256", "width", "height")
    itself = {name: row[name] for name in names}
    copies = [*(row["copies"] or ()), *(other["copies"] or ()), {n: other[n] for n in names}]
    row["copies"] = [copy for copy in _unique(copies) if copy != itself]
    for name in ("mentions", "link_texts"):
        row[name] = _unique([*(row[name] or ()), *(other[name] or ())])


def _unique(values: Sequence[Any]) -> list[Any]:
    return list({json.dumps(value, sort_keys=True): value for value in reversed(values)}.values())[
        ::-1
    ]


def _join_origins(pair: Sequence[Corpus], plan: MergePlan) -> Origin:
    one, other = (origin_from_json(corpus.manifest) for corpus in pair)
    titles = [title for title in (one.title, other.title) if title]
    written = sum(stays for _, stays in plan.rows)
    dropped = (
        ("equal pictures", sum(map(len, plan.joining))),
        (TAKEN, sum(map(len, plan.taken))),
    )
    return Origin(
        title=" + ".join(dict.fromkeys(titles)),
        read_up_to=max(one.read_up_to, other.read_up_to),
        purpose=one.purpose if one.purpose == other.purpose else "",
        signals=tuple(signal for signal in one.signals if signal in other.signals),
        contact=", ".join(dict.fromkeys(c for c in (one.contact, other.contact) if c)),
        settings={"first": dict(one.settings), "second": dict(other.settings)},
        topic={"first": dict(one.topic), "second": dict(other.topic)},
        funnel=(
            FunnelStep("first corpus", len(pair[0])),
            FunnelStep("both corpora", len(plan.rows)),
            FunnelStep("unique", written, tuple(why for why in dropped if why[1])),
        ),
        removed_rejected=one.removed_rejected + other.removed_rejected,
        limits=tuple(dict.fromkeys((*one.limits, *other.limits, LIMIT))),
    )


def _join_pages(pair: Sequence[Corpus]) -> Iterator[Any]:
    """Yield the pages of both; of one in both, as it was fetched last."""
    fetched: list[dict[str, str]] = []
    for corpus in pair:
        batches = list(corpus.pages(["url", "fetched_at"], 10_000))
        rows = (row for batch in batches for row in batch.to_pylist())
        fetched.append({row["url"]: row["fetched_at"] or "" for row in rows})
    for number, corpus in enumerate(pair):
        ours, theirs = fetched[number], fetched[1 - number]
        for batch in corpus.pages():
            urls = batch.column("url").to_pylist()
            # the first corpus wins a draw
            staying = [
                u not in theirs or (ours[u], -number) > (theirs[u], number - 1) for u in urls
            ]
            yield batch.filter(pa.array(staying, pa.bool_()))


def _join_rejected(pair: Sequence[Corpus], plan: MergePlan) -> Iterator[Any]:
    """Yield the rejected rows of both, those of both once, and those of this merge."""
    seen: set[tuple[str, ...]] = set()
    names = [column.name for column in REJECTED]
    for corpus in pair:
        for batch in corpus.rejected():
            keys = [tuple(map(str, row.values())) for row in batch.to_pylist()]
            staying = [key not in seen for key in keys]
            yield batch.filter(pa.array(staying, pa.bool_()))
            seen.update(keys)
    schema = make_schema(REJECTED).remove_metadata()
    known = [name for name in names if name not in ("step", "reason", "detail")]
    for number, corpus in enumerate(pair):
        for row in _pick(corpus, known, plan.taken[number]):
            why = {"step": "unique", "reason": TAKEN, "detail": "another picture has the same id"}
            yield pa.RecordBatch.from_pylist([row | why], schema)
