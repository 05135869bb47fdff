"""Write src/blickfang/text/words_table.npz: what each Unicode code point means to the words kernel.

In: the `unicodedata` of the running Python. Out: a two-level table (see `pack`). The table is
shipped, not built at run time: its Unicode version must not follow the user's Python, or saved
models and fingerprints would change their meaning. Method: docs/method.md, "Words".

    python scripts/words_table.py
"""

import sys
import unicodedata
from pathlib import Path

import numpy as np

TARGET = Path(__file__).parent.parent / "src" / "blickfang" / "text" / "words_table.npz"
REVISION = 1  # of the rules below; with the Unicode version it names the table

BREAK, LETTER, SINGLE, MARK, JOIN, STOP, EDGE, SPACE, CLOSE = range(9)
BLOCK = 64
IN_POOL = 1 << 4  # the fold has several code points: the value is an offset into the pool
HANGUL = 1 << 5  # the fold is computed: two or three jamo
SHIFT = 6

# Scripts written without blanks: one token a character. unicodedata knows no scripts.
UNSPACED = [
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x1950, 0x19DF),  # Tai Le, New Tai Lue
    (0x1A20, 0x1AAF),  # Tai Tham
    (0x2E80, 0x2FDF),  # Han radicals
    (0x3005, 0x3006),  # Han iteration and closing marks
    (0x3031, 0x303C),  # Kana repeat marks, Hangzhou
    (0x3040, 0x30FF),  # Hiragana, Katakana
    (0x31F0, 0x31FF),  # Katakana extensions
    (0x3400, 0x9FFF),  # Han
    (0xA9E0, 0xA9FF),  # Myanmar
    (0xAA60, 0xAADF),  # Myanmar, Tai Viet
    (0xF900, 0xFAFF),  # Han compatibility
    (0xFF66, 0xFF9F),  # half-width Katakana
    (0x1AFF0, 0x1B16F),  # Kana supplements
    (0x20000, 0x3FFFD),  # Han supplements
]
NOT_K_DECOMPOSED = (0x0E00, 0x0EFF)  # Thai and Lao: SARA AM would fall into two letters
FULL_STOPS = "。！？｡．"  # end a sentence without a blank behind them
STOPS = ".!?…‽։؟۔܀܁܂।॥᙮᠃᠉‼⁇⁈⁉⸮꓿꘎꘏꛳꛷꡶꡷꯫"
VARIATION_SELECTORS = [(0xFE00, 0xFE0F), (0xE0100, 0xE01EF), (0x180B, 0x180D), (0x180F, 0x180F)]
TATWEEL, GRAPHEME_JOINER, ZERO_WIDTH_SPACE = 0x0640, 0x034F, 0x200B


def within(code: int, ranges: list[tuple[int, int]]) -> bool:
    """Whether a code point lies in one of the ranges."""
    return any(low <= code <= high for low, high in ranges)


def is_joiner(code: int, category: str) -> bool:
    """Whether a code point is invisible to words: neither part of one nor a cut."""
    if code in (TATWEEL, GRAPHEME_JOINER) or within(code, VARIATION_SELECTORS):
        return True
    return category == "Cf" and code != ZERO_WIDTH_SPACE


def fold(code: int) -> str:
    """Return the letters and marks that a letter or mark counts as, whatever stands around it.

    >>> fold(ord("ß")), fold(ord("ﬁ")), fold(ord("Ａ"))
    ('ss', 'fi', 'a')
    """
    if code == 0x0130:  # İ; see also the rule for U+0307 in words.py
        return "i"
    char = chr(code)
    if within(code, [NOT_K_DECOMPOSED]):
        return char
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", char).casefold())
    kept = "".join(filter(is_kept, folded))
    letters = sum(unicodedata.category(c)[0] == "L" for c in kept)
    if letters > 1 and within(code, UNSPACED):
        return char  # one token a character: ゟ must not count as two
    return kept


def is_kept(char: str) -> bool:
    """Whether a character of a decomposition is a letter or mark that counts."""
    category = unicodedata.category(char)
    return category[0] in "LM" and not is_joiner(ord(char), category)


def classify(code: int) -> int:
    """Return the class of a code point."""
    char = chr(code)
    category = unicodedata.category(char)
    if is_joiner(code, category):
        return JOIN
    if category[0] in "LM":
        if category[0] == "M" or all(unicodedata.category(c)[0] == "M" for c in fold(code)):
            return MARK  # the second: "letters" like the half-width voiced sound mark
        return SINGLE if within(code, UNSPACED) else LETTER
    return classify_gap(char, category)


def classify_gap(char: str, category: str) -> int:
    """Return the class of a code point that stands between words."""
    if char in STOPS:
        return STOP
    if char in FULL_STOPS or category in ("Zl", "Zp") or char in "\n\v\f\r\x85":
        return EDGE
    if category == "Zs" or char == "\t":
        return SPACE
    return CLOSE if category in ("Pe", "Pf") or char in "\"'" else BREAK


def is_zero(code: int) -> bool:
    """Whether a code point is a decimal 0; the other nine digits of its script stand behind it."""
    return unicodedata.decimal(chr(code), None) == 0


def pack() -> dict[str, np.ndarray]:
    """Return the table: entry = value << 6 | HANGUL | IN_POOL | class; and the zeros.

    The value is the fold minus the code point (modulo 2^21), so that whole blocks of Han are
    equal and stored once; or an offset into the pool, where the length precedes the fold.
    """
    entries = np.zeros(sys.maxunicode + 1, np.uint32)
    pool: list[int] = []
    offsets: dict[str, int] = {}
    for code in range(len(entries)):
        kind = classify(code)
        entries[code] = kind
        if 0xAC00 <= code <= 0xD7A3:
            entries[code] |= HANGUL
        elif kind in (LETTER, SINGLE, MARK):
            folded = fold(code)
            if len(folded) == 1:
                entries[code] |= ((ord(folded) - code) & 0x1FFFFF) << SHIFT
                continue
            if folded not in offsets:
                offsets[folded] = len(pool)
                pool += [len(folded), *map(ord, folded)]
            entries[code] |= offsets[folded] << SHIFT | IN_POOL
    blocks, index = np.unique(entries.reshape(-1, BLOCK), axis=0, return_inverse=True)
    return {
        "index": index.astype(np.uint16).ravel(),
        "blocks": blocks.ravel(),
        "pool": np.array(pool, np.uint32),
        "zeros": np.array(list(filter(is_zero, range(len(entries)))), np.int64),
        "version": np.array(f"{unicodedata.unidata_version}-{REVISION}"),
    }


if __name__ == "__main__":
    np.savez_compressed(TARGET, allow_pickle=False, **pack())
    sys.stdout.write(f"{TARGET.name}: Unicode {unicodedata.unidata_version}, revision {REVISION}\n")
