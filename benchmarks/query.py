"""Batched scoring against kenlm, each from Python `str`, and agreement token by token."""

import random
from pathlib import Path

import kenlm

from benchmarks.corpus import source_texts, spelled
from benchmarks.timing import Row, race
from blickfang.text.lm import LanguageModel, train_model, write_arpa
from blickfang.text.words import read_many

TRAINING_WORDS, TEST_WORDS = 1_000_000, 200_000
GOAL, TOLERANCE = 1.0, 1e-4


def run(folder: Path) -> list[Row]:
    """Train on one part of the corpus, score another with both."""
    texts = source_texts(TRAINING_WORDS + TEST_WORDS)
    cut = next(
        i for i in range(len(texts)) if sum(map(len, texts[:i])) > 0.8 * sum(map(len, texts))
    )
    model = train_model(texts[:cut], 5, min_words=1)
    write_arpa(model, folder / "model.arpa")
    theirs = kenlm.Model(str(folder / "model.arpa"))
    words = spelled(texts[cut:], TEST_WORDS)
    long = [" ".join(words[i : i + 500]) for i in range(0, len(words) - 500, 500)]
    draw = random.Random(1)  # noqa: S311 -- repeatable
    starts = [draw.randrange(len(words) - 10) for _ in range(20_000)]
    short = [" ".join(words[i : i + draw.randint(1, 10)]) for i in starts]
    return [
        agreement(model, theirs, long[:100]),
        compare(model, theirs, long, "500-word texts"),
        compare(model, theirs, short, "1–10-word strings"),
        one_by_one(model, theirs, short[:2000]),
    ]


def compare(model: LanguageModel, theirs: kenlm.Model, texts: list[str], what: str) -> Row:
    """Time both on the same strings."""
    ours, peer = race(lambda: model.score_lines(texts), lambda: [theirs.score(t) for t in texts])
    count = sum(text.count(" ") + 2 for text in texts)
    return Row(
        f"query, {what}, batched",
        f"{count / ours / 1e6:.1f} M tokens/s",
        f"kenlm {count / peer / 1e6:.1f} M tokens/s",
        f"{peer / ours:.2f}×",
        f"≥ {GOAL:.1f}×",
        peer / ours >= GOAL,
    )


def one_by_one(model: LanguageModel, theirs: kenlm.Model, texts: list[str]) -> Row:
    """Time single calls: what batching is for."""
    ours, peer = race(
        lambda: [model.score_lines([text]) for text in texts],
        lambda: [theirs.score(text) for text in texts],
        times=2,
    )
    return Row(
        "query, 1–10-word strings, one a call",
        f"{ours / len(texts) * 1e6:.1f} µs",
        f"kenlm {peer / len(texts) * 1e6:.1f} µs",
        f"{peer / ours:.2f}×",
        "",
        None,
    )


def agreement(model: LanguageModel, theirs: kenlm.Model, texts: list[str]) -> Row:
    """Compare log10 p of every token; kenlm sums in 32 bit, so sums say less."""
    worst = 0.0
    for text in texts:
        of_word, of_end = model.score_words(read_many([text]))
        ours = [log / 2**36 for log in (*of_word.tolist(), int(of_end[-1]))]
        worst = max(
            worst,
            *(
                abs(log - other[0])
                for log, other in zip(ours, theirs.full_scores(text), strict=True)
            ),
        )
    return Row(
        "ARPA we write, read by kenlm: largest difference a token",
        f"{worst:.1e}",
        "",
        "",
        f"≤ {TOLERANCE:.0e}",
        worst <= TOLERANCE,
    )
