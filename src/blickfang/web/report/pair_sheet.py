"""A sheet of pairs side by side, for judging by eye.

In: pairs with their texts. Out: HTML that stands alone, and a table to be filled in. Words that the
other text does not have are marked; long texts are cut, and say so.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from blickfang.dedupe.compare.pair_measures import KINDS, MEANINGS
from blickfang.io.atomic_files import set_aside
from blickfang.io.escaping import tsv_cell
from blickfang.web.report.templating import render_page, similarity

SHOWN = 6000  # characters of a text
TOKEN = re.compile(r"\w+|\W+")
ANSWERS = (*KINDS, "unsure")
HEADER = "number\ta\tb\tall\tmain\tframe\tcontained\tkind\tjudgement"


class PairSide(NamedTuple):
    """A document of a pair."""

    id: str
    url: str
    text: str  # all of it
    main: str = ""  # what is shown first, if there is any


class Shown(NamedTuple):
    """A pair on the sheet."""

    a: PairSide
    b: PairSide
    values: dict[str, float | None]  # all, main, frame, contained
    kind: str


class Marked(NamedTuple):
    """A text, cut, in parts: those that another text has and those it has not."""

    parts: list[tuple[str, bool]]  # whether it is new
    left: int  # characters that are not shown


def make_sheet(pairs: Sequence[Shown], title: str, seed: int) -> str:
    """Return the sheet."""
    return render_page(
        "pair_sheet.html",
        title=title,
        seed=seed,
        pairs=pairs,
        answers=ANSWERS,
        meanings=MEANINGS,
        mark_sides=_mark_sides,
    )


def _mark_sides(pair: Shown) -> list[tuple[PairSide, Marked | None, Marked]]:
    """Return each document with its main text, if there is any, and its whole text."""
    return [
        (
            side,
            mark_new(side.main, other.main or other.text) if side.main else None,
            mark_new(side.text, other.text),
        )
        for side, other in ((pair.a, pair.b), (pair.b, pair.a))
    ]


def mark_new(text: str, other: str) -> Marked:
    """Mark the words of a text that another one does not have.

    >>> mark_new("a b", "a").parts
    [('a', False), (' ', False), ('b', True)]
    """
    known = set(re.findall(r"\w+", other.lower()))
    parts = [
        (token, token[0].isalnum() and token.lower() not in known)
        for token in TOKEN.findall(text[:SHOWN])
    ]
    return Marked(parts, max(0, len(text) - SHOWN))


def list_sample(pairs: Sequence[Shown]) -> str:
    """Return the sheet as a table with an empty column for judgements."""
    lines = [HEADER]
    for number, pair in enumerate(pairs, 1):
        values = [similarity(pair.values[name]) for name in ("all", "main", "frame", "contained")]
        cells = [number, pair.a.id, pair.b.id, *values, pair.kind, ""]
        lines.append("\t".join(map(tsv_cell, cells)))
    return "\n".join(lines) + "\n"


def clear_sample(table: Path) -> Path | None:
    """Remove the table of an earlier sample; return its new name, if somebody has judged in it."""
    if not table.is_file():
        return None
    head, *rows = table.read_text(encoding="utf-8", errors="replace").split("\n")
    # What a spreadsheet has changed counts as judged: rather one file too many than work lost.
    untouched = head == HEADER and all(
        row.endswith("\t") and row.count("\t") == HEADER.count("\t") for row in rows if row
    )
    if not untouched:
        return set_aside(table)
    table.unlink()
    return None
