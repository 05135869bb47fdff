"""Estimating a 5-gram model: tokens a second and bytes an n-gram, in a process of its own."""

import json
import resource
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.corpus import source_texts
from benchmarks.timing import Row
from blickfang.text.lm import train_model

TOKENS = 5_500_000
SPEED_GOAL, MEMORY_GOAL = 1e6, 200


def run(_: Path) -> list[Row]:
    """Measure in a child, whose peak memory is then that of the estimation alone."""
    command = [sys.executable, "-m", "benchmarks.estimation"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    facts = json.loads(done.stdout.splitlines()[-1])
    speed = facts["tokens"] / facts["seconds"]
    return [
        Row(
            f"estimation, order 5, {facts['tokens'] / 1e6:.1f} M tokens, text to table",
            f"{speed / 1e6:.2f} M tokens/s",
            "",
            "",
            f"≥ {SPEED_GOAL / 1e6:.0f} M",
            speed >= SPEED_GOAL,
        ),
        Row(
            f"peak memory, {facts['ngrams'] / 1e6:.1f} M n-grams, whole process",
            f"{facts['peak'] / facts['ngrams']:.0f} bytes/n-gram",
            "",
            "",
            f"≤ {MEMORY_GOAL}",
            facts["peak"] / facts["ngrams"] <= MEMORY_GOAL,
        ),
    ]


def measure() -> dict[str, float]:
    """Train once small, so that all is compiled, then for real."""
    texts = source_texts(TOKENS)
    train_model(texts[:5], 5, min_words=1)
    start = time.perf_counter()
    model = train_model(texts, 5, min_words=1)
    seconds = time.perf_counter() - start
    scores = model.score(texts[:100])  # the model works
    if not scores.tokens.sum():
        raise RuntimeError("the model scored nothing")
    return {
        "tokens": sum(model.score([text]).tokens[0] for text in texts),
        "seconds": seconds,
        "ngrams": sum(model.counts),
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }


if __name__ == "__main__":
    print(json.dumps({name: float(value) for name, value in measure().items()}))
