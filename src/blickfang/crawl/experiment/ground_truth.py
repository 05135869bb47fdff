"""What is on which topic, as people say: tables of pages and of images.

In: files of tab-separated columns (url or image_url, topic; host, width and height if there are).
Out: `Truth`: the topic of a page (of an address that is not listed, that of its host if all its
pages have one), the topic of an image, and how many there are.
"""

import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from blickfang.errors import InputError, SettingsError
from blickfang.io.text_files import opening
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


MOST_ROWS, MOST_HEAD = 5_000_000, 100_000
SHOWN = 5  # categories by name; the others are one
OTHERS = "others"
NOT_TOLD = "not in the file"


@dataclass(frozen=True, slots=True)
class AddressCategories:
    """Categories of addresses."""

    urls: dict[str, str]
    hosts: dict[str, str]
    on_topic: tuple[str, ...]
    shown: tuple[str, ...]  # those on topic first, then the most frequent ones
    name: str  # of the file

    def find(self, url: str) -> str | None:
        """Return the category of an address, None where the file does not tell."""
        return self.urls.get(url) or self.hosts.get(host_of(url)) or None


def read_truth(path: Path, on_topic: Sequence[str]) -> AddressCategories:
    """Read a file of truth; `on_topic` names the categories that count as on topic."""
    urls: dict[str, str] = {}
    hosts: dict[str, str] = {}
    told: dict[str, str] = {}  # by rows about hosts themselves
    counts: Counter[str] = Counter()
    for url, host, topic in _read_rows(path):
        counts[topic] += 1
        if not url:
            told[host.lower()] = topic
            continue
        known = canonical(url) or url
        urls[known] = topic
        site = host_of(known)
        if hosts.setdefault(site, topic) != topic:
            hosts[site] = ""  # of several topics
    missing = [name for name in on_topic if name not in counts]
    if missing or not on_topic:
        known = ", ".join(name for name, _ in counts.most_common(12))
        asked = f"{path} has no topic {missing[0]!r}" if missing else "name --on-topic"
        raise SettingsError(f"{asked}; the file has: {known}")
    most = [name for name, _ in counts.most_common() if name not in on_topic]
    shown = (*on_topic, *most[: max(0, SHOWN - len(on_topic))])
    return AddressCategories(urls, {**hosts, **told}, tuple(on_topic), shown, path.name)


def _read_rows(path: Path) -> Iterator[tuple[str, str, str]]:
    """Give address, host and topic of every row, "" where there is none."""
    with opening(path) as raw, io.TextIOWrapper(raw, "utf-8-sig", "replace", newline="") as lines:
        head = lines.readline(MOST_HEAD)
        tabs = "\t" in head
        names = [name.strip() for name in head.split("\t" if tabs else ",")]
        if "topic" not in names or not {"url", "host"} & set(names):
            raise InputError(f"{path} needs a head with the columns topic and url (or host)")
        places = [names.index(name) if name in names else -1 for name in ("url", "host", "topic")]
        rows = (
            csv.reader(lines)
            if not tabs
            else csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        )
        try:
            for number, row in enumerate(rows):
                if number >= MOST_ROWS:
                    raise InputError(f"{path} has more than {MOST_ROWS:,} rows")
                cells = [row[at] if 0 <= at < len(row) else "" for at in places]
                yield cells[0], cells[1], cells[2]
        except csv.Error as error:
            raise InputError(f"{path} is no table: {error}") from error
