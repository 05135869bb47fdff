"""Queries by words, by a picture, by both, and for more like one."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.corpus import Corpus
from blickfang.corpus.pictures import read_picture
from blickfang.corpus.search import (
    Hit,
    OpenIndex,
    build_index,
    open_index,
    search_corpus,
    search_index,
)
from blickfang.corpus.search.run_query import Way, combine
from blickfang.corpus.search.text_index import Ranked
from blickfang.errors import BlickfangError, InputError, SettingsError
from blickfang.types import Picture
from tests.corpus.samples import MOTIFS, draw, encode


def picture_of(number: int) -> bytes:
    """Draw a motif as no sample has it."""
    return encode(draw(MOTIFS[number], np.random.default_rng(1000), 90, 70), "png")


def motif_of(hit: Hit) -> str:
    return hit.url.rsplit("/", 2)[1]


@pytest.mark.parametrize("number", range(len(MOTIFS)))
def test_words_pictures_and_both(motifs: Corpus, number: int) -> None:
    word = MOTIFS[number].word
    by_word = search_corpus(motifs, word, limit=6)
    assert [motif_of(hit) for hit in by_word] == [word] * 6
    by_picture = search_corpus(motifs, image=picture_of(number), limit=5)
    assert [motif_of(hit) for hit in by_picture] == [word] * 5
    by_both = search_corpus(motifs, word, image=picture_of(number), limit=6)
    assert [motif_of(hit) for hit in by_both] == [word] * 6
    assert set(by_both[0].parts) == {"text", "visual", "lsi"}
    assert set(by_word[0].parts) == {"text", "lsi"}


def test_a_word_finds_what_another_language_describes(index: OpenIndex) -> None:
    """Löwe stands beside pictures that look like those beside lion."""
    found = search_index(index, "Löwe", limit=8)
    assert {hit.language for hit in found} == {"en", "de"}
    assert [motif_of(hit) for hit in found] == ["lion"] * 8


def test_what_has_none_of_the_words_stands_apart(index: OpenIndex) -> None:
    found = search_index(index, "Löwe", limit=20)
    apart = [hit.related for hit in found]
    assert apart == sorted(apart)
    assert {hit.related for hit in found if hit.language == "de" and motif_of(hit) == "lion"} == {
        False
    }
    assert all(hit.parts["text"] == 0 for hit in found if hit.related)
    assert any(motif_of(hit) == "lion" for hit in found if hit.related)
    # Another picture does not drown the word: what only looks like it is related.
    both = search_index(index, "lion", image=picture_of(3), limit=20)
    assert motif_of(both[0]) == "lion"
    assert {hit.related for hit in both if motif_of(hit) == "zebra"} == {True}
    by_picture = search_index(index, image=picture_of(3), limit=60)
    assert not any(hit.related for hit in by_picture)


def test_what_looks_alike_is_not_lost_behind_what_is_about_the_same(index: OpenIndex) -> None:
    """By a picture alone the order of the most alike ones is that of their looks."""
    for number in range(len(MOTIFS)):
        data = picture_of(number)
        ours = search_index(index, image=data, limit=1)[0]
        assert ours.id == search_index(index, image=data, limit=1, ways=("visual",))[0].id


def test_a_picture_finds_itself_first(motifs: Corpus) -> None:
    for row in motifs.table().to_pylist()[:20]:
        assert search_corpus(motifs, image=motifs.image(row["id"]))[0].id == row["id"]


def test_what_is_removed_is_not_found(motifs: Corpus) -> None:
    first, second, *_ = search_corpus(motifs, "zebra")
    listed = motifs.folder / "removals.txt"
    listed.write_text(f"{first.id}\n")
    try:
        found = search_corpus(motifs, "zebra")
        assert found[0].id == second.id
        assert first.id not in {hit.id for hit in search_corpus(motifs, limit=1000)}
    finally:
        listed.unlink()
    assert search_corpus(motifs, "zebra")[0].id == first.id


def test_more_like_this(motifs: Corpus) -> None:
    first = search_corpus(motifs, "zebra", limit=1)[0]
    found = search_corpus(motifs, like=first.id, limit=7)
    assert first.id not in {hit.id for hit in found}
    assert [motif_of(hit) for hit in found] == ["zebra"] * 7
    with pytest.raises(InputError, match="no sample"):
        search_corpus(motifs, like="0123456789abcdeg")


def test_hits_tell_what_the_corpus_knows(motifs: Corpus) -> None:
    hit = search_corpus(motifs, "galaxy", limit=1)[0]
    (row,) = [row for row in motifs.table().to_pylist() if row["id"] == hit.id]
    for name in set(Hit._fields) - {"score", "parts", "related"}:
        assert getattr(hit, name) == row[name], name
    assert 0 < hit.score <= 1
    assert all(0 <= part <= 1 for part in hit.parts.values())


@pytest.mark.parametrize(
    "where", ["language == 'de'", "width > 60", "host(url) == 'b.example.org'"]
)
@pytest.mark.parametrize("words", ["lion", ""])
def test_filters(motifs: Corpus, where: str, words: str) -> None:
    allowed = set(motifs.table(["id"], where=where).column("id").to_pylist())
    found = search_corpus(motifs, words, where=where, limit=100)
    assert found
    assert {hit.id for hit in found} <= allowed
    like = search_corpus(motifs, words, image=picture_of(0), where=where, limit=100)
    assert {hit.id for hit in like} <= allowed


def test_a_filter_that_is_none_is_an_error(motifs: Corpus) -> None:
    with pytest.raises(BlickfangError, match="wdth"):
        search_corpus(motifs, "lion", where="wdth > 3")
    assert search_corpus(motifs, "lion", where="width > 99999") == []


def test_exclusions_bind_all_ways(motifs: Corpus) -> None:
    found = search_corpus(motifs, "-lion -löwe", image=picture_of(0), limit=100)
    assert found
    assert "lion" not in set(map(motif_of, found))
    found = search_corpus(motifs, "-tomato -tomate", limit=100)
    assert set(map(motif_of, found)) == {motif.word for motif in MOTIFS} - {"tomato"}
    phrase = search_corpus(motifs, '"photo of a lion"', limit=100)
    assert phrase
    assert set(map(motif_of, phrase)) == {"lion"}


def test_without_a_query_the_best_come_first(motifs: Corpus) -> None:
    ids = motifs.table(["id"]).column("id").to_pylist()
    found = search_corpus(motifs, limit=10)
    assert [hit.id for hit in found] == ids[:10]
    assert [hit.score for hit in found] == pytest.approx([hit.rank for hit in found])
    assert not any(hit.parts or hit.related for hit in found)
    but = search_corpus(motifs, "-lion", limit=10)
    assert [hit.score for hit in but] == pytest.approx([hit.rank for hit in but])
    assert search_corpus(motifs, "?!") == []


@given(st.text(st.characters() | st.sampled_from('"-\\(){}[]^~*?:/&|!+ ')))
def test_hostile_queries_never_raise(index: OpenIndex, typed: str) -> None:
    for hit in search_index(index, typed, limit=5):
        assert hit.id


def test_the_same_again(motifs: Corpus, index: OpenIndex, tmp_path: Path) -> None:
    build_index(motifs, tmp_path / "again")
    other = open_index(motifs, tmp_path / "again")
    for query in ("lion", "ocean zebra", "number"):
        assert search_index(index, query) == search_index(other, query)
    both = [search_index(each, "lion", image=picture_of(4)) for each in (index, other)]
    assert both[0] == both[1]


def test_equal_hits_come_by_their_ids(index: OpenIndex) -> None:
    found = search_index(index, "seen in the field", limit=64, ways=("text",))
    order = [(-hit.score, hit.id) for hit in found]
    assert order == sorted(order)
    assert len({hit.score for hit in found}) < len(found)  # there are equal ones


def test_limits(motifs: Corpus) -> None:
    for limit in (0, -1, 1001):
        with pytest.raises(SettingsError, match="limit"):
            search_corpus(motifs, "lion", limit=limit)
    assert len(search_corpus(motifs, "lion " * 10_000, limit=1000)) > 0


def test_pictures_that_cannot_be_read(motifs: Corpus, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot search by"):
        search_corpus(motifs, image=b"no picture")
    with pytest.raises(InputError, match="cannot read"):
        search_corpus(motifs, image=tmp_path / "missing.png")
    (tmp_path / "lion.png").write_bytes(picture_of(0))
    by_file = search_corpus(motifs, image=tmp_path / "lion.png")
    picture = read_picture("lion.png", picture_of(0))
    assert isinstance(picture, Picture)
    assert by_file == search_corpus(motifs, image=picture)


def test_what_scores_next_to_nothing_is_no_hit() -> None:
    found = Ranked(np.array([0, 1]), np.array([1.0, 0.003], np.float32))
    way = Way(found, lambda _: found.scores)
    assert combine({"text": way}, None, 5).rows.tolist() == [0]
