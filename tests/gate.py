"""Quality floors on the gold data in ../shared: `make gates`; run by CI where the data is.

Each check measures one thing; tests/floors.json holds what must be reached and the digest of the
data it was measured on. `python -m tests.gate --accept` writes a new digest, never a new floor.
"""

import csv
import hashlib
import json
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

from blickfang.dedupe.shingles import hash_texts
from blickfang.io.text_files import read_text
from blickfang.text.lm import read_arpa, train_model
from tests.checks import Check
from tests.gates_dedupe import measure_near_duplicates, read_texts, read_truth, study_rows
from tests.gates_layouts import measure_layouts
from tests.gates_records import count_untrained, measure_commands, measure_rules
from tests.gates_templates import check_templates
from tests.gates_testbed import check_testbed
from tests.gold import (
    compare_writing,
    cross_validate_main_text,
    load_pages,
    mean,
    measure,
    measure_confidence,
    measure_flat,
    measure_main_text,
)
from tests.variants import ARTICLE_VARIANTS, VARIANTS

ROOT = Path(__file__).parent.parent
GOLD = ROOT.parent / "shared"
LAYOUTS = Path("audits") / "files" / "study-003" / "layouts"
FLOORS = Path(__file__).parent / "floors.json"


def digest(folder: Path) -> str:
    """Return a fingerprint of all files of a gold set."""
    total = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            total.update(path.name.encode() + hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()[:16]


def check_language_model(folder: Path, floors: dict[str, float]) -> Iterator[Check]:
    """Compare with what KenLM's lmplz made of the same sentences."""
    text = read_text(folder / "train.txt.xz")
    lines = (folder / "test.txt").read_text(encoding="utf-8").removesuffix("\n").split("\n")
    expected = json.loads(FLOORS.read_text(encoding="utf-8"))["lm-gold"]["reference"]
    model = train_model([text], 5, min_words=1, tokenised=True)
    counts = np.abs(np.array(model.counts) - np.array(expected["counts"]))
    yield Check("n-gram counts off by", float(counts.max()), 0)
    off = np.abs(np.array(model.discounts) - np.array(expected["discounts"]))
    yield Check("discounts off by (printed to 6 digits)", float(off.max()), floors["discounts"])
    with (folder / "scores.tsv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    scores = model.score_lines(lines, tokenised=True)
    gold = np.array([float(row["log10_sum"]) for row in rows])
    yield Check(
        "largest Σ log10 difference", float(np.abs(scores.log10 - gold).max()), floors["sum"]
    )
    tokens = np.array([[int(row["tokens"]), int(row["oov"])] for row in rows])
    ours = np.stack([scores.tokens, scores.unknown], axis=1)
    yield Check("token and unknown counts that differ", float((ours != tokens).sum()), 0)
    small = read_arpa(folder / "small.arpa.gz").score_lines(lines[:50], tokenised=True)
    facts = expected["small"]
    yield Check("small ARPA: tokens off by", abs(int(small.tokens.sum()) - facts["tokens"]), 0)
    yield Check("small ARPA: unknown off by", abs(int(small.unknown.sum()) - facts["oov"]), 0)
    yield Check(
        "small ARPA: Σ log10 off by",
        abs(float(small.log10.sum()) - facts["log10"]),
        floors["small"],
    )


def check_writing(folder: Path, floors: dict[str, float]) -> Iterator[Check]:
    """Compare what the guard writes of orderly pages with what the parser writes."""
    orderly, otherwise = compare_writing(folder)
    yield Check("orderly pages", orderly, floors["orderly pages"], at_least=True)
    yield Check("pages written otherwise than by the parser", otherwise, 0)


def check_contexts(folder: Path, floors: dict[str, float]) -> Iterator[Check]:
    """Measure the text of images on real pages, by all methods and on pages made harder."""
    yield from check_writing(folder, floors)
    pages = load_pages(folder)
    best = measure(pages, "best")
    for kind, score in {**best, "macro": mean(best)}.items():
        yield Check(f"best {kind}", score, floors[f"best {kind}"], at_least=True)
    yield Check("best flat", measure_flat(pages), floors["best flat"], at_least=True)
    yield Check("confidence off by", measure_confidence(pages), floors["confidence"])
    for method in ("paragraph", "monash", "repeats", "window", "dynamic-window", "before-after"):
        scores = measure(pages, method)
        for kind, score in {**scores, "macro": mean(scores)}.items():
            if (name := f"{method} {kind}") in floors:
                yield Check(name, score, floors[name], at_least=True)
        ahead = max(scores[kind] - best[kind] for kind in best)
        yield Check(f"{method} ahead of best by", ahead, floors["ahead"])
    for name, change in VARIANTS.items():
        kinds = "U" if change in ARTICLE_VARIANTS else "AUBV"
        scores = measure(load_pages(folder, kinds, change), "best")
        lost = max(best[kind] - scores[kind] for kind in scores)
        yield Check(f"{name}: lost", lost, floors[f"{name}: lost"])


def check_main_text(folder: Path, floors: dict[str, float]) -> Iterator[Check]:
    """Measure the main text: with the weights we ship, and cross-validated by site."""
    yield from check_writing(folder, floors)
    yield Check("main text F", measure_main_text(folder), floors["main text F"], at_least=True)
    found = cross_validate_main_text(folder)
    name = "main text F, cross-validated by site"
    yield Check(name, found, floors[name], at_least=True)


def check_near_duplicates(folder: Path, floors: dict[str, float]) -> Iterator[Check]:
    """Measure near-duplicates against the complete truth, and print the study's table."""
    table = "".join(
        f"{row}\n" for row in study_rows(hash_texts(read_texts(folder)), read_truth(folder))
    )
    sys.stdout.write(table)  # in one go: another gate writes at the same time
    sys.stdout.flush()
    for name, value in measure_near_duplicates(folder).items():
        if name in floors:
            yield Check(name, value, floors[name], at_least="candidates" not in name)


def check_records(folder: Path, floors: dict[str, float]) -> Iterator[Check]:
    """Measure lists and publications with the weights we ship, on what the command writes."""
    yield from check_writing(folder, floors)
    yield Check("files of weights unlike those that training writes", count_untrained(folder), 0)
    layouts = folder.parent / LAYOUTS
    for name, value in (
        *measure_commands(folder),
        *measure_rules(folder),
        *measure_layouts(layouts),
    ):
        if name in floors:
            yield Check(name, value, floors[name], at_least="without" not in name)


GATES = {
    "lm-gold": check_language_model,
    "context-gold": check_contexts,
    "text-gold": check_main_text,
    "neardup-gold": check_near_duplicates,
    "records-gold": check_records,
    "testbed": check_testbed,
    "audits/files/study-001": check_templates,
}


def run_gate(name: str, limits: dict[str, float]) -> tuple[str, list[Check]]:
    """Return the digest of a gold set, and what was measured on it."""
    return digest(GOLD / name), list(GATES[name](GOLD / name, limits))


def main() -> int:
    """Run all gates, two at a time; return how many checks failed."""
    floors = json.loads(FLOORS.read_text(encoding="utf-8"))
    missing = [name for name in GATES if not (GOLD / name).is_dir()]
    if missing:
        sys.stdout.write(f"there is no {missing[0]} in ../shared: nothing can be checked\n")
        return 1
    passed = failed = 0
    limits = [floors[name]["limits"] for name in GATES]
    with ProcessPoolExecutor(2) as pool:
        for name, (found, checks) in zip(GATES, pool.map(run_gate, GATES, limits), strict=True):
            if "--accept" in sys.argv:
                floors[name]["digest"] = found
            elif found != floors[name]["digest"]:
                sys.stdout.write(f"note: {name} has changed since its floors were set; --accept\n")
            for check in checks:
                sys.stdout.write(f"{check.tell(name)}\n")
                passed += check.passed
                failed += not check.passed
            sys.stdout.flush()
    if "--accept" in sys.argv:
        FLOORS.write_text(json.dumps(floors, indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(f"{passed} passed, {failed} failed\n")
    return failed


if __name__ == "__main__":
    sys.exit(main())
