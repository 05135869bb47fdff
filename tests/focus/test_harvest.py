"""Our own strategy, and how it is made."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from blickfang.crawl.focus import FocusOptions, PageFeatures, Strategy, make_strategy
from blickfang.crawl.focus.background import relearn, unpack_samples
from blickfang.crawl.focus.background_strategy import order_images
from blickfang.crawl.focus.judged_values import NEW_HOST, HostState, Order, Packed
from blickfang.crawl.focus.page_features import see
from blickfang.crawl.focus.scorers import Reference, Scored
from blickfang.crawl.focus.word_weights import LearnedWeights, pack_weights
from blickfang.errors import SettingsError
from tests.focus.pages import BIRD_PAGE, BIRDS, METAL_PAGE, STEEL, know, look, write_page

KNOWLEDGE = know()


def make(options: FocusOptions | None = None) -> Strategy:
    return make_strategy("focused+images", KNOWLEDGE, options=options)


def crawl(strategy: Strategy) -> tuple[dict[str, HostState], list[Packed]]:
    """Judge a page of each of six hosts."""
    states, samples = {}, []
    for n, text in enumerate((*STEEL, *STEEL[:2], BIRDS[0])):
        host = f"h{n}.example"
        judged = strategy.judge(look(write_page("", f"<p>{text}</p>"), f"http://{host}/", host))
        states[host] = strategy.observe(NEW_HOST, judged)
        assert judged.sample is not None
        strategy.keep(judged.sample)
        samples.append(judged.sample)
    return states, samples


def learn(strategy: Strategy) -> tuple[dict[str, HostState], LearnedWeights]:
    """Judge by what six pages teach; return the states of hosts, and what was learned."""
    states, samples = crawl(strategy)
    means = {host: strategy.host_value(state) for host, state in states.items()}
    found = [sample for packed in samples for sample in unpack_samples(packed.data)]
    learned = relearn(KNOWLEDGE, found, means, FocusOptions())
    return strategy.adopt(pack_weights(learned), states), learned


def test_pages_links_and_images_on_topic_come_first() -> None:
    strategy = make()
    birds, steel = strategy.judge(look(BIRD_PAGE)), strategy.judge(look(METAL_PAGE))
    assert birds.relevance is not None
    assert steel.relevance is not None
    assert birds.relevance > 0.2 > steel.relevance
    nest, about, _ = birds.links.scores
    assert nest < about < min(steel.links.scores)
    assert birds.links.priors[2] > 0.1
    assert birds.images.scores[0] < steel.images.scores[0]
    assert birds.images.buckets[0] == 1
    assert set(birds.links.parts) == {"parent", "anchor", "address"}


@pytest.mark.parametrize("mode", ["focused+images", "unfocused"])
def test_images_are_rated_alike_without_links(mode: str) -> None:
    strategy = make_strategy(mode, KNOWLEDGE)
    for html in (BIRD_PAGE, METAL_PAGE, write_page("No words")):
        seen = look(html)
        judged = strategy.judge(seen)
        alone = see(seen.page, seen.host, with_links=False)
        assert (alone.links, alone.images) == ([], seen.images)
        relevance, texts = strategy.rate(alone)
        expected = judged.images.parts.get("text")
        assert relevance == judged.relevance
        assert (texts is None) == (expected is None)
        assert texts is None or expected is None or texts.tolist() == expected.tolist()


def test_a_host_that_gave_much_comes_before_one_that_promises() -> None:
    strategy = make()
    good = HostState(10, 10, 9.0, 4.0, 0.0)
    new, poor = strategy.mention(NEW_HOST, 0.1), HostState(10, 10, 9.0, 0.1, 0.0)
    orders = [strategy.host_order(state, Order(2, 0.7)) for state in (good, new, poor)]
    assert orders == sorted(orders)
    assert strategy.host_order(poor, Order(0, 9.0)) < min(orders)  # seeds are always first
    assert strategy.wants_probe(new)
    assert not strategy.wants_probe(poor)


def test_images_before_pages_with_them_and_behind_them() -> None:
    strategy = make()
    page = strategy.host_order(HostState(5, 5, 5.0, 5.0, 1.0), Order(1, 0.0))
    now, perhaps, last = (strategy.image_order(Order(n, 0.5)) for n in (1, 2, 3))
    assert now < page < perhaps < last
    assert last > strategy.host_order(NEW_HOST, Order(4, 1.0))


def test_which_images_are_worth_a_request_is_a_matter_of_noise() -> None:
    texts = np.array([0.0, 0.1, 0.5])
    quiet, loud, none = (order_images(texts, 0.04, noise) for noise in (0.02, 0.06, 0.0))
    assert quiet.buckets.tolist() == [2, 1, 1]
    assert loud.buckets.tolist() == [3, 2, 1]
    assert quiet.scores.tolist() == loud.scores.tolist()
    assert order_images(texts[:1], 0.0, 0.0).buckets.tolist() == [3]  # what says nothing waits
    assert none.buckets.tolist() == [1, 1, 1]


def test_a_page_with_few_words_gives_its_images_what_the_host_is_worth() -> None:
    strategy = make()
    seen = look(write_page("", '<img src="/p.jpg">'))
    good = HostState(5, 5, 4.0, 3.0, 0.0)
    alone, known = strategy.judge(seen), strategy.judge(seen, good)
    assert known.images.scores[0] < alone.images.scores[0] - 0.3
    assert known.relevance == alone.relevance == 0.0


def test_what_is_learned_on_the_way_moves_hosts_to_its_scale() -> None:
    strategy = make()
    changed, learned = learn(strategy)
    assert len(changed) == 6
    assert learned.hosts  # the poorer hosts
    assert "h5.example" not in learned.hosts
    values = {host: strategy.host_value(state) for host, state in changed.items()}
    assert max(values, key=values.__getitem__) == "h5.example"
    judged = strategy.judge(
        look(write_page("", f"<p>{BIRDS[0]}</p>"), "http://h5.example/", "h5.example")
    )
    assert changed["h5.example"].worth / changed["h5.example"].evidence == pytest.approx(
        judged.relevance, abs=1e-4
    )
    poor = strategy.judge(
        look(write_page("", f"<p>{STEEL[0]}</p>"), "http://h0.example/", "h0.example")
    )
    state = changed["h0.example"]
    assert state.worth / state.evidence == pytest.approx(poor.relevance, abs=1e-4)


def test_three_samples_a_host() -> None:
    strategy = make()
    seen = look(write_page("", f"<p>{STEEL[0]}</p>"))
    for _ in range(3):
        sample = strategy.judge(seen).sample
        assert sample is not None
        strategy.keep(sample)
    assert strategy.judge(seen).sample is None
    assert strategy.judge(look("<p>few words</p>", host="b.example")).sample is None


def test_going_on_after_a_break_judges_as_before() -> None:
    strategy = make()
    _, learned = learn(strategy)
    again = make()
    _, samples = crawl(make())
    for sample in samples:
        again.keep(sample)
    assert again.adopt(pack_weights(learned), {}) == {}
    for page in (BIRD_PAGE, METAL_PAGE):
        for host in ("h0.example", "new.example"):
            seen = look(page, f"http://{host}/x", host)
            one, two = strategy.judge(seen), again.judge(seen)
            assert one.relevance == two.relevance
            assert one.links.scores.tolist() == two.links.scores.tolist()


def test_a_scorer_of_ones_own() -> None:
    def count_nests(seen: PageFeatures, reference: Reference) -> Scored:
        assert reference.knowledge is KNOWLEDGE
        return Scored(float("nest" in seen.page.text), np.full(seen.texts.size, 0.5))

    strategy = make_strategy("focused+images", KNOWLEDGE, scorer=count_nests)
    assert [strategy.judge(look(page)).relevance for page in (BIRD_PAGE, METAL_PAGE)] == [1.0, 0.0]
    changed, _ = learn(strategy)
    assert changed == {}  # its scale does not change with the weights


def test_a_scorer_that_the_settings_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "taste_of_mine.py").write_text(
        "import numpy as np\n"
        "from blickfang.crawl.focus.scorers import Scored\n"
        "def like_nests(seen, reference):\n"
        "    return Scored(float('nest' in seen.page.text), np.full(seen.texts.size, 0.5))\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    chosen = FocusOptions(scorer="taste_of_mine:like_nests")
    strategy = make_strategy("focused+images", KNOWLEDGE, options=chosen)
    assert [strategy.judge(look(page)).relevance for page in (BIRD_PAGE, METAL_PAGE)] == [1.0, 0.0]
    for missing in ("taste_of_nobody:like_nests", "taste_of_mine:like_stones"):
        with pytest.raises(SettingsError, match="PYTHONPATH"):
            make_strategy("focused+images", KNOWLEDGE, options=FocusOptions(scorer=missing))


def test_nothing_learned_nothing_broken() -> None:
    empty = KNOWLEDGE.__class__(None, [], [])
    judged = make_strategy("focused+images", empty).judge(look(BIRD_PAGE))
    assert judged.relevance == 0.0
    assert not np.isnan(judged.links.scores).any()


def test_modes_and_options_are_checked() -> None:
    with pytest.raises(SettingsError, match="unknown"):
        make_strategy("dizzy", KNOWLEDGE)
    with pytest.raises(SettingsError, match="learn"):
        make_strategy("focused", KNOWLEDGE)
    wrongs: tuple[dict[str, Any], ...] = (
        {"scorer": "taste"},
        {"probe_every": 1},
        {"probe_every": -1},
        {"on_topic": 2.0},
    )
    for wrong in wrongs:
        with pytest.raises(SettingsError):
            FocusOptions(**wrong)
    assert make().take_text("h0.example", "It learns from no texts.") is None


def test_a_detour_is_a_probe() -> None:
    state = HostState(1, 1, 1.0, 0.0, 0.3)
    assert not make().wants_probe(state)
    assert make(FocusOptions(detours=2)).wants_probe(state)
    with pytest.raises(SettingsError, match="detours"):
        FocusOptions(detours=-1)
