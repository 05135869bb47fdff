"""The collection that gates work on: the whole testbed of real hosts, learned, crawled and built.

In: ../shared/testbed, served on 127.0.0.1. Out: a collection in FOLDER with archive, corpus and
index. All settings are those that users get, but for what a test must change: the proxy, no pauses,
every host, and images from 200 pixels a side.

    python -m tests.testbed FOLDER
"""

import json
import sys
import warnings
from pathlib import Path

from benchmarks.draws import DIRECTORY, MIN_SIDE, draw_standard, read_truth
from benchmarks.harvest import serving

from blickfang.config import Collection, open_collection
from blickfang.corpus.build import build
from blickfang.crawl.focus.learn import learn
from blickfang.crawl.run import crawl

TOPIC = "wildlife"


def make_collection(folder: Path) -> Collection:
    """Crawl the testbed, whole and without focus, and build its corpus."""
    folder.mkdir(parents=True, exist_ok=True)
    draw = draw_standard(1, [TOPIC])[0]
    starts = sorted(read_truth().starts.values())
    with serving("easy") as proxy:
        lines = [
            "[topic]",
            f"positive = {json.dumps(draw.learned)}",
            f"neutral = {json.dumps(draw.neutral)}",
            "[crawl]",
            f"seeds = {json.dumps([DIRECTORY, *starts])}",
            'mode = "unfocused"',
            f'proxy = "{proxy}"',
            "allow_private = true",
            "delay_s = 0.0",
            "max_pages = 5000",
            "[images]",
            f"min_width = {MIN_SIDE}",
            f"min_height = {MIN_SIDE}",
        ]
        (folder / "blickfang.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
        collection = open_collection(folder)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # six pages are little text; that is the point
            learn(collection)
        crawled = crawl(collection, lambda _: True, shards=1)
    if crawled.error:
        raise RuntimeError(crawled.error)
    build(collection)
    return collection


if __name__ == "__main__":
    make_collection(Path(sys.argv[1]))
