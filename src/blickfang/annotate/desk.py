"""The desk at which people are asked: everything that can be done with the tasks of a folder.

In: the folder of a collection or corpus. Out: `Desk`, the way into this room for the command line
and the application. It holds the store; what it does stands in the files it calls.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from pathlib import Path

from blickfang.annotate import answering, asking, assigning, exporting, importing, results
from blickfang.annotate.answering import Answer, Outcome
from blickfang.annotate.asking import Annotator, Asked
from blickfang.annotate.assigning import Batch
from blickfang.annotate.importing import Imported
from blickfang.annotate.results import Label, Results
from blickfang.annotate.selecting import Item
from blickfang.annotate.store import Store, has_store, open_store
from blickfang.annotate.task import Task
from blickfang.errors import InputError


class Desk:
    """The tasks of a folder, who is asked, and what they said."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def __enter__(self) -> "Desk":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self.store.close()

    def version(self) -> str:
        """Return a text that is another one when what people did is."""
        return self.store.version()

    def add_task(self, task: Task, items: Sequence[Item]) -> None:
        """Start a task on some items."""
        asking.add_task(self.store, task, items)

    def tasks(self) -> list[Asked]:
        """Return all tasks, the newest first."""
        return asking.list_tasks(self.store)

    def task(self, name: str) -> Asked:
        """Return a task by its name."""
        return asking.find_task(self.store, name)

    def close_task(self, name: str, closed: bool = True) -> None:
        """End a task, or open it again."""
        asking.close_task(self.store, name, closed)

    def set_gold(self, name: str, sample: str, answers: dict[str, str]) -> None:
        """Make an item gold: its answers are known from now on."""
        asking.set_gold(self.store, name, sample, answers)

    def invite(self, name: str, who: str) -> Annotator:
        """Add an annotator to a task, with a new token."""
        return asking.invite(self.store, name, who)

    def revoke(self, name: str, who: str, *, discard: bool = False) -> None:
        """Take the token of an annotator back, and perhaps the labels out of all counts."""
        asking.revoke(self.store, name, who, discard=discard)

    def annotators(self, name: str) -> list[Annotator]:
        """Return the annotators of a task."""
        return asking.list_annotators(self.store, name)

    def annotator(self, token: str) -> Annotator | None:
        """Return who holds a token; None if nobody does, or it was revoked."""
        return asking.find_annotator(self.store, token)

    def task_of(self, annotator: Annotator) -> tuple[Task, bool]:
        """Return the task of an annotator, and whether it is closed."""
        return asking.task_of(self.store, annotator)

    def is_shown(self, annotator: Annotator, sample: str) -> bool:
        """Whether a sample is part of what an annotator is asked or told."""
        return asking.is_shown(self.store, annotator, sample)

    def assign(self, annotator: Annotator, count: int = 5) -> Batch:
        """Return the next units of an annotator."""
        return assigning.assign(self.store, annotator, count)

    def leave(self, annotator: Annotator, keep: tuple[int, ...] = ()) -> None:
        """Let go of what an annotator holds, but for some units."""
        assigning.leave(self.store, annotator, keep)

    def withdraw(self, samples: Iterable[str]) -> None:
        """Ask nobody any more about some samples; what was answered stays."""
        assigning.withdraw(self.store, samples)

    def keep(self, annotator: Annotator, answers: Sequence[Answer]) -> list[Outcome]:
        """Keep answers, in order, each once."""
        return answering.keep(self.store, annotator, answers)

    def measure(self, name: str) -> Results:
        """Return what a task came to so far."""
        return results.measure(self.store, name)

    def labels(self, name: str) -> list[Label]:
        """Return every answer of a task that was not undone."""
        return results.list_labels(self.store, name)

    def majorities(self, name: str, question: str) -> dict[tuple[str, int], str]:
        """Return the category that the majority gave, by sample and number of its text."""
        return results.majorities(self.store, name, question)

    def items(self, name: str) -> list[Item]:
        """Return the items of a task, gold among them."""
        return asking.list_items(self.store, name)

    def export(
        self,
        name: str,
        form: str,
        without: Set[str] = frozenset(),
        pictures: Mapping[str, str] | None = None,
    ) -> str:
        """Return the labels of a task as tsv, json or labelstudio, but for some samples.

        `pictures` says by sample where Label Studio finds the picture.
        """
        return exporting.export_labels(self.store, name, form, without, pictures)

    def label_studio_config(self, name: str) -> str:
        """Return the labelling configuration that Label Studio needs for an exported task."""
        return exporting.label_studio_config(self.store, name)

    def import_labels(self, name: str, text: str, form: str) -> Imported:
        """Add labels to a task."""
        return importing.import_labels(self.store, name, text, form)


def check_desk(folder: Path) -> None:
    """Say what is wrong with the tasks of a folder, if there are any, before people come."""
    if has_store(folder):
        open_store(folder).close()


def open_desk(folder: Path, *, must_exist: bool = False) -> Desk:
    """Return the desk of a folder; its file is made if it may be, and is not there yet."""
    if must_exist and not has_store(folder):
        raise InputError(
            f"there is no annotation task in {folder}; make one with: blickfang annotate new"
        )
    return Desk(open_store(folder))
