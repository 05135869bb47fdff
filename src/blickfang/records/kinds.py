"""What a column holds, by the shape of its cells: no background, no language.

In: the texts of a column. Out: its kind: url, email, price, year, date, number, names, title, long,
label, text; "image" is known from the markup.
"""

import re
from collections.abc import Sequence

MOST = 0.6  # of the cells must have the shape
NUMBER = r"\d[\d.,'\u00a0 ]*"
NAME = r"(?:[^\W\d_a-z][\w'’.-]*\.?|(?:van|von|de|der|den|di|da|du|la|le|del|dos))"
PERSON = rf"{NAME}(?:[ ]{NAME}){{1,4}}"
SHAPES = {
    "url": re.compile(r"(?:https?://|www\.)\S+$", re.IGNORECASE),
    "email": re.compile(r"(?:mailto:)?[\w.+-]+(?:@| ?\(at\) ?| ?\[at\] ?)[\w-]+(?:\.[\w-]+)+$"),
    "price": re.compile(
        rf"[^\d]{{0,20}}(?:[$€£¥₹₽]|\b(?:USD|EUR|GBP|CHF|US\$|Rs\.?))\s?{NUMBER}.{{0,20}}$"
        rf"|[^\d]{{0,12}}{NUMBER}\s?(?:[€£¥₹₽$]|EUR\b|USD\b|kr\b|zł).{{0,20}}$"
    ),
    "year": re.compile(r"\(?(?:1[89]|20)\d\d[a-z]?\)?[.,:]?$"),
    "date": re.compile(
        r"\D{0,12}(?:\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./](?:\d{4}|\d\d)\b|\d{1,2}\.? [^\W\d]{3,10}\.?,? "
        r"\d{4}|[^\W\d]{3,10}\.? \d{1,2},? \d{4}|\d+ [^\W\d]+ (?:ago|her)).{0,20}$"
    ),
    "number": re.compile(rf"[#(\[+-]?{NUMBER}%?[)\].:]?(?: [^\W\d]+)?$"),
    "names": re.compile(
        rf"(?:[^\W\d]{{2,4}} )?{PERSON}(?:(?:[,;&]|,? (?:and|und|et|y|e))+ {PERSON})*[.,:]?$"
    ),
}
LONG, TITLE = 25, 3  # words
SAME = 0.7  # of the cells say the same: a label


def classify_column(cells: Sequence[str]) -> str:
    """Return the kind of a column.

    >>> classify_column(["$12.50", "$8", ""]), classify_column(["A. Smith, B. Jones", "C. Ray"])
    ('price', 'names')
    """
    texts = [cell for cell in cells if cell]
    if not texts:
        return "text"
    if len(texts) > 2 and max(map(texts.count, texts[:20])) >= SAME * len(texts):
        return "label"
    for kind, shape in SHAPES.items():
        if sum(bool(shape.match(text)) for text in texts) >= MOST * len(texts):
            return kind
    words = sorted(text.count(" ") + 1 for text in texts)
    usual = words[len(words) // 2]
    if usual > LONG:
        return "long"
    return "title" if usual >= TITLE else "text"
