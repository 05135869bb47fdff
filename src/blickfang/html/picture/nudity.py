"""How surely a picture shows naked people, judged by a model (extra `nsfw`).

In: the bytes of an image. Out: a number from 0 to 1, before anybody sees the picture. Needs the
extra `nsfw` (nudenet), which brings its model along. The model finds parts of bodies; what it is
less than a quarter sure of counts as 0.
"""

import importlib
from typing import Any

import numpy as np

from blickfang.errors import SettingsError
from blickfang.html.picture.limits import PictureLimits
from blickfang.html.picture.picture import show_picture
from blickfang.types import Failure

NUDITY_MISSING = 'the judge of nudity is missing: pip install "blickfang[nsfw]"'
NUDITY_SIDE = 640  # pixels of the longer side; the model itself sees 320
NAKED = frozenset(
    (
        "ANUS_EXPOSED",
        "BUTTOCKS_EXPOSED",
        "FEMALE_BREAST_EXPOSED",
        "FEMALE_GENITALIA_EXPOSED",
        "MALE_GENITALIA_EXPOSED",
    )
)


class NudityJudge:
    """A model that is loaded once and judges many pictures."""

    def __init__(self, limits: PictureLimits | None = None) -> None:
        try:
            package = importlib.import_module("nudenet")
        except ImportError as error:
            raise SettingsError(NUDITY_MISSING) from error
        self._limits = limits
        self._model: Any = package.NudeDetector()

    def judge(self, url: str, data: bytes) -> float | Failure:
        """Return how sure the model is that a picture shows nakedness."""
        image = show_picture(url, data, NUDITY_SIDE, self._limits)
        if isinstance(image, Failure):
            return image
        parts = self._model.detect(np.ascontiguousarray(np.asarray(image)[:, :, ::-1]))
        return max((float(part["score"]) for part in parts if part["class"] in NAKED), default=0.0)
