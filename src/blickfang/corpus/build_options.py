"""What becomes of an archive: section [build] of blickfang.toml.

In: the user's values. Out: `Options`, checked. By default nothing is cut but what has no text: the
study's rule on alt texts drops every second good image, and its cut by rank what surprises least
(docs/method.md, "Samples"). Sizes stand in [images], where the crawl uses them, too.
"""

from dataclasses import dataclass
from typing import Annotated

from blickfang.errors import SettingsError

RANKINGS = ("ours", "study")


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """Which images become samples, and in which order."""

    archives: Annotated[
        tuple[str, ...],
        "further archives (WARC, ARC, WACZ) to build from, besides the crawl's: paths, globs, "
        "s3://…, .paths",
    ] = ()
    preset: Annotated[
        str,
        "limits of a known corpus, thesis, obelics or laion, for all keys of [images] and [build] "
        "that are not written here",
    ] = ""
    alt_or_title: Annotated[
        bool, "the study's rule: images with neither alt text nor title are not kept; else any text"
    ] = False
    formats: Annotated[
        tuple[str, ...], "keep only pictures of these formats, as jpeg; empty: all"
    ] = ()
    max_aspect: Annotated[
        float, "pictures whose longer side is so many times the shorter are not kept; 0: no limit"
    ] = 0.0
    min_bytes: Annotated[int, "files with fewer bytes are not kept"] = 0
    min_characters: Annotated[int, "samples with shorter captions are not kept"] = 0
    min_rank: Annotated[
        float, "images whose rank_study is lower are not kept; the study cut at 2; 0: no limit"
    ] = 0.0
    max_rank: Annotated[
        float, "images whose rank_study is higher are not kept; the study cut at 70000; 0: no limit"
    ] = 0.0
    languages: Annotated[
        tuple[str, ...],
        "keep only pages in these languages, as en, none of unknown language; empty: all",
    ] = ()
    where: Annotated[str, "a filter on columns, as: width >= 800 and language == 'en'"] = ""
    ranking: Annotated[str, f"which rank orders the corpus: {', '.join(RANKINGS)}"] = "ours"
    top: Annotated[int, "keep so many of the best; 0: all"] = 0
    ocr: Annotated[
        bool,
        "read Latin or Chinese text that is drawn in pictures; it is enough to keep one ([ocr])",
    ] = False
    max_nudity: Annotated[
        float, "pictures that score higher, 0 to 1, are not kept ([nsfw]); 1: nobody looks"
    ] = 1.0

    def __post_init__(self) -> None:
        if self.ranking not in RANKINGS:
            raise SettingsError(f'ranking = "{self.ranking}" is unknown; choose ours or study')
        names = ("max_aspect", "min_bytes", "min_characters", "min_rank", "max_rank", "top")
        for name in names:
            if getattr(self, name) < 0:
                raise SettingsError(f"{name} must not be negative")
        if 0 < self.max_rank < self.min_rank:
            raise SettingsError("max_rank must not be less than min_rank")
        if not 0 <= self.max_nudity <= 1:
            raise SettingsError("max_nudity must lie between 0 and 1")
