"""Asking again for consent: what hosts forbid by now."""

import json
import sqlite3
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest
from typer.testing import CliRunner

from blickfang.cli import app
from blickfang.crawl.fetch.fetch_many import LEFT_ALONE
from blickfang.crawl.permission.recheck import recheck_store
from blickfang.crawl.state.crawl_queries import find_stores
from tests.crawl.sites import (
    Busy,
    Sites,
    crawl_here,
    page,
    picture,
    serving,
    settings,
    text,
    write_collection,
)


def run(*args: str | Path) -> tuple[int, list[dict[str, object]], str]:
    done = CliRunner().invoke(app, [str(arg) for arg in args])
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return done.exit_code, rows, done.output


def test_what_was_allowed_may_be_withdrawn_and_allowed_again(tmp_path: Path) -> None:
    sites = Sites(
        {
            "http://a.test/": page("/one", "http://b.test/", images=("/one.gif",)),
            "http://a.test/one": page(text="words"),
            "http://a.test/one.gif": picture("one"),
            "http://b.test/": page(text="other words"),
        }
    )
    root = tmp_path / "c"
    with serving(sites) as server:
        write_collection(root, server, "http://a.test/")
        assert run("crawl", root)[0] == 0
        assert run("consent", root, "--recheck", "--json")[:2] == (0, [])
        sites.replies["http://a.test/robots.txt"] = text("User-agent: *\nDisallow: /one")
        code, rows, _ = run("consent", root, "--recheck", "--json")
        assert code == 0
        assert [(row["url"], row["kind"]) for row in rows] == [
            ("http://a.test/one", "page"),
            ("http://a.test/one.gif", "image"),
        ]
        _, ledger, _ = run("consent", root, "http://a.test/one", "--json")
        assert ledger[-1]["decision"]["keep"] is False  # type: ignore[index]
        sites.replies["http://a.test/robots.txt"] = text("User-agent: *\nAllow: /")
        assert run("consent", root, "--recheck", "--json")[:2] == (0, [])
        _, ledger, _ = run("consent", root, "http://a.test/one", "--json")
        assert ledger[-1]["decision"]["keep"] is True  # type: ignore[index]


def test_who_does_not_answer_withdraws_nothing_and_is_named(tmp_path: Path) -> None:
    sites = Sites({"http://a.test/": page(text="words")})
    root = tmp_path / "c"
    with serving(sites) as server:
        write_collection(root, server, "http://a.test/")
        assert run("crawl", root)[0] == 0
        sites.replies["http://a.test/robots.txt"] = text("", 503)
        code, rows, said = run("consent", root, "--recheck", "--json")
        assert (code, rows) == (1, [])
        assert "http://a.test did not say" in said
        assert "0 kept addresses checked, 0 withdrawn; 1 not, for their hosts did not say" in said


def test_rules_of_another_purpose_are_heard_and_outlast_silence(tmp_path: Path) -> None:
    sites = Sites(
        {
            "http://a.test/": page(text="words"),
            "http://a.test/.well-known/tdmrep.json": text(
                json.dumps([{"location": "/", "tdm-reservation": 1}])
            ),
        }
    )
    root = tmp_path / "c"
    with serving(sites) as server:
        write_collection(root, server, "http://a.test/")
        assert run("crawl", root)[0] == 0
        assert run("consent", root, "--recheck", "--json")[:2] == (0, [])
        write_collection(root, server, "http://a.test/", purpose="research")
        _, rows, _ = run("consent", root, "--recheck", "--json")
        assert [row["url"] for row in rows] == ["http://a.test/"]
        sites.replies["http://a.test/robots.txt"] = text("", 503)
        for _ in range(2):
            assert run("consent", root, "--recheck", "--json")[0] == 1
        _, said, _ = run("consent", root, "http://a.test/", "--json")
        assert said[1]["source"] == "http://a.test/.well-known/tdmrep.json"


def test_no_more_at_once_than_an_address_may_bear(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("blickfang.crawl.fetch.resolver._look_up", lambda _: ["127.0.0.1"])
    sites = Busy({f"http://h{n}.test/": page(text="words") for n in range(10)})
    with serving(sites) as server:
        seeds = [f"http://h{number}.test:{server.port}/" for number in range(10)]
        options = replace(settings(server, *seeds, per_address=2), proxy="")
        crawl_here(tmp_path, options)
        sites.most = 0
        (path,) = find_stores(tmp_path)
        found = recheck_store(path, options, "Blickfang/0 (+http://127.0.0.1/)", lambda *_: None)
    assert (found.addresses, found.silent) == (10, {})
    assert sites.most == 2


def test_who_asks_to_be_left_alone_meanwhile_is(tmp_path: Path) -> None:
    """All origins of a host: the others are not asked, and nobody waits for them."""
    origins = [f"http://a.test{port}" for port in ("", ":81", ":82")]
    sites = Sites({f"{origin}/": page(text=origin) for origin in origins})
    with serving(sites) as server:
        options = settings(server, *(f"{origin}/" for origin in origins))
        crawl_here(tmp_path, options)
        (path,) = find_stores(tmp_path)
        before = len(sites.asked)
        for origin in origins:
            sites.replies[f"{origin}/robots.txt"] = text("", 503, ("Retry-After", "500"))
        found = recheck_store(path, options, "Blickfang/0 (+http://127.0.0.1/)", lambda *_: None)
    assert len(sites.asked) == before + 1
    assert found.addresses == 0
    assert sorted(found.silent.values()).count(LEFT_ALONE) == 2


def test_what_was_heard_before_an_interruption_holds(tmp_path: Path) -> None:
    sites = Sites({"http://a.test/": page(text="words"), "http://b.test/": page(text="others")})
    with serving(sites) as server:
        options = settings(server, "http://a.test/", "http://b.test/")
        crawl_here(tmp_path, options)
        (path,) = find_stores(tmp_path)
        for name in "ab":
            sites.replies[f"http://{name}.test/robots.txt"] = text("User-agent: *\nDisallow: /")

        interrupt = Mock(side_effect=KeyboardInterrupt)
        with pytest.raises(KeyboardInterrupt):
            recheck_store(path, options, "Blickfang/0 (+http://127.0.0.1/)", interrupt)
    with closing(sqlite3.connect(path)) as db:
        query = "SELECT count(*) FROM consent WHERE decision LIKE '%\"keep\": false%'"
        assert db.execute(query).fetchone()[0] >= 1


@pytest.mark.parametrize(("pause_s", "asked"), [(1.0, True), (500.0, False)])
def test_who_asked_to_be_left_alone_is(tmp_path: Path, pause_s: float, asked: bool) -> None:
    sites = Sites({"http://a.test/": page(text="words"), "http://b.test/": page(text="others")})
    with serving(sites) as server:
        options = settings(server, "http://a.test/", "http://b.test/")
        crawl_here(tmp_path, options)
        (path,) = find_stores(tmp_path)
        until = time.time() + pause_s
        with closing(sqlite3.connect(path)) as db:
            db.execute("UPDATE hosts SET sleeps_until = ? WHERE name = 'a.test'", (until,))
            db.commit()
        before = len(sites.asked)
        found = recheck_store(path, options, "Blickfang/0 (+http://127.0.0.1/)", lambda *_: None)
        assert sites.asked[before:] == [f"http://{n}.test/robots.txt" for n in "ba"[: 1 + asked]]
        assert time.time() < until + 10
        assert not asked or time.time() >= until
        assert found.silent == ({} if asked else {"http://a.test": LEFT_ALONE})
        sites.replies["http://b.test/robots.txt"] = text("", 503, ("Retry-After", "400"))
        recheck_store(path, options, "Blickfang/0 (+http://127.0.0.1/)", lambda *_: None)
        count = sites.count("http://b.test/robots.txt")
        found = recheck_store(path, options, "Blickfang/0 (+http://127.0.0.1/)", lambda *_: None)
    assert found.silent["http://b.test"] == LEFT_ALONE
    assert sites.count("http://b.test/robots.txt") == count


def test_either_an_address_or_all(tmp_path: Path) -> None:
    code, _, said = run("consent", tmp_path)
    assert code == 2
    assert "--recheck" in said
