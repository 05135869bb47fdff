"""What a picture is and shows: format, size, frames, orientation, modes."""

import hashlib

import numpy as np
import pytest
from PIL import Image

from blickfang.corpus.pictures import LOOKS_LENGTH, count_other_bits, read_picture
from tests.page.picture.samples import URL, encode, exif, paint, read

FORMATS = {"JPEG": "jpeg", "PNG": "png", "GIF": "gif", "WEBP": "webp", "AVIF": "avif", "BMP": "bmp"}


@pytest.mark.parametrize("kind", FORMATS)
def test_formats(kind: str) -> None:
    data = encode(paint(), kind)
    picture = read(data)
    assert (picture.url, picture.format) == (URL, FORMATS[kind])
    assert (picture.width, picture.height, picture.frames) == (240, 160, 1)
    assert (picture.bytes, picture.sha256) == (len(data), hashlib.sha256(data).hexdigest())
    assert picture.looks.shape == (LOOKS_LENGTH,)
    assert picture.looks.dtype == np.float32
    assert np.linalg.norm(picture.looks) == pytest.approx(1, abs=1e-5)
    assert count_other_bits(picture.phash, read(encode(paint(), "PNG")).phash) <= 8
    assert (picture.data_mining, picture.licence, picture.credit) == ("", "", "")


@pytest.mark.parametrize("kind", FORMATS)
def test_the_same_bytes_give_the_same_numbers(kind: str) -> None:
    data = encode(paint(seed=3), kind)
    first, second = read(data), read(data)
    assert first.phash == second.phash
    assert np.array_equal(first.looks, second.looks)


@pytest.mark.parametrize("size", [(1, 1), (1, 700), (700, 1), (3, 2), (64, 64), (1999, 31)])
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "GIF", "WEBP", "BMP"])
def test_odd_sizes(kind: str, size: tuple[int, int]) -> None:
    picture = read(encode(paint(*size), kind))
    assert (picture.width, picture.height) == size
    assert np.all(np.isfinite(picture.looks))


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_orientation(kind: str, orientation: int) -> None:
    """A picture that was stored turned is shown upright, whichever way it was turned."""
    back = {
        1: None,
        2: Image.Transpose.FLIP_LEFT_RIGHT,
        3: Image.Transpose.ROTATE_180,
        4: Image.Transpose.FLIP_TOP_BOTTOM,
        5: Image.Transpose.TRANSPOSE,
        6: Image.Transpose.ROTATE_90,
        7: Image.Transpose.TRANSVERSE,
        8: Image.Transpose.ROTATE_270,
    }[orientation]
    upright = paint(240, 180)
    stored = upright if back is None else upright.transpose(back)
    picture = read(encode(stored, kind, exif=exif(orientation=orientation)))
    assert picture.orientation == orientation
    assert (picture.width, picture.height) == (240, 180)
    truth = read(encode(upright, "PNG"))
    assert count_other_bits(picture.phash, truth.phash) <= 4
    assert np.linalg.norm(picture.looks - truth.looks) < 0.1
    if back is not None:  # the test could fail: unturned it is another picture
        unturned = read(encode(stored, kind))
        assert count_other_bits(unturned.phash, truth.phash) > 8


@pytest.mark.parametrize("orientation", [0, 9, 65535])
def test_unknown_orientations_are_upright(orientation: int) -> None:
    assert read(encode(paint(), "JPEG", exif=exif(orientation=orientation))).orientation == 1


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG", "AVIF"])
def test_animations_are_counted_and_show_their_first_frame(kind: str) -> None:
    frames = [paint(seed=seed) for seed in range(5)]
    picture = read(encode(frames[0], kind, save_all=True, append_images=frames[1:], duration=50))
    assert picture.frames == 5
    assert (picture.width, picture.height) == (240, 160)
    assert count_other_bits(picture.phash, read(encode(frames[0], "PNG")).phash) <= 8
    assert count_other_bits(picture.phash, read(encode(frames[1], "PNG")).phash) > 8


def grey_pair() -> tuple[Image.Image, Image.Image]:
    grey = paint().convert("L")
    return grey, grey.convert("RGB")


def sixteen_bits() -> tuple[Image.Image, Image.Image]:
    grey = paint().convert("L")
    wide = np.asarray(grey).astype(np.uint16) * 257
    return Image.fromarray(wide), grey.convert("RGB")


def palette() -> tuple[Image.Image, Image.Image]:
    few = paint().quantize(200)
    return few, few.convert("RGB")


def one_bit() -> tuple[Image.Image, Image.Image]:
    bits = paint().convert("1")
    return bits, bits.convert("RGB")


@pytest.mark.parametrize("make", [grey_pair, sixteen_bits, palette, one_bit])
def test_modes_look_like_their_colours(make: object) -> None:
    assert callable(make)
    odd, plain = make()
    first, second = read(encode(odd, "PNG")), read(encode(plain, "PNG"))
    assert count_other_bits(first.phash, second.phash) <= 2
    assert np.linalg.norm(first.looks - second.looks) < 0.06


def test_cmyk_is_not_inverted() -> None:
    first = read(encode(paint().convert("CMYK"), "JPEG", quality=95))
    second = read(encode(paint(), "JPEG", quality=95))
    assert count_other_bits(first.phash, second.phash) <= 4
    assert np.linalg.norm(first.looks - second.looks) < 0.2


@pytest.mark.parametrize("kind", ["PNG", "WEBP"])
@pytest.mark.parametrize("mode", ["RGBA", "LA", "palette"])
def test_transparent_pictures_stand_on_white(kind: str, mode: str) -> None:
    """What is under transparency must not be seen, whatever colour it has."""
    disc = Image.new("L", (200, 200), 0)
    disc.paste(255, (50, 60, 150, 140))
    clear = Image.new("RGB", (200, 200), (10, 10, 10))
    clear.paste((200, 200, 200), (50, 60, 150, 140))
    clear.putalpha(disc)
    white = Image.new("RGB", (200, 200), (255, 255, 255))
    white.paste((200, 200, 200), (50, 60, 150, 140))
    image: Image.Image = clear.convert(mode) if mode != "palette" else clear.quantize(8)
    first, second = read(encode(image, kind, lossless=True)), read(encode(white, "PNG"))
    assert count_other_bits(first.phash, second.phash) <= 4
    assert np.linalg.norm(first.looks - second.looks) < 0.1


def test_gif_with_a_transparent_colour_stands_on_white() -> None:
    image = Image.new("P", (120, 90), 1)
    image.putpalette([0, 0, 0, 10, 10, 10, 250, 120, 0])
    image.paste(2, (30, 20, 90, 60))
    white = Image.new("RGB", (120, 90), (255, 255, 255))
    white.paste((250, 120, 0), (30, 20, 90, 60))
    first, second = read(encode(image, "GIF", transparency=1)), read(encode(white, "PNG"))
    assert np.linalg.norm(first.looks - second.looks) < 0.05


def test_what_the_address_says_does_not_count() -> None:
    found = read_picture("http://example.test/photo.gif", encode(paint(), "PNG"))
    assert getattr(found, "format", "") == "png"


def test_a_plain_picture_has_a_plain_hash() -> None:
    """No bit of it may come from rounding."""
    for colour in (0, 77, 255):
        picture = read(encode(Image.new("L", (90, 70), colour), "PNG"))
        assert picture.phash == (1 << 63 if colour else 0)
        assert np.all(np.isfinite(picture.looks))


def test_the_decoder_sees_nothing_but_the_picture() -> None:
    """Profiles and previews must change no number but size and SHA-256."""
    image = paint()
    bare = read(encode(image, "JPEG"))
    laden = read(encode(image, "JPEG", icc_profile=b"x" * 200_000, comment=b"y" * 60_000))
    assert laden.bytes > bare.bytes + 200_000
    assert laden.phash == bare.phash
    assert np.array_equal(laden.looks, bare.looks)
