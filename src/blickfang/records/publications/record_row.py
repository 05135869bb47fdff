"""A record as words and gaps: what fields are cut from.

In: a range of nodes of a page. Out: a `Row`: its words with their classes, and between them gaps
that know punctuation and markup. Fields begin and end at gaps, never inside a word, whatever the
markup does there. What is said of names and is none is no word: "et al.", marks of affiliations.
Scripts without blanks are cut into words of two characters, their names into family and given name.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from blickfang.html.parse import tags
from blickfang.html.parse.tags import TAG_NAMES, TAGS, TRAITS
from blickfang.html.parse.tree import Tree, attribute

SPACELESS = "\u3005-\u3007\u3041-\u30fa\u30fc-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
WORD = re.compile(
    rf"&|[{SPACELESS}]+|[^\W_{SPACELESS}]+(?:[-'’ʼ‐‑_·][^\W_{SPACELESS}]+)*", re.UNICODE
)
BLANKLESS = re.compile(f"[{SPACELESS}]")
HIRAGANA = re.compile("[\u3041-\u309f]")
HANGUL = re.compile("[\uac00-\ud7af]")
YEAR = re.compile(  # also 2007a, 2007-03-12, 12-Mar-2007
    r"(?:19|20)\d\d(?:[a-z]|-(?:0?[1-9]|1[0-2])(?:-\d\d?)?|-[^\W\d_]{3,9}(?:-\d\d?)?)?$"
    r"|(?:\d\d?-){0,2}(?:[^\W\d_]{3,9}-)?(?<=-)(?:19|20)\d\d$"
)
QUOTES = re.compile("[\"“”„‟«»‘‚‹›]|''|``|(?<!\\w)['’]|['’](?!\\w)")
WIDE = str.maketrans(  # punctuation that has its blank in itself
    dict(zip("，、；：。．！？（）［］【】「」『』《》〈〉・　", (
        ", ", ", ", "; ", ": ", ". ", ". ", "! ", "? ", " (", ") ", "[", "]", "[", "]",
        *(['"'] * 8), " · ", " "), strict=True))
)  # fmt: skip
MARKS_OF_NAMES = str.maketrans("", "", "*∗⁎⋆†‡§¶✉")
BETWEEN_NAMES = re.compile(r"\s[·•∙⋅]\s")
AND_OTHERS = re.compile(
    r"(?<![^\W_])(?:et\.?\s+(?:al|coll)\b|(?:and|&)\s+(?:others|colleagues)(?=\s*[.,:;(])|u\.\s?a\.(?=\s|$)"
    r"|и\s+др(?=\.)|\bi\s+in(?=\.)|等(?=\W|$)|ほか|외(?=\W))"
)
NAMESAKE = re.compile(r"(?<=[^\W\d_] )0\d{3}(?!\w)")  # of DBLP: "Wei Wang 0001"
OTHERS = "…"  # what stands for "et al." in a gap
# What refers from a name to an affiliation: 1,2 or a,* raised behind it.
MARK = r"(?:\d{1,2}|[a-z]|[^\w\s,;])"
RAISED = re.compile(rf"\s*+{MARK}(?:[\s,;]++{MARK}|[^\w\s,;])*[\s,;]*+")
RAISED_SIGNS = re.compile(r"(?<=[^\W\d_]{3})[¹²³⁰⁴-⁹ᵃᵇᶜᵈ]+(?:[,⋅·]?[¹²³⁰⁴-⁹ᵃᵇᶜᵈ]+)*")
NAMED = re.compile(rf"(?:[^\W\d_]{{3}}|\.|[{SPACELESS}])$")  # what such a mark stands behind
NUMBER = re.compile(
    r"\s*[\[(]?([A-Za-z]{0,3}[-.]?(?!(?:19|20)\d\d)\d{1,4}[a-z]?)(?=[\])]?(?:[.:)]|\s|$))"
)
LABEL = re.compile(r"^\s*([^\W\d_]+(?:[ ()]{1,2}[^\W\d_]+){0,2}\)?)\s*[:：]", re.MULTILINE)
NAME_SIGNS = re.compile(r"[^\W\d_](?:[^\W\d_]|[\s.,'’ʼ‐‑-]){1,48}")
PARTICLE_WORDS = """
van von vom zu zum zur de der den des di da dos das do del della degli la le les du el al
bin ibn ben ter ten te af av y e i
"""
PARTICLES = frozenset(PARTICLE_WORDS.split())
JOINT_WORDS = "and und sowie et & e y i и та och og oraz ve és și"
JOINTS = frozenset(JOINT_WORDS.split())
COMPANIONS = frozenset(["with", "mit", "con", "avec"])  # "with X": the names begin behind it
MAX_WORDS = 220  # fields stand at the beginning of a record; what follows is an abstract
HARD, STRONG, WEAK, NONE = 3, 2, 1, 0
BREAK = frozenset({TAGS["br"], TAGS["hr"]})
LINK, SUP = TAGS["a"], TAGS["sup"]
LONGEST_NAME, LONGEST_SPACELESS = 50, 4  # characters
EMPHASISED = "i em b strong u s sub sup span font small big mark var code tt"
EMPHASIS = frozenset(EMPHASISED.split())
RARE, USUAL = 0.4, 0.9  # share of rows that have a tag within their text
CELLS = frozenset(TAGS[name] for name in ("td", "th", "tr", "dt", "dd"))
LABELLED = 0.6  # of the rows have a word and a colon at the beginning of a field
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


class RecordRow(NamedTuple):
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
    labels: dict[int, str]  # what a field is called, by its first word: "Title:" is no word


class RecordText(NamedTuple):
    """The text of a record and where elements begin and end in it."""

    text: str
    events: list[tuple[int, str, bool]]  # place, name with sign, whether a block or a break
    links: list[tuple[int, int, str]]


def gather_text(tree: Tree, start: int, end: int) -> RecordText:
    """Return the visible text of a range of nodes with the edges of elements."""
    parts: list[str] = []
    events: list[tuple[int, str, bool]] = []
    links: list[tuple[int, int, str]] = []
    open_elements: list[tuple[int, int, int, int]] = []
    size = 0
    kinds, ends = tree.tag[start:end].tolist(), tree.end[start:end].tolist()
    offsets = tree.offset[start : end + 1].tolist()
    followed, following = find_listed_names(tree, start, end)
    behind = 0  # the node behind a raised mark that was passed over
    for k in range(end - start + 1):
        while open_elements and (k == end - start or open_elements[-1][0] <= k + start):
            _, node, tag, begin = open_elements.pop()
            block = BLOCKS[tag] and node not in followed
            events.append((size, CLOSING[tag], block))
            if block:
                parts.append("\n")
                size += 1
            elif node in followed:
                parts.append("; ")
                size += 2
            if tag == LINK and (href := attribute(tree, node, "href")):
                links.append((begin, size, href))
        if k == end - start:
            break
        if k + start < behind:
            continue
        tag = kinds[k]
        if tag == tags.TEXT:
            piece = tree.text[offsets[k] : offsets[k + 1]].decode().replace("\x01", "")
            piece = RAISED_SIGNS.sub("", piece)
            parts.append(piece)
            size += len(piece)
            continue
        if tag == SUP and (mark := read_mark(tree, k + start, parts)):
            behind = ends[k]
            if mark.endswith((",", ";")):
                parts.append(mark[-1])
                size += 1
            continue
        hard = HARD_TAGS[tag] and k + start not in following
        events.append((size, OPENING[tag], hard))
        if hard:
            parts.append("\n")
            size += 1
        open_elements.append((ends[k], k + start, tag, size))
    return RecordText("".join(parts), events, links)


def read_mark(tree: Tree, node: int, parts: list[str]) -> str:
    """Return the text of a raised element that refers from a name to something; else ""."""
    text = read_text(tree, node)
    before = next((part for part in reversed(parts) if part), "")
    return text.strip() if RAISED.fullmatch(text) and NAMED.search(before) else ""


def read_text(tree: Tree, node: int) -> str:
    """Return the text of an element."""
    first, stop = int(tree.offset[node]), int(tree.offset[tree.end[node]])
    return tree.text[first:stop].decode().replace("\x01", "")


def find_listed_names(tree: Tree, start: int, end: int) -> tuple[set[int], set[int]]:
    """Return elements that hold one name each and follow each other, as `<li>` of a list does.

    Those that another one follows, and those that follow another one: between the two no sign says
    that a list of names goes on, but that they are alike.
    """
    followed: set[int] = set()
    following: set[int] = set()
    parents, kinds = tree.parent[start:end].tolist(), tree.tag[start:end].tolist()
    last: dict[int, tuple[int, str]] = {}  # of each parent the name before, and what it looks like
    for k, (parent, tag) in enumerate(zip(parents, kinds, strict=True), start):
        if tag == tags.TEXT:
            if parent in last and tree.text[tree.offset[k] : tree.offset[k + 1]].strip(
                b" \n\t\r\x01"
            ):
                del last[parent]
            continue
        if tag in CELLS or not is_name(read_text(tree, k)):
            last.pop(parent, None)
            continue
        looks = f"{tag} {attribute(tree, k, 'class')}"
        before = last.get(parent)
        if before is not None and before[1] == looks:
            followed.add(before[0])
            following.add(k)
        last[parent] = k, looks
    return followed, following


def is_name(text: str) -> bool:
    """Whether a text is built like the name of a person, and nothing else.

    >>> [is_name(text) for text in ("Ludwig van Beethoven", "Berg, A.", "On rivers", "PDF")]
    [True, True, False, False]
    """
    text = text.strip()
    if len(text) > LONGEST_NAME or not NAME_SIGNS.fullmatch(text) or text.count(",") > 1:
        return False
    words = [(match[0], text[match.end() : match.end() + 1]) for match in WORD.finditer(text)]
    if BLANKLESS.search(text):
        return len(text) <= LONGEST_SPACELESS
    kinds = {classify_word(*word) for word in words}
    return 2 <= len(words) <= 5 and CAPITAL in kinds and kinds <= {CAPITAL, INITIAL, PARTICLE}


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
    if not between.isascii():
        between = between.translate(WIDE).translate(MARKS_OF_NAMES)
    marks = QUOTES.sub('"', BETWEEN_NAMES.sub("; ", between.replace("*", "")))
    if any(map(str.isalnum, marks)):  # what is no word
        marks = AND_OTHERS.sub(OTHERS, marks)
        marks = "".join(sign for sign in marks if not sign.isalnum())
    bare = "".join(marks.split())
    # A period with a letter right behind it is inside "J.D."; a quote needs no blank.
    blank = len(bare) < len(marks)
    if hard or ("//" in bare and "://" not in bare):  # as Russian lists end a title
        strength = HARD
    elif tags or any(sign in bare for sign in '"()[];:?!|–—•·/…') or (blank and "-" in bare):
        strength = STRONG
    elif "." in bare and blank:
        strength = WEAK if kind == INITIAL else STRONG
    elif "," in bare:
        strength = WEAK
    else:
        strength = NONE
    return Gap(bare[:6], tags, strength, blank)


def find_words(
    text: str, labels: frozenset[str], *, numbered: bool = False
) -> Iterator[tuple[int, int, str]]:
    """Yield the words of a text, with their class where it is not theirs alone."""
    passed = [match.span() for match in AND_OTHERS.finditer(text)]
    passed += [match.span() for match in NAMESAKE.finditer(text)]
    if labels:
        passed += [span for span, label in find_labels(text) if label in labels]
    if numbered and (number := NUMBER.match(text)):
        passed.append(number.span(1))
    passed.sort()
    at = 0
    found = list(WORD.finditer(text))
    for place, match in enumerate(found):
        first, stop = match.span()
        while at < len(passed) and passed[at][1] <= first:
            at += 1
        if at < len(passed) and passed[at][0] <= first:
            continue
        if BLANKLESS.match(match[0]):
            yield from cut_spaceless(text, found, place)
        else:
            yield first, stop, ""


def cut_spaceless(
    text: str, found: list[re.Match[str]], number: int
) -> Iterator[tuple[int, int, str]]:
    """Yield the words of a run of a script without blanks: family and given name, or plain words.

    A run by itself that is as short as a name is taken for one, and so are two short ones with a
    blank between; anything else is text.
    """
    first, stop = found[number].span()
    run = text[first:stop]
    beside = [
        found[other]
        for other in (number - 1, number + 1)
        if 0 <= other < len(found)
        and BLANKLESS.match(found[other][0])
        and not text[min(stop, found[other].end()) : max(first, found[other].start())].strip()
    ]
    if HIRAGANA.search(run) and not beside:
        short = False
    elif beside:
        short = len(beside) == 1 and max(len(run), len(beside[0][0])) <= 3
        more = 2 * found.index(beside[0]) - number if short else -1
        if short and 0 <= more < len(found) and BLANKLESS.match(found[more][0]):
            between = text[
                min(beside[0].end(), found[more].end()) : max(
                    beside[0].start(), found[more].start()
                )
            ]
            short = bool(between.strip())
        if short:
            yield first, stop, CAPITAL
            return
    else:
        short = 2 <= len(run) <= LONGEST_SPACELESS
    if short:
        middle = first + (2 if len(run) == LONGEST_SPACELESS else 1)
        yield first, middle, CAPITAL
        yield middle, stop, CAPITAL
    elif HANGUL.match(run):
        yield first, stop, LOWER
    else:
        for at in range(first, stop, 2):
            yield at, min(at + 2, stop), LOWER


def find_labels(text: str) -> Iterator[tuple[tuple[int, int], str]]:
    """Yield what stands as the name of a field at the beginning of a line: "Title:"."""
    for match in LABEL.finditer(text):
        if not is_name(match[1]):
            yield match.span(1), " ".join(match[1].lower().split())


class RowReader:
    """Reads rows, and knows the words and gaps it met: those of a list repeat."""

    def __init__(self) -> None:
        self.words: list[str] = []  # in small letters
        self.gaps: list[Gap] = []
        self._words: dict[str, int] = {}
        self._classes: dict[tuple[str, str | bool], tuple[str, int]] = {}
        self._gaps: dict[tuple[str, str, bool, bool], int] = {}

    def read(
        self,
        tree: Tree,
        start: int,
        end: int,
        labels: frozenset[str] = frozenset(),
        *,
        numbered: bool = False,
    ) -> RecordRow:
        """Return the words and gaps of a record; labels of fields, its number are no words."""
        piece = gather_text(tree, start, end)
        cut = list(islice(find_words(piece.text, labels, numbered=numbered), MAX_WORDS))
        spans = [(a, b) for a, b, _ in cut]
        text = piece.text if len(spans) < MAX_WORDS else piece.text[: spans[-1][1]]
        words = [text[a:b] for a, b in spans]
        known = [
            self._classes.get((word, kind or text[b : b + 1] == "."))
            or self._learn_word(word, text[b : b + 1], kind)
            for word, (_, b, kind) in zip(words, cut, strict=True)
        ]
        kinds = "".join([kind for kind, _ in known])
        gaps, whole = self._read_gaps(text, spans, kinds, piece.events)
        links = [(_word_at(spans, a), _word_at(spans, b), href) for a, b, href in piece.links]
        named = {
            _word_at(spans, span[1]): label for span, label in find_labels(text) if label in labels
        }
        numbers = [number for _, number in known]
        found = [self.gaps[gap] for gap in gaps]
        return RecordRow(text, words, kinds, found, spans, whole, links, numbers, gaps, named)

    def _learn_word(self, word: str, behind: str, kind: str) -> tuple[str, int]:
        folded = word.lower()
        if folded not in self._words:
            self._words[folded] = len(self.words)
            self.words.append(folded)
        found = kind or classify_word(word, behind), self._words[folded]
        self._classes[word, kind or behind == "."] = found
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

    def smooth(self, rows: list[RecordRow]) -> None:
        """Take the markup of emphasised words from rows: no field begins or ends there.

        Words in the middle of a text are emphasised if few rows have such an element, or if the
        text goes on in small letters; what most rows have is a field.
        """
        rows = [row for row in rows if row.words]
        shares: dict[str, float] = {}
        for row in rows:
            for tag in {gap.tags for gap in row.gaps if is_flowing(gap)}:
                shares[tag] = shares.get(tag, 0.0) + 1 / len(rows)
        for row in rows:
            for first, stop in sorted(row.whole):
                edges = [gap for gap in (first, stop) if is_flowing(row.gaps[gap])]
                usual = [shares[row.gaps[gap].tags] for gap in edges]
                if not edges:
                    continue
                goes_on = len(edges) == 2 and row.kinds[stop] in "lpJ"
                if min(usual) < RARE or (goes_on and min(usual) < USUAL):
                    for gap in edges:
                        number = self._gaps.get((" ", "", False, False))
                        if number is None:
                            number = self._learn_gap((" ", "", False, False))
                        row.gaps[gap], row.gap_numbers[gap] = self.gaps[number], number

    def _learn_gap(self, key: tuple[str, str, bool, bool]) -> int:
        between, tags, hard, initial = key
        number = self._gaps[key] = len(self.gaps)
        self.gaps.append(read_gap(between, tags, hard, INITIAL if initial else ""))
        return number


def is_flowing(gap: Gap) -> bool:
    """Whether there is nothing at a gap but one element that emphasises words."""
    return gap.tags[1:] in EMPHASIS and not gap.marks and gap.strength < HARD


def read_rows(tree: Tree, records: Iterable[tuple[int, int]]) -> tuple[list[RecordRow], RowReader]:
    """Return the rows of the records of a list, and what read them.

    What only all rows together can tell: "Title:" before nearly every title is a label, and a tag
    that few rows have is emphasis.
    """
    reader, records = RowReader(), list(records)
    rows = [reader.read(tree, start, end) for start, end in records]
    labels, numbered = find_usual_labels(rows), are_numbered(rows)
    if labels or numbered:
        rows = [reader.read(tree, *record, labels, numbered=numbered) for record in records]
    reader.smooth(rows)
    return rows, reader


def are_numbered(rows: list[RecordRow]) -> bool:
    """Whether most rows begin with a number of their own: "[12]", "3.", "J44."."""
    found = [match[1] for row in rows if (match := NUMBER.match(row.text))]
    return len(rows) > 2 and len(set(found)) > max(2, LABELLED * len(rows))


def find_usual_labels(rows: list[RecordRow]) -> frozenset[str]:
    """Return the names of fields that most rows have; an author before a colon is none."""
    counts: Counter[str] = Counter()
    begins: Counter[str] = Counter()
    for row in rows:
        found = [label for _, label in find_labels(row.text)]
        counts.update(set(found))
        begins.update(label for label in found[:1] if row.text.lower().split()[:1] == [f"{label}:"])
    few = max(2, LABELLED * len(rows))
    usual = {label for label, count in counts.items() if count >= few}
    return frozenset(usual if len(usual) > 1 else usual - set(begins))


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


def measure_text(text: str) -> int:
    """Return the length of a text; a sign of a script without blanks says as much as three letters.

    >>> measure_text("rivers"), measure_text("河川")
    (6, 6)
    """
    return len(text) + 2 * len(BLANKLESS.findall(text))


def cut_text(row: RecordRow, first: int, stop: int) -> str:
    """Return the text of some words, with the brackets and signs that stand between them."""
    if first >= stop:
        return ""
    return " ".join(row.text[row.spans[first][0] : row.spans[stop - 1][1]].split())
