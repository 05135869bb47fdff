"""The index of texts: weights of places, phrases, exclusions, filters, order."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.corpus.search.query_terms import TermTable, read_query
from blickfang.corpus.search.search_options import SearchOptions
from blickfang.corpus.search.term_counts import fill_bag
from blickfang.corpus.search.text_index import TextIndex, TextWriter
from blickfang.corpus.search.text_weights import COLUMNS, MAX_PIECES, find_pieces
from blickfang.text.words import normalise

WORDS = ["red", "tower", "sea", "kite", "灯塔", "Straße", "old"]
MENTION = {
    "caption": "",
    "alt": "",
    "title": "",
    "confidence": 1.0,
    "context": "",
    "page_title": "",
}


def make_row(**texts: Any) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(COLUMNS, "")
    row |= {"context_confidence": 1.0, "link_texts": [], "mentions": [], "texts": []}
    return row | texts


def write_rows(
    folder: Path, rows: list[dict[str, Any]], options: SearchOptions | None = None
) -> TextIndex:
    terms = TermTable(options or SearchOptions())
    writer = TextWriter(folder)
    writer.add(range(len(rows)), fill_bag(rows, terms), terms.spelled)
    writer.finish()
    return TextIndex(folder)


def ask(index: TextIndex, query: str, limit: int = 100, **more: Any) -> list[int]:
    rows: list[int] = index.search(
        read_query(query, TermTable(SearchOptions())), limit, **more
    ).rows.tolist()
    return rows


def test_near_words_count_more_than_far_ones(tmp_path: Path) -> None:
    other = "nothing here is about it but there are some other words in every place"
    filler = " ".join(f"word{chr(97 + n)}" for n in range(26)) + " some more of them to be far"
    filler += " and even more words that nobody will ever look for in here at all now"
    places: list[dict[str, Any]] = [
        {"url_words": "lantern"},
        {"link_texts": ["lantern"]},
        {"page_title": "lantern"},
        {"mentions": [MENTION | {"context": "lantern"}]},
        {"context_section_description": "lantern"},
        {"caption": "lantern"},
    ]
    rows = [make_row(**({"section_title": other} | place)) for place in places]
    assert ask(write_rows(tmp_path / "a", rows), "lantern") == [5, 4, 3, 2, 1, 0]
    near = make_row(context_section_description=f"lantern {filler}")
    far = make_row(context_section_description=f"{filler} lantern")
    assert ask(write_rows(tmp_path / "b", [far, near]), "lantern") == [1, 0]
    unsure = make_row(caption=other, context_section_description="lantern", context_confidence=0.2)
    sure = make_row(caption=other, context_section_description="lantern", context_confidence=0.9)
    assert ask(write_rows(tmp_path / "c", [unsure, sure]), "lantern") == [1, 0]


def test_what_surrounds_a_picture_is_not_searched(tmp_path: Path) -> None:
    menu = {"name": "sibling-0", "text": "lantern kite", "distance_weight": 0.0}
    other = MENTION | {"page_title": "lantern", "alt": "a boat"}
    rows = [
        make_row(caption="a tower", texts=[menu]),
        make_row(caption="a boat", mentions=[other]),
        make_row(caption="a lantern", texts=[menu]),
        make_row(caption="", texts=[menu | {"name": "drawn", "text": "Lantern 1871"}]),
    ]
    index = write_rows(tmp_path / "t", rows)
    assert sorted(ask(index, "lantern")) == [2, 3]
    assert ask(index, "tower -lantern") == [0]
    assert ask(index, "boat -lantern") == [1]


def test_a_text_counts_once() -> None:
    row = make_row(caption="same", title="same", mentions=[MENTION | {"caption": "same"}] * 3)
    assert [(piece.text, piece.weight) for piece in find_pieces(row)] == [("same", 8)]
    many = make_row(mentions=[MENTION | {"alt": f"text {n}"} for n in range(1000)])
    assert len(find_pieces(many)) == MAX_PIECES


def test_phrases_and_exclusions(tmp_path: Path) -> None:
    rows = [
        make_row(caption="the old red tower"),
        make_row(caption="the red old tower", title="on the sea"),
        make_row(caption="a tower", title="red"),  # not a phrase over two texts
        make_row(caption="灯塔在海"),
        make_row(caption="塔和灯"),
    ]
    index = write_rows(tmp_path / "t", rows)
    assert ask(index, '"red tower"') == [0]
    assert set(ask(index, "tower -old")) == {2}
    assert set(ask(index, 'tower -"old red"')) == {1, 2}
    assert ask(index, "灯塔")[0] == 3
    assert set(ask(index, "灯塔")) == {3, 4}
    assert ask(index, '"灯塔"') == [3]
    allowed = index.allowed(read_query('"red tower" -sea', TermTable(SearchOptions())))
    assert allowed is not None
    assert np.flatnonzero(allowed).tolist() == [0]
    assert index.allowed(read_query("tower", TermTable(SearchOptions()))) is None


def test_stop_words_break_no_phrase(tmp_path: Path) -> None:
    options = SearchOptions(stop_words="english", stemming="english")
    index = write_rows(tmp_path / "t", [make_row(caption="keepers of the lights")], options)
    asked = read_query('"keeper of lights"', TermTable(options))
    assert index.search(asked, 5).rows.tolist() == [0]


def test_equal_scores_come_in_the_order_of_rows(tmp_path: Path) -> None:
    terms, writer = TermTable(SearchOptions()), TextWriter(tmp_path / "t")
    order = np.random.default_rng(1).permutation(300).tolist()
    writer.add(order, fill_bag([make_row(caption="red tower")] * 300, terms), terms.spelled)
    writer.finish()
    index = TextIndex(tmp_path / "t")
    assert ask(index, "tower", 50) == list(range(50))


@given(
    st.lists(st.lists(st.sampled_from(WORDS), max_size=6), min_size=1, max_size=12),
    st.sampled_from(WORDS),
    st.integers(0, 2**12 - 1),
)
def test_what_is_found_holds_the_word(
    tmp_path_factory: pytest.TempPathFactory, texts: list[list[str]], word: str, bits: int
) -> None:
    rows = [make_row(caption=" ".join(text)) for text in texts]
    index = write_rows(tmp_path_factory.mktemp("text") / "t", rows)
    wanted = set(normalise(word).split())
    true = {n for n, text in enumerate(texts) if wanted & set(normalise(" ".join(text)).split())}
    assert set(ask(index, word)) == true
    mask = np.array([bits >> n & 1 == 1 for n in range(len(rows))])
    assert set(ask(index, word, mask=mask)) == {n for n in true if mask[n]}


def test_a_filter_gives_what_sifting_gives(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    rows = [make_row(caption=" ".join(rng.choice(WORDS, 5))) for _ in range(3000)]
    index = write_rows(tmp_path / "t", rows)
    whole = ask(index, "red sea", 3000)
    for share in (0.001, 0.05, 0.3, 0.9):
        mask = rng.random(3000) < share
        assert ask(index, "red sea", 20, mask=mask) == [row for row in whole if mask[row]][:20]
    asked = read_query("red sea", TermTable(SearchOptions()))
    rated = index.rate(asked, np.array(sorted(whole[5:25])))
    assert rated.rows.tolist() == whole[5:25]
