"""Experiments with `blickfang dedupe`: three files, each the old or the new one, never a part."""

import hashlib
import json
import random
from pathlib import Path
from typing import Any

from tests.chaos.lab import Lab, Trial, experiment

DOCUMENTS = 240
OUTS = ("pairs", "clusters", "keep")
WORDS = ("tower", "sea", "light", "storm", "keeper", "lamp", "rock", "wave", "ship", "coast")


class Dedupe:
    """Near-duplicates among a few texts."""

    name = "dedupe"

    def prepare(self, root: Path) -> None:
        """Write texts, a third of them copies with a word changed."""
        root.mkdir(parents=True)
        chance = random.Random(7)  # noqa: S311 -- no secret
        texts: list[str] = []
        for number in range(DOCUMENTS):
            if number % 3 == 2:
                words = texts[number - 1].split()
                words[chance.randrange(len(words))] = "another"
            else:
                words = [chance.choice(WORDS) + str(chance.randrange(40)) for _ in range(120)]
            texts.append(" ".join(words))
        rows = (json.dumps({"id": f"d{n}", "text": text}) + "\n" for n, text in enumerate(texts))
        (root / "docs.jsonl").write_text("".join(rows), encoding="utf-8")

    def arguments(self, root: Path) -> tuple[str, ...]:
        """Return what is typed."""
        outs = [part for name in OUTS for part in (f"--{name}", str(root / f"{name}.jsonl"))]
        return ("dedupe", str(root / "docs.jsonl"), *outs)

    def result(self, root: Path) -> Any:
        """Return the hashes of all files."""
        return {
            path.name: hashlib.sha256(path.read_bytes()).hexdigest()
            for path in root.iterdir()
            if not path.name.startswith(".")
        }


def try_dedupe(lab: Lab, trial: Trial) -> None:
    """Let a search for near-duplicates meet a fault."""
    experiment(lab, Dedupe(), trial)
