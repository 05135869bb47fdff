"""The grid of the application over 100,000 samples: server time of a page."""

import statistics
from pathlib import Path

import numpy as np
from starlette.testclient import TestClient

from benchmarks.searching import MOTIFS, SAMPLES_MADE, gather_words, make_batches
from benchmarks.timing import Row, clock
from blickfang.config import make_collection, open_collection
from blickfang.corpus import Origin, write_corpus
from blickfang.corpus.pictures import LOOKS_LENGTH
from blickfang.web import make_app

GOAL_MS = 300.0
ASKED = {
    "first page": "/corpus",
    "page 1,000": "/corpus?page=1000",
    "two facets, by size": "/corpus?host=host-7.example&size=800+to+1600+px&sort=size",
    "one word": "/corpus?q={word}",
    "like another": "/corpus?like={id}",
}


def run(folder: Path) -> list[Row]:
    """Write a corpus, open the application over it, ask for pages."""
    folder = folder / "grid"
    words = gather_words()
    motifs = np.random.default_rng(2).standard_normal((MOTIFS, LOOKS_LENGTH))
    make_collection(folder)
    write_corpus(folder / "corpus", make_batches(words, motifs), origin=Origin())
    client = TestClient(make_app(open_collection(folder)), base_url="http://127.0.0.1")
    opened = clock(lambda: client.get("/corpus").raise_for_status())
    rows = [Row("app, first look at a corpus, index built", f"{opened:.1f} s", "", "", "", True)]
    for name, path in ASKED.items():
        address = path.format(word=words[1000], id=f"{5 * 0x9E3779B97F4A7C15 % 2**64:016x}")
        times = [_server_ms(client, address) for _ in range(9)]
        median = statistics.median(times)
        what = f"app, grid over {SAMPLES_MADE:,} samples: {name}"
        rows.append(Row(what, f"{median:.0f} ms", "", "", f"≤ {GOAL_MS:.0f} ms", median <= GOAL_MS))
    return rows


def _server_ms(client: TestClient, address: str) -> float:
    answer = client.get(address)
    answer.raise_for_status()
    return float(answer.headers["server-timing"].rpartition("=")[2])
