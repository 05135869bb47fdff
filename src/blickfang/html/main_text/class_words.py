"""What the class and id of an element say about it: groups of words that web developers write.

In: a class or id value as bytes. Out: a set of groups as bits. The words are those of style sheets,
English-based in every country; none of them belongs to the language of a page. They are found as
parts of longer names by one automaton (Aho and Corasick 1975), in one step a byte.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, filling

# - stands for any edge of a word: what is no letter, or the place before a capital.
GROUPS = {
    "share": "share sharing social follow tweet facebook whatsapp sns",
    "nav": "nav menu crumb paginat pager tabs toc- skip",
    "foot": "foot copyright legal colophon disclaim license",
    "ad": "-ad- -ads- advert sponsor promo dfp gpt commercial adslot affiliate",
    "form": "subscri newsletter signup login modal popup overlay cookie consent gdpr paywall "
    "register search alert notice cta donat signin email",
    "cap": "caption figure gallery photo image media video slide player thumb img",
    "comment": "comment disqus discuss respond respons reply replies",
    "side": "side rail widget secondary right-col",
    "related": "related recommend popular trending latest teaser promoted outbrain taboola "
    "read-more readmore also-",
    "author": "author byline -bio- dateline timestamp -date- published -meta- credit source",
}

EDGE = 0  # the letters are 1 … 26
SYMBOLS = 27
STRIDE = np.uint64(5)  # bits: a state has 32 places for its symbols


class Automaton(NamedTuple):
    """Where each state goes with each symbol, and the groups whose words end in it.

    A state is named by the place of its symbols, so that the next one is a look-up, and no more.
    """

    following: NDArray[np.uint16]
    groups: NDArray[np.uint16]


def _symbols(word: str) -> list[int]:
    return [ord(letter) - 96 if letter.isalpha() else EDGE for letter in word]


def make_automaton(groups: dict[str, str]) -> Automaton:
    """Return the automaton that finds the words of all groups; group k is bit k."""
    following: list[list[int]] = [[0] * SYMBOLS]
    found = [0]
    for bit, words in enumerate(groups.values()):
        for word in words.split():
            state = 0
            for symbol in _symbols(word):
                if not following[state][symbol]:
                    following[state][symbol] = len(following)
                    following.append([0] * SYMBOLS)
                    found.append(0)
                state = following[state][symbol]
            found[state] |= 1 << bit
    _close(following, found)
    table = np.zeros((len(following), 1 << int(STRIDE)), np.uint16)
    table[:, :SYMBOLS] = np.array(following) << int(STRIDE)
    return Automaton(table.ravel(), np.array(found, np.uint16))


def _close(following: list[list[int]], found: list[int]) -> None:
    """Where a word cannot go on, let its state go on as its longest suffix would."""
    suffix = [0] * len(following)
    queue = [state for state in following[0] if state]
    for state in queue:  # breadth first: suffixes are shorter, so they are done before
        shorter = suffix[state]
        found[state] |= found[shorter]
        for symbol, target in enumerate(following[state]):
            if target:
                suffix[target] = following[shorter][symbol]
                queue.append(target)
            else:
                following[state][symbol] = following[shorter][symbol]


def _list_symbols() -> NDArray[np.uint8]:
    """Return for each byte its symbol."""
    symbols = np.full(256, EDGE, np.uint8)
    for letter in range(1, SYMBOLS):
        symbols[[64 + letter, 96 + letter]] = letter
    return symbols


SYMBOL_OF = _list_symbols()
AUTOMATON = make_automaton(GROUPS)


@filling
def find_groups(
    data: NDArray[np.uint8], start: Integer, end: Integer, automaton: Automaton
) -> np.uint16:
    """Return the groups of which a word stands in data[start:end]."""
    state = np.uint64(automaton.following[EDGE])
    groups = np.uint16(0)
    small = False  # whether the byte before is a small letter
    for k in range(start, end):
        byte = data[np.uint64(k)]
        if small and 65 <= byte <= 90:
            state = np.uint64(automaton.following[state])
            groups |= automaton.groups[state >> STRIDE]
        small = 97 <= byte <= 122
        state = np.uint64(automaton.following[state + np.uint64(SYMBOL_OF[byte])])
        groups |= automaton.groups[state >> STRIDE]
    state = np.uint64(automaton.following[state])
    return np.uint16(groups | automaton.groups[state >> STRIDE])
