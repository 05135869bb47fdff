"""Golden pages of our own, one for each markup; `pytest --regen` writes down what is read now.

Look at every change of the JSON with care: it shall say what a person would read there. Where we
are still wrong it says so already, and the case is named below.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from blickfang.html import read_page
from blickfang.types import Image, Page

FOLDER = Path(__file__).parent.parent / "golden"
CASES = sorted(path.stem for path in FOLDER.glob("*.html"))
WRONG = {
    "news": "the menu is taken for the text of the logo beside it",
    "publications": "the last row is a record like the others",
}
WRONG_MAIN = {
    "arabic": "one caption is missing",
    "definitions": "first name and last entry are missing",
    "figure": "one caption is missing",
    "mediawiki": "[edit] and an empty heading",
    "named": "two paragraphs with links are missing",
    "products": "some prices and the last row are missing",
}


def cases(wrong: dict[str, str]) -> list[Any]:
    return [
        pytest.param(case, marks=pytest.mark.xfail(reason=wrong[case])) if case in wrong else case
        for case in CASES
    ]


def show_image(image: Image) -> dict[str, Any]:
    best = image.contexts.get("best")
    return {
        "url": image.url,
        "origin": image.origin,
        "index": image.number,
        "alt": image.alt,
        "caption": image.caption,
        "generated": " ".join(image.generated),
        "kind": best.kind if best else None,
        "best": best.text.replace("\n", " / ") if best else None,
    }


def show(page: Page) -> dict[str, Any]:
    return {
        "title": page.title,
        "language": page.language,
        "declared_language": page.declared_language,
        "licences": list(page.licences),
        "notes": list(page.notes),
        "links": [f"{link.kind} {link.url} {link.anchor}".strip() for link in page.links],
        "images": [show_image(image) for image in page.images],
    }


def read(case: str) -> Page:
    page = read_page((FOLDER / f"{case}.html").read_bytes(), f"http://example.org/{case}.html")
    assert isinstance(page, Page)
    return page


def expect(case: str, shown: dict[str, Any], anew: bool) -> dict[str, Any]:
    """Return what should be shown, written down now if it is to be."""
    path = FOLDER / f"{case}.json"
    expected: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if anew:
        expected |= shown
        text = json.dumps(expected, ensure_ascii=False, indent=1)
        path.write_text(text + "\n", encoding="utf-8")
    return {key: expected.get(key) for key in shown}


@pytest.mark.parametrize("case", cases(WRONG))
def test_golden_page(case: str, request: pytest.FixtureRequest) -> None:
    shown = show(read(case))
    anew = request.config.getoption("--regen") and case not in WRONG
    assert shown == expect(case, shown, anew)


@pytest.mark.parametrize("case", cases(WRONG_MAIN))
def test_golden_main_text(case: str, request: pytest.FixtureRequest) -> None:
    shown = {"main_text": read(case).main_text.split("\n")}
    anew = request.config.getoption("--regen") and case not in WRONG_MAIN
    assert shown == expect(case, shown, anew)
