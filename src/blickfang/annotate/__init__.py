"""People judge samples: tasks, assignment, labels that are kept once, agreement."""

from blickfang.annotate.answering import read_answers
from blickfang.annotate.desk import Desk, open_desk
from blickfang.annotate.presets import plan_task, write_task
from blickfang.annotate.selecting import select_items
from blickfang.annotate.task import make_task

__all__ = [
    "Desk",
    "make_task",
    "open_desk",
    "plan_task",
    "read_answers",
    "select_items",
    "write_task",
]
