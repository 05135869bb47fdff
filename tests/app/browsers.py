"""A real browser, and the application on a port, for tests of pages."""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import uvicorn

from blickfang.config import open_collection
from blickfang.web import make_app
from blickfang.web.server import _listen

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


@contextmanager
def serving(root: Path, port: int = 0) -> Iterator[str]:
    """Serve a collection in a thread of its own; give its address."""
    with _listen("127.0.0.1", port) as listening:
        app = make_app(open_collection(root))
        config = uvicorn.Config(
            app, log_level="error", access_log=False, timeout_graceful_shutdown=1, lifespan="off"
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(10)
            app.state.bureau.close()


@contextmanager
def browsing() -> Iterator[Any]:
    """Give a browser, or say plainly that there is none; in CI that is a failure."""
    if not CHROMIUM.exists():
        if os.environ.get("CI") == "true":
            pytest.fail(f"{CHROMIUM} is not there: browser tests must run in CI")
        pytest.skip(f"{CHROMIUM} is not there: no test in a browser")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()


class Watched:
    """A page whose console, errors and requests are looked at."""

    def __init__(self, browser: Any, base: str, **options: Any) -> None:
        self.context = browser.new_context(base_url=base, **options)
        self.page = self.context.new_page()
        self.trouble: list[str] = []
        self.host = urlsplit(base).netloc
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self._note(str(error)))
        self.page.on("request", self._see)

    def _note(self, trouble: str) -> None:
        self.trouble.append(trouble)

    def _hear(self, message: Any) -> None:
        if message.type == "error":
            self._note(message.text)

    def _see(self, request: Any) -> None:
        parts = urlsplit(request.url)
        if parts.scheme in ("http", "https") and parts.netloc != self.host:
            self._note(f"a request to {request.url}")


def wait_until(page: Any, expression: str, seconds: float = 20.0) -> None:
    """Wait until an expression is true on a page; our policy forbids Playwright's own way."""
    end = time.monotonic() + seconds
    while not page.evaluate(expression):
        assert time.monotonic() < end, f"never true: {expression}"
        page.wait_for_timeout(20)
