"""The gate of the testbed: one collection of all its hosts, and what users do with it.

In: ../shared/testbed. Out: checks; each kind of use is measured in a file of its own.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from blickfang.corpus import open_corpus
from tests.checks import Check
from tests.gates_ranking import check_ranking
from tests.gates_search import check_search
from tests.testbed import make_collection
from tests.walk import walk


def check_testbed(folder: Path, floors: dict[str, float]) -> Iterator[Check]:  # noqa: ARG001
    """Crawl the testbed, build its corpus, and use it."""
    with tempfile.TemporaryDirectory() as name:
        collection = make_collection(Path(name) / "testbed")
        samples = len(open_corpus(collection.root / "corpus"))
        yield Check("samples", samples, floors["samples"], at_least=True)
        yield from walk(collection, floors)
        yield from check_ranking(collection, floors)
        yield from check_search(collection.root, floors)
