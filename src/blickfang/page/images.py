"""Which images are worth keeping: the section [images] of blickfang.toml.

In: the user's values. Out: `Options`. Images themselves are not read in this version.
"""

from dataclasses import dataclass
from typing import Annotated

from blickfang.errors import SettingsError


@dataclass(frozen=True, slots=True)
class Options:
    """The sizes an image must have; the study's numbers, docs/method.md."""

    min_width: Annotated[int, "narrower images, in pixels, are not kept"] = 512
    min_height: Annotated[int, "lower images are not kept"] = 384
    max_width: Annotated[int, "wider images are not kept"] = 9600
    max_height: Annotated[int, "higher images are not kept"] = 7200

    def __post_init__(self) -> None:
        if not (0 <= self.min_width <= self.max_width and 0 <= self.min_height <= self.max_height):
            raise SettingsError("min_width and min_height must lie between 0 and their maximum")
