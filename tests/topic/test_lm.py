"""The language model against a slow one, on disk, as ARPA, and on bad input."""

import gzip
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from blickfang.crawl.focus.perplexity import measure_whole
from blickfang.errors import InputError
from blickfang.text.lm import (
    LanguageModel,
    load_model,
    perplexities,
    read_arpa,
    save_model,
    train_model,
    write_arpa,
)
from blickfang.text.lm.kneser_ney import LittleTextWarning
from blickfang.text.lm.tokenised import read_tokenised
from blickfang.text.words import Words, read_many
from tests.topic.kneser_ney import SlowModel

CATS = [
    "the cat sat on the mat",
    "the cat sat on the red sofa",
    "a kitten sat on the mat and slept",
    "the red cat saw a kitten on the mat",
    "a dog saw the cat and the kitten",
    "the kitten slept on the sofa",
    "the cat and the dog slept",
]

word = st.sampled_from(["a", "b", "c", "d", "é", "日"])
sentence = st.lists(word, min_size=1, max_size=8)
corpus = st.lists(sentence, min_size=1, max_size=25)


def train_quietly(sentences: list[str], order: int = 3, *, tokenised: bool = True) -> LanguageModel:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LittleTextWarning)
        return train_model(["\n".join(sentences)], order, min_words=1, tokenised=tokenised)


@given(corpus, st.lists(sentence, min_size=1, max_size=5), st.integers(1, 7))
@example([["a"], ["a"], ["a"], ["d", "d"], ["a", "a", "d", "d"]], [["b"]], 3)  # a discount of 0
def test_equals_the_slow_model(
    sentences: list[list[str]], texts: list[list[str]], order: int
) -> None:
    slow = SlowModel(sentences, order)
    model = train_quietly([" ".join(words) for words in sentences], order)
    assert model.order == slow.order
    assert model.counts[1:] == tuple(len(counts) for counts in slow.counts[1:])
    assert model.counts[0] == len(slow.vocabulary) + 1  # and <s>
    assert np.allclose(model.discounts, slow.discounts)
    scores = model.score_lines([" ".join(words) for words in texts], tokenised=True)
    for log, tokens, words in zip(scores.log10, scores.tokens, texts, strict=True):
        expected = slow.logs(words)
        assert tokens == len(expected)
        assert log == pytest.approx(sum(expected), rel=1e-6)


def test_probabilities_after_any_context_sum_to_one() -> None:
    model = train_quietly(CATS, 4)
    vocabulary = [*model.words[3:], "never-seen"]
    for context in (["the"], ["the", "cat"], ["on", "the", "mat"], ["never-seen"], ["dog", "mat"]):
        total = 10 ** end_log(model, context)
        total += sum(10 ** word_log(model, [*context, word]) for word in vocabulary)
        assert total == pytest.approx(1, abs=1e-6)


def word_log(model: LanguageModel, words: list[str]) -> float:
    of_word, _ = model.score_words(one_sentence(words))
    return float(of_word[-1]) / 2**36


def end_log(model: LanguageModel, words: list[str]) -> float:
    _, of_end = model.score_words(one_sentence(words))
    return float(of_end[-1]) / 2**36


def one_sentence(words: list[str]) -> Words:
    return read_tokenised([" ".join(words)])


def test_a_text_is_one_sequence_of_words_whoever_asks() -> None:
    """Where a text has full stops changes nothing; lines, texts and words say the same of it."""
    model = train_quietly(CATS, 3, tokenised=False)
    text = "The cat sat. A dog! Nothing known here"
    plain = "the cat sat a dog nothing known here"
    ours = model.perplexity(text)
    assert ours == model.perplexity(plain)
    assert [ours] == perplexities(model.score_lines([text]))
    assert ours == measure_whole(model, read_many([text]).hashes)
    assert ours != perplexities(model.score_sentences(read_many([text])))[0]


def test_word_logs_add_up_to_the_score() -> None:
    model = train_quietly(CATS, 3, tokenised=False)
    texts = ["The cat sat. A dog! Nothing known here", "", "kitten"]
    words = read_many(texts)
    of_word, of_end = model.score_words(words)
    scores = model.score_sentences(words)
    for t in range(len(texts)):
        part = slice(words.texts[t], words.texts[t + 1])
        together = int(of_word[part].sum()) + int(of_end[part].sum())
        assert together / 2**36 == scores.log10[t]
    assert scores.tokens.tolist() == [8 + 3, 0, 2]
    assert scores.unknown.tolist() == [3, 0, 0]


def test_batches_equal_single_texts() -> None:
    model = train_quietly(CATS, 5)
    lines = [*CATS, "", "sofa red the on", "x y z"] * 300  # several chunks
    together = model.score_lines(lines, tokenised=True)
    for i in (0, 7, 8, 9, 1500, len(lines) - 1):
        assert together.log10[i] == model.score_lines([lines[i]], tokenised=True).log10[0]


def test_empty_text_has_no_perplexity() -> None:
    model = train_quietly(CATS, 2, tokenised=False)
    assert perplexities(model.score(["", "123 …", "cat"]))[:2] == [None, None]
    assert model.perplexity("") is None
    assert model.perplexity("the cat") == pytest.approx(
        10 ** -(model.score(["the cat"]).log10[0] / 3)
    )


def test_foreign_text_is_more_surprising() -> None:
    model = train_quietly(CATS, 5, tokenised=False)
    near, far = model.perplexity("The kitten sat on the sofa."), model.perplexity("Ein Haus am See")
    assert near is not None
    assert far is not None
    assert far > 3 * near


@pytest.mark.parametrize("name", ["model.lm", "deeper/folder/model.lm"])
def test_saved_and_loaded_is_the_same(tmp_path: Path, name: str) -> None:
    model = train_quietly(CATS, 4)
    save_model(model, tmp_path / name)
    loaded = load_model(tmp_path / name)
    assert loaded.words == model.words
    assert (loaded.counts, loaded.discounts, loaded.order) == (
        model.counts,
        model.discounts,
        model.order,
    )
    assert (
        loaded.score_lines(CATS, tokenised=True).log10
        == model.score_lines(CATS, tokenised=True).log10
    ).all()
    assert [path.name for path in (tmp_path / name).parent.iterdir()] == ["model.lm"]


def test_no_part_of_a_model_loads(tmp_path: Path) -> None:
    path = tmp_path / "model.lm"
    save_model(train_quietly(CATS, 3), path)
    data = path.read_bytes()
    for length in {0, 1, 15, 16, 48, 55, 56, 200, len(data) // 2, len(data) - 1}:
        path.write_bytes(data[:length])
        with pytest.raises(InputError):
            load_model(path)
    for at in (3, 13, 20, 50, 60, len(data) // 2, len(data) - 1):
        path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        with pytest.raises(InputError):
            load_model(path)


def test_an_interrupted_save_leaves_the_old_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model.lm"
    old = train_quietly(CATS, 2)
    save_model(old, path)

    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("os.fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        save_model(train_quietly(CATS, 4), path)
    assert load_model(path).order == 2
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["model.arpa", "model.arpa.gz"])
def test_arpa_there_and_back(tmp_path: Path, name: str) -> None:
    model = train_quietly([*CATS, "straße über Ærø 東 京"], 4)
    write_arpa(model, tmp_path / name)
    back = read_arpa(tmp_path / name)
    assert back.counts == model.counts
    assert sorted(back.words) == sorted(model.words)
    ours, theirs = model.score_lines(CATS, tokenised=True), back.score_lines(CATS, tokenised=True)
    assert np.allclose(ours.log10, theirs.log10, atol=1e-5)


def test_an_arpa_file_by_hand(tmp_path: Path) -> None:
    """Pruned as other tools do it: the trigram's suffix is missing, and so is <unk>."""
    path = tmp_path / "hand.arpa"
    path.write_text(
        "\\data\\\nngram 1=4\nngram 2=2\nngram 3=1\n\n"
        "\\1-grams:\n-99\t<s>\t-0.5\n-1\t</s>\n-0.5\ta\t-0.25\n-0.75\tb\t-0.125\n\n"
        "\\2-grams:\n-0.3\t<s> a\t-0.0625\n-0.4\ta b\n\n\\3-grams:\n-0.2\t<s> a a\n\n\\end\\\n"
    )
    model = read_arpa(path)
    assert not model.table.closed
    assert model.counts == (5, 2, 1)
    write_arpa(model, tmp_path / "back.arpa")
    assert read_arpa(tmp_path / "back.arpa").counts == (5, 2, 1)
    logs = model.score_lines(["a a", "b", "zzz"], tokenised=True).log10
    end_after_a = -1 + -0.25  # </s> alone, and the back-off of a; "a a" was pruned
    assert logs[0] == pytest.approx(-0.3 - 0.2 + end_after_a, abs=1e-6)
    assert logs[1] == pytest.approx((-0.5 - 0.75) + (-0.125 - 1), abs=1e-6)
    assert logs[2] == pytest.approx((-0.5 - 100) - 1, abs=1e-4)


def test_an_arpa_file_that_knows_the_unknown(tmp_path: Path) -> None:
    path = tmp_path / "open.arpa"
    path.write_text(
        "\\data\\\nngram 1=5\nngram 2=4\n\n"
        "\\1-grams:\n-2\t<unk>\t-0.5\n-99\t<s>\t-0.25\n-1\t</s>\n-0.5\tthe\t-0.125\n-0.7\tcat\t0\n\n"
        "\\2-grams:\n-0.3\t<s> the\n-0.1\tthe <unk>\n-0.2\t<unk> cat\n-0.4\t<unk> <unk>\n\n"
        "\\end\\\n"
    )
    model = read_arpa(path)
    lines = ["the zzz cat", "zzz the", "the x y"]
    expected = [-0.3 - 0.1 - 0.2 - 1, -0.25 - 2 - 0.5 - 0.5 - 0.125 - 1, -0.3 - 0.1 - 0.4 - 0.5 - 1]
    scores = model.score_lines(lines, tokenised=True)
    assert scores.log10.tolist() == pytest.approx(expected, abs=1e-6)
    assert scores.unknown.tolist() == [1, 1, 2]
    write_arpa(model, tmp_path / "back.arpa")
    again = read_arpa(tmp_path / "back.arpa").score_lines(lines, tokenised=True)
    assert again.log10.tolist() == pytest.approx(expected, abs=1e-6)


def test_a_very_long_unlikely_line_does_not_overflow(tmp_path: Path) -> None:
    path = tmp_path / "closed.arpa"
    path.write_text("\\data\\\nngram 1=2\n\n\\1-grams:\n-99\t<s>\n-1\t</s>\n\n\\end\\\n")
    scores = read_arpa(path).score_lines(["z " * 1_500_000], tokenised=True)
    assert scores.log10[0] == pytest.approx(-100 * 1_500_000 - 1)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no arpa at all",
        "\\data\\\nngram 1=1\n\n\\1-grams:\nnan\ta\n",
        "\\data\\\nngram 1=1\n\n\\1-grams:\n0.5\ta\n",
        "\\data\\\nngram 1=1\n\n\\1-grams:\n-500\ta\n",
        "\\data\\\nngram 1=0\n\n\\1-grams:\n",
        "\\data\\\nngram 1=1\n\n\\1-grams:\n-inf\ta\n",
        "\\data\\\nngram 1=1\n\n\\1-grams:\n-1\ta\t1e400\n",
        "\\data\\\nngram 1=2\n\n\\1-grams:\n-1 a\n",
        "\\data\\\nngram 1=1\nngram 2=1\n\n\\1-grams:\n-1\ta\n\n\\2-grams:\n-1\ta b\n",
        "\\data\\\nngram 1=1\n\n\\1-grams:\nnumber\ta\n",
        "\\data\\\nngram 2=1\n\n\\2-grams:\n-1\ta\n",
        "\\data\\\nngram 1=99999999999999999999\n\n\\1-grams:\n-1\ta\n",
    ],
)
def test_a_broken_arpa_file_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "broken.arpa"
    path.write_text(text)
    with pytest.raises(InputError, match="ARPA"):
        read_arpa(path)


def test_a_broken_gzip_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "broken.arpa.gz"
    path.write_bytes(gzip.compress(b"\\data\\\nngram 1=2\n" * 100)[:30])
    with pytest.raises(InputError):
        read_arpa(path)
    with pytest.raises(InputError):
        read_arpa(tmp_path / "not-there.arpa")


def test_words_with_controls_go_through_arpa(tmp_path: Path) -> None:
    model = train_quietly(["a\x01b c", "c a\x01b"], 2)
    write_arpa(model, tmp_path / "model.arpa")
    assert read_arpa(tmp_path / "model.arpa").words == model.words


def test_folded_and_tokenised_text_meet() -> None:
    raw = train_quietly(["Der Café an der Straße", "don't panic"], 2)
    assert raw.score_lines(["CAFÉ STRASSE"], tokenised=False).unknown[0] == 0
    assert raw.score_lines(["don't"], tokenised=False).unknown[0] == 2
    folded = train_quietly(["Der Café an der Straße"], 2, tokenised=False)
    assert folded.score_lines(["café strasse"], tokenised=True).unknown[0] == 0
    assert folded.score_lines(["Café Straße"], tokenised=True).unknown[0] == 2


def test_sentence_marks_in_the_text_are_no_words() -> None:
    marked = train_quietly(["<s> the cat </s>", "<unk> the dog"], 2)
    assert marked.words == ["<unk>", "<s>", "</s>", "the", "cat", "dog"]
    plain = train_quietly(["the cat", "the dog"], 2)
    assert (
        marked.score_lines(["the cat"], tokenised=True).log10
        == plain.score_lines(["the cat"], tokenised=True).log10
    )


def test_little_text_falls_back_with_a_warning() -> None:
    with pytest.warns(
        LittleTextWarning, match=r"discounts of order 1, 2; taking 0\.5, 1\.0 and 1\.5"
    ):
        model = train_model(["one single sentence is all there is"], 2)
    assert model.discounts == ((0.5, 1.0, 1.5),) * 2
    with pytest.warns(LittleTextWarning) as warned:
        assert train_model(["cat"], 5, min_words=1).order == 3
    assert "the model has order 3" in str(warned[0].message)


@pytest.mark.parametrize("text", ["", "\n\n", "123 456", "too short here"])
def test_nothing_to_learn_from(text: str) -> None:
    with pytest.raises(InputError, match="give more text"):
        train_model([text])


@pytest.mark.parametrize("order", [0, 8, -1])
def test_impossible_orders(order: int) -> None:
    with pytest.raises(InputError, match="choose 1 to 7"):
        train_model(["a b c d e f"], order)


def test_other_files_are_no_models(tmp_path: Path) -> None:
    path = tmp_path / "picture.png"
    path.write_bytes(b"\x89PNG" + bytes(1000))
    with pytest.raises(InputError, match="not a language model"):
        load_model(path)
    with pytest.raises(InputError, match="cannot read"):
        load_model(tmp_path / "missing.lm")
