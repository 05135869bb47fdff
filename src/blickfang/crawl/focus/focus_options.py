"""How links, hosts and images are chosen: the section [focus] of blickfang.toml.

In: the user's values. Out: `Options`, checked. What is no option here was flat in the experiments
and stands as a constant beside the formula that it belongs to.
"""

import re
from dataclasses import dataclass
from typing import Annotated

from blickfang.errors import SettingsError

SCORER_NAMES = ("contrast", "cosine", "cross-entropy", "keywords", "perplexity")
OWN_SCORER = re.compile(r"([A-Za-z_][\w.]*):([A-Za-z_]\w*)")
CONTRASTS = {"cosine": 0.0}  # how much of the background is subtracted, where not all of it
MOST_DETOURS = 100  # into one host: a detour is bounded


@dataclass(frozen=True, slots=True)
class FocusOptions:
    """How a crawl in the mode focused+images chooses; of `adapt` all focused modes have a part."""

    scorer: Annotated[
        str, f"what judges pages: {', '.join(SCORER_NAMES)}, or module:function of your own"
    ] = "contrast"
    probe_every: Annotated[int, "every so many fetches a host hardly known is tried; 0: never"] = 3
    on_topic: Annotated[float, "relevance from which a page is shown as on topic, 0 to 1"] = 0.1
    adapt: Annotated[
        bool,
        "also learn from what lies far inside the topic, if it does no harm, and "
        "(focused+images) from links",
    ] = False
    detours: Annotated[
        int, "pages more that are tried of a host which disappoints, but is promised by good links"
    ] = 0

    def __post_init__(self) -> None:
        if self.scorer not in SCORER_NAMES and not OWN_SCORER.fullmatch(self.scorer):
            raise SettingsError(
                f'scorer = "{self.scorer}" is unknown; choose {", ".join(SCORER_NAMES)}, '
                "or name a function of your own, as module:function"
            )
        if self.probe_every < 0 or self.probe_every == 1:
            raise SettingsError("probe_every must be 0 (never) or at least 2")
        if not 0 <= self.detours <= MOST_DETOURS:
            raise SettingsError(f"detours must lie between 0 and {MOST_DETOURS}")
        if not 0 <= self.on_topic <= 1:
            raise SettingsError("on_topic must lie between 0 and 1")
