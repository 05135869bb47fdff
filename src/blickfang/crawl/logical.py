"""A clock that is told what time it is: asyncio without waiting.

In: coroutines written for real time. Out: the same, but whenever everybody waits the clock jumps to
the moment for which somebody waits. What happens is thus in the same order every time, and takes
no longer than the work itself. Nothing that goes on outside, as a socket does, can be waited for.
"""

import asyncio
import selectors


class _Jumping(selectors.SelectSelector):
    """Looks what is ready and, if nothing is, lets the time pass."""

    passed = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Return what is ready now; nothing is waited for."""
        found = super().select(0)
        if not found:
            if timeout is None:
                raise RuntimeError("everybody waits, and nobody for a moment in time")
            self.passed += max(0.0, timeout)
        return found


class LogicalLoop(asyncio.SelectorEventLoop):
    """An event loop whose time begins at a second and passes only when nothing else is to do."""

    def __init__(self) -> None:
        self._jumping = _Jumping()
        super().__init__(self._jumping)

    def time(self) -> float:
        """Return the time on the logical clock."""
        return 1.0 + self._jumping.passed  # 0 means "never" to some
