"""Crawls that render pages, as a user has them. Skipped where there is no browser."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from blickfang.chromium import find_chromium
from blickfang.crawl.warc import Archived, read_archive
from blickfang.demo.truth import Answer
from blickfang.errors import SettingsError
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
