"""Research on the gold pages: lists found by name, whose they are, people of one name apart.

In: the pages of ../shared/records-gold, all in one index. Out: for the most frequent author of each
publication page the rank of that page, and how many titles are found; how many pages of other kinds
are taken for lists of publications; B-cubed precision, recall and F for all pairs of people who are
given one name: by co-authors alone, with topics, and with the knowledge of two own lists.

    python -m benchmarks.research
"""

import csv
import gzip
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from blickfang.corpus.search.page_index import PAGE, ArchivedText, PageTexts, PageTextWriter
from blickfang.html import read_page
from blickfang.records import extract_records
from blickfang.records.extract import FITS
from blickfang.records.persons import Publication, disambiguate, parse_name, separate_people
from blickfang.records.persons.person_pages import read_sighting
from blickfang.records.persons.publication_merging import title_key
from blickfang.records.persons.research_sources import find_local
from blickfang.types import Failure

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


def measure(
    lists: dict[str, list[Publication]], size: int, *, own: bool = False
) -> tuple[float, float, float, int]:
    """Return mean precision, recall and F over all pairs of people, and how many pairs."""
    chance = random.Random(1)  # noqa: S311
    person = parse_name(NAME)
    sums = [0.0, 0.0, 0.0]
    pairs = list(combinations(sorted(lists), 2))
    for one, other in pairs:
        chosen = [
            (name, each._replace(owned=(name,)) if own else each)
            for name in (one, other)
            for each in chance.sample(lists[name], min(size, len(lists[name])))
        ]
        numbers = separate_people([each for _, each in chosen], person)
        precision, recall = rate([name for name, _ in chosen], numbers)
        f = 2 * precision * recall / (precision + recall)
        sums = [a + b for a, b in zip(sums, (precision, recall, f), strict=True)]
    return sums[0] / len(pairs), sums[1] / len(pairs), sums[2] / len(pairs), len(pairs)


class Found(NamedTuple):
    """What was found of somebody on a page: its rank, and titles."""

    rank: int  # 0: not found
    listed: int  # publications that the page lists of the person
    right: int  # of these, found
    taken: int  # publications that were found
    true: int  # of these, on the page in these words


def read_gold(name: str) -> list[dict[str, str]]:
    """Return the publications of a gold page."""
    path = GOLD / "publications" / "gold" / f"{name}.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def choose_owner(rows: Sequence[dict[str, str]]) -> str:
    """Return the most frequent author as written out most fully."""
    names = Counter(name for row in rows for name in row["authors"].split("; ") if name)
    lasts = Counter(parse_name(name).last for name in names.elements())
    most = lasts.most_common(1)[0][0]
    spelled = [name for name, _ in names.most_common() if parse_name(name).last == most]
    return max(spelled, key=lambda name: len(parse_name(name).first.split(" ")[0].strip(".")) > 1)


def look_for_owner(name: str, body: bytes, index: PageTexts) -> Found:
    """Return what is found of the owner of a page."""
    rows = read_gold(name)
    person = parse_name(choose_owner([row for row in rows if row["status"] == "gold"]))
    url = f"http://publications.test/{name}"
    ranked = find_local(index, person, 40)
    page, regions = read_page(body, url=url), extract_records(body, url, "publications")
    if isinstance(page, Failure) or isinstance(regions, Failure):
        raise SystemExit(f"{name} cannot be read")
    found = {title_key(each.title) for each in read_sighting(page, regions, person).found}
    theirs = [
        title_key(row["title"])
        for row in rows
        if row["status"] == "gold"
        and any(parse_name(author).last == person.last for author in row["authors"].split("; "))
    ]
    known = {title_key(row["title"]) for row in rows}
    rank = ranked.index(url) + 1 if url in ranked else 0
    return Found(rank, len(theirs), sum(t in found for t in theirs), len(found), len(found & known))


def measure_pages() -> None:
    """Print ranks, titles found, and pages taken for lists of publications."""
    bodies = {
        (kind, path.name.partition(".")[0]): gzip.decompress(path.read_bytes())
        for kind in ("publications", "records")
        for path in sorted((GOLD / kind / "pages").glob("*.html.gz"))
    }
    with tempfile.TemporaryDirectory() as folder:
        writer = PageTextWriter(Path(folder) / "index")
        for (kind, name), body in bodies.items():
            page = read_page(body)
            if not isinstance(page, Failure):
                writer.add(
                    ArchivedText(f"http://{kind}.test/{name}", PAGE, "", page.title, page.text)
                )
        writer.finish()
        index = PageTexts(Path(folder) / "index")
        lists = [name for kind, name in bodies if kind == "publications"]
        found = [look_for_owner(name, bodies["publications", name], index) for name in lists]
    first = sum(each.rank == 1 for each in found)
    total = Found(*map(sum, zip(*found, strict=True)))
    say(f"own page first among {len(bodies)}: {first} of {len(found)}")
    say(f"titles of the person found: {total.right} of {total.listed}")
    say(f"what was found is a title of the page: {total.true} of {total.taken}")
    for wanted in ("publications", "records"):
        pages = [body for (kind, _), body in bodies.items() if kind == wanted]
        say(f"taken for lists of publications among {wanted}: {count_lists(pages)} of {len(pages)}")


def count_lists(pages: Sequence[bytes]) -> int:
    """Return how many pages are taken for lists of publications."""
    regions = (extract_records(body, "", "publications") for body in pages)
    found = (each for each in regions if not isinstance(each, Failure))
    return sum(any(region.fit >= FITS for region in each) for each in found)


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    """Print all figures."""
    if not GOLD.exists():
        sys.exit("the gold data is not at hand")
    measure_pages()
    lists = read_people()
    for size in SIZES:
        with patch.object(disambiguate, "ONE_PERSON", NEVER):
            alone = measure(lists, size)
        both = measure(lists, size)
        known = measure(lists, size, own=True)
        rows = (("co-authors", alone), ("and topics", both), ("and own lists", known))
        for name, (p, r, f, pairs) in rows:
            say(f"{size:>3} each, {pairs} pairs, {name}: P {p:.2f} R {r:.2f} F {f:.2f}")


if __name__ == "__main__":
    main()
