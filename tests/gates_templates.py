"""Main texts that are a template's, and those in another frame: `python -m tests.gates_templates`.

On real pages: documentation of 2009 and 2012 in the layout of the ClueWebs, and hosts of the
testbed, unpacked to folders. What is counted is what the commands write.
"""

import html
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from blickfang.dedupe import run_dedupe as dedupe_run_dedupe
from blickfang.dedupe.compare import run_comparison as compare_run_comparison
from blickfang.io.storage import as_place
from blickfang.web.report import write_comparison as report_write_comparison
from tests.checks import Check
from tests.gates_compare import in_silence

SHARED = Path(__file__).parent.parent.parent / "shared"
STUDY = SHARED / "audits" / "files" / "study-001"
SHOWN = re.compile(r"</h3><pre[^>]*>(.*?)</pre>", re.DOTALL)
TAG = re.compile("<[^>]+>")
TOKEN = re.compile(r"\w+")
NEAR = 0.9
SHEET = 1000  # pairs: all of them


def unpack(host: str, out: Path) -> Path:
    """Return a folder with the pages of a host of the testbed."""
    shutil.unpack_archive(SHARED / "testbed" / f"{host}.tar.xz", out / host)
    return out / host


def link(files: Sequence[Path], out: Path, root: Path) -> Path:
    """Return a folder with some pages of another one, under the same names."""
    for file in files:
        place = out / file.relative_to(root)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(file)
    return out


def compare(sources: Sequence[Path], out: Path, qrels: Sequence[Path] = (), sample: int = 0) -> Any:
    """Return the figures of a comparison."""
    how = compare_run_comparison.Comparing(sample=sample)
    a, b = (as_place(str(source)) for source in sources)
    return report_write_comparison.compare(a, b, out, how, None, qrels, in_silence)[0]


def read_pairs(out: Path) -> list[dict[str, Any]]:
    """Return the pairs that a comparison has found."""
    return [json.loads(line) for line in (out / "pairs.jsonl").open(encoding="utf-8")]


def dedupe(source: Path) -> dict[str, Any]:
    """Return the figures of near-duplicates by main text."""
    copies = dedupe_run_dedupe.find_copies(
        [source], dedupe_run_dedupe.DuplicateCriteria(main_text=True)
    )
    return dedupe_run_dedupe.summarise_copies(copies)


def shingles(text: str) -> set[tuple[str, ...]]:
    """Return the shingles of a text."""
    words = TOKEN.findall(text.lower())
    return {tuple(words[i : i + 3]) for i in range(max(1, len(words) - 2))}


def count_misleading(out: Path) -> int:
    """Return how many pairs of a sheet show texts that are more alike than what was measured."""
    wrong = 0
    sheet = (out / "sample.html").read_text(encoding="utf-8")
    rows = (out / "sample.tsv").read_text(encoding="utf-8").splitlines()[1:]
    for row, section in zip(rows, sheet.split("<section")[1:], strict=True):
        main = float(row.split("\t")[4])
        shown = SHOWN.findall(section)
        if any("more characters" in text for text in shown):
            continue
        a, b = (shingles(html.unescape(TAG.sub("", text))) for text in shown)
        wrong += len(a & b) / max(1, len(a | b)) > main + 0.02
    return wrong


def check_recipes(folder: Path) -> Iterator[Check]:
    """Recipes of one host, whose footers are taken for their main texts."""
    root = unpack("foodrecipes.test", folder)
    pages = sorted(root.rglob("*.html"))
    facts = dedupe(link(pages, folder / "recipes", root))
    yield Check("recipes taken for copies by main text", facts["copies"], 0)
    halves = [link(pages[n::2], folder / f"half-{n}", root) for n in (0, 1)]
    facts = compare(halves, folder / "halves")
    yield Check("pairs of different recipes in two folders", facts["near_duplicates"], 0)


def check_frames(folder: Path, floors: dict[str, float]) -> Iterator[Check]:
    """The same lists in the frames of two languages, on one host, without addresses."""
    root = unpack("netmedia.test", folder)
    pages = sorted((root / "en" / "Publikationen").rglob("*.html"))
    english = link(pages, folder / "english", root / "en")
    others = [root / page.relative_to(root / "en") for page in pages]
    german = link([page for page in others if page.exists()], folder / "german", root)
    compare((english, german), folder / "frames")
    found = {row["a"] for row in read_pairs(folder / "frames") if row["a"] == row["b"]}
    name = "lists found in another frame"
    yield Check(name, len(found), floors[name], at_least=True)


def check_cluewebs(study: Path, folder: Path, floors: dict[str, float]) -> Iterator[Check]:
    """Documentation of two years: class pages, indexes, judgements."""
    for later in ("f12", "f12b"):
        facts = compare((study / "f09", study / later), folder / later, [study / "f.q"])
        yield Check(f"{later}: judgements carried to others", facts["judgements_carried"], 0)
    facts = dedupe(study / "cw12")
    for key in ("copies", "largest_cluster"):
        yield Check(f"by main text: {key}", facts[key], floors[f"by main text: {key}"])
    out = folder / "cluewebs"
    compare((study / "cw09", study / "cw12"), out, sample=SHEET)
    pairs = read_pairs(out)
    indexes = [row for row in pairs if row["main"] >= NEAR and row["all"] < 0.5]
    yield Check("pairs by main text with little in common", len(indexes), 0)
    moved = [row for row in pairs if row["main"] >= NEAR > row["all"]]
    name = "pairs by main text only"
    yield Check(name, len(moved), floors[name], at_least=True)
    yield Check("pairs whose sheet misleads", count_misleading(out), 0)


def check_templates(study: Path, floors: dict[str, float]) -> Iterator[Check]:
    """Count what is invented, and what must be found."""
    with tempfile.TemporaryDirectory() as name:
        yield from check_recipes(Path(name))
        yield from check_frames(Path(name), floors)
        yield from check_cluewebs(study, Path(name), floors)


if __name__ == "__main__":
    limits = json.loads((Path(__file__).parent / "floors.json").read_text(encoding="utf-8"))
    for check in check_templates(STUDY, limits["audits/files/study-001"]["limits"]):
        sys.stdout.write(f"{check.name}: {check.value:g}\n")
