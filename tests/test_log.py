"""The log: no mistake of ours goes without its traceback, and no secret comes along."""

import logging
import multiprocessing
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from blickfang.cli import app
from blickfang.cli.output import guarded
from blickfang.config import make_collection, open_collection
from blickfang.corpus.archives import archive_parts
from blickfang.crawl.focus.knowledge import Knowledge
from blickfang.crawl.page_judge import make_judge
from blickfang.crawl.shards.messages import Ended, Message
from blickfang.crawl.shards.shard_processes import Processes
from blickfang.io import log
from blickfang.io.warc import Archived
from blickfang.io.warc.walk import ArchivedResponse
from blickfang.types import Failure, Response
from blickfang.web.report.rescore_pages import retell_record


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Each test is a process that has opened nothing and shows nothing."""
    monkeypatch.setattr(log, "PLACE", type(log.PLACE)())
    monkeypatch.setenv(log.VERBOSE, "")
    before, level = list(log.LOGGER.handlers), log.LOGGER.level
    yield
    log.LOGGER.handlers[:] = before
    log.LOGGER.setLevel(level)


def break_down(message: str) -> Exception:
    try:
        raise KeyError(message)
    except KeyError as error:
        return error


def kept(folder: Path) -> str:
    return (folder / log.FILE).read_text()


def test_a_library_stays_silent() -> None:
    code = (
        "import blickfang.io.log, blickfang.config, logging;"
        "blickfang.io.log.report_bug(KeyError(), 'x');"
        "print([type(h).__name__ for h in logging.getLogger('blickfang').handlers],"
        " logging.getLogger().handlers)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("['NullHandler'] []\n", "")


def test_the_traceback_is_in_the_collection(tmp_path: Path) -> None:
    assert "blickfang --verbose" in log.report_bug(break_down("early"), "http://a.test/")
    make_collection(tmp_path)
    open_collection(tmp_path)
    assert not (tmp_path / log.FILE).exists()
    said = log.report_bug(break_down("here it is"), "http://a.test/1")
    assert said.startswith("KeyError, a mistake of Blickfang: please report it with what")
    assert log.FILE in said
    text = kept(tmp_path)
    assert "http://a.test/1\nTraceback" in text
    assert "in break_down" in text
    assert "KeyError: 'here it is'" in text
    assert (tmp_path / log.FILE).stat().st_mode & 0o077 == 0
    for _ in range(50):  # a page each: others must find room
        log.report_bug(break_down("again"), "http://a.test/2")
    assert kept(tmp_path).count("Traceback") == log.MOST_ALIKE
    assert log.report_bug(MemoryError(), "http://a.test/3") == "MemoryError"


@pytest.mark.parametrize(
    "told",
    [
        "cannot connect to http://me:hunter2@proxy.test:3128",
        "GET /?token=hunter2&x=1",
        "GET /a/hunter2hunter2hunter2hunter2",
        "{'Authorization': 'Bearer hunter2'}",
        'Cookie: session="hunter2"',
        "aws_secret_access_key=hunter2",
        "password: hunter2",
        "the administrator's is hunter2-from-the-environment",
    ],
)
def test_secrets_are_not_in_it(
    tmp_path: Path, told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BLICKFANG_TOKEN", "hunter2-from-the-environment")
    log.keep_log(tmp_path)
    log.show_log()
    log.report_bug(break_down(told), told)
    shown = capsys.readouterr().err
    for text in (kept(tmp_path), shown):
        assert "KeyError" in text
        assert "hunter2" not in text


def write_many(folder: str) -> None:
    log.keep_log(Path(folder))
    for number in range(200):
        log.PLACE.seen.clear()
        log.report_bug(break_down("x" * 20_000), f"entry {os.getpid()}-{number} ends")


def test_the_file_is_bounded_whoever_writes(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=write_many, args=(str(tmp_path),)) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
        assert worker.exitcode == 0
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == [log.FILE, f"{log.FILE}.1"]
    for name in names:
        text = (tmp_path / name).read_text()
        assert len(text) <= log.MOST_BYTES
        starts = re.findall(r"^\S+ process \d+: entry \S+ ends$", text, re.MULTILINE)
        assert len(starts) == text.count("Traceback") > 10  # each is whole


def test_a_folder_that_cannot_be_written_to(tmp_path: Path) -> None:
    log.keep_log(tmp_path / "gone")
    assert "blickfang --verbose" in log.report_bug(break_down("x"), "here")
    (tmp_path / "other.txt").write_text("precious")
    (tmp_path / log.FILE).symlink_to(tmp_path / "other.txt")
    log.keep_log(tmp_path)
    assert "blickfang --verbose" in log.report_bug(break_down("y"), "here")
    assert (tmp_path / "other.txt").read_text() == "precious"


PAGE = Response("http://a.test/", 200, {"content-type": "text/html"}, b"<p>A page", "")
RECORD = Archived(
    "http://a.test/", "", 200, dict(PAGE.headers), PAGE.body, "response", "", "", None, "", None, {}
)


def fail(*_: object, **__: object) -> Any:
    raise ZeroDivisionError("of ours")


def test_pages_that_we_cannot_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a crawl, a build, a report; the page is left out, and the mistake is kept."""
    log.keep_log(tmp_path)
    judge = make_judge(None, (0, 0, 1, 1), Knowledge(None, (), ()), look=fail)  # type: ignore[arg-type]
    found = judge(PAGE, "a.test", None)  # type: ignore[arg-type]
    assert isinstance(found, Failure)
    assert found.reason.startswith("not readable: ZeroDivisionError, a mistake of Blickfang")
    monkeypatch.setattr(archive_parts.PartReader, "_take_answer", fail)
    reader = archive_parts.PartReader.__new__(archive_parts.PartReader)
    reader.records, reader.position, reader.failures = 0, 0, []
    reader.take(ArchivedResponse(RECORD, 0, -1, 0), "a.warc.gz")
    assert "a mistake of Blickfang" in reader.failures[0][1]
    monkeypatch.setattr("blickfang.web.report.rescore_pages.glance", fail)
    assert retell_record(RECORD, "http://a.test/", None).failed  # type: ignore[arg-type]
    assert kept(tmp_path).count("ZeroDivisionError: of ours") == 3


def end_badly(_: int, send: Callable[[Message], None], __: object) -> None:
    open_collection(Path(os.environ["TEST_ROOT"]))
    del send
    fail()


def test_a_shard_that_ends_by_a_mistake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_collection(tmp_path)
    monkeypatch.setenv("TEST_ROOT", str(tmp_path))
    processes = Processes(end_badly, 1)
    told: list[Ended] = []
    while not told:
        told = [mail for _, mail in processes.receive(1.0) if isinstance(mail, Ended)]
    processes.close()
    assert "ZeroDivisionError: of ours" in told[0].error
    assert "a mistake of Blickfang" in told[0].error
    assert "in end_badly" in kept(tmp_path)


def test_a_command_that_ends_by_a_mistake(tmp_path: Path) -> None:
    log.keep_log(tmp_path)
    program = typer.Typer()
    program.command()(guarded(fail_at_work))
    done = CliRunner().invoke(program, [])
    assert isinstance(done.exception, ZeroDivisionError)  # Python shows the traceback
    assert "a mistake of Blickfang: please report it" in done.output
    assert "in fail_at_work" in kept(tmp_path)


def fail_at_work() -> None:
    fail()


def test_verbose_shows_what_is_behind_an_error(tmp_path: Path) -> None:
    usual = CliRunner().invoke(app, ["status", str(tmp_path)])
    assert "Traceback" not in usual.output
    for option in ("-v", "--verbose"):
        log.LOGGER.setLevel(logging.NOTSET)
        done = CliRunner().invoke(app, [option, "status", str(tmp_path)])
        assert done.exit_code == usual.exit_code == 4
        assert "Traceback" in done.output
        log.LOGGER.handlers[:] = []
    assert not (tmp_path / log.FILE).exists()  # it is no mistake of ours
