"""A topic: what the user is looking for, learned from pages on it and neutral ones.

In: the texts of positive and neutral pages. Out: `Topic`: a language model, a second one of
sentences held back, keywords, and the settings they were made with; on disk a folder in which
`topic.json` names the rest, so that replacing that one file replaces the topic as a whole.
"""

import hashlib
import json
import math
import random
import warnings
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from blickfang.errors import InputError, SettingsError
from blickfang.io.atomic_files import replacing, write_text
from blickfang.text.keywords import Keyword, Keywords, find_keywords
from blickfang.text.lm.kneser_ney import LittleTextWarning
from blickfang.text.lm.language_model import MAX_ORDER, LanguageModel, perplexities, train_sentences
from blickfang.text.lm.model_file import load_model, save_model
from blickfang.text.lm.ngram_counts import Sentences
from blickfang.text.words import (
    Flags,
    Hashes,
    Words,
    pick,
    read_many,
    sentence_lengths,
    text_slices,
)

FORMAT = 2
PAGES = "pages"
ENTRY = "topic.json"

T = TypeVar("T", bound=np.generic)


@dataclass(frozen=True, slots=True)
class TopicOptions:
    """What a topic is learned from, and how."""

    positive: Annotated[
        tuple[str, ...], "pages on the topic: files, folders, globs, addresses"
    ] = ()
    neutral: Annotated[
        tuple[str, ...], "pages on anything else: files, folders, globs, addresses"
    ] = ()
    order: Annotated[int, "longest n-gram of the language model, 1 to 7"] = 5
    min_words: Annotated[int, "shorter sentences are not learned from"] = 5
    train_share: Annotated[float, "share of sentences in the model; the rest tests it"] = 0.7
    keywords: Annotated[int, "how many keywords are kept"] = 50
    seed: Annotated[int, "decides which sentences are held back"] = 1

    def __post_init__(self) -> None:
        if not 1 <= self.order <= MAX_ORDER:
            raise SettingsError(f"order = {self.order} is not possible; choose 1 to {MAX_ORDER}")
        if not 0 < self.train_share <= 1:
            raise SettingsError("train_share must lie above 0 and not above 1")
        if self.min_words < 1 or self.keywords < 0:
            raise SettingsError("min_words must be at least 1 and keywords at least 0")


DEFAULTS = TopicOptions()


@dataclass(frozen=True, slots=True)
class TopicWords:
    """The words of the pages that a topic was learned from, page by page."""

    positive: list[Hashes]
    neutral: list[Hashes]
    begins: list[Flags]  # of positive ones: where sentences begin


@dataclass(frozen=True)
class Topic:
    """What the user is looking for."""

    model: LanguageModel
    test_model: LanguageModel | None  # None: not loaded, or too little text to hold some back
    keywords: Keywords
    sentences: int
    held_out: float | None  # perplexity of the sentences held back
    positive_pages: int
    neutral_pages: int
    settings: dict[str, Any]  # the resolved settings it was learned with
    learned_from: TopicWords | None = None  # None: not loaded

    def perplexity(self, texts: Sequence[str]) -> list[float | None]:
        """Return how surprising each text, as one sequence of words, is to who knows the topic."""
        return perplexities(self.model.score(texts))

    def keyword_score(self, texts: Sequence[str]) -> list[float]:
        """Return how much of the keywords' weight each text carries."""
        return self.keywords.score(texts)


def learn_topic(
    positive: Sequence[str],
    neutral: Sequence[str],
    options: TopicOptions = DEFAULTS,
    settings: dict[str, Any] | None = None,
) -> Topic:
    """Learn a topic from the texts of pages on it and of neutral pages."""
    pages, others = read_many(positive), read_many(neutral)
    train_words, test_words, count = split_sentences(pages, options)
    if count == 0:
        raise InputError(
            f"the positive pages hold no sentence of {options.min_words} words or more; "
            "give more pages, or lower min_words"
        )
    if not neutral:
        warnings.warn(
            "there are no neutral pages, so there are no keywords; "
            "a dozen pages on anything else will do",
            LittleTextWarning,
            stacklevel=2,
        )
    found = find_keywords(pages, others, options.keywords) if neutral else []
    model = _train(train_words, options.order)
    return Topic(
        model=model,
        test_model=_train(test_words, options.order) if len(test_words.hashes) else None,
        keywords=Keywords(found),
        sentences=count,
        held_out=perplexities(model.score_sentences(test_words))[0],
        positive_pages=len(positive),
        neutral_pages=len(neutral),
        settings=settings if settings is not None else {"topic": asdict(options)},
        learned_from=TopicWords(
            _split_pages(pages, pages.hashes),
            _split_pages(others, others.hashes),
            _split_pages(pages, pages.breaks),
        ),
    )


def _split_pages(words: Words, column: NDArray[T]) -> list[NDArray[T]]:
    return [column[text].copy() for text in text_slices(words)]


def _train(words: Words, order: int) -> LanguageModel:
    sentences = Sentences()
    sentences.add(words)
    return train_sentences(sentences, order, tokenised=False)


def split_sentences(pages: Words, options: TopicOptions) -> tuple[Words, Words, int]:
    """Return the sentences to train on, those held back, and how many there are in all."""
    lengths = sentence_lengths(pages)
    kept = np.flatnonzero(lengths >= options.min_words).tolist()
    random.Random(options.seed).shuffle(kept)  # noqa: S311 -- repeatable, not secret
    cut = max(1, round(len(kept) * options.train_share))
    return _take(pages, lengths, kept[:cut]), _take(pages, lengths, kept[cut:]), len(kept)


def _take(pages: Words, lengths: np.ndarray[Any, Any], sentences: list[int]) -> Words:
    chosen = np.zeros(len(lengths), np.bool_)
    chosen[sentences] = True
    return pick(pages, np.repeat(chosen, lengths))


def save_topic(topic: Topic, folder: Path) -> None:
    """Write a topic; whoever loads it meanwhile gets the old one or the new one, whole."""
    replaced = _model_names(folder)
    names: dict[str, str] = {}
    for role, model in (("model", topic.model), ("test_model", topic.test_model)):
        if model is not None:
            written = folder / f"{role}.new"
            names[role] = f"{role}-{save_model(model, written)[:16]}.lm"
            written.replace(folder / names[role])
    if topic.learned_from is not None:
        names[PAGES] = save_pages(topic.learned_from, folder)
    entry = {
        "format": FORMAT,
        "models": names,
        "sentences": topic.sentences,
        "held_out": topic.held_out,
        "positive_pages": topic.positive_pages,
        "neutral_pages": topic.neutral_pages,
        "keywords": [asdict(keyword) for keyword in topic.keywords.found],
        "settings": topic.settings,
    }
    write_text(folder / ENTRY, json.dumps(entry, indent=1, ensure_ascii=False) + "\n")
    for path in [*folder.glob("*.lm"), *folder.glob(f"{PAGES}-*.npz")]:
        # Those just replaced stay until the next time: someone may be about to load them.
        if path.name not in {*names.values(), *replaced}:
            path.unlink()


def save_pages(pages: TopicWords, folder: Path) -> str:
    """Write the words of pages into a file named by its content; return its name."""
    arrays: dict[str, Any] = {
        "positive_words": join_pages(pages.positive),
        "positive_ends": np.cumsum([len(page) for page in pages.positive], dtype=np.int64),
        "neutral_words": join_pages(pages.neutral),
        "neutral_ends": np.cumsum([len(page) for page in pages.neutral], dtype=np.int64),
        "positive_begins": np.concatenate([np.zeros(0, np.bool_), *pages.begins]),
    }
    content = b"".join(array.tobytes() for array in arrays.values())
    name = f"{PAGES}-{hashlib.sha256(content).hexdigest()[:16]}.npz"
    with replacing(folder / name) as file:
        np.savez(file, **arrays)
    return name


def join_pages(pages: Sequence[Hashes]) -> Hashes:
    """Return the words of pages, one page behind the other."""
    return np.concatenate([np.zeros(0, np.uint64), *pages])


def _cut(column: NDArray[T], ends: NDArray[np.int64]) -> list[NDArray[T]]:
    return np.split(column, ends[:-1]) if len(ends) else []


def load_pages(path: Path) -> TopicWords:
    """Return the words of the pages that a topic was learned from."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            ends = arrays["positive_ends"]
            return TopicWords(
                _cut(arrays["positive_words"], ends),
                _cut(arrays["neutral_words"], arrays["neutral_ends"]),
                _cut(arrays["positive_begins"], ends),
            )
    except (
        OSError, ValueError, KeyError, TypeError, EOFError, MemoryError, OverflowError,
        NotImplementedError, RuntimeError, SyntaxError, zipfile.BadZipFile, zlib.error,
    ) as error:  # fmt: skip
        raise InputError(f"{path} is damaged; run `blickfang learn`") from error


def _model_names(folder: Path) -> list[str]:
    try:
        entry = json.loads((folder / ENTRY).read_text(encoding="utf-8"))
        return list(entry["models"].values())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return []


def has_topic(folder: Path) -> bool:
    """Whether a topic was saved in a folder."""
    return (folder / ENTRY).exists()


def name_topic(folder: Path) -> str:
    """Return a name that equal topics share; "" where none is."""
    try:
        entry = json.loads((folder / ENTRY).read_text(encoding="utf-8"))
        return str(entry["models"]["model"])  # named by its content
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def load_topic(folder: Path, *, with_test_model: bool = False, with_pages: bool = False) -> Topic:
    """Return a saved topic; the test model and the pages, which few need, only if asked for."""
    try:
        entry = json.loads((folder / ENTRY).read_text(encoding="utf-8"))
        version = entry["format"]
    except FileNotFoundError as error:
        raise InputError(
            f"no topic is learned yet in {folder.parent}; run `blickfang learn`"
        ) from error
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(f"{folder / ENTRY} is damaged; run `blickfang learn`") from error
    if version != FORMAT:
        raise InputError(
            f"{folder / ENTRY} has topic format {version}, this Blickfang reads {FORMAT}; "
            "run `blickfang learn`"
        )
    try:
        topic = _assemble(entry, folder, with_test_model)
        if not with_pages:
            return topic
        return replace(topic, learned_from=load_pages(folder / Path(entry["models"][PAGES]).name))
    except (KeyError, TypeError, AttributeError, ValueError, OverflowError) as error:
        raise InputError(f"{folder / ENTRY} is damaged; run `blickfang learn`") from error


def _read_keywords(entries: list[dict[str, Any]]) -> Keywords:
    """Return keywords as they were written; a ValueError unless each is a word with a weight."""
    found = [
        Keyword(str(one["word"]), float(one["weight"]), int(one["tf"]), int(one["df"]))
        for one in entries
    ]
    each = np.diff(read_many([keyword.word for keyword in found]).texts)
    if (each != 1).any() or not all(math.isfinite(keyword.weight) for keyword in found):
        raise ValueError("no keywords")
    return Keywords(found)


def _read_perplexity(value: Any) -> float | None:
    """Return a perplexity as it was written; there is none where nothing could be held back."""
    if value is None:
        return None
    if not math.isfinite(value):
        raise ValueError("no perplexity")
    return float(value)


def _assemble(entry: dict[str, Any], folder: Path, with_test_model: bool) -> Topic:
    names = {role: Path(name).name for role, name in entry["models"].items()}  # nowhere else
    wanted = ["model", "test_model"] if with_test_model and "test_model" in names else ["model"]
    try:
        models = {role: load_model(folder / names[role]) for role in wanted}
    except InputError as error:
        raise InputError(f"{error}; `blickfang learn` makes it anew") from error
    return Topic(
        model=models["model"],
        test_model=models.get("test_model"),
        keywords=_read_keywords(entry["keywords"]),
        sentences=int(entry["sentences"]),
        held_out=_read_perplexity(entry["held_out"]),
        positive_pages=int(entry["positive_pages"]),
        neutral_pages=int(entry["neutral_pages"]),
        settings=dict(entry["settings"]),
    )
