"""One measured value and what it must reach: what every gate gives."""

from typing import NamedTuple


class Check(NamedTuple):
    """One measured value and what it must reach."""

    name: str
    value: float
    limit: float
    at_least: bool = False

    @property
    def passed(self) -> bool:
        return self.value >= self.limit if self.at_least else self.value <= self.limit
