"""The ranking: how much of the best of a corpus is on the topic, by ours and by the study's.

In: crawls of the testbed in ../shared, as benchmarks/harvest.py makes them, and the corpora built
of them. Out: the share of the first 50 samples that shows the topic by the truth of the testbed.

    python -m benchmarks.ranking [--topics astronomy] [--settings easy,hard]
"""

import argparse
import sys
import tempfile
import warnings
from pathlib import Path

from benchmarks.draws import LEARNED, Draw, draw_standard, read_truth
from benchmarks.harvest import Way, serving, write_settings
from blickfang.config import open_collection
from blickfang.corpus import open_corpus
from blickfang.corpus.build import build
from blickfang.crawl.focus.learn import learn
from blickfang.crawl.run import crawl

TOP = 50
GOAL = {"astronomy": 0.90}


def measure(draw: Draw, setting: str, proxy: str) -> tuple[float, float, int]:
    """Crawl and build; return the shares by both rankings, and how many samples there are."""
    truth = read_truth()
    with tempfile.TemporaryDirectory() as name:
        write_settings(
            Path(name), draw, Way(setting, "focused+images", proxy, 1, 0, [], is_replay=False)
        )
        collection = open_collection(Path(name))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # six pages are little text; that is the point
            learn(collection)
        crawl(collection, lambda _: True, shards=1)
        build(collection)
        rows = open_corpus(collection.root).table(["url", "rank", "rank_study"]).to_pylist()
    ours = sorted(rows, key=lambda row: -row["rank"])[:TOP]
    study = sorted(rows, key=lambda row: (row["rank_study"] is None, row["rank_study"] or 0))[:TOP]
    shares = [
        sum(truth.images.get(row["url"]) == draw.topic for row in best) / TOP
        for best in (ours, study)
    ]
    return shares[0], shares[1], len(rows)


def main() -> None:
    """Crawl, build, and print a line a corpus."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--topics", default=",".join(LEARNED))
    parser.add_argument("--settings", default="easy,hard")
    asked = parser.parse_args()
    met = True
    print(f"{'setting':8}{'topic':12}{'ours':>8}{'study':>8}{'samples':>9}")
    for number, setting in enumerate(asked.settings.split(",")):
        with serving(setting) as proxy:
            for topic in asked.topics.split(","):
                draw = draw_standard(number + 1, [topic])[number]
                ours, study, samples = measure(draw, setting, proxy)
                print(f"{setting:8}{topic:12}{ours:8.2f}{study:8.2f}{samples:9}", flush=True)
                met &= ours >= GOAL.get(topic, 0.0) and (topic not in GOAL or ours >= study)
    sys.exit(not met)


if __name__ == "__main__":
    main()
