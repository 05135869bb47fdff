"""Near-equal pictures: copies are, others are not, however plain they are."""

from collections.abc import Callable
from io import BytesIO

import pytest
from PIL import Image, ImageDraw, ImageEnhance

from blickfang.corpus.pictures import are_near_equal, count_other_bits
from blickfang.demo.web import build_web
from blickfang.types import Picture
from tests.page.picture.samples import encode, paint, read

Change = Callable[[Image.Image], bytes]


def resized(image: Image.Image, share: float) -> bytes:
    size = round(image.width * share), round(image.height * share)
    return encode(image.resize(size, Image.Resampling.LANCZOS), "JPEG", quality=85)


def cropped(image: Image.Image) -> bytes:
    x, y = image.width // 50, image.height // 50
    return encode(image.crop((x, 0, image.width, image.height - y)), "JPEG", quality=85)


CHANGES: dict[str, Change] = {
    "half": lambda image: resized(image, 0.5),
    "thumbnail": lambda image: resized(image, 0.2),
    "larger": lambda image: resized(image, 1.5),
    "poor": lambda image: encode(image, "JPEG", quality=40),
    "progressive": lambda image: encode(image, "JPEG", quality=70, progressive=True),
    "png": lambda image: encode(image, "PNG"),
    "webp": lambda image: encode(image, "WEBP", quality=60),
    "avif": lambda image: encode(image, "AVIF", quality=60),
    "gif": lambda image: encode(image.quantize(256), "GIF"),
    "cropped": cropped,
    "brighter": lambda image: encode(ImageEnhance.Brightness(image).enhance(1.1), "JPEG"),
}


def photos() -> list[Image.Image]:
    web = build_web()
    urls = [image.url for image in web.images if image.topic == "lighthouses" and image.width > 500]
    bodies = [web.answer(url).body for url in urls[:6]]
    return [Image.open(BytesIO(body)).convert("RGB") for body in bodies]


PHOTOS = photos()


def test_there_are_photos() -> None:
    assert len(PHOTOS) == 6


@pytest.mark.parametrize("name", CHANGES)
def test_copies_are_near_equal(name: str) -> None:
    for image in (*PHOTOS, paint(400, 300, seed=8)):
        original, copy = read(encode(image, "PNG")), read(CHANGES[name](image))
        assert count_other_bits(original.phash, copy.phash) <= 10
        assert are_near_equal(original, copy)
        assert are_near_equal(copy, original)


def test_copies_in_the_demo_web() -> None:
    """Every copy with its original, and hardly two originals."""
    web = build_web()
    pictures: dict[str, Picture] = {}
    for image in web.images[:300]:
        pictures[image.url] = read(web.answer(image.url).body)
    copies = [
        (pictures[image.url], pictures[image.duplicate_of])
        for image in web.images[:300]
        if image.duplicate_of in pictures
    ]
    assert len(copies) > 80
    assert all(are_near_equal(*pair) for pair in copies)
    originals = [
        pictures[image.url]
        for image in web.images[:300]
        if image.duplicate_of is None and image.motif != "blank"
    ]
    merged = sum(are_near_equal(a, b) for i, a in enumerate(originals) for b in originals[i + 1 :])
    assert merged <= 1


def draw(shape: str, box: tuple[int, int, int, int]) -> bytes:
    image = Image.new("RGB", (300, 200), (255, 255, 255))
    getattr(ImageDraw.Draw(image), shape)(box, fill=(20, 20, 20))
    return encode(image, "PNG")


def test_plain_drawings_that_differ_are_not_near_equal() -> None:
    """What the hash alone does not tell apart."""
    disc, square = (
        read(draw("ellipse", (60, 50, 140, 130))),
        read(draw("rectangle", (60, 50, 140, 130))),
    )
    elsewhere = read(draw("ellipse", (160, 70, 240, 150)))
    assert not are_near_equal(disc, square)
    assert not are_near_equal(disc, elsewhere)


def test_flat_colours_that_differ_are_not_near_equal() -> None:
    red, blue = (
        read(encode(Image.new("RGB", (80, 60), colour), "PNG"))
        for colour in ((200, 30, 30), (30, 30, 200))
    )
    assert red.phash == blue.phash
    assert not are_near_equal(red, blue)


def test_proportions_must_agree() -> None:
    wide, square = (
        read(encode(paint(300, 200), "PNG")),
        read(encode(paint(300, 200).resize((200, 200)), "PNG")),
    )
    assert count_other_bits(wide.phash, square.phash) <= 4
    assert not are_near_equal(wide, square)


def test_equal_bytes_are_equal() -> None:
    data = encode(paint(), "PNG")
    assert are_near_equal(read(data), read(data))


def test_other_bits() -> None:
    assert count_other_bits(0, 0) == 0
    assert count_other_bits(0b1011, 0b0001) == 2
    assert count_other_bits(0, 2**64 - 1) == 64
