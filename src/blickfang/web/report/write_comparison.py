"""What a comparison leaves behind: figures, report, pairs, hosts, judgements, a sheet of pairs.

In: `Compared`. Out: files in one folder, each whole or not there.

    index.html  comparison.json   the report, and its figures
    pairs.jsonl  hosts.jsonl      every near-duplicate pair; addresses by host
    qrels.txt  qrels-similarity.tsv  qrels-lost.tsv   judgements, with --qrels; of several files
                                  with the name of each
    sample.html  sample.tsv       random pairs side by side, with --sample
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.worker_progress import Advance, Bars, stay_silent
from blickfang.config import FILE
from blickfang.dedupe.compare.fingerprint_cache import FOLDER, FingerprintedSource, fetch_texts
from blickfang.dedupe.compare.fingerprint_file import Rows, hash_name
from blickfang.dedupe.compare.overlap_counts import NAMES, count_kinds, decide, spread
from blickfang.dedupe.compare.pair_measures import is_rejected, reaches
from blickfang.dedupe.compare.qrels import (
    NO_PARTNER,
    NOT_IN_A,
    NOT_YET,
    Moved,
    Partner,
    QrelsJudgement,
    carry,
    count_levels,
    list_moved,
    read_qrels,
    write_moved,
)
from blickfang.dedupe.compare.run_comparison import Compared, Comparing, compare_sources
from blickfang.dedupe.compare.segments import Estimate, SegmentPairs, extrapolate, pick
from blickfang.errors import InputError, SettingsError
from blickfang.io.atomic_files import BESIDE, refuse_full_folder, replacing, write_text
from blickfang.io.storage import Place, bring
from blickfang.types import Failure
from blickfang.web.report.comparison_report import make_report
from blickfang.web.report.pair_sheet import PairSide, Shown, clear_sample, list_sample, make_sheet

FACTS = "comparison.json"
KEYS = {"a", "b", "addresses", "near_duplicates"}  # that every comparison.json of ours has
# A comparison that was stopped early has only these: fingerprints, and copies of files elsewhere.
EARLY = re.compile(r"(.+/)?[0-9a-f]{24}\.(arrow|json)|fetched/[0-9a-f]{8}-[^/]*")
READ_OF_A_COLLECTION = ("crawl", FOLDER)


def claim_folder(out: Path, sources: Sequence[Place]) -> None:
    """Raise unless a folder is new, empty, or of an earlier comparison, and no source meets it."""
    if out.exists() and not out.is_dir():
        raise InputError(f"{out} is a file; choose a folder")
    for source in sources:
        if isinstance(source, Path):
            _refuse_source(out, source)
    if (out / "index.html").exists() and not (out / FACTS).exists():
        raise InputError(f"{out} holds an index.html that is no comparison; choose another folder")
    refuse_full_folder(out, "comparison", is_ours)


def _refuse_source(out: Path, source: Path) -> None:
    place, read = out.resolve(), source.resolve()
    inner = [read]
    if (read / FILE).exists():  # people keep what they made of a collection in it
        inner = [read / name for name in READ_OF_A_COLLECTION]
    if place == read or any(place.is_relative_to(folder) for folder in inner):
        raise SettingsError(f"{out} is read from, as {source}; choose a folder outside of it")
    if read.is_relative_to(place):
        raise SettingsError(f"{out} holds {source}, which is read; choose a folder without it")


def is_ours(out: Path) -> bool:
    """Whether all in a folder is of a comparison: finished, stopped on its way, or not begun."""
    if (out / FACTS).exists():
        return _is_comparison(out / FACTS)
    if any(out.glob("work/" + "[0-9a-f]" * 16 + "/segment-*.npz")):
        return True
    return all(_is_early(path.relative_to(out)) for path in out.rglob("*") if path.is_file())


def _is_comparison(path: Path) -> bool:
    try:
        facts = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(facts, dict) and facts.keys() >= KEYS


def _is_early(path: Path) -> bool:
    half = BESIDE.fullmatch(path.name)  # a file half written
    name = path.with_name(half[1]) if half else path
    return EARLY.fullmatch(name.as_posix()) is not None


LISTED = 100  # hosts and domains in the figures; hosts.jsonl has all
AT_ONCE = 1 << 14  # pairs whose ids are looked up at once
PORTION = ("all", "main", "frame", "contained")


def compare(
    a: Place,
    b: Place,
    out: Path,
    how: Comparing,
    shelf: Path | None,
    qrels: Sequence[Path],
    bars: Bars,
) -> tuple[dict[str, Any], list[Failure], list[Path]]:
    """Compare two sources, and write everything.

    Returns the main figures, what failed, and where results and judgements of an earlier
    comparison were put, if any.
    """
    judged = dict(zip(name_files(qrels), map(read_qrels, qrels), strict=True))
    claim_folder(out, (a, b))
    here = (bring(a, out / "fetched"), bring(b, out / "fetched"))
    compared = compare_sources(*here, out, how, shelf, bars)
    with bars("writing") as advance:
        kept = clear_sample(out / "sample.tsv")
        facts, aside = write_compared(compared, out, judged, advance)
    failures = [*compared.a.library.failures, *compared.b.library.failures]
    return list_main_figures(facts), failures, [*([kept] if kept else []), *aside]


def name_files(paths: Sequence[Path]) -> list[str]:
    """Return what tells several files apart: their names, numbered where these are the same.

    >>> name_files([Path("x/qrels.adhoc.txt")]), name_files([Path("x/a.txt"), Path("y/a.txt")])
    ([''], ['a', 'a-2'])
    """
    names: list[str] = []
    for path in paths:
        name = plain = re.sub(r"[^\w.-]", "_", path.name.removesuffix(".gz").removesuffix(".txt"))
        number = 1
        while name in names:
            number += 1
            name = f"{plain}-{number}"
        names.append(name)
    return names if len(names) > 1 else [""] * len(names)


def list_main_figures(facts: dict[str, Any]) -> dict[str, Any]:
    """Return the figures that fit on a screen."""
    near, shared = facts["near_duplicates"], facts["shared_documents"]
    chosen = {
        "documents_a": facts["a"]["documents"],
        "documents_b": facts["b"]["documents"],
        "not_read": facts["a"]["failed"] + facts["b"]["failed"],
        "empty": facts["a"]["empty"] + facts["b"]["empty"],
        "shared_addresses": facts["addresses"]["shared"],
        "alike_at_shared_addresses": shared["near_duplicates"],
        "candidates": near["candidates"],
        "near_duplicates": near["pairs"],
        "precision": near["precision"],
        "documents_of_a_found": near["a_found"],
        "documents_of_b_found": near["b_found"],
        "not_compared": near["not_compared"],
    }
    # Also those that do not occur: whoever reads several comparisons finds the same keys in all.
    chosen |= {f"{kind.replace(' ', '_')}_pairs": near["kinds"].get(kind, 0) for kind in NAMES}
    if facts["extrapolated"]:
        for key in ("pairs", "b_found", "shared_addresses"):
            if key not in facts["extrapolated"]:
                continue
            estimate = facts["extrapolated"][key]
            chosen[f"{key}_expected"] = [estimate[part] for part in ("value", "low", "high")]
    if facts["judgements"]:
        for key in ("judged", "carried", "lost"):
            chosen[f"judgements_{key}"] = sum(each[key] for each in facts["judgements"])
    return chosen


def write_compared(
    compared: Compared,
    out: Path,
    judged: Mapping[str, Sequence[QrelsJudgement]],
    advance: Advance = stay_silent,
) -> tuple[dict[str, Any], list[Path]]:
    """Write all files of a comparison; return its figures, and results that were set aside."""
    steps = 4
    facts = summarise(compared)
    (out / "sample.html").unlink(missing_ok=True)  # of another comparison that was written here
    moved = {name: _move(compared, rows) for name, rows in judged.items()}
    files = [list_moved(each, name) for name, each in moved.items()]
    every = {name: data for each in files for name, data in each.items()}
    kept = write_moved(every, out, _list_earlier(out))
    facts["judgements"] = [
        _describe_moved(compared, name, judged[name], each) for name, each in moved.items()
    ]
    advance(1, steps)
    facts["sheet"] = _write_sample(compared, out) if compared.how.sample else 0
    advance(2, steps)
    _write_lines(out / "pairs.jsonl", _list_pairs(compared))
    _write_lines(out / "hosts.jsonl", (row._asdict() for row in compared.overlap.by_host))
    advance(3, steps)
    write_text(out / FACTS, json.dumps(facts, indent=1, ensure_ascii=True) + "\n")
    with replacing(out / "index.html") as file:
        file.write(make_report(facts).encode("utf-8", "replace"))
    return facts, kept


def _list_earlier(out: Path) -> list[str]:
    """Return what told the judgements of an earlier comparison apart."""
    try:
        facts = json.loads((out / FACTS).read_bytes())
        names = [str(each["name"]) for each in facts["judgements"]]
        return [name for name in names if Path(name).name == name]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return []


def summarise(compared: Compared) -> dict[str, Any]:
    """Return the figures of a comparison."""
    overlap, near = compared.overlap, compared.tally.figures()
    shared = _describe_shared(compared)
    near["shared_not_alike"] = shared["documents"] - shared["near_duplicates"]
    return {
        "a": _describe(compared.a, overlap.a),
        "b": _describe(compared.b, overlap.b),
        "settings": {k: v for k, v in asdict(compared.how).items() if k != "where"},
        "addresses": {
            "a": overlap.a,
            "b": overlap.b,
            "shared": len(overlap.pairs),
            "top_levels": len(overlap.by_top),
            "hosts": len(overlap.by_host),
            "by_top_level": [row._asdict() for row in overlap.by_top[:LISTED]],
            "by_host": [row._asdict() for row in overlap.by_host[:LISTED]],
        },
        "shared_documents": shared,
        "near_duplicates": near,
        "extrapolated": _extrapolate(compared),
    }


def _describe(corpus: FingerprintedSource, addresses: int) -> dict[str, Any]:
    library = corpus.library
    return {
        "name": corpus.name,
        "files": len(corpus.bytes),
        "files_read": len(corpus.units),
        "documents": len(library),
        "empty": int((library.column("all_words") == 0).sum()),
        "addresses": addresses,
        "hosts": _count_hosts(corpus),
        "failed": library.failed,
        "renamed_ids": len(library.repeats),
    }


def _count_hosts(corpus: FingerprintedSource) -> int:
    hosts: set[str] = set()
    for chunk in corpus.library.table["host"].chunks:
        hosts.update(chunk.unique().to_pylist())
    return len(hosts - {""})


def _describe_shared(compared: Compared) -> dict[str, Any]:
    """Return how alike the documents behind shared addresses are."""
    on, threshold = compared.how.on, compared.how.threshold
    values, kinds, near, empty = [np.empty(0, np.float32)], [np.empty(0, np.uint8)], 0, 0
    for found in compared.shared():
        worded = (_count_words(compared, found.pairs) > 0).any(axis=1)
        empty += int((~worded).sum())
        found = pick(found, worded)  # two without words are neither alike nor different
        values.append(decide(found.alike, on))
        kinds.append(found.alike.kind)
        near += int(reaches(found.alike, threshold, on).sum())
    every = np.nan_to_num(np.concatenate(values))
    return {
        "documents": len(every),
        "empty": empty,
        "near_duplicates": near,
        "mean": float(every.mean()) if len(every) else None,
        "median": float(np.median(every)) if len(every) else None,
        "jaccard": spread(every),
        "kinds": count_kinds(np.concatenate(kinds)),
    }


def _count_words(compared: Compared, pairs: Rows) -> NDArray[np.int32]:
    """Return how many words the documents of pairs have."""
    sides = enumerate((compared.a.library, compared.b.library))
    return np.stack([each.column("all_words")[pairs[:, n]] for n, each in sides], axis=1)


def _extrapolate(compared: Compared) -> dict[str, Any] | None:
    """Return what some segments tell of all; None where all were looked at."""
    counted, total = compared.tally.segments, compared.all_segments
    if len(counted) >= total:
        return None
    by_bytes = len(compared.b.bytes) > 1
    if by_bytes:
        sizes = [float(compared.b.bytes[each.number]) for each in counted]
        whole = float(sum(compared.b.bytes))
    else:
        sizes = [float(each.documents) for each in counted]
        whole = float(len(compared.b.library))
    found: dict[str, Any] = {
        "segments": total,
        "segments_read": len(counted),
        "by": "bytes" if by_bytes else "documents",
    }
    for key in ("pairs", "b_found", "a_found"):
        counts = [float(getattr(each, key)) for each in counted]
        found[key] = extrapolate(counts, sizes, whole, total)._asdict()
    if by_bytes:  # of a single file all addresses are known
        places = np.sort(compared.overlap.pairs[:, 1])
        edges = [np.searchsorted(places, [each.first, each.last]) for each in compared.segments]
        shared = [float(last - first) for first, last in edges]
        estimate = extrapolate(shared, sizes, whole, total)._asdict()
        most = compared.overlap.a
        found["shared_addresses"] = {
            part: None if value is None else min(value, most) for part, value in estimate.items()
        }
    # In an archive bytes are images, too: documents are extrapolated alike, and none found twice.
    documents = Estimate(whole, whole, whole)
    if by_bytes:
        documents = extrapolate([float(each.documents) for each in counted], sizes, whole, total)
    found["documents"] = documents._asdict()
    for part, most in documents._asdict().items():
        here = found["b_found"][part]
        found["b_found"][part] = here if None in (here, most) else min(here, most)
    # Who is found in several segments was counted in each: together they are too many.
    line, all_of_a = found["a_found"]["high"], len(compared.a.library)
    found["a_found"] = {
        "at_least": counted[-1].accumulated,
        "at_most": all_of_a if line is None else min(line, all_of_a),
    }
    return found


def _number(value: float) -> float | None:
    return None if value != value else round(value, 6)


def _near(compared: Compared) -> Iterator[SegmentPairs]:
    """Give the near-duplicates of each segment."""
    how = compared.how
    for _, found in compared.found():
        yield pick(found, reaches(found.alike, how.threshold, how.on))


def _list_pairs(compared: Compared) -> Iterator[dict[str, Any]]:
    """Give every near-duplicate pair with its ids."""
    urls = compared.tally.urls
    for found in _near(compared):
        for begin in range(0, len(found.pairs), AT_ONCE):
            rows, alike, _ = pick(found, slice(begin, begin + AT_ONCE))
            a, b = compared.a.library.names(rows[:, 0]), compared.b.library.names(rows[:, 1])
            mine, theirs = urls[0][rows[:, 0]], urls[1][rows[:, 1]]
            same = ((mine == theirs) & (mine != 0)).tolist()
            values = {name: getattr(alike, name).tolist() for name in PORTION}
            jaccards = decide(alike, compared.how.on).tolist()
            for i in range(len(rows)):
                yield {
                    "a": a[i],
                    "b": b[i],
                    "jaccard": _number(jaccards[i]),
                    **{name: _number(values[name][i]) for name in PORTION},
                    "kind": NAMES[int(alike.kind[i])],
                    "same_address": same[i],
                }


def _write_lines(path: Path, rows: Iterator[dict[str, Any]]) -> None:
    with replacing(path) as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False).encode("utf-8", "replace") + b"\n")


def _move(compared: Compared, judged: Sequence[QrelsJudgement]) -> Moved:
    """Carry judgements over to the best partners of their documents."""
    tally, how = compared.tally, compared.how
    known = _find_ids(compared.a, sorted({old.id for old in judged}))
    rows = np.array(list(known.values()), np.int64)
    found = tally.best[rows] >= how.threshold
    there = rows[found]
    partners = {}
    names = [name for name, is_found in zip(known, found.tolist(), strict=True) if is_found]
    new_ids = compared.b.library.names(tally.best_row[there])
    for name, row, new in zip(names, there.tolist(), new_ids, strict=True):
        kind, same = NAMES[int(tally.best_kind[row])], bool(tally.best_same[row])
        partners[name] = Partner(new, float(tally.best[row]), kind, same)
    in_part = len(tally.segments) < compared.all_segments
    return carry(judged, known, partners, NOT_YET if in_part else NO_PARTNER)


def _describe_moved(
    compared: Compared, name: str, judged: Sequence[QrelsJudgement], moved: Moved
) -> dict[str, Any]:
    """Return the figures of judgements."""
    tally = compared.tally
    rows = np.array([*_find_ids(compared.a, sorted({old.id for old in judged})).values()], np.int64)
    seen, found = tally.candidates[rows] > 0, tally.best[rows] >= compared.how.threshold
    distinct = len(judged) - moved.repeated
    return {
        "name": name,
        "judged": distinct,
        "repeated": moved.repeated,
        "carried": len(moved.carried),
        "lost": len(moved.lost),
        "not_in_a": sum(lost.reason == NOT_IN_A for lost in moved.lost),
        "merged": distinct - len(moved.carried) - len(moved.lost),
        "conflicts": moved.conflicts,
        "documents": len({old.id for old in judged}),
        "documents_found": int(found.sum()),
        "precision_of_best": float(found[seen].mean()) if seen.any() else None,
        "levels": [level._asdict() for level in count_levels(judged, moved)],
    }


def _find_ids(corpus: FingerprintedSource, ids: Sequence[str]) -> dict[str, int]:
    """Return the first rows of a corpus that have some ids."""
    hashes = corpus.library.column("id_hash")
    order = np.argsort(hashes, kind="stable")
    wanted = np.array([hash_name(name) for name in ids], np.uint64)
    at = np.searchsorted(hashes, wanted, sorter=order)
    inside = at < len(order)
    rows = order[at[inside]]
    right = hashes[rows] == wanted[inside]
    names = [name for name, known in zip(ids, inside.tolist(), strict=True) if known]
    pairs = zip(names, rows.tolist(), right.tolist(), strict=True)
    return {name: row for name, row, is_right in pairs if is_right}


def _write_sample(compared: Compared, out: Path) -> int:
    """Write random near-duplicate pairs side by side; return how many there are."""
    total = sum(each.pairs for each in compared.tally.segments)
    random = np.random.Generator(np.random.PCG64(compared.how.seed))
    drawn = random.choice(total, min(compared.how.sample, total), replace=False)
    shown = _show_pairs(compared, np.sort(drawn))
    shown = [shown[place] for place in random.permutation(len(shown)).tolist()]
    title = f"{compared.a.name} and {compared.b.name}: pairs to judge"
    with replacing(out / "sample.html") as file:
        file.write(make_sheet(shown, title, compared.how.seed).encode("utf-8", "replace"))
    with replacing(out / "sample.tsv") as file:
        file.write(list_sample(shown).encode("utf-8", "replace"))
    return len(shown)


def _show_pairs(compared: Compared, drawn: Rows) -> list[Shown]:
    """Return pairs, given by their numbers among all near-duplicates, with their texts."""
    parts: list[SegmentPairs] = []
    before = 0
    for found in _near(compared):
        mine = drawn[(drawn >= before) & (drawn < before + len(found.pairs))] - before
        parts.append(pick(found, mine))
        before += len(found.pairs)
    pairs = np.concatenate([np.empty((0, 2), np.int64), *(part.pairs for part in parts)])
    rejected = [
        is_rejected(int(kind), float(frame))
        for part in parts
        for kind, frame in zip(part.alike.kind, part.alike.frame, strict=True)
    ]
    sides = [
        _show_side(corpus, pairs[:, side], rejected)
        for side, corpus in enumerate((compared.a, compared.b))
    ]
    rows = [
        (
            {name: _number(float(getattr(part.alike, name)[i])) for name in PORTION},
            part.alike.kind[i],
        )
        for part in parts
        for i in range(len(part.pairs))
    ]
    return [
        Shown(a, b, values, NAMES[int(kind)])
        for a, b, (values, kind) in zip(*sides, rows, strict=True)
    ]


def _show_side(corpus: FingerprintedSource, rows: Rows, rejected: Sequence[bool]) -> list[PairSide]:
    """Return documents; a main text that measuring did not believe is none."""
    names, urls = corpus.library.names(rows), corpus.library.texts("url", rows)
    none = (corpus.library.pages.rests[rows] == 0) | np.array(rejected, np.bool_)
    texts = [
        (whole, "" if has_none else main)
        for (whole, main), has_none in zip(fetch_texts(corpus, rows), none.tolist(), strict=True)
    ]
    return [PairSide(n, u, *both) for n, u, both in zip(names, urls, texts, strict=True)]
