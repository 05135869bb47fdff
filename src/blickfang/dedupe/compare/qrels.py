"""Relevance judgements carried over from one corpus to another.

In: TREC judgements on documents of A (topic, iteration or subtopic, id, judgement), and the best
near-duplicate in B of each document. Out: judgements on documents of B, each with its similarity;
the list of those that could not be moved, with the reason; counts by level of judgement. Where
several documents of A lead to one of B, the most similar one speaks, of equals the higher
judgement; for each topic and subtopic by itself.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from blickfang.errors import InputError
from blickfang.io.atomic_files import replacing, set_aside
from blickfang.io.escaping import tsv_cell
from blickfang.io.text_files import read_lines

NOT_IN_A = "no such document in A"
NO_PARTNER = "no near-duplicate in B"
NOT_YET = "no near-duplicate in the segments of B that were drawn"
COLUMNS = 4  # of a judgement
PRELS = 5  # columns: of the tracks of 2009 that drew whom they judged
NONE = ("0", "Q0")  # what stands for no iteration and no subtopic


class QrelsJudgement(NamedTuple):
    """A judgement on a document."""

    topic: str
    id: str
    judgement: int
    subtopic: str = "0"  # or iteration: the second column


class Partner(NamedTuple):
    """The best near-duplicate of a document."""

    id: str
    similarity: float
    kind: str
    same_url: bool


class Carried(NamedTuple):
    """A judgement that was moved."""

    old: QrelsJudgement
    partner: Partner


class LostJudgement(NamedTuple):
    """A judgement that could not be moved."""

    old: QrelsJudgement
    reason: str


class Moved(NamedTuple):
    """All judgements, moved or not."""

    carried: list[Carried]  # in the order of the file
    lost: list[LostJudgement]
    conflicts: int  # documents of B of which those of A say different things
    repeated: int  # judgements that stood there before


NOTHING = Moved([], [], 0, 0)


class JudgementLevel(NamedTuple):
    """What became of the judgements of one level."""

    judgement: int
    judged: int
    carried: int
    same_url: int
    lost: int
    similarity: float | None  # mean, of those carried


def read_qrels(path: Path) -> list[QrelsJudgement]:
    """Return the judgements of a file: topic, iteration, id, judgement, parted by blanks."""
    found: list[QrelsJudgement] = []
    before, known = 0, dict[str, QrelsJudgement]()
    for lines in read_lines(path):
        for line in filter(str.strip, lines):
            if line in known:
                found.append(known[line])
                continue
            if line.startswith("#"):
                continue
            known[line] = _read_judgement(line, f"line {before + lines.index(line) + 1} of {path}")
            found.append(known[line])
        before += len(lines)
    if not found:
        raise InputError(f"{path} has no judgements")
    return found


def _read_judgement(line: str, place: str) -> QrelsJudgement:
    cells = line.split()
    if len(cells) == PRELS and _is_number(cells[2]) and _is_number(cells[4]):
        raise InputError(
            f"{place} has five columns, as prels have: topic id judgement method probability. "
            "Judgements that were drawn cannot be carried with their probabilities; make qrels of "
            "them first: awk '{print $1, 0, $2, $3}'"
        )
    try:
        topic, subtopic, name, judgement = cells
        return QrelsJudgement(topic, name, int(judgement), "0" if subtopic in NONE else subtopic)
    except ValueError as error:
        raise InputError(
            f"{place} is no judgement; it should read: topic iteration id judgement"
        ) from error


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def carry(
    judged: Sequence[QrelsJudgement],
    known: Iterable[str],
    partners: Mapping[str, Partner],
    absent: str = NO_PARTNER,
) -> Moved:
    """Return judgements moved to the best near-duplicates of their documents.

    `absent` is why a judgement on a document of A is lost.
    """
    there = set(known)
    lost: list[LostJudgement] = []
    best: dict[tuple[str, str, str], Carried] = {}
    levels: dict[tuple[str, str, str], set[int]] = {}
    distinct = dict.fromkeys(judged)
    for old in distinct:
        partner = partners.get(old.id)
        if partner is None:
            lost.append(LostJudgement(old, absent if old.id in there else NOT_IN_A))
            continue
        key = (old.topic, old.subtopic, partner.id)
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


def count_levels(judged: Sequence[QrelsJudgement], moved: Moved) -> list[JudgementLevel]:
    """Return what became of judgements, by level; what another document said better is neither."""
    rows = []
    distinct = dict.fromkeys(judged)
    for level in sorted({old.judgement for old in distinct}):
        carried = [one for one in moved.carried if one.old.judgement == level]
        total = sum(one.partner.similarity for one in carried)
        rows.append(
            JudgementLevel(
                level,
                sum(old.judgement == level for old in distinct),
                len(carried),
                sum(one.partner.same_url for one in carried),
                sum(one.old.judgement == level for one in moved.lost),
                total / len(carried) if carried else None,
            )
        )
    return rows


def list_moved(moved: Moved, name: str = "") -> dict[str, bytes]:
    """Return the new judgements, the same with similarities, and those lost, by file.

    With several files of judgements these are told apart by a name.
    """
    end = f"-{name}" if name else ""
    rows = [
        _row(" ", old.topic, old.subtopic, partner.id, old.judgement)
        for old, partner in moved.carried
    ]
    head = ("topic", "subtopic", "a", "b", "judgement", "jaccard", "kind", "same_url")
    alike = [_row("\t", *head)]
    for old, partner in moved.carried:
        place = (old.topic, old.subtopic, old.id, partner.id, old.judgement)
        value, same = f"{partner.similarity:.4f}", int(partner.same_url)
        alike.append(_row("\t", *place, value, partner.kind, same))
    lost = [_row("\t", "topic", "subtopic", "a", "judgement", "reason")]
    lost += [
        _row("\t", old.topic, old.subtopic, old.id, old.judgement, why) for old, why in moved.lost
    ]
    return {
        f"qrels{end}.txt": b"".join(rows),
        f"qrels-similarity{end}.tsv": b"".join(alike),
        f"qrels-lost{end}.tsv": b"".join(lost),
    }


def write_moved(
    files: Mapping[str, bytes], folder: Path, earlier: Iterable[str] = ()
) -> list[Path]:
    """Write judgements; those of an earlier comparison that differ are set aside, and returned.

    `earlier` are the names that told its files apart.
    """
    before = {file for name in ("", *earlier) for file in list_moved(NOTHING, name)}
    differ = [
        name
        for name in sorted(before | files.keys())
        if (folder / name).is_file() and (folder / name).read_bytes() != files.get(name)
    ]
    kept = [set_aside(folder / name) for name in differ]
    for name, data in files.items():
        with replacing(folder / name) as file:
            file.write(data)
    return kept


def _row(blank: str, *cells: object) -> bytes:
    """Return a line; a blank inside a cell would make two of it, and becomes %20."""
    plain = ("%20".join(str(cell).split()) if blank == " " else tsv_cell(cell) for cell in cells)
    return (blank.join(plain) + "\n").encode("utf-8", "replace")
