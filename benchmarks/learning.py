"""Learning a topic of 20,000 sentences, and starting the command line."""

import subprocess
import sys
import time
import warnings
from pathlib import Path

from benchmarks.corpus import source_texts
from benchmarks.timing import Row, best
from blickfang.text import TopicOptions, learn_topic, save_topic
from blickfang.text.topic import split_sentences
from blickfang.text.words import read_many

SENTENCES = 20_000
LEARN_GOAL_S, START_GOAL_S = 3.0, 0.3


def watch(command: list[str]) -> float:
    """Return the seconds on the clock until a process ends."""
    start = time.perf_counter()
    subprocess.run(command, capture_output=True, check=True)
    return time.perf_counter() - start


def run(folder: Path) -> list[Row]:
    """Time both, warm."""
    texts = source_texts(1_000_000)
    pages: list[str] = []
    count = 0
    while count < SENTENCES:
        pages.append(texts[len(pages)])
        count += split_sentences(read_many(pages[-1:]), TopicOptions())[2]
    neutral = texts[-20:]

    def learn() -> None:
        save_topic(learn_topic(pages, neutral), folder / "topic")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        learn()
        seconds = best(learn, 3)
    command = [sys.executable, "-m", "blickfang", "--help"]
    start = min(watch(command) for _ in range(7))
    return [
        Row(
            f"learn and save a topic of {count:,} sentences, warm",
            f"{seconds:.2f} s",
            "",
            "",
            f"< {LEARN_GOAL_S:.0f} s",
            seconds < LEARN_GOAL_S,
        ),
        Row(
            "blickfang --help",
            f"{start:.2f} s",
            "",
            "",
            f"< {START_GOAL_S} s",
            start < START_GOAL_S,
        ),
    ]
