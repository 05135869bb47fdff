"""How long a host is left alone: never less than it asks for, longer when it has trouble."""

from hypothesis import given
from hypothesis import strategies as st

from blickfang.crawl.frontier.politeness import (
    GIVE_UP_AFTER,
    LONGEST_PAUSE_S,
    NEVER_ANSWERED,
    SLOW,
    HostClocks,
)

seconds = st.floats(0.001, 1000.0)


@given(seconds, seconds, seconds, st.integers(0, 12), st.none() | seconds)
def test_no_pause_is_shorter_than_what_is_asked_for(
    default: float, delay: float, took: float, troubles: int, asked: float | None
) -> None:
    pace = HostClocks(default, 2)
    pace.clocks["a"].delay_s = max(default, delay)
    for _ in range(troubles):
        pace.pause_after_trouble("a", "a", None)
    assert pace.pause("a", took) >= pace.clocks["a"].delay_s
    assert pace.pause_after_trouble("a", "a", asked) >= max(pace.clocks["a"].delay_s, asked or 0.0)


def test_a_slow_host_is_left_alone_for_longer() -> None:
    pace = HostClocks(1.0, 2)
    assert pace.pause("a", 0.1) == 1.0
    assert pace.pause("a", 3.0) == 6.0
    assert pace.pause("a", 9999.0) == LONGEST_PAUSE_S


def test_without_a_delay_there_is_no_pause() -> None:
    assert HostClocks(0.0, 2).pause("a", 3.0) == 0.0


def test_pauses_grow_with_trouble_up_to_a_limit() -> None:
    pace = HostClocks(1.0, 2)
    pauses = [pace.pause_after_trouble("a", "a", None) for _ in range(12)]
    assert pauses[:4] == [2.0, 4.0, 8.0, 16.0]
    assert pauses[-1] == LONGEST_PAUSE_S
    assert pace.pause_after_trouble("b", "b", 1000.0) == 1000.0


def test_a_host_is_given_up_after_many_troubles_in_a_row_only() -> None:
    pace = HostClocks(1.0, 2)
    pace.note_answer("a", "a", "", 0.1)
    for _ in range(GIVE_UP_AFTER - 1):
        pace.pause_after_trouble("a", "a", None)
    assert not pace.is_hopeless("a", "a")
    pace.note_recovery("a")
    pace.pause_after_trouble("a", "a", None)
    assert not pace.is_hopeless("a", "a")
    for _ in range(GIVE_UP_AFTER):
        pace.pause("a", 0.1)  # an answer alone is no recovery: it may say 503
        pace.pause_after_trouble("a", "a", None)
    assert pace.is_hopeless("a", "a")
    assert not pace.is_hopeless("b", "b")


def test_a_host_that_never_answered_is_given_up_sooner() -> None:
    pace = HostClocks(1.0, 2)
    for _ in range(NEVER_ANSWERED):
        assert not pace.is_hopeless("a", "a")
        pace.pause_after_trouble("a", "a", None)
    assert pace.is_hopeless("a", "a")


def test_hosts_that_share_an_address_share_its_limit() -> None:
    pace = HostClocks(1.0, 2)
    assert not pace.is_crowded("a")
    assert pace.begin("a") == ""  # its address is not known yet
    for host in ("a", "b", "c"):
        pace.note_answer(host, host, "192.0.2.1", 0.1)
    first, second = pace.begin("a"), pace.begin("b")
    assert pace.is_crowded("c")
    pace.end(first)
    assert not pace.is_crowded("c")
    pace.end(second)
    pace.end("")
    assert not pace.at_address


def test_the_slowest_hosts_by_their_mean() -> None:
    pace = HostClocks(1.0, 2)
    for host, times in {"a": [1.0, 3.0], "b": [0.5], "c": [9.0, 1.0]}.items():
        for took in times:
            pace.note_answer(host, host, "", took)
    pace.pause_after_trouble("never-answered", "never-answered", None)
    assert pace.slowest(2) == [("c", 5.0), ("a", 2.0)]


def test_the_slowest_hosts_are_known_however_many_there_are() -> None:
    pace = HostClocks(1.0, 2)
    for number in range(2000):
        pace.note_answer(f"h{number}.org", f"h{number}.org", "", number * 7 % 2000 / 1000)
    for _ in range(3):
        pace.note_answer("h1.org", "h1.org", "", 9.0)
    means = sorted(
        ((host, clock.spent_s / clock.requests) for host, clock in pace.clocks.items()),
        key=lambda pair: -pair[1],
    )
    assert pace.slowest(3) == means[:3]
    assert len(pace.slow) <= SLOW
