"""CLIP, for those who have its weights on this machine: words and pictures in one space.

In: a file of weights and the name of its architecture, as open_clip names it; pictures; words. Out:
vectors of unit length. Nothing is ever downloaded: without the file, or without the extra
`blickfang[clip]`, there is an error that says so.
"""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from blickfang.corpus.pictures import show_picture
from blickfang.corpus.search.nearest_vectors import Floats, unit
from blickfang.corpus.search.search_options import SearchOptions
from blickfang.errors import InputError, SettingsError
from blickfang.types import Failure

MOST_SIDE = 1024  # pixels; no model sees more
EXTRA = "CLIP needs a package that is not installed: pip install 'blickfang[clip]'"


class Clip:
    """A CLIP model that is loaded."""

    def __init__(self, options: SearchOptions) -> None:
        weights = Path(options.clip_weights)
        if not weights.is_file():
            raise SettingsError(f"there are no CLIP weights at {weights}; nothing is downloaded")
        if not options.clip_model:
            raise SettingsError("clip_model is missing: the architecture of the weights")
        try:
            open_clip = import_module("open_clip")
            torch = import_module("torch")
        except ImportError as error:
            raise SettingsError(EXTRA) from error
        except (RuntimeError, OSError) as error:  # parts that do not fit each other
            raise SettingsError(
                f"the packages of blickfang[clip] cannot be used: {error}"
            ) from error
        if options.clip_model not in open_clip.list_models():  # others would be fetched by name
            raise SettingsError(f"open_clip knows no architecture {options.clip_model!r}")
        if "hf_" in str(open_clip.get_model_config(options.clip_model)):
            raise SettingsError(
                f"{options.clip_model} would fetch its tokeniser; nothing is fetched"
            )
        self._torch: Any = torch
        try:
            self._model, _, self._prepare = open_clip.create_model_and_transforms(
                options.clip_model, pretrained=str(weights)
            )
        except (RuntimeError, OSError, ValueError, KeyError) as error:
            raise InputError(f"cannot load CLIP weights from {weights}: {error}") from error
        self._model.eval()
        self._tokenise: Any = open_clip.get_tokenizer(options.clip_model)

    def see(self, pictures: Sequence[bytes]) -> Floats:
        """Return the vectors of pictures; zero for one that cannot be read."""
        ready = [self._open(data) for data in pictures]
        good = [at for at, picture in enumerate(ready) if picture is not None]
        if not good:
            return np.zeros((len(pictures), 1), np.float32)
        with self._torch.no_grad():
            seen = self._model.encode_image(self._torch.stack([ready[at] for at in good]))
        found = np.zeros((len(pictures), seen.shape[1]), np.float32)
        found[good] = seen.float().numpy()
        return unit(found)

    def _open(self, data: bytes) -> Any:
        picture = show_picture("", data, MOST_SIDE)  # within its limits: a stranger's bytes
        return None if isinstance(picture, Failure) else self._prepare(picture)

    def read(self, text: str) -> Floats:
        """Return the vector of a query's words."""
        with self._torch.no_grad():
            said = self._model.encode_text(self._tokenise([text]))
        vector: Floats = unit(said.float().numpy())[0]
        return vector
