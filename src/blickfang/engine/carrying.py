"""The one place that chooses the engine: this machine, or a cluster.

In: a function, things to give it, and where. Out: results, as `local.py` and `ray.py` give them.
`each` is for things that have nothing to do with each other, `group` for rows brought together.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from blickfang.engine import local, ray
from blickfang.engine.local import LostTask
from blickfang.engine.options import LOCAL, EngineOptions
from blickfang.errors import BlickfangError

A = TypeVar("A")
B = TypeVar("B")

HERE = EngineOptions()
MOST_PILES = 4  # in hand at once, however many cores there are: each may be gigabytes


def each(
    task: Callable[[A], B],
    things: Iterable[A],
    workers: int = 0,
    where: EngineOptions = HERE,
    *,
    in_order: bool = True,
    together: int = ray.MOST,
    ahead: int = local.AHEAD,
) -> Iterator[B | LostTask[A]]:
    """Yield the result for each thing, in order, or as they come; `workers` 0 is all cores.

    Of small things up to so many go `together` on a cluster; 1 for those that may take long. So
    many for each worker are taken `ahead`.
    """
    if where.name == LOCAL:
        return local.each(task, things, workers, ahead)  # in order is one way to come
    return ray.each(
        task, things, workers, where.address, in_order=in_order, together=together, ahead=ahead
    )


def group(task: Callable[[A], B], piles: Iterable[A], where: EngineOptions = HERE) -> Iterator[B]:
    """Yield what comes of each pile, rows that belong together, in order.

    Piles are large: they are made one by one, and few are in hand at a time.
    """
    workers = MOST_PILES
    if where.name == LOCAL:
        workers = min(workers, len(os.sched_getaffinity(0)))
    for done in each(task, piles, workers, where, together=1, ahead=1):
        if isinstance(done, LostTask):
            raise BlickfangError(
                "a process that joined rows was killed whenever it tried; if there is too little "
                "memory, one core needs less: put `taskset -c 0` before the command"
            )
        yield done
