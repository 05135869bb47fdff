"""Where a comparison goes: JSON for programs, a page for people, a table for the terminal.

In: a `Comparison`. Out: OUT/comparison.json and OUT/comparison.html, both whole or not there.
"""

import json
from dataclasses import asdict
from pathlib import Path

from blickfang.io.atomic_files import write_text
from blickfang.lab.page import tell, write_page
from blickfang.lab.summary import Comparison, MeanAndSpread

HEADS = ("web", "way", "crawls", "pages", "of oracle", "images", "of oracle", "by score", "s")


def write_comparison(comparison: Comparison, title: str, folder: Path) -> None:
    """Write a comparison as JSON and as a page."""
    text = json.dumps(asdict(comparison), indent=1, ensure_ascii=False)
    write_text(folder / "comparison.json", text + "\n")
    write_text(folder / "comparison.html", write_page(title, comparison))


def tabulate(comparison: Comparison) -> tuple[list[str], list[list[str]]]:
    """Return the heads and rows of a table: ways by web, and pages by topic."""
    topics = list(dict.fromkeys(name for line in comparison.lines for name in line.topics))
    rows = [
        [
            line.web,
            line.way,
            str(line.crawls),
            tell(line.pages),
            tell(MeanAndSpread(line.share, None)),
            tell(line.images),
            tell(MeanAndSpread(line.share_images, None)),
            tell(line.by_score),
            f"{line.seconds:.1f}",
            *(tell(line.topics.get(name, MeanAndSpread(None, None))) for name in topics),
        ]
        for line in comparison.lines
    ]
    return [*HEADS, *topics], rows
