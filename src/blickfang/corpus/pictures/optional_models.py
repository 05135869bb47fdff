"""Text that is drawn in a picture, read by a model (extra `ocr`).

In: the bytes of an image. Out: its lines, from top to bottom. Needs the extra `ocr`
(rapidocr-onnxruntime), which brings its models along; Chinese and Latin letters are read. Of other
scripts it makes what looks alike (Музей becomes My3e), and is sure of it. So nothing is taken from
a picture whose words look like that, and a page in another script says so beforehand.
"""

import importlib
import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from blickfang.corpus.pictures.decode_picture import PictureLimits
from blickfang.corpus.pictures.picture import show_picture
from blickfang.errors import SettingsError
from blickfang.types import Failure

MISSING_PACKAGE = 'the reader of drawn text is missing: pip install "blickfang[ocr]"'
MOST = 1600  # pixels of the longer side that the model is shown
KNOWN = ("LATIN", "CJK")  # scripts that the model reads, as Unicode names letters
SURE = 0.85  # of a line; what is less is left out
DOUBTED = 1 / 3  # share of words that look misread: then nothing is taken from the picture
# A capital behind a small letter, or a digit between letters.
MISREAD = re.compile(r"[^\W\d_]\d+[^\W\d_]|[a-zß-ÿ][A-ZÀ-Þ]")


class DrawnTextReader:
    """A model that is loaded once and reads many pictures."""

    def __init__(self, limits: PictureLimits | None = None) -> None:
        try:
            package = importlib.import_module("rapidocr_onnxruntime")
        except ImportError as error:
            raise SettingsError(MISSING_PACKAGE) from error
        self._limits = limits
        # One thread: pictures are spread over cores by who calls this.
        self._model: Any = package.RapidOCR(intra_op_num_threads=1, inter_op_num_threads=1)

    def read(self, url: str, data: bytes) -> str | Failure:
        """Return the lines drawn in a picture, "" if there are none."""
        image = show_picture(url, data, MOST, self._limits)
        if isinstance(image, Failure):
            return image
        found, _ = self._model(np.asarray(image)[:, :, ::-1])  # it expects blue first
        lines = [" ".join(text.split()) for _, text, sure in found or () if float(sure) >= SURE]
        return "" if looks_misread(lines) else "\n".join(filter(None, lines))


def looks_misread(lines: Sequence[str]) -> bool:
    """Whether words are what a reader makes of a script that it does not know.

    >>> looks_misread(["My3e C", "OTKpbIT"]), looks_misread(["Sony Mavica FD-91"])
    (True, False)
    """
    words = [word for line in lines for word in line.split() if any(map(str.isalpha, word))]
    doubted = [word for word in words if MISREAD.search(word) or not knows_script(word, 1.0)]
    return len(doubted) > 0 and len(doubted) >= DOUBTED * len(words)


def knows_script(text: str, share: float = 0.5) -> bool:
    """Whether a share of the letters of a text, or more, are of scripts that the model reads.

    >>> knows_script("Open from 9 to 17"), knows_script("Музей (Sony) открыт"), knows_script("")
    (True, False, True)
    """
    letters = [char for char in text if char.isalpha()]
    known = sum(char.isascii() or unicodedata.name(char, "").startswith(KNOWN) for char in letters)
    return known >= share * len(letters)


NUDITY_MISSING = 'the judge of nudity is missing: pip install "blickfang[nsfw]"'
NUDITY_SIDE = 640  # pixels of the longer side; the model itself sees 320
NAKED = frozenset(
    (
        "ANUS_EXPOSED",
        "BUTTOCKS_EXPOSED",
        "FEMALE_BREAST_EXPOSED",
        "FEMALE_GENITALIA_EXPOSED",
        "MALE_GENITALIA_EXPOSED",
    )
)


class NudityJudge:
    """A model that is loaded once and judges many pictures."""

    def __init__(self, limits: PictureLimits | None = None) -> None:
        try:
            package = importlib.import_module("nudenet")
        except ImportError as error:
            raise SettingsError(NUDITY_MISSING) from error
        self._limits = limits
        self._model: Any = package.NudeDetector()

    def judge(self, url: str, data: bytes) -> float | Failure:
        """Return how sure the model is that a picture shows nakedness."""
        image = show_picture(url, data, NUDITY_SIDE, self._limits)
        if isinstance(image, Failure):
            return image
        parts = self._model.detect(np.ascontiguousarray(np.asarray(image)[:, :, ::-1]))
        return max((float(part["score"]) for part in parts if part["class"] in NAKED), default=0.0)


ReadDrawn = Callable[[bytes, str], str]


def make_drawn(wanted: bool) -> ReadDrawn | None:
    """Return who reads the text that is drawn in a picture, given texts of its page."""
    if not wanted:
        return None
    reader = DrawnTextReader()

    def read(data: bytes, said: str) -> str:
        found = reader.read("", data) if knows_script(said) else ""
        return "" if isinstance(found, Failure) else found

    return read


def make_nudity(most: float) -> Callable[[bytes], float] | None:
    """Return who says how much nudity a picture shows, 0 to 1."""
    if most >= 1:
        return None
    judge = NudityJudge()

    def rate(data: bytes) -> float:
        found = judge.judge("", data)
        return 1.0 if isinstance(found, Failure) else found

    return rate
