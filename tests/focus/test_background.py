"""Weights, and the background they are learned against."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.crawl.focus import FocusOptions
from blickfang.crawl.focus.background import (
    begin,
    is_due,
    pack_samples,
    relearn,
    take_sample,
    unpack_samples,
)
from blickfang.crawl.focus.judged_values import HostPage
from blickfang.crawl.focus.length_bias import Chance
from blickfang.crawl.focus.word_weights import (
    MOST_DIFFERENT,
    LearnedWeights,
    Own,
    WordCounts,
    count_page,
    learn_weights,
    pack_weights,
    rate_page,
    rate_pages,
    unpack_weights,
    weigh_host,
    weigh_own,
)
from blickfang.errors import InputError
from blickfang.text.words import locate
from tests.focus.pages import BIRDS, STEEL, know, words

PAGES = [count_page(words(text)) for text in BIRDS]
OTHERS = [count_page(words(text)) for text in STEEL]


def weight_of(word: str, learned: LearnedWeights) -> float:
    at, known = locate(learned.weights.hashes, words(word))
    assert known[0]
    return float(learned.weights.weight[at[0]])


def sample(host: str, text: str) -> HostPage:
    taken = take_sample(host, words(text))
    assert taken is not None
    return taken


def test_what_the_topic_says_more_often_speaks_for_it() -> None:
    for learned in (begin(know(), FocusOptions()), learn_weights(PAGES, [], {"s": OTHERS})):
        assert weight_of("bird", learned) > weight_of("winter", learned) > 0
        assert weight_of("steel", learned) < 0
        assert learned.weights.scale > 0


def test_words_of_many_hosts_say_less_than_their_share() -> None:
    pages = [count_page(words(text)) for text in ("all some one", "all some", "all", "all")]
    hosts = {f"h{n}": [page] for n, page in enumerate(pages)}
    weights = learn_weights(PAGES, [], hosts).weights
    most = np.log(1.01 / 0.01)
    for word, share in (("all", 1.0), ("some", 0.5), ("one", 0.25), ("bird", 0.0)):
        at, _ = locate(weights.hashes, words(word))
        slow = most * (np.log(1.01 / (share + 0.01)) / most) ** 1.5
        assert weights.idf[at[0]] == pytest.approx(slow, abs=1e-5)
    assert weights.unknown_idf == pytest.approx(most)


def test_cosine_subtracts_nothing() -> None:
    learned = begin(know(), FocusOptions(scorer="cosine"))
    assert weight_of("steel", learned) == 0
    assert learned.weights.weight.min() >= 0


def test_pages_are_rated() -> None:
    learned = learn_weights(PAGES, [], {"s": OTHERS[:2]})
    rates = [rate_page(page, learned.weights, None) for page in PAGES]
    assert np.mean(rates) == pytest.approx(1.0, abs=0.01)  # a little less: long ones are pivoted
    assert rate_page(OTHERS[2], learned.weights, None) < 0.2


def test_a_host_is_not_compared_with_itself() -> None:
    hosts = {"a": OTHERS[:1], "b": OTHERS[1:2], "c": OTHERS[2:]}
    learned = learn_weights(PAGES, [], hosts)
    own = weigh_host(hosts["a"], learned)
    with_itself = rate_page(OTHERS[0], learned.weights, None)
    assert rate_page(OTHERS[0], learned.weights, own) > with_itself
    # What all hosts took, given back, leaves the mean learned page: nothing in it is negative.
    weight = learned.weights.weight.copy()
    for pages in hosts.values():
        taken = weigh_host(pages, learned)
        at, known = locate(learned.weights.hashes, taken.hashes)
        assert known.all()
        weight[at] += taken.weight
    assert weight.min() == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("own", [Own(0), Own(1), Own(2), Own(1, is_friend=True)])
def test_pages_of_a_host_are_rated_together_as_one_by_one(own: Own) -> None:
    friends = {"f": PAGES[1:2]} if own.is_friend else {}
    learned = learn_weights(PAGES, [], {"a": OTHERS[:2], "c": OTHERS[2:]}, friends=friends)
    learned = learned._replace(chance=Chance(0.01, 0.002))
    pages = PAGES[1:3] if own.is_friend else [*OTHERS, PAGES[0]]
    taken = weigh_own(pages, learned, own)
    assert (taken is None) is (own.pages == 0)
    alone = [rate_page(page, learned.weights, taken, learned.chance) for page in pages]
    assert rate_pages(pages, learned, own) == pytest.approx(alone, rel=1e-9)
    assert rate_pages([], learned) == []
    assert rate_pages(pages, learn_weights([], [], {})) == [0.0] * len(pages)


def test_good_hosts_stay_out_of_the_background() -> None:
    samples = [sample(f"h{n}", STEEL[n % 3]) for n in range(10)]
    means = {f"h{n}": n / 10 for n in range(10)}
    learned = relearn(know(), samples, means, FocusOptions())
    assert learned.hosts == {f"h{n}" for n in range(8)}
    assert learned.units == 8 + 3  # and the neutral pages
    assert learned.noise >= 0


def test_without_any_page_nothing_is_learned_and_nothing_breaks() -> None:
    learned = relearn(know(), [], {}, FocusOptions())
    assert learned.hosts == frozenset()
    assert learn_weights([], [], {}).weights.scale == 0


def test_samples_are_bounded() -> None:
    assert take_sample("h", words("too few words")) is None
    many = take_sample("h", np.arange(100_000, dtype=np.uint64))
    assert many is not None
    assert len(many.hashes) == MOST_DIFFERENT
    same = take_sample("h", np.zeros(100_000, np.uint64))
    assert same is not None
    assert same.counts.tolist() == [65535]


@pytest.mark.parametrize(
    ("hosts", "pages", "last", "due"),
    [
        (4, 100, 0, False),
        (5, 9, 0, False),
        (5, 10, 0, True),
        (50, 149, 100, False),
        (50, 150, 100, True),
    ],
)
def test_when_to_learn_again(hosts: int, pages: int, last: int, due: bool) -> None:
    assert is_due(hosts, pages, last) is due


counted = st.dictionaries(st.integers(0, 2**64 - 1), st.integers(1, 65535), max_size=20)


@given(st.lists(st.tuples(st.text(max_size=20), counted, st.integers(0, 2**40)), max_size=5))
def test_samples_survive_packing(rows: list[tuple[str, dict[int, int], int]]) -> None:
    samples = [
        HostPage(
            host,
            np.array(sorted(page), np.uint64),
            np.array([page[w] for w in sorted(page)], np.uint16),
            n,
        )
        for host, page, n in rows
    ]
    packed = [pack_samples(samples), b"".join(pack_samples([one]) for one in samples)]
    for data in packed:
        for before, after in zip(samples, unpack_samples(data), strict=True):
            assert (before.host, before.words) == (after.host, after.words)
            assert before.hashes.tolist() == after.hashes.tolist()
            assert before.counts.tolist() == after.counts.tolist()


def test_weights_survive_packing() -> None:
    learned = learn_weights(PAGES, OTHERS[:1], {"ä.example": OTHERS[1:]})._replace(noise=0.125)
    again = unpack_weights(pack_weights(learned))
    assert again.hosts == learned.hosts
    assert (again.units, again.noise) == (learned.units, learned.noise)
    for name in learned.weights._fields:
        assert np.array_equal(getattr(learned.weights, name), getattr(again.weights, name)), name


def test_damage_is_named() -> None:
    whole = pack_samples([sample("h", STEEL[0])])
    with pytest.raises(InputError, match="samples"):
        unpack_samples(whole[:-1])
    with pytest.raises(InputError, match="weights"):
        unpack_weights(b"nothing")


def test_counted_pages_are_sorted() -> None:
    page = count_page(words("b a b c"))
    assert isinstance(page, WordCounts)
    assert page.hashes.tolist() == sorted(page.hashes.tolist())
    assert sorted(page.counts.tolist()) == [1, 1, 2]
