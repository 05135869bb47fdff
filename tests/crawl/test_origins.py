"""One port or scheme of a host is dead: that origin is given up, the rest of the host is not."""

import socket
from pathlib import Path

import pytest

from blickfang.crawl.fetch.dead_origins import EVERYTHING
from blickfang.crawl.focus.thesis_modes import Unfocused
from blickfang.crawl.frontier.candidates import IMAGE, PAGE, Candidate
from blickfang.crawl.frontier.enqueue import LOST
from blickfang.crawl.frontier.frontier import Frontier
from blickfang.crawl.frontier.politeness import (
    GIVE_UP_AFTER,
    NEVER_ANSWERED,
    SILENT_AFTER,
    HostClocks,
)
from blickfang.crawl.state.crawl_queries import explain_address, summarise
from blickfang.crawl.state.state_db import StateDb
from blickfang.demo.truth import Answer
from tests.crawl.sites import Reply, Sites, crawl_here, page, serving, settings, text

A, SECURE, OTHER = "http://a.test", "https://a.test", "http://a.test:8081"


def find_dead_port() -> int:
    """Return a port on which nobody listens."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def state_of(folder: Path, url: str) -> str:
    found = explain_address(folder, url)
    assert found is not None, url
    return str(found["state"])


@pytest.mark.parametrize("robots", [True, False])
def test_a_dead_port_takes_nothing_else_of_its_host(tmp_path: Path, robots: bool) -> None:
    dead = f"http://127.0.0.1:{find_dead_port()}"
    sites = Sites({})
    with serving(sites) as server:
        home = f"http://127.0.0.1:{server.port}"
        here = "http://127.0.0.1"
        sites.replies = {f"{here}/": page(f"{dead}/other", f"{dead}/more", "/1")}
        sites.replies |= {f"{here}/{n}": page(f"/{n + 1}") for n in range(1, 20)}
        options = settings(None, f"{home}/", robots=robots, images=False, delay_s=0.01)
        crawl_here(tmp_path, options)
    found = summarise(tmp_path)
    assert (found["pages"], found["queued_pages"]) == (20, 0)
    assert state_of(tmp_path, f"{home}/19") == "done"
    assert [state_of(tmp_path, f"{dead}/{name}") for name in ("other", "more")] == ["failed"] * 2
    assert any(reason.startswith(LOST) for reason in found["failures"])


def test_a_dead_scheme_takes_nothing_of_the_other(tmp_path: Path) -> None:
    replies: dict[str, Reply] = {f"{A}/": page(*(f"{SECURE}/{n}" for n in range(5)), "/1")}
    replies |= {f"{A}/{n}": page(f"/{n + 1}") for n in range(1, 10)}
    sites = Sites(replies)
    with serving(sites) as server:  # which makes no tunnels
        crawl_here(tmp_path, settings(server, f"{A}/", delay_s=0.01))
    assert summarise(tmp_path)["pages"] == 10
    assert {state_of(tmp_path, f"{SECURE}/{n}") for n in range(5)} == {"failed"}
    assert state_of(tmp_path, f"{A}/10") == "failed"  # for it is not there


def test_who_is_busy_is_left_alone_under_all_ports(tmp_path: Path) -> None:
    busy = text("", 503, ("Retry-After", "1"))

    def later(before: int) -> Answer:
        return busy if before == 0 else page()

    replies: dict[str, Reply] = {
        f"{A}/": page(f"{OTHER}/later", "/1", "/2"),
        f"{A}/later": later,  # the server hears no port
        f"{A}/1": page(),
        f"{A}/2": page(),
    }
    sites = Sites(replies)
    with serving(sites) as server:
        crawl_here(tmp_path, settings(server, f"{A}/"))
    assert summarise(tmp_path)["pages"] == 4
    at = sites.asked.index(f"{A}/later")
    assert len(sites.times) > at + 2  # what is left of the other origin waits, too
    assert sites.times[at + 1] - sites.times[at] >= 0.99


def test_a_host_of_dead_ports_alone_is_given_up(tmp_path: Path) -> None:
    ports = {find_dead_port() for _ in range(40)}
    dead = [f"http://127.0.0.1:{port}/" for port in sorted(ports)]
    ended = crawl_here(tmp_path, settings(None, *dead, images=False))
    assert ended.standing().requests == SILENT_AFTER
    assert sum(summarise(tmp_path)["failures"].values()) == len(dead)


def test_troubles_of_origins_are_counted_apart() -> None:
    pace = HostClocks(1.0, 2)
    pace.note_answer("a.test", A, "", 0.1)
    for number in range(NEVER_ANSWERED):
        assert not pace.is_hopeless("a.test", SECURE)
        pace.note_recovery(A)  # what another origin answers is no hope for this one
        assert pace.pause_after_trouble("a.test", SECURE, None) == 2.0 ** (number + 1)
    assert pace.is_hopeless("a.test", SECURE)
    for _ in range(GIVE_UP_AFTER):
        assert not pace.is_hopeless("a.test", A)
        pace.pause_after_trouble("a.test", A, None)
    assert pace.is_hopeless("a.test", A)
    assert not pace.is_silent("a.test")


def make_frontier(folder: Path) -> Frontier:
    frontier = Frontier(StateDb(folder / "state.sqlite"), Unfocused())
    frontier.add(Candidate(f"{A}/{n}", "a.test", score=float(n)) for n in range(3))
    frontier.add(Candidate(f"{SECURE}/{n}", "a.test", score=-1.0) for n in range(3))
    return frontier


def choose(frontier: Frontier) -> str:
    """Choose, and put back what was chosen."""
    choice = frontier.choose(probe=False)
    if choice is None:
        return ""
    frontier.put_back(choice)
    frontier.release("a.test", 0.0)
    return choice.candidate.url


def test_while_an_origin_sleeps_others_of_its_host_are_given(tmp_path: Path) -> None:
    frontier = make_frontier(tmp_path)
    assert choose(frontier) == f"{SECURE}/0"
    frontier.let_sleep("a.test", f"{SECURE}/", 5.0)
    assert choose(frontier) == f"{A}/0"
    frontier.add([Candidate(f"{SECURE}/best", "a.test", score=-9.0)])  # it sleeps with the others
    assert choose(frontier) == f"{A}/0"
    assert frontier.wake(4.0) == 5.0
    assert frontier.next_waiting(4.0) == ("a.test", 1.0)
    assert frontier.wake(5.0) is None
    assert choose(frontier) == f"{SECURE}/best"


def test_when_all_origins_sleep_their_host_waits_and_nothing_is_over(tmp_path: Path) -> None:
    frontier = make_frontier(tmp_path)
    frontier.add([Candidate(f"{A}/x.gif", "a.test", IMAGE)])
    for origin, until in ((A, 7.0), (SECURE, 5.0)):
        frontier.let_sleep("a.test", f"{origin}/", until)
        frontier.release("a.test", 0.0)
    assert choose(frontier) == ""
    assert not frontier.is_empty()
    frontier.wake(6.0)
    assert choose(frontier) == f"{SECURE}/0"
    frontier.close_pages()
    assert choose(frontier) == ""
    assert not frontier.is_empty()  # an image will be given
    frontier.wake(7.0)
    assert choose(frontier) == f"{A}/x.gif"


def test_an_origin_that_was_given_up_is_lost_for_later_links(tmp_path: Path) -> None:
    frontier = make_frontier(tmp_path)
    frontier.give_up("a.test", f"{SECURE}/", LOST)
    frontier.release("a.test", 0.0)
    assert frontier.queued == [3, 0]
    frontier.add(Candidate(f"{origin}/new", "a.test") for origin in (A, SECURE, OTHER))
    assert frontier.queued == [5, 0]
    frontier.give_up("a.test", EVERYTHING, LOST)
    frontier.add([Candidate(f"{OTHER}/newer", "a.test")])
    assert frontier.queued[PAGE] == 0
    assert frontier.is_empty()
