"""Relevance judgements carried over from one corpus to another.

In: TREC judgements on documents of A (topic, iteration, id, judgement), and the best near-duplicate
in B of each document. Out: judgements on documents of B, each with its similarity; the list of
those that could not be moved, with the reason; counts by level of judgement. Where several
documents of A lead to one of B, the most similar one speaks, of equals the higher judgement.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from blickfang.corpus.escaping import tsv_cell
from blickfang.disk import replacing
from blickfang.errors import InputError
from blickfang.textfiles import read_lines

NOT_IN_A = "no such document in A"
NO_PARTNER = "no near-duplicate in B"


class Judged(NamedTuple):
    """A judgement on a document."""

    topic: str
    id: str
    judgement: int


class Partner(NamedTuple):
    """The best near-duplicate of a document."""

    id: str
    similarity: float
    kind: str
    same_url: bool


class Carried(NamedTuple):
    """A judgement that was moved."""

    old: Judged
    partner: Partner


class Lost(NamedTuple):
    """A judgement that could not be moved."""

    old: Judged
    reason: str


class Moved(NamedTuple):
    """All judgements, moved or not."""

    carried: list[Carried]  # in the order of the file
    lost: list[Lost]
    conflicts: int  # documents of B of which those of A say different things
    repeated: int  # judgements that stood there before


class Level(NamedTuple):
    """What became of the judgements of one level."""

    judgement: int
    judged: int
    carried: int
    same_url: int
    lost: int
    similarity: float | None  # mean, of those carried


def read_qrels(path: Path) -> list[Judged]:
    """Return the judgements of a file: topic, iteration, id, judgement, parted by blanks."""
    found: list[Judged] = []
    before, known = 0, dict[str, Judged]()
    for lines in read_lines(path):
        for line in filter(str.strip, lines):
            if line in known:
                found.append(known[line])
                continue
            if line.startswith("#"):
                continue
            try:
                topic, _, name, judgement = line.split(None, 4)[:4]
                known[line] = Judged(topic, name, int(judgement))
                found.append(known[line])
            except ValueError as error:
                raise InputError(
                    f"line {before + lines.index(line) + 1} of {path} is no judgement; it should "
                    "read: topic iteration id judgement"
                ) from error
        before += len(lines)
    if not found:
        raise InputError(f"{path} has no judgements")
    return found


def carry(judged: Sequence[Judged], known: Iterable[str], partners: Mapping[str, Partner]) -> Moved:
    """Return judgements moved to the best near-duplicates of their documents."""
    there = set(known)
    lost: list[Lost] = []
    best: dict[tuple[str, str], Carried] = {}
    levels: dict[tuple[str, str], set[int]] = {}
    distinct = dict.fromkeys(judged)
    for old in distinct:
        partner = partners.get(old.id)
        if partner is None:
            lost.append(Lost(old, NO_PARTNER if old.id in there else NOT_IN_A))
            continue
        key = (old.topic, partner.id)
        levels.setdefault(key, set()).add(old.judgement)
        rival = best.get(key)
        if rival is None or _rank(Carried(old, partner)) > _rank(rival):
            best[key] = Carried(old, partner)
    order = {old: place for place, old in enumerate(distinct)}
    carried = sorted(best.values(), key=lambda one: order[one.old])
    conflicts = sum(len(each) > 1 for each in levels.values())
    return Moved(carried, lost, conflicts, len(judged) - len(distinct))


def _rank(one: Carried) -> tuple[float, int]:
    return one.partner.similarity, one.old.judgement


def count_levels(judged: Sequence[Judged], moved: Moved) -> list[Level]:
    """Return what became of judgements, by level; what another document said better is neither."""
    rows = []
    distinct = dict.fromkeys(judged)
    for level in sorted({old.judgement for old in distinct}):
        carried = [one for one in moved.carried if one.old.judgement == level]
        total = sum(one.partner.similarity for one in carried)
        rows.append(
            Level(
                level,
                sum(old.judgement == level for old in distinct),
                len(carried),
                sum(one.partner.same_url for one in carried),
                sum(one.old.judgement == level for one in moved.lost),
                total / len(carried) if carried else None,
            )
        )
    return rows


def write_moved(moved: Moved, folder: Path) -> None:
    """Write the new judgements, the same with similarities, and those lost."""
    with replacing(folder / "qrels.txt") as file:
        for old, partner in moved.carried:
            file.write(_row(" ", old.topic, 0, partner.id, old.judgement))
    with replacing(folder / "qrels-similarity.tsv") as file:
        file.write(_row("\t", "topic", "a", "b", "judgement", "jaccard", "kind", "same_url"))
        for old, partner in moved.carried:
            value = f"{partner.similarity:.4f}"
            same = int(partner.same_url)
            cells = (old.topic, old.id, partner.id, old.judgement, value, partner.kind, same)
            file.write(_row("\t", *cells))
    with replacing(folder / "qrels-lost.tsv") as file:
        file.write(_row("\t", "topic", "a", "judgement", "reason"))
        for old, reason in moved.lost:
            file.write(_row("\t", old.topic, old.id, old.judgement, reason))


def _row(blank: str, *cells: object) -> bytes:
    """Return a line; a blank inside a cell would make two of it, and becomes %20."""
    plain = ("%20".join(str(cell).split()) if blank == " " else tsv_cell(cell) for cell in cells)
    return (blank.join(plain) + "\n").encode("utf-8", "replace")
