"""The contact sheet: the best, the median and the worst samples of a corpus, as small pictures.

In: a corpus, and what of it is removed. Out: `Card`s. Every picture is decoded within limits and
written anew as JPEG, so that no byte of a stranger's file goes into a page.
"""

import io
from collections.abc import Set

import numpy as np
from numpy.typing import NDArray

from blickfang.corpus import Corpus
from blickfang.corpus.pictures.picture import show_picture
from blickfang.io.escaping import one_line
from blickfang.types import Failure
from blickfang.web.report import Card

IDS_AT_ONCE = 100_000
SIDE = 220  # pixels
QUALITY = 68
MOST_TEXT = 130  # characters
COLUMNS = ["id", "caption", "url", "page_url", "rank", "width", "height"]


def make_sheet(
    corpus: Corpus, count: int, removed: Set[str] = frozenset()
) -> dict[str, tuple[Card, ...]]:
    """Return so many of the best, the median and the worst samples, none twice, none removed."""
    rows = _find_rows(corpus, removed)
    total = len(rows)
    count = min(count, max(1, total // 3)) if total else 0
    middle = max(count, (total - count) // 2)
    spans = {
        "best": range(count),
        "median": range(middle, min(middle + count, max(total - count, middle))),
        "worst": range(max(total - count, count), total),
    }
    wanted = {int(rows[at]): name for name, span in spans.items() for at in span}
    found: dict[str, list[Card]] = {name: [] for name in spans}
    number = 0
    for batch in corpus.batches(COLUMNS):
        if any(number <= row < number + batch.num_rows for row in wanted):
            for at, row in enumerate(batch.to_pylist(), number):
                if at in wanted:
                    found[wanted[at]].append(_make_card(corpus, row, at + 1))
        number += batch.num_rows
    return {name: tuple(cards) for name, cards in found.items() if cards}


def _find_rows(corpus: Corpus, removed: Set[str]) -> NDArray[np.int64]:
    """Return the numbers of the samples that may be shown."""
    rows = np.arange(len(corpus))
    if not removed:
        return rows
    batches = corpus.batches(["id"], IDS_AT_ONCE)
    names = (name for batch in batches for name in batch.column(0).to_pylist())
    return rows[[name not in removed for name in names]]


def _make_card(corpus: Corpus, row: dict[str, object], number: int) -> Card:
    jpeg = make_thumbnail(corpus.image(str(row["id"]))) if corpus.has_images else b""
    rank = row["rank"]
    return Card(
        jpeg,
        one_line(str(row["caption"] or ""), MOST_TEXT),
        str(row["url"]),
        str(row["page_url"]),
        float(rank) if isinstance(rank, float) else None,
        number,
        f"{row['width']}×{row['height']}",
    )


def make_thumbnail(data: bytes, side: int = SIDE) -> bytes:
    """Return a picture as a small JPEG; nothing if it cannot be read."""
    small = show_picture("", data, side)
    if isinstance(small, Failure):
        return b""
    file = io.BytesIO()
    small.save(file, "JPEG", quality=QUALITY, optimize=True)
    return file.getvalue()
