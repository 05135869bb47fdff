"""People and the corpus: tasks made of samples, and what their labels teach the topic."""

from blickfang.pipeline.annotating.passing import export_task, write_pictures
from blickfang.pipeline.annotating.relearning import Relearned, Score, learn_from_labels
from blickfang.pipeline.annotating.starting import Started, start_task

__all__ = [
    "Relearned",
    "Score",
    "Started",
    "export_task",
    "learn_from_labels",
    "start_task",
    "write_pictures",
]
