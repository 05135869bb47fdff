"""A corpus in the forms that others read: whole, or not at all.

In: a corpus, a form by its name, an empty folder. Out: the folder, filled in one step. The removal
list is applied to every form.
"""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from blickfang.corpus.corpus_reader import Corpus
from blickfang.corpus.export.interleaved import export_interleaved
from blickfang.corpus.export.mirror import export_files
from blickfang.corpus.export.parquet_jsonl import export_hf, export_jsonl, export_parquet
from blickfang.corpus.export.selection import Advance, ExportSelection
from blickfang.corpus.export.webdataset import export_webdataset
from blickfang.corpus.filter_expression import nearest_name
from blickfang.corpus.removals import Removals, load_lists, load_removals, unite_removals
from blickfang.errors import InputError, SettingsError
from blickfang.io.atomic_files import refuse_full_folder, replacing_folder

__all__ = ["FORMS", "Exported", "export_corpus"]

FORMS: dict[str, Callable[[ExportSelection, Path], None]] = {
    "webdataset": export_webdataset,
    "parquet": export_parquet,
    "hf": export_hf,
    "files": export_files,
    "jsonl": export_jsonl,
    "interleaved": export_interleaved,
}


class Exported(NamedTuple):
    """What became of the samples of a corpus."""

    kept: int
    filtered: int  # dropped by the filter
    removed: int  # dropped by the removal list
    unplaced: int = 0  # without a place in the text of a page, which `interleaved` needs


def export_corpus(
    corpus: Corpus,
    to: str,
    out: str | Path,
    *,
    with_bytes: bool = True,
    where: str = "",
    removals: Removals | Path | None = None,
    advance: Advance | None = None,
    only: frozenset[str] | None = None,
) -> Exported:
    """Write a corpus to an empty folder in one of `FORMS`; return what became of its samples.

    `removals` is a removal list, or the file of one, besides those that lie with the corpus, which
    always hold; `only` the ids to choose from.
    """
    if to not in FORMS:
        hint = nearest_name(to, FORMS)
        raise SettingsError(f"there is no export to {to!r}; choose {', '.join(FORMS)}{hint}")
    folder = Path(out)
    if folder.resolve().is_relative_to(corpus.folder.resolve()):
        raise InputError(f"{folder} lies within the corpus; choose a folder outside of it")
    refuse_full_folder(folder)
    more = load_removals(removals) if isinstance(removals, Path) else removals or Removals()
    listed = unite_removals([load_lists(corpus.folder), more])
    selection = ExportSelection(corpus, where, listed, with_bytes, advance or _ignore, only)
    with replacing_folder(folder) as part:
        FORMS[to](selection, part)
    filtered = len(corpus) - selection.kept - selection.removed
    kept = selection.kept - selection.unplaced
    return Exported(kept, filtered, selection.removed, selection.unplaced)


def _ignore(_: int) -> None:
    """Tell nobody."""
