"""Near-duplicate texts against comparing everyone with everyone."""

import time

import numpy as np
import pytest

from blickfang.dedupe import bands, cluster, find_near_duplicates
from blickfang.dedupe import similar_texts as pages_module
from blickfang.dedupe.shingles import HashedTexts, gather, hash_texts, jaccard, shingle
from blickfang.dedupe.similar_texts import NearDuplicates, group_equal
from blickfang.text.words import Hashes, read_many, text_slices
from tests.dedupe.texts import change, draw


def found_by(found: NearDuplicates) -> dict[tuple[int, int], float]:
    listed = [(a, b) for a, b in found.pairs.tolist()]
    assert listed == sorted(set(listed))
    return dict(zip(listed, found.jaccards.tolist(), strict=True))


def all_pairs(texts: list[Hashes], threshold: float, size: int) -> dict[tuple[int, int], float]:
    sets = [shingle(text, size) for text in texts]
    values = {
        (a, b): jaccard(sets[a], sets[b])
        for b in range(len(texts))
        for a in range(b)
        if len(sets[a]) and len(sets[b])
    }
    return {pair: value for pair, value in values.items() if value >= threshold}


def revisions(seed: int) -> list[Hashes]:
    """Return texts with changed copies, exact ones, reordered ones, short and empty ones."""
    random = np.random.default_rng(seed)
    texts = []
    for words in (0, 0, 1, 2, 3, 5, 20, 100, 300, 1000):
        text = draw(random, words)
        texts += [text, text.copy()]
        texts += [change(random, text, n) for n in range(0, words // 20, max(1, words // 100))]
        texts.append(np.concatenate([text[words // 2 :], text[: words // 2]]))
    return [texts[n] for n in random.permutation(len(texts))]


@pytest.mark.parametrize(("threshold", "size"), [(0.9, 3), (0.9, 1), (0.95, 2), (1.0, 3), (0.8, 3)])
def test_nearly_all_and_nothing_else(threshold: float, size: int) -> None:
    found, expected = 0, 0
    for seed in range(10):
        texts = revisions(seed)
        truth = all_pairs(texts, threshold, size)
        pairs = found_by(find_near_duplicates(texts, threshold, size, threads=1 + seed % 2))
        assert pairs.items() <= truth.items()
        found, expected = found + len(pairs), expected + len(truth)
    assert found >= (0.995 if threshold >= 0.9 else 0.99) * expected
    assert expected > 100


def test_a_hundred_thousand_copies_are_not_compared() -> None:
    random = np.random.default_rng(1)
    text = draw(random, 30)
    near = change(random, draw(random, 400), 1)
    texts = [text] * 100_000 + [near, change(random, near, 2), draw(random, 0)]
    start = time.process_time()
    found = find_near_duplicates(texts)
    assert time.process_time() - start < 60
    assert found.candidates <= 2
    assert len(found.pairs) == 99_999 + 1
    assert found.pairs[-1].tolist() == [100_000, 100_001]
    assert set(found.pairs[:-1, 0].tolist()) == {0}
    labels = cluster(len(texts), found.pairs)
    assert len(np.unique(labels)) == 3


@pytest.mark.parametrize("words", [0, 1, 3])
def test_a_million_equal_texts_take_no_longer_than_reading_them(words: int) -> None:
    """Each is listed with the first only; those without words are like none."""
    count = 1_000_000
    hashes = np.tile(draw(np.random.default_rng(6), words), count)
    texts = HashedTexts(hashes, np.arange(count + 1, dtype=np.int64) * words)
    start = time.process_time()
    found = find_near_duplicates(texts)
    assert time.process_time() - start < 60
    assert found.candidates == 0
    assert len(found.pairs) == (count - 1 if words else 0)
    assert not found.pairs[:, 0].any()
    assert len(np.unique(cluster(count, found.pairs))) == (1 if words else count)


def test_a_word_is_a_text() -> None:
    texts = hash_texts(["", "one", "One!", "two", " ", "one two"])
    assert found_by(find_near_duplicates(texts)) == {(1, 2): 1.0}


def test_copies_of_near_duplicates_are_near_duplicates() -> None:
    random = np.random.default_rng(2)
    text = draw(random, 300)
    other = change(random, text, 2)
    pairs = found_by(find_near_duplicates([text, other, text, other]))
    assert set(pairs) == {(a, b) for b in range(4) for a in range(b)}
    assert pairs[0, 2] == pairs[1, 3] == 1.0
    assert pairs[0, 1] == pairs[1, 2] == jaccard(shingle(text), shingle(other)) < 1
    assert len(find_near_duplicates([text, other] * 3, copies=2).pairs) == 2 + 2 + 1


def test_texts_whose_digests_collide_are_told_apart() -> None:
    random = np.random.default_rng(3)
    texts = [draw(random, 50) for _ in range(4)]
    texts += [texts[1].copy(), texts[0].copy()]
    same = np.ones(6, np.uint64)
    assert group_equal(gather(texts), same).tolist() == [0, 1, 2, 3, 1, 0]


def test_hot_bands_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(4)
    text = draw(random, 500)
    texts = [change(random, text, 1) for _ in range(150)]
    whole = find_near_duplicates(texts)
    assert len(whole.pairs) == 150 * 149 // 2
    rules = bands.BandRules
    monkeypatch.setattr(
        pages_module,
        "BandRules",
        lambda agree, equal, first: rules(agree, equal, 40, 8, first=first),
    )
    capped = find_near_duplicates(texts)
    assert capped.hot_runs > 0
    assert len(whole.pairs) - len(capped.pairs) <= capped.left_out
    assert len(np.unique(cluster(150, capped.pairs))) == 1


def test_nothing_at_all() -> None:
    assert len(find_near_duplicates([]).pairs) == 0
    assert len(find_near_duplicates([np.empty(0, np.uint64)] * 3).pairs) == 0
    for threshold in (0, 0.39, 1.01):
        with pytest.raises(ValueError, match="threshold"):
            find_near_duplicates([], threshold)


def test_from_text_to_clusters() -> None:
    story = "The quick brown fox jumps over the lazy dog near the river bank on day {} of May. "
    long = "".join(story.format(n) for n in range(60))
    texts = [long, "Something else entirely, told in a few words.", long + "Updated.", "", "Fox"]
    words = read_many(texts, digits=True)
    found = find_near_duplicates([words.hashes[part] for part in text_slices(words)])
    assert found.pairs.tolist() == [[0, 2]]
    assert cluster(5, found.pairs).tolist() == [0, 1, 0, 3, 4]
