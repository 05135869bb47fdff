"""A small corpus of drawn motifs with its index, made once."""

from pathlib import Path

import pytest

from blickfang.corpus import Corpus, Origin, open_corpus, write_corpus
from blickfang.corpus.pictures import read_picture
from blickfang.corpus.search import OpenIndex, build_index, open_index
from blickfang.types import Picture
from tests.corpus.samples import make_rows, table_of

COUNT = 64  # eight of each motif


def write_motifs(folder: Path, count: int = COUNT, seed: int = 0) -> Corpus:
    """Write a corpus of drawn motifs with real visual features."""
    rows = make_rows(count, seed)
    for row in rows:
        picture = read_picture(row["url"], row["image"]["bytes"])
        assert isinstance(picture, Picture)
        row["looks"] = picture.looks.tolist()
    write_corpus(folder / "corpus", table_of(rows).to_batches(10), origin=Origin())
    return open_corpus(folder)


@pytest.fixture(scope="session")
def motifs(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return write_motifs(tmp_path_factory.mktemp("motifs"))


@pytest.fixture(scope="session")
def index(motifs: Corpus) -> OpenIndex:
    folder = motifs.folder.parent / "search"
    build_index(motifs, folder)
    return open_index(motifs, folder)
