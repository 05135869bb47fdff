"""The command line as a user meets it: real processes, real exit codes."""

import fcntl
import os
import signal
import subprocess
import sys
import termios
import time
from array import array
from pathlib import Path

import pytest

from tests.cli.running import objects, run

TEXT = "\n".join(
    f"the {a} {b} walks over the {c} hill" for a in "abcd" for b in "efgh" for c in "ijkl"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cli")
    (path / "text.txt").write_text(TEXT)
    return path


def test_help_is_quick_and_imports_nothing_heavy() -> None:
    code = (
        "import sys\nfrom blickfang.__main__ import main\nsys.argv = ['blickfang', '--help']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print([m for m in ('numba', 'numpy', 'rich', 'PIL', 'selectolax') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
    assert "blickfang learn birds" in done.stdout


def test_version_and_usage() -> None:
    assert run("--version").stdout.startswith("blickfang 0.")
    assert run("no-such-command").returncode == 2
    assert run("lm", "train").returncode == 2
    assert run("learn").returncode == 2


def test_train_score_export_import(folder: Path) -> None:
    made = objects(run("lm", "train", folder / "text.txt", "-o", folder / "m.lm", "--json"))[0]
    assert made["order"] == 5
    lines = "the a e walks\n\nsomething unknown\n"
    scored = objects(run("lm", "score", folder / "m.lm", "-", "--json", stdin=lines))
    assert [entry["tokens"] for entry in scored] == [5, 0, 3]
    assert [entry["oov"] for entry in scored] == [0, 0, 2]
    assert scored[1]["perplexity"] is None
    assert set(scored[0]) == {"tokens", "oov", "log10", "perplexity"}
    assert scored[0]["perplexity"] == pytest.approx(10 ** (-float(str(scored[0]["log10"])) / 5))
    assert run("lm", "export", folder / "m.lm", folder / "m.arpa.gz").returncode == 0
    assert (
        run("lm", "import", "--text", folder / "m.arpa.gz", "-o", folder / "back.lm").returncode
        == 0
    )
    again = objects(run("lm", "score", folder / "back.lm", "-", "--json", stdin=lines))
    for ours, theirs in zip(scored, again, strict=True):
        assert theirs["log10"] == pytest.approx(ours["log10"], abs=1e-4)
    table = run("lm", "score", folder / "m.lm", "-", stdin=lines)
    assert "perplexity" in table.stdout
    assert "\x1b" not in table.stdout


def test_lines_are_cut_as_the_model_was_made(tmp_path: Path) -> None:
    """An ARPA file of another tool knows full stops as words; a model of plain text knows none."""
    (tmp_path / "other.arpa").write_text(
        "\\data\\\nngram 1=5\n\n\\1-grams:\n-99\t<s>\n-1\t</s>\n-3\t<unk>\n-.5\tIt's\n-.25\t.\n\n"
        "\\end\\\n"
    )
    (tmp_path / "text.txt").write_text("It's a café in the Straße of Ærø and it isn't far.\n" * 9)
    assert run("lm", "import", tmp_path / "other.arpa", "-o", tmp_path / "other.lm").returncode == 0
    done = run("lm", "score", tmp_path / "other.lm", "-", "--json", stdin="It's .\n")
    assert objects(done)[0]["log10"] == pytest.approx(-1.75)
    assert "split at blanks" in done.stderr
    done = run("lm", "score", tmp_path / "other.lm", "-", "--json", "--text", stdin="It's .\n")
    assert objects(done)[0]["log10"] != pytest.approx(-1.75)
    assert "made of text split at blanks" in done.stderr
    run("lm", "train", tmp_path / "text.txt", "-o", tmp_path / "ours.lm", "--min-words", "1")
    told = run("lm", "export", tmp_path / "ours.lm", tmp_path / "ours.arpa").stderr
    assert "lm import --text" in told
    run("lm", "import", tmp_path / "ours.arpa", "-o", tmp_path / "back.lm", "--text")
    lines = "It's a Café; it isn't Straße!\nÆrø\n"
    ours, back = (
        run("lm", "score", tmp_path / name, "-", "--json", stdin=lines)
        for name in ("ours.lm", "back.lm")
    )
    assert ours.stderr == back.stderr == ""
    for one, other in zip(objects(ours), objects(back), strict=True):
        assert other["oov"] == one["oov"]
        assert other["log10"] == pytest.approx(one["log10"], abs=1e-4)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "no sentence is long enough"),
        (bytes(2000), "binary"),
        (b"word", "no sentence is long enough"),
    ],
)
def test_nothing_to_train_on(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "text.txt").write_bytes(content)
    done = run("lm", "train", tmp_path / "text.txt", "-o", tmp_path / "m.lm")
    assert done.returncode == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "m.lm").exists()


def test_paths_that_do_not_work(tmp_path: Path, folder: Path) -> None:
    assert run("lm", "train", tmp_path / "missing", "-o", tmp_path / "m.lm").returncode == 1
    done = run("lm", "train", folder / "text.txt", "-o", folder / "text.txt" / "m.lm")
    assert done.returncode == 1
    assert "cannot write" in done.stderr
    before = (folder / "text.txt").read_bytes()
    done = run("lm", "train", folder / "text.txt", "-o", folder / "text.txt")
    assert (done.returncode, "write to another file" in done.stderr) == (4, True)
    assert (folder / "text.txt").read_bytes() == before
    assert run("learn", tmp_path).returncode == 4
    assert run("score", tmp_path).returncode == 2
    assert run("keywords", "--positive", "zzz", "--neutral", "zzz").returncode == 4


def test_a_collection_from_new_to_score(tmp_path: Path) -> None:
    root = tmp_path / "hills"
    assert run("new", root).returncode == 0
    assert run("new", root).returncode == 4
    for name in ("pages", "neutral"):
        (root / name).mkdir()
    (root / "pages" / "a.html").write_text(f"<p>{TEXT.replace(chr(10), '<p>')}")
    (root / "neutral" / "b.html").write_text("<p>nothing to see here at all")
    learned = objects(run("learn", root, "--json"))[0]
    assert learned["positive_pages"] == 1
    assert learned["sentences"] == 64
    assert objects(run("learn", root, "--json"))[0]["pages_read_now"] == 0
    (root / "question.txt").write_text("the hill")
    scored = objects(
        run("score", root, "the hill", "-", "--file", root / "question.txt", "--json", stdin="zzz")
    )
    assert len(scored) == 3
    assert scored[0]["score"] == scored[2]["score"]
    assert [hit["word"] for hit in scored[0]["hits"]] == ["the", "hill"]  # type: ignore[attr-defined]
    shown = run("score", root, "the hill and " + "hill " * 50).stdout
    assert "keyword hits" in shown
    assert " hill ×51, the " in shown  # each word once, the most frequent first
    assert "sentences" in run("learn", root).stdout


ASCII_ONLY = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def test_any_locale_and_any_text(folder: Path) -> None:
    """Words arrive and JSON stays JSON, whatever the terminal can show; nothing steers it."""
    root = folder / "маяк"
    (root / "pages").mkdir(parents=True)
    (root / "pages" / "a.txt").write_text("Маяк стоит на скале у моря. " * 9 + "🗼 \x1b[31m red")
    (root / "n.txt").write_text("Поезд идёт в город каждый день.")
    (root / "blickfang.toml").write_text('[topic]\npositive = ["pages"]\nneutral = ["n.txt"]\n')
    assert run("learn", root, environment=ASCII_ONLY).returncode == 0
    for environment in ({}, ASCII_ONLY):
        (found,) = objects(
            run("score", root, "Маяк 🗼 \x1b[31m", "--json", environment=environment)
        )
        assert found["hits"] != []
        assert found["text"] == "Маяк 🗼 \x1b[31m"
        shown = run("score", root, "Маяк 🗼 \x1b[31m", environment=environment)
        assert shown.returncode == 0
        assert "\x1b" not in shown.stdout
    assert run("--help", environment={"PYTHONIOENCODING": "ascii"}).returncode == 0


def test_no_home_to_keep_kernels_in(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    nowhere = {"HOME": str(tmp_path / "file"), "XDG_CACHE_HOME": str(tmp_path / "file")}
    run("lm", "train", folder / "text.txt", "-o", folder / "home.lm")
    assert objects(
        run("lm", "score", folder / "home.lm", "-", "--json", stdin="the", environment=nowhere)
    )


def test_keywords_of_files(tmp_path: Path) -> None:
    for name, text in (("a1.txt", "cat cat mat"), ("a2.txt", "cat"), ("b.txt", "mat dog")):
        (tmp_path / name).write_text(text)
    command = ["keywords", "--positive", "a*.txt", "--neutral", "b.txt"]
    found = objects(run(*command, "--json", cwd=tmp_path))
    assert found[0] == {"word": "cat", "weight": pytest.approx(2.2210, abs=1e-4), "tf": 3, "df": 2}
    assert objects(run(*command, "--top", "1", "--json", cwd=tmp_path)) == found[:1]
    assert "cat" in run(*command, cwd=tmp_path).stdout


def test_output_into_a_closed_pipe_is_no_error(folder: Path) -> None:
    run("lm", "train", folder / "text.txt", "-o", folder / "pipe.lm")
    (folder / "many.txt").write_text("the hill\n" * 50_000)
    command = f"{sys.executable} -m blickfang lm score pipe.lm many.txt --json | head -n 1"
    done = subprocess.run(
        ["sh", "-c", command], capture_output=True, text=True, check=False, cwd=folder
    )
    assert len(done.stdout.splitlines()) == 1
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_interrupted_says_so(folder: Path, name: str) -> None:
    command = [sys.executable, "-m", "blickfang", "lm", "train", "-", "-o", str(folder / "i.lm")]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # Who runs these tests in the background of a shell has it ignored, and so have children.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(b"the hill\n")
        process.stdin.flush()
        while (
            process.poll() is None
            and array("i", fcntl.ioctl(process.stdin, termios.FIONREAD, b"\0" * 4))[0]
        ):
            time.sleep(0.1)  # until it is taken: then it is started, and waits for more
        time.sleep(0.2)
        os.kill(process.pid, signal.Signals[name])
        assert process.wait(20) == 11
        assert b"interrupted" in process.stderr.read()
    assert not (folder / "i.lm").exists()


def test_interrupted_while_it_starts(tmp_path: Path) -> None:
    """Python remembers an interruption out of an `exec`, and would die of it at the end."""
    (tmp_path / "started.py").write_text(
        "from blickfang import __main__, cli\n"
        "cli.app = lambda **_: exec('raise KeyboardInterrupt')\n"
        "__main__.main()\n"
    )
    command = [sys.executable, "-m", "started"]
    assert subprocess.run(command, cwd=tmp_path, check=False).returncode == 11


def test_what_runs_commands_here_does_not_hide_a_crash(tmp_path: Path) -> None:
    streams = [str(tmp_path / name) for name in ("in", "out", "err")]
    Path(streams[0]).touch()
    code = (
        "from blickfang import __main__\nfrom tests.cli.running import _become\n"
        f"__main__.main = lambda: 1 / 0\n_become([], {str(tmp_path)!r}, {streams!r})"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 1
    assert "ZeroDivisionError" in Path(streams[2]).read_text()


def test_a_full_disk_has_its_own_exit_code(folder: Path) -> None:
    code = (
        "import os, sys\nfrom blickfang.__main__ import main\n"
        "def full(_): raise OSError(28, 'No space left on device')\n"
        "os.fsync = full\n"
        f"sys.argv = ['blickfang', 'lm', 'train', {str(folder / 'text.txt')!r}, '-o', "
        f"{str(folder / 'full.lm')!r}]\nmain()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 13
    assert "no room left" in done.stderr
    assert not (folder / "full.lm").exists()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shell_completion(shell: str) -> None:
    environment = os.environ | {
        "_BLICKFANG_COMPLETE": f"complete_{shell}",
        "COMP_WORDS": "blickfang le",
        "COMP_CWORD": "1",
        "_TYPER_COMPLETE_ARGS": "blickfang le",
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    done = subprocess.run(
        [sys.executable, "-m", "blickfang"],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert "learn" in done.stdout


def test_the_command_line_starts_light() -> None:
    heavy = ("numpy", "numba", "PIL", "pyarrow", "aiohttp")
    code = f"import sys, blickfang.cli; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
