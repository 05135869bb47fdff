"""Visits with a real browser that see everything: errors, dialogs, requests to others.

In: a browser and the address of the application. Out: a page to act on, checked when it is left.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe

SERIOUS = ("serious", "critical")


@contextmanager
def visiting(browser: Any, address: str, *, calm: bool = True, **context: Any) -> Iterator[Any]:
    """Give a page; when it is left, nothing was asked of others, nothing popped up or, if `calm`,
    was complained about."""
    opened = browser.new_context(**context)
    page = opened.new_page()
    strangers: list[str] = []
    complaints: list[str] = []
    dialogs: list[str] = []

    def look(request: Any) -> None:
        parts = urlsplit(request.url)
        ours = f"{parts.scheme}://{parts.netloc}" == address or parts.scheme in ("blob", "about")
        if not ours or "hacked" in parts.path:
            strangers.append(request.url)

    def refuse(dialog: Any) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    opened.on("request", look)
    page.on("dialog", refuse)
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    try:
        yield page
        page.wait_for_timeout(150)
        assert strangers == []
        assert dialogs == []
        assert not calm or complaints == []
    finally:
        opened.close()


def wait_for(page: Any, is_so: str, most_ms: int = 20_000) -> None:
    """Wait until an expression is true; Playwright's own way needs eval, which we forbid."""
    for _ in range(most_ms // 100):
        if page.evaluate(is_so):
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"it did not come to: {is_so}")


def check_access(page: Any, *rules: str) -> None:
    """Let axe-core look at a page, by all rules or some: nothing may hinder somebody seriously."""
    options: dict[str, Any] = {"iframes": False, "resultTypes": ["violations"]}
    if rules:
        options["runOnly"] = {"type": "rule", "values": list(rules)}
    found = Axe().run(page, options=options).response["violations"]
    serious = [
        (rule["id"], rule["help"], [node["html"][:150] for node in rule["nodes"][:3]])
        for rule in found
        if rule["impact"] in SERIOUS
    ]
    assert serious == []
