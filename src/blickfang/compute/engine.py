"""The one place that chooses the engine: this machine, or a cluster.

In: a function, things to give it, and where. Out: results, as `local_pool.py` and `ray_pool.py`
give them. `each` is for things that have nothing to do with each other, `group` for rows brought
together.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, TypeVar

from blickfang.compute import local_pool, ray_pool
from blickfang.compute.local_pool import LostTask
from blickfang.errors import BlickfangError, SettingsError

LOCAL, RAY = "local", "ray"


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """Where work is done."""

    name: Annotated[
        str, "where work is done: local (all cores of this machine) or ray (a cluster)"
    ] = LOCAL
    address: Annotated[
        str,
        "of the head of a Ray cluster, as 10.0.0.1:6379; empty: RAY_ADDRESS, or an own one here",
    ] = ""

    def __post_init__(self) -> None:
        if self.name not in (LOCAL, RAY):
            raise SettingsError(f'there is no engine "{self.name}"; choose local or ray')
        if self.address and self.name != RAY:
            raise SettingsError("an address is for the engine ray; choose it, too")


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
    together: int = ray_pool.MOST,
    ahead: int = local_pool.AHEAD,
) -> Iterator[B | LostTask[A]]:
    """Yield the result for each thing, in order, or as they come; `workers` 0 is all cores.

    Of small things up to so many go `together` on a cluster; 1 for those that may take long. So
    many for each worker are taken `ahead`.
    """
    if where.name == LOCAL:
        return local_pool.each(task, things, workers, ahead)  # in order is one way to come
    return ray_pool.each(
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
