"""A topic refined by texts: their sentences are learned, once, and what was held back stays so."""

from dataclasses import replace
from pathlib import Path

import pytest

from blickfang.errors import InputError
from blickfang.text import TopicOptions, learn_topic, load_topic, save_topic
from blickfang.text.lm.kneser_ney import LittleTextWarning
from blickfang.text.topic_refining import examine, refine
from tests.topic.test_topic import CATS, NEUTRAL, SENTENCES, learn
from tests.topic.writing import birds, metals

LIONS = (
    "The old lion sleeps on the rock in the evening. The quiet lion sits on the rock at noon. "
    "Lions yawn."
)


def test_without_texts_a_topic_stays_what_it_is() -> None:
    topic = learn()
    same = refine(topic, [])
    assert same.model.words == topic.model.words
    assert same.keywords.found == topic.keywords.found
    assert same.held_out == topic.held_out
    texts = [*SENTENCES, "Interest rates rose again."]
    assert same.perplexity(texts) == topic.perplexity(texts)


def test_sentences_that_were_learned_or_held_back_are_not_learned_again() -> None:
    """Else a page that was learned from, when the crawl meets it, would prove itself right."""
    topic = learn()
    again = refine(topic, CATS)
    assert again.perplexity(SENTENCES) == topic.perplexity(SENTENCES)
    assert again.keywords.found == topic.keywords.found


def test_near_copies_of_what_was_held_back_are_left_out() -> None:
    """Quoted with a word more, or strung together, they would prove the topic right."""
    topic = learn()
    quoted = [f"Yesterday {sentence}" for sentence in SENTENCES]
    strung = [page.replace(".", ";") for page in CATS]
    for copies in (quoted, strung):
        assert refine(topic, copies).perplexity(SENTENCES) == topic.perplexity(SENTENCES)


def test_a_learned_page_without_words_still_counts() -> None:
    with pytest.warns(LittleTextWarning):
        topic = learn_topic([*CATS, ""], NEUTRAL)
    assert refine(topic, []).keywords.found == topic.keywords.found
    assert refine(topic, ["", "!"]).keywords.found == topic.keywords.found


def test_new_sentences_are_known_once_each() -> None:
    topic = learn()
    (before,), (after,) = (t.perplexity([LIONS]) for t in (topic, refine(topic, [LIONS])))
    assert before is not None
    assert after is not None
    assert after < before / 2
    twice = refine(topic, [LIONS, LIONS])
    assert twice.perplexity([LIONS]) == [after]
    assert "lion" in {keyword.word for keyword in twice.keywords.found}
    assert "lions" not in twice.model.words  # its sentence has two words
    assert "lion" not in {keyword.word for keyword in topic.keywords.found}


def test_keywords_of_learned_pages_keep_their_names() -> None:
    topic = learn()
    refined = refine(topic, [LIONS])
    known = {keyword.word: keyword for keyword in topic.keywords.found}
    again = {keyword.word: keyword for keyword in refined.keywords.found}
    assert "" not in again
    assert again["sofa"].tf == known["sofa"].tf
    assert again["sleeps"].tf == known["sleeps"].tf + 1
    assert again["sleeps"].df == known["sleeps"].df + 1


def test_saved_and_loaded_it_is_refined_alike(tmp_path: Path) -> None:
    folder = tmp_path / "topic"
    topic = learn(TopicOptions(order=3, keywords=9, seed=7, train_share=0.5))
    save_topic(topic, folder)
    loaded = load_topic(folder, with_pages=True)
    one, other = refine(topic, [LIONS]), refine(loaded, [LIONS])
    assert one.perplexity([LIONS, *SENTENCES]) == other.perplexity([LIONS, *SENTENCES])
    assert one.keywords.found == other.keywords.found
    with pytest.raises(InputError, match="without the pages"):
        refine(load_topic(folder), [LIONS])


def test_the_exam_counts_words_that_the_first_model_knows() -> None:
    """A model with a thousand words more gives an unknown word less, which is no harm."""
    topic = learn()
    words = " ".join(f"{chr(97 + a)}{chr(97 + b)}q" for a in range(26) for b in range(26))
    foreign = refine(topic, [f"{words}."])
    plain, changed = examine(topic, topic), examine(topic, foreign)
    assert plain.held_out == pytest.approx(changed.held_out, rel=0.5)
    assert topic.perplexity(["zebra"])[0] < (foreign.perplexity(["zebra"])[0] or 0)  # type: ignore[operator]
    with pytest.warns(LittleTextWarning):
        small = learn_topic([birds(1)], [metals(1)])
    before, after = examine(small, small), examine(small, refine(small, [birds(2), birds(3)]))
    assert (after.held_out or 99) < (before.held_out or 0)
    nothing = replace(topic, learned_from=replace(topic.learned_from, neutral=[]))  # type: ignore[type-var]
    assert examine(nothing, topic).neutral is None
