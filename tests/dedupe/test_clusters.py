"""Clusters against walking the graph; the choice of a copy against sorting."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from blickfang.dedupe.clusters import choose_copies, cluster


def slow_clusters(count: int, pairs: list[tuple[int, int]]) -> list[int]:
    labels = list(range(count))
    for _ in range(count):
        for a, b in pairs:
            labels[a] = labels[b] = min(labels[a], labels[b])
    return labels


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, list[tuple[int, int]]]:
    count = draw(st.integers(1, 30))
    number = st.integers(0, count - 1)
    return count, draw(st.lists(st.tuples(number, number), max_size=30))


@given(graphs(), st.randoms())
def test_clusters_are_those_of_the_graph(graph: tuple[int, list[tuple[int, int]]], random) -> None:  # type: ignore[no-untyped-def]
    count, pairs = graph
    assert cluster(count, np.array(pairs, np.int64)).tolist() == slow_clusters(count, pairs)
    random.shuffle(pairs)
    assert cluster(count, np.array(pairs, np.int64)).tolist() == slow_clusters(count, pairs)


@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.integers(0, 3), st.sampled_from(["", "2020", "2021"])),
        min_size=1,
    )
)
def test_the_longest_stays_then_the_earliest(texts: list[tuple[int, int, str]]) -> None:
    first = {label: n for n, (label, _, _) in reversed(list(enumerate(texts)))}
    labels = np.array([first[label] for label, _, _ in texts])
    lengths, times = [length for _, length, _ in texts], [time for _, _, time in texts]
    chosen = choose_copies(labels, lengths, times).tolist()
    for n, (label, _, _) in enumerate(texts):
        mine = [m for m, other in enumerate(texts) if other[0] == label]
        assert chosen[n] == min(mine, key=lambda m: (-lengths[m], times[m], m))
    assert choose_copies(labels, [1] * len(texts)).tolist() == labels.tolist()


def test_a_long_chain() -> None:
    chain = np.stack([np.arange(99_999), np.arange(1, 100_000)], axis=1)[::-1]
    assert not cluster(100_000, chain).any()
