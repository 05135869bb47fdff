"""What is true of pages, from a file: which of them are on the topic.

In: a table with a head (tabs or commas) that has a column `topic` and a column `url`, `host` or
both. Out: `Truth`: the category of an address: that of its own row, else of its host, where a row
says so or all listed pages of that host agree.
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
