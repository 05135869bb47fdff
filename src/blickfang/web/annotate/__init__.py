"""People judge samples: tasks, assignment, labels that are kept once, agreement."""

from blickfang.web.annotate.assignment import assign, leave, withdraw
from blickfang.web.annotate.item_selection import select_items
from blickfang.web.annotate.label_export import export_labels, label_studio_config
from blickfang.web.annotate.label_import import import_labels
from blickfang.web.annotate.label_results import list_labels, majorities, measure
from blickfang.web.annotate.label_store import LabelStore, has_store, open_store
from blickfang.web.annotate.record_labels import keep, read_answers
from blickfang.web.annotate.task import make_task
from blickfang.web.annotate.task_list import (
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
from blickfang.web.annotate.task_presets import plan_task, write_task

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
