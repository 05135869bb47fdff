"""Cells finer than tags: a text is split where the rows agree on a separator.

In: a column of texts. Out: several columns, if nearly all rows have the separator equally often;
else the column as it is.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
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


MOST = 0.6  # of the cells must have the shape
NUMBER = r"\d[\d.,'\u00a0 ]*"
PARTICLES = frozenset(
    ["van", "von", "de", "der", "den", "di", "da", "du", "la", "le", "del", "dos"]
)
JOINTS = re.compile(r"[,;&]|\s(?:and|und|et|y|e)\s")
SHAPES = {
    "url": re.compile(r"(?:https?://|www\.)\S+$", re.IGNORECASE),
    "email": re.compile(r"(?:mailto:)?[\w.+-]+(?:@| ?\(at\) ?| ?\[at\] ?)[\w-]+(?:\.[\w-]+)+$"),
    "price": re.compile(
        rf"[^\d]{{0,20}}(?:[$€£¥₹₽]|\b(?:USD|EUR|GBP|CHF|US\$|Rs\.?))\s?{NUMBER}.{{0,20}}$"
        rf"|[^\d]{{0,12}}{NUMBER}\s?(?:[€£¥₹₽$]|EUR\b|USD\b|kr\b|zł).{{0,20}}$"
    ),
    "year": re.compile(r"\(?(?:1[89]|20)\d\d[a-z]?\)?[.,:]?$"),
    "date": re.compile(
        r"\D{0,12}(?:\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./](?:\d{4}|\d\d)\b"
        r"|\d{1,2}\.? [^\W\d]{3,10}\.?,? \d{4}|[^\W\d]{3,10}\.? \d{1,2},? \d{4}"
        r"|\d+ [^\W\d]+ (?:ago|her)).{0,20}$"
    ),
    "number": re.compile(rf"[#(\[+-]?{NUMBER}%?[)\].:]?(?: [^\W\d]+)?$"),
}
KIND_SIGNS = {"url": ":.", "email": "@(["}  # signs, at least one of them
DIGITAL = frozenset({"price", "year", "date", "number"})
LONG, TITLE = 25, 3  # words
MOST_WORDS = 5  # of a name
# characters of a cell that are looked at
KIND_SAMPLE = 30  # cells that are enough
SAME = 0.7  # of the cells say the same: a label


def is_names(text: str) -> bool:
    """Whether a text is a list of names: words with capitals, most entries of two or more.

    >>> is_names("A. Smith, B. van Jones and C. Ray"), is_names("A day at the sea")
    (True, False)
    """
    items = [item.split() for item in JOINTS.split(text[:LONGEST]) if item.strip()]
    for words in items:
        if len(words) > MOST_WORDS or not all(w[0].isupper() or w in PARTICLES for w in words):
            return False
    full = sum(len(words) > 1 for words in items)
    return bool(items) and 2 * full >= len(items)


def find_shape(text: str) -> str:
    """Return the shape of one cell, "" if it has none.

    >>> find_shape("$12.50"), find_shape("A day at the sea")
    ('price', '')
    """
    text = text[:LONGEST]
    return next((kind for kind, shape in SHAPES.items() if shape.match(text)), "")


def hold_mostly(test: Callable[[str], object], texts: Sequence[str]) -> bool:
    """Whether a test holds for most texts; it ends as soon as that can no longer be."""
    left = len(texts) - MOST * len(texts)
    for text in texts:
        if not test(text):
            left -= 1
            if left < 0:
                return False
    return True


def classify_column(cells: Sequence[str]) -> str:
    """Return the kind of a column.

    >>> classify_column(["$12.50", "$8", ""]), classify_column(["A. Smith, B. Jones", "C. Ray"])
    ('price', 'names')
    """
    texts = [cell[:LONGEST] for cell in cells if cell]
    texts = texts[:: max(1, len(texts) // KIND_SAMPLE)]
    if not texts:
        return "text"
    if len(texts) > 2 and max(map(texts.count, texts[:20])) >= SAME * len(texts):
        return "label"
    signs = set("".join(texts))
    digits = any(map(str.isdecimal, signs))
    for kind, shape in SHAPES.items():
        if not digits if kind in DIGITAL else signs.isdisjoint(KIND_SIGNS[kind]):
            continue
        if hold_mostly(shape.match, texts):
            return kind
    if hold_mostly(is_names, texts):
        return "names"
    words = sorted(text.count(" ") + 1 for text in texts)
    usual = words[len(words) // 2]
    if usual > LONG:
        return "long"
    return "title" if usual >= TITLE else "text"
