"""What is on which topic, as people say: tables of pages and of images.

In: files of tab-separated columns (url or image_url, topic; host, width and height if there are).
Out: `Truth`: the topic of a page (of an address that is not listed, that of its host if all its
pages have one), the topic of an image, and how many there are.
"""

import csv
from collections.abc import Iterator
from pathlib import Path

from blickfang.errors import InputError
from blickfang.io.urls import canonical
from blickfang.io.urls import host as host_of

MOST_CHARACTERS = 10_000_000  # of one cell: csv has a limit of its own, which is too low for pages


class TopicTruth:
    """The topics of pages and images."""

    def __init__(self, pages: Path | None, images: Path | None, min_side: int = 0) -> None:
        self.pages: dict[str, str] = {}
        self.images: dict[str, str] = {}
        self.hosts: dict[str, str] = {}  # "" where pages differ
        for url, row in _read(pages) if pages else ():
            self.pages[url] = row["topic"]
            host = host_of(url)
            same = self.hosts.setdefault(host, row["topic"]) == row["topic"]
            self.hosts[host] = row["topic"] if same else ""
        for url, row in _read(images) if images else ():
            if _is_large(row, min_side):
                self.images[url] = row["topic"]

    def topic_of(self, url: str) -> str:
        """Return the topic of a page, "" if nobody knows."""
        return self.pages.get(url) or self.hosts.get(host_of(url), "")

    def count_pages(self, topic: str) -> int:
        """Return how many pages are on a topic."""
        return sum(found == topic for found in self.pages.values())

    def count_images(self, topic: str) -> int:
        """Return how many images are on a topic."""
        return sum(found == topic for found in self.images.values())


def _is_large(row: dict[str, str], min_side: int) -> bool:
    """Whether both sides of an image are long enough; those that are not stated are."""
    sides = [row[name] for name in ("width", "height") if row.get(name)]
    return all(side.isdecimal() and int(side) >= min_side for side in sides)


def _read(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    csv.field_size_limit(MOST_CHARACTERS)
    try:
        with path.open(newline="", encoding="utf-8-sig") as lines:
            rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
            names = rows.fieldnames or []
            key = next((name for name in ("image_url", "url") if name in names), None)
            if key is None or "topic" not in names:
                raise InputError(f"{path} needs the columns url and topic, tab-separated")
            for row in rows:
                url = canonical(row[key] or "")
                if url is not None and row["topic"]:
                    yield url, row
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"cannot read {path}: {error}") from error
