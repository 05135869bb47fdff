"""Crawls that render pages, as a user has them. Skipped where there is no browser."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest

from blickfang.demo.truth import Answer
from blickfang.errors import SettingsError
from blickfang.io.chromium import find_chromium
from blickfang.io.warc import Archived, read_archive
from tests.cli.running import objects, run
from tests.crawl.sites import Sites, page, serving, write_collection

A = "http://a.test"
OWN = "words of the page itself, before it leads on"


def shell(script: str, head: str = "") -> Answer:
    """Return a page that is empty without its script."""
    html = (
        f'<!doctype html><head>{head}</head><div id="root"></div><script src="{script}"></script>'
    )
    return Answer(200, (("Content-Type", "text/html"),), html.encode())


def draw(script: str) -> Answer:
    """Return a script."""
    return Answer(200, (("Content-Type", "text/javascript"),), script.encode())


@pytest.fixture(autouse=True)
def browser() -> None:
    """Skip where pages cannot be rendered."""
    pytest.importorskip("playwright", reason="needs the extra [browser]")
    try:
        find_chromium()
    except SettingsError as error:
        pytest.skip(str(error))


class Stamped(Sites):
    """Stamps what it gives, and gives nothing to whoever shows the stamp."""

    def answer(self, url: str, headers: Mapping[str, str] | None = None) -> Answer:
        """Answer a request."""
        found = super().answer(url)
        if found.status == 200 and any("If-None-Match" in name.title() for name in headers or {}):
            self.unchanged.append(url)
            return Answer(304, (("ETag", '"1"'),), b"")
        return replace(found, headers=(*found.headers, ("ETag", '"1"')))

    unchanged: ClassVar[list[str]] = []


WORDS = " ".join(f"word{number}" for number in range(60))
APP: dict[str, Answer] = {
    f"{A}/": page("/app", "/plain"),
    f"{A}/app": shell("/app.js"),
    f"{A}/app.js": draw(
        f"document.getElementById('root').innerHTML = '<p>{WORDS}</p><a href=/behind>x</a>'"
    ),
    f"{A}/plain": page(text=WORDS.upper()),
    f"{A}/behind": page(text="it was behind an app"),
}
NO_BROWSER = {"PATH": "/nowhere"}
MISSING = "1 page was kept as it came: needs [browser]"


@pytest.mark.parametrize("before", [[], ["--again"]])
def test_what_no_browser_was_there_for_is_rendered_later(tmp_path: Path, before: list[str]) -> None:
    sites = Stamped(APP)
    with serving(sites) as server:
        write_collection(tmp_path, server, f"{A}/", render="auto", shards=2, max_pages=3)
        for more in ([], before) if before else ([],):
            done = run("crawl", tmp_path, *more, environment=NO_BROWSER)
            assert done.returncode == 0, done.stderr
            assert MISSING in done.stderr
        asked = sites.count(f"{A}/app")
        assert asked == 1 + len(before)
        again = run("crawl", tmp_path, "--retry-failed", "--json")
        assert objects(again)[0]["pages"] == 1
        assert "1 address that failed is queued again" in again.stderr
        assert MISSING not in again.stderr
        assert WORDS in rendered(tmp_path)[f"{A}/app"]
        assert sites.count(f"{A}/app") == asked + 1
        last = run("crawl", tmp_path, "--retry-failed", "--json")
        assert "0 addresses that failed are queued again" in last.stderr
        assert objects(last)[0]["pages"] == 0  # max_pages
        sites.unchanged.clear()
        write_collection(tmp_path, server, f"{A}/", render="auto", shards=2, max_pages=4)
        assert objects(run("crawl", tmp_path, "--json"))[0]["pages"] == 1
        run("crawl", tmp_path, "--again")
        assert set(sites.unchanged) >= {f"{A}/app", f"{A}/behind"}
    rows = [row for row in objects(run("pages", tmp_path, "--json")) if row["url"] == f"{A}/app"]
    assert [row["words"] for row in rows] == [0] * len(rows[:-1]) + [61]  # with that of the link


def test_asked_again_it_comes_whole_to_be_rendered(tmp_path: Path) -> None:
    sites = Stamped(APP)
    with serving(sites) as server:
        write_collection(tmp_path, server, f"{A}/", render="auto", shards=1, max_pages=3)
        run("crawl", tmp_path, environment=NO_BROWSER)
        sites.unchanged.clear()
        assert objects(run("crawl", tmp_path, "--again", "--json"))[0]["pages"] == 3
    assert set(sites.unchanged) == {f"{A}/", f"{A}/plain"}
    assert WORDS in rendered(tmp_path)[f"{A}/app"]


def test_render_raised_without_a_browser_asks_nobody(tmp_path: Path) -> None:
    sites = Stamped(APP)
    with serving(sites) as server:
        for render in ("never", "auto"):
            write_collection(tmp_path, server, f"{A}/", render=render, shards=1)
            done = run("crawl", tmp_path, environment=NO_BROWSER)
            assert (MISSING in done.stderr) == (render == "auto"), done.stderr
        assert sites.count(f"{A}/app") == 1
        run("crawl", tmp_path, "--retry-failed")
    assert sites.count(f"{A}/app") == 2
    assert WORDS in rendered(tmp_path)[f"{A}/app"]


def test_links_of_rendered_pages_are_found_again(tmp_path: Path) -> None:
    sites = Sites(APP)
    with serving(sites) as server:
        for depth, count in ((1, 0), (2, 1)):
            write_collection(tmp_path, server, f"{A}/", render="auto", shards=1, max_depth=depth)
            objects(run("crawl", tmp_path, "--json"))
            assert sites.count(f"{A}/behind") == count
    assert sites.count(f"{A}/app") == 1


@pytest.mark.parametrize("shards", [1, 2])
def test_render_that_is_raised_holds_for_pages_fetched_before(tmp_path: Path, shards: int) -> None:
    sites = Stamped(APP)
    asked = []
    with serving(sites) as server:
        for render in ("never", "auto", "auto", "always", "always"):
            write_collection(tmp_path, server, f"{A}/", render=render, shards=shards)
            done = run("crawl", tmp_path)
            assert done.returncode == 0, done.stderr
            asked.append([sites.count(f"{A}/{name}") for name in ("app", "plain", "behind")])
            told = "render changed since the last run"
            assert (told in done.stderr) == (asked[-1] != asked[-2:][0]), done.stderr
    assert asked == [[1, 1, 0], [2, 1, 1], [2, 1, 1], [2, 2, 2], [2, 2, 2]]
    assert rendered(tmp_path).keys() == {f"{A}/", f"{A}/app", f"{A}/plain", f"{A}/behind"}


def crawl(root: Path, replies: Mapping[str, Answer]) -> tuple[Sites, dict[str, dict[str, object]]]:
    """Crawl with rendering; return who was asked, and the pages by address."""
    sites = Sites(replies)
    with serving(sites) as server:
        write_collection(root, server, f"{A}/", render="auto", shards=1)
        objects(run("crawl", root, "--json"))
    return sites, {str(row["url"]): row for row in objects(run("pages", root, "--json"))}


def rendered(root: Path) -> dict[str, str]:
    """Return what was archived of pages as the browser made them."""
    found = {}
    for path in root.glob("crawl/shard-*/*.warc.gz"):
        for record in read_archive(path):
            if isinstance(record, Archived) and record.kind == "conversion":
                found[record.url] = record.body.decode()
    return found


def test_pages_whose_scripts_lead_on(tmp_path: Path) -> None:
    write = f"document.getElementById('root').innerHTML = '<p>{OWN}</p>';"
    replies = {
        f"{A}/": page("/now", "/later"),
        f"{A}/now": shell("/now.js"),
        f"{A}/now.js": draw("location.href = '/real'"),
        f"{A}/later": shell("/later.js"),
        f"{A}/later.js": draw(f"{write} setTimeout(() => location.replace('/real2'), 1500)"),
        f"{A}/real": page(text="this is where it leads"),
        f"{A}/real2": page(text="this is where the other one leads"),
    }
    sites, pages = crawl(tmp_path, replies)
    assert sites.count(f"{A}/real") == sites.count(f"{A}/real2") == 1
    assert (pages[f"{A}/real"]["via"], pages[f"{A}/real"]["depth"]) == (f"{A}/now", 2)
    seen = rendered(tmp_path)
    assert OWN in seen[f"{A}/later"]
    assert not any("ERR_" in html or "chrome-error" in html for html in seen.values())
    assert pages[f"{A}/later"]["duplicate_of"] is None


def test_what_a_script_takes_away_still_holds(tmp_path: Path) -> None:
    undo = """document.querySelectorAll('meta, link').forEach(one => one.remove());
    document.body.innerHTML = '<p>words that shall be in no index</p><a href=/behind>x</a>'"""
    add = """document.head.innerHTML += '<meta name=robots content=noindex>';
    document.body.innerHTML = '<p>more words</p><a href=/seen>x</a>'"""
    policy = '<link rel="license" type="application/rsl+xml" href="/license.xml">'
    replies = {
        f"{A}/": page("/hidden", "/added", "/licensed"),
        f"{A}/hidden": shell("/undo.js", '<meta name="robots" content="noindex, nofollow">'),
        f"{A}/added": shell("/add.js", '<meta name="robots" content="nofollow">'),
        f"{A}/licensed": shell("/undo.js", policy),
        f"{A}/undo.js": draw(undo),
        f"{A}/add.js": draw(add),
    }
    sites, pages = crawl(tmp_path, replies)
    assert pages[f"{A}/hidden"]["withheld"] == "meta: noindex, meta: nofollow"
    assert pages[f"{A}/added"]["withheld"] == "meta: nofollow, meta: noindex"
    assert not {f"{A}/hidden", f"{A}/added"} & rendered(tmp_path).keys()
    assert f"{A}/seen" not in sites.asked
    assert "license.xml" in run("consent", tmp_path, f"{A}/licensed", "--json").stdout
