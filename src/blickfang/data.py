"""The values that travel from room to room: frozen, without methods, without imports from us."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Failure:
    """Something of the web, or a file, that could not be used: counted, kept and reported."""

    url: str  # or a path
    room: str  # where it failed
    reason: str
