"""Perplexities of ranges that lie in each other equal those of the texts alone."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blickfang.crawl.focus.perplexity import measure, measure_nested, measure_whole
from blickfang.text.lm import LanguageModel, train_model
from blickfang.text.words import read_many

TEXT = (
    "the lamp of the old tower turns over the sea and the keeper of the lamp sleeps by day. "
    "over the sea the old ship turns to the tower and the keeper lights the lamp of the tower. "
)
WORDS = read_many([TEXT * 3 + "a stranger comes to the tower of the old keeper by day"]).hashes


@pytest.fixture(scope="module", params=[1, 2, 5])
def model(request: pytest.FixtureRequest) -> LanguageModel:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return train_model([TEXT], request.param)


@given(data=st.data())
@settings(deadline=None, max_examples=60)
def test_nested_ranges_cost_what_they_cost_alone(model: LanguageModel, data: st.DataObject) -> None:
    edge = st.integers(0, len(WORDS))
    pairs = data.draw(st.lists(st.tuples(edge, edge), min_size=1, max_size=8))
    first = np.array([min(pair) for pair in pairs], np.int32)
    last = np.array([max(pair) for pair in pairs], np.int32)
    alone, nested = (each(model, WORDS, first, last) for each in (measure, measure_nested))
    np.testing.assert_allclose(nested, alone, rtol=1e-9)


@given(data=st.data())
@settings(deadline=None, max_examples=60)
def test_texts_of_several_ranges_cost_what_they_cost_joined(
    model: LanguageModel, data: st.DataObject
) -> None:
    edges = st.lists(st.integers(0, len(WORDS)), min_size=2, max_size=9).map(sorted)
    cuts = data.draw(st.lists(edges, min_size=1, max_size=5))
    texts = [list(zip(cut[::2], cut[1::2], strict=False)) for cut in cuts]
    joined = [np.concatenate([WORDS[a:b] for a, b in text]) for text in texts]
    alone = [measure(model, words, np.array([0]), np.array([len(words)]))[0] for words in joined]
    first, last = np.array([pair for text in texts for pair in text]).T
    together = measure_nested(model, WORDS, first, last, np.array([len(text) for text in texts]))
    np.testing.assert_allclose(together, alone, rtol=1e-9)


def test_no_ranges_cost_nothing(model: LanguageModel) -> None:
    none, three = np.empty(0, np.int32), np.array([3], np.int32)
    assert len(measure_nested(model, WORDS, none, none)) == 0
    assert np.isnan(measure_nested(model, WORDS, three, three)).all()
    assert np.isnan(measure_whole(model, WORDS[:0]))


def test_one_text_is_as_surprising_as_its_range(model: LanguageModel) -> None:
    for length in (1, 2, 7, len(WORDS)):
        alone = measure(model, WORDS, np.array([0]), np.array([length]))[0]
        assert measure_whole(model, WORDS[:length]) == alone
