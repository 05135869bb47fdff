"""Research on the gold lists: two people of one name kept apart, publication pages known as such.

In: the lists of publications in ../shared/records-gold. Out: B-cubed precision, recall and F for
all pairs of people who are given one name, by co-authors alone and with topics; and how many pages
with and without publications are taken for publication pages.

    python -m benchmarks.namesakes
"""

import csv
import gzip
import json
import random
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from unittest.mock import patch

from blickfang.data import Failure
from blickfang.records import extract_records
from blickfang.records.extract import FITS
from blickfang.records.research import Publication, parse_name, people, separate_people

GOLD = Path(__file__).parent.parent.parent / "shared" / "records-gold"
NAME = "Alex Smith"
LEAST = 10  # publications of a person
SIZES = (5, 12, 30)
NEVER = 1e9


def read_people() -> dict[str, list[Publication]]:
    """Return the publications of each list by its most frequent author, who is called alike."""
    found: dict[str, list[Publication]] = {}
    names: set[str] = set()
    for line in (GOLD / "pages.jsonl").read_text(encoding="utf-8").splitlines():
        about = json.loads(line)
        path = GOLD / "publications" / "gold" / f"{about['id']}.csv"
        if not path.exists() or about.get("authors") != "all":
            continue
        with path.open(encoding="utf-8", newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["status"] == "gold"]
        lasts = Counter(parse_name(a).last for row in rows for a in set(row["authors"].split("; ")))
        owner, times = lasts.most_common(1)[0]
        # Lists of many people, and the same person's twice, would have no truth.
        if times >= LEAST and times > len(rows) / 3 and owner not in names:
            names.add(owner)
            found[about["id"]] = [rename(row, owner) for row in rows if owner in row["authors"]]
    return found


def rename(row: dict[str, str], owner: str) -> Publication:
    """Return a publication whose owner has the name that all have."""
    authors = row["authors"].split("; ")
    shown = tuple(NAME if parse_name(name).last == owner else name for name in authors)
    return Publication(row["title"], shown, row["year"], row["venue"])


def rate(truth: Sequence[str], found: Sequence[int]) -> tuple[float, float]:
    """Return B-cubed precision and recall."""
    pairs = Counter(zip(truth, found, strict=True))
    groups, people_of = Counter(found), Counter(truth)
    precision = sum(n * n / groups[g] for (_, g), n in pairs.items()) / len(truth)
    recall = sum(n * n / people_of[t] for (t, _), n in pairs.items()) / len(truth)
    return precision, recall


def measure(lists: dict[str, list[Publication]], size: int) -> tuple[float, float, float, int]:
    """Return mean precision, recall and F over all pairs of people, and how many pairs."""
    chance = random.Random(1)  # noqa: S311
    person = parse_name(NAME)
    sums = [0.0, 0.0, 0.0]
    pairs = list(combinations(sorted(lists), 2))
    for one, other in pairs:
        chosen = [
            (name, each)
            for name in (one, other)
            for each in chance.sample(lists[name], min(size, len(lists[name])))
        ]
        numbers = separate_people([each for _, each in chosen], person)
        precision, recall = rate([name for name, _ in chosen], numbers)
        f = 2 * precision * recall / (precision + recall)
        sums = [a + b for a, b in zip(sums, (precision, recall, f), strict=True)]
    return sums[0] / len(pairs), sums[1] / len(pairs), sums[2] / len(pairs), len(pairs)


def count_lists(folder: Path) -> tuple[int, int]:
    """Return how many pages of a folder are taken for publication pages, and of how many."""
    taken = total = 0
    for path in sorted(folder.glob("*.html.gz")):
        regions = extract_records(gzip.decompress(path.read_bytes()), "", "publications")
        total += 1
        taken += not isinstance(regions, Failure) and any(each.fit >= FITS for each in regions)
    return taken, total


def main() -> None:
    """Print all figures."""
    if not GOLD.exists():
        sys.exit("the gold data is not at hand")
    lists = read_people()
    for size in SIZES:
        with patch.object(people, "ONE_PERSON", NEVER):
            alone = measure(lists, size)
        both = measure(lists, size)
        for name, (p, r, f, pairs) in (("co-authors", alone), ("and topics", both)):
            sys.stdout.write(
                f"{size:>3} each, {pairs} pairs, {name}: P {p:.2f} R {r:.2f} F {f:.2f}\n"
            )
    for kind in ("publications", "records"):
        taken, total = count_lists(GOLD / kind / "pages")
        sys.stdout.write(f"taken for publication pages among {kind}: {taken} of {total}\n")


if __name__ == "__main__":
    main()
