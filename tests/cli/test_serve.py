"""blickfang serve: tells its address, serves, ends with Ctrl-C."""

import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from blickfang.config import make_collection


def start(folder: Path, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "blickfang", "serve", str(folder), *options]
    return subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def read_address(process: subprocess.Popen[str]) -> str:
    assert process.stderr is not None
    for line in process.stderr:
        found = re.search(r"open (http://\S+) in a browser", line)
        if found:
            return found[1]
    raise AssertionError("it told no address")


@pytest.mark.parametrize("options", [(), ("--token", "x" * 20)])
def test_it_serves_until_it_is_interrupted(tmp_path: Path, options: tuple[str, ...]) -> None:
    make_collection(tmp_path / "birds")
    with start(tmp_path / "birds", "--port", "0", *options) as process:
        address = read_address(process)
        assert ("token=" in address) == bool(options)
        opened = address.partition("?")[0] + "static/style.css"
        with urllib.request.urlopen(opened) as answer:  # noqa: S310 -- on 127.0.0.1
            assert answer.status == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0


def test_what_cannot_be_is_told(tmp_path: Path) -> None:
    make_collection(tmp_path / "birds")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        wrong = {"16": ("--token", "short"), "cannot listen": ("--port", port)}
        for said, options in wrong.items():
            with start(tmp_path / "birds", *options) as process:
                _, errors = process.communicate(timeout=60)
            assert process.returncode == 4
            assert said in errors
