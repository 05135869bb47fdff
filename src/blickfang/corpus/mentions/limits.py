"""Presets: the limits that known corpora set, as settings.

In: the tables of a settings file. Out: the same, with what its preset says of the keys that the
user has not written: a preset is a set of defaults, and never overrides anybody.
"""

import difflib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from blickfang.corpus.mentions.captures import PictureCapture
from blickfang.corpus.mentions.filters import Drop
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


@dataclass(frozen=True, slots=True)
class SampleLimits:
    """What drops pictures and samples; 0 and () set no limit. The names are those of settings."""

    preset: str = ""
    formats: tuple[str, ...] = ()
    min_width: int = 0
    min_height: int = 0
    max_width: int = 0
    max_height: int = 0
    max_aspect: float = 0.0  # longer side by shorter side
    min_bytes: int = 0
    alt_or_title: bool = False  # one of them must say something
    min_characters: int = 0  # of the caption
    min_rank: float = 0.0
    max_rank: float = 0.0

    def name(self, *keys: str) -> str:
        """Return settings as a user finds them, and the preset that they are from.

        >>> SampleLimits(min_rank=2.0).name("min_rank")
        'min_rank = 2.0'
        """
        told = ", ".join(f"{key} = {json.dumps(getattr(self, key))}" for key in keys)
        preset = PRESETS.get(self.preset, {})
        theirs = {key: value for section in preset.values() for key, value in section.items()}
        is_theirs = all(key in theirs and _is_same(theirs[key], getattr(self, key)) for key in keys)
        return f"{told}, preset {self.preset}" if is_theirs else told


def _is_same(one: Any, other: Any) -> bool:
    return bool((tuple(one) if isinstance(one, list) else one) == other)


def find_misfit(shot: PictureCapture, limits: SampleLimits) -> Drop | None:
    """Return why a picture is dropped by format or size, None if it fits."""
    if shot.failure:
        return Drop("format", shot.failure)
    if limits.formats and shot.format not in limits.formats:
        return Drop("format", f"other format ({limits.name('formats')})", shot.format)
    size = f"{shot.width}×{shot.height}"
    if shot.width < limits.min_width or shot.height < limits.min_height:
        return Drop("size", f"too small ({limits.name('min_width', 'min_height')})", size)
    if 0 < limits.max_width < shot.width or 0 < limits.max_height < shot.height:
        return Drop("size", f"too large ({limits.name('max_width', 'max_height')})", size)
    sides = sorted((shot.width, shot.height))
    if limits.max_aspect and sides[1] > limits.max_aspect * sides[0]:
        return Drop("size", f"too long ({limits.name('max_aspect')})", size)
    if shot.bytes < limits.min_bytes:
        return Drop("size", f"too few bytes ({limits.name('min_bytes')})", str(shot.bytes))
    return None


def find_cut(study: float | None, caption: str, limits: SampleLimits) -> Drop | None:
    """Return why a sample is cut by its study's rank, or by how little its caption says."""
    if study is not None and study < limits.min_rank:
        return Drop("rank", f"rank_study too low ({limits.name('min_rank')})", f"{study:.6g}")
    if study is not None and 0 < limits.max_rank < study:
        return Drop("rank", f"rank_study too high ({limits.name('max_rank')})", f"{study:.6g}")
    if len(caption) < limits.min_characters:
        return Drop("text", f"text too short ({limits.name('min_characters')})")
    return None
