"""The demo web, built once for all tests of the room."""

import pytest

from blickfang.demo import DemoWeb, build_web


@pytest.fixture(scope="session")
def web() -> DemoWeb:
    return build_web()
