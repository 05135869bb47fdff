"""What can be chosen when an index is built; an index remembers it and asks queries by it."""

from dataclasses import dataclass
from typing import Annotated

FACTORS = 96  # of latent semantic indexing; SPEC 5 leaves it open, 64 to 128 do equally well
VOCABULARY = 50_000  # words that latent semantic indexing knows, the most frequent ones


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How the index of a corpus is built."""

    stemming: Annotated[str, "language whose endings are cut: english, german, …; empty: none"] = ""
    stop_words: Annotated[str, "language whose stop words are left out; empty: none"] = ""
    clip_model: Annotated[str, "architecture of the CLIP weights, by open_clip's name"] = ""
    clip_weights: Annotated[str, "file of CLIP weights on this machine; empty: no CLIP"] = ""
