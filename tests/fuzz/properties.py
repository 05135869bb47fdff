"""The property tests as a target: each with ten thousand new cases, as many as the time allows.

In: how long. Out: a `Row`. A plugin of pytest counts the cases and stops when the time is over;
the order is another one each day, so that short runs do not always test the same.
"""

import functools
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from tests.fuzz.campaign import LOOK_S, Row
from tests.fuzz.kinds import ROOT

NAME = "properties"
NOTHING = '{"cases": 0, "cpu_s": 0.0, "worst": 0.0, "failed": []}'
PATHS = (
    "tests/test_words.py", "tests/test_urls.py", "tests/topic", "tests/page", "tests/corpus",
    "tests/dedupe", "tests/search", "tests/annotate", "tests/records", "tests/crawl/consent",
)  # fmt: skip


class Counter:
    """Counts the cases of property tests, and ends the run when its time is over."""

    def __init__(self, seconds: float, out: Path, seed: int) -> None:
        self.seconds, self.out, self.seed = seconds, out, seed
        self.cases = 0
        self.worst = 0.0
        self.begun = time.process_time()
        self.failed: list[str] = []

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Keep the property tests only, in another order, and count their cases."""
        chosen = [item for item in items if hasattr(getattr(item, "obj", None), "hypothesis")]
        random.Random(self.seed).shuffle(chosen)  # noqa: S311
        for test in {id(item.obj.hypothesis): item.obj.hypothesis for item in chosen}.values():
            test.inner_test = self.count(test.inner_test)
        items[:] = chosen

    def count(self, test: Any) -> Any:
        """Return a test that is counted each time it runs."""

        @functools.wraps(test)
        def counted(*args: Any, **kwargs: Any) -> Any:
            start = time.process_time()
            try:
                return test(*args, **kwargs)
            finally:
                self.cases += 1
                self.worst = max(self.worst, time.process_time() - start)

        return counted

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Note a failure, with the case that shows it."""
        if report.failed:
            self.failed.append(f"{report.nodeid}: {str(report.longrepr)[-600:]}")

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_teardown(self, item: Any) -> None:
        """Stop when the time is over."""
        spent = time.process_time() - self.begun
        facts = {"cases": self.cases, "cpu_s": spent, "worst": self.worst, "failed": self.failed}
        made = self.out.with_suffix(".new")
        made.write_text(json.dumps(facts), encoding="utf-8")
        made.replace(self.out)  # never half there: the run may be ended at any moment
        if spent > self.seconds:
            item.session.shouldstop = "the time is over"


def run_properties(seconds: float, seed: int, stop: Event) -> Row:
    """Run property tests for so long, or until told to stop."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "facts.json"
        command = [sys.executable, "-m", "tests.fuzz.properties", str(seconds), str(out), str(seed)]
        quiet = subprocess.DEVNULL
        child = subprocess.Popen(command, cwd=ROOT, stdout=quiet, start_new_session=True)
        while child.poll() is None:
            if stop.wait(LOOK_S):
                child.kill()
                child.wait()
        text = out.read_text(encoding="utf-8") if out.exists() else NOTHING
        facts = json.loads(text)
    findings: list[dict[str, object]] = [
        {"kind": "crash", "what": text} for text in facts["failed"]
    ]
    cpu, worst = round(facts["cpu_s"], 1), round(facts["worst"], 3)
    return Row(NAME, "hypothesis", facts["cases"], cpu, 0, worst, 0, findings)


if __name__ == "__main__":
    counter = Counter(float(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
    chosen = ["--hypothesis-profile=fuzz", f"--hypothesis-seed={sys.argv[3]}", "-q", *PATHS]
    sys.exit(pytest.main([*chosen, "-p", "no:cacheprovider"], plugins=[counter]))
