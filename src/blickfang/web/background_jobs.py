"""Learning from labels in the application: measured or done while the pages stay usable.

In: the collection and the name of a task. Out: `Lessons`: what is under way, and what it came to.
One lesson at a time; it runs in a thread of its own.
"""

import threading
import warnings
from dataclasses import dataclass

from starlette.applications import Starlette

from blickfang.config import open_collection
from blickfang.errors import BlickfangError
from blickfang.io.log import report_bug
from blickfang.web.annotate.relearn import Relearned, learn_from_labels


@dataclass(slots=True)
class Lesson:
    """Learning from the labels of a task."""

    task: str
    apply: bool  # else it is only measured
    state: str = "running"  # done, failed
    learned: Relearned | None = None
    problem: str = ""


class Lessons:
    """What is learned from labels, now and last."""

    def __init__(self, app: Starlette) -> None:
        self.app = app
        self.last: dict[str, Lesson] = {}
        self._lock = threading.Lock()

    def start(self, task: str, *, apply: bool) -> None:
        """Begin to learn from the labels of a task, unless something is learned already."""
        with self._lock:
            if any(lesson.state == "running" for lesson in self.last.values()):
                return
            lesson = self.last[task] = Lesson(task, apply)
        threading.Thread(target=self._learn, args=(lesson,), daemon=True).start()

    def stamp(self) -> str:
        """Return a text that is another one when a lesson began or ended."""
        return ",".join(f"{name}:{lesson.state}" for name, lesson in sorted(self.last.items()))

    def _learn(self, lesson: Lesson) -> None:
        root = self.app.state.collection.root
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of little text: the numbers say the same
                lesson.learned = learn_from_labels(
                    open_collection(root), lesson.task, apply=lesson.apply
                )
            lesson.state = "done"
            if lesson.apply:
                self.app.state.collection = open_collection(root)
        except BlickfangError as error:
            lesson.problem, lesson.state = str(error), "failed"
        except Exception as error:
            report_bug(error, f"learning from {lesson.task}")
            lesson.problem = "Something is broken here; blickfang.log in the collection says what."
            lesson.state = "failed"
            raise
