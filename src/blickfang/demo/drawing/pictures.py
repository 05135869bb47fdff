"""Image bytes: a Sketch goes in, an encoded PNG, JPEG, GIF or WebP comes out.

The only modules of the demo that need Pillow are this one and those it imports; the web imports it
when the first image is asked for.
"""

from collections.abc import Callable
from functools import lru_cache
from io import BytesIO

from PIL import Image, ImageDraw, ImageEnhance

from blickfang.demo.drawing import objects
from blickfang.demo.drawing.caps import mushroom
from blickfang.demo.drawing.landscape import Canvas, Facts
from blickfang.demo.drawing.sails import kite
from blickfang.demo.drawing.sketch import Sketch
from blickfang.demo.drawing.towers import lighthouse
from blickfang.demo.writing.grammar import seeded

MOTIFS: dict[str, Callable[[Canvas, Facts], None]] = {
    "lighthouse": lighthouse,
    "mushroom": mushroom,
    "kite": kite,
    "plate": objects.plate,
    "chessboard": objects.chessboard,
    "townhall": objects.townhall,
    "train": objects.train,
    "chart": objects.chart,
    "lamp": objects.lamp,
    "stool": objects.stool,
    "drone": objects.drone,
    "bird": objects.bird,
    "emblem": objects.emblem,
    "blank": objects.blank,
}


def picture_bytes(sketch: Sketch) -> bytes:
    """Paint a sketch and encode it."""
    if sketch.original is None:
        return encode(paint(sketch), sketch.format)
    original = paint(sketch.original)
    return encode(CHANGES[sketch.change](original, sketch), sketch.format)


@lru_cache(maxsize=32)  # a page's copies are asked for soon after their original
def paint(sketch: Sketch) -> Image.Image:
    """Paint the motif of a sketch at its size, drawn larger and reduced for smooth edges."""
    factor = 4 if sketch.width < 100 else 2
    canvas = Canvas(sketch.width * factor, sketch.height * factor, seeded(sketch.seed))
    MOTIFS[sketch.motif](canvas, dict(sketch.facts))
    return canvas.image.reduce(factor)


def resized(image: Image.Image, sketch: Sketch) -> Image.Image:
    """Scale to the size of the copy."""
    return image.resize((sketch.width, sketch.height), Image.Resampling.BILINEAR, reducing_gap=2.0)


def cropped(image: Image.Image, sketch: Sketch) -> Image.Image:
    """Cut a small margin off, then scale to the size of the copy."""
    share = seeded(sketch.url).randint(20, 32)
    x, y = image.width // share, image.height // share
    return resized(image.crop((x, y, image.width - x // 2, image.height - y // 2)), sketch)


def brighter(image: Image.Image, sketch: Sketch) -> Image.Image:
    """Raise brightness a little, as phones do."""
    factor = seeded(sketch.url).uniform(1.08, 1.2)
    return resized(ImageEnhance.Brightness(image).enhance(factor), sketch)


def watermarked(image: Image.Image, sketch: Sketch) -> Image.Image:
    """Write the host's name across a corner."""
    marked = image.copy()
    host = sketch.url.split("/")[2]
    ImageDraw.Draw(marked).text((8, image.height - 20), f"© {host}", fill=(255, 255, 255))
    return resized(marked, sketch)


CHANGES: dict[str, Callable[[Image.Image, Sketch], Image.Image]] = {
    "resized": resized,
    "reencoded": resized,
    "cropped": cropped,
    "brighter": brighter,
    "watermarked": watermarked,
}


def encode(image: Image.Image, kind: str) -> bytes:
    """Encode an image without any time or machine in its bytes."""
    buffer = BytesIO()
    if kind == "JPEG":
        image.save(buffer, kind, quality=86)
    elif kind == "PNG":
        image.save(buffer, kind, compress_level=3)
    elif kind == "WEBP":
        image.save(buffer, kind, quality=82, method=1)  # the quickest of its seven methods
    else:
        image.quantize(64, Image.Quantize.FASTOCTREE).save(buffer, kind)
    return buffer.getvalue()
