"""How crawls end, as whoever started them is told: what counts as a failure, and what may help."""

from pathlib import Path

from blickfang.demo.truth import Answer
from tests.cli.running import objects, run
from tests.crawl.sites import Reply, Sites, page, picture, serving, text, write_collection

A = "http://a.test"
NOTHING = "not one page could be fetched"


def test_a_crawl_that_has_pages_from_before_has_not_failed(tmp_path: Path) -> None:
    replies: dict[str, Reply] = {f"{A}/": page("/broken"), f"{A}/broken": text("", 500)}
    with serving(Sites(replies)) as server:
        write_collection(tmp_path, server, f"{A}/", shards=2, retries=0)
        for more in ([], ["--retry-failed"], ["--again"]):
            done = run("crawl", tmp_path, *more)
            assert done.returncode == 0, done.stderr
            assert NOTHING not in done.stderr


def test_a_run_that_brought_only_images_has_not_failed(tmp_path: Path) -> None:
    replies: dict[str, Reply] = {
        f"{A}/": page(images=("/1.gif", "/broken.gif")),
        f"{A}/1.gif": picture("1"),
        f"{A}/broken.gif": text("", 500),
    }
    with serving(Sites(replies)) as server:
        for images in (False, True):
            write_collection(tmp_path, server, f"{A}/", shards=1, retries=0, images=images)
            facts = objects(run("crawl", tmp_path, "--json"))[0]
    assert [facts[name] for name in ("pages", "images", "failures")] == [0, 1, 1]


def test_only_what_may_help_is_advised(tmp_path: Path) -> None:
    with serving(Sites({f"{A}/": text("", 500)})) as server:
        write_collection(tmp_path / "a", server, f"{A}/", shards=1, retries=0)
        first, again = run("crawl", tmp_path / "a"), run("crawl", tmp_path / "a", "--retry-failed")
        write_collection(tmp_path / "b", server, f"{A}/", shards=1, reject=("(test,a,",))
        rejected = run("crawl", tmp_path / "b")
    for done in (first, again, rejected):
        assert done.returncode == 1
        assert NOTHING in done.stderr
        assert ("--retry-failed" in done.stderr) == (done is first)


def test_why_pages_were_kept_as_they_came(tmp_path: Path) -> None:
    shell = Answer(
        200, (("Content-Type", "text/html"),), b'<div id="root"></div><script src="/app.js">'
    )
    replies: dict[str, Reply] = {f"{A}/": page("/1", "/2"), f"{A}/1": shell, f"{A}/2": shell}
    with serving(Sites(replies)) as server:
        write_collection(tmp_path, server, f"{A}/", shards=1, render="auto")
        done = run("crawl", tmp_path, environment={"PATH": "/nowhere"})
    assert done.returncode == 0, done.stderr
    assert "2 pages were kept as they came: needs [browser]: " in done.stderr


def test_hosts_of_others_need_a_contact(tmp_path: Path) -> None:
    sites = Sites({})
    with serving(sites) as server:
        write_collection(tmp_path, server, "http://9.9.9.9/", shards=1, retries=0)
        done = run("crawl", tmp_path)
    assert done.returncode == 1
    assert "hosts of others need a contact (1)" in done.stderr
    assert "write a contact into [crawl]" in done.stderr
    assert not sites.asked
