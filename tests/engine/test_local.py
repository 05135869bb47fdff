"""Many things on many cores: in order, and what dies takes nothing with it."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from itertools import count, islice

import pytest

from blickfang.compute import LostTask, each, group
from blickfang.errors import BlickfangError


def double(number: int) -> int:
    return 2 * number


def die_of_13(number: int) -> int:
    if number % 100 == 13:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def refuse_7(number: int) -> int:
    if number == 7:
        raise ValueError("seven")
    return number


def own_process(_: int) -> int:
    return os.getpid()


@pytest.mark.parametrize("workers", [1, 2])
def test_results_come_in_order(workers: int) -> None:
    assert list(each(double, range(500), workers)) == list(range(0, 1000, 2))


@pytest.mark.parametrize("workers", [1, 2])
def test_nothing_to_do(workers: int) -> None:
    assert list(each(double, [], workers)) == []


def test_one_worker_is_this_process() -> None:
    assert list(each(own_process, [0], 1)) == [os.getpid()]
    assert list(each(own_process, [0], 2)) != [os.getpid()]


@pytest.mark.parametrize("workers", [1, 2])
def test_things_are_taken_as_they_are_needed(workers: int) -> None:
    assert list(islice(each(double, count(), workers), 5)) == [0, 2, 4, 6, 8]


def test_what_kills_its_process_is_lost_and_the_others_arrive() -> None:
    found = list(each(die_of_13, range(130), 2, ahead=1))  # those in flight get a process each
    assert found == [LostTask(n) if n in (13, 113) else n for n in range(130)]


def test_the_last_one_may_be_lost() -> None:
    assert list(each(die_of_13, [1, 13], 2)) == [1, LostTask(13)]


@pytest.mark.parametrize("workers", [1, 2])
def test_mistakes_come_through(workers: int) -> None:
    results = each(refuse_7, range(1000), workers)
    assert list(islice(results, 7)) == list(range(7))
    with pytest.raises(ValueError, match="seven"):
        next(results)


def test_mistakes_in_the_things_come_through() -> None:
    def things() -> Iterator[int]:
        yield from range(20)
        raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        list(each(double, things(), 2))


def test_who_loads_while_its_parent_dies_ends_by_itself() -> None:
    code = (
        "from blickfang.compute.local_pool import _depend_on; _depend_on(1 << 30); print('goes on')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (1, b"")


def test_piles_are_made_when_there_is_room_for_them() -> None:
    made = []

    def piles() -> Iterator[int]:
        for number in range(100):
            made.append(number)
            yield number

    results = group(double, piles())
    assert next(results) == 0
    assert len(made) <= 2 * len(os.sched_getaffinity(0)) + 1
    assert list(results) == list(range(2, 200, 2))


def test_a_pile_that_kills_its_process_ends_the_work() -> None:
    with pytest.raises(BlickfangError, match="too little memory"):
        list(group(die_of_13, [1, 13, 2]))
