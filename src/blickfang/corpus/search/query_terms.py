"""Words become terms: what the index of texts and the semantic one count.

In: `Words`, as `words.py` finds them, or a query. Out: terms: the folded words themselves, cut to
their stems and without stop words where an index wants that. Each distinct word is spelled once.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import tantivy
from numpy.typing import NDArray

from blickfang.corpus.search.search_options import SearchOptions
from blickfang.errors import SettingsError
from blickfang.text.words import Words, pick, read_words, spell

Numbers = NDArray[np.int32]

MAX_CHARS = 64  # of a term; more is no word, and long ones would fill the index
DROPPED = -1  # the number of a stop word


class TermTable:
    """The terms of an index; they grow while it is built."""

    def __init__(self, options: SearchOptions, known: Sequence[str] = ()) -> None:
        self._analyser = _make_analyser(options)
        self.spelled = list(known)
        self._numbers = {term: number for number, term in enumerate(known)}
        self._of_hash: dict[int, int] = {}

    def number(self, words: Words) -> Numbers:
        """Return the number of each word's term; new terms get new numbers, stop words none."""
        hashes, first, places = np.unique(words.hashes, return_index=True, return_inverse=True)
        known = hashes.tolist()
        new = [i for i, code in enumerate(known) if code not in self._of_hash]
        for i, word in zip(new, spell(pick(words, first[new])), strict=True):
            self._of_hash[known[i]] = self._add(word)
        numbers = np.fromiter(map(self._of_hash.__getitem__, known), np.int32, len(known))
        return numbers[places]

    def _add(self, word: str) -> int:
        term = self._reduce(word)
        if not term:
            return DROPPED
        number = self._numbers.setdefault(term, len(self.spelled))
        if number == len(self.spelled):
            self.spelled.append(term)
        return number

    def _reduce(self, word: str) -> str:
        """Return a word's term; "" for a stop word."""
        if self._analyser is None:
            return word[:MAX_CHARS]
        return "".join(self._analyser.analyze(word[:MAX_CHARS]))

    def split(self, text: str) -> list[str]:
        """Return the terms of a text, in reading order, known or not."""
        return [term for term in map(self._reduce, spell(read_words(text))) if term]

    def find(self, terms: Sequence[str]) -> list[int]:
        """Return the numbers of those terms that are known."""
        return [self._numbers[term] for term in terms if term in self._numbers]


def _make_analyser(options: SearchOptions) -> tantivy.TextAnalyzer | None:
    if not options.stemming and not options.stop_words:
        return None
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.raw())
    try:
        if options.stop_words:
            builder = builder.filter(tantivy.Filter.stopword(options.stop_words))
        if options.stemming:
            builder = builder.filter(tantivy.Filter.stemmer(options.stemming))
    except ValueError as error:
        raise SettingsError(f"stemming and stop words need a language we know: {error}") from error
    return builder.build()


MAX_QUERY_CHARS = 2000  # of a query; the rest is not read
MAX_TERMS = 32

PIECE = re.compile(r'(?P<minus>(?<!\S)[-−–])?(?:"(?P<phrase>[^"]*)"?|(?P<word>[^\s"]+))')
QUOTES = str.maketrans("„“”«»", '"""""')

Phrase = tuple[str, ...]


class ParsedQuery(NamedTuple):
    """A query, in terms of an index."""

    terms: tuple[str, ...] = ()  # each may stand there
    phrases: tuple[Phrase, ...] = ()  # each must stand there
    runs: tuple[Phrase, ...] = ()  # of scripts without blanks: better if they stand there together
    excluded: tuple[Phrase, ...] = ()  # none may stand there
    text: str = ""  # all that is wished for, as it was typed


def read_query(typed: str, terms: TermTable) -> ParsedQuery:
    """Return what a query means.

    >>> from blickfang.corpus.search.search_options import SearchOptions
    >>> asked = read_query('red "old tower" -lamp', TermTable(SearchOptions()))
    >>> asked.terms, asked.phrases, asked.excluded
    (('red', 'old', 'tower'), (('old', 'tower'),), (('lamp',),))
    """
    wished: list[str] = []
    texts: list[str] = []
    phrases: list[Phrase] = []
    runs: list[Phrase] = []
    excluded: list[Phrase] = []
    for piece in PIECE.finditer(typed[:MAX_QUERY_CHARS].translate(QUOTES)):
        text = piece["word"] if piece["phrase"] is None else piece["phrase"]
        found = tuple(terms.split(text))[:MAX_TERMS]
        if not found:
            continue
        if piece["minus"]:
            excluded.append(found)
            continue
        wished += found
        texts.append(text)
        if len(found) > 1 and piece["phrase"] is not None:
            phrases.append(found)
        elif len(found) > 1 and is_unbroken(text):
            runs.append(found)
    kept = tuple(dict.fromkeys(wished))[:MAX_TERMS]
    few = slice(MAX_TERMS)
    return ParsedQuery(
        kept, tuple(phrases[few]), tuple(runs[few]), tuple(excluded[few]), " ".join(texts)
    )


def is_unbroken(text: str) -> bool:
    """Whether the words of a text follow each other without anything between: 灯塔, not a-b."""
    words = read_words(text)
    return bool((words.starts[1:] == words.ends[:-1]).all())
