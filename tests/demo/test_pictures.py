"""Images: as many, as large, as different and as alike as the truth says."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from blickfang.demo import DemoWeb
from blickfang.demo.motifs import CHANGES, MOTIFS

WORKERS = 4  # Pillow works outside the interpreter's lock


Look = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


@dataclass(frozen=True, slots=True)
class Seen:
    """An image as it was served."""

    digest: bytes
    size: tuple[int, int]
    format: str | None
    kind: str
    look: Look


def see(web: DemoWeb, url: str) -> Seen:
    answer = web.answer(url)
    with Image.open(BytesIO(answer.body)) as image:
        small = image.convert("L").resize((12, 12), reducing_gap=1.0)
        flat = np.asarray(small, dtype=np.float64).ravel()
        flat -= flat.mean()
        look = flat / (np.linalg.norm(flat) or 1.0)
        kind = answer.header("Content-Type")
        return Seen(sha256(answer.body).digest(), image.size, image.format, kind, look)


@pytest.fixture(scope="module")
def seen(web: DemoWeb) -> dict[str, Seen]:
    urls = [image.url for image in web.images]
    with ThreadPoolExecutor(WORKERS) as pool:
        return dict(zip(urls, pool.map(lambda url: see(web, url), urls), strict=True))


def test_sizes_formats_and_types(web: DemoWeb, seen: dict[str, Seen]) -> None:
    for truth in web.images:
        image = seen[truth.url]
        assert (image.size, image.format) == ((truth.width, truth.height), truth.format)
        assert image.kind == f"image/{truth.format.lower()}"


def test_all_bytes_differ(seen: dict[str, Seen]) -> None:
    assert len({image.digest for image in seen.values()}) == len(seen)


def test_variety(web: DemoWeb) -> None:
    originals = [image for image in web.images if image.duplicate_of is None]
    assert len(originals) >= 300
    assert {image.format for image in web.images} == {"PNG", "JPEG", "GIF", "WEBP"}
    assert {image.motif for image in web.images} == set(MOTIFS)
    assert {image.change for image in web.images} == set(CHANGES) | {""}
    sizes = Counter((image.width, image.height) for image in web.images)
    assert {(16, 16), (60, 45), (240, 180), (640, 480), (800, 600), (1024, 768)} <= set(sizes)
    large = sum(image.width >= 512 and image.height >= 384 for image in web.images)
    assert 200 <= large <= len(web.images) - 200
    assert all(any(it.motif == m and it.width >= 512 for it in originals) for m in ("kite", "bird"))


def test_copies_look_like_their_original_and_others_do_not(
    web: DemoWeb, seen: dict[str, Seen]
) -> None:
    shown = {image.url: image for image in web.images if image.motif not in ("emblem", "blank")}
    copies = [image for image in shown.values() if image.duplicate_of in shown]
    assert len(copies) >= 100
    alike = [seen[it.url].look @ seen[it.duplicate_of].look for it in copies if it.duplicate_of]
    assert min(alike) > 0.75  # a crop moves edges
    assert np.median(alike) > 0.99
    originals = np.array([seen[url].look for url, it in shown.items() if not it.duplicate_of])
    pairs = np.triu(originals @ originals.T, 1)
    assert (pairs > 0.99).sum() < 0.001 * pairs.size
