"""Visual features: against slow obvious versions, and whether they find what looks alike."""

import colorsys
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from blickfang.corpus.pictures.decode_picture import SIDE
from blickfang.corpus.pictures.phash import make_phash
from blickfang.corpus.pictures.visual_features import (
    BLEND,
    CELLS,
    COLOURS,
    CONTRAST,
    DARK,
    FINE,
    HUES,
    KINDS,
    LOOKS_LENGTH,
    PALE,
    SHAPES,
    STRONG,
    TABLES,
    LookCounts,
    count_looks,
    make_looks,
)
from blickfang.demo.web import build_web
from tests.page.picture.samples import encode, paint, read

PIXELS = st.integers(0, 2**32 - 1).map(
    lambda seed: np.random.default_rng(seed).integers(0, 256, (SIDE, SIDE, 3), np.uint8)
)


def slow_colour(red: int, green: int, blue: int) -> int:
    shades = [((part >> 3) + 0.5) / 32 for part in (red, green, blue)]
    hue, saturation, value = colorsys.rgb_to_hsv(*shades)
    if saturation < PALE or value < DARK:
        return 2 * HUES + int(value * 8)
    return int(hue * HUES + 1e-9) % HUES * 2 + (saturation >= STRONG)


def slow_kind(bits: list[bool]) -> int:
    turns = sum(bits[i] != bits[i - 1] for i in range(8))
    return sum(bits) if turns <= 2 else KINDS - 1


def slow_counts(rgb: np.ndarray, grey: np.ndarray, half: np.ndarray) -> LookCounts:
    counts = LookCounts(np.zeros(COLOURS), np.zeros((CELLS, CELLS, FINE)), np.zeros((2, KINDS)))
    for y in range(SIDE):
        for x in range(SIDE):
            counts.colours[slow_colour(*rgb[y, x].tolist())] += 1
            if 0 < y < SIDE - 1 and 0 < x < SIDE - 1:
                right = int(grey[y, x + 1]) - int(grey[y, x - 1])
                down = int(grey[y + 1, x]) - int(grey[y - 1, x])
                angle = math.atan2((down >> 2) + 0.5, (right >> 2) + 0.5)
                name = math.floor(angle / math.pi * FINE + 0.5) % FINE
                counts.edges[y // 16, x // 16, name] += math.hypot(right, down)
    ring = ((-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1))
    for scale, level in enumerate((grey.astype(int), half.astype(int))):
        for y in range(1, len(level) - 1):
            for x in range(1, len(level) - 1):
                bits = [level[y + v, x + u] > level[y, x] + CONTRAST for v, u in ring]
                counts.patterns[scale, slow_kind(bits)] += 1
    return counts


@settings(max_examples=6)
@given(PIXELS, st.booleans())
def test_counts_are_those_of_plain_loops(rgb: np.ndarray, smooth: bool) -> None:
    image = Image.fromarray(rgb)
    if smooth:
        image = image.resize((6, 6)).resize((SIDE, SIDE), Image.Resampling.BICUBIC)
        rgb = np.asarray(image)
    grey, half = np.asarray(image.convert("L")), np.asarray(image.convert("L").reduce(2))
    fast = LookCounts(np.zeros(COLOURS), np.zeros((CELLS, CELLS, FINE)), np.zeros((2, KINDS)))
    count_looks(rgb, grey, half, TABLES, fast)
    for ours, truth in zip(fast, slow_counts(rgb, grey, half), strict=True):
        np.testing.assert_allclose(ours, truth)


@settings(max_examples=20)
@given(PIXELS)
def test_the_hash_is_that_of_the_plain_transform(rgb: np.ndarray) -> None:
    half = Image.fromarray(rgb).convert("L").reduce(2)
    grey = np.asarray(half).astype(float)
    side = len(grey)
    rows = np.arange(side)
    parts = np.zeros((8, 8))
    for u in range(8):
        for v in range(8):
            wave = np.outer(
                np.cos(np.pi * (2 * rows + 1) * u / (2 * side)),
                np.cos(np.pi * (2 * rows + 1) * v / (2 * side)),
            )
            scale = math.sqrt((1 if u == 0 else 2) * (1 if v == 0 else 2)) / side
            parts[u, v] = round(float((grey * wave).sum()) * scale / 2.0)
    bits = (parts > np.median(parts)).ravel()
    assert make_phash(half) == int("".join("01"[int(bit)] for bit in bits), 2)


def test_blending_keeps_all() -> None:
    assert BLEND.sum(axis=1) == pytest.approx(1)
    assert np.array_equal(BLEND, BLEND.T)


def test_lengths() -> None:
    assert LOOKS_LENGTH == 190
    assert SHAPES.stop - SHAPES.start == 110


def test_colours_and_shapes_are_told_apart() -> None:
    """Another colour moves the first blocks, another shape the last."""
    image = paint(seed=5)
    light, blue, red = image.point(lambda value: 64 + value // 2).convert("YCbCr").split()
    image, turned = (
        Image.merge("YCbCr", (light, *parts)).convert("RGB") for parts in ((blue, red), (red, blue))
    )
    first, second = read(encode(image, "PNG")).looks, read(encode(turned, "PNG")).looks
    colours = np.linalg.norm((first - second)[: SHAPES.start])
    assert colours > 2 * np.linalg.norm((first - second)[SHAPES])
    bars = np.zeros((128, 128, 3), np.uint8)
    bars[(np.arange(128) // 8 % 2).astype(bool)] = 200
    across, upright = Image.fromarray(bars), Image.fromarray(bars.transpose(1, 0, 2))
    difference = read(encode(across, "PNG")).looks - read(encode(upright, "PNG")).looks
    assert np.linalg.norm(difference[SHAPES]) > 5 * np.linalg.norm(difference[: SHAPES.start])


def test_looks_of_the_parts_given() -> None:
    image = paint(SIDE, SIDE)
    grey = image.convert("L")
    looks = make_looks(image, grey, grey.reduce(2))
    assert np.linalg.norm(looks) == pytest.approx(1, abs=1e-6)


def test_pictures_of_one_motif_are_found() -> None:
    """Among all original pictures of the demo web, each as a question, without itself."""
    web = build_web()
    truths = [image for image in web.images if image.duplicate_of is None][::2]
    looks = np.array([read(web.answer(image.url).body).looks for image in truths])
    near = looks @ looks.T
    np.fill_diagonal(near, -1)
    best = np.argsort(-near, axis=1, kind="stable")[:, :5]
    motifs = np.array([image.motif for image in truths])
    hits = (motifs[best] == motifs[:, None]).any(axis=1)
    assert hits.mean() >= 0.95
    for motif in ("lighthouse", "mushroom", "kite"):
        assert hits[motifs == motif].mean() >= 0.95
