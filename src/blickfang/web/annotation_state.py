"""The store and the corpus behind the pages on which people annotate.

In: a collection. Out: `Bureau`: its store, opened when it is first needed; its corpus, opened again
when it was built anew; pictures of samples, made small and kept for a while; what was taken down.
"""

import threading
from pathlib import Path
from typing import NamedTuple

from anyio import CapacityLimiter
from starlette.applications import Starlette

from blickfang.corpus import Corpus, open_corpus
from blickfang.corpus.corpus_writer import MANIFEST
from blickfang.corpus.removals import Removals, describe_lists, load_lists, read_removed
from blickfang.errors import InputError
from blickfang.web import annotate
from blickfang.web.annotate import LabelStore, open_store
from blickfang.web.background_jobs import Lessons
from blickfang.web.corpus_view import changed_at
from blickfang.web.thumbnail_cache import SMALL, Album

SIDE = 1200  # pixels: 600 on a screen with two to a point


class TakenDown(NamedTuple):
    """What the removal lists say, and what that means for the corpus."""

    removals: Removals
    samples: frozenset[str]  # ids
    urls: frozenset[str]  # of these samples and their copies


NOTHING = TakenDown(Removals(), frozenset(), frozenset())


class Bureau:
    """What annotating needs between requests."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.album = Album()
        self.makers: CapacityLimiter | None = None  # of pictures; made where there is a loop
        self._lock = threading.Lock()
        self._store: LabelStore | None = None
        self._corpus: Corpus | None = None
        self._built = 0.0
        self._removing = threading.Lock()
        self._listed: object = None  # how corpus and removal lists were then
        self._taken_down = NOTHING
        self._withdrawn = NOTHING.samples

    def store(self) -> LabelStore:
        """Return the store of the collection; what was removed is asked of nobody."""
        gone = self.removed()
        with self._lock:
            if self._store is None:
                self._store = open_store(self.root)
            if self._withdrawn is not gone:
                annotate.withdraw(self._store, gone)
                self._withdrawn = gone
            return self._store

    def removed(self) -> frozenset[str]:
        """Return the samples that the removal list names."""
        return self._look_up().samples

    def is_withheld(self, url: str) -> bool:
        """Whether an address is listed, or one of a sample that was removed."""
        found = self._look_up()
        return url in found.urls or found.removals.has_url(url)

    def _look_up(self) -> TakenDown:
        """Return what was taken down; lists and corpus are read when they have changed."""
        folder = self.root / "corpus"
        built = changed_at(folder / MANIFEST)
        state = built, describe_lists(folder)
        with self._removing:
            if self._listed != state:
                removals, before = load_lists(folder), self._taken_down
                if built > 0:
                    self._taken_down = _find_samples(self.corpus(), removals)
                else:  # without a corpus there are no samples
                    self._taken_down = before._replace(removals=removals)
                self._listed = state
            return self._taken_down

    def corpus(self) -> Corpus:
        """Return the corpus of the collection as it is now."""
        with self._lock:
            path = self.root / "corpus" / MANIFEST
            built = path.stat().st_mtime if path.exists() else 0.0
            if self._corpus is None or self._built != built:
                self._corpus, self._built = open_corpus(self.root), built
            return self._corpus

    def picture(self, sample: str, *, small: bool = False) -> tuple[bytes, str] | None:
        """Return a sample as a picture with its type; None if it is not in the corpus any more."""
        try:
            corpus = self.corpus()
            if sample in self.removed():
                return None
            return self.album.get(sample, SMALL if small else SIDE, lambda: corpus.image(sample))
        except InputError:
            return None

    def close(self) -> None:
        """Let go of the store."""
        with self._lock:
            if self._store is not None:
                self._store.close()
                self._store = None


def _find_samples(corpus: Corpus, removals: Removals) -> TakenDown:
    samples: set[str] = set()
    urls: set[str] = set()
    for row in read_removed(corpus, removals):
        samples.add(row["id"])
        urls.update((row["url"], *(copy["url"] for copy in row["copies"] or ())))
    return TakenDown(removals, frozenset(samples), frozenset(urls))


def bureau_of(app: Starlette) -> Bureau:
    """Return what annotating needs between requests."""
    found: Bureau = app.state.bureau
    return found


def store_of(app: Starlette) -> LabelStore:
    """Return the store of the collection."""
    return bureau_of(app).store()


def prepare(app: Starlette) -> None:
    """Put what annotating needs into an application."""
    app.state.bureau = Bureau(app.state.collection.root)
    app.state.lessons = Lessons(app)
