"""Synthetic samples: pictures of a few motifs, drawn by Pillow, with texts that name them.

`make_samples(n)` gives the table of samples, `make_pages` the pages behind them, and
`write_samples(folder, n)` a whole corpus. Everything follows from the seed. Sample i shows
`MOTIFS[i % len(MOTIFS)]`; its words are in every text of it.
"""

import hashlib
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from PIL import Image, ImageDraw

from blickfang.corpus import Corpus, FunnelStep, Origin, open_corpus, write_corpus
from blickfang.corpus.sample_columns import PAGES, REJECTED, SAMPLES, make_schema

Colour = tuple[int, int, int]
Pen = ImageDraw.ImageDraw
Rng = np.random.Generator
Place = tuple[int, int, int]  # middle and size


class Motif(NamedTuple):
    """What a picture shows, and in which words."""

    word: str
    german: str
    shape: str
    colour: Colour
    ground: Colour


MOTIFS = (
    Motif("lion", "Löwe", "disc", (220, 170, 40), (120, 200, 90)),
    Motif("galaxy", "Galaxie", "dots", (240, 240, 255), (10, 10, 40)),
    Motif("tomato", "Tomate", "disc", (210, 30, 30), (240, 240, 235)),
    Motif("zebra", "Zebra", "stripes", (15, 15, 15), (245, 245, 245)),
    Motif("ocean", "Ozean", "waves", (20, 90, 190), (150, 210, 240)),
    Motif("pyramid", "Pyramide", "triangle", (200, 160, 90), (130, 190, 250)),
    Motif("chessboard", "Schachbrett", "squares", (60, 40, 20), (230, 210, 170)),
    Motif("violet", "Veilchen", "flower", (130, 40, 180), (60, 130, 50)),
)
FORMATS = ("jpeg", "png", "webp", "jpeg", "gif")
EXTENSIONS = {"jpeg": ".jpg", "png": ".png", "webp": ".webp", "gif": ".gif"}
HOSTS = ("a.example.org", "b.example.org", "pictures.example.net", "käse.example.com")


def _disc(pen: Pen, _: Rng, place: Place, colour: Colour) -> None:
    pen.circle(place[:2], place[2], fill=colour)


def _triangle(pen: Pen, _: Rng, place: Place, colour: Colour) -> None:
    x, y, size = place
    pen.polygon([(x, y - size), (x - size, y + size), (x + size, y + size)], fill=colour)


def _dots(pen: Pen, rng: Rng, place: Place, colour: Colour) -> None:
    for x, y in rng.uniform(0, 2, (60, 2)):
        pen.circle((x * place[0], y * place[1]), max(1, place[2] // 20), fill=colour)


def _stripes(pen: Pen, _: Rng, place: Place, colour: Colour) -> None:
    x, y, size = place
    for left in range(0, 3 * x, max(4, size // 3)):
        pen.rectangle((left, 0, left + max(2, size // 6), 3 * y), fill=colour)


def _waves(pen: Pen, _: Rng, place: Place, colour: Colour) -> None:
    x, y, size = place
    for top in range(y, 3 * y, max(4, size // 3)):
        pen.rectangle((0, top, 3 * x, top + max(2, size // 5)), fill=colour)


def _squares(pen: Pen, _: Rng, place: Place, colour: Colour) -> None:
    side = max(4, place[2] // 2)
    for column in range(3 * place[0] // side):
        for row in range(column % 2, 3 * place[1] // side, 2):
            corner = (column * side, row * side)
            pen.rectangle((*corner, corner[0] + side, corner[1] + side), fill=colour)


def _flower(pen: Pen, _: Rng, place: Place, colour: Colour) -> None:
    x, y, size = place
    for angle in np.linspace(0, 2 * np.pi, 6)[:5]:
        middle = (x + size / 2 * np.cos(angle), y + size / 2 * np.sin(angle))
        pen.circle(middle, size / 2, fill=colour)


SHAPES = {
    "disc": _disc,
    "triangle": _triangle,
    "dots": _dots,
    "stripes": _stripes,
    "waves": _waves,
    "squares": _squares,
    "flower": _flower,
}


def draw(motif: Motif, rng: Rng, width: int, height: int) -> Image.Image:
    """Draw a motif, a little different each time."""
    picture = Image.new("RGB", (width, height), _jitter(motif.ground, rng))
    pen = ImageDraw.Draw(picture)
    colour = _jitter(motif.colour, rng)
    x, y = (int(side * rng.uniform(0.4, 0.6)) for side in (width, height))
    size = int(min(width, height) * rng.uniform(0.25, 0.38))
    SHAPES[motif.shape](pen, rng, (x, y, size), colour)
    return picture


def _jitter(colour: Colour, rng: Rng) -> Colour:
    red, green, blue = (int(c) for c in np.clip(colour + rng.integers(-12, 13, 3), 0, 255))
    return red, green, blue


def encode(picture: Image.Image, kind: str) -> bytes:
    """Return a picture as the bytes of a file."""
    file = io.BytesIO()
    picture.save(file, kind)
    return file.getvalue()


def looks_of(picture: Image.Image) -> list[float]:
    """Return 48 simple visual features: the colours of 16 fields, in a vector of length 1."""
    fields = np.asarray(picture.convert("RGB").resize((4, 4)), np.float32).ravel() - 127.5
    return [float(value) for value in fields / (np.linalg.norm(fields) or 1)]


def phash_of(picture: Image.Image) -> str:
    """Return a simple perceptual hash: which of 64 fields are brighter than the mean."""
    fields = np.asarray(picture.convert("L").resize((8, 8)), np.float32).ravel()
    return f"{int.from_bytes(np.packbits(fields > fields.mean()).tobytes()):016x}"


def make_rows(count: int, seed: int = 0, size: tuple[int, int] = (64, 48)) -> list[dict[str, Any]]:
    """Return samples as dictionaries, best rank first."""
    return [_make_row(number, count, seed, size) for number in range(count)]


def _make_row(number: int, count: int, seed: int, size: tuple[int, int]) -> dict[str, Any]:
    rng = np.random.default_rng((seed, number))
    motif = MOTIFS[number % len(MOTIFS)]
    kind = FORMATS[number % len(FORMATS)]
    width, height = (int(side * rng.uniform(0.8, 1.2)) for side in size)
    picture = draw(motif, rng, width, height)
    data = encode(picture, kind)
    sha256 = hashlib.sha256(data).hexdigest()
    host = HOSTS[number // 2 % len(HOSTS)]  # two samples share a page
    url = f"https://{host}/img/{motif.word}/{motif.word}-{number}{EXTENSIONS[kind]}"
    row: dict[str, Any] = {
        "id": sha256[:16],
        "image": {"bytes": data, "path": sha256[:16] + EXTENSIONS[kind]},
        "url": url,
        "width": width,
        "height": height,
        "format": kind,
        "bytes": len(data),
        "sha256": sha256,
        "image_phash": phash_of(picture),
        "frames": 1,
        "looks": looks_of(picture),
        "rank": 1 - (number + 1) / (count + 1),
        "rank_study": None if number % 7 == 3 else 10.0 + number,
        "fetched_at": "2024-05-01T12:00:00Z",
        "warc_file": "crawl/shard-0/pages-00000.warc.gz",
        "warc_offset": None if number % 5 == 4 else number * 4096,
        "page_warc_file": "crawl/shard-0/pages-00000.warc.gz",
        "page_warc_offset": number * 4096 + 17,
    }
    return row | _texts(number, motif, host, url, rng)


def _texts(number: int, motif: Motif, host: str, url: str, rng: Rng) -> dict[str, Any]:
    german = number % 3 == 2
    word = motif.german if german else motif.word
    caption = f"Ein Bild: {word}, Nummer {number}" if german else f"A {word}, number {number}"
    alt = word if number % 4 else ""
    page_url = f"https://{host}/pages/{number // 2}.html"
    context = f"{caption}. " + " ".join(["seen in the field"] * int(rng.integers(1, 5)))
    mention = {
        "page_url": page_url,
        "page_title": f"All about {word}",
        "alt": alt,
        "title": "",
        "caption": caption,
        "context": context,
        "method": "best",
        "confidence": 0.75,
        "score": 200.0 + number,
        "copy_url": url,
        "section_title": f"The {word}" if number % 2 else "",
        "kind": ("record", "figure", "text", "decoration")[number % 4],
        "page_relevance": 0.5,
        "text_relevance": None if number % 6 == 5 else 0.25,
        "rank": 0.375,
        "attributes": json.dumps({"src": url, "data-<a>": f"{alt} & more"}),
        "texts": json.dumps([_scored("alt", alt, None)]),
    }
    other = mention | {"page_url": f"https://mirror.example.org/{number}", "context": f"{word}!"}
    return {
        "caption": caption,
        "page_url": page_url,
        "page_title": mention["page_title"],
        "section_title": f"The {word}" if number % 2 else "",
        "caption_alt_text_description": alt,
        "caption_reference_description": caption if number % 2 else "",
        "context_section_description": context,
        "title": "",
        "url_words": f"img {motif.word} {motif.word}",
        "language": "de" if german else "en",
        "context_method": "best",
        "context_kind": ("record", "figure", "text", "decoration")[number % 4],
        "context_confidence": 0.75,
        "perplexity": 300.0 + number,
        "keyword_score": 0.1,
        "score": 200.0 + number,
        "page_relevance": 0.5,
        "text_relevance": None if number % 6 == 5 else 0.25,
        "mentions": [mention, other] if number % 2 else [mention],
        "link_texts": [f"photo of a {word}"] if number % 3 == 0 else [],
        "copies": [],
        "licence": "https://creativecommons.org/licenses/by/4.0/" if number % 4 == 0 else "",
        "credit": "A. Person" if number % 4 == 0 else "",
        "licences": ["CC BY 4.0"] if number % 4 == 0 else [],
        "consent": "allowed",
        "data_mining": "",
        "texts": [_scored("alt", alt, None), _scored("parent-1", context, 500.0)],
        "emphasised": [word] if number % 5 == 0 else [],
    }


def _scored(name: str, text: str, weight: float | None) -> dict[str, Any]:
    known = bool(text)
    return {
        "name": name,
        "text": text,
        "words": len(text.split()),
        "perplexity": 321.5 if known else None,
        "keyword_score": 0.125 if known else None,
        "score": 200.0 if known else None,
        "distance_weight": weight,
    }


def table_of(rows: Sequence[dict[str, Any]]) -> pa.Table:
    """Return samples as an Arrow table."""
    return pa.Table.from_pylist(list(rows), schema=make_schema(SAMPLES))


def make_samples(count: int, seed: int = 0, size: tuple[int, int] = (64, 48)) -> pa.Table:
    """Return the Arrow table of so many samples."""
    return table_of(make_rows(count, seed, size))


def make_pages(rows: Sequence[dict[str, Any]]) -> pa.Table:
    """Return the pages behind samples: a paragraph in front of each picture, one at the end."""
    pages: dict[str, dict[str, Any]] = {}
    for row in rows:
        page = pages.setdefault(row["page_url"], _empty_page(row))
        page["main_text"] += f"Before {row['caption']}.\n"
        page["images"].append({"id": row["id"], "offset": len(page["main_text"])})
    for page in pages.values():
        page["main_text"] += "The end."
        page["text"] = "Menu\n" + page["main_text"]
    return pa.Table.from_pylist(list(pages.values()), schema=make_schema(PAGES))


def _empty_page(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "url": row["page_url"],
        "title": row["page_title"],
        "description": "",
        "language": row["language"],
        "text": "",
        "main_text": "",
        "images": [],
        "licences": row["licences"],
        "fetched_at": row["fetched_at"],
        "warc_file": row["page_warc_file"],
        "warc_offset": row["page_warc_offset"],
    }


def make_rejected(count: int) -> pa.Table:
    """Return rejected rows."""
    rows = [
        {
            "url": f"https://a.example.org/icon-{number}.gif",
            "page_url": "https://a.example.org/",
            "page_title": "Start",
            "caption": "",
            "width": None if number % 2 else 16,
            "height": None if number % 2 else 16,
            "sha256": "",
            "step": "format" if number % 2 else "size",
            "reason": "cannot be read" if number % 2 else "too small",
            "detail": "",
        }
        for number in range(count)
    ]
    return pa.Table.from_pylist(rows, schema=make_schema(REJECTED))


def write_samples(
    folder: Path, count: int = 24, seed: int = 0, size: tuple[int, int] = (64, 48)
) -> Corpus:
    """Write a corpus of so many samples to a folder; return it, opened."""
    rows = make_rows(count, seed, size)
    origin = Origin(
        title="Motifs",
        read_up_to="2024-05-01T12:00:00Z",
        purpose="research",
        signals=("robots.txt", "TDMRep"),
        settings={"build": {"min_width": 32}},
        topic={"keywords": ["lion", "galaxy"]},
        funnel=(
            FunnelStep("initial", count + 4),
            FunnelStep("size", count, (("too small", 2), ("cannot be read", 2))),
        ),
    )
    write_corpus(
        folder,
        table_of(rows).to_batches(max_chunksize=7),
        origin=origin,
        rejected=make_rejected(4).to_batches(),
        pages=make_pages(rows).to_batches(),
    )
    return open_corpus(folder)
