"""A record as words and gaps: what fields are cut from.

In: a range of nodes of a page. Out: a `Row`: its words with their classes, and between them gaps
that know punctuation and markup. Fields begin and end at gaps, never inside a word, whatever the
markup does there.
"""

import re
from itertools import islice
from typing import NamedTuple

from blickfang.page import tags
from blickfang.page.tags import TAG_NAMES, TAGS, TRAITS
from blickfang.page.tree import Tree, attribute

WORD = re.compile(r"&|[^\W_]+(?:[-'’ʼ‐‑_·][^\W_]+)*", re.UNICODE)
YEAR = re.compile(r"(?:19|20)\d\d$")
QUOTES = re.compile("[\"“”„‟«»‘‚‹›]|''|``|(?<!\\w)['’]|['’](?!\\w)")
PARTICLE_WORDS = """
van von vom zu zum zur de der den des di da dos das do del della degli la le les du el al
bin ibn ben ter ten te af av y e i
"""
PARTICLES = frozenset(PARTICLE_WORDS.split())
JOINTS = frozenset(["and", "und", "et", "&", "e", "y"])
COMPANIONS = frozenset(["with", "mit", "con", "avec"])  # "with X": the names begin behind it
MAX_WORDS = 220  # fields stand at the beginning of a record; what follows is an abstract
HARD, STRONG, WEAK, NONE = 3, 2, 1, 0
BREAK = frozenset({TAGS["br"], TAGS["hr"]})
LINK = TAGS["a"]
OPENING, CLOSING = ["+" + name for name in TAG_NAMES], ["-" + name for name in TAG_NAMES]
BLOCKS = [bool(traits & tags.BLOCK) for traits in TRAITS]
HARD_TAGS = [block or tag in BREAK for tag, block in enumerate(BLOCKS)]
CAPITAL, INITIAL, LOWER, PARTICLE, JOINT, COMPANION, YEARS, DIGITS = "CIlpJWYD"


class Gap(NamedTuple):
    """What stands between two words, and before the first and behind the last."""

    marks: str  # punctuation, all quotes as "
    tags: str  # elements that end and begin here, as "-em+a"
    strength: int
    blank: bool  # white space or a line's end


class Row(NamedTuple):
    """The words of a record and the gaps around them: one gap more than words."""

    text: str
    words: list[str]
    kinds: str  # one letter a word: C capital, I initial, l lower, p particle, J and, W with, Y, D
    gaps: list[Gap]
    spans: list[tuple[int, int]]  # of words, in the text
    whole: set[tuple[int, int]]  # first and last word of elements
    links: list[tuple[int, int, str]]  # first word, word behind the last, address as written
    word_numbers: list[int]  # of the reader
    gap_numbers: list[int]


class Piece(NamedTuple):
    """The text of a record and where elements begin and end in it."""

    text: str
    events: list[tuple[int, str, bool]]  # place, name with sign, whether a block or a break
    links: list[tuple[int, int, str]]


def gather_text(tree: Tree, start: int, end: int) -> Piece:
    """Return the visible text of a range of nodes with the edges of elements."""
    parts: list[str] = []
    events: list[tuple[int, str, bool]] = []
    links: list[tuple[int, int, str]] = []
    open_elements: list[tuple[int, int, int, int]] = []
    size = 0
    kinds, ends = tree.tag[start:end].tolist(), tree.end[start:end].tolist()
    offsets = tree.offset[start : end + 1].tolist()
    for k in range(end - start + 1):
        while open_elements and (k == end - start or open_elements[-1][0] <= k + start):
            _, node, tag, begin = open_elements.pop()
            block = BLOCKS[tag]
            events.append((size, CLOSING[tag], block))
            if block:
                parts.append("\n")
                size += 1
            if tag == LINK and (href := attribute(tree, node, "href")):
                links.append((begin, size, href))
        if k == end - start:
            break
        tag = kinds[k]
        if tag == tags.TEXT:
            piece = tree.text[offsets[k] : offsets[k + 1]].decode().replace("\x01", "")
            parts.append(piece)
            size += len(piece)
            continue
        hard = HARD_TAGS[tag]
        events.append((size, OPENING[tag], hard))
        if hard:
            parts.append("\n")
            size += 1
        open_elements.append((ends[k], k + start, tag, size))
    return Piece("".join(parts), events, links)


def classify_word(word: str, behind: str) -> str:
    """Return the class of a word, given what follows it.

    >>> [classify_word(*pair) for pair in (("Ch", ". "), ("JD", ","), ("2009", ")"), ("von", " "))]
    ['I', 'I', 'Y', 'p']
    """
    if YEAR.match(word):
        return YEARS
    if word[0].isdigit():
        return DIGITS
    folded = word.lower()
    if folded in JOINTS and (word == "&" or word == folded or len(word) > 2):
        return JOINT
    if folded in COMPANIONS:
        return COMPANION
    if word == folded and folded != word.upper():
        return PARTICLE if folded in PARTICLES else LOWER
    short = len(word) <= 3 and word == word.upper() and word != folded
    if short or (len(word) <= 2 and behind.startswith(".")):
        return INITIAL
    return CAPITAL


def read_gap(between: str, tags: str, hard: bool, kind: str) -> Gap:
    """Return the gap of a text between two words; `kind` is the class of the word before."""
    marks = QUOTES.sub('"', between)
    bare = "".join(marks.split())
    # A period with a letter right behind it is inside "J.D."; a quote needs no blank.
    blank = len(bare) < len(marks)
    if hard:
        strength = HARD
    elif tags or any(sign in bare for sign in '"()[];:?!|–—•·/') or (blank and "-" in bare):
        strength = STRONG
    elif "." in bare and blank:
        strength = WEAK if kind == INITIAL else STRONG
    elif "," in bare:
        strength = WEAK
    else:
        strength = NONE
    return Gap(bare[:6], tags, strength, blank)


class Reader:
    """Reads rows, and knows the words and gaps it met: those of a list repeat."""

    def __init__(self) -> None:
        self.words: list[str] = []  # in small letters
        self.gaps: list[Gap] = []
        self._words: dict[str, int] = {}
        self._classes: dict[tuple[str, bool], tuple[str, int]] = {}
        self._gaps: dict[tuple[str, str, bool, bool], int] = {}

    def read(self, tree: Tree, start: int, end: int) -> Row:
        """Return the words and gaps of a record."""
        piece = gather_text(tree, start, end)
        spans = [match.span() for match in islice(WORD.finditer(piece.text), MAX_WORDS)]
        text = piece.text if len(spans) < MAX_WORDS else piece.text[: spans[-1][1]]
        words = [text[a:b] for a, b in spans]
        known = [
            self._classes.get((word, text[b : b + 1] == "."))
            or self._learn_word(word, text[b : b + 1])
            for word, (_, b) in zip(words, spans, strict=True)
        ]
        kinds = "".join([kind for kind, _ in known])
        gaps, whole = self._read_gaps(text, spans, kinds, piece.events)
        links = [(_word_at(spans, a), _word_at(spans, b), href) for a, b, href in piece.links]
        numbers = [number for _, number in known]
        found = [self.gaps[gap] for gap in gaps]
        return Row(text, words, kinds, found, spans, whole, links, numbers, gaps)

    def _learn_word(self, word: str, behind: str) -> tuple[str, int]:
        folded = word.lower()
        if folded not in self._words:
            self._words[folded] = len(self.words)
            self.words.append(folded)
        found = classify_word(word, behind), self._words[folded]
        self._classes[word, behind == "."] = found
        return found

    def _read_gaps(
        self,
        text: str,
        spans: list[tuple[int, int]],
        kinds: str,
        events: list[tuple[int, str, bool]],
    ) -> tuple[list[int], set[tuple[int, int]]]:
        """Return the numbers of the gaps, and the words at the edges of elements."""
        gaps, at, left, last = [], 0, 0, len(spans)
        opened: list[int] = []
        whole: set[tuple[int, int]] = set()
        for number in range(last + 1):
            right = spans[number][0] if number < last else len(text)
            tags, hard = "", number in (0, last)
            while at < len(events) and events[at][0] <= right:
                place, name, breaks = events[at]
                if place >= left:  # not inside a word
                    tags += name
                    hard |= breaks
                if name[0] == "+":
                    opened.append(number)
                elif opened:
                    whole.add((opened.pop(), number))
                at += 1
            key = text[left:right], tags, hard, number > 0 and kinds[number - 1] == INITIAL
            gap = self._gaps.get(key)
            gaps.append(self._learn_gap(key) if gap is None else gap)
            left = spans[number][1] if number < last else right
        return gaps, whole

    def _learn_gap(self, key: tuple[str, str, bool, bool]) -> int:
        between, tags, hard, initial = key
        number = self._gaps[key] = len(self.gaps)
        self.gaps.append(read_gap(between, tags, hard, INITIAL if initial else ""))
        return number


def read_row(tree: Tree, start: int, end: int) -> Row:
    """Return the words and gaps of one record."""
    return Reader().read(tree, start, end)


def _word_at(spans: list[tuple[int, int]], place: int) -> int:
    """Return the first word that begins at or behind a place."""
    low, high = 0, len(spans)
    while low < high:
        middle = (low + high) // 2
        if spans[middle][0] < place:
            low = middle + 1
        else:
            high = middle
    return low


def cut_text(row: Row, first: int, stop: int) -> str:
    """Return the text of some words, with the brackets and signs that stand between them."""
    if first >= stop:
        return ""
    return " ".join(row.text[row.spans[first][0] : row.spans[stop - 1][1]].split())
