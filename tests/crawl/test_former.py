"""Other shards, and settings that were loosened: the links of pages fetched before are followed."""

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from blickfang.crawl.shards.rebalancing import settle_hosts
from blickfang.io.warc.cdxj import write_index
from tests.crawl.sites import Sites, crawl_here, page, serving, settings
from tests.crawl.test_loosening import CASES, WORDS, A, B, crawl, fetched
from tests.crawl.test_rebalancing import rows
from tests.crawl.test_reoffering import leads_round, make_random_web, walk

QUIET = {"images": False}


@pytest.mark.parametrize("counts", [(1, 2), (2, 1), (2, 1, 2), (3, 2, 3)])
@pytest.mark.parametrize(("before", "after", "more", "what"), CASES)
def test_limits_are_loosened_while_hosts_move(
    tmp_path: Path,
    before: dict[str, Any],
    after: dict[str, Any],
    more: set[str],
    what: str,
    counts: tuple[int, ...],
) -> None:
    for count in counts[:-1]:
        settle_hosts(tmp_path, count)
        crawl(tmp_path, count, **(QUIET | before))
    there = fetched(tmp_path)
    settle_hosts(tmp_path, counts[-1])
    again = crawl(tmp_path, counts[-1], **(QUIET | after)).standing()
    assert fetched(tmp_path) - there == more
    told = again.queued_again if what == "addresses" else again.read_again
    assert set(told) == set(before)
    if what == "pages":  # each by one shard only
        visits = rows(tmp_path, "SELECT url FROM visits WHERE kind = 0 AND status = 200")
        assert told.total() <= len({row for some in visits.values() for row in some})


@pytest.mark.parametrize("number", range(4))
def test_depths_settle_while_hosts_move(tmp_path: Path, number: int) -> None:
    chance = random.Random(number)  # noqa: S311 -- of a test
    sites, links, detours = make_random_web(chance)
    seed = "http://h0.test/0"
    with serving(sites) as server:
        for most, count in ((9, 3), (18, 1), (27, 2), (0, 3)):
            settle_hosts(tmp_path, count)
            options = settings(
                server, seed, max_depth=6, max_pages=most, images=False, robots=False
            )
            crawl_here(tmp_path, options, shards=count)
    asked = Counter(sites.asked)
    assert set(asked.values()) == {1}
    loops = {url for url in detours if leads_round(url, detours)}
    assert set(asked) - loops == walk(seed, links, detours, 6) - loops


def test_a_payload_that_another_shard_has_fetched(tmp_path: Path) -> None:
    same = page("end", text=WORDS)
    sites = Sites({f"{A}/": page(f"{B}/x/", f"{B}/y/"), f"{B}/x/": same, f"{B}/y/": same})
    sites.replies |= {f"{B}/x/end": page(), f"{B}/y/end": page()}
    with serving(sites) as server:
        for count, depth in ((1, 1), (2, 2)):
            settle_hosts(tmp_path, count)
            crawl_here(tmp_path, settings(server, f"{A}/", max_depth=depth), shards=count)
            for path in tmp_path.glob("shard-*/*.warc.gz"):
                write_index(path, path.with_name(path.name.removesuffix(".warc.gz") + ".cdxj"))
    assert fetched(tmp_path) == set(sites.replies)
    assert not any(rows(tmp_path, "SELECT * FROM reoffers").values())
