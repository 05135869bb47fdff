"""A sheet of pairs side by side, for judging by eye.

In: pairs with their texts. Out: HTML that stands alone, and a table to be filled in. Words that the
other text does not have are marked; long texts are cut, and say so.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from blickfang.charts.draw_svg import escape
from blickfang.compare.measure import KINDS, MEANINGS
from blickfang.compare.pages import make_page, say, show_value
from blickfang.corpus.escaping import tsv_cell
from blickfang.disk import set_aside

SHOWN = 6000  # characters of a text
TOKEN = re.compile(r"\w+|\W+")
ANSWERS = (*KINDS, "unsure")
HEADER = "number\ta\tb\tall\tmain\tframe\tcontained\tkind\tjudgement"


class Side(NamedTuple):
    """A document of a pair."""

    id: str
    url: str
    text: str  # all of it
    main: str = ""  # what is shown first, if there is any


class Shown(NamedTuple):
    """A pair on the sheet."""

    a: Side
    b: Side
    values: dict[str, float | None]  # all, main, frame, contained
    kind: str


def make_sheet(pairs: Sequence[Shown], title: str, seed: int) -> str:
    """Return the sheet."""
    parts = [
        f"<h1>{escape(title)}</h1>",
        say(
            f"{len(pairs):,} near-duplicate pairs drawn at random (seed {seed}). Marked words are "
            "not in the other text. Judge first, then look at what was measured; sample.tsv has a "
            "column for judgements.",
            "lead",
        ),
    ]
    parts += [_show(number, pair) for number, pair in enumerate(pairs, 1)]
    return make_page(title, parts, wide=True)


def _show(number: int, pair: Shown) -> str:
    values = ", ".join(f"{name} {show_value(value)}" for name, value in pair.values.items())
    meaning = MEANINGS[pair.kind]
    sides = _side(pair.a, pair.b) + _side(pair.b, pair.a)
    name = f"pair-{number}"
    boxes = "".join(
        f'<label><input type="radio" name="{name}" value="{escape(answer)}"> '
        f"{escape(answer)}</label>"
        for answer in ANSWERS
    )
    return (
        f'<section id="{name}"><h2>Pair {number}</h2><div class="pair">{sides}</div>'
        f'<fieldset class="judge"><legend>They share</legend>{boxes}</fieldset>'
        "<details><summary>What was measured</summary>"
        f'<p class="note">{escape(pair.kind)}: {escape(meaning)}; {escape(values)}</p>'
        "</details></section>"
    )


def _side(side: Side, other: Side) -> str:
    """Return one document: its main text, and all text below; or just its text."""
    address = f" · {side.url}" if side.url and side.url != side.id else ""
    head = f"<h3>{escape(side.id + address)}</h3>"
    if not side.main:
        return f"<div>{head}{_text(side.text, other.text)}</div>"
    whole = f"<details><summary>All text</summary>{_text(side.text, other.text)}</details>"
    return f"<div>{head}{_text(side.main, other.main or other.text)}{whole}</div>"


def _text(text: str, other: str) -> str:
    more = f"\n… {len(text) - SHOWN:,} more characters" if len(text) > SHOWN else ""
    known = set(re.findall(r"\w+", other.lower()))
    return f'<pre tabindex="0">{mark_new(text[:SHOWN], known)}{escape(more)}</pre>'


def mark_new(text: str, other: set[str]) -> str:
    """Return a text as HTML, the words marked that another one does not have.

    >>> mark_new("a <b", {"a"})
    'a &lt;<mark>b</mark>'
    """
    parts = []
    for token in TOKEN.findall(text):
        is_new = token[0].isalnum() and token.lower() not in other
        shown = "\n".join(escape(line) for line in token.split("\n"))
        parts.append(f"<mark>{shown}</mark>" if is_new else shown)
    return "".join(parts)


def list_sample(pairs: Sequence[Shown]) -> str:
    """Return the sheet as a table with an empty column for judgements."""
    lines = [HEADER]
    for number, pair in enumerate(pairs, 1):
        values = [show_value(pair.values[name]) for name in ("all", "main", "frame", "contained")]
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
