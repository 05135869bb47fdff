"""Words become terms: what the index of texts and the semantic one count.

In: `Words`, as `words.py` finds them, or a query. Out: terms: the folded words themselves, cut to
their stems and without stop words where an index wants that. Each distinct word is spelled once.
"""

from collections.abc import Sequence

import numpy as np
import tantivy
from numpy.typing import NDArray

from blickfang.errors import SettingsError
from blickfang.search.options import SearchOptions
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
