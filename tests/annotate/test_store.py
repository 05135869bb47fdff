"""The file of labels: for its owner only, of one format, safe when something fails."""

import sqlite3
import stat
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from blickfang.errors import InputError
from blickfang.web import annotate
from blickfang.web.annotate.label_store import FILE, open_store
from tests.annotate.desks import make_desk, person, pets


def test_only_its_owner_may_read_it(tmp_path: Path) -> None:
    with make_desk(tmp_path, pets()):
        for path in tmp_path.glob(f"{FILE}*"):
            assert stat.S_IMODE(path.stat().st_mode) == 0o600, path


def test_what_was_told_to_be_kept_survives_a_kill(tmp_path: Path) -> None:
    with make_desk(tmp_path, pets()) as store:
        token = person(store, "ann").token
    code = f"""
import os
from pathlib import Path
from blickfang.web import annotate
store = annotate.open_store(Path({str(tmp_path)!r}))
ann = annotate.find_annotator(store, {token!r})
unit = annotate.assign(store, ann).units[0].id
answers = {{"topic": "cat", "text": "describes"}}
said = annotate.read_answers([{{"client": "x", "unit": unit, "answers": answers}}])
kept = annotate.keep(store, ann, said)
print(kept[0].what, flush=True)
os.kill(os.getpid(), 9)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (-9, "kept"), done.stderr
    with open_store(tmp_path) as store:
        assert [label.category for label in annotate.list_labels(store, "pets")] == [
            "cat",
            "describes",
        ]


def test_a_failure_in_the_middle_changes_nothing(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    with suppress(ZeroDivisionError), store.writing() as db:
        db.execute("INSERT INTO task(name, spec, made) VALUES ('x', '{}', 0)")
        raise ZeroDivisionError
    with store.reading() as db:
        assert db.execute("SELECT count(*) FROM task").fetchone()[0] == 0
    store.close()


def test_other_files_and_formats_are_refused(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"no database at all, but long enough to look at" * 100)
    with pytest.raises(InputError, match="is damaged"):
        open_store(tmp_path)
    (tmp_path / FILE).unlink()
    with sqlite3.connect(tmp_path / FILE) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(InputError, match="format 99"):
        open_store(tmp_path)
    with pytest.raises(InputError, match="no folder"):
        open_store(tmp_path / "none")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="blickfang annotate new"):
        open_store(tmp_path / "empty", must_exist=True)
    assert not (tmp_path / "empty" / FILE).exists()


def test_the_version_changes_with_what_people_do(tmp_path: Path) -> None:
    with make_desk(tmp_path, pets()) as store:
        before = store.version()
        assert store.version() == before
        annotate.invite(store, "pets", "dan")
        assert store.version() != before


def test_a_second_look_takes_no_locks_away(tmp_path: Path) -> None:
    """A process that has the store open twice, and another that comes and goes: nothing is lost."""
    make = "INSERT INTO task (name, spec, made) VALUES (?, '{}', 0)"
    look = (
        "import sys; from pathlib import Path\n"
        "from blickfang.web.annotate.label_store import open_store\n"
        "store = open_store(Path(sys.argv[1]))\n"
        "with store.reading() as db:\n"
        "    print(db.execute('SELECT count(*) FROM task').fetchone()[0])\n"
        "store.close()\n"
    )

    def count_elsewhere() -> int:
        command = [sys.executable, "-c", look, str(tmp_path)]
        return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    store = open_store(tmp_path)
    open_store(tmp_path).close()
    for number in range(3):
        with store.writing() as db:
            db.execute(make, (str(number),))
        assert count_elsewhere() == number + 1
    store.close()
    assert count_elsewhere() == 3
