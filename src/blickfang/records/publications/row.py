"""A record as words and gaps: what fields are cut from.

In: a range of nodes of a page. Out: a `Row`: its words with their classes, and between them gaps
that know punctuation and markup. Fields begin and end at gaps, never inside a word, whatever the
markup does there.
"""

import re
from typing import NamedTuple

from blickfang.page import tags
from blickfang.page.tags import TAG_NAMES, TAGS, TRAITS
from blickfang.page.tree import Tree, attribute, read_letters

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
CAPITAL, INITIAL, LOWER, PARTICLE, JOINT, COMPANION, YEARS, DIGITS = "CIlpJWYD"


class Gap(NamedTuple):
    """What stands between two words, and before the first and behind the last."""

    marks: str  # punctuation, all quotes as "
    tags: str  # elements that end and begin here, as "-em+a"
    strength: int
    blank: bool  # white space or a line's end
    left: int  # where the word before ends, in the row's text
    right: int  # where the word behind begins


class Row(NamedTuple):
    """The words of a record and the gaps around them: one gap more than words."""

    text: str
    words: list[str]
    kinds: str  # one letter a word: C capital, I initial, l lower, p particle, J and, W with, Y, D
    gaps: list[Gap]
    spans: list[tuple[int, int]]  # of words, in the text
    whole: set[tuple[int, int]]  # first and last word of elements
    links: list[tuple[int, int, str]]  # first word, word behind the last, address as written


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
    open_elements: list[tuple[int, int, int]] = []
    size = 0
    for k in range(start, end + 1):
        while open_elements and (k == end or open_elements[-1][0] <= k):
            _, node, begin = open_elements.pop()
            tag = int(tree.tag[node])
            events.append((size, "-" + TAG_NAMES[tag], bool(TRAITS[tag] & tags.BLOCK)))
            if TRAITS[tag] & tags.BLOCK:
                parts.append("\n")
                size += 1
            if tag == TAGS["a"] and (href := attribute(tree, node, "href")):
                links.append((begin, size, href))
        if k == end:
            break
        tag = int(tree.tag[k])
        if tag == tags.TEXT:
            letters = tree.text_letters[tree.offset[k] : tree.offset[k + 1]]
            piece = read_letters(letters).replace("\x01", "")
            parts.append(piece)
            size += len(piece)
            continue
        hard = bool(TRAITS[tag] & tags.BLOCK) or tag in BREAK
        events.append((size, "+" + TAG_NAMES[tag], hard))
        if hard:
            parts.append("\n")
            size += 1
        open_elements.append((int(tree.end[k]), k, size))
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


def read_gap(text: str, left: int, right: int, events: list[tuple[str, bool]], kind: str) -> Gap:
    """Return the gap between two places of a text; `kind` is the class of the word before."""
    between = text[left:right]
    marks = QUOTES.sub('"', between)
    bare = "".join(marks.split())
    # A period with a letter right behind it is inside "J.D."; a quote needs no blank.
    blank = len(bare) < len(marks)
    if any(hard for _, hard in events):
        strength = HARD
    elif events or any(sign in bare for sign in '"()[];:?!|–—•·/') or (blank and "-" in bare):
        strength = STRONG
    elif "." in bare and blank:
        strength = WEAK if kind == INITIAL else STRONG
    elif "," in bare:
        strength = WEAK
    else:
        strength = NONE
    return Gap(bare[:6], "".join(name for name, _ in events), strength, blank, left, right)


def read_row(tree: Tree, start: int, end: int) -> Row:
    """Return the words and gaps of a record."""
    piece = gather_text(tree, start, end)
    found = []
    for match in WORD.finditer(piece.text):
        found.append(match.span())
        if len(found) >= MAX_WORDS:
            break
    text = piece.text if len(found) < MAX_WORDS else piece.text[: found[-1][1]]
    words = [text[a:b] for a, b in found]
    kinds = [
        classify_word(word, text[b : b + 2]) for word, (_, b) in zip(words, found, strict=True)
    ]
    gaps, at, events = [], 0, piece.events
    edges = [0, *(b for _, b in found)], [*(a for a, _ in found), len(text)]
    opened: list[tuple[str, int]] = []
    whole: set[tuple[int, int]] = set()
    for number, (left, right) in enumerate(zip(*edges, strict=True)):
        here = []
        while at < len(events) and events[at][0] <= right:
            place, name, hard = events[at]
            if place >= left:  # not inside a word
                here.append((name, hard))
            if name[0] == "+":
                opened.append((name[1:], number))
            elif opened:
                begun = opened.pop()[1]
                whole.add((begun, number))
            at += 1
        kind = kinds[number - 1] if number else ""
        gap = read_gap(text, left, right, here, kind)
        if number in (0, len(words)):
            gap = gap._replace(strength=HARD)
        gaps.append(gap)
    links = [(_word_at(found, a), _word_at(found, b), href) for a, b, href in piece.links]
    return Row(text, words, "".join(kinds), gaps, found, whole, links)


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
