"""Labels that are passed on, without those of samples that were taken down.

In: a collection or a corpus, its desk, a task. Out: the labels as a text for another tool.
"""

from collections.abc import Iterable
from pathlib import Path

from blickfang.annotate import Desk
from blickfang.annotate.selecting import Item
from blickfang.corpus import Corpus, open_corpus
from blickfang.corpus.removals import find_removed, load_lists
from blickfang.errors import InputError


def export_task(root: Path, desk: Desk, name: str, form: str) -> str:
    """Return the labels of a task as tsv, json or labelstudio; nothing of what is removed."""
    return desk.export(name, form, find_withheld(root, desk.items(name)))


def find_withheld(root: Path, items: Iterable[Item]) -> frozenset[str]:
    """Return the samples that are removed: of the corpus, and of items that it has lost since."""
    corpus = _find_corpus(root)
    removals = load_lists(root / "corpus" if corpus is None else corpus.folder)
    listed = {
        item.sample
        for item in items
        if item.sample in removals.hashes or (item.page_url and removals.has_url(item.page_url))
    }
    return frozenset(listed.union(find_removed(corpus, removals) if corpus else ()))


def _find_corpus(root: Path) -> Corpus | None:
    try:
        return open_corpus(root)
    except InputError:
        if (root / "corpus").exists():
            raise  # damaged: who was removed from it is not known
        return None
