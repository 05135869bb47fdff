"""Texts scored many pages at a time score what each of them scores alone."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blickfang.corpus.mentions import score_texts
from blickfang.corpus.mentions.score_texts import Ranges, Scoring, TextScores
from blickfang.text import Topic, learn_topic
from blickfang.text.words import read_words

BIRDS = "the robin is a small bird that sings in gardens all winter and nests in old hedges"
STEEL = "steel is made of iron and carbon and rolled into sheet that does not rust by the sea"
VOCABULARY = [*BIRDS.split(), *STEEL.split(), "unheard"]

texts = st.lists(st.sampled_from(VOCABULARY), max_size=40)
Given = tuple[list[str], list[list[str]], list[Ranges]]  # words; texts beside them; texts of them


@pytest.fixture(scope="module")
def topic() -> Topic:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return learn_topic([f"{BIRDS}."] * 3, [f"{STEEL}."] * 3)


@st.composite
def pages(draw: st.DrawFn) -> Given:
    words = draw(texts)
    edges = st.lists(st.integers(0, len(words)), max_size=6).map(sorted)
    shown = draw(st.lists(edges.map(lambda at: tuple(zip(at[::2], at[1::2], strict=False)))))
    return words, draw(st.lists(texts, max_size=4)), shown


def score(topic: Topic | None, given_pages: list[Given]) -> tuple[TextScores, TextScores]:
    waiting = Scoring(topic)
    for words, spoken, shown in given_pages:
        waiting.add(read_words(" ".join(words)).hashes, [" ".join(text) for text in spoken], shown)
    return waiting.finish()


@given(given_pages=st.lists(pages(), min_size=1, max_size=5), enough=st.integers(1, 80))
@settings(deadline=None, max_examples=30)
def test_many_pages_score_as_each_text_alone(
    topic: Topic, given_pages: list[Given], enough: int
) -> None:
    spoken = [" ".join(text) for _, said, _ in given_pages for text in said]
    shown = [
        " ".join(word for begin, end in ranges for word in words[begin:end])
        for words, _, stands in given_pages
        for ranges in stands
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(score_texts, "ENOUGH", enough)
        found = score(topic, given_pages)
    for said, scores in zip((spoken, shown), found, strict=True):
        perplexities = [np.nan if p is None else p for p in topic.perplexity(said)]
        assert scores.words.tolist() == [len(text.split()) for text in said]
        np.testing.assert_allclose(scores.perplexities, perplexities, rtol=1e-9)
        np.testing.assert_allclose(scores.keywords, topic.keyword_score(said), atol=1e-12)


@given(given_pages=st.lists(pages(), min_size=1, max_size=5))
@settings(deadline=None, max_examples=20)
def test_company_changes_no_bit(topic: Topic, given_pages: list[Given]) -> None:
    together = score(topic, given_pages)
    alone = [score(topic, [page]) for page in given_pages]
    for kind, scores in enumerate(together):
        for number, values in enumerate(scores):
            parts = np.concatenate([each[kind][number] for each in alone])
            assert values.tobytes() == parts.tobytes()


def test_without_a_topic_only_words_are_counted() -> None:
    spoken, shown = score(None, [(["a", "bird"], [["sings"], []], [((0, 2),), ()])])
    assert [scores.words.tolist() for scores in (spoken, shown)] == [[1, 0], [2, 0]]
    assert np.isnan([*spoken[1:], *shown[1:]]).all()
    assert [len(values) for values in Scoring(None).finish()[0]] == [0, 0, 0]
