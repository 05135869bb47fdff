"""Texts in pieces against a look at each place."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from blickfang.html.contexts.context_text import Hidden, cut_texts

places = st.integers(0, 60)


@given(st.lists(st.tuples(places, places).map(sorted), max_size=12), st.sets(places, max_size=40))
def test_what_is_hidden_is_cut_out(spans: list[list[int]], edges: set[int]) -> None:
    cuts = sorted(edges)[: len(edges) // 2 * 2]
    hidden = Hidden(np.array(cuts[::2], np.int32), np.array(cuts[1::2], np.int32))
    seen = {k for k in range(60) if not any(a <= k < b for a, b in zip(*hidden, strict=True))}
    texts = cut_texts(hidden, np.array(spans, np.int32).reshape(-1, 2))
    assert len(texts.edges) == 1 + len({tuple(span) for span in spans})
    assert len(texts.pieces) == texts.edges[-1]
    for which, span in zip(texts.which.tolist(), spans, strict=True):
        pieces = texts.pieces[texts.edges[which] : texts.edges[which + 1]].tolist()
        assert all(a < b for a, b in pieces)
        assert [k for a, b in pieces for k in range(a, b)] == sorted({*range(*span)} & seen)
