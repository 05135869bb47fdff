"""What a column holds, by the shape of its cells: no background, no language.

In: the texts of a column. Out: its kind: url, email, price, year, date, number, names, title, long,
label, text; "image" is known from the markup.
"""

import re
from collections.abc import Callable, Sequence

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
LONGEST = 400  # characters of a cell that are looked at
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
