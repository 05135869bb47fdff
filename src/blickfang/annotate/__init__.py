"""People judge samples: tasks, assignment, labels that are kept once, agreement."""

from blickfang.annotate.answering import read_answers
from blickfang.annotate.desk import Desk, open_desk
from blickfang.annotate.presets import preset_values
from blickfang.annotate.selecting import select_items
from blickfang.annotate.task import make_task, read_task

__all__ = [
    "Desk",
    "make_task",
    "open_desk",
    "preset_values",
    "read_answers",
    "read_task",
    "select_items",
]
