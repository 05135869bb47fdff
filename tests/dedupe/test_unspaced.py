"""Scripts without blanks: pairs of characters, and nothing else changes."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from blickfang.dedupe.shingles import hash_texts
from blickfang.dedupe.unspaced import hash_for

ALPHABET = "ab 7.漢字仮名ความ𠀀é\n"


def count_words(text: str) -> int:
    return len(hash_for([text], 1).hashes)


def test_pairs() -> None:
    assert count_words("漢字仮名") == 3
    assert count_words("漢字 仮名") == 2, "a blank parts them"
    assert count_words("漢") == 1
    assert count_words("漢字abc仮名 de") == 4
    assert count_words("𠀀𠀁") == 1
    one, two = (hash_for([text], 1).hashes for text in ("漢字", "字漢"))
    assert one[0] != two[0], "in their order"
    alone = hash_for(["漢"], 1).hashes
    assert np.array_equal(alone, hash_texts(["漢"]).hashes)


def test_longer_shingles_and_other_scripts_stay() -> None:
    texts = ["plain words, 12 of them", "漢字仮名", ""]
    for got, expected in zip(hash_for(texts, 3), hash_texts(texts), strict=True):
        assert np.array_equal(got, expected)
    other = ["Ein Satz über Größe 12", "это текст", "", "नमस्ते दुनिया"]
    for got, expected in zip(hash_for(other, 1), hash_texts(other), strict=True):
        assert np.array_equal(got, expected)


@given(st.lists(st.text(ALPHABET, max_size=30), max_size=6))
def test_many_texts_are_each_alone(texts: list[str]) -> None:
    found = hash_for(texts, 1)
    assert len(found.starts) == len(texts) + 1
    for t, text in enumerate(texts):
        alone = hash_for([text], 1).hashes
        assert np.array_equal(found.hashes[found.starts[t] : found.starts[t + 1]], alone)
