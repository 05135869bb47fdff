"""Which text a sample shows as its caption: what describes its picture best.

In: what one mention says of a picture. Out: its stated caption, or the text that belongs to it,
unless that says less than the alt text: a credit line, a place or a label beside which the alt text
names what is seen. All texts stay
in columns of their own; this is the one that people are shown, that annotators judge and that
search weighs most. Method: docs/method.md, "Samples".
"""

import re
from typing import Any

Row = dict[str, Any]

TELLING = 3  # words of an alt text that says something
SHORT = 4  # different words of a caption that may be a mere label
SHORTEST = 3  # letters of a word that tells something
WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\d_]+")
WITNESSES = ("name", "page_title", "section")  # file, page and heading: what they name is meant
PICTURE = r"(?:image|photo(?:graph)?|picture|illustration|graphic|screenshot|video|bild|foto)s?"
CREDIT = re.compile(
    rf"\W*(?:{PICTURE}\W*)?(?:sources?|credits?|quelle|nachweis|crédits?|fuente|fonte|bron|источник)"
    rf"\s*(?::|$)|\W*(?:{PICTURE}\W*)?(?:courtesy|copyright)\b|\W*©|\W*{PICTURE}\s*(?::|by\b|via\b)|"
    r"[^.]{0,60}\bgetty images\W*$",
    re.IGNORECASE,
)
LONGEST_CREDIT = 15  # words: what is longer says more


def choose_caption(row: Row) -> str:
    """Return the text that describes a picture best.

    In running text without a caption that is the alt text, if somebody wrote one: what stands next
    to the picture is as often about something else. Elsewhere what belongs to it says more.
    """
    generated = row["generated"].split()
    alt, title, caption = (
        "" if name in generated else str(row[name]) for name in ("alt", "title", "caption")
    )
    context = "" if row["context"] == row["caption"] else row["context"]
    witnesses = " ".join(row[name] for name in WITNESSES)
    if (caption or context) and says_less(caption or context, alt, witnesses):
        return alt
    spoken = alt or title
    if not caption and row["kind"] == "text" and spoken.count(" ") + 1 >= TELLING:
        return spoken
    texts = (caption, context, alt, title, *(row[name] for name in ("caption", "alt", "title")))
    return str(next(filter(None, texts), ""))


def says_less(caption: str, alt: str, witnesses: str) -> bool:
    """Whether a stated caption says less of a picture than its alt text does.

    >>> says_less("Pennsylvania", "Cedar Waxwing", "cedar waxwing jpg")
    True
    >>> says_less("Cedar Waxwing in Pennsylvania", "A bird on a branch", "cedar waxwing jpg")
    False
    >>> says_less("Photo: Anna Lind", "Two kites over the beach", "")
    True
    """
    ours, theirs = find_telling(caption), find_telling(alt)
    if not theirs:
        return False
    if len(ours) <= LONGEST_CREDIT and CREDIT.match(caption):
        return True
    known = find_telling(witnesses)
    if len(ours) > SHORT or ours & theirs:
        return False
    if ours & known or theirs & known:
        return len(theirs & known) > len(ours & known)
    return len(theirs) > len(ours) + 1


def find_telling(text: str) -> set[str]:
    """Return the different words of a text that are long enough to tell something.

    >>> sorted(find_telling("The cat is on a sofa; 猫"))
    ['cat', 'sofa', 'the', '猫']
    """
    words = WORD.findall(text.lower())
    return {word for word in words if len(word) >= SHORTEST or word > "\u3000"}
