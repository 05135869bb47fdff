"""Screenshots of annotating: `python -m tests.app.screenshots_annotate DIR` writes them.

In: a collection with a corpus, best that of `blickfang demo`; it is copied, and people who do not
exist answer a task there. Out: docs/screenshots.
"""

import io
import random
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image
from tests.app.browsers import browsing, serving

from blickfang.annotate import Desk, open_desk, plan_task
from blickfang.annotate.answering import Answer
from blickfang.pipeline.annotating import start_task

FOLDER = Path(__file__).parent.parent.parent / "docs" / "screenshots"
WIDE, TABLET = {"width": 1280, "height": 800}, {"width": 768, "height": 1024}
PHONE = {"width": 390, "height": 844}
METHODS = ["best", "window", "paragraph", "monash"]


def fill(root: Path) -> dict[str, str]:
    """Make tasks and let people answer; return the links that pictures are taken of."""
    start_task(root, plan_task("topic", None, {"select": {"count": 60}}))
    start_task(root, plan_task("context", None, {"select": {"count": 20, "methods": METHODS}}))
    with open_desk(root) as desk:
        links = {name: "/a/" + desk.invite(name, "Ada").token for name in ("topic", "context")}
        _answer(desk, "Ada", most=23)
        for name in ("Ben", "Cleo"):
            desk.invite("topic", name)
            _answer(desk, name)
    return links


def _answer(desk: Desk, name: str, most: int = 1000) -> None:
    chance = random.Random(name)  # noqa: S311
    who = next(person for person in desk.annotators("topic") if person.name == name)
    for number in range(most):
        units = desk.assign(who, 1).units
        if not units:
            return
        on = "lighthouse" in units[0].item.text.lower()
        weights = [18, 1, 1, 0, 0] if on else [0, 3, 2, 1, 12]
        topic = chance.choices(("topic", "near", "wider", "far", "other"), weights)[0]
        text = chance.choices(("describes", "fits", "irrelevant"), [7, 2, 1] if on else [3, 2, 6])[
            0
        ]
        said = {"topic": topic, "text": text}
        desk.keep(who, [Answer(f"n{number}", units[0].id, said, seconds=chance.uniform(1, 6))])


def take(address: str, browser: Any, links: dict[str, str]) -> list[Path]:
    """Take all pictures."""
    pages = (
        ("annotate-work", links["topic"], {"viewport": WIDE}),
        ("annotate-work-tablet", links["topic"], {"viewport": TABLET}),
        ("annotate-work-phone", links["topic"], {"viewport": PHONE, "color_scheme": "dark"}),
        ("annotate-context", links["context"], {"viewport": WIDE, "color_scheme": "dark"}),
        ("annotate-help", links["topic"] + "/help", {"viewport": WIDE}),
        ("annotate-task", "/annotate/task/topic", {"viewport": WIDE}),
        ("annotate-new", "/annotate/new", {"viewport": WIDE}),
        ("annotate", "/annotate", {"viewport": WIDE}),
    )
    taken = []
    for name, where, screen in pages:
        context = browser.new_context(**screen)
        page = context.new_page()
        page.goto(address + where)
        page.wait_for_timeout(1000)
        shot = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
        path = FOLDER / f"{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        shot.quantize(128, dither=Image.Dither.NONE).save(path, optimize=True)
        taken.append(path)
        context.close()
    return taken


def main() -> None:
    """Take the pictures of a copy of a collection."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(shutil.copytree(sys.argv[1], Path(folder) / Path(sys.argv[1]).name))
        for old in root.glob("labels.sqlite*"):
            old.unlink()
        links = fill(root)
        with serving(root) as address, browsing() as browser:
            for path in take(address, browser, links):
                sys.stdout.write(f"{path}\n")


if __name__ == "__main__":
    main()
