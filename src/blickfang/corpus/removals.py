"""What must not be passed on: the removal list, applied to every export and every search.

    # one a line; what follows a # is a comment
    https://example.org/cat.jpg          a picture or a page
    example.org                          a host and all hosts below it
    9f86d081884c7d65                     an id or perceptual hash, 16 hex digits
    9f86d081884c7d65…                    a sha-256, 64 hex digits

In: the text of such a list, or the folder of a corpus, beside which it lies. Out: `Removals`, which
says of each sample whether it goes. A sample goes if its address, its page, its hash or one of the
copies merged into it is listed; of others the mentions on listed pages go. Where corpora are made
one, so are their lists.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from blickfang.corpus.corpus_reader import Corpus
from blickfang.corpus.corpus_writer import LIST
from blickfang.errors import InputError
from blickfang.io.atomic_files import write_text
from blickfang.io.text_files import read_text
from blickfang.io.urls import canonical, host

HASH = re.compile("[0-9a-f]{16}|[0-9a-f]{64}")
HASH_SIZES = (16, 64)
NO_HOST = re.compile(r"[\s/?#@:]")
COMMENT = re.compile(r"(^|\s)#.*")  # a # within an address is part of it
MOST_SHOWN = 5  # mistakes in one message
MOST_WRONG = 1000  # then it is no list of removals, and need not be read to its end
NEEDED = ("id", "url", "sha256", "image_phash", "page_url", "copies", "mentions")
AT_ONCE = 10_000  # samples


@dataclass(frozen=True, slots=True)
class Removals:
    """A removal list, understood."""

    urls: frozenset[str] = frozenset()  # canonical, without their scheme
    hosts: frozenset[str] = frozenset()
    hashes: frozenset[str] = frozenset()

    def __len__(self) -> int:
        return len(self.urls) + len(self.hosts) + len(self.hashes)

    def has_url(self, url: str) -> bool:
        """Whether an address or its host is listed."""
        if self.urls and _without_scheme(canonical(url) or url) in self.urls:
            return True
        return bool(self.hosts) and any(part in self.hosts for part in _host_and_above(host(url)))

    def is_removed(self, row: Mapping[str, Any]) -> bool:
        """Whether a sample goes."""
        hashes = {row["id"], row["sha256"], row["image_phash"]}
        hashes.update(copy["sha256"] for copy in row["copies"] or ())
        if hashes & self.hashes:
            return True
        urls = {row["url"], row["page_url"], *(copy["url"] for copy in row["copies"] or ())}
        return any(self.has_url(url) for url in urls if url)

    def apply(self, batch: Any) -> Any:
        """Return the samples of a record batch that stay, without mentions on listed pages."""
        if not self:
            return batch
        rows = batch.select(NEEDED).to_pylist()
        staying = [not self.is_removed(row) for row in rows]
        mentions = [
            [mention for mention in row["mentions"] or () if not self.has_url(mention["page_url"])]
            for row in rows
        ]
        at = batch.schema.get_field_index("mentions")
        field = batch.schema.field(at)
        cleaned = batch.set_column(at, field, pa.array(mentions, field.type))
        return cleaned.filter(pa.array(staying, pa.bool_()))

    def filter_pages(self, batch: Any) -> Any:
        """Return the pages of a record batch that are not listed."""
        if not self:
            return batch
        staying = [not self.has_url(url) for url in batch.column("url").to_pylist()]
        return batch.filter(pa.array(staying, pa.bool_()))


def find_removed(corpus: Corpus, removals: Removals) -> Iterator[str]:
    """Give the ids of the samples of a corpus that are removed."""
    return (row["id"] for row in read_removed(corpus, removals))


def list_removed(corpus: Corpus) -> frozenset[str]:
    """Return the ids of the samples of a corpus that its own removal lists take down."""
    return frozenset(find_removed(corpus, load_lists(corpus.folder)))


def read_removed(corpus: Corpus, removals: Removals) -> Iterator[dict[str, Any]]:
    """Give the samples of a corpus that are removed, with all that may be listed of them."""
    if not removals:
        return
    for batch in corpus.batches(NEEDED[:-1], AT_ONCE):
        yield from (row for row in batch.to_pylist() if removals.is_removed(row))


def find_lists(folder: Path) -> list[Path]:
    """Return the removal lists of the corpus in a folder: beside it, as in a collection, or in it.

    A folder may be named by a link, and be one: what was taken down is so by every name.
    """
    named = (folder.absolute(), folder.resolve())
    places = (place / LIST for name in named for place in (name.parent, name))
    there = {p.resolve(): p for p in places if p.exists() or p.is_symlink()}  # a lost one is told
    return list(there.values())


def describe_lists(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """Return what changes whenever the removal lists of the corpus in a folder do."""
    states = [(str(path), path.stat()) for path in find_lists(folder) if path.exists()]
    return tuple((name, state.st_mtime_ns, state.st_size) for name, state in states)


def load_lists(folder: Path) -> Removals:
    """Return what all removal lists of the corpus in a folder say."""
    return unite_removals([load_removals(path) for path in find_lists(folder)])


def unite_removals(lists: Sequence[Removals]) -> Removals:
    """Return what any of some removal lists says."""
    return Removals(
        frozenset[str]().union(*(one.urls for one in lists)),
        frozenset[str]().union(*(one.hosts for one in lists)),
        frozenset[str]().union(*(one.hashes for one in lists)),
    )


def read_lists(folder: Path) -> str | None:
    """Return the removal lists of the corpus in a folder as one text; None where there is none."""
    texts = {str(place): read_text(place) for place in find_lists(folder)}
    for name, text in texts.items():
        parse_removals(text, name)
    return join_lists(texts) if len(texts) > 1 else next(iter(texts.values()), None)


def carry_lists(folders: Iterable[Path], path: Path) -> Removals:
    """Write the removal lists of some corpora as one into a file, if there are any; return it."""
    paths = {place.resolve(): place for folder in folders for place in find_lists(folder)}
    texts = {str(place): read_text(place) for place in paths.values()}
    for name, text in texts.items():
        parse_removals(text, name)  # here the mistake is in the file that the message names
    if not texts:
        return Removals()
    joined = join_lists(texts)
    write_text(path, joined)
    return parse_removals(joined, str(path))


def join_lists(texts: Mapping[str, str]) -> str:
    """Return removal lists, by their names, as one: every entry once, below the first who has it.

    Comments stay, also those said twice, for they are about what follows; but a list that says
    nothing new is left out.
    """
    lines: list[str] = []
    seen: set[str] = set()
    for name, text in texts.items():
        ours = [line.rstrip() for line in text.splitlines()]
        if seen.issuperset(ours):
            continue
        shown = " ".join(name.split()).encode(errors="replace").decode()  # names may be no text
        lines.append(f"# from {shown}")
        for line in ours:
            if line not in seen or not line or line.lstrip().startswith("#"):
                lines.append(line)
            seen.add(line)
    return "\n".join(lines) + "\n"


def load_removals(path: Path) -> Removals:
    """Return the removal list in a file."""
    return parse_removals(read_text(path), str(path))


def parse_removals(text: str, name: str = LIST) -> Removals:
    """Return the removal list in a text; `name` is for messages."""
    found: dict[str, set[str]] = {"urls": set(), "hosts": set(), "hashes": set()}
    wrong: dict[str, str] = {}
    lines = text.splitlines()
    for line in dict.fromkeys(lines):  # lists of others say the same many times
        entry = (COMMENT.sub("", line) if "#" in line else line).strip()
        if not entry:
            continue
        for kind, read in READERS.items():
            value = read(entry)
            if value is not None:
                found[kind].add(value)
                break
        else:
            wrong[line] = entry
            if len(wrong) == MOST_WRONG:
                break
    if wrong:
        raise InputError(
            f"{name} has lines that are no address (with https://), host or hash: "
            f"{_list_wrong(lines, wrong)}"
        )
    return Removals(**{kind: frozenset(values) for kind, values in found.items()})


def _list_wrong(lines: list[str], wrong: dict[str, str]) -> str:
    """Return the first lines that are wrong, and how many more there are."""
    numbers = [number for number, line in enumerate(lines, 1) if line in wrong]
    shown = [f"line {n}: {wrong[lines[n - 1]][:100]!r}" for n in numbers[:MOST_SHOWN]]
    least = "at least " if len(wrong) == MOST_WRONG else ""
    left = len(numbers) - MOST_SHOWN
    return "; ".join(shown) + (f" and {least}{left:,} more" if left > 0 else "")


def _read_hash(entry: str) -> str | None:
    return entry.lower() if len(entry) in HASH_SIZES and HASH.fullmatch(entry.lower()) else None


def _read_url(entry: str) -> str | None:
    url = canonical(entry) if entry.lower().startswith(("http://", "https://")) else None
    return _without_scheme(url) if url else None


def _read_host(entry: str) -> str | None:
    """Return a host; one without a dot is more likely a mistake."""
    name = entry.removeprefix("*.").rstrip(".")
    if NO_HOST.search(name.strip("[]")) and not entry.startswith("["):
        return None
    url = canonical(f"http://{name}/") if "." in name or name.startswith("[") else None
    return host(url) if url else None


READERS: dict[str, Callable[[str], str | None]] = {
    "hashes": _read_hash,
    "urls": _read_url,
    "hosts": _read_host,
}


def _without_scheme(url: str) -> str:
    return url.partition(":")[2]  # who asks for https means http too


def _host_and_above(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[start:]) for start in range(len(parts))]
