"""No name that somebody else chose leads out of the folder it is meant for."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.corpus import open_corpus
from blickfang.corpus.corpus_reader import SAFE_NAME
from blickfang.corpus.export.mirror import file_extension, mirror_path
from blickfang.crawl.experiment.experiment_plan import NAME as LAB_NAME
from blickfang.crawl.focus.fetch_topic_pages import name_page
from blickfang.errors import BlickfangError, SettingsError
from blickfang.records.saved_names import CLASSES, RULES, place_named
from blickfang.records.write_records import name_output
from blickfang.web.annotate.task import NAME as TASK_NAME
from blickfang.web.report.write_report import write_report
from tests.corpus.samples import write_samples
from tests.report.runs import make_run

NAMES = (
    *("../x", "..", ".", "/etc/passwd", "a/b", "a\\b", "..\\x", "C:\\x", "~/x", "%2e%2e%2fx"),
    *("a\0b", "a\nb", "-rf", "x/../../y", "\u2025/x", "．．/x", "con", "", "a" * 5000),
)


@pytest.mark.parametrize("name", NAMES)
def test_names_of_rules_classes_tasks_and_topics(name: str) -> None:
    for kind in (RULES, CLASSES):
        try:
            path = place_named(kind, name)
        except SettingsError:
            continue
        assert path.parent.name == kind
        assert path.name == f"{name}.json"
    for pattern in (TASK_NAME, LAB_NAME):
        if pattern.fullmatch(name):
            assert not set(name) & set("/\\\0\n~")
            assert name not in (".", "..")
    assert not SAFE_NAME.fullmatch(name) or name in ("con", "-rf", "a" * 5000)


@given(st.text(max_size=300) | st.sampled_from(NAMES))
def test_names_of_addresses_stay_in_their_folder(text: str) -> None:
    for url in (f"http://h.test/{text}", f"http://{text}/x", text, f"http://h.test/a?{text}"):
        for name in (
            mirror_path(url, "0123456789abcdef", text),
            name_page(url[:100].encode("ascii", "replace").decode()),
        ):
            parts = Path(name).parts
            assert ".." not in parts
            assert not Path(name).is_absolute()
            assert not set(name) & set("\0\\\n\r:")
        made = name_output(f"http://{text}")
        assert made not in ("", ".", "..")
        assert not set(made) & set("/\\\0\n")
        assert file_extension(text).isalnum()


def test_runs_are_files_of_the_report(tmp_path: Path) -> None:
    for number, name in enumerate(NAMES[:3]):
        out = tmp_path / str(number) / "out"
        write_report([make_run(name or "x")], out)
    written = {
        path.relative_to(tmp_path).parts[1] for path in tmp_path.rglob("*") if path.is_file()
    }
    assert written == {"out"}


@pytest.mark.parametrize("name", ["../../secret.parquet", "/etc/passwd", "data/../../x", "a/b/c"])
def test_a_corpus_names_files_of_its_own_only(tmp_path: Path, name: str) -> None:
    write_samples(tmp_path / "corpus", 2)
    path = tmp_path / "corpus" / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    manifest["shards"][0]["name"] = name
    path.write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(BlickfangError):
        open_corpus(tmp_path / "corpus").table(["id"])


MAY_NAME_FILES = ("render_requests.py", "records_routes.py", "export_routes.py", "task_routes.py")


def test_a_header_names_no_file(tmp_path: Path) -> None:
    """Content-Disposition and WARC-Filename are kept as facts; no code asks them for a path."""
    from tests.security.regexes import SOURCE

    for path in SOURCE.rglob("*.py"):
        text = path.read_text(encoding="utf-8").lower()
        if "content-disposition" in text:
            assert path.name in (
                "render_requests.py",
                "records_routes.py",
                "export_routes.py",
                "task_routes.py",
            ), path
        if "warc-filename" in text:
            assert path.name == "record_headers.py", path
    assert not list(tmp_path.iterdir())
