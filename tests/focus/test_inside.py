"""The study's modes adapt: pages far inside refine the topic, unless what was held back suffers."""

import random
import warnings
import zlib

import pytest

from blickfang.errors import InputError
from blickfang.focus import Knowledge, Options, make_strategy
from blickfang.focus.background import SAMPLES
from blickfang.focus.inside import (
    Inside,
    adapt_topic,
    choose_pages,
    find_limit,
    pack_page,
    pack_texts,
    unpack_page,
    unpack_texts,
)
from blickfang.topic import learn_topic
from tests.focus.pages import look, write_page

BIRDS = ["robin", "owl", "heron", "kestrel", "wren", "finch", "swallow", "plover"]
DEEDS = ["nests", "sings", "feeds", "hides", "waits", "hunts", "sleeps", "drinks"]
PLACES = ["hedge", "reed", "barn", "cliff", "meadow", "orchard", "marsh", "copse"]
METALS = ["steel", "iron", "zinc", "brass", "copper", "alloy", "tin", "lead"]
WORKS = ["melts", "bends", "rusts", "cools", "cracks", "shines", "wears", "sets"]
TOOLS = ["furnace", "lathe", "mould", "press", "kiln", "vice", "drill", "forge"]


def write(number: int, nouns: list[str], verbs: list[str], places: list[str], count: int) -> str:
    """Return sentences about something."""
    draws = random.Random(number)  # noqa: S311
    return " ".join(
        f"In the morning the {draws.choice(nouns)} {draws.choice(verbs)} by the "
        f"{draws.choice(places)} near the old {draws.choice(places)}."
        for _ in range(count)
    )


def birds(number: int, count: int = 30) -> str:
    return write(number, BIRDS, DEEDS, PLACES, count)


def metals(number: int, count: int = 30) -> str:
    return write(number, METALS, WORKS, TOOLS, count)


def know() -> Knowledge:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        topic = learn_topic(
            [birds(n, 12) for n in range(4)], [metals(100 + n, 12) for n in range(4)]
        )
    assert topic.learned_from is not None
    return Knowledge(topic, topic.learned_from.positive, topic.learned_from.neutral)


KNOWLEDGE = know()


def test_pages_nearer_to_the_topic_than_to_neutral_ones_are_learned_from() -> None:
    pages = [Inside(f"b{n}.test", birds(200 + n, 10)) for n in range(3)]
    pages += [Inside(f"m{n}.test", metals(300 + n, 10)) for n in range(3)]
    texts, step = adapt_topic(KNOWLEDGE, pages)
    assert {*texts} == {page.text for page in pages[:3]}
    assert ({*step.hosts}, step.pages, step.accepted) == (
        {"b0.test", "b1.test", "b2.test"},
        3,
        True,
    )
    assert (step.held_out[1] or 99) < (step.held_out[0] or 0)


def test_a_page_off_the_topic_that_slips_in_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blickfang.focus.inside.find_limit", lambda _: 1e9)
    texts, step = adapt_topic(KNOWLEDGE, [Inside("m.test", metals(7, 12))])
    assert (texts, step.accepted) == ([], False)
    assert "held back would surprise more" in step.reason or "stand out less" in step.reason


def test_nothing_far_inside_is_no_step() -> None:
    few = Inside("b.test", birds(1, 2))  # too few words to prove anything
    texts, step = adapt_topic(KNOWLEDGE, [few, Inside("m.test", metals(7))])
    assert (texts, step.accepted, step.reason) == ([], False, "no page is far inside the topic")
    assert step.held_out[0] == step.held_out[1]


def test_nothing_to_test_by_is_no_step() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        topic = learn_topic([birds(1)], [])
    assert topic.learned_from is not None
    alone = Knowledge(topic, topic.learned_from.positive, [])
    texts, step = adapt_topic(alone, [Inside("b.test", birds(2, 10))])
    assert (texts, step.accepted) == ([], False)
    assert "to test by" in step.reason


def test_every_host_has_its_say_before_one_has_two() -> None:
    pages = [Inside("a.test", birds(400 + n, 8)) for n in range(5)]
    pages.append(Inside("b.test", birds(500, 8)))
    chosen = choose_pages(KNOWLEDGE, pages)
    assert {page.host for page in chosen[:2]} == {"a.test", "b.test"}
    assert sum(page.host == "a.test" for page in chosen) <= SAMPLES
    learned = sum(map(len, KNOWLEDGE.learned))
    assert sum(len(page.text.split()) for page in chosen) <= learned
    assert choose_pages(KNOWLEDGE, reversed(pages)) == chosen


def test_what_is_packed_comes_back() -> None:
    page = Inside("b.test", "Ein Zaunkönig. \ud800 \0 " + "x" * 100_000)
    assert unpack_page(pack_page(page)) == (page.host, page.text[:40_000])
    assert unpack_texts(pack_texts(["a", ""])) == ["a", ""]
    for damaged in (b"", b"no", zlib.compress(b"[")):
        with pytest.raises(InputError, match="damaged"):
            unpack_texts(damaged)


@pytest.mark.parametrize("mode", ["focused", "focused+keywords"])
def test_a_crawl_judges_by_the_refined_topic_until_it_is_told_otherwise(mode: str) -> None:
    seen = look(write_page("", f"<p>{birds(600)} The shrike waits by the thorn.</p>"))
    strategy = make_strategy(mode, KNOWLEDGE, options=Options(adapt=True))
    first = strategy.judge(seen)
    assert strategy.wants_text("b.test", first)
    kept = strategy.take_text("b.test", birds(601))
    assert unpack_page(kept.data) == ("b.test", birds(601))
    for _ in range(SAMPLES):
        strategy.keep(kept.data)
    assert not strategy.wants_text("b.test", first)
    assert strategy.wants_text("c.test", first)
    assert strategy.adopt(pack_texts([birds(602)]), {}) == {}
    assert (strategy.judge(seen).perplexity or 0) < (first.perplexity or 0)
    strategy.adopt(pack_texts([]), {})  # taken back
    assert strategy.judge(seen).perplexity == first.perplexity


def test_a_crawl_that_does_not_adapt_keeps_and_learns_nothing() -> None:
    seen = look(write_page("", f"<p>{birds(600)}</p>"))
    strategy = make_strategy("focused", KNOWLEDGE)
    first = strategy.judge(seen)
    assert (first.perplexity or 0) < find_limit(KNOWLEDGE)
    assert not strategy.wants_text("b.test", first)
    strategy.adopt(pack_texts([birds(602)]), {})  # of a crawl that did
    assert strategy.judge(seen).perplexity == first.perplexity
