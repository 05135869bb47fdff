"""The index of a corpus, opened: it knows of which corpus it was made.

In: the folder that `index_builder.py` filled. Out: `Index`. Where there is none, or one of another
corpus, or a damaged one, an `InputError` says what to do. Samples are numbered in the order of
their ids; all parts of the index use these numbers, and "row" means such a number.
"""

import hashlib
import json
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from blickfang.corpus import Corpus
from blickfang.corpus.removals import describe_lists, find_removed, load_lists
from blickfang.corpus.search.clip import Clip
from blickfang.corpus.search.nearest_vectors import Floats, Vectors, open_vectors
from blickfang.corpus.search.query_terms import TermTable
from blickfang.corpus.search.search_options import SearchOptions
from blickfang.corpus.search.semantic_index import Space, open_space
from blickfang.corpus.search.text_index import Mask, TextIndex
from blickfang.corpus.search.visual_index import Measure, open_measure
from blickfang.errors import InputError, MissingError

FORMAT = 3
POINTER = "index.json"
KEPT_MASKS = 16
NOT_WRITABLE = re.compile(r"(code: |os error )(13|30)\b")  # so tantivy says: no right, read-only
REBUILD = "build it again: build_index(corpus, folder)"


@dataclass(slots=True)
class OpenIndex:
    """An index that is open."""

    corpus: Corpus
    options: SearchOptions
    facts: Any  # pa.Table: what hits show
    ids: NDArray[np.bytes_]
    ranked: NDArray[np.int64]  # rows, best rank of the corpus first
    ranks: Floats  # 0 to 1, of the corpus
    text: TextIndex
    terms: TermTable  # those that latent semantic indexing knows
    measure: Measure
    looks: Vectors
    space: Space
    places: Vectors
    strongest: NDArray[np.int32]  # terms of each sample
    seen: Vectors | None  # by CLIP
    clip: Clip | None = None  # loaded when it is needed
    masks: dict[str, Mask] = field(default_factory=dict)
    lists: tuple[tuple[str, int, int], ...] = ()  # of removals, and when each was changed
    staying: Mask | None = None  # which rows no list names; None for all

    def __len__(self) -> int:
        return len(self.ids)

    def row_of(self, name: str) -> int:
        """Return the row of a sample."""
        wanted = name.encode("utf-8", "replace")
        row = int(np.searchsorted(self.ids, wanted))
        if row == len(self.ids) or self.ids[row] != wanted:
            raise MissingError(f"no sample of the corpus has the id {name[:80]!r}")
        return row

    def mask_staying(self) -> Mask | None:
        """Return which rows no removal list of the corpus names; None for all."""
        lists = describe_lists(self.corpus.folder)
        if lists != self.lists:
            gone = list(find_removed(self.corpus, load_lists(self.corpus.folder)))
            staying = ~np.isin(self.ids, np.array(gone, self.ids.dtype))
            self.staying = staying if gone else None
            self.lists = lists  # last: who asks meanwhile finds them changed still
        return self.staying

    def mask_of(self, where: str) -> Mask | None:
        """Return which rows a filter of the corpus lets through; None for all."""
        if not where.strip():
            return None
        if where not in self.masks:
            names = self.corpus.table(["id"], where=where).column("id").to_pylist()
            mask = np.zeros(len(self.ids), np.bool_)
            mask[np.searchsorted(self.ids, np.array(names, self.ids.dtype))] = True
            while len(self.masks) >= KEPT_MASKS:
                self.masks.pop(next(iter(self.masks)))
            self.masks[where] = mask
        return self.masks[where]


def digest_of(corpus: Corpus) -> str:
    """Return what tells a corpus from any other."""
    manifest = json.dumps(corpus.manifest, sort_keys=True, default=str)
    return hashlib.sha256(manifest.encode()).hexdigest()


def is_current(corpus: Corpus, folder: Path, options: SearchOptions | None = None) -> bool:
    """Whether a folder holds an index of this very corpus, and with these options, if given."""
    try:
        pointer = read_pointer(folder)
    except InputError:
        return False
    is_other = options is not None and pointer["options"] != asdict(options)
    return bool(pointer["corpus"] == digest_of(corpus)) and not is_other


def index_folder(corpus: Corpus) -> Path:
    """Return where the index of a corpus belongs: beside it, `search` in a collection."""
    name = corpus.folder.name
    return corpus.folder.with_name("search" if name == "corpus" else f"{name}-search")


def open_index(corpus: Corpus, folder: Path) -> OpenIndex:
    """Return the index of a corpus."""
    pointer = read_pointer(folder)
    if pointer["corpus"] != digest_of(corpus):
        raise InputError(f"the index in {folder} is of an older corpus; {REBUILD}")
    try:
        return _open(corpus, Path(folder) / pointer["name"], SearchOptions(**pointer["options"]))
    except (OSError, ValueError, KeyError, TypeError, pa.ArrowException) as error:
        if read_pointer(folder) != pointer:  # another process has just built a new one
            return open_index(corpus, folder)
        if NOT_WRITABLE.search(str(error)):
            raise InputError(
                f"cannot open the index in {folder}: nothing can be written there, and whoever "
                "searches locks it by a file; copy the folder to another disk"
            ) from error
        raise InputError(f"the index in {folder} is damaged: {error}; {REBUILD}") from error


def read_pointer(folder: Path) -> dict[str, Any]:
    """Return what an index says of itself."""
    path = Path(folder) / POINTER
    try:
        pointer = json.loads(path.read_text(encoding="utf-8"))
        name, known = str(pointer["name"]), pointer["format"]
        if Path(name).name != name or not isinstance(pointer["corpus"], str):
            raise ValueError(name)
    except FileNotFoundError as error:
        raise InputError(f"there is no index in {folder}; {REBUILD}") from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path} is damaged; {REBUILD}") from error
    if known != FORMAT:
        raise InputError(f"{path} has the format {known!r}, this version reads {FORMAT}; {REBUILD}")
    return dict(pointer)


def _open(corpus: Corpus, inside: Path, options: SearchOptions) -> OpenIndex:
    facts = pa.ipc.open_file(pa.memory_map(str(inside / "facts.arrow"))).read_all()
    terms = (inside / "terms.txt").read_text(encoding="utf-8").split()
    index = OpenIndex(
        corpus=corpus,
        options=options,
        facts=facts,
        ids=np.load(inside / "ids.npy", allow_pickle=False),
        ranked=np.load(inside / "ranked.npy", allow_pickle=False),
        ranks=np.nan_to_num(facts.column("rank").to_numpy(), nan=0.0).clip(0, 1).astype(np.float32),
        text=TextIndex(inside / "text"),
        terms=TermTable(options, terms),
        measure=open_measure(inside / "measure.npy"),
        looks=open_vectors(inside / "looks"),
        space=open_space(inside),
        places=open_vectors(inside / "lsi"),
        strongest=np.load(inside / "strongest.npy", allow_pickle=False, mmap_mode="r"),
        seen=open_vectors(inside / "clip") if options.clip_weights else None,
    )
    parts = {len(index.ids), len(index.text), len(facts), len(index.looks.codes)}
    if parts != {len(index.places.codes)} or len(terms) != len(index.space.idf):
        raise InputError(f"the index in {inside.parent} does not fit together; {REBUILD}")
    return index
