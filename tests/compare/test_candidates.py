"""Candidates: segments together are the whole, and equal all that a slow search finds."""

from pathlib import Path

import numpy as np
import pytest

from blickfang.dedupe.banding import add_bands, choose_bands, least_equal
from blickfang.dedupe.compare import pair_candidates
from blickfang.dedupe.compare.fingerprint_file import Library
from blickfang.dedupe.compare.pair_candidates import PairSearch, estimate_jaccards, propose
from tests.compare.corpora import make_library, word
from tests.dedupe.texts import exact_pairs, overlapping

MEMORY = 1 << 28


def changed(random: np.random.Generator, numbers: list[int], count: int) -> list[int]:
    for place in random.integers(0, len(numbers), count).tolist():
        numbers = [*numbers[:place], int(random.integers(0, 5000)), *numbers[place + 1 :]]
    return numbers


def draw_corpora(folder: Path, seed: int) -> tuple[Library, Library]:
    """Return two libraries with texts that are alike in many degrees, some empty."""
    random = np.random.default_rng(seed)
    originals = [random.integers(0, 5000, int(n)).tolist() for n in random.integers(25, 90, 12)]
    sides = []
    for side in "ab":
        texts = []
        for number in range(60):
            base = originals[int(random.integers(0, len(originals)))]
            numbers = changed(random, base, int(random.integers(0, 12)))
            text = "" if number % 20 == 7 else " ".join(map(word, numbers))
            main = " ".join(text.split()[: len(text.split()) * int(random.integers(0, 2))])
            texts.append((f"{side}{number}", f"http://h.test/{number}", text, main))
        sides.append(make_library(folder / f"{side}.arrow", texts))
    return sides[0], sides[1]


def slow(a: Library, b: Library, search: PairSearch) -> set[tuple[int, int]]:
    """Return the pairs by looking at each."""
    found = set()
    for basis in search.bases:
        rows = [np.arange(len(one)) for one in (a, b)]
        sketches = [one.sketches(basis, r) for one, r in zip((a, b), rows, strict=True)]
        bands = [add_bands(each, choose_bands(search.threshold))[:, 8:] for each in sketches]
        prints = [one.column(f"{basis}_simhash") for one in (a, b)]
        counts = [one.column(f"{basis}_words") for one in (a, b)]
        for i in range(len(a)):
            for j in range(len(b)):
                if not min(counts[0][i], counts[1][j]):
                    continue
                if search.method == "simhash":
                    alike = (int(prints[0][i]) ^ int(prints[1][j])).bit_count() <= search.distance
                else:
                    bytes_ = sketches[0][i].view(np.uint8) == sketches[1][j].view(np.uint8)
                    enough = int(bytes_.sum()) >= least_equal(search.threshold)
                    alike = bool((bands[0][i] == bands[1][j]).any()) and enough
                if alike:
                    found.add((i, j))
    return found


@pytest.mark.parametrize(
    ("method", "threshold"),
    [("minhash", 0.9), ("minhash", 0.8), ("minhash", 0.5), ("simhash", 0.8)],
)
@pytest.mark.parametrize("seed", range(4))
def test_segments_together_are_the_whole_and_nothing_is_missed(
    tmp_path: Path, method: str, threshold: float, seed: int
) -> None:
    a, b = draw_corpora(tmp_path, seed)
    search = PairSearch(method, ("all", "main"), threshold, 6, MEMORY)
    whole = propose(a, b, np.arange(len(b)), search).pairs
    cuts = np.sort(np.random.default_rng(seed).integers(0, len(b) + 1, 3))
    parts = [propose(a, b, rows, search).pairs for rows in np.split(np.arange(len(b)), cuts)]
    assert np.array_equal(whole, np.concatenate(parts))
    assert set(map(tuple, whole.tolist())) == slow(a, b, search)
    assert len(whole) > 10, "else the test tells nothing"
    assert len(np.unique(whole, axis=0)) == len(whole)


@pytest.mark.parametrize("threshold", [0.4, 0.5, 0.6, 0.7, 0.8, 0.9])
def test_nearly_all_that_share_the_threshold_are_proposed(tmp_path: Path, threshold: float) -> None:
    texts = overlapping(np.random.default_rng(11), threshold, 400)
    truth = {(i // 2, j // 2) for i, j in exact_pairs(texts, threshold)}
    a, b = (
        make_library(
            tmp_path / f"{side}.arrow",
            [(str(n), "", " ".join(map(word, each)), "") for n, each in enumerate(texts[side::2])],
        )
        for side in (0, 1)
    )
    found = propose(a, b, np.arange(len(b)), PairSearch("minhash", ("all",), threshold, 3, MEMORY))
    assert len(truth) > 250, "else the test tells nothing"
    assert len(truth & set(map(tuple, found.pairs.tolist()))) >= 0.97 * len(truth)
    assert len(found.pairs) < 500, "hardly any that are not alike"
    assert found.left_out == 0


def test_little_memory_cuts_the_work_and_changes_nothing(tmp_path: Path) -> None:
    a, b = draw_corpora(tmp_path, 1)
    rows = np.arange(len(a)), np.arange(len(b))
    assert [len(part) for part in pair_candidates._portions(rows, 1, 600)] == [30, 30]
    assert len(pair_candidates._portions((rows[0][:0], rows[1]), 1, 600)) == 1
    search = PairSearch("minhash", ("all",), 0.4, 3, MEMORY)
    whole = propose(a, b, rows[1], search).pairs
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pair_candidates, "PAIR_BYTES", MEMORY * 60)
        assert len(pair_candidates._portions(rows, 2, MEMORY)) == 4
        assert np.array_equal(propose(a, b, rows[1], search).pairs, whole)


def test_crowds_are_bounded_and_lose_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pair_candidates, "CROWD", 10)
    text = " ".join(map(word, range(50)))
    near = " ".join(map(word, [*range(49), 99]))
    a = make_library(tmp_path / "a.arrow", [(str(n), "", text, "") for n in range(300)])
    b = make_library(
        tmp_path / "b.arrow", [(str(n), "", (text, near)[n % 2], "") for n in range(200)]
    )
    for method in ("minhash", "simhash"):
        found = propose(a, b, np.arange(200), PairSearch(method, ("all",), 0.8, 16, MEMORY))
        assert len(found.pairs) < 16 * 4 * 500, "no crowd meets another"
        assert set(found.pairs[:, 0].tolist()) == set(range(300)), method
        assert set(found.pairs[:, 1].tolist()) == set(range(200)), method
        assert 0 < found.left_out <= 300 * 200 - len(found.pairs)


def test_estimates_are_close(tmp_path: Path) -> None:
    numbers = list(range(400))
    texts = [[*range(n), *range(1000, 1400 - n)] for n in (400, 360, 300, 200)]
    a = make_library(tmp_path / "a.arrow", [("a", "", " ".join(map(word, numbers)), "")])
    b = make_library(
        tmp_path / "b.arrow",
        [(str(n), "", " ".join(map(word, each)), "") for n, each in enumerate(texts)],
    )
    pairs = np.array([[0, n] for n in range(4)])
    truth = [1.0, 358 / (398 * 2 - 358), 298 / (398 * 2 - 298), 198 / (398 * 2 - 198)]
    assert estimate_jaccards(a, b, pairs, "all").tolist() == pytest.approx(truth, abs=0.2)
    by_main = estimate_jaccards(a, b, pairs, "main")
    assert by_main.tolist() == pytest.approx(truth, abs=0.2), "without main text, all text counts"
