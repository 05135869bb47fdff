"""More shards, or fewer: as few hosts move as can be, and nothing is lost or fetched twice."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.crawl.frontier.candidates import Candidate
from blickfang.crawl.frontier.queues import PATTERNS
from blickfang.crawl.shards.rebalancing import move_hosts, settle_hosts
from blickfang.crawl.shards.shard_plan import ShardPlan, read_plan, shard_of, write_plan
from blickfang.crawl.state.crawl_queries import summarise
from blickfang.crawl.state.state_db import StateDb, looking_into
from blickfang.errors import InputError
from tests.crawl.sites import (
    Local,
    Reply,
    Sites,
    archived,
    crawl_here,
    moved,
    page,
    picture,
    serving,
    settings,
    text,
)

HOSTS = [f"http://r{number}.test" for number in range(12)]


@given(
    st.sets(st.text("abcdefgh.", min_size=1, max_size=12)), st.integers(1, 40), st.integers(1, 9)
)
def test_hosts_only_move_to_shards_that_are_new(hosts: set[str], before: int, more: int) -> None:
    for host in hosts:
        old, new = shard_of(host, before), shard_of(host, before + more)
        assert 0 <= old < before
        assert new == old or before <= new < before + more


@pytest.mark.parametrize(("before", "after"), [(1, 2), (2, 3), (4, 5), (7, 8), (16, 24)])
def test_as_few_hosts_move_as_can_be_and_all_shards_have_their_share(
    before: int, after: int
) -> None:
    hosts = [f"www{number}.example.org" for number in range(20_000)]
    moving = sum(shard_of(host, before) != shard_of(host, after) for host in hosts)
    assert moving / len(hosts) == pytest.approx((after - before) / after, rel=0.05)
    share = Counter(shard_of(host, after) for host in hosts)
    assert len(share) == after
    assert max(share.values()) < 1.15 * len(hosts) / after


def make_web() -> dict[str, Reply]:
    """Hosts that all name each other, by links, redirects and images; one forbids something."""
    replies: dict[str, Reply] = {}
    for number, host in enumerate(HOSTS):
        other, third = HOSTS[(number + 1) % len(HOSTS)], HOSTS[(number * 5 + 3) % len(HOSTS)]
        for place in range(6):
            links = [f"/{place + 1}", f"{other}/{place}", f"/go/{place}", f"{third}/{place}"]
            replies[f"{host}/{place}"] = page(*links, images=(f"{other}/{place}.gif",))
            replies[f"{host}/{place}.gif"] = picture(f"{number}.{place}")
            replies[f"{host}/go/{place}"] = moved(f"{third}/end/{place}")
            replies[f"{host}/end/{place}"] = page()
        replies[f"{host}/robots.txt"] = text("User-agent: *\nDisallow: /go/3\n")
    return replies


def rows(folder: Path, query: str) -> dict[int, list[Any]]:
    """Return what a query finds, by shard."""
    found = {}
    for path in sorted(folder.glob("shard-*/state.sqlite")):
        with looking_into(path) as db:
            found[int(path.parent.name[6:])] = [tuple(row) for row in db.execute(query)]
    return found


@pytest.mark.parametrize("counts", [(2, 3), (1, 4), (3, 1), (3, 2, 5)])
def test_a_crawl_goes_on_with_other_shards(tmp_path: Path, counts: tuple[int, ...]) -> None:
    with serving(Sites(make_web())) as server:
        crawl_here(tmp_path / "whole", settings(server, f"{HOSTS[0]}/0"))
    web = Sites(make_web())
    with serving(web) as server:
        most = 20
        for count in counts:
            settle_hosts(tmp_path, count)
            last = count == counts[-1]
            options = settings(server, f"{HOSTS[0]}/0", max_pages=0 if last else most)
            crawl_here(tmp_path, options, shards=count)
            most += 20
    found = archived(tmp_path)
    assert Counter(found) == Counter(archived(tmp_path / "whole"))
    assert summarise(tmp_path)["queued_pages"] == 0
    for shard, hosts in rows(tmp_path, "SELECT name FROM hosts").items():
        assert {shard_of(name, counts[-1]) for (name,) in hosts} <= {shard}
    asked = Counter(url for url in web.asked if url.endswith("/robots.txt"))
    assert set(asked.values()) == {1}  # the rules of a host moved with it
    assert not [url for url in web.asked if "/go/3" in url]


def begin(folder: Path, shards: int) -> None:
    """Crawl a little."""
    with serving(Sites(make_web())) as server:
        settle_hosts(folder, shards)
        crawl_here(folder, settings(server, f"{HOSTS[0]}/0", max_pages=25), shards=shards)


def test_all_that_is_known_of_a_host_moves_with_it(tmp_path: Path) -> None:
    begin(tmp_path, 1)
    store = StateDb(tmp_path / "shard-00" / "state.sqlite")
    store.db.execute("UPDATE hosts SET sleeps_until = id + 1e9")
    store.db.execute("INSERT INTO others SELECT key, 'http://r1.test/x' FROM urls LIMIT 7")
    store.db.execute("INSERT INTO samples (host, data) SELECT name, x'01' FROM hosts")
    store.keep_fact("weights", b"learned")
    store.commit()
    store.close()
    queries = [
        "SELECT name, pages, fetches, evidence, worth, prior, taken, sleeps_until FROM hosts",
        "SELECT origin, host, until, rules FROM rules",
        "SELECT host, data FROM samples",
        "SELECT name, key, url, kind, state, bucket, score, urls.number, depth, via, hops, "
        "requested, tries, why FROM urls JOIN hosts ON hosts.id = host",
        "SELECT key, urls FROM others",
    ]
    before = [sorted(rows(tmp_path, query)[0]) for query in queries]
    counted = (
        f"SELECT name, key % {PATTERNS}, count FROM patterns JOIN hosts ON id = key / {PATTERNS}"  # noqa: S608
    )
    patterns = set(rows(tmp_path, counted)[0])
    hosts = len(before[0])
    assert settle_hosts(tmp_path, 3) == sum(shard_of(row[0], 3) != 0 for row in before[0]) < hosts
    for query, was in zip(queries, before, strict=True):
        found = rows(tmp_path, query)
        assert sorted(row for some in found.values() for row in some) == was
        assert all(found.values()) or "others" in query
    assert patterns == {row for some in rows(tmp_path, counted).values() for row in some} != set()
    known = rows(tmp_path, "SELECT value FROM facts WHERE name = 'weights'")
    assert known == {shard: [(b"learned",)] for shard in range(3)}
    assert read_plan(tmp_path) == ShardPlan(3, 0)
    assert settle_hosts(tmp_path, 3) == 0


def test_letters_find_the_new_owner(tmp_path: Path) -> None:
    begin(tmp_path, 2)
    for number in range(2):
        store = StateDb(tmp_path / f"shard-{number:02d}" / "state.sqlite")
        for host in HOSTS:
            name = host.removeprefix("http://")
            letter = json.dumps(Candidate(f"{host}/by/{number}", name))
            owner = shard_of(name, 2)
            store.db.execute("INSERT INTO outbox (shard, row) VALUES (?, ?)", (owner, letter))
        store.db.execute("INSERT OR REPLACE INTO inbox VALUES (0, 1000), (1, 1000)")
        store.commit()
        store.close()
    numbers = {
        shard: max(number for (number,) in found)
        for shard, found in rows(tmp_path, "SELECT number FROM outbox").items()
    }
    settle_hosts(tmp_path, 4)
    for shard, letters in rows(tmp_path, "SELECT number, shard, row FROM outbox").items():
        for number, owner, row in letters:
            assert owner == shard_of(Candidate(*json.loads(row)).host, 4)
            assert number > numbers[shard]  # nobody takes it for one that came before
    settle_hosts(tmp_path, 1)
    assert len(rows(tmp_path, "SELECT number FROM outbox")[0]) == 2 * len(HOSTS)


def test_killed_at_any_moment_it_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    query = "SELECT url, state, kind FROM urls ORDER BY url"
    begin(tmp_path, 2)
    was = sorted(row for some in rows(tmp_path, query).values() for row in some)
    commit, left = StateDb.commit, 0

    def commit_or_die(store: StateDb) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise KeyboardInterrupt
        commit(store)

    monkeypatch.setattr(StateDb, "commit", commit_or_die)
    for allowed in range(12):
        left = allowed
        try:
            settle_hosts(tmp_path, 4)
        except KeyboardInterrupt:
            assert read_plan(tmp_path).becoming == 4
        else:
            break
    assert allowed > 3
    found = rows(tmp_path, query)
    assert sorted(row for some in found.values() for row in some) == was
    for shard, hosts in rows(tmp_path, "SELECT name FROM hosts").items():
        assert {shard_of(name, 4) for (name,) in hosts} <= {shard}


def test_a_crawl_of_an_earlier_version_is_divided_anew(tmp_path: Path) -> None:
    begin(tmp_path, 2)
    (tmp_path / "crawl.json").write_text('{"shards": 2}\n', "utf-8")
    store = StateDb(tmp_path / "shard-00" / "state.sqlite")
    foreign = next(host for host in HOSTS if shard_of(host.removeprefix("http://"), 2) == 1)
    store.db.execute(
        "INSERT INTO hosts (name, pages, fetches, evidence, worth, prior) "
        "VALUES (?, 0, 0, 0, 0, 0)",
        (f"new.{foreign.removeprefix('http://')}",),
    )
    store.commit()
    store.close()
    settle_hosts(tmp_path, 2)
    for shard, hosts in rows(tmp_path, "SELECT name FROM hosts").items():
        assert {shard_of(name, 2) for (name,) in hosts} == {shard}


def test_a_damaged_plan_is_said_to_be(tmp_path: Path) -> None:
    (tmp_path / "crawl.json").write_text("[]", "utf-8")
    with pytest.raises(InputError, match="damaged"):
        read_plan(tmp_path)
    write_plan(tmp_path, ShardPlan(2, 3, "s3://a/b"))
    assert read_plan(tmp_path) == ShardPlan(2, 3, "s3://a/b")
    assert move_hosts(tmp_path, 2) == 0


def test_letters_to_oneself_come_back(tmp_path: Path) -> None:
    with serving(Sites(make_web())) as server:
        local = Local(tmp_path, settings(server, f"{HOSTS[0]}/0", max_pages=1), 2)
        crawl_here(tmp_path, local.options, shards=2)
        store = StateDb(tmp_path / "shard-00" / "state.sqlite")
        own = next(host for host in HOSTS if shard_of(host.removeprefix("http://"), 2) == 0)
        letter = json.dumps(Candidate(f"{own}/end/5", own.removeprefix("http://")))
        store.db.execute("INSERT INTO outbox (shard, row) VALUES (0, ?)", (letter,))
        store.commit()
        store.close()
        crawl_here(tmp_path, settings(server, f"{HOSTS[0]}/0"), shards=2)
    assert archived(tmp_path).count((f"{own}/end/5", 200)) == 1
    assert not any(rows(tmp_path, "SELECT 1 FROM outbox").values())
