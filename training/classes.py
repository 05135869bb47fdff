"""Learn the built-in classes of publications: python -m training.classes FOLDER

In: a folder with authors.tsv.gz (count, first, last), titles.txt.gz, venues.tsv.gz (acronym, name),
and booktitles.txt.gz (count, title). Out: the file of word weights that `blickfang.records` reads.
"""

import argparse
import gzip
import sys
from pathlib import Path

from blickfang.records.attribute_classes import BUILT_IN, learn_classes, save_classes

WORDS = 1200  # of each class
YEARS = range(1960, 2031)


def read_lines(path: Path) -> list[list[str]]:
    """Return the fields of the lines of a compressed file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [line.rstrip("\n").split("\t") for line in lines]


def read_background(folder: Path) -> dict[str, list[str]]:
    """Return the examples of each class."""
    venues = [row[-1] for row in read_lines(folder / "venues.tsv.gz")]
    titles = [row[-1] for row in read_lines(folder / "booktitles.txt.gz")]
    return {
        "authors": [" ".join(row[1:]) for row in read_lines(folder / "authors.tsv.gz")],
        "title": [row[-1] for row in read_lines(folder / "titles.txt.gz")],
        "venue": venues + titles,
        "year": [str(year) for year in YEARS],
    }


def main() -> int:
    """Learn and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    save_classes(learn_classes(read_background(parser.parse_args().folder), WORDS), BUILT_IN)
    return 0


if __name__ == "__main__":
    sys.exit(main())
