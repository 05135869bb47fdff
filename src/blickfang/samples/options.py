"""What becomes of an archive: section [build] of blickfang.toml.

In: the user's values. Out: `Options`, checked. The defaults are the study's filters, but for the
rule on alt texts, which drops every second good image (docs/method.md, "Samples"); sizes stand in
[images], where the crawl uses them, too.
"""

from dataclasses import dataclass
from typing import Annotated

from blickfang.errors import SettingsError

RANKINGS = ("ours", "study")


@dataclass(frozen=True, slots=True)
class Options:
    """Which images become samples, and in which order."""

    archives: Annotated[
        tuple[str, ...],
        "further WARC files to build from, besides the crawl's: paths, globs, s3://…, .paths",
    ] = ()
    preset: Annotated[
        str, "limits of a known corpus instead of [images] and ours: thesis, obelics, laion"
    ] = ""
    alt_or_title: Annotated[
        bool, "the study's rule: images with neither alt text nor title are not kept; else any text"
    ] = False
    min_rank: Annotated[float, "images whose rank_study is lower are not kept"] = 2.0
    max_rank: Annotated[float, "images whose rank_study is higher are not kept; 0: no limit"] = (
        70000.0
    )
    languages: Annotated[
        tuple[str, ...],
        "keep only pages in these languages, as en, none of unknown language; empty: all",
    ] = ()
    where: Annotated[str, "a filter on columns, as: width >= 800 and language == 'en'"] = ""
    ranking: Annotated[str, f"which rank orders the corpus: {', '.join(RANKINGS)}"] = "ours"
    top: Annotated[int, "keep so many of the best; 0: all"] = 0
    ocr: Annotated[bool, "read text that is drawn in pictures ([ocr])"] = False
    max_nudity: Annotated[
        float, "pictures that score higher, 0 to 1, are not kept ([nsfw]); 1: nobody looks"
    ] = 1.0

    def __post_init__(self) -> None:
        if self.ranking not in RANKINGS:
            raise SettingsError(f'ranking = "{self.ranking}" is unknown; choose ours or study')
        if self.top < 0 or self.min_rank < 0 or self.max_rank < 0:
            raise SettingsError("top, min_rank and max_rank must not be negative")
        if 0 < self.max_rank < self.min_rank:
            raise SettingsError("max_rank must not be less than min_rank")
        if not 0 <= self.max_nudity <= 1:
            raise SettingsError("max_nudity must lie between 0 and 1")
