"""Weighted terms, counted once, against counting them one by one."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from blickfang.corpus.search.query_terms import TermTable
from blickfang.corpus.search.search_options import SearchOptions
from blickfang.corpus.search.semantic_index import (
    WeightedTerms,
    choose_terms,
    find_strongest,
    weigh_terms,
)
from blickfang.corpus.search.term_counts import GAP, MAX_WEIGHT, fill_bag
from blickfang.corpus.search.text_weights import MAX_WORDS, NEAR_WORDS, find_pieces
from blickfang.text.words import normalise
from tests.search.test_text import make_row

TEXTS = st.lists(st.sampled_from(["red", "Tower", "灯塔", "sea.", "!"]), max_size=60).map(" ".join)


@given(st.lists(st.tuples(TEXTS, TEXTS, TEXTS), max_size=6))
def test_weights_are_added_up(texts: list[tuple[str, str, str]]) -> None:
    rows = [
        make_row(caption=caption, context_section_description=context, link_texts=[link])
        for caption, context, link in texts
    ]
    terms = TermTable(SearchOptions())
    bag = fill_bag(rows, terms)
    for at, row in enumerate(rows):
        true: Counter[str] = Counter()
        spoken = []
        for piece in find_pieces(row):
            words = normalise(piece.text).split()[:MAX_WORDS]
            spoken += [*words, "|"] if words else []
            for place, word in enumerate(words):
                true[word] += piece.weight if place < NEAR_WORDS else piece.far
        own = slice(*bag.starts[at : at + 2].tolist())
        names = [terms.spelled[n] for n in bag.terms[own].tolist()]
        found = dict(zip(names, bag.weights[own].tolist(), strict=True))
        assert found == {word: min(weight, MAX_WEIGHT) for word, weight in true.items()}
        assert ["|" if n == GAP else terms.spelled[n] for n in bag.spoken[at].tolist()] == spoken


def test_terms_of_one_sample_alone_take_no_part() -> None:
    terms = TermTable(SearchOptions())
    captions = ["red tower", "red sea", "red sea sea", "kite"]
    bag = fill_bag([make_row(caption=caption) for caption in captions], terms)
    counted = WeightedTerms(bag.starts, bag.terms, bag.weights)
    chosen = choose_terms(counted, len(terms.spelled))
    assert [terms.spelled[n] for n in chosen.tolist()] == ["red", "sea"]
    joint, idf = weigh_terms(counted, chosen, len(terms.spelled))
    assert idf[1] > idf[0]  # the rarer one says more
    lengths = [
        float(np.square(joint.weights[a:b]).sum()) for a, b in zip(*two(joint.starts), strict=True)
    ]
    assert np.allclose(lengths, [1, 1, 1, 0])
    assert find_strongest(joint)[:, :2].tolist() == [[0, -1], [1, 0], [1, 0], [-1, -1]]


def two(starts: np.ndarray[tuple[int], np.dtype[np.int64]]) -> tuple[list[int], list[int]]:
    return starts[:-1].tolist(), starts[1:].tolist()
