"""The one place that chooses the engine: this machine, or a cluster.

In: a function, things to give it, and where. Out: results, as `local.py` and `ray.py` give them.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from blickfang.engine import local, ray
from blickfang.engine.local import Lost
from blickfang.engine.options import LOCAL, Options

A = TypeVar("A")
B = TypeVar("B")

HERE = Options()


def each(
    task: Callable[[A], B],
    things: Iterable[A],
    workers: int = 0,
    where: Options = HERE,
    *,
    in_order: bool = True,
    together: int = ray.MOST,
) -> Iterator[B | Lost[A]]:
    """Yield the result for each thing, in order, or as they come; `workers` 0 is all cores.

    Of small things up to so many go `together` on a cluster; 1 for those that may take long.
    """
    if where.name == LOCAL:
        return local.each(task, things, workers)  # in order is one way to come
    return ray.each(task, things, workers, where.address, in_order=in_order, together=together)
