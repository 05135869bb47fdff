"""Adapting: hosts far inside the topic are learned from, unless held-back pages would suffer."""

import json
from pathlib import Path

import numpy as np
import pytest

from blickfang.crawl.focus import FocusOptions, Knowledge
from blickfang.crawl.focus.background import learn_against, relearn, sort_hosts, take_sample
from blickfang.crawl.focus.judged_values import HostPage
from blickfang.crawl.focus.online_learning import ADAPTATION, note_step
from blickfang.crawl.focus.self_training import AdaptStep, adapt
from blickfang.crawl.focus.word_weights import (
    LearnedWeights,
    WordCounts,
    count_page,
    learn_weights,
    pack_weights,
    rate_page,
    unpack_weights,
    weigh_host,
)
from blickfang.text.words import Hashes, read_many

OWL = "owl owls nest hoot feather owlet prey night hunting meadow"
NEW = "talon plumage roost"  # what only other hosts on the topic say
OTHERS = (
    "engine car wheel",
    "court law clause",
    "pawn bishop rook",
    "flour oven bread",
    "cpu disk",
)
FILL = "the and of this that with from there which their about would these other into"


def write(topic: str, number: int) -> Hashes:
    """Return a page with the words of a topic among others."""
    chance = np.random.default_rng(number)
    words = [*chance.choice(topic.split(), 30), *chance.choice(FILL.split(), 30)]
    return read_many([" ".join(words)]).hashes


def know(learned: str = OWL) -> Knowledge:
    """Return what six pages and some neutral ones say."""
    neutral = [write(text, 100 + n) for n, text in enumerate(OTHERS[:3])]
    return Knowledge(None, [write(learned, n) for n in range(6)], neutral)


def sample(host: str, topic: str, number: int) -> list[HostPage]:
    """Return three pages of a host."""
    found = [take_sample(host, write(topic, 1000 * number + n)) for n in range(3)]
    return [one for one in found if one is not None]


def crawl(friend: str) -> tuple[list[HostPage], dict[str, float]]:
    """Return what a crawl kept: eight hosts off the topic, and one with a good value."""
    samples = [s for n in range(8) for s in sample(f"h{n}.test", OTHERS[n % 5], n + 1)]
    means = {f"h{n}.test": 0.01 for n in range(8)}
    return [*samples, *sample("friend.test", friend, 50)], {**means, "friend.test": 0.9}


def learn_plain(
    knowledge: Knowledge, samples: list[HostPage], means: dict[str, float]
) -> LearnedWeights:
    """Return the weights of a crawl that learns from nobody but the learned pages."""
    return learn_against(knowledge, sort_hosts(samples, means).background, FocusOptions())


def test_a_host_far_inside_teaches_its_words() -> None:
    """Each learned page has few words of many; a host that has them all helps to tell the rest."""
    many = " ".join(f"owl{first}{second}" for first in "abcdefghij" for second in "abcdefgh")
    chance = np.random.default_rng(5)
    learned = [" ".join([*chance.choice(many.split(), 30), FILL]) for _ in range(6)]
    knowledge = Knowledge(None, [read_many([text]).hashes for text in learned], know().neutral)
    samples, means = crawl(OWL)
    rich = take_sample("friend.test", read_many([f"{many} {NEW} {FILL}"]).hashes)
    assert rich is not None
    samples = [one for one in samples if one.host != "friend.test"] + [rich]
    adapted, step = adapt(knowledge, samples, means, FocusOptions(adapt=True))
    assert step.hosts == ["friend.test"]
    assert step.accepted
    assert step.after >= step.before
    page = count_page(write(NEW, 7))
    plain = learn_plain(knowledge, samples, means)
    assert rate_page(page, adapted.weights, None) > rate_page(page, plain.weights, None)


def test_a_host_that_leads_away_is_refused() -> None:
    """Its words are not those of the learned pages: those held back would stand out less."""
    samples, means = crawl("casino bonus jackpot poker")
    learned, step = adapt(know(), samples, means, FocusOptions(adapt=True))
    plain = learn_plain(know(), samples, means)
    assert not step.accepted
    assert step.after < step.before
    assert "stand out less" in step.reason
    np.testing.assert_array_equal(learned.weights.weight, plain.weights.weight)


def test_nothing_far_inside_changes_nothing() -> None:
    """Then the weights are those of a crawl that does not adapt."""
    samples, means = crawl(OWL)
    means["friend.test"] = 0.05
    learned, step = adapt(know(), samples, means, FocusOptions(adapt=True))
    plain = learn_plain(know(), samples, means)
    assert step.hosts == []
    assert not step.accepted
    np.testing.assert_array_equal(learned.weights.weight, plain.weights.weight)
    assert learned.weights.scale == plain.weights.scale


def test_with_two_learned_pages_nothing_can_be_tested() -> None:
    """So nothing is learned."""
    samples, means = crawl(OWL)
    knowledge = Knowledge(None, [write(OWL, 1), write(OWL, 2)], [write(OTHERS[0], 3)])
    _, step = adapt(knowledge, samples, means, FocusOptions(adapt=True))
    assert not step.accepted
    assert "too few" in step.reason


def test_every_step_is_written_down(tmp_path: Path) -> None:
    """A line a step, behind the others."""
    steps = [
        AdaptStep(["a.test"], 1.0, 2.0, accepted=True, reason=""),
        AdaptStep([], 0.0, 0.0, accepted=False, reason="no"),
    ]
    for step in steps:
        note_step(tmp_path, step, 9)
    lines = [json.loads(line) for line in (tmp_path / ADAPTATION).read_text().splitlines()]
    assert [line["accepted"] for line in lines] == [True, False]
    assert lines[0]["hosts"] == ["a.test"]
    assert lines[0]["after"] == 2.0


def test_friends_count_half() -> None:
    """The weights are those of the mean page, the friend's pages with half the say."""
    ours, friend, other = (count_page(write(text, 1)) for text in (OWL, NEW, OTHERS[0]))
    both = learn_weights([ours], [], {"h": [other]}, friends={"f": [friend]}).weights
    alone: list[WordCounts] = [ours, ours, friend]  # two to one
    same = learn_weights(alone, [], {"h": [other]}).weights
    np.testing.assert_allclose(both.weight, same.weight, rtol=1e-5)
    assert both.scale == pytest.approx(same.scale, rel=1e-5)


def test_every_crawl_learns_from_hosts_far_inside() -> None:
    """Also one that does not adapt; who is not far inside says nothing."""
    samples, means = crawl(f"{OWL} {NEW}")
    learned, plain = (
        relearn(know(), samples, means, FocusOptions()),
        learn_plain(know(), samples, means),
    )
    assert learned.friends == {"friend.test"}
    page = count_page(write(NEW, 7))
    assert rate_page(page, learned.weights, None) > rate_page(page, plain.weights, None)
    nobody = relearn(know(), samples, {**means, "friend.test": 0.05}, FocusOptions())
    assert nobody.friends == frozenset()
    np.testing.assert_array_equal(nobody.weights.weight, plain.weights.weight)


def test_friends_do_not_judge_themselves() -> None:
    """Without what a friend said, its pages are what the others make of them."""
    ours, friend, other = (count_page(write(text, 1)) for text in (OWL, NEW, OTHERS[0]))
    hosts = {"h": [other]}
    alone = learn_weights([ours], [], hosts, contrast=0.0).weights
    learned = learn_weights([ours], [], hosts, contrast=0.0, friends={"f": [friend]})
    own = weigh_host([friend], learned, is_friend=True)
    assert own.scale == pytest.approx(2 / 3)
    found = rate_page(friend, learned.weights, own) * learned.weights.scale
    assert found == pytest.approx(rate_page(friend, alone, None) * alone.scale, rel=1e-4)
    assert rate_page(friend, learned.weights, None) > rate_page(friend, learned.weights, own)


def test_friends_are_kept() -> None:
    """With the weights; those of older crawls have none."""
    samples, means = crawl(OWL)
    learned = relearn(know(), samples, means, FocusOptions())
    assert unpack_weights(pack_weights(learned)).friends == {"friend.test"}
    plain = learn_plain(know(), samples, means)
    assert unpack_weights(pack_weights(plain)).friends == frozenset()
