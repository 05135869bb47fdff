"""Measuring on the gold pages of ../shared with the scorers that lie beside them.

In: a folder of gold data. Out: F by kind of image, or of the main text. The data is never copied.
"""

import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from training.maintext import cross_validate, read_samples
from training.scorers import load_scorer

from blickfang.html import read_page
from blickfang.html.decode import decode_page
from blickfang.types import Page
from tests.page.guard.both import write_both

Scores = dict[str, float]
COMMON = 50


class GoldPage(NamedTuple):
    """A page and the images on it whose text is known."""

    html: bytes
    images: list[dict[str, Any]]
    score: ModuleType


def compare_writing(folder: Path) -> tuple[float, int]:
    """Return the share of pages that need no parser, and how many of them it writes otherwise."""
    orderly = otherwise = 0
    paths = sorted(folder.rglob("*.html.gz"))
    for path in paths:
        ours, parsers = write_both(decode_page(gzip.decompress(path.read_bytes())).data)
        orderly += ours is not None
        otherwise += ours is not None and ours != parsers
    return orderly / len(paths), otherwise


def load_pages(
    folder: Path, kinds: str = "AUBV", change: Callable[[bytes], bytes] = bytes
) -> list[GoldPage]:
    """Return the pages with images of some kinds, perhaps made harder."""
    scorer = load_scorer(folder)
    by_page: dict[str, list[dict[str, Any]]] = defaultdict(list)
    with (folder / "gold.jsonl").open(encoding="utf-8") as rows:
        for row in map(json.loads, rows):
            if row["kind"] in kinds:
                by_page[row["page"]].append(row)
    return [
        GoldPage(change(gzip.decompress((folder / name).read_bytes())), images, scorer)
        for name, images in by_page.items()
    ]


def measure(pages: list[GoldPage], method: str) -> Scores:
    """Return F by kind, of the averaged precision and recall, as the scorer has it."""
    rows: dict[str, list[Any]] = defaultdict(list)
    for page in pages:
        read = read_page(page.html, methods=(method,))
        assert isinstance(read, Page)
        shown = {image.number: image for image in read.images}
        for gold in page.images:
            text = shown[gold["img"]].contexts[method].text
            rows[gold["kind"]].append((gold, *page.score.prf(gold["gold"], text, gold["lang"])))
    line: Callable[[list[Any]], tuple[float, ...]] = pages[0].score.line
    return {kind: line(found)[3] for kind, found in sorted(rows.items())}


def measure_flat(pages: list[GoldPage]) -> float:
    """Return F on pages whose own records have no wrappers: a heading or an image begins each."""
    flat = [
        page._replace(images=[image for image in page.images if image.get("how") == "flat"])
        for page in pages
    ]
    return measure([page for page in flat if page.images], "best")["B"]


def measure_confidence(pages: list[GoldPage]) -> float:
    """Return how far stated confidence is from mean F, at worst over the values that are common."""
    found: dict[float, list[float]] = defaultdict(list)
    for page in pages:
        read = read_page(page.html)
        assert isinstance(read, Page)
        shown = {image.number: image.contexts["best"] for image in read.images if image.number >= 0}
        for gold in page.images:
            context = shown[gold["img"]]
            score = page.score.prf(gold["gold"], context.text, gold["lang"])[2]
            found[context.confidence].append(score)
    return max(
        abs(stated - sum(scores) / len(scores))
        for stated, scores in found.items()
        if len(scores) >= COMMON
    )


def mean(scores: Scores) -> float:
    """Return the macro mean over kinds."""
    return sum(scores.values()) / len(scores)


def measure_main_text(folder: Path) -> float:
    """Return F of the main text with the weights we ship."""
    bag: Callable[[str], Counter[Any]] = load_scorer(folder).bag
    precisions: list[float] = []
    recalls: list[float] = []
    with (folder / "gold.jsonl").open(encoding="utf-8") as rows:
        for row in map(json.loads, rows):
            html = gzip.decompress((folder / "pages" / f"{row['id']}.html.gz").read_bytes())
            page = read_page(html, methods=())
            assert isinstance(page, Page)
            want, got = bag(row["text"]), bag(page.main_text)
            hits: int = (want & got).total()
            precisions.append(hits / got.total() if got else float(not want))
            recalls.append(hits / want.total() if want else 1.0)
    precision, recall = (sum(values) / len(values) for values in (precisions, recalls))
    return 2 * precision * recall / (precision + recall)


def cross_validate_main_text(folder: Path) -> float:
    """Return F of the main text on sites that the weights were not trained on."""
    found = cross_validate(read_samples(folder) + read_samples(folder / "more"))["gold"]
    precision = sum(page[0] for page in found) / len(found)
    recall = sum(page[1] for page in found) / len(found)
    return 2 * precision * recall / (precision + recall)
