"""Find the weights of the main-text model: python -m training.maintext FOLDER [--write]

In: a folder with gold.jsonl (id, url, text) and pages/ID.html.gz, and `more/` with further ones of
several types. Out: printed, the weights and the quality on sites that were not trained on; with
--write also the file that the product reads. The same pages give the same bytes.
"""

import argparse
import gzip
import json
import re
import sys
import zlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import unnamed_all
from blickfang.html.main_text import block_features
from blickfang.html.main_text import block_model as maintext
from blickfang.html.main_text.scratch import MainTextScratch, make_room
from blickfang.html.main_text.text_blocks import PageBlocks, read_blocks
from blickfang.html.page import parse_page
from blickfang.html.parse.tree import Tree, slice_text
from blickfang.text.words import MULTIPLIER, read_words

Floats = NDArray[np.float64]
Hashes = NDArray[np.uint64]
Bag = Counter[tuple[str, ...]]
Look = dict[str, float]

FOLDS = 10
LOOKS = 2
GOLD_WEIGHT = 3  # the hand-made pages count as so many of the others
PAGE_WEIGHT = 10  # what all blocks of a page weigh together
PENALTY = 0.5  # of the squared weights
IN_GOLD = 0.6  # the share of a block's words that must be in the gold text
WEIGHTS = Path(maintext.__file__).with_name("weights.json")


@dataclass(frozen=True, slots=True)
class Sample:
    """A page with its gold text."""

    site: str
    kind: str
    tree: Tree
    room: MainTextScratch
    layout: PageBlocks
    rows: block_features.BlockFeatures
    labels: NDArray[np.bool_]
    weights: Floats
    gold: Bag


def name_site(url: str) -> str:
    """Return the host of a page without its first parts.

    >>> name_site("https://www.example.co.uk/a"), name_site("http://news.example.com")
    ('example.co.uk', 'example.com')
    """
    parts = re.sub(r"^\w+://", "", url).split("/")[0].split(":")[0].lower().split(".")
    return ".".join(parts[-3 if len(parts) > 2 and len(parts[-2]) <= 3 else -2 :])


def read_samples(folder: Path) -> list[Sample]:
    """Return all pages of a folder that have text."""
    model = maintext.make_model([])
    samples = []
    with (folder / "gold.jsonl").open(encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            html = gzip.decompress((folder / "pages" / f"{row['id']}.html.gz").read_bytes())
            parsed = parse_page(html)
            if parsed is None:
                raise SystemExit(f"{row['id']} is no page")
            tree = parsed[0]
            room = make_room(len(tree.parent), len(tree.words.hashes))
            layout = read_blocks(tree, room)
            block_features.describe_blocks(layout, model.zones, model.owners, room)
            sample = Sample(
                name_site(row["url"]) or row["id"],
                row.get("type", "gold"),
                tree,
                room,
                layout,
                block_features.take_rows(room, len(layout.blocks.owner)),
                label_blocks(tree, layout, read_words(row["text"]).hashes),
                weigh_blocks(layout, GOLD_WEIGHT if "type" not in row else 1),
                make_bag(row["text"]),
            )
            samples.append(sample)
    return samples


def make_bag(text: str) -> Bag:
    """Return the four-word shingles of a text, as score.py of the gold counts them."""
    words = re.findall(r"\w+", text)
    if len(words) < 4:
        return Counter([tuple(words)] if words else [])
    return Counter(zip(words, words[1:], words[2:], words[3:], strict=False))


def hash_shingles(hashes: Hashes) -> Hashes:
    """Return a hash for every four words in a row."""
    count = max(len(hashes) - 3, 0)
    shingles = np.zeros(count, np.uint64)
    for k in range(4):
        shingles = (shingles ^ hashes[k : k + count]) * MULTIPLIER
    return shingles


def label_blocks(tree: Tree, layout: PageBlocks, gold: Hashes) -> NDArray[np.bool_]:
    """Return which blocks are in the gold text: most of their words are, in rows of four."""
    hashes, blocks = tree.words.hashes, layout.blocks
    known = np.isin(hash_shingles(hashes), hash_shingles(gold))
    covered = np.zeros(len(hashes), np.bool_)
    for k in range(4):
        covered[k : k + len(known)] |= known
    before = np.concatenate([[0], np.cumsum(covered)])
    hits = before[blocks.last_word] - before[blocks.first_word]
    words = blocks.last_word - blocks.first_word
    labels: NDArray[np.bool_] = (hits >= IN_GOLD * words) & (words > 0)
    return labels


def weigh_blocks(layout: PageBlocks, page: float) -> Floats:
    """Return how much each block counts: long ones more, all of a page the same."""
    roots: Floats = np.sqrt(layout.blocks.words.astype(np.float64))
    roots *= page * PAGE_WEIGHT / max(roots.sum(), 1.0)
    return roots


def spread_marks(rows: block_features.BlockFeatures) -> Floats:
    """Return the features of blocks as a table, a row each."""
    bits = np.arange(len(block_features.MARKS), dtype=np.uint64)
    marks = rows.marks[:, None] >> bits & np.uint64(1)
    return np.column_stack([rows.numbers.T, marks])


def fit(rows: Floats, labels: NDArray[np.bool_], weights: Floats) -> Floats:
    """Return the weights of a logistic regression, the bias last; Newton's method."""
    rows = np.column_stack([rows, np.ones(len(rows))])
    penalty = np.full(rows.shape[1], PENALTY)
    penalty[-1] = 1e-9
    found = np.zeros(rows.shape[1])
    for _ in range(50):
        chances = 1 / (1 + np.exp(-np.clip(rows @ found, -30, 30)))
        slope = rows.T @ (weights * (chances - labels)) + penalty * found
        curve = (rows * (weights * chances * (1 - chances))[:, None]).T @ rows
        step = np.linalg.solve(curve + np.diag(penalty), slope)
        found -= step
        if np.abs(step).max() < 1e-6:
            return found
    raise SystemExit("the weights do not settle")


def train(samples: list[Sample]) -> list[Look]:
    """Return the weights of all looks."""
    labels = np.concatenate([sample.labels for sample in samples])
    weights = np.concatenate([sample.weights for sample in samples])
    for sample in samples:
        maintext.seed_mass(sample.layout.blocks, sample.rows.mass)
    looks = []
    for _ in range(LOOKS):
        for sample in samples:
            block_features.describe_places(sample.layout, sample.room)
        rows = np.concatenate([spread_marks(sample.rows) for sample in samples])
        found = fit(rows, labels, weights).round(3)
        looks.append(dict(zip([*block_features.FEATURES, "bias"], found.tolist(), strict=True)))
        for sample in samples:
            maintext.weigh(sample.rows, found)
            maintext.expect_mass(sample.layout.blocks, sample.rows)
    return looks


def measure(sample: Sample, model: maintext.MainTextModel) -> tuple[float, float]:
    """Return precision and recall of the main text that a model finds."""
    spans, _ = maintext.find_spans(sample.tree, unnamed_all(model))
    got = make_bag("\n".join(slice_text(sample.tree, *span) for span in spans.tolist()))
    hit = (got & sample.gold).total()
    return hit / max(got.total(), 1), hit / max(sample.gold.total(), 1)


def cross_validate(samples: list[Sample]) -> dict[str, list[tuple[float, float]]]:
    """Return by type the precision and recall of each page, its site never trained on."""
    folds = [zlib.crc32(sample.site.encode()) % FOLDS for sample in samples]
    found: dict[str, list[tuple[float, float]]] = {}
    for fold in range(FOLDS):
        learnt = [s for s, own in zip(samples, folds, strict=True) if own != fold]
        model = maintext.make_model(train(learnt))
        for sample, own in zip(samples, folds, strict=True):
            if own == fold:
                found.setdefault(sample.kind, []).append(measure(sample, model))
    return found


def report(found: dict[str, list[tuple[float, float]]]) -> Iterable[str]:
    """Yield a line for each type of page."""
    for kind in sorted(found, key=lambda kind: (kind != "gold", kind)):
        precision, recall = np.mean(found[kind], axis=0)
        both = 2 * precision * recall / max(precision + recall, 1e-9)
        pages = len(found[kind])
        yield f"{kind:14} pages {pages:3}  P {precision:.3f}  R {recall:.3f}  F {both:.3f}\n"


def main() -> None:
    """Train, print and perhaps write."""
    parser = argparse.ArgumentParser(prog="python -m training.maintext")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--write", action="store_true", help="replace the weights of the product")
    options = parser.parse_args()
    samples = read_samples(options.folder) + read_samples(options.folder / "more")
    text = json.dumps(train(samples), indent=1) + "\n"
    sys.stdout.write(text)
    if options.write:
        WEIGHTS.write_text(text, encoding="utf-8")
    sys.stdout.writelines(report(cross_validate(samples)))


if __name__ == "__main__":
    main()
