import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.crawl.focus import Strategy
from blickfang.crawl.focus.judged_values import HostState
from blickfang.crawl.frontier.candidates import DONE, IMAGE, PAGE, Candidate, QueuedUrl
from blickfang.crawl.frontier.frontier import Frontier
from blickfang.crawl.state.state_db import StateDb


class Plain(Strategy):
    """The best head first; hosts without pages may be probed."""

    def wants_probe(self, state: HostState) -> bool:
        return state.pages == 0


@pytest.fixture
def store(tmp_path: Path) -> Iterator[StateDb]:
    store = StateDb(tmp_path / "state.sqlite")
    yield store
    store.close()


def page(url: str, score: float = 0.0, bucket: int = 1, kind: int = PAGE) -> Candidate:
    return Candidate(url, url.split("/")[2], kind, bucket, score)


def take(frontier: Frontier, *, probe: bool = False) -> str | None:
    choice = frontier.choose(probe=probe)
    if choice is None:
        return None
    finish(frontier, choice)
    return choice.candidate.url


def finish(frontier: Frontier, choice: QueuedUrl, ready_at: float = 0.0) -> None:
    frontier.settle(choice, DONE)
    frontier.release(choice.candidate.host, ready_at)


def drain(frontier: Frontier) -> list[str]:
    found = []
    while (url := take(frontier)) is not None:
        found.append(url)
    return found


def test_the_best_of_the_best_bucket_comes_first(store: StateDb) -> None:
    frontier = Frontier(store, Plain())
    frontier.add(
        [
            page("http://a.org/worse", 2.0, 2),
            page("http://b.org/good", 9.0, 1),
            page("http://a.org/better", 3.0, 1),
            page("http://c.org/seed", 99.0, 0),
        ]
    )
    assert drain(frontier) == [
        "http://c.org/seed",
        "http://a.org/better",
        "http://b.org/good",
        "http://a.org/worse",
    ]


def test_an_address_is_queued_once_for_ever(store: StateDb) -> None:
    frontier = Frontier(store, Plain())
    assert frontier.add([page("http://a.org/1"), page("http://a.org/1")]) == 1
    assert drain(frontier) == ["http://a.org/1"]
    frontier.known.clear()
    assert frontier.add([page("http://a.org/1", -5.0)]) == 0
    assert frontier.add([page("http://a.org/1?PHPSESSID=7")]) == 0
    assert drain(frontier) == []


def test_a_better_mention_moves_up(store: StateDb) -> None:
    frontier = Frontier(store, Plain())
    frontier.add([page("http://a.org/1", 5.0), page("http://a.org/2", 4.0)])
    frontier.add([page("http://a.org/1", 1.0)])
    frontier.add([page("http://a.org/2", 9.0)])
    assert drain(frontier) == ["http://a.org/1", "http://a.org/2"]


def test_a_better_mention_says_who_named_it_and_how_near_it_is(store: StateDb) -> None:
    frontier = Frontier(store, Plain())
    far = page("http://a.org/1", 5.0)._replace(depth=5, via="http://weak.org/")
    near = page("http://a.org/1", 1.0)._replace(depth=1, via="http://strong.org/")
    for mentions in ([far], [near], [far._replace(score=0.5, via="http://last.org/")]):
        frontier.add(mentions)
    choice = frontier.choose(probe=False)
    assert choice is not None
    assert (choice.candidate.via, choice.candidate.depth) == ("http://last.org/", 1)


def test_beyond_the_razor_until_a_better_mention(store: StateDb) -> None:
    frontier = Frontier(store, Plain())
    assert frontier.add([page("http://a.org/1", 5.0, -1)]) == 0
    assert take(frontier) is None
    assert frontier.add([page("http://a.org/1", 5.0, 2)]) == 1
    assert frontier.queued == [1, 0]
    assert drain(frontier) == ["http://a.org/1"]
    assert frontier.queued == [0, 0]


def test_a_busy_host_blocks_nobody_else(store: StateDb) -> None:
    frontier = Frontier(store, Plain())
    frontier.add([page("http://a.org/1"), page("http://a.org/2"), page("http://b.org/1", 7.0)])
    first = frontier.choose(probe=False)
    assert first is not None
    assert take(frontier) == "http://b.org/1"
    assert take(frontier) is None
    finish(frontier, first, ready_at=50.0)
    assert take(frontier) is None
    assert frontier.wake(10.0) == 50.0
    assert frontier.wake(50.0) is None
    assert take(frontier) == "http://a.org/2"


def test_what_is_under_way_is_not_taken_twice(store: StateDb) -> None:
    frontier = Frontier(store, Plain())
    frontier.add([page("http://a.org/1", 5.0)])
    choice = frontier.choose(probe=False)
    assert choice is not None
    frontier.add([page("http://a.org/1", 1.0)])
    frontier.known.clear()
    frontier.add([page("http://a.org/1", 0.5)])
    finish(frontier, choice)
    assert drain(frontier) == []


def test_tried_again_comes_last(store: StateDb) -> None:
    frontier = Frontier(store, Plain())
    frontier.add([page("http://a.org/1"), page("http://a.org/2", 5.0)])
    choice = frontier.choose(probe=False)
    assert choice is not None
    frontier.try_again(choice)
    frontier.release("a.org", 0.0)
    assert take(frontier) == "http://a.org/2"
    again = frontier.choose(probe=False)
    assert again is not None
    assert (again.candidate.url, again.tries) == ("http://a.org/1", 1)
    assert (again.candidate.bucket, again.candidate.score) == (1, 0.0)  # its place is not lost


def test_new_links_come_before_what_is_tried_again(store: StateDb) -> None:
    frontier = Frontier(store, Plain())
    frontier.add([page("http://a.org/1", 0.5)])
    choice = frontier.choose(probe=False)
    assert choice is not None
    frontier.try_again(choice)
    frontier.release("a.org", 0.0)
    frontier.add([page("http://a.org/2", 5.0, 3)])
    frontier.known.clear()
    frontier.add([page("http://a.org/1", 0.1)])  # a better mention, but it failed all the same
    assert drain(frontier) == ["http://a.org/2", "http://a.org/1"]


def test_after_the_last_page_images_that_failed_once_are_not_forgotten(store: StateDb) -> None:
    frontier = Frontier(store, Plain())
    frontier.add([page("http://a.org/good.jpg", kind=IMAGE)])
    choice = frontier.choose(probe=False)
    assert choice is not None
    frontier.try_again(choice)
    frontier.release("a.org", 0.0)
    frontier.add([page("http://a.org/poor.jpg", 0.0, 3, IMAGE), page("http://a.org/page")])
    frontier.close_pages()
    frontier.add([page("http://a.org/poorer.jpg", 0.0, 3, IMAGE)])
    assert drain(frontier) == ["http://a.org/good.jpg"]
    assert frontier.is_empty()


def test_what_a_link_took_for_a_page_is_an_image_where_it_is_shown(store: StateDb) -> None:
    frontier = Frontier(store, Plain())
    frontier.add([page("http://a.org/picture", 1.0)])
    frontier.add([page("http://a.org/picture", 9.0, 2, IMAGE)])
    assert frontier.queued == [0, 1]
    choice = frontier.choose(probe=False)
    assert choice is not None
    assert choice.candidate.kind == IMAGE
    finish(frontier, choice)
    assert drain(frontier) == []


def test_good_images_come_before_the_next_page_and_poor_ones_last(store: StateDb) -> None:
    frontier = Frontier(store, Plain())
    frontier.add(
        [
            *(page(f"http://a.org/{n}", float(n)) for n in range(4)),
            page("http://a.org/good.jpg", 0.0, 1, IMAGE),
            page("http://a.org/fair.jpg", 0.0, 2, IMAGE),
            page("http://a.org/poor.jpg", 0.0, 3, IMAGE),
        ]
    )
    names = [url.rsplit("/", 1)[1] for url in drain(frontier)]
    assert names == ["good.jpg", "0", "1", "fair.jpg", "2", "3", "poor.jpg"]


def test_probes_take_a_host_that_is_hardly_known(store: StateDb) -> None:
    plain = Plain()
    plain.probe_every = 3
    frontier = Frontier(store, plain)
    frontier.add([page("http://good.org/1", 0.0), page("http://new.org/1", 9.0)])
    frontier.learn({"good.org": HostState(pages=4)})
    assert take(frontier, probe=True) == "http://new.org/1"
    assert take(frontier, probe=True) == "http://good.org/1"


def test_a_calendar_costs_its_budget_and_a_host_its_own(store: StateDb) -> None:
    frontier = Frontier(store, Plain(), max_per_host=30)
    frontier.add(page(f"http://c.org/cal/{2000 + n // 12}/{n % 12 + 1}.html") for n in range(500))
    assert frontier.queued[PAGE] == 120
    assert len(drain(frontier)) == 30
    assert frontier.queued[PAGE] == 0
    why = dict(store.db.execute("SELECT why, count(*) FROM urls WHERE state = 3 GROUP BY why"))
    assert why == {
        "more than 120 addresses that differ only in digits": 380,
        "the budget of its host is spent": 90,
    }


def test_articles_of_a_day_are_no_calendar(store: StateDb) -> None:
    frontier = Frontier(store, Plain())
    frontier.add(page(f"http://c.org/2024/05/{10000 + n}.html") for n in range(160))
    frontier.add(page(f"http://c.org/2024/05/{n}.html") for n in range(1, 32))
    assert frontier.queued[PAGE] == 160 + 31


def test_a_new_start_goes_on_from_the_last_commit(tmp_path: Path) -> None:
    path = tmp_path / "state.sqlite"
    store = StateDb(path)
    frontier = Frontier(store, Plain())
    frontier.add([page("http://a.org/1", 1.0), page("http://a.org/2", 2.0), page("http://b.org/x")])
    assert take(frontier) == "http://b.org/x"
    store.commit()
    assert take(frontier) == "http://a.org/1"
    store.close()  # what was not committed is gone, as after a kill
    store = StateDb(path)
    frontier = Frontier(store, Plain())
    assert frontier.queued == [2, 0]
    assert drain(frontier) == ["http://a.org/1", "http://a.org/2"]
    store.close()


links = st.tuples(
    st.sampled_from(["a.org", "b.org", "c.org"]),
    st.integers(0, 12),
    st.integers(0, 3),
    st.integers(0, 5),
)


@given(st.lists(st.one_of(links, st.none()), max_size=60))
def test_the_order_is_that_of_a_plain_list(steps: list[tuple[str, int, int, int] | None]) -> None:
    store = StateDb(Path(":memory:"))
    frontier = Frontier(store, Plain())
    queue: dict[str, tuple[int, float]] = {}
    seen: set[str] = set()
    for step in steps:
        if step is None:
            best = min(queue.values(), default=None)
            url = take(frontier)
            assert (url is None) == (best is None)
            if url is not None:
                assert queue.pop(url) == best
            continue
        host, number, bucket, score = step
        url = f"http://{host}/p{'x' * number}"
        frontier.add([page(url, float(score), bucket)])
        order = (bucket, float(score))
        if url in queue or url not in seen:
            queue[url] = min(order, queue.get(url, order))
        seen.add(url)
    assert frontier.queued[PAGE] == len(queue)
    store.close()


def test_the_order_of_arrival_lasts_over_breaks(tmp_path: Path) -> None:
    path = tmp_path / "state.sqlite"
    for turn in range(3):
        store = StateDb(path)
        assert store.arrivals == 2 * turn
        Frontier(store, Plain()).add(page(f"http://a.org/{turn}{name}") for name in "ab")
        store.commit()
        Frontier(store, Plain()).add([page("http://a.org/lost")])  # rolled back with the rest
        store.close()
    store = StateDb(path)
    assert drain(Frontier(store, Plain())) == [
        f"http://a.org/{turn}{name}" for turn in range(3) for name in "ab"
    ]
    store.close()


def test_what_is_asked_at_a_start_reads_no_row_of_what_is_queued(store: StateDb) -> None:
    """With millions of addresses a look at each row takes minutes."""
    asked: list[str] = []
    store.db.set_trace_callback(asked.append)
    Frontier(store, Plain()).queues.hosts_of_seeds()
    store.db.set_trace_callback(None)
    plans = [row[3] for one in asked for row in store.db.execute(f"EXPLAIN QUERY PLAN {one}")]
    on_urls = [plan for plan in plans if "urls" in plan]
    assert len(on_urls) == 4
    assert all("COVERING INDEX" in plan or "INDEX seeded" in plan for plan in on_urls)


@given(st.lists(st.tuples(st.booleans(), st.integers(1, 3)), max_size=8), st.booleans())
def test_nothing_is_left_when_no_good_image_is(rows: list[tuple[bool, int]], taken: bool) -> None:
    """Asked ten times a second once a crawl has its pages; the truth is a look at all rows."""
    with tempfile.TemporaryDirectory() as folder:
        store = StateDb(Path(folder) / "state.sqlite")
        frontier = Frontier(store, Plain())
        frontier.add(
            page(f"http://h{number % 3}.org/{number}", 0.5, bucket, IMAGE if is_image else PAGE)
            for number, (is_image, bucket) in enumerate(rows)
        )
        frontier.close_pages()
        if taken and (choice := frontier.choose(probe=False)) is not None:
            finish(frontier, choice)
        left = store.db.execute(
            "SELECT count(*) FROM urls WHERE state = 0 AND kind = 1 AND bucket <= 2"
        ).fetchone()[0]
        assert frontier.is_empty() == (left == 0)
        store.close()


def test_patterns_of_a_host_are_counted_apart_and_lie_together(store: StateDb) -> None:
    frontier = Frontier(store, Plain())
    for turn in range(3):
        for name in ("a.org", "b.org"):
            frontier.add([page(f"http://{name}/{'x' * n}/{turn}{n}") for n in range(50)])
    store.commit()
    rows = store.db.execute("SELECT key, count FROM patterns ORDER BY key").fetchall()
    keys = [key for key, _ in rows]
    assert [count for _, count in rows] == [3] * 100
    numbers = [frontier.host(name).id for name in ("a.org", "b.org")]
    assert [key >> 39 for key in keys] == [number for number in numbers for _ in range(50)]


def test_budgets_last_over_commits_breaks_and_what_memory_forgets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 121 dates one is too many, however they come."""
    monkeypatch.setattr("blickfang.crawl.frontier.queues.MOST_COUNTS", 2)
    for turn in range(13):
        store = StateDb(tmp_path / "state.sqlite")
        frontier = Frontier(store, Plain())
        for day in range(10):
            number = 10 * turn + day
            frontier.add(
                [page(f"http://c.org/{2000 + number}/1"), page(f"http://c.org/x/{number}")]
            )
            frontier.add([page(f"http://c.org/{'y' * (1 + number)}/7")])
        assert frontier.queued[PAGE] == min(120, 10 * turn + 10) + 20 * (turn + 1)
        store.commit()
        store.close()


def test_what_was_not_committed_was_not_counted(tmp_path: Path) -> None:
    for _ in range(3):
        store = StateDb(tmp_path / "state.sqlite")
        frontier = Frontier(store, Plain())
        frontier.add([page(f"http://c.org/{2000 + number}/1") for number in range(100)])
        assert frontier.queued[PAGE] == 100
        store.close()


def test_of_two_addresses_that_are_one_the_first_is_counted(store: StateDb) -> None:
    named = ["http://a.org/s", "http://a.org/s?PHPSESSID=7", "http://a.org/i/1?PHPSESSID=a"]
    Frontier(store, Plain()).add([page(url) for url in [*named, "http://a.org/i/1"]])
    store.commit()
    counted = store.db.execute("SELECT key, count FROM patterns").fetchall()
    store.db.execute("DELETE FROM patterns")
    store.db.execute("DELETE FROM urls")
    one_by_one = Frontier(store, Plain())
    for url in [*named, "http://a.org/i/1"]:
        one_by_one.add([page(url)])
    store.commit()
    assert store.db.execute("SELECT key, count FROM patterns").fetchall() == counted
    assert len(counted) == 1


def test_what_one_page_names_twice_stands_as_if_it_were_written_in_between(store: StateDb) -> None:
    frontier = Frontier(store, Plain())
    named = [
        page("http://a.org/1?PHPSESSID=7", 3.0),
        page("http://a.org/1?PHPSESSID=8", 2.0),  # the same for us, and better
        page("http://a.org/2", 1.0),
        page("http://a.org/2", 0.0, 2, IMAGE),  # what a link took for a page
        page("http://a.org/1?PHPSESSID=9", 4.0),
    ]
    assert frontier.add(named) == 2
    rows = store.db.execute("SELECT url, kind, score, state FROM urls ORDER BY number").fetchall()
    assert rows == [("http://a.org/1?PHPSESSID=7", PAGE, 2.0, 0), ("http://a.org/2", IMAGE, 0.0, 0)]
    assert frontier.queued == [1, 1]
    assert drain(frontier) == ["http://a.org/1?PHPSESSID=7", "http://a.org/2"]


def test_a_store_with_rows_in_the_order_of_their_keys_still_serves(tmp_path: Path) -> None:
    path = tmp_path / "state.sqlite"
    StateDb(path).close()
    with closing(sqlite3.connect(path)) as db:
        table = db.execute("SELECT sql FROM sqlite_master WHERE name = 'urls'").fetchone()[0]
        db.execute("DROP TABLE urls")
        db.execute(table.replace("INTEGER NOT NULL UNIQUE", "INTEGER PRIMARY KEY"))
    store = StateDb(path)
    frontier = Frontier(store, Plain())
    assert frontier.add([page("http://a.org/1", 2.0), page("http://a.org/2", 1.0)]) == 2
    assert drain(frontier) == ["http://a.org/2", "http://a.org/1"]
    store.close()
