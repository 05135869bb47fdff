"""Runs to report on, made up."""

import io

import numpy as np
from PIL import Image

from blickfang.web.report import Annotation, Card, ImageFunnelStep, PageLog, Run, Votes

EVIL = '<script>alert("x")</script>\u202e\x1b[31m{{ 7 * 7 }}</style>'


def make_log(count: int, seed: int = 0, categories: tuple[str, ...] = ("ours", "other")) -> PageLog:
    rng = np.random.default_rng(seed)
    sentences = rng.integers(0, 40, count)
    tokens = sentences * 12
    scored = tokens + sentences
    category = rng.integers(0, len(categories), count).astype(np.int16)
    return PageLog(
        sentences,
        tokens,
        -scored * rng.uniform(1.5, 3.0, count),
        scored,
        (category == 0).astype(np.int8),
        category,
        categories,
    )


def make_jpeg(side: int = 200, quality: int = 70) -> bytes:
    rng = np.random.default_rng(side)
    pixels = rng.integers(0, 255, (side, side, 3), np.uint8)  # noise does not compress
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "JPEG", quality=quality)
    return file.getvalue()


def make_card(number: int, text: str = "a tower", jpeg: bytes = b"") -> Card:
    address = f"http://a.test/{number}.jpg"
    return Card(jpeg or make_jpeg(40), text, address, "http://a.test/", 0.5, number, "40×40")


def make_annotation(text: str = "") -> Annotation:
    votes = Votes(
        f"topic{text}", "", 10, ("ours", f"other{text}"), (6, 3), (4, 2), 1, 0.61, 0.6, 0.59,
        ((f"ann{text}", "bob", 10, 0.7), ("ann", "eve", 0, None)),
    )  # fmt: skip
    return Annotation(
        f"task{text}", (votes,), ("ours", f"other{text}"), ("describes", "misleading"),
        ((5, 1), (1, 2)), ("ours", "ours", f"other{text}"), ("ours",),
    )  # fmt: skip


def make_run(name: str = "focused", group: str = "", seed: int = 0, text: str = "") -> Run:
    """Return a run; `text` is put wherever a stranger's string can stand."""
    return Run(
        name=name + text,
        group=group,
        about={"mode": "focused", f"key{text}": f"value{text}"},
        pages=make_log(300, seed, ("ours", f"other{text}")),
        judged_by=f"truth{text}",
        images=40,
        uris=500,
        bytes=12_345_678,
        seconds=60.0,
        hosts={f"a.test{text}": 200, "b.example.org": 100},
        image_hosts={f"c.test{text}": 40},
        languages={"en": 200, f"xx{text}": 100},
        duplicates={f"pages{text}": 3},
        consent={f"robots.txt: disallow{text}": 5},
        failures={f"status 404{text}": 2},
        licences={f"CC{text}": 7},
        samples=30,
        funnel=(
            ImageFunnelStep(f"initial{text}", 50),
            ImageFunnelStep("size", 30, ((f"too small{text}", 20),)),
        ),
        cards={"best": (make_card(1, f"best{text}"),), "worst": (make_card(30, f"worst{text}"),)},
        annotations=(make_annotation(text),),
        notes=(f"note{text}",),
    )
