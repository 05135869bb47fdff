"""People judge samples: tasks, assignment, labels that are kept once, agreement."""

from blickfang.annotate.answering import keep, read_answers
from blickfang.annotate.asking import (
    add_task,
    close_task,
    find_annotator,
    find_task,
    invite,
    is_shown,
    list_annotators,
    list_items,
    list_tasks,
    revoke,
    set_gold,
    task_of,
)
from blickfang.annotate.assigning import assign, leave, withdraw
from blickfang.annotate.exporting import export_labels, label_studio_config
from blickfang.annotate.importing import import_labels
from blickfang.annotate.presets import plan_task, write_task
from blickfang.annotate.results import list_labels, majorities, measure
from blickfang.annotate.selecting import select_items
from blickfang.annotate.store import LabelStore, has_store, open_store
from blickfang.annotate.task import make_task

__all__ = [
    "LabelStore",
    "add_task",
    "assign",
    "close_task",
    "export_labels",
    "find_annotator",
    "find_task",
    "has_store",
    "import_labels",
    "invite",
    "is_shown",
    "keep",
    "label_studio_config",
    "leave",
    "list_annotators",
    "list_items",
    "list_labels",
    "list_tasks",
    "majorities",
    "make_task",
    "measure",
    "open_store",
    "plan_task",
    "read_answers",
    "revoke",
    "select_items",
    "set_gold",
    "task_of",
    "withdraw",
    "write_task",
]
