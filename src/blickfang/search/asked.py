"""What a query means: words, "phrases" and -excluded ones.

In: what somebody typed; any characters. Out: `Asked`. Nothing is ever an error: what is no word
is left out, what is too long is cut.
"""

import re
from typing import NamedTuple

from blickfang.search.terms import TermTable
from blickfang.text.words import read_words

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

    >>> from blickfang.search.options import Options
    >>> asked = read_query('red "old tower" -lamp', Terms(Options()))
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
