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

    def tell(self, gate: str) -> str:
        """Return a line that says what was measured and whether it passed."""
        verdict, relation = "ok    " if self.passed else "FAILED", "≥" if self.at_least else "≤"
        return f"{verdict} {gate}: {self.name} {self.value:.4g} {relation} {self.limit}"
