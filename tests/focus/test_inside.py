"""The study's modes adapt: pages far inside refine the topic, unless what was held back suffers."""

import warnings
import zlib

import pytest

from blickfang.crawl.focus import FocusOptions, Knowledge, make_strategy
from blickfang.crawl.focus.background import SAMPLES
from blickfang.crawl.focus.online_learning import check_adapting
from blickfang.crawl.focus.self_training import (
    Inside,
    adapt_topic,
    choose_pages,
    find_limit,
    pack_page,
    pack_texts,
    unpack_page,
    unpack_texts,
)
from blickfang.errors import InputError, SettingsError
from blickfang.text import learn_topic
from tests.focus.pages import look, write_page
from tests.topic.writing import birds, metals


def know() -> Knowledge:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        topic = learn_topic(
            [birds(n, 12) for n in range(4)], [metals(100 + n, 12) for n in range(4)]
        )
    assert topic.learned_from is not None
    return Knowledge(topic, topic.learned_from.positive, topic.learned_from.neutral)


KNOWLEDGE = know()
TOPIC = KNOWLEDGE.known_topic
LIMIT = find_limit(KNOWLEDGE)


def pack(host: str, text: str, limit: float = LIMIT) -> list[Inside]:
    """Return the page, if it is far inside the topic."""
    data = pack_page(host, text, TOPIC, limit)
    return [] if data is None else [unpack_page(data)]


def test_pages_nearer_to_the_topic_than_to_neutral_ones_are_learned_from() -> None:
    on = {f"b{n}.test": birds(200 + n, 10) for n in range(3)}
    off = {f"m{n}.test": metals(300 + n, 10) for n in range(3)}
    pages = [page for host, text in (on | off).items() for page in pack(host, text)]
    assert all(0 < page.perplexity <= LIMIT for page in pages)
    texts, step = adapt_topic(KNOWLEDGE, pages)
    assert {*texts} == {*on.values()}
    assert ({*step.hosts}, step.pages, step.accepted) == ({*on}, 3, True)
    assert (step.held_out[1] or 99) < (step.held_out[0] or 0)


def test_a_page_off_the_topic_that_slips_in_is_refused() -> None:
    texts, step = adapt_topic(KNOWLEDGE, pack("m.test", metals(7, 12), 1e9))
    assert (texts, step.pages, step.accepted) == ([], 1, False)
    assert step.reason in (
        "sentences held back would surprise more",
        "neutral pages would stand out less",
    )


def test_nothing_far_inside_is_no_step() -> None:
    assert pack("b.test", birds(1, 2)) == []  # too few words to prove anything
    assert pack("b.test", "") == []
    texts, step = adapt_topic(KNOWLEDGE, [])
    assert (texts, step.accepted, step.reason) == ([], False, "no page is far inside the topic")
    assert step.held_out[0] == step.held_out[1]


def test_nothing_to_test_by_is_no_step() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        topic = learn_topic([birds(1)], [])
    assert topic.learned_from is not None
    alone = Knowledge(topic, topic.learned_from.positive, [])
    texts, step = adapt_topic(alone, pack("b.test", birds(2, 10)))
    assert (texts, step.accepted) == ([], False)
    assert "to test by" in step.reason
    with pytest.raises(SettingsError, match="to test by"):
        check_adapting("focused", topic)
    with pytest.raises(SettingsError, match="all modes but"):
        check_adapting("unfocused", None)
    check_adapting("focused+images", topic)
    check_adapting("focused", TOPIC)


def test_every_host_has_its_say_before_one_has_two() -> None:
    pages = [page for n in range(5) for page in pack("a.test", birds(400 + n, 8))]
    pages += pack("b.test", birds(500, 8))
    chosen = choose_pages(TOPIC, pages)
    assert {page.host for page in chosen[:2]} == {"a.test", "b.test"}
    assert sum(page.host == "a.test" for page in chosen) <= SAMPLES
    assert sum(page.words for page in chosen) <= sum(map(len, KNOWLEDGE.learned))
    assert choose_pages(TOPIC, reversed(pages)) == chosen


def test_what_is_packed_comes_back() -> None:
    text = birds(8) + " Ein Zaunkönig. \ud800 \0 "
    (page,) = pack("b.test", text)
    assert (page.host, unpack_texts(page.text)) == ("b.test", [text])
    (long,) = pack("b.test", birds(9, 2000))
    assert unpack_texts(long.text) == [birds(9, 2000)[:40_000]]
    assert unpack_texts(pack_texts(["a", ""])) == ["a", ""]
    deep = b"[" * 10**6 + b"]" * 10**6
    for damaged in (b"", b"no", *map(zlib.compress, (b"[", b"5", b"null", b"[1]", deep))):
        with pytest.raises(InputError, match="damaged"):
            unpack_texts(damaged)
    with pytest.raises(InputError, match="damaged"):
        unpack_page(b"no")


@pytest.mark.parametrize("mode", ["focused", "focused+keywords"])
def test_a_crawl_judges_by_the_refined_topic_until_it_is_told_otherwise(mode: str) -> None:
    seen = look(write_page("", f"<p>{birds(600)} The shrike waits by the thorn.</p>"))
    strategy = make_strategy(mode, KNOWLEDGE, options=FocusOptions(adapt=True))
    first = strategy.judge(seen)
    assert strategy.wants_text("b.test", first)
    kept = strategy.take_text("b.test", birds(601))
    assert kept is not None
    assert unpack_texts(unpack_page(kept.data).text) == [birds(601)]
    assert strategy.take_text("b.test", metals(601)) is None
    for _ in range(SAMPLES):
        strategy.keep(kept)
    assert not strategy.wants_text("b.test", first)
    assert strategy.wants_text("c.test", first)
    more = "The shrike waits by the thorn near the old marsh. " + birds(602)
    assert strategy.adopt(pack_texts([more]), {}) == {}
    assert (strategy.judge(seen).perplexity or 0) < (first.perplexity or 0)
    strategy.adopt(pack_texts([]), {})  # taken back
    assert strategy.judge(seen).perplexity == first.perplexity


def test_a_crawl_that_does_not_adapt_keeps_and_learns_nothing() -> None:
    seen = look(write_page("", f"<p>{birds(600)}</p>"))
    strategy = make_strategy("focused", KNOWLEDGE)
    first = strategy.judge(seen)
    assert (first.perplexity or 0) < LIMIT
    assert not strategy.wants_text("b.test", first)
    assert strategy.take_text("b.test", birds(601)) is None
    strategy.adopt(pack_texts([birds(602)]), {})  # of a crawl that did
    assert strategy.judge(seen).perplexity == first.perplexity


def test_scores_stay_on_the_scale_of_the_topic() -> None:
    """Buckets, razor and queued links are on it: who knows many words more must not move them."""
    rare = " ".join(f"word{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(400))
    strategy = make_strategy("focused", KNOWLEDGE, options=FocusOptions(adapt=True))
    seen = look(write_page("", f"<p>{birds(700, 60)} A dunnock and a siskin.</p>"))
    before = strategy.judge(seen).perplexity or 0
    strategy.adopt(pack_texts([f"{birds(701)} {rare}."]), {})
    assert strategy.judge(seen).perplexity == pytest.approx(before, rel=0.1)
