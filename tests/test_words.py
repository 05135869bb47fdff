"""words.py against a plain Python reference, over all of Unicode."""

import importlib.util
import sys
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from blickfang.text import words
from blickfang.text.words import normalise, read_many, read_words, spell

MASK = 2**64 - 1


def load_rules() -> ModuleType:
    """Return scripts/words_table.py, where the rules stand in plain Python."""
    path = Path(__file__).parent.parent / "scripts" / "words_table.py"
    spec = importlib.util.spec_from_file_location("words_table", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


rules = load_rules()
SAME_UNICODE = words.TABLE_VERSION.startswith(unicodedata.unidata_version + "-")


class Word(NamedTuple):
    folded: str
    start: int
    end: int
    begins_sentence: bool


@cache
def kind_of(char: str) -> int:
    """Return the class of a character; of one younger than the table, what the table says."""
    if not SAME_UNICODE:
        code = ord(char)
        return int(words.TABLE.blocks[int(words.TABLE.block_of[code >> 6]) * 64 + (code & 63)]) & 15
    kind: int = rules.classify(ord(char))
    return kind


@cache
def fold(char: str) -> str:
    folded: str = rules.fold(ord(char))
    return folded


def reference(text: str) -> list[Word]:
    """Cut a text into words, one character at a time."""
    found: list[Word] = []
    open_kind = None  # the class of the first letter of the word being read
    edge, stop, at = True, False, 0
    for char in text:
        width = len(char.encode("utf-8", "surrogatepass"))
        kind = kind_of(char)
        extends = open_kind is not None and (
            kind == rules.MARK or (kind == rules.LETTER and open_kind == rules.LETTER)
        )
        if extends:
            last = found.pop()
            folded = last.folded + fold(char)
            if char == "\u0307" and last.folded.endswith("i"):
                folded = last.folded
            found.append(last._replace(folded=folded, end=at + width))
        elif kind in (rules.LETTER, rules.SINGLE):
            found.append(Word(fold(char), at, at + width, edge))
            open_kind, edge, stop = kind, False, False
        elif kind != rules.JOIN:
            open_kind = None
            edge = edge or kind == rules.EDGE or (kind == rules.SPACE and stop)
            if kind not in (rules.SPACE, rules.EDGE, rules.CLOSE):
                stop = kind == rules.STOP
        at += width
    return found


def hash_of(folded: str) -> int:
    h = 0
    for char in unicodedata.normalize("NFD", folded) if is_hangul(folded) else folded:
        h = (h ^ ord(char)) * 0x9E3779B97F4A7C15 & MASK
    for multiplier in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        h ^= h >> 33
        h = h * multiplier & MASK
    return h ^ h >> 33 or 1


def is_hangul(folded: str) -> bool:
    return any("\uac00" <= char <= "\ud7a3" for char in folded)


def assert_same(text: str) -> None:
    got = read_words(text)
    expected = reference(text)
    assert got.hashes.tolist() == [hash_of(word.folded) for word in expected]
    assert got.starts.tolist() == [word.start for word in expected]
    assert got.ends.tolist() == [word.end for word in expected]
    assert got.breaks.tolist() == [word.begins_sentence for word in expected]


# Characters of every class in equal shares; drawn from all of Unicode letters would be Han.
BY_CLASS: dict[int, list[str]] = {}
for code_point in range(1, sys.maxunicode + 1):
    BY_CLASS.setdefault(kind_of(chr(code_point)), []).append(chr(code_point))
SPECIAL = "iIİıßẞﬁΣςσÅﾞｶガが각가힣\u0345\u0307\u0301\u200b\u00ad\u0640ًـ่ำไทยລາວ。.!? \n\"')"
any_char = st.one_of(
    st.sampled_from(SPECIAL),
    st.characters(),
    *(st.sampled_from(chars) for _, chars in sorted(BY_CLASS.items())),
)


@given(st.text(any_char, max_size=60))
@example("\ud800 a\udfff")
@example("3.5 is a No. 1 (Go.) Then")
def test_equals_the_reference(text: str) -> None:
    assert_same(text)


def test_every_code_point_between_letters() -> None:
    """All that stand for something, and some of the 900,000 that do not, in a few long texts."""
    codes = *range(1, 0x32000), *range(0x32000, 0xE0000, 101), *range(0xE0000, 0xE0200)
    chars = [chr(code) for code in (*codes, *range(0xE0200, sys.maxunicode + 1, 101))]
    for begin in range(0, len(chars), 100_000):
        assert_same("".join(f"a{char}b " for char in chars[begin : begin + 100_000]))


@given(st.lists(st.text(any_char | st.just("\0"), max_size=20), max_size=8))
def test_a_batch_equals_its_texts(texts: list[str]) -> None:
    batch = read_many(texts)
    assert len(batch.texts) == len(texts) + 1
    for t, text in enumerate(texts):
        alone = read_words(text)
        part = slice(batch.texts[t], batch.texts[t + 1])
        assert batch.hashes[part].tolist() == alone.hashes.tolist()
        assert batch.breaks[part].tolist() == alone.breaks.tolist()


@given(st.text(any_char, max_size=40))
@example("شَدّة شّدَة ゟ ヿ a\u0323\u0301 a\u0301\u0323 i\u0307\u0307 각 \u1100\u1161\u11a8")
def test_spelled_words_read_as_themselves(text: str) -> None:
    got = read_words(text)
    spelled = spell(got)
    assert all(spelled)
    again = read_many(spelled)
    assert again.hashes.tolist() == got.hashes.tolist()
    assert len(set(spelled)) == len(set(got.hashes.tolist()))


def test_every_letter_reads_as_its_spelling() -> None:
    letters = [char for kind in (rules.LETTER, rules.SINGLE) for char in BY_CLASS[kind]]
    got = read_many(letters)
    assert len(got.hashes) == len(letters)
    assert read_many(spell(got)).hashes.tolist() == got.hashes.tolist()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("STRASSE", "Straße"),
        ("ﬁsh", "FISH"),
        ("Ａｂｃ", "abc"),
        ("ΟΔΟΣ", "οδος"),
        ("İstanbul", "istanbul"),
        ("café", "cafe\u0301"),
        ("각", "\u1100\u1161\u11a8"),
        ("ｶﾞ", "ガ"),
        ("soft\u00adhyphen", "softhyphen"),
        ("مـحـمـد", "محمد"),
    ],
)
def test_spellings_that_are_one_word(one: str, other: str) -> None:
    assert read_words(one).hashes.tolist() == read_words(other).hashes.tolist()
    assert len(read_words(one).hashes) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("don't stop 4you2", ["don", "t", "stop", "you"]),
        ("東京タワー", ["東", "京", "タ", "ワ", "ー"]),
        ("ที่นี่", ["ที่", "นี่"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("한국어 텍스트", ["한국어", "텍스트"]),
        ("", []),
        ("12 + 3 = ½ …", []),
    ],
)
def test_words_of_many_scripts(text: str, expected: list[str]) -> None:
    assert spell(read_words(text)) == expected


def test_texts_do_not_share_their_arrays() -> None:
    """Room is reused from text to text, per thread; what was found must not change with it."""
    texts = [f"{'ab' * i} cd {i} é{'x' * i} " * 200 for i in range(40)] + ["word " * 300_000]
    expected = [hash_of("ab" * i) for i in range(1, 40)]
    for read in (list(map(read_words, texts)), list(ThreadPoolExecutor(4).map(read_words, texts))):
        assert [int(words.hashes[0]) for words in read[1:40]] == expected
        assert [len(words.hashes) for words in read] == [400, *[600] * 39, 300_000]


def test_worked_example_of_the_study() -> None:
    text = "This funny & cute cat has more than 99 lives :) – THIS is awesome!"
    assert normalise(text) == "this funny cute cat has more than lives this is awesome"


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two! Three? Four… Five", 5),
        ('He said "Go." Then left.', 2),
        ("version 3.5 of example.org", 1),
        ("一。二！三", 3),
        ("line\nline\u2028line", 3),
        ("no stop (at all) here", 1),
    ],
)
def test_sentences(text: str, sentences: int) -> None:
    assert int(read_words(text).breaks.sum()) == sentences


def test_the_shipped_table_is_what_the_rules_say() -> None:
    if not SAME_UNICODE:
        return  # a younger Unicode knows more letters; the table must not follow it
    packed = rules.pack()
    assert (packed["index"] == words.TABLE.block_of).all()
    assert (packed["blocks"] == words.TABLE.blocks).all()
    assert (packed["pool"] == words.TABLE.pool).all()
    table = words.DIGITS_TABLE
    entries = table.blocks.reshape(-1, 64)[table.block_of].ravel()
    changed = entries != words.TABLE.blocks.reshape(-1, 64)[words.TABLE.block_of].ravel()
    digits = [code for code in range(sys.maxunicode + 1) if chr(code).isdecimal()]
    assert set(digits) >= set(changed.nonzero()[0].tolist())
    assert (entries[digits] & 15 == rules.LETTER).all()


@given(st.lists(st.text(any_char, max_size=6) | st.sampled_from("0123456789٣৪𝟗०๑")))
def test_kept_digits_are_letters(parts: list[str]) -> None:
    """A digit does what an unused letter does, and is the same in every script."""
    unused = "abcdefghij_"
    texts = ["".join(part for part in parts if not set(part.casefold()) & set(unused))]
    if set(unicodedata.normalize("NFKD", texts[0]).casefold()) & set(unused):
        return
    for pick in (str, lambda value: unused[int(value)]):
        read = (c if (d := unicodedata.decimal(c, None)) is None else pick(d) for c in texts[0])
        texts.append("".join(read))
    original, ascii_digits, letters = (read_words(text, digits=True) for text in texts)
    assert original.hashes.tolist() == ascii_digits.hashes.tolist()
    assert original.breaks.tolist() == ascii_digits.breaks.tolist() == letters.breaks.tolist()
    assert ascii_digits.starts.tolist() == letters.starts.tolist()
    assert ascii_digits.ends.tolist() == letters.ends.tolist()
    if texts[1] == texts[2]:
        assert original.hashes.tolist() == read_words(texts[0]).hashes.tolist()


def test_digits_are_kept_where_asked_for() -> None:
    text = "Model T4 won 3:12 in 2024年, mp3 ３ ٣ is_é x1_"
    expected = ["model", "t4", "won", "3", "12", "in", "2024", "年", "mp3", "3", "3", "is_é", "x1_"]
    assert spell(read_words(text, digits=True)) == expected
    assert spell(read_words(text)) == ["model", "t", "won", "in", "年", "mp", "is", "é", "x"]
    with_digits = read_words(text, digits=True).hashes.tolist()
    assert len(set(with_digits)) == 11
    assert set(read_words("model won in 年").hashes.tolist()) <= set(with_digits)
