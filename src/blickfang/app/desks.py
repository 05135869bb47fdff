"""The desk and the corpus behind the pages on which people annotate.

In: a collection. Out: `Bureau`: its desk, opened when it is first needed; its corpus, opened again
when it was built anew; pictures of samples, made small and kept for a while.
"""

import threading
from pathlib import Path

from anyio import CapacityLimiter
from starlette.applications import Starlette

from blickfang.annotate import Desk, open_desk
from blickfang.app.pictures import SMALL, Album
from blickfang.app.shelf import changed_at
from blickfang.app.teaching import Lessons
from blickfang.corpus import Corpus, open_corpus
from blickfang.corpus.removals import describe_lists, find_removed, load_lists
from blickfang.corpus.writing import MANIFEST
from blickfang.errors import InputError

SIDE = 1200  # pixels: 600 on a screen with two to a point


class Bureau:
    """What annotating needs between requests."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.album = Album()
        self.makers: CapacityLimiter | None = None  # of pictures; made where there is a loop
        self._lock = threading.Lock()
        self._desk: Desk | None = None
        self._corpus: Corpus | None = None
        self._built = 0.0
        self._removing = threading.Lock()
        self._listed: object = None  # how corpus and removal lists were then
        self._removed = self._withdrawn = frozenset[str]()

    def desk(self) -> Desk:
        """Return the desk of the collection; what was removed is asked of nobody."""
        gone = self.removed()
        with self._lock:
            if self._desk is None:
                self._desk = open_desk(self.root)
            if self._withdrawn is not gone:
                self._desk.withdraw(gone)
                self._withdrawn = gone
            return self._desk

    def removed(self) -> frozenset[str]:
        """Return the samples that the removal list names; it is read when it has changed."""
        folder = self.root / "corpus"
        built = changed_at(folder / MANIFEST)
        state = built, describe_lists(folder)
        with self._removing:
            if built > 0 and self._listed != state:  # without a corpus there are no samples
                self._removed = frozenset(find_removed(self.corpus(), load_lists(folder)))
                self._listed = state
            return self._removed

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
        """Let go of the desk."""
        with self._lock:
            if self._desk is not None:
                self._desk.close()
                self._desk = None


def bureau_of(app: Starlette) -> Bureau:
    """Return what annotating needs between requests."""
    found: Bureau = app.state.bureau
    return found


def desk_of(app: Starlette) -> Desk:
    """Return the desk of the collection."""
    return bureau_of(app).desk()


def prepare(app: Starlette) -> None:
    """Put what annotating needs into an application."""
    app.state.bureau = Bureau(app.state.collection.root)
    app.state.lessons = Lessons(app)
