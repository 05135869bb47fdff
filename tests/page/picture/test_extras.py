"""Models for pictures: text that is drawn, nakedness; skipped where their extras are not there."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from blickfang.corpus.pictures.optional_models import NAKED, DrawnTextReader, NudityJudge
from blickfang.corpus.pictures.picture import show_picture
from blickfang.errors import SettingsError
from blickfang.types import Failure
from tests.page.picture.samples import URL, encode, exif, paint


def sign(*lines: str) -> Image.Image:
    image = Image.new("RGB", (640, 90 * len(lines) + 40), (250, 250, 240))
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(size=48)
    for number, line in enumerate(lines):
        pen.text((30, 20 + 90 * number), line, fill=(20, 20, 60), font=font)
    return image


def test_a_picture_is_shown_upright_and_no_larger_than_asked() -> None:
    turned = encode(paint(400, 200), "JPEG", exif=exif(orientation=6))
    shown = show_picture(URL, turned, 100)
    assert isinstance(shown, Image.Image)
    assert (shown.mode, shown.size) == ("RGB", (50, 100))
    small = show_picture(URL, encode(paint(40, 20), "PNG"), 100)
    assert isinstance(small, Image.Image)
    assert np.array_equal(np.asarray(small), np.asarray(paint(40, 20)))
    assert show_picture(URL, b"<html>", 100) == Failure(URL, "picture", "not a picture: html")
    assert show_picture(URL, turned[:900], 100) == Failure(URL, "picture", "truncated")


@pytest.mark.parametrize(
    ("package", "make", "extra"),
    [
        ("rapidocr_onnxruntime", DrawnTextReader, r"blickfang\[ocr\]"),
        ("nudenet", NudityJudge, r"blickfang\[nsfw\]"),
    ],
)
def test_a_missing_package_names_its_extra(
    package: str, make: type, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(SettingsError, match=extra):
        make()


@pytest.mark.filterwarnings("ignore")  # of packages that are not ours
def test_drawn_text_is_read() -> None:
    pytest.importorskip("rapidocr_onnxruntime", reason="needs the extra [ocr]")
    reader = DrawnTextReader()
    found = reader.read(URL, encode(sign("Lighthouse", "Open at 9"), "JPEG", quality=90))
    assert isinstance(found, str)
    assert [line.replace(" ", "") for line in found.splitlines()] == ["Lighthouse", "Openat9"]
    upside = sign("Lighthouse").transpose(Image.Transpose.ROTATE_90)
    assert reader.read(URL, encode(upside, "PNG", exif=exif(orientation=6))) == "Lighthouse"
    assert reader.read(URL, encode(paint(), "PNG")) == ""
    assert reader.read(URL, b"%PDF-") == Failure(URL, "picture", "not a picture: pdf")


@pytest.mark.parametrize(
    ("lines", "misread"),
    [  # what the model made of Cyrillic, Greek and Armenian, and of Latin and Chinese
        ([("My3e C", 0.789), ("OTKpbIT", 0.944)], True),
        ([("BXO3", 0.975), (" 3AПPELEH", 0.872)], True),
        ([("Kα入nμεpα koqμe", 0.904)], True),
        ([("FwntL w2hwnh", 0.919)], True),
        ([("MaAK Ha Ckane", 0.876)], True),
        ([("Sony Mavica FD-91", 0.999), ("10:30", 0.998)], False),
        ([(" Offnungszeiten täglich", 0.938), ("2014年", 0.99), ("灯塔", 0.97)], False),
    ],
)
def test_scripts_that_the_model_does_not_know_are_left_out(
    lines: list[tuple[str, float]], misread: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[tuple[list[int], str, str]]
    found = [([], text, str(sure)) for text, sure in lines]  # it gives scores as strings
    package = SimpleNamespace(RapidOCR=lambda **_: lambda _: (found, []))
    monkeypatch.setitem(sys.modules, "rapidocr_onnxruntime", package)
    read = DrawnTextReader().read(URL, encode(paint(), "PNG"))
    assert read == ("" if misread else "\n".join(" ".join(text.split()) for text, _ in lines))


@pytest.mark.filterwarnings("ignore")  # of packages that are not ours
def test_nakedness_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("nudenet", reason="needs the extra [nsfw]")
    judge = NudityJudge()
    assert judge.judge(URL, encode(paint(), "PNG")) == 0.0
    assert judge.judge(URL, encode(sign("Lighthouse"), "GIF")) == 0.0
    assert judge.judge(URL, b"") == Failure(URL, "picture", "empty file")
    # No picture that the model would find something in belongs here: what it says is made up.
    parts = [
        {"class": "FACE_FEMALE", "score": 0.9},
        {"class": "BUTTOCKS_EXPOSED", "score": 0.4},
        {"class": "FEMALE_BREAST_EXPOSED", "score": 0.7},
    ]
    monkeypatch.setattr(judge._model, "detect", lambda _: parts)
    assert judge.judge(URL, encode(paint(), "PNG")) == 0.7


def test_the_model_knows_the_names_we_ask_for() -> None:
    nudenet = pytest.importorskip("nudenet.nudenet", reason="needs the extra [nsfw]")
    assert set(vars(nudenet)["__labels"]) >= NAKED
