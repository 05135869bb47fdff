"""The join against all pairs; parts of it against the whole; hot runs."""

from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.dedupe import cluster
from blickfang.dedupe import join as engine
from blickfang.dedupe.clusters import find_alike
from blickfang.dedupe.join import (
    JoinedPairs,
    JoinPartitions,
    block_masks,
    choose_blocks,
    join_fingerprints,
)
from blickfang.dedupe.shingles import Places
from blickfang.errors import InputError
from blickfang.text.words import Hashes
from tests.dedupe.texts import flip

Found = set[tuple[int, int, int]]


def found_by(joined: JoinedPairs) -> Found:
    listed = list(map(tuple, np.column_stack([joined.pairs, joined.distances]).tolist()))
    assert listed == sorted(set(listed))
    return set(listed)


def all_pairs(left: Hashes, right: Hashes | None, k: int) -> Found:
    other = left if right is None else right
    apart = np.bitwise_count(left[:, np.newaxis] ^ other[np.newaxis])
    return {
        (a, b, int(apart[a, b]))
        for a, b in np.argwhere(apart <= k).tolist()
        if right is not None or a < b
    }


def scattered(seed: int, count: int, clusters: int, bits: int) -> Hashes:
    """Return fingerprints around a few, equal ones among them."""
    random = np.random.default_rng(seed)
    centres = random.integers(0, 2**64, clusters, np.uint64)
    values = centres[random.integers(0, clusters, count)]
    moved = random.integers(0, 2, count).astype(np.bool_)
    values[moved] = flip(random, values[moved], bits)
    return values


@given(
    st.integers(0, 10**6),
    st.integers(0, 60),
    st.integers(0, 60) | st.none(),
    st.integers(0, 6),
    st.integers(0, 3),
)
def test_equals_all_pairs(seed: int, count: int, other: int | None, k: int, extra: int) -> None:
    left = scattered(seed, count, 5, k + 2)
    right = None if other is None else scattered(seed, other, 5, k + 2)
    blocks = k + extra if extra else None
    joined = join_fingerprints(left, right, k, blocks=blocks, threads=1 + seed % 2, crowd=99)
    assert found_by(joined) == all_pairs(left, right, k)
    assert joined.hot_runs == joined.left_out == 0


@pytest.mark.parametrize("cross", [False, True])
def test_a_join_in_parts_is_that_of_the_whole(
    cross: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = scattered(1, 30_000, 4000, 3)
    right = scattered(1, 20_000, 4000, 3) if cross else None
    whole = join_fingerprints(left, right, 3, blocks=5)
    assert len(whole.pairs) > 10_000
    monkeypatch.setattr(engine, "LEAST_ROOM", 1)
    monkeypatch.setattr(engine, "CHUNK", 1000)
    monkeypatch.setattr(engine, "ROOM", 3)
    np.save(tmp_path / "left.npy", left)
    mapped = np.load(tmp_path / "left.npy", mmap_mode="r")
    steps: list[tuple[int, int]] = []
    parts = join_fingerprints(
        mapped,
        right,
        3,
        blocks=5,
        memory=8 * 700,
        scratch=tmp_path,
        threads=3,
        progress=lambda done, of: steps.append((done, of)),
    )
    assert parts.pairs.tolist() == whole.pairs.tolist()
    assert parts.distances.tolist() == whole.distances.tolist()
    assert parts.compared == whole.compared
    assert len(steps) > 100
    assert steps == sorted(set(steps))
    assert steps[-1] == (10 * parts.distinct, 10 * parts.distinct)
    assert [path.name for path in tmp_path.iterdir()] == ["left.npy"]


class KilledError(Exception):
    """Somebody pulled the plug."""


@pytest.mark.parametrize("cross", [False, True])
def test_a_killed_join_goes_on(
    cross: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whenever it is killed: what is finished is not done again, and the result is the same."""
    monkeypatch.setattr(engine, "LEAST_ROOM", 1)
    left = np.concatenate([scattered(5, 6000, 800, 3), ramp(3000)])
    right = np.concatenate([scattered(5, 4000, 800, 3), ramp(2000)]) if cross else None
    spans: list[tuple[int, int]] = []
    plain = engine._join_span

    def join_span(*arguments: Any) -> tuple[Hashes, Places]:
        spans.append(arguments[3])
        if len(spans) % 6 == 0:
            raise KilledError
        return plain(*arguments)

    def join(folder: Path | None, memory: int) -> JoinedPairs:
        total = len(left) + (0 if right is None else len(right))
        return join_fingerprints(
            left, right, hot=500, memory=8 * total + memory, parts=folder, threads=2, blocks=5
        )

    whole = join(None, memory=2**30)
    assert whole.hot_runs > 0
    monkeypatch.setattr(engine, "_join_span", join_span)
    folder, kills = tmp_path / "parts", 0
    while True:
        try:
            resumed = join(folder, memory=8 * 3000)
            break
        except KilledError:
            kills += 1
            assert len(list(folder.glob("part-*"))) == len(spans) - kills
    assert kills >= 3
    assert len(spans) - kills >= 20  # parts, each done once
    assert not folder.exists()
    assert resumed.pairs.tolist() == whole.pairs.tolist()
    assert resumed[2:] == whole[2:]


def test_parts_of_another_join_are_refused(tmp_path: Path) -> None:
    random = np.random.default_rng(6)
    values = random.integers(0, 2**64, 1000, np.uint64)
    parts = JoinPartitions(tmp_path / "parts", [values], {"k": 3})
    parts.keep(0, (0, 8), values.reshape(-1, 2), np.arange(4))
    again = JoinPartitions(tmp_path / "parts", [values], {"k": 3})
    kept = again.load(0, (0, 8))
    assert kept is not None
    assert kept[0].tolist() == values.reshape(-1, 2).tolist()
    assert kept[1].tolist() == [0, 1, 2, 3]
    assert again.load(0, (0, 9)) is None
    for others, k in ((values[::2], 3), (values ^ np.uint64(1), 3), (values, 4)):
        with pytest.raises(InputError, match="another join"):
            JoinPartitions(tmp_path / "parts", [others], {"k": k})
    (tmp_path / "parts" / "part-000-0-8.npy").write_bytes(b"cut")
    with pytest.raises(InputError, match="damaged"):
        again.load(0, (0, 8))


def test_planted_pairs_among_many_are_found() -> None:
    random = np.random.default_rng(2)
    values = random.integers(0, 2**64, 400_000, np.uint64)
    values[200_000:200_500] = flip(random, values[:500], 3)
    joined = join_fingerprints(values, k=3)
    assert {(n, 200_000 + n) for n in range(500)} <= {(a, b) for a, b in joined.pairs.tolist()}
    assert len(joined.pairs) < 520
    assert joined.compared < 30 * len(values)


def test_a_million_equal_ones_are_no_trouble() -> None:
    values = np.full(1_000_000, 7, np.uint64)
    values[500_000] = 6
    joined = join_fingerprints(values, k=3)
    assert len(joined.pairs) == 999_998 + 999_999  # each with the next one, the odd one with all
    assert joined.distinct == 2
    assert len(np.unique(cluster(1_000_000, joined.pairs))) == 1
    assert joined.left_out == comb(1_000_000, 2) - len(joined.pairs)


def test_copies_are_paired_among_themselves_up_to_a_number() -> None:
    values = np.array([5, 9, 5, 4, 5], np.uint64)
    expected = {(0, 2, 0), (0, 4, 0), (2, 4, 0), (0, 3, 1), (2, 3, 1), (3, 4, 1)}
    assert found_by(join_fingerprints(values, k=1)) == expected
    fewer = join_fingerprints(values, k=1, copies=2)
    assert found_by(fewer) == expected - {(0, 4, 0)}, "equal ones with neighbours only"
    assert fewer.left_out == 1


@pytest.mark.parametrize("cross", [False, True])
@pytest.mark.parametrize("most", [100, 700, 5000])
def test_pairs_are_no_more_than_there_is_room_for(cross: bool, most: int) -> None:
    """Equal ones and close ones: what is listed is right and various, the rest is counted."""
    left = scattered(3, 300, 2, 1)
    right = scattered(3, 200, 2, 1) if cross else None
    everything = all_pairs(left, right, 2)
    joined = join_fingerprints(left, right, 2, most=most)
    found = found_by(joined)
    assert found < everything
    assert len(found) <= most
    assert len(everything) <= len(found) + joined.left_out
    if most == 5000:  # as long as there is room, everyone has a partner
        partners = [{pair[side] for pair in found} for side in (0, 1)]
        everyone = [{pair[side] for pair in everything} for side in (0, 1)]
        assert partners == everyone if cross else set.union(*partners) == set.union(*everyone)


def ramp(count: int) -> Hashes:
    """Return fingerprints that agree in all but their lowest bits."""
    return np.arange(count, dtype=np.uint64) | np.uint64(0xABCD << 48)


@pytest.mark.parametrize("cross", [False, True])
def test_hot_runs_are_capped_and_counted(cross: bool) -> None:
    """Thousands that agree in most blocks: those that differ elsewhere are found all the same."""
    left = ramp(6000)
    right = ramp(6000) if cross else None
    exact = join_fingerprints(left, right, 1, blocks=2, hot=10**6, crowd=10**6)
    assert found_by(exact) == all_pairs(left, right, 1)
    assert exact.hot_runs == exact.left_out == 0
    capped = join_fingerprints(left, right, 1, blocks=2, hot=1000)
    assert capped.hot_runs >= 1
    assert capped.compared < exact.compared / 2
    assert capped.left_out >= exact.compared - capped.compared
    missing = found_by(exact) - found_by(capped)
    assert found_by(capped) <= found_by(exact)
    assert 0 < len(missing) <= capped.left_out


def test_what_one_hot_run_passes_over_another_choice_finds() -> None:
    """All agree in the upper blocks, in the lower ones only those that are a pair."""
    random = np.random.default_rng(3)
    low = random.choice(2**31, 3000, replace=False).astype(np.uint64)
    values = np.concatenate([low, low ^ np.uint64(1 << 63)])
    values |= np.uint64(0x7777 << 34)
    expected = {(n, n + 3000) for n in range(3000)}
    capped = join_fingerprints(values, k=1, blocks=2, hot=100)
    assert capped.hot_runs > 0
    assert expected <= {(a, b) for a, b in capped.pairs.tolist()}


def test_blocks_are_even_and_all() -> None:
    assert [mask.bit_count() for mask in block_masks(64, 5)] == [12, 13, 13, 13, 13]
    assert sum(block_masks(64, 5)) == 2**64 - 1
    assert block_masks(8, 4) == [0b11000000, 0b110000, 0b1100, 0b11]


def test_more_fingerprints_more_blocks() -> None:
    assert choose_blocks(200_000_000, 3) == 5
    assert choose_blocks(1_237_000_000, 3) == 5
    assert choose_blocks(1000, 3) == 4


def test_too_little_memory_is_said() -> None:
    with pytest.raises(InputError, match="name a folder"):
        join_fingerprints(np.arange(10_000, dtype=np.uint64), memory=10_000)
    with pytest.raises(ValueError, match="below the number of blocks"):
        join_fingerprints(np.arange(9, dtype=np.uint64), k=5, blocks=5)
    with pytest.raises(ValueError, match="uint64"):
        join_fingerprints(np.arange(9))  # type: ignore[arg-type]


def test_pictures_alike_with_a_second_opinion() -> None:
    values = scattered(4, 200, 20, 4)
    seen: list[int] = []

    def verify(pairs: Places) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        seen.append(len(pairs))
        odd: np.ndarray[tuple[int], np.dtype[np.bool_]] = pairs.sum(axis=1) % 2 == 1
        return odd

    everything = all_pairs(values, None, 5)
    assert found_by(find_alike(values, 5)) == everything
    chosen = found_by(find_alike(values, 5, verify))
    assert chosen == {found for found in everything if (found[0] + found[1]) % 2}
    assert sum(seen) == len(everything)


def test_no_pictures() -> None:
    assert len(find_alike(np.empty(0, np.uint64), 5).pairs) == 0


@pytest.mark.parametrize("cross", [False, True])
def test_a_crowd_is_held_together_by_few_pairs(cross: bool) -> None:
    """Everyone is close to everyone: pairs grow with the crowd, not with its square."""
    left = ramp(2**10)
    right = ramp(2**10) if cross else None
    joined = join_fingerprints(left, right, 6, crowd=10, hot=10**6)
    assert joined.hot_runs > 0
    assert joined.left_out > 0
    tables = comb(choose_blocks(2**11 if cross else 2**10, 6), 6)
    assert 2**10 <= len(joined.pairs) < 10 * tables * 2**10
    assert found_by(joined) <= all_pairs(left, right, 6)
    if not cross:
        assert not cluster(2**10, joined.pairs).any()
