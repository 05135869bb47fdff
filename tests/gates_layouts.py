"""The gate of layouts: one list of publications in many styles, as the command reads them.

In: a folder of pages, each with a JSON file of what is on it. Out: figures: F of publications whose
title and authors are all right, as means over pages; the share of years and venues.
"""

import csv
import json
import re
import tempfile
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from typer.testing import CliRunner

from blickfang.cli import app

WORDS = re.compile(r"[^\W\d_]+")


class Score(NamedTuple):
    """What was found on a page: F, and which share of its publications has the right field."""

    f: float
    year: float
    venue: float


def fold(text: str) -> str:
    """Return a text as words in small letters."""
    return " ".join(re.findall(r"\w+", unicodedata.normalize("NFC", text.lower())))


def is_same_author(gold: str, found: str) -> bool:
    """Whether a name is that of the gold: all last names, and first names or their initials."""
    if re.search(r"\d", found):
        return False
    names = [word.lower() for word in WORDS.findall(re.sub(r"['’]", "", gold))]
    given = [
        letter
        for word in WORDS.findall(re.sub(r"['’]", "", found))
        for letter in (word.lower() if len(word) <= 3 and word.isupper() else [word.lower()])
    ]
    if sorted(names) == sorted(given) or sorted(names) == sorted(fold(found).split()):
        return True
    long = [word for word in given if len(word) > 1]
    if not long or any(word not in names for word in long):
        return False
    for word in long:
        names.remove(word)
    return sorted(name[0] for name in names) == sorted(word for word in given if len(word) == 1)


def are_authors(gold: dict[str, Any], own: str, found: list[str]) -> bool:
    """Whether all authors are right; a page may leave out the person whose page it is."""
    lists = [gold["authors"], [name for name in gold["authors"] if not own or name != own]]
    return any(
        len(names) == len(found) and all(map(is_same_author, names, found)) for names in lists
    )


def score_page(gold: dict[str, Any], rows: list[dict[str, str]]) -> Score:
    """Return what the rows of a page are worth."""
    left, right, years, venues = list(rows), 0, 0, 0
    for entry in gold["pubs"]:
        row = next((row for row in left if fold(row["title"]) == fold(entry["title"])), None)
        if row is None:
            continue
        left.remove(row)
        names = [name for name in row["authors"].split("; ") if name]
        right += are_authors(entry, gold["own"], names)
        years += row["year"] == entry["year"]
        venues += fold(entry["venue"]) in fold(row["venue"])
    total = len(gold["pubs"])
    return Score(2 * right / (len(rows) + total), years / total, venues / total)


def measure_layouts(folder: Path) -> Iterator[tuple[str, float]]:
    """Yield the figures of what the command writes for all pages of a folder."""
    names = sorted(path.stem for path in folder.glob("*.json"))
    with tempfile.TemporaryDirectory() as output:
        pages = [str(folder / f"{name}.html") for name in names]
        CliRunner().invoke(app, ["records", *pages, "--as", "publications", "-o", output])
        scores = []
        for name in names:
            file = Path(output) / f"{name}.csv"
            text = file.read_text(encoding="utf-8") if file.exists() else ""
            gold = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
            scores.append(score_page(gold, list(csv.DictReader(text.splitlines()))))
    for field in Score._fields:
        value = sum(getattr(score, field) for score in scores) / max(len(scores), 1)
        yield f"layouts, {'title and authors' if field == 'f' else field}", value
    yield "layouts, pages without anything", sum(score.f == 0 for score in scores)
