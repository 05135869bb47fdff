"""Long pages are not more relevant for being long."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.crawl.focus import FocusOptions
from blickfang.crawl.focus.background import learn_against, relearn, take_sample
from blickfang.crawl.focus.length_bias import (
    NO_CHANCE,
    PIVOT,
    Chance,
    RatedHost,
    expect,
    learn_chance,
    pivot,
)
from blickfang.crawl.focus.scorers import Reference, score_contrast
from blickfang.crawl.focus.word_weights import (
    count_page,
    learn_weights,
    measure_chance,
    pack_weights,
    rate_page,
    unpack_weights,
)
from tests.focus.pages import BIRD_PAGE, BIRDS, STEEL, know, look, words

PAGES = [count_page(words(text)) for text in BIRDS]
OTHERS = [count_page(words(text)) for text in STEEL]
PROSE = [f"{first}{last}" for first in "abcdefgh" for last in ("nd", "hen", "hat", "ll", "ome")]


def rated(words: list[int], rates: list[float]) -> RatedHost:
    return RatedHost(np.array(words, np.float64), np.array(rates))


def test_only_what_is_longer_than_learned_pages_is_pivoted() -> None:
    assert pivot(10.0, 10.0) == pivot(5.0, 10.0) == 1.0
    assert pivot(20.0, 10.0) == pytest.approx(0.5**PIVOT)
    assert pivot(20.0, 0.0) == 1.0  # nobody knows how long they are


def test_chance_grows_with_length_as_the_background_does() -> None:
    """Many hosts on a line give that line, nearly: a few are not trusted as much."""
    counts = [50, 100, 200, 400, 800]
    line = [0.02 * np.log(n) for n in counts]
    few = [rated([n], [rate]) for n, rate in zip(counts, line, strict=True)]
    many = learn_chance(few * 200)
    assert many.growth == pytest.approx(0.02, rel=0.01)
    assert expect(400, many) == pytest.approx(line[3], rel=0.01)
    assert 0 < learn_chance(few).growth < many.growth


def test_a_host_has_one_vote_however_many_pages_it_has() -> None:
    hosts = [rated([50], [0.0]), rated([100], [0.1]), rated([200], [0.3])]
    again = [*hosts[:2], rated([200] * 3, [0.3] * 3)]
    assert learn_chance(hosts) == pytest.approx(learn_chance(again))


def test_more_words_never_make_chance_less() -> None:
    hosts = [rated([50], [0.3]), rated([100], [0.2]), rated([200], [0.1])]
    assert learn_chance(hosts) == pytest.approx(Chance(0.2, 0.0))


def test_two_hosts_say_nothing_of_chance() -> None:
    assert learn_chance([rated([50], [0.3])] * 2) == NO_CHANCE
    assert measure_chance(learn_weights(PAGES, [], {}), []).chance == NO_CHANCE


@given(
    st.lists(st.tuples(st.integers(0, 10**6), st.floats(-1, 2)), min_size=3, max_size=9),
    st.integers(0, 10**6),
)
def test_chance_is_finite_and_never_below_nothing(
    pages: list[tuple[int, float]], count: int
) -> None:
    chance = learn_chance([rated([n], [rate]) for n, rate in pages])
    assert chance.growth >= 0
    assert 0 <= expect(count, chance) < 100


def test_long_prose_off_the_topic_is_nothing_special() -> None:
    """Learned pages are prose; of pages on anything else the longer ones looked more like them."""
    chance = random.Random(1)  # noqa: S311 -- repeatable
    learned = [count_page(words(f"{text} {' '.join(PROSE)}")) for text in BIRDS]
    prose = [" ".join(chance.sample(PROSE, 1 + 6 * (n % 5))) for n in range(20)]
    themes = [" ".join(f"{name}{'xyz'[n % 3] * (n + 1)}" for name in PROSE[:10]) for n in range(20)]
    texts = [f"{theme} {told}" for theme, told in zip(themes, prose, strict=True)]
    hosts = {f"h{n}": [count_page(words(text))] for n, text in enumerate(texts)}
    found = measure_chance(learn_weights(learned, [], hosts), list(hosts.values()))
    assert found.chance.growth > 0
    long = count_page(words("quite another thing " + " ".join(PROSE[:25])))
    seeming = rate_page(long, found.weights, None)
    assert rate_page(long, found.weights, None, found.chance) < 0.7 * seeming
    birds = rate_page(learned[0], found.weights, None, found.chance)
    assert birds > 0.7 * rate_page(learned[0], found.weights, None)


def test_pages_kept_and_pages_seen_are_judged_alike() -> None:
    """The scale of a host follows from pages kept: both ways must say the same."""
    samples = [sample for n in range(10) if (sample := take_sample(f"h{n}", words(STEEL[n % 3])))]
    learned = relearn(know(), samples, {f"h{n}": n / 10 for n in range(10)}, FocusOptions())
    learned = learned._replace(chance=Chance(0.01, 0.01))
    seen = look(BIRD_PAGE)
    kept = count_page(seen.words[: seen.page_words])
    reference = Reference(know(), learned.weights, None, learned.chance)
    rate = rate_page(kept, learned.weights, None, learned.chance)
    assert score_contrast(seen, reference).page == pytest.approx(min(1.0, rate), rel=1e-4)
    assert score_contrast(seen, reference._replace(chance=Chance(2.0, 0.0))).page == 0


def test_what_is_known_of_lengths_is_kept() -> None:
    learned = learn_against(
        know(), {f"h{n}": [page] for n, page in enumerate(OTHERS)}, FocusOptions()
    )
    learned = learned._replace(chance=Chance(-0.125, 0.25))
    again = unpack_weights(pack_weights(learned))
    assert (again.chance, again.weights.usual) == (learned.chance, learned.weights.usual)
    assert learned.weights.usual > 0
