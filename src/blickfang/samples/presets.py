"""Presets: the limits that known corpora set, as settings.

In: the tables of a settings file. Out: the same, with what its preset says of the keys that the
user has not written: a preset is a set of defaults, and never overrides anybody.
"""

import difflib
from collections.abc import Mapping
from typing import Any

from blickfang.errors import SettingsError

Tables = Mapping[str, Mapping[str, Any]]  # of settings: section → key → value

NO_SIZES = {"min_width": 0, "min_height": 0, "max_width": 0, "max_height": 0}
PRESETS: dict[str, Tables] = {
    # The study, SPEC 1.5: 512×384 … 9600×7200, alt or title, 2 ≤ rank ≤ 70000.
    "thesis": {
        "images": {"min_width": 512, "min_height": 384, "max_width": 9600, "max_height": 7200},
        "build": {"alt_or_title": True, "min_rank": 2.0, "max_rank": 70_000.0},
    },
    # OBELICS (Laurençon et al. 2023), config_filter_web_documents.yaml of its repository: formats,
    # both sides 150 to 20,000 pixels, aspect ratio up to 2. Its rules on paragraphs and documents
    # are about running text and have no counterpart here.
    "obelics": {
        "images": {"min_width": 150, "min_height": 150, "max_width": 20_000, "max_height": 20_000},
        "build": {"formats": ["jpeg", "png", "webp"], "max_aspect": 2.0},
    },
    # LAION-400M and LAION-5B (Schuhmann et al. 2021, 2022): texts under 5 characters and files
    # under 5 KB are dropped. Its cut by CLIP similarity needs CLIP.
    "laion": {"images": NO_SIZES, "build": {"min_bytes": 5000, "min_characters": 5}},
}


def fill_in_preset(tables: Tables) -> Tables:
    """Return the tables of a settings file with what its preset says of keys it does not have."""
    name = tables.get("build", {}).get("preset")
    if not name or not isinstance(name, str):
        return tables
    if name not in PRESETS:
        close = difflib.get_close_matches(name, PRESETS, n=1, cutoff=0.5)
        hint = f"; did you mean {close[0]}?" if close else ""
        raise SettingsError(f"there is no preset {name!r}; choose {', '.join(PRESETS)}{hint}")
    preset = PRESETS[name]
    return {**tables, **{key: {**preset[key], **tables.get(key, {})} for key in preset}}
