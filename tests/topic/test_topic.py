"""A topic: learned, split, saved, loaded."""

import json
from pathlib import Path

import pytest

from blickfang.errors import InputError, SettingsError
from blickfang.text import Topic, TopicOptions, learn_topic, load_topic, save_topic
from blickfang.text.lm.kneser_ney import LittleTextWarning
from blickfang.text.topic import split_sentences
from blickfang.text.words import read_many

SENTENCES = [
    f"The {adjective} {animal} {verb} on the {place} in the {time}."
    for adjective in ("red", "old", "small", "quiet")
    for animal in ("cat", "kitten", "tomcat")
    for verb in ("sleeps", "sits", "purrs")
    for place, time in (("sofa", "morning"), ("mat", "evening"), ("roof", "night"))
]
CATS = [" ".join(SENTENCES[i::4]) for i in range(4)]
NEUTRAL = ["The council meets on the first day of the month.", "Trains run late in the evening."]


def learn(options: TopicOptions | None = None) -> Topic:
    with pytest.warns(LittleTextWarning):
        return learn_topic(CATS, NEUTRAL, options or TopicOptions())


def test_a_topic_knows_its_own() -> None:
    topic = learn()
    near, far = topic.perplexity(["The old cat sits on the mat.", "Interest rates rose again."])
    assert near is not None
    assert far is not None
    assert near < far / 3
    assert {"cat", "kitten", "sofa"} <= {keyword.word for keyword in topic.keywords.found}
    assert "the" not in {keyword.word for keyword in topic.keywords.found[:10]}
    assert topic.keyword_score(["cat", "council", ""])[0] > 0
    assert topic.held_out is not None
    assert topic.held_out < far


def test_seven_of_ten_sentences_train_the_rest_tests() -> None:
    pages = read_many(CATS)
    train, test, count = split_sentences(pages, TopicOptions())
    assert count == len(SENTENCES)
    assert int(train.breaks.sum()) == round(0.7 * len(SENTENCES))
    assert int(train.breaks.sum()) + int(test.breaks.sum()) == count
    again, _, _ = split_sentences(pages, TopicOptions())
    assert again.starts.tolist() == train.starts.tolist()
    other, _, _ = split_sentences(pages, TopicOptions(seed=2))
    assert other.starts.tolist() != train.starts.tolist()


def test_short_sentences_are_not_learned() -> None:
    train, test, count = split_sentences(
        read_many(["Home. Contact us. " + SENTENCES[0]]), TopicOptions()
    )
    assert (count, len(test.hashes)) == (1, 0)
    assert len(train.hashes) == len(read_many([SENTENCES[0]]).hashes)


def test_saved_and_loaded_is_the_same(tmp_path: Path) -> None:
    topic = learn(TopicOptions(order=3, keywords=5))
    save_topic(topic, tmp_path / "topic")
    loaded = load_topic(tmp_path / "topic", with_test_model=True)
    texts = ["The red tomcat purrs.", "", "something else entirely"]
    assert loaded.perplexity(texts) == topic.perplexity(texts)
    assert loaded.keywords.found == topic.keywords.found
    assert loaded.test_model is not None
    assert loaded.held_out == topic.held_out
    assert loaded.settings["topic"]["order"] == 3


def test_a_topic_of_too_little_text_to_hold_some_back_is_loaded(tmp_path: Path) -> None:
    with pytest.warns(LittleTextWarning):
        topic = learn_topic([SENTENCES[0]], NEUTRAL)
    assert topic.held_out is None
    save_topic(topic, tmp_path)
    assert load_topic(tmp_path).held_out is None


def test_learning_again_replaces_the_old_files(tmp_path: Path) -> None:
    for order in (2, 3, 4, 5):
        save_topic(learn(TopicOptions(order=order)), tmp_path)
    assert load_topic(tmp_path).model.order == 5
    assert len(list(tmp_path.glob("*.lm"))) == 4  # the present two and the last two


def test_a_killed_save_leaves_the_old_topic(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_topic(learn(TopicOptions(order=2)), tmp_path)

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("blickfang.text.topic.write_text", die)
    with pytest.raises(KeyboardInterrupt):
        save_topic(learn(TopicOptions(order=3)), tmp_path)
    assert load_topic(tmp_path).model.order == 2


def test_no_neutral_pages_means_no_keywords() -> None:
    with pytest.warns(LittleTextWarning) as warned:
        topic = learn_topic(CATS, [])
    assert any("no neutral pages" in str(warning.message) for warning in warned)
    assert topic.keywords.found == []
    assert topic.keyword_score(["cat"]) == [0.0]


def test_nothing_to_learn() -> None:
    with pytest.raises(InputError, match="no sentence of 5 words"):
        learn_topic(["Home. Contact."], NEUTRAL)


@pytest.mark.parametrize(
    "wrong", [{"order": 8}, {"train_share": 0.0}, {"train_share": 1.1}, {"min_words": 0}]
)
def test_impossible_options(wrong: dict[str, int]) -> None:
    with pytest.raises(SettingsError):
        TopicOptions(**wrong)  # type: ignore[arg-type]


def test_what_is_no_topic(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="run `blickfang learn`"):
        load_topic(tmp_path)
    (tmp_path / "topic.json").write_text("{")
    with pytest.raises(InputError, match="damaged"):
        load_topic(tmp_path)
    for wrong in ("[]", "{}", '{"format": 2}', '{"format": 2, "models": []}', "7"):
        (tmp_path / "topic.json").write_text(wrong)
        with pytest.raises(InputError, match="damaged"):
            load_topic(tmp_path)
    save_topic(learn(), tmp_path)  # and what is damaged can be replaced
    (tmp_path / "topic.json").write_text(json.dumps({"format": 99}))
    with pytest.raises(InputError, match="format 99"):
        load_topic(tmp_path)
