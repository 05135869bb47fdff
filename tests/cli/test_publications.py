"""The command publications, as a user meets it, on a small academic web."""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.academia import NAME, PAGES, Academia, list_works
from tests.cli.running import run
from tests.crawl.sites import crawl_here, serving, settings, write_collection


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    folder = tmp_path_factory.mktemp("publications") / "people"
    with serving(Academia()) as server:
        start = "http://start.test/"
        write_collection(folder, server, start, purpose="research")
        crawl_here(folder / "crawl", settings(server, start, purpose="research"))
        yield folder, server.address


def test_from_the_archive_to_a_table(web: tuple[Path, str], tmp_path: Path) -> None:
    out = tmp_path / "mueller.csv"
    done = run("publications", NAME, web[0], "-o", out)
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader(io.StringIO(out.read_text("utf-8"))))
    truth = dict(list_works())
    assert (
        len(rows) == len(truth) - 1
    )  # one stands only in a BibTeX file, which a crawl does not keep
    assert all(truth[row["title"]] == int(row["person"]) for row in rows)
    assert "11 publications, 2 people of this name" in done.stderr
    assert "left out: 6 not in the archive" in done.stderr
    assert done.stdout == ""


def test_from_addresses_on_stdin_with_papers(web: tuple[Path, str]) -> None:
    done = run(
        *("publications", NAME, web[0], "--urls", "-", "--format", "jsonl", "--explain"),
        stdin="\n".join(PAGES),
    )
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert {row["title"]: row["person"] for row in rows} == dict(list_works())
    assert sum(bool(row["abstract"]) for row in rows) == 2
    assert "papers/locked.pdf: encrypted" in done.stderr


def test_wrong_usage(web: tuple[Path, str]) -> None:
    assert run("publications", NAME, "--searx", web[1], "--urls", "-").returncode == 2
    assert run("publications", NAME, web[0], "--format", "xml").returncode == 2
    nobody = run("publications", "Müller", web[0])
    assert (nobody.returncode, "First Last" in nobody.stderr) == (4, True)
