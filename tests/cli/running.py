"""Commands as a user gives them: each in a process of its own, with its real exit code.

A process that has loaded everything waits; for each command it makes a copy of itself, and that
does what `python -m blickfang` does. So a test does not wait two seconds for imports each time.
What depends on how Python starts is started anew: whoever gives an environment asks for that.
"""

import atexit
import importlib
import json
import os
import subprocess
import sys
import tempfile
import traceback
import warnings
from functools import cache
from pathlib import Path

LOADED = ("blickfang.cli.print_results", "blickfang.records", "typer._adapters", "rich.table")


def run(
    *args: str | Path,
    stdin: str = "",
    cwd: Path | None = None,
    environment: dict[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a command of ours to its end."""
    given = list(map(str, args))
    if environment:
        return subprocess.run(
            [sys.executable, "-m", "blickfang", *given],
            capture_output=True,
            text=True,
            input=stdin,
            check=False,
            cwd=cwd,
            env=os.environ | environment,
        )
    with tempfile.TemporaryDirectory() as place:
        streams = [Path(place, name) for name in ("in", "out", "err")]
        streams[0].write_text(stdin)
        code = _ask(given, str(cwd or Path.cwd()), [str(path) for path in streams])
        out, errors = (path.read_bytes().decode() for path in streams[1:])
    return subprocess.CompletedProcess(given, code, out, errors)


def objects(done: subprocess.CompletedProcess[str]) -> list[dict[str, object]]:
    """Return the JSON objects that a command printed."""
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def _ask(args: list[str], folder: str, streams: list[str]) -> int:
    loaded = _start()
    assert loaded.stdin is not None
    assert loaded.stdout is not None
    loaded.stdin.write(json.dumps([args, folder, streams]) + "\n")
    loaded.stdin.flush()
    answer = loaded.stdout.readline()
    if not answer:
        _start.cache_clear()
        raise ChildProcessError(f"who runs commands has died of {args}")
    return int(answer)


@cache
def _start() -> subprocess.Popen[str]:
    """Start the process that waits; it ends when its input does, with the tests."""
    loaded = subprocess.Popen(
        [sys.executable, "-m", "tests.cli.running"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    atexit.register(loaded.communicate)
    return loaded


def _serve() -> None:
    """Run commands, one after the other, each in a copy of this process."""
    from blickfang import learn_topic, read_page

    for name in LOADED:
        importlib.import_module(name)
    read_page("<p>the hill <img src=a.png>")  # kernels, too, are loaded by their first use
    text = "the cat sat on the green hill"
    with warnings.catch_warnings(action="ignore"):  # so little text
        learn_topic(positive=[text], neutral=["a dog lies in the sun"]).perplexity([text])
    with os.fdopen(os.dup(0)) as asked:
        for line in asked:
            args, folder, streams = json.loads(line)
            child = os.fork()
            if not child:
                _become(args, folder, streams)
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            sys.stdout.write(f"{code}\n")
            sys.stdout.flush()


def _become(args: list[str], folder: str, streams: list[str]) -> None:
    """Do in this copy what the command line does, and end."""
    from blickfang.__main__ import main

    os.chdir(folder)
    for number, (path, flags) in enumerate(
        zip(streams, (os.O_RDONLY, *[os.O_WRONLY | os.O_CREAT] * 2), strict=True)
    ):
        os.dup2(os.open(path, flags), number)
    sys.argv = ["blickfang", *args]
    sys.stdin = open(0, closefd=False)  # noqa: SIM115 -- as fresh as at a start
    code = 0
    try:
        main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            sys.stderr.write(end.code)
    except BaseException:
        traceback.print_exc()
        code = 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    _serve()
