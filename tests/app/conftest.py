"""A collection, the application over it, and a browser: each made once."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.app.webs import make_whole, plain_rows, running

from blickfang.config import Collection
from blickfang.web import make_app

CHROMIUM = Path("/usr/bin/chromium")


@pytest.fixture(scope="session")
def rows() -> list[dict[str, Any]]:
    return plain_rows()


@pytest.fixture(scope="session")
def collection(rows: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """A collection that no test changes."""
    return make_whole(tmp_path_factory.mktemp("app") / "motifs", rows)


@pytest.fixture(scope="session")
def client(collection: Collection) -> TestClient:
    return TestClient(make_app(collection), base_url="http://127.0.0.1:8765")


@pytest.fixture(scope="session")
def address(
    collection: Collection, client: TestClient, rows: list[dict[str, Any]]
) -> Iterator[str]:
    url = rows[0]["page_url"]
    for path in (f"/corpus/sample/{rows[0]['id']}/snapshot?method=all", f"/records/page?url={url}"):
        client.get(path)  # what must be compiled is compiled before a browser waits for it
    with running(collection) as found:
        yield found


@pytest.fixture(scope="module")  # as long as it is open, this thread can run no other loop
def browser() -> Iterator[Any]:
    """A real browser; without one these tests are left out, but not where all must run."""
    if not CHROMIUM.exists():
        sentence = "there is no /usr/bin/chromium: install Debian's chromium to run browser tests"
        if os.environ.get("CI") == "true":
            pytest.fail(sentence)
        pytest.skip(sentence)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=str(CHROMIUM), args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield started
        started.close()
