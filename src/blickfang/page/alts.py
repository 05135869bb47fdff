"""Texts of images that no person wrote: file names, camera numbers, parts of the address.

In: an alt, title or caption and the address of the image. Out: whether a program made the text.
Such texts are marked, never silently used: the study asks for it ("wp content uploads …").
"""

import re
from urllib.parse import unquote

from blickfang.urls import BLANKED, file_words, url_words

FILE = re.compile(r"\S+\.(?:jpe?g|png|gif|webp|avif|bmp|tiff?|svg|heic)\s*$", re.IGNORECASE)
CAMERA = re.compile(
    r"(?:img|dsc[nf_]?|dscn|dcim|pict?|image|photo|foto|bild|screenshot|screen shot|scan|cimg|mvi|"
    r"imag|gopr|whatsapp image|pxl|untitled|unnamed)?[\s_.()#-]*+\d[\d\s_.:x()#T-]*+"
    r"(?:at[\d\s.:]*+(?:[ap]\.?m\b[\s.]*+)?|wa\d{4,}+\s*+)?"
    r"(?:copy|edited|scaled|cropped)?[\s\d_.()-]*+",
    re.IGNORECASE,
)
# Names that cameras, messengers and shops of pictures give, whosever they are: without blanks, with
# a number of six digits or a date behind letters, or with underscores and a number of three.
COUNTED = re.compile(
    r"[A-Za-z]++(?>(?:[-_][A-Za-z]++)*)[-_]?\d{6,}+"
    r"|(?>(?:[A-Za-z]++[-_])*)(?:19|20)\d\d(?>-?\d\d){2}(?>(?:[-_.]\w++)*)"
    r"|(?=\w*?\d{3})(?=\w*_)\w++",
    re.ASCII,
)
# Where systems keep what was uploaded, as words: an alt text that begins so is a path.
FOLDERS = ("wp content ", "wp includes ", "sites default files ", "media catalog product ")
IDENTIFIER = re.compile(
    r"(?=[^\s]*\d)[0-9a-f]{8,}+(?>(?:[-_][0-9a-f]++)*)|(?=.*?[0-9a-f]{12})[\w-]++", re.IGNORECASE
)
SHORTEST = 8  # of identifiers
# Words that stand where nobody wrote a text; English, since programs write them everywhere.
EMPTY_WORDS = frozenset(
    re.findall(
        r"\w+",
        "image images img photo picture pic thumbnail thumb placeholder undefined null none alt "
        "untitled unnamed default spacer blank banner icon file filename",
    )
)
MAX_LENGTH = 200  # of what programs write
DIGIT = re.compile(r"\d")
LETTERS = re.compile(r"[^\W\d_]+")


def is_generated(text: str, url: str = "") -> bool:
    """Whether a text about an image was made by a program.

    >>> is_generated("IMG_2034"), is_generated("A cat on a sofa"), is_generated("cat-2.jpg")
    (True, False, True)
    >>> is_generated("wp content uploads is the kitten healthy",
    ...              "http://a.org/wp-content/uploads/is-the-kitten-healthy.jpg")
    True
    """
    if not text or len(text) > MAX_LENGTH:
        return False
    if " " not in text and _is_name(text):
        return True
    if DIGIT.search(text) and CAMERA.fullmatch(text):
        return True
    low = text.lower()
    words = low.translate(BLANKED).split() if low.isascii() else LETTERS.findall(low)
    if not words or (len(words) <= 2 and EMPTY_WORDS.issuperset(words)):
        return True
    if text == low and " ".join(words).startswith(FOLDERS):
        return True
    if words[-1] not in url.lower():  # the cheap answer for nearly all
        return False
    said = " ".join(words)
    name = file_words(url)
    if said == name:
        return not _is_written(text, url)
    return len(words) > len(name.split()) and url_words(url).endswith(said)


def _is_name(text: str) -> bool:
    """Whether a text without blanks is the name of a file, or a number that a program gave."""
    if "." in text and FILE.fullmatch(text):
        return True
    if len(text) < SHORTEST - 1:
        return False
    return bool(
        (len(text) >= SHORTEST and IDENTIFIER.fullmatch(text))
        or (DIGIT.search(text) and COUNTED.fullmatch(text))
    )


def _is_written(text: str, url: str) -> bool:
    """Whether a text has what file names lose: a capital letter, or a stop at its end."""
    return text not in unquote(url) and (text != text.lower() or text.rstrip()[-1:] in ".!?…")
