"""A few schedules of `make chaos`: those that once found something, by their seeds."""

import pytest

from tests.chaos.__main__ import run_schedule
from tests.chaos.lab import IS_POSSIBLE, Lab
from tests.chaos.schedule import CELLS, FAMILIES, FAULTS, draw

pytestmark = pytest.mark.skipif(not IS_POSSIBLE, reason="system calls are stopped on Linux only")

FOUND = {
    9: "build on a disk that became read-only ended with the tracebacks of its workers",
    56: "annotate lost everything with one damaged page",
    58: "build never went on when a file of a part was gone",
    66: "crawl deleted the archive of a shard whose database was gone",
    85: "build left out an archive whose part could not be written, and ended as if all were well",
}


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Lab:
    return Lab(tmp_path_factory.mktemp("chaos"))


@pytest.mark.parametrize("seed", FOUND)
def test_what_was_found_is_mended(lab: Lab, seed: int) -> None:
    trial = run_schedule(lab, draw(seed))
    assert trial.findings == [], (FOUND[seed], trial.struck, trial.said)


def test_the_same_seed_gives_the_same_schedule() -> None:
    for seed in range(2 * len(CELLS)):
        one, other = draw(seed), draw(seed)
        assert one[:3] == other[:3]
        assert [one.when(1000) for _ in range(5)] == [other.when(1000) for _ in range(5)]
    pairs = {(draw(seed).command, draw(seed).kind) for seed in range(len(CELLS))}
    assert pairs == {(name, kind) for name, kinds in FAULTS.items() for kind in kinds}
    assert all(kind in FAMILIES for _, kind in pairs)
