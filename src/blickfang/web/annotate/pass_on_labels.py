"""Labels that are passed on, without those of samples that were taken down.

In: a collection or a corpus, its store, a task. Out: the labels as a text for another tool, and for
Label Studio the pictures as files: its local storage shows them by their path.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from blickfang.corpus import Corpus, open_corpus
from blickfang.corpus.export.mirror import file_extension
from blickfang.corpus.removals import find_removed, load_lists
from blickfang.errors import InputError
from blickfang.io.storage import write_bytes
from blickfang.web import annotate
from blickfang.web.annotate import LabelStore
from blickfang.web.annotate.item_selection import TaskItem

LABEL_STUDIO = "labelstudio"
LOCAL_FILES = "/data/local-files/?d="  # of Label Studio; a path below its document root follows
PICTURES = "images"  # the folder beside the tasks, also that of `export --to jsonl`


def export_task(root: Path, store: LabelStore, name: str, form: str) -> str:
    """Return the labels of a task as tsv, json or labelstudio; nothing of what is removed."""
    withheld = find_withheld(root, annotate.list_items(store, name))
    pictures: dict[str, str] = {}
    if form == LABEL_STUDIO:
        corpus = _find_corpus(root)
        for sample, file, url in _list_pictures(corpus, store, name):
            pictures[sample] = LOCAL_FILES + file if corpus and corpus.has_images else url
    return annotate.export_labels(store, name, form, withheld, pictures)


def write_pictures(root: Path, store: LabelStore, name: str, folder: Path) -> tuple[int, int]:
    """Write the pictures of a task where Label Studio looks for them, seen from a folder.

    Returns how many there are, and how many the corpus does not hold any more. Those of a corpus
    without pictures stay on the web.
    """
    items = annotate.list_items(store, name)
    withheld = find_withheld(root, items)
    corpus = _find_corpus(root)
    wanted = {item.sample for item in items} - withheld
    pictures = [entry for entry in _list_pictures(corpus, store, name) if entry[0] in wanted]
    if corpus and corpus.has_images:
        (folder / PICTURES).mkdir(parents=True, exist_ok=True)
        for sample, file, _ in pictures:
            write_bytes(folder / file, corpus.image(sample))
    return len(pictures), len(wanted) - len(pictures)


def _list_pictures(
    corpus: Corpus | None, store: LabelStore, name: str
) -> Iterator[tuple[str, str, str]]:
    """Yield sample, file and address of the pictures of a task that a corpus holds."""
    wanted = {item.sample for item in annotate.list_items(store, name)}
    for batch in corpus.batches(["id", "format", "url"]) if corpus else ():
        for row in batch.to_pylist():
            if row["id"] in wanted:
                file = f"{PICTURES}/{row['id']}.{file_extension(row['format'] or '')}"
                yield row["id"], file, row["url"] or ""


def find_withheld(root: Path, items: Iterable[TaskItem]) -> frozenset[str]:
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
