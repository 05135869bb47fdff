"""Cells finer than tags: a text is split where the rows agree on a separator.

In: a column of texts. Out: several columns, if nearly all rows have the separator equally often;
else the column as it is.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

SEPARATORS = (
    r"\s+[|•·]\s+",
    r"\s+[–—]\s+|\s+-\s+",
    r";\s+",
    r"[\"“„«](?=\w)|[\"”“»][.,]?(?=\s|$)",
    r"\s+In:?\s+(?=[A-Z])",
    r":\s+",
    r"\s*\((?=(?:19|20)\d\d\))|(?<=\d{4})\)[.,:]?\s*",
    r"\s*[()]\s*",
    r"(?<=[^\W\d_]{4})\.\s+",
    r",\s+",
)
NEEDED = (  # by each separator; most columns have none of it, and looking for it costs little
    ("|", "•", "·"),
    (" –", " —", " - "),
    ("; ",),
    tuple('"“„«”»'),
    (" In",),
    (": ",),
    (")",),
    ("(", ")"),
    (". ",),
    (", ",),
)
COMPILED = tuple(map(re.compile, SEPARATORS))
AGREE = 0.8  # of the rows must give the same number of parts
MOST_PARTS = 6
LEAST = 4  # rows from which a separator can be learned
DEPTH = 3
LONGEST = 400  # characters of a text that are looked at
GLANCE = 8  # rows that show whether a separator is there at all
SAMPLE = 50  # rows that are enough


def split_parts(text: str, separator: re.Pattern[str]) -> list[str]:
    """Return the parts of a text that are not empty."""
    return [part.strip() for part in separator.split(text) if part and part.strip()]


class Split(NamedTuple):
    """How a column is split: by which separator, into how many parts, and how each of these."""

    separator: int  # its place in SEPARATORS
    parts: int
    inner: tuple["Split | None", ...]


def find_separator(texts: Sequence[str]) -> tuple[int, int] | None:
    """Return the place of the strongest separator on which the rows agree, and of its parts."""
    filled = [text[:LONGEST] for text in texts if text]
    filled = filled[:: max(1, len(filled) // SAMPLE)]
    if len(filled) < LEAST:
        return None
    some = filled[:: max(1, len(filled) // GLANCE)][:GLANCE]
    joined = "\n".join(some)
    for place, separator in enumerate(COMPILED):
        if not any(sign in joined for sign in NEEDED[place]):
            continue
        if 2 * sum(separator.search(text) is not None for text in some) < len(some):
            continue  # so few have it that the rows cannot agree
        counts = Counter(len(split_parts(text, separator)) for text in filled)
        parts, rows = counts.most_common(1)[0]
        if 2 <= parts <= MOST_PARTS and rows >= AGREE * len(filled):
            return place, parts
    return None


def cut_column(texts: Sequence[str], separator: int, parts: int) -> list[list[str]]:
    """Return a column as so many columns; what is left over belongs to the last one."""
    columns: list[list[str]] = [[] for _ in range(parts)]
    for text in texts:
        pieces = split_parts(text, COMPILED[separator])
        if len(pieces) > parts:
            begin = text.find(pieces[parts - 1])
            pieces = [*pieces[: parts - 1], text[begin:].strip()]
        for column, piece in zip(columns, [*pieces, *[""] * parts], strict=False):
            column.append(piece)
    return columns


def split_column(texts: Sequence[str], depth: int = DEPTH) -> tuple[list[list[str]], Split | None]:
    """Return a column as the columns its separators make of it, and how it was split.

    >>> split_column(["Ann | 3", "Bob | 4", "Cy | 5", "Di | 6"])[0]
    [['Ann', 'Bob', 'Cy', 'Di'], ['3', '4', '5', '6']]
    """
    found = find_separator(texts) if depth else None
    if found is None:
        return [list(texts)], None
    finer = [split_column(column, depth - 1) for column in cut_column(texts, *found)]
    split = Split(*found, tuple(inner for _, inner in finer))
    return [column for columns, _ in finer for column in columns], split


def apply_split(texts: Sequence[str], split: Split | None) -> list[list[str]]:
    """Return a column as the columns that a known split makes of it."""
    if split is None:
        return [list(texts)]
    columns = zip(cut_column(texts, split.separator, split.parts), split.inner, strict=True)
    return [finer for column, inner in columns for finer in apply_split(column, inner)]
