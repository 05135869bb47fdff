"""Property tests are repeatable in `make test`; in `make fuzz` they are one of its targets."""

import pytest
from hypothesis import settings

from tests.kernels import compile_all

settings.register_profile("quick", max_examples=100, deadline=None, derandomize=True)
settings.register_profile("fuzz", max_examples=10_000, deadline=None, print_blob=True)
settings.load_profile("quick")


def pytest_configure(config: pytest.Config) -> None:
    """Before the processes of the tests start, have compiled what all of them need."""
    if config.getoption("numprocesses", None) and not hasattr(config, "workerinput"):
        compile_all()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--regen", action="store_true", help="write the golden pages' JSON anew")
