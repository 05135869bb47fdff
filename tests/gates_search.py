"""How well search finds what is known to be there, in a collection of real pages.

In: a collection. Out: the shares of queries that find what they were made from, first or among the
first five. Queries are drawn with a fixed seed; the protocol is in docs/method.md, "Search".

    python -m tests.gates_search COLLECTION
"""

import io
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageOps

from blickfang.corpus import Corpus
from blickfang.corpus.search import Hit, OpenIndex, search_index
from blickfang.corpus.search.prepare_index import prepare_index
from blickfang.text.words import read_words, spell
from tests.checks import Check

SEED = 31
QUERIES = 150
ONE_WORD = 60
LONG = 4  # letters of a word that is asked for alone
CROP, BORDER = 0.75, 0.1
VISUAL = ("visual",)

Rng = np.random.Generator
Row = dict[str, Any]
Change = Callable[[Image.Image, Rng], Image.Image]


def check_search(folder: Path, floors: dict[str, float]) -> Iterator[Check]:
    """Search a collection of real pages; by example never worse than by looks alone."""
    values = dict(measure_search(folder))
    for name, value in values.items():
        if name in floors:
            yield Check(name, value, floors[name], at_least=True)
    for name in CHANGES:
        lost = values[f"search: {name} @1, looks alone"] - values[f"search: {name} @1"]
        # One query may go either way: what such pictures are about decides between equal looks.
        yield Check(f"search: {name} @1, lost to looks alone", lost, 1.5 / QUERIES)


def measure_search(folder: Path) -> Iterator[tuple[str, float]]:
    """Yield the name and value of every measure."""
    index = prepare_index(folder)
    rows = index.corpus.table(["id", "page_url", "page_title", "mentions"]).to_pylist()
    rows.sort(key=lambda row: str(row["id"]))
    shown = {row["id"]: {mention["page_url"] for mention in row["mentions"]} for row in rows}
    known = draw_titles(rows, np.random.default_rng(SEED))
    found = [[shown[hit.id] for hit in search_index(index, words, limit=5)] for _, words in known]
    yield from share_found("title words", [page for page, _ in known], found)
    yield "search: one word, hits that speak of it", measure_one_word(index, known)
    yield from measure_pictures(index, rows)
    yield from measure_both(index, shown, known)


def draw_titles(rows: list[Row], rng: Rng) -> list[tuple[str, str]]:
    """Draw pages whose title no other page has, of two words or more; with the words of it."""
    pages = {row["page_url"]: row["page_title"] for row in rows}
    titles = list(pages.values())
    single = [
        (page, " ".join(spell(read_words(title))))
        for page, title in sorted(pages.items())
        if titles.count(title) == 1 and len(spell(read_words(title))) > 1
    ]
    return [single[at] for at in rng.permutation(len(single))[:QUERIES]]


def share_found(
    name: str, wanted: list[str], found: list[list[set[str]]]
) -> Iterator[tuple[str, float]]:
    """Yield how often a page shows what was found first, or one of the first five."""
    for most in (1, 5):
        hits = [page in set().union(*some[:most]) for page, some in zip(wanted, found, strict=True)]
        yield f"search: {name} @{most}", float(np.mean(hits))


def measure_one_word(index: OpenIndex, known: list[tuple[str, str]]) -> float:
    """Return the share of hits by one word whose page or own text has it, outside of its menus."""
    rng = np.random.default_rng(SEED)
    words = sorted({word for _, title in known for word in title.split() if len(word) >= LONG})
    chosen = [words[at] for at in rng.permutation(len(words))[:ONE_WORD]]
    pages = read_pages(index.corpus)
    right: list[bool] = []
    for word in chosen:
        found = search_index(index, word, limit=1000)
        right += [speaks(hit, word, pages) for hit in found if not hit.related]
    return float(np.mean(right))


def read_pages(corpus: Corpus) -> dict[str, str]:
    """Return the main text of all pages of a corpus."""
    batches = corpus.pages(["url", "main_text"])
    return {row["url"]: row["main_text"] for batch in batches for row in batch.to_pylist()}


def speaks(hit: Hit, word: str, pages: dict[str, str]) -> bool:
    """Whether a hit's page, in its main text or title, or its own text has a word."""
    text = "\n".join((hit.caption, hit.page_title, hit.url, pages.get(hit.page_url, "")))
    return word in spell(read_words(text))


def crop(picture: Image.Image, rng: Rng) -> Image.Image:
    """Return three quarters of both sides, from anywhere."""
    width, height = (max(1, round(CROP * side)) for side in picture.size)
    left = int(rng.integers(picture.width - width + 1))
    top = int(rng.integers(picture.height - height + 1))
    return picture.crop((left, top, left + width, top + height))


def frame(picture: Image.Image, rng: Rng) -> Image.Image:
    """Return a picture in a plain frame, white or black."""
    wide = max(1, round(BORDER * min(picture.size)))
    return ImageOps.expand(picture, wide, "white" if rng.integers(2) else "black")


CHANGES: dict[str, Change] = {
    "cropped to 75 %": crop,
    "mirrored": lambda picture, _: ImageOps.mirror(picture),
    "grey": lambda picture, _: picture.convert("L").convert("RGB"),
    "with a border": frame,
}


def measure_pictures(index: OpenIndex, rows: list[Row]) -> Iterator[tuple[str, float]]:
    """Yield how often a changed picture finds the sample it was made from, first."""
    rng = np.random.default_rng(SEED)
    chosen = [str(rows[at]["id"]) for at in rng.permutation(len(rows))[:QUERIES]]
    pictures = [open_picture(index.corpus.image(name)) for name in chosen]
    for name, change in CHANGES.items():
        ours, alone = [], []
        for wanted, picture in zip(chosen, pictures, strict=True):
            data = write_picture(change(picture, rng))
            ours.append(is_first(search_index(index, image=data, limit=1), wanted))
            alone.append(is_first(search_index(index, image=data, limit=1, ways=VISUAL), wanted))
        yield f"search: {name} @1", float(np.mean(ours))
        yield f"search: {name} @1, looks alone", float(np.mean(alone))


def open_picture(data: bytes) -> Image.Image:
    """Return a picture upright and in colours."""
    return ImageOps.exif_transpose(Image.open(io.BytesIO(data))).convert("RGB")


def write_picture(picture: Image.Image) -> bytes:
    """Return the file of a picture, as people save them."""
    out = io.BytesIO()
    picture.save(out, "JPEG", quality=85)
    return out.getvalue()


def is_first(hits: list[Hit], wanted: str) -> bool:
    """Whether a sample was found first."""
    return bool(hits) and hits[0].id == wanted


def measure_both(
    index: OpenIndex, shown: dict[str, set[str]], known: list[tuple[str, str]]
) -> Iterator[tuple[str, float]]:
    """Yield how often the words of a title find its page though another picture is shown."""
    rng = np.random.default_rng(SEED)
    found = []
    for page, words in known:
        others = [name for name, pages in shown.items() if page not in pages]
        data = index.corpus.image(others[int(rng.integers(len(others)))])
        found.append([shown[hit.id] for hit in search_index(index, words, image=data, limit=5)])
    yield from share_found("words and another picture", [page for page, _ in known], found)


if __name__ == "__main__":
    for name, value in measure_search(Path(sys.argv[1])):
        sys.stdout.write(f"{value:.3f}  {name}\n")
