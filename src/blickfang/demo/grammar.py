r"""Sentences from word lists: a lexicon's text goes in, facts, paragraphs and captions come out.

A lexicon is a file in data/lexicons, plain text that people can read and extend. A line that begins
with `=` opens a block, an indented line continues the line before:

    = rows name place           things to write about, one a line, columns separated by |
    = trait year 1788..1934     drawn once for each thing; a number range or choices with |
    = view hour at dusk | ...   drawn once for each picture of it
    = word part lens | lamp     drawn anew wherever {part} stands
    = section history Title     sentences, one a line
    = captions, = blurbs, = articles

In a sentence `{slot}` is a fact or a word, `[a|b]` a choice.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

Facts = Mapping[str, str]

DATA = Path(__file__).parent / "data"

SLOT = re.compile(r"\{(\w+)\}")
CHOICE = re.compile(r"\[([^\[\]]*)\]")
# "a old tower" becomes "an old tower"; one, unit and eu- sound like consonants.
ARTICLE = re.compile(r"\b([Aa]) (?=[aeioAEIO](?!ne\b|u)|u(?!n[i]|s))")


@dataclass(frozen=True, slots=True)
class SentencePool:
    """One kind of paragraph: its heading and the sentences it chooses from."""

    heading: str
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """All that can be said about one subject."""

    topic: str
    motif: str
    language: str
    rows: tuple[Facts, ...]
    traits: Mapping[str, tuple[str, ...]]
    views: Mapping[str, tuple[str, ...]]
    words: Mapping[str, tuple[str, ...]]
    sections: Mapping[str, SentencePool]
    captions: tuple[str, ...]
    blurbs: tuple[str, ...]
    articles: tuple[tuple[str, str], ...]  # title, section keys


def read_toml(name: str) -> dict[str, Any]:
    """Read one of the demo's tables, by the stem of its file."""
    return tomllib.loads((DATA / f"{name}.toml").read_text(encoding="utf-8"))


@cache
def lexicon(name: str) -> Lexicon:
    """Return a lexicon by the stem of its file."""
    return read_lexicon((DATA / "lexicons" / f"{name}.txt").read_text(encoding="utf-8"))


def read_lexicon(text: str) -> Lexicon:
    """Read a lexicon from its text."""
    joined = text.strip().removeprefix("=").replace("\n  ", " ")
    split = [block.split("\n") for block in joined.split("\n=")]
    blocks = [(lines[0].split(), tuple(lines[1:])) for lines in split]
    named = {words[0]: (words[1:], body) for words, body in blocks}
    columns, rows = named["rows"]

    def drawn(kind: str) -> dict[str, tuple[str, ...]]:
        return {words[1]: choices(words[2:]) for words, _ in blocks if words[0] == kind}

    return Lexicon(
        topic=named["topic"][0][0],
        motif=named["motif"][0][0],
        language=named["language"][0][0],
        rows=tuple(dict(zip(columns, split_bars(row), strict=True)) for row in rows),
        traits=drawn("trait"),
        views=drawn("view"),
        words=drawn("word"),
        sections={
            words[1]: SentencePool(" ".join(words[2:]), body)
            for words, body in blocks
            if words[0] == "section"
        },
        captions=named["captions"][1],
        blurbs=named["blurbs"][1],
        articles=tuple((title, keys) for title, keys in map(split_bars, named["articles"][1])),
    )


def split_bars(line: str) -> tuple[str, ...]:
    """Split a line at its bars."""
    return tuple(part.strip() for part in line.split("|"))


def choices(words: Sequence[str]) -> tuple[str, ...]:
    """Read `a | b | c`, or a range of numbers such as `3..9`."""
    line = " ".join(words)
    if match := re.fullmatch(r"(\d+)\.\.(\d+)", line):
        return tuple(str(number) for number in range(int(match[1]), int(match[2]) + 1))
    return split_bars(line)


def seeded(text: str) -> Random:
    """Return chance that is the same on every machine, on every run."""
    return Random(text)  # noqa: S311 - nothing secret is drawn


def facts_about(lexicon: Lexicon, row: Facts) -> dict[str, str]:
    """Draw the lasting facts of one thing: the same on every site that writes about it."""
    random = seeded(f"facts/{lexicon.topic}/{row['name']}")
    drawn = {trait: random.choice(given) for trait, given in lexicon.traits.items()}
    return drawn | dict(row)


def say(lexicon: Lexicon, template: str, facts: Facts, random: Random) -> str:
    """Make one sentence from a template.

    >>> say(lexicon("kites"), "[a|a] {form} kite", {"form": "old"}, seeded("x"))
    'An old kite'
    """

    def fill(match: re.Match[str]) -> str:
        slot = match[1]
        return facts[slot] if slot in facts else random.choice(lexicon.words[slot])

    text = template
    while "[" in text or "{" in text:
        text = CHOICE.sub(lambda match: random.choice(match[1].split("|")), text)
        text = SLOT.sub(fill, text)
    if lexicon.language == "en":
        text = ARTICLE.sub(r"\1n ", text)
    return text[:1].upper() + text[1:]


def paragraph(lexicon: Lexicon, key: str, facts: Facts, random: Random, count: int) -> str:
    """Make a paragraph of a few different sentences of one section.

    Who asks for all of them gets them in their order: pages of one template, like a timetable.
    """
    pool = lexicon.sections[key].sentences
    chosen = pool if count >= len(pool) else random.sample(pool, count)
    return " ".join(say(lexicon, template, facts, random) for template in chosen)
