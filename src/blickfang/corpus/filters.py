"""Filters by name: the limits that known corpora set.

In: the name of a preset. Out: `Preset`, the limits by which a build keeps or drops.
"""

from dataclasses import dataclass

from blickfang.corpus.where import nearest_name
from blickfang.errors import SettingsError


@dataclass(frozen=True, slots=True)
class Preset:
    """Limits of a corpus; 0, "" and () set none."""

    formats: tuple[str, ...] = ()
    min_width: int = 0
    min_height: int = 0
    max_width: int = 0
    max_height: int = 0
    max_aspect: float = 0.0  # longer side by shorter side
    min_bytes: int = 0
    alt_or_title: bool = False  # one of them must say something
    min_characters: int = 0  # of the caption
    min_rank_study: float = 0.0
    max_rank_study: float = 0.0


PRESETS = {
    # The study, SPEC 1.5: 512×384 … 9600×7200, alt or title, 2 ≤ rank ≤ 70000.
    "thesis": Preset(
        min_width=512,
        min_height=384,
        max_width=9600,
        max_height=7200,
        alt_or_title=True,
        min_rank_study=2,
        max_rank_study=70_000,
    ),
    # OBELICS (Laurençon et al. 2023), config_filter_web_documents.yaml of its repository: formats,
    # both sides 150 to 20,000 pixels, aspect ratio up to 2. Its rules on paragraphs and documents
    # are about running text and have no counterpart here.
    "obelics": Preset(
        formats=("jpeg", "png", "webp"),
        min_width=150,
        min_height=150,
        max_width=20_000,
        max_height=20_000,
        max_aspect=2.0,
    ),
    # LAION-400M and LAION-5B (Schuhmann et al. 2021, 2022): texts under 5 characters and files
    # under 5 KB are dropped. Its cut by CLIP similarity needs CLIP.
    "laion": Preset(min_bytes=5000, min_characters=5),
}


def find_preset(name: str) -> Preset:
    """Return a preset by its name."""
    if name not in PRESETS:
        known = ", ".join(PRESETS)
        hint = nearest_name(name, PRESETS)
        raise SettingsError(f"there is no preset {name!r}; choose {known}{hint}")
    return PRESETS[name]
