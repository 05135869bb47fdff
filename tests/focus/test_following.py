"""Following: parts of links count by what they brought; sections are told apart; nothing grows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.crawl.focus import FocusOptions
from blickfang.crawl.focus.judged_values import JudgedPage, Orders
from blickfang.crawl.focus.link_feedback import FIRM, SECTIONS, USUAL, Following, read_parts
from blickfang.errors import InputError
from tests.focus.pages import look, write_page
from tests.focus.test_harvest import make

SHARES = st.floats(0, 1)
NOTHING = Orders(np.zeros(0, np.int8), np.zeros(0), np.zeros(0), {})


def tell(parent: float, anchor: float, address: float) -> str:
    """Return parts as the frontier keeps them."""
    return f"parent {parent:.3g}, anchor {anchor:.3g}, address {address:.3g}"


def test_nothing_followed_changes_nothing() -> None:
    parts = [np.array([0.5, 0.0]), np.array([0.2, 0.1]), np.array([0.0, 1.0]), np.zeros(2)]
    assert Following().weigh(parts) == pytest.approx([0.28, 0.24])


def test_what_links_bring_teaches_which_part_to_trust() -> None:
    following, chance = Following(), np.random.default_rng(1)
    for number in range(400):  # the anchor tells the truth, the page it stands on nothing
        parent, anchor = chance.random(2)
        why = tell(parent, anchor, 0.0)
        following.learn(f"http://a.example/{number}/", why, anchor, 1.0)
    parent, anchor, _, section = following.weights
    assert anchor > 0.8
    assert parent + section < 0.1  # of a new section nothing is known but the page


@given(st.lists(st.tuples(SHARES, SHARES, SHARES, SHARES, SHARES), min_size=1, max_size=20))
def test_the_weights_are_those_of_ridge_regression(rows: list[tuple[float, ...]]) -> None:
    following = Following()
    squares, products = FIRM * np.eye(4), FIRM * USUAL
    for number, (parent, anchor, address, relevance, evidence) in enumerate(rows):
        why = tell(parent, anchor, address)
        following.learn(f"http://a.example/{number}", why, relevance, evidence)
        parts = read_parts(why)
        assert parts is not None
        squares = squares + evidence * np.outer(parts, parts)
        products = products + evidence * relevance * parts
    slow = np.linalg.inv(squares) @ products
    assert following.weights == pytest.approx(slow, abs=1e-9)


def test_sections_of_a_host_are_told_apart() -> None:
    following = Following()
    for number in range(10):
        following.learn(f"http://a.example/birds/{number}", "seed", 0.9, 1.0)
        following.learn(f"http://a.example/cars/{number}", "seed", 0.0, 1.0)
    urls = ["http://a.example/birds/new", "http://a.example/cars/new", "http://b.example/birds/1"]
    birds, cars, other = following.value_sections(urls, np.full(3, 0.3))
    assert birds > 0.7
    assert cars < 0.1
    assert other == pytest.approx(0.3)  # another host: nothing is known


def test_it_goes_on_after_a_break_and_does_not_grow() -> None:
    following = Following()
    empty = len(following.pack())
    for number in range(3 * SECTIONS):
        following.learn(f"http://h{number}.example/x", tell(0.5, 0.1, 0.2), 0.5, 0.5)
    data = following.pack()
    assert len(data) == empty
    again = Following.unpack(data)
    assert again.pack() == data
    again.fade()
    assert again.sections.sum() == pytest.approx(following.sections.sum() / 2)
    with pytest.raises(InputError, match="damaged"):
        Following.unpack(data[:-8])


@pytest.mark.parametrize("why", ["seed", "", "listed", "parent 0.1", "instead of http://a/1 e"])
def test_what_was_no_link_has_no_parts(why: str) -> None:
    assert read_parts(why) is None


def test_a_crawl_that_adapts_orders_links_by_what_they_brought() -> None:
    links = ['<a href="/alpha/1">one</a>', '<a href="/omega/1">two</a>']
    seen = look(write_page("", f"<p>{' '.join(links)}</p>"))
    plain, adapting = make(), make(FocusOptions(adapt=True))
    for number in range(20):
        for strategy in (plain, adapting):
            for name, worth in (("alpha", 1.0), ("omega", 0.0)):
                judged = JudgedPage(worth, None, None, worth, 1.0, NOTHING, NOTHING, None)
                why = tell(worth, 0.0, 0.0)
                strategy.follow(f"http://a.example/{name}/{number}", why, judged)
    assert plain.pack_memory() is None
    assert len({*plain.judge(seen).links.scores.tolist()}) == 1
    alpha, omega = adapting.judge(seen).links.scores
    assert alpha < omega
    resumed = make(FocusOptions(adapt=True))
    resumed.unpack_memory(adapting.pack_memory() or b"")
    assert resumed.judge(seen).links.scores.tolist() == [alpha, omega]
