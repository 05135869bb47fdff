"""Searching 100,000 samples, against SQLite's FTS5 on the same texts in the same run.

Samples are made of words in a row from the gold pages in ../shared, and of random looks around a
thousand motifs; where the pages are missing, Python's sources give the words. Latency is the median
of single queries of one to three words, drawn as often as they occur, from the string to hits with
their facts; SQLite gives rows only. All times are of the processor, of both cores together.
"""

import gzip
import sqlite3
import statistics
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.corpus import source_texts
from benchmarks.timing import Row, clock
from blickfang.corpus import Corpus, Origin, open_corpus, write_corpus
from blickfang.corpus.pictures import LOOKS_LENGTH
from blickfang.corpus.sample_columns import SAMPLES, make_schema
from blickfang.corpus.search import OpenIndex, build_index, open_index, search_index
from blickfang.html import read_page
from blickfang.text.words import read_many, spell
from blickfang.types import Page, Picture

GOLD = Path(__file__).parent.parent.parent / "shared" / "text-gold" / "pages"
PAGES = 150  # of the gold data: 200,000 words
SAMPLES_MADE = 100_000
MOTIFS = 1000
BATCH = 2000
QUERIES = 300
FUNCTION_WORDS = 50  # the most frequent words, of which nobody asks for one alone
TEXT_GOAL_MS, COMBINED_GOAL_MS, BUILD_GOAL_S = 2.0, 5.0, 60.0

Rng = np.random.Generator


def run(folder: Path) -> list[Row]:
    """Build both indexes, ask both the same."""
    folder = folder / "searching"
    words = gather_words()
    motifs = np.random.default_rng(2).standard_normal((MOTIFS, LOOKS_LENGTH))
    write_corpus(folder / "corpus", make_batches(words, motifs), origin=Origin())
    corpus = open_corpus(folder / "corpus")
    built = clock(lambda: build_index(corpus, folder / "search"))
    peer_built = clock(lambda: build_fts(corpus, folder / "fts.sqlite"))
    database = sqlite3.connect(folder / "fts.sqlite")
    index = open_index(corpus, folder / "search")
    return [
        Row(
            f"search, index of {SAMPLES_MADE:,} samples (text, looks, LSI)",
            f"{built:.1f} s",
            f"FTS5, text only {peer_built:.1f} s",
            "",
            f"≤ {BUILD_GOAL_S:.0f} s",
            built <= BUILD_GOAL_S,
        ),
        *ask(index, database, words, motifs),
    ]


def gather_words() -> list[str]:
    """Return the words of real pages, one page after the other."""
    texts = []
    for path in sorted(GOLD.glob("*.gz"))[:PAGES]:
        page = read_page(gzip.decompress(path.read_bytes()))
        texts += [page.main_text or page.text] if isinstance(page, Page) else []
    return spell(read_many(texts or source_texts(200_000)))


def make_batches(words: list[str], motifs: np.ndarray[Any, Any]) -> Iterator[Any]:
    """Yield samples as record batches."""
    rng = np.random.default_rng(1)
    schema = make_schema(SAMPLES)
    empty = {pa.string(): "", pa.list_(pa.string()): []}
    blank = {field.name: empty.get(field.type) for field in schema}
    for first in range(0, SAMPLES_MADE, BATCH):
        rows = [
            blank | make_row(number, words, motifs, rng) for number in range(first, first + BATCH)
        ]
        yield pa.RecordBatch.from_pylist(rows, schema)


def make_row(
    number: int, words: list[str], motifs: np.ndarray[Any, Any], rng: Rng
) -> dict[str, Any]:
    """Return a sample: texts of usual lengths, looks near a motif."""
    at = int(rng.integers(len(words) - 100))
    near = words[at : at + 70]
    looks = motifs[rng.integers(MOTIFS)] + 0.8 * rng.standard_normal(LOOKS_LENGTH)
    caption = " ".join(near[: int(rng.integers(4, 20))])
    context = " ".join(near[: int(rng.integers(20, 70))])
    name = f"{number * 0x9E3779B97F4A7C15 % 2**64:016x}"
    page = f"https://host-{number % 997}.example/{number // 3}.html"
    mention = {"page_url": page, "alt": near[0], "caption": caption, "context": context}
    return {
        "id": name,
        "image": {"bytes": b"", "path": name},
        "sha256": name * 4,
        "url": f"https://host-{number % 997}.example/{'-'.join(near[:3])}.jpg",
        "caption": caption,
        "width": int(rng.integers(300, 2000)),
        "height": int(rng.integers(300, 2000)),
        "bytes": 0,
        "page_url": page,
        "page_title": " ".join(words[at + 80 : at + 86]),
        "caption_alt_text_description": " ".join(near[:4]),
        "context_section_description": context,
        "context_confidence": float(rng.random()),
        "url_words": " ".join(near[:3]),
        "language": "en",
        "rank": 1 - number / SAMPLES_MADE,
        "mentions": [mention],
        "looks": looks.astype(np.float32),
    }


def build_fts(corpus: Corpus, path: Path) -> None:
    """Build the peer's index of the same texts, its columns weighted when asked."""
    database = sqlite3.connect(path)
    database.execute("CREATE VIRTUAL TABLE samples USING fts5(caption, context, alt, page, url)")
    names = ("caption", "context_section_description", "caption_alt_text_description")
    columns = (*names, "page_title", "url_words")
    for batch in corpus.batches(columns, BATCH):
        rows = zip(*(column.to_pylist() for column in batch.columns), strict=True)
        database.executemany("INSERT INTO samples VALUES (?, ?, ?, ?, ?)", rows)
    database.execute("INSERT INTO samples (samples) VALUES ('optimize')")
    database.commit()
    database.close()


def ask(
    index: OpenIndex, database: sqlite3.Connection, words: list[str], motifs: np.ndarray[Any, Any]
) -> list[Row]:
    """Time queries of one to three words, and with a picture."""
    rng = np.random.default_rng(3)
    common = {word for word, _ in Counter(words).most_common(FUNCTION_WORDS)}
    told = [word for word in words if word not in common]
    picked = rng.integers(len(told), size=(QUERIES, 3)).tolist()
    queries = [" ".join(told[at] for at in row[: 1 + n % 3]) for n, row in enumerate(picked)]
    near = motifs[rng.integers(len(motifs), size=QUERIES)]
    pictures = [make_picture(looks + 0.8 * rng.standard_normal(len(looks))) for looks in near]
    pairs = dict(zip(queries, pictures, strict=True))

    def peer(query: str) -> object:
        match = " OR ".join(f'"{word}"' for word in query.split())
        order = (
            "SELECT rowid FROM samples WHERE samples MATCH ? ORDER BY bm25(samples, 8, 5, 5, 3, 1)"
        )
        return database.execute(f"{order} LIMIT 20", (match,)).fetchall()

    theirs = median_ms(peer, queries)
    asked: list[tuple[str, Callable[[str], object], float]] = [
        ("words: text", lambda q: search_index(index, q, ways=("text",)), TEXT_GOAL_MS),
        ("words: text and LSI", lambda q: search_index(index, q), COMBINED_GOAL_MS),
        (
            "words and a picture: text, looks, LSI",
            lambda q: search_index(index, q, image=pairs[q]),
            COMBINED_GOAL_MS,
        ),
        (
            "text and LSI, filtered",
            lambda q: search_index(index, q, where="width >= 1000"),
            COMBINED_GOAL_MS,
        ),
    ]
    return [compare(what, median_ms(way, queries), theirs, goal) for what, way, goal in asked]


def make_picture(looks: np.ndarray[Any, Any]) -> Picture:
    """Return a picture that was read already: reading one is measured elsewhere."""
    size = (400, 300, 0, "", 0, 1, 1, "", "", "")
    return Picture("", "jpeg", *size, looks.astype(np.float32))


def median_ms(ask_one: Callable[[str], object], queries: list[str]) -> float:
    """Return the median time of a query: processor time, as everywhere here; see timing.py."""
    for query in queries[:20]:
        ask_one(query)
    return statistics.median(clock(partial(ask_one, query)) for query in queries) * 1000


def compare(what: str, ours: float, theirs: float, goal: float) -> Row:
    """Return one line of the report."""
    return Row(
        f"search {what}, p50",
        f"{ours:.2f} ms",
        f"FTS5 {theirs:.2f} ms",
        f"{theirs / ours:.2f}×",
        f"≤ {goal:.0f} ms",
        ours <= goal,
    )
