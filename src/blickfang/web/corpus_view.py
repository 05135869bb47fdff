"""The corpus as the application holds it: open, indexed, with what it can be narrowed down by.

In: a collection. Out: `Shelf`: the index, and for each facet a small number a sample: a page
of any corpus is a few operations on arrays. Rows are those of the index. A corpus that was built
anew is opened anew; what the removal list names is hidden at once.
"""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from blickfang.config import Collection
from blickfang.corpus.corpus_writer import MANIFEST
from blickfang.corpus.search import OpenIndex
from blickfang.corpus.search.prepare_index import prepare_index
from blickfang.io.urls import host
from blickfang.web import annotate
from blickfang.web.annotate import open_store
from blickfang.web.annotate.label_store import FILE as LABELS

Mask = NDArray[np.bool_]
Rows = NDArray[np.int64]

RANKS = (0.8, 0.6, 0.4, 0.2)
SIDES = (1600, 800, 400)
NOTHING = "not stated"
LONGEST_LABEL = 120  # letters; crawled texts may have millions
MORE_COLUMNS = ["id", "score", "context_kind"]


class Facet(NamedTuple):
    """One thing by which samples can be narrowed down."""

    name: str
    title: str
    labels: list[str]
    codes: NDArray[np.int32]  # of each row: a label


class FacetChoice(NamedTuple):
    """A label of a facet, how many have it, and whether it was chosen."""

    label: str
    amount: int
    chosen: bool


@dataclass(slots=True)
class CorpusView:
    """A corpus, open."""

    index: OpenIndex
    facets: dict[str, Facet]
    scores: NDArray[np.float64]  # low is good
    hidden: Mask  # by the removal list
    made_from: float  # when the corpus was built
    labelled_from: float = -2.0  # when somebody last annotated; not looked at yet

    def choose(self, chosen: Mapping[str, Sequence[str]], without: str = "") -> Mask:
        """Return the rows that have one of the labels chosen, in every facet but one."""
        mask = ~self.hidden
        for name, labels in chosen.items():
            facet = self.facets.get(name)
            if facet is None or name == without or not labels:
                continue
            wanted = [code for code, label in enumerate(facet.labels) if label in labels]
            mask &= np.isin(facet.codes, wanted)
        return mask

    def count(
        self, chosen: Mapping[str, Sequence[str]], rows: Rows | None = None
    ) -> list[tuple[Facet, list[FacetChoice]]]:
        """Return each facet with how many have which label: of some rows, or of all chosen."""
        counted = []
        for facet in self.facets.values():
            among = self.choose(chosen, facet.name) if rows is None else rows
            found = np.bincount(facet.codes[among], minlength=len(facet.labels)).tolist()
            picked = set(chosen.get(facet.name, ()))
            choices = [
                FacetChoice(label, count, label in picked)
                for label, count in zip(facet.labels, found, strict=True)
                if count or label in picked
            ]
            if facet.name in ("host", "language", "licence", "kind"):
                choices.sort(key=lambda choice: (not choice.chosen, -choice.amount, choice.label))
            counted.append((facet, choices))
        return counted

    def order(self, mask: Mask, by: str) -> Rows:
        """Return the rows of a mask: best rank first, or as `by` says."""
        ranked = self.index.ranked[mask[self.index.ranked]]
        if by == "score":
            keys = np.nan_to_num(self.scores[ranked], nan=np.inf)
        elif by == "size":
            facts = self.index.facts
            sides = [facts.column(name).to_numpy().astype(np.int64) for name in ("width", "height")]
            keys = -(sides[0] * sides[1])[ranked]
        else:
            return ranked
        return ranked[np.argsort(keys, kind="stable")]

    def rows_of(self, names: Sequence[str]) -> Rows:
        """Return the rows of samples."""
        wanted = np.array([name.encode() for name in names], self.index.ids.dtype)
        return np.searchsorted(self.index.ids, wanted)

    def show(self, rows: Rows) -> list[dict[str, Any]]:
        """Return what a grid shows of some rows."""
        found: list[dict[str, Any]] = self.index.facts.take(rows).to_pylist()
        for fact, score in zip(found, self.scores[rows].tolist(), strict=True):
            fact["score"] = None if np.isnan(score) else score
        return found


class Shelves:
    """Keeps the shelf of a collection up to date, for all who ask at once."""

    def __init__(self, collection: Collection) -> None:
        self.collection = collection
        self.shelf: CorpusView | None = None
        self.lock = threading.Lock()

    def get(self) -> CorpusView:
        """Return the shelf as the corpus and the removal list are now."""
        root = self.collection.root
        with self.lock:
            built = changed_at(root / "corpus" / MANIFEST)
            if self.shelf is None or self.shelf.made_from != built:
                self.shelf = open_shelf(root, built)
            staying = self.shelf.index.mask_staying()
            hidden = np.zeros(len(self.shelf.index), np.bool_) if staying is None else ~staying
            self.shelf.hidden = hidden
            labelled = max(changed_at(path) for path in (root / LABELS, root / f"{LABELS}-wal"))
            if self.shelf.labelled_from != labelled:
                self.shelf.facets["annotated"] = find_annotated(self.shelf.index, root)
                self.shelf.labelled_from = labelled
            return self.shelf


def open_shelf(root: Path, built: float) -> CorpusView:
    """Return the shelf of a collection; its index is built if need be."""
    index = prepare_index(root)
    more = index.corpus.table(MORE_COLUMNS)
    more = more.take(pc.sort_indices(more, [("id", "ascending")]))
    facts = index.facts
    facets = [
        _by_rank(facts.column("rank").to_numpy(zero_copy_only=False)),
        _by_size(facts.column("width").to_numpy(), facts.column("height").to_numpy()),
        _by_text("host", "Host", [host(url or "") for url in facts.column("page_url").to_pylist()]),
        _by_text("language", "Language", facts.column("language").to_pylist()),
        _by_text("licence", "Licence", facts.column("licence").to_pylist()),
        _by_text("kind", "Kind of place", more.column("context_kind").to_pylist()),
    ]
    scores = more.column("score").to_numpy(zero_copy_only=False).astype(np.float64)
    shown = {facet.name: facet for facet in facets}
    return CorpusView(index, shown, scores, np.zeros(len(index), np.bool_), built)


def find_annotated(index: OpenIndex, root: Path) -> Facet:
    """Return by whether somebody has annotated a sample."""
    codes = np.ones(len(index), np.int32)
    if (root / LABELS).exists():
        with open_store(root) as store:
            labels = [
                label
                for asked in annotate.list_tasks(store)
                for label in annotate.list_labels(store, asked.task.name)
            ]
        names = sorted({label.sample.encode() for label in labels if label.category})
        wanted = np.array(names, index.ids.dtype)
        codes[np.isin(index.ids, wanted)] = 0
    return Facet("annotated", "Annotated", ["yes", "no"], codes)


def _by_rank(ranks: NDArray[np.float64]) -> Facet:
    labels = ["0.8 and more", "0.6 to 0.8", "0.4 to 0.6", "0.2 to 0.4", "below 0.2", "unknown"]
    codes = sum((ranks < edge).astype(np.int32) for edge in RANKS)
    return Facet(
        "topic", "Topic rank", labels, np.where(np.isnan(ranks), 5, codes).astype(np.int32)
    )


def _by_size(widths: NDArray[np.int32], heights: NDArray[np.int32]) -> Facet:
    labels = ["1600 px and more", "800 to 1600 px", "400 to 800 px", "below 400 px"]
    longest = np.maximum(widths, heights)
    codes = sum((longest < edge).astype(np.int32) for edge in SIDES)
    return Facet("size", "Longest side", labels, np.asarray(codes, np.int32))


def _by_text(name: str, title: str, values: list[str | None]) -> Facet:
    shown = np.array([(value or NOTHING)[:LONGEST_LABEL] for value in values], dtype=object)
    labels, codes = np.unique(shown.astype(str), return_inverse=True)
    return Facet(name, title, labels.tolist(), codes.astype(np.int32))


def changed_at(path: Path) -> float:
    """Return when a file was changed, -1 if there is none."""
    try:
        return path.stat().st_mtime_ns / 1e9
    except FileNotFoundError:
        return -1.0
