"""Screenshots of annotating: `make screenshots` writes them.

In: a collection with a corpus; it is copied, and people who do not exist answer a task there. Out:
docs/screenshots.
"""

import random
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.app.browsers import browsing, serving

from blickfang.web import annotate
from blickfang.web.annotate import LabelStore, open_store, plan_task
from blickfang.web.annotate.record_labels import Submission
from blickfang.web.annotate.start_task import start_task

WIDE, TABLET = {"width": 1280, "height": 800}, {"width": 768, "height": 1024}
PHONE = {"width": 390, "height": 844}
METHODS = ["best", "window", "paragraph", "monash"]


def fill(root: Path) -> dict[str, str]:
    """Make tasks and let people answer; return the links that pictures are taken of."""
    start_task(root, plan_task("topic", None, {"select": {"count": 60}}))
    start_task(root, plan_task("context", None, {"select": {"count": 20, "methods": METHODS}}))
    with open_store(root) as store:
        links = {
            name: "/a/" + annotate.invite(store, name, "Ada").token for name in ("topic", "context")
        }
        _answer(store, "Ada", most=23)
        for name in ("Ben", "Cleo"):
            annotate.invite(store, "topic", name)
            _answer(store, name)
    return links


def _answer(store: LabelStore, name: str, most: int = 1000) -> None:
    chance = random.Random(name)  # noqa: S311
    who = next(person for person in annotate.list_annotators(store, "topic") if person.name == name)
    for number in range(most):
        units = annotate.assign(store, who, 1).units
        if not units:
            return
        on = "lighthouse" in units[0].item.text.lower()
        weights = [18, 1, 1, 0, 0] if on else [0, 3, 2, 1, 12]
        topic = chance.choices(("topic", "near", "wider", "far", "other"), weights)[0]
        text = chance.choices(("describes", "fits", "irrelevant"), [7, 2, 1] if on else [3, 2, 6])[
            0
        ]
        said = {"topic": topic, "text": text}
        annotate.keep(
            store, who, [Submission(f"n{number}", units[0].id, said, seconds=chance.uniform(1, 6))]
        )


def list_pages(links: dict[str, str]) -> list[tuple[str, str, dict[str, Any]]]:
    """Return name, path and screen of every picture to take."""
    return [
        ("annotate-work", links["topic"], {"viewport": WIDE}),
        ("annotate-work-tablet", links["topic"], {"viewport": TABLET}),
        ("annotate-work-phone", links["topic"], {"viewport": PHONE, "color_scheme": "dark"}),
        ("annotate-context", links["context"], {"viewport": WIDE, "color_scheme": "dark"}),
        ("annotate-help", links["topic"] + "/help", {"viewport": WIDE}),
        ("annotate-task", "/annotate/task/topic", {"viewport": WIDE}),
        ("annotate-new", "/annotate/new", {"viewport": WIDE}),
        ("annotate", "/annotate", {"viewport": WIDE}),
    ]


def take_annotating(original: Path, target: Path, save: Callable[[bytes, Path], None]) -> None:
    """Take the pictures of a copy of a collection."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(shutil.copytree(original, Path(folder) / original.name))
        for old in root.glob("labels.sqlite*"):
            old.unlink()
        links = fill(root)
        with serving(root) as address, browsing() as browser:
            for name, where, screen in list_pages(links):
                context = browser.new_context(**screen)
                page = context.new_page()
                page.goto(address + where)
                page.wait_for_timeout(1000)
                save(page.screenshot(), target / f"{name}.png")
                sys.stdout.write(f"{target / name}.png\n")
                context.close()
