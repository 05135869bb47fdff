"""Sketch: an image before it is painted. Light to make, so a whole web of them costs nothing."""

from dataclasses import dataclass

SUFFIXES = {"JPEG": "jpg", "PNG": "png", "GIF": "gif", "WEBP": "webp"}


@dataclass(frozen=True, slots=True)
class Sketch:
    """All that decides the bytes of one image."""

    url: str
    motif: str
    topic: str
    facts: tuple[tuple[str, str], ...]  # what the motif shows: colours, hour, shape, …
    seed: str  # decides everything the facts leave open
    width: int
    height: int
    format: str  # PNG, JPEG, GIF, WEBP
    original: "Sketch | None" = None  # the picture this one is a changed copy of
    change: str = ""  # a key of blickfang.demo.drawing.pictures.CHANGES


def copy_of(sketch: Sketch, url: str, change: str, width: int, kind: str = "") -> Sketch:
    """Sketch a changed copy of a picture, at a given width."""
    return Sketch(
        url=url,
        motif=sketch.motif,
        topic=sketch.topic,
        facts=sketch.facts,
        seed=sketch.seed,
        width=width,
        height=round(width * sketch.height / sketch.width),
        format=kind or sketch.format,
        original=sketch,
        change=change,
    )
