"""The demo web as a corpus: its pages and pictures read by us, near-equal pictures merged.

In: the demo web. Out: a corpus on disk, and of each sample what is true about its picture. Texts
are those that reading finds, never those of the truth.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from blickfang.corpus import Corpus, Origin, open_corpus, write_corpus
from blickfang.corpus.pictures import read_picture
from blickfang.corpus.sample_columns import SAMPLES, make_schema
from blickfang.demo import DemoWeb
from blickfang.demo.truth import ImageTruth
from blickfang.html import read_page
from blickfang.text import learn_topic
from blickfang.types import Image, Page, Picture

MIN_SIDE = 150  # smaller pictures are logos and buttons
Row = dict[str, Any]
Shown = dict[str, list[tuple[Page, Image]]]  # by the address of the image


class DemoCorpus(NamedTuple):
    """A corpus and what is true about its samples."""

    corpus: Corpus
    truths: dict[str, ImageTruth]  # by id


def make_demo_corpus(web: DemoWeb, topic: str, folder: Path, shown: Shown) -> DemoCorpus:
    """Write the corpus of the demo web, ranked for a topic; nothing is left out for its topic."""
    judge = make_judge(web, topic)
    copies = defaultdict(list)
    originals = _originals(web)
    for image in web.images:
        copies[originals[image.url]].append(image)
    rows, truths = [], {}
    for group in copies.values():
        found = [(page, at) for image in group for page, at in shown.get(image.url, ())]
        best = max(group, key=lambda image: (image.width, image.url))
        if found and min(best.width, best.height) >= MIN_SIDE:
            row = _make_row(web, best, found)
            row["rank"] = max(judge(page.main_text) for page, _ in found)
            rows.append(row)
            truths[row["id"]] = best
    rows.sort(key=lambda row: (-row["rank"], row["id"]))
    table = pa.Table.from_pylist(rows, schema=make_schema(SAMPLES))
    write_corpus(folder, table.to_batches(100), origin=Origin())
    return DemoCorpus(open_corpus(folder), truths)


def make_judge(web: DemoWeb, topic: str) -> Callable[[str], float]:
    """Return what says how much a page is on a topic, 0 to 1: likelier there than elsewhere."""
    positive = [_main_text(web, url) for url in web.seed_pages(topic)]
    neutral = [_main_text(web, url) for url in web.neutral_pages()]
    on, off = learn_topic(positive, neutral), learn_topic(neutral, positive)

    @cache
    def judge(text: str) -> float:
        (near,), (far,) = on.perplexity([text]), off.perplexity([text])
        return 0.0 if not near or not far else float(1 / (1 + (near / far) ** 2))

    return judge


def _main_text(web: DemoWeb, url: str) -> str:
    page = read_page(web.answer(url).body, url)
    assert isinstance(page, Page)
    return page.main_text


def read_pages(web: DemoWeb) -> Shown:
    """Return every place where a picture is shown."""
    shown: Shown = defaultdict(list)
    for truth in web.pages:
        page = read_page(web.answer(truth.url).body, truth.url)
        assert isinstance(page, Page)
        for image in page.images:
            if image.url:
                shown[image.url].append((page, image))
    return shown


def _originals(web: DemoWeb) -> dict[str, str]:
    """Return for every picture the address of the one it was made from."""
    before = {image.url: image.duplicate_of for image in web.images}
    originals = {}
    for image in web.images:
        url = image.url
        while (earlier := before[url]) is not None:
            url = earlier
        originals[image.url] = url
    return originals


def _make_row(web: DemoWeb, truth: ImageTruth, found: list[tuple[Page, Image]]) -> Row:
    data = web.answer(truth.url).body
    picture = read_picture(truth.url, data)
    assert isinstance(picture, Picture), truth.url
    mentions = list(_mentions(found))
    page, image = found[0]
    first = mentions[0]
    return empty_row() | {
        "id": picture.sha256[:16],
        "image": {"bytes": data, "path": picture.sha256[:16]},
        "sha256": picture.sha256,
        "url": truth.url,
        "caption": first["caption"] or first["context"] or first["alt"],
        "width": picture.width,
        "height": picture.height,
        "format": picture.format,
        "bytes": len(data),
        "page_url": page.url,
        "page_title": page.title,
        "caption_alt_text_description": image.alt,
        "caption_reference_description": image.caption,
        "context_section_description": first["context"],
        "context_confidence": first["confidence"],
        "title": image.title,
        "url_words": image.name,
        "language": page.language or "",
        "mentions": mentions,
        "looks": picture.looks.tolist(),
    }


def empty_row() -> Row:
    """Return a sample about which nothing is known."""
    empty = {pa.string(): "", pa.list_(pa.string()): []}
    return {field.name: empty.get(field.type) for field in make_schema(SAMPLES)}


def _mentions(found: list[tuple[Page, Image]]) -> Iterator[Row]:
    for page, image in found:
        context = image.contexts.get("best")
        yield {
            "page_url": page.url,
            "page_title": page.title,
            "alt": image.alt,
            "title": image.title,
            "caption": image.caption,
            "context": context.text if context else "",
            "method": "best",
            "confidence": context.confidence if context else 0.0,
            "score": 0.0,
            "copy_url": image.url,
        }
