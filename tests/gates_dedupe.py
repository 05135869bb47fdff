"""Near-duplicates on the gold set: ours, and the study's methods; `python -m tests.gates_dedupe`.

The truth is complete over all 331 M pairs, for words and for 3-shingles. It was made with the
tokens of Python's `\\w+`; fed with those, a method is measured alone, fed with our own words, the
words too: they differ in scripts without blanks, whose characters are our words.
"""

import io
import json
import re
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from blickfang.dedupe import find_near_duplicates, join_fingerprints, simhashes
from blickfang.dedupe.banding import count_bands
from blickfang.dedupe.minhash import study_pairs
from blickfang.dedupe.shingles import HashedTexts, Places, gather, hash_texts
from blickfang.dedupe.unspaced import hash_for
from tests.dedupe.texts import exact_pairs, overlapping

GOLD = Path(__file__).parent.parent.parent / "shared" / "neardup-gold"
TOKEN = re.compile(r"\w+")
UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff]")
THRESHOLD = 0.9
THRESHOLDS = (0.9, 0.85, 0.8, 0.7, 0.6, 0.5, 0.4)
DRAWN, JUST_ABOVE = 6000, 0.02  # pairs; and how far above the threshold one is just there
FEATURES = ((1,), (2,), (3,), (5,), (2, 3), (3, 5))  # of the study


class Truth(NamedTuple):
    """Near-duplicate pairs as numbers, ordered: by words, and by shingles of three."""

    words: Places
    shingles: Places


def read_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a compressed file."""
    with pa.input_stream(str(path)) as stream:
        yield from io.TextIOWrapper(stream, encoding="utf-8")


def read_texts(folder: Path) -> list[str]:
    """Return the documents."""
    return [json.loads(line)["text"] for line in read_lines(folder / "docs.jsonl.zst")]


def read_truth(folder: Path) -> Truth:
    """Return the pairs that are near-duplicates."""
    words, shingles = [], []
    for line in read_lines(folder / "pairs.tsv.zst"):
        a, b, by_words, by_shingles, _ = line.split("\t")
        pair = int(a) << 32 | int(b)
        if float(by_words) >= THRESHOLD:
            words.append(pair)
        if float(by_shingles) >= THRESHOLD:
            shingles.append(pair)
    return Truth(np.sort(np.array(words)), np.sort(np.array(shingles)))


def hash_tokens(texts: Sequence[str]) -> HashedTexts:
    """Return the tokens that the truth was made with, each as a number of 64 bits."""
    numbers: dict[str, int] = {}
    listed = [
        np.array([numbers.setdefault(t, len(numbers)) for t in TOKEN.findall(text.lower())])
        for text in texts
    ]
    hashes = np.random.default_rng(1).integers(0, 2**64, len(numbers), np.uint64)
    return gather([hashes[text] for text in listed])


def score(pairs: Places, truth: Places) -> tuple[float, float]:
    """Return precision and recall of pairs."""
    hits = int(np.isin(pairs[:, 0] << 32 | pairs[:, 1], truth).sum())
    return hits / max(len(pairs), 1), hits / len(truth)


def measure_default(
    threes: HashedTexts, truth: Truth, name: str, ones: HashedTexts | None = None
) -> dict[str, float]:
    """Return precision, recall and candidates of the default, for both truths."""
    found = {}
    ones = threes if ones is None else ones
    for size, true, texts in ((3, truth.shingles, threes), (1, truth.words, ones)):
        near = find_near_duplicates(texts, THRESHOLD, size)
        precision, recall = score(near.pairs, true)
        found[f"{name}, shingles of {size}: precision"] = precision
        found[f"{name}, shingles of {size}: recall"] = recall
        count = len(texts.starts) - 1
        found[f"{name}, shingles of {size}: candidates a document"] = near.candidates / count
    return found


def measure_near_duplicates(folder: Path) -> dict[str, float]:
    """Return all that has a floor, or for candidates a ceiling."""
    texts, truth = read_texts(folder), read_truth(folder)
    spaced = np.array([not UNSPACED.search(text) for text in texts])
    both = [pairs[spaced[pairs >> 32] & spaced[pairs & 0xFFFFFFFF]] for pairs in truth]
    words = hash_texts(texts)
    parts = zip(words.starts[:-1].tolist(), words.starts[1:].tolist(), spaced.tolist(), strict=True)
    with_blanks = gather([words.hashes[a : b if good else a] for a, b, good in parts])
    study = score(study_pairs(words).pairs, truth.shingles)
    simhash = join_fingerprints(simhashes(words, (1,)), k=3, copies=len(texts)).pairs
    return {
        **measure_default(hash_tokens(texts), truth, "its tokens"),
        **measure_default(words, truth, "our words", hash_for(texts, 1)),
        **measure_default(with_blanks, Truth(*both), "our words, scripts with blanks"),
        "the study's MinHash: precision": study[0],
        "the study's MinHash: recall": study[1],
        "SimHash of words, k 3: precision": score(simhash, truth.words)[0],
        "SimHash of words, k 3: recall": score(simhash, truth.words)[1],
    }


def study_rows(words: HashedTexts, truth: Truth) -> Iterator[str]:
    """Yield the study's table on this set: SimHash by features, bits, weights and distance."""
    yield "SimHash                      k   pairs    words P    R      3-shingles P    R"
    for features in FEATURES:
        for bits, weights in ((64, "tf"), (64, "set")):
            values = simhashes(words, features, bits, "tf" if weights == "tf" else "set")
            for k in (1, 3, 5):
                pairs = join_fingerprints(values, k=k, copies=len(values), hot=len(values)).pairs
                by_words, by_shingles = score(pairs, truth.words), score(pairs, truth.shingles)
                name = f"{'+'.join(map(str, features))}-grams, {bits} bit, {weights}"
                yield (
                    f"{name:28} {k} {len(pairs):8,}    {by_words[0]:.3f} {by_words[1]:.3f}"
                    f"     {by_shingles[0]:.3f} {by_shingles[1]:.3f}"
                )


def threshold_rows(words: HashedTexts) -> Iterator[str]:
    """Yield for each threshold what is found of drawn pairs just above it, and the work here."""
    yield "threshold  bands  recall of drawn pairs  on this set: pairs  candidates  seconds"
    random, count = np.random.default_rng(2), len(words.starts) - 1
    hashes = random.integers(0, 2**64, 10**7, np.uint64)
    for threshold in THRESHOLDS:
        drawn = overlapping(random, threshold, DRAWN)
        near = {p for p, v in exact_pairs(drawn, threshold).items() if v < threshold + JUST_ABOVE}
        found = find_near_duplicates([hashes[text] for text in drawn], threshold).pairs
        recall = len(near & set(map(tuple, found.tolist()))) / len(near)
        start = time.perf_counter()
        here = find_near_duplicates(words, threshold)
        seconds = time.perf_counter() - start
        width, bands = count_bands(threshold)
        yield (
            f"{threshold:9} {bands:3}×{width} {recall:10.4f} of {len(near):5,}"
            f" {len(here.pairs):17,} {here.candidates / count:6.1f} a document {seconds:6.2f}"
        )


def main() -> None:
    """Print everything."""
    texts, truth = read_texts(GOLD), read_truth(GOLD)
    words = hash_texts(texts)
    for row in (*threshold_rows(words), *study_rows(words, truth)):
        sys.stdout.write(row + "\n")
    for name, value in measure_near_duplicates(GOLD).items():
        sys.stdout.write(f"{name} {value:.5f}\n")


if __name__ == "__main__":
    main()
