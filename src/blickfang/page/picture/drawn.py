"""Text that is drawn in a picture, read by a model (extra `ocr`).

In: the bytes of an image. Out: its lines, from top to bottom. Needs the extra `ocr`
(rapidocr-onnxruntime), which brings its models along; Chinese and Latin letters are read.
"""

import importlib
from typing import Any

import numpy as np

from blickfang.data import Failure
from blickfang.errors import SettingsError
from blickfang.page.picture.limits import PictureLimits
from blickfang.page.picture.picture import show_picture

MISSING_PACKAGE = 'the reader of drawn text is missing: pip install "blickfang[ocr]"'
MOST = 1600  # pixels of the longer side that the model is shown


class DrawnTextReader:
    """A model that is loaded once and reads many pictures."""

    def __init__(self, limits: PictureLimits | None = None) -> None:
        try:
            package = importlib.import_module("rapidocr_onnxruntime")
        except ImportError as error:
            raise SettingsError(MISSING_PACKAGE) from error
        self._limits = limits
        # One thread: pictures are spread over cores by who calls this.
        self._model: Any = package.RapidOCR(intra_op_num_threads=1, inter_op_num_threads=1)

    def read(self, url: str, data: bytes) -> str | Failure:
        """Return the lines drawn in a picture, "" if there are none."""
        image = show_picture(url, data, MOST, self._limits)
        if isinstance(image, Failure):
            return image
        found, _ = self._model(np.asarray(image)[:, :, ::-1])  # it expects blue first
        return "\n".join(" ".join(text.split()) for _, text, _ in found or ())
