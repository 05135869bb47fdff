"""Rules: the structure of one list, kept under a name and found again on other pages of its source.

In: a list of a page. Out: a `Rule`: which kinds of nodes its records have, how their tokens are
dealt out to columns, what the columns are called. Applied to another page, the list that is built
most like it is taken and cut into the same columns; where none is built like it, that is said.
"""

import json
import math
from collections import Counter
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.counting import counted
from blickfang.data import Column, Region
from blickfang.errors import InputError
from blickfang.page import tags
from blickfang.page.links import find_home
from blickfang.page.tags import TRAITS
from blickfang.page.tree import Tree
from blickfang.records.align import align_all
from blickfang.records.classes import Classes
from blickfang.records.extract import (
    FITS,
    PUBLICATIONS,
    Grid,
    Listing,
    add_classes,
    add_entries,
    fill_region,
    find_images,
    find_lists,
    name_columns,
)
from blickfang.records.kinds import SHAPES, hold_mostly
from blickfang.records.marks import BR, Marks, read_marks
from blickfang.records.publications import read_publications
from blickfang.records.separators import SEPARATORS, Split, apply_split, split_column
from blickfang.records.table import (
    FIRST_TAG,
    IMAGE,
    TEXT,
    Layout,
    Parts,
    Table,
    fill_rows,
    find_parting,
    lay_out,
    write_parts,
)

Ints = NDArray[np.int32]
Hashes = NDArray[np.uint64]
Range = tuple[int, int]

FORMAT = 1
MAX_BYTES = 5 * 2**20  # of a saved rule
MAX_TOKENS = 100_000  # of all its strings
SAMPLES = 24  # strings of tokens that tell where columns are
LOOKED_AT = 60  # records by which lists are compared
SHOWN = 40  # characters of a cell that shows what a column holds now
ALIKE = 0.5  # from this likeness on, it is the same list
ELSEWHERE = {"same": 1.0, "tags": 0.95, "other": 0.85}  # the place on the page counts a little
SAID = {TEXT: "text", IMAGE: "image"}
CODES = {name: number for number, name in SAID.items()}
MIXERS = [np.uint64(m) for m in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)]


@dataclass(frozen=True, slots=True)
class Rule:
    """The structure of a list. Hashes are written in hexadecimal digits."""

    kind: str  # "", publications, or the name of learned classes
    source: str  # the page it was made from
    records: int  # it had there
    pattern: str
    columns: tuple[Column, ...]
    places: tuple[str, str]  # paths to the list: tags and classes, tags
    classes: tuple[str, ...]  # class tokens that tell its nodes apart
    shape: dict[str, float]  # kinds of nodes, and which share of the records has them
    strings: tuple[tuple[tuple[str, int], ...], ...]  # tokens of some records, their columns
    images: tuple[bool, ...]  # which columns are images, before they are split
    splits: tuple[Split | None, ...]  # how each of them is split
    format: int = FORMAT


class Applied(NamedTuple):
    """What a rule found."""

    region: Region | None
    likeness: float
    remark: str  # what to tell a person, if anything
    foreign: bool = False  # built alike, but what it holds is of another kind


def profile(marks: Marks, records: list[Range]) -> dict[str, float]:
    """Return which kinds of nodes records have: tag, class, depth; and how many records each."""
    step = max(1, len(records) // LOOKED_AT)
    some = np.array(records[::step][:LOOKED_AT], np.int64).reshape(-1, 2)
    sizes = some[:, 1] - some[:, 0]
    owner = np.repeat(np.arange(len(some)), sizes)
    nodes = np.arange(sizes.sum()) + np.repeat(some[:, 0] - np.cumsum(sizes) + sizes, sizes)
    depth = (marks.depth[nodes] - marks.depth[some[owner, 0]]).astype(np.uint64)
    sign = marks.name[nodes] * MIXERS[0] ^ marks.first[nodes] * MIXERS[1] ^ depth * MIXERS[2]
    found, kind = np.unique(sign, return_inverse=True)
    pairs = np.unique(kind.ravel() * len(some) + owner)
    times = np.bincount(pairs // len(some), minlength=len(found))
    shares = (times / len(some)).round(4).tolist()
    return dict(zip(map(hex, found.tolist()), shares, strict=True))


def compare(one: dict[str, float], other: dict[str, float]) -> float:
    """Return how much two profiles have in common, 0 to 1."""
    both = sum(min(share, other.get(kind, 0.0)) for kind, share in one.items())
    either = sum(one.values()) + sum(other.values()) - both
    return both / either if either else 0.0


def find_places(marks: Marks, records: list[Range]) -> tuple[str, str]:
    """Return the paths to a list: by tags and classes, by tags."""
    above = int(marks.parent[records[0][0]])
    return hex(int(marks.class_path[above])), hex(int(marks.path[above]))


def find_tokens(marks: Marks, records: list[Range]) -> Hashes:
    """Return the class tokens that stand more than once in records; none with a digit."""
    ranges = [(int(marks.first_token[a]), int(marks.first_token[b])) for a, b in records]
    inside = np.concatenate([marks.tokens[a:b] for a, b in ranges])
    found, times = np.unique(inside[inside & np.uint64(1) == 0], return_counts=True)
    return found[times > 1]


def sign_alike(marks: Marks, tokens: Hashes) -> Marks:
    """Return marks whose signatures come from given class tokens: the same on every page."""
    kept = np.isin(marks.tokens, tokens)
    owner = np.repeat(np.arange(len(marks.name)), np.diff(marks.first_token))
    sums = np.zeros(len(marks.name), np.uint64)
    np.add.at(sums, owner[kept], marks.tokens[kept] * MIXERS[1])
    return marks._replace(signature=marks.name * MIXERS[0] ^ sums)


def name_token(marks: Marks, parts: Parts, token: int) -> str:
    """Return what a token is, the same on every page."""
    number = int(parts.number[token])
    return SAID.get(number) or hex(int(marks.signature[parts.node[token]]))


def sample_strings(marks: Marks, layout: Layout) -> tuple[tuple[tuple[str, int], ...], ...]:
    """Return the most frequent strings of tokens, each token with its column."""
    first = layout.parts.first.tolist()
    strings: Counter[tuple[tuple[str, int], ...]] = Counter()
    for start, stop in pairwise(first):
        tokens = range(start, stop)
        strings[tuple((name_token(marks, layout.parts, t), int(layout.at[t])) for t in tokens)] += 1
    return tuple(string for string, _ in strings.most_common(SAMPLES) if string)


def make_rule(
    tree: Tree, region: Region, kind: str, source: str, classes: Classes | None = None
) -> Rule:
    """Return the rule of a list that was taken from a page."""
    records = [record.nodes for record in region.records]
    if not records:
        raise InputError("the list has no records: nothing to make a rule of")
    marks = read_marks(tree)
    tokens = find_tokens(marks, records)
    marks = sign_alike(marks, tokens)
    ranges = np.array(records, np.int32)
    layout = lay_out(marks, ranges)
    rows, nodes = fill_rows(tree, marks, layout.parts, ranges, layout.at, len(layout.images))
    grid = name_columns(Table(rows, layout.images, nodes, layout.pattern), {})
    if classes:
        listing = Listing(records, region.confidence, region.measures)
        found = add_classes(fill_region(tree, marks, listing, "", 1, grid), classes)
        grid = grid._replace(columns=found.columns)
    splits = tuple(
        None if image else split_column([row[at] for row in rows])[1]
        for at, image in enumerate(layout.images)
    )
    return Rule(
        kind,
        source,
        len(records),
        layout.pattern,
        () if kind == PUBLICATIONS else grid.columns,
        find_places(marks, records),
        tuple(map(hex, tokens.tolist())),
        profile(marks, records),
        sample_strings(marks, layout),
        tuple(layout.images),
        splits,
    )


def choose_list(rule: Rule, marks: Marks, lists: list[Listing]) -> tuple[Listing | None, float]:
    """Return the list of a page that is built most like the rule's, and how much."""
    best, likeness = None, 0.0
    for listing in lists:
        classes, tags_only = find_places(marks, listing.records)
        place = "same" if classes == rule.places[0] else "other"
        place = "tags" if place == "other" and tags_only == rule.places[1] else place
        alike = compare(rule.shape, profile(marks, listing.records)) * ELSEWHERE[place]
        if alike > likeness:
            best, likeness = listing, alike
    return best, likeness


def cut_records(rule: Rule, marks: Marks, ranges: Ints) -> tuple[Parts, dict[str, int]]:
    """Return the tokens of records as the rule cuts them, and the numbers of the rule's tokens."""
    known = sorted({name for string in rule.strings for name, _ in string} - set(CODES))
    kinds = find_parting(marks, ranges)
    # What the rule does not know parts cells only if it is a block.
    is_block = ((TRAITS[marks.tag] & tags.BLOCK) > 0) | (marks.tag == BR)
    cut = np.where((kinds >= 0) & is_block, kinds + len(known), -1).astype(np.int32)
    for place, name in enumerate(known):
        cut[(marks.signature == np.uint64(int(name, 16))) & (marks.tag != tags.TEXT)] = (
            FIRST_TAG + place
        )
    codes = CODES | {name: FIRST_TAG + place for place, name in enumerate(known)}
    return write_parts(marks, cut, ranges), codes


def place_tokens(rule: Rule, parts: Parts, codes: dict[str, int]) -> Ints:
    """Return the column of each token, or -1: records are aligned with those the rule knows."""
    saved = [
        np.frombuffer(np.array([codes[name] for name, _ in string], np.int32).tobytes(), np.int32)
        for string in rule.strings
    ]
    first = parts.first.tolist()
    numbers: dict[bytes, int] = {}
    strings = [parts.number[a:b].tobytes() for a, b in pairwise(first)]
    which = [numbers.setdefault(string, len(numbers)) for string in strings]
    aligned = align_all([*saved, *(np.frombuffer(key, np.int32) for key in numbers)])
    columns: dict[tuple[int, int], int] = {}
    for string, tokens, joint in zip(rule.strings, saved, aligned.columns, strict=False):
        for (_, column), number, j in zip(string, tokens.tolist(), joint.tolist(), strict=False):
            if number < FIRST_TAG and column >= 0:
                columns.setdefault((number, j), column)
    at = np.full(len(parts.number), -1, np.int32)
    for start, number in zip(first, which, strict=False):
        for t, j in enumerate(aligned.columns[len(saved) + number].tolist(), start):
            at[t] = columns.get((int(parts.number[t]), j), -1)
    return at


def read_by_rule(rule: Rule, tree: Tree, marks: Marks, listing: Listing, url: str) -> Region:
    """Return a list in the columns of the rule."""
    ranges = np.array(listing.records, np.int32)
    tokens = np.array([int(token, 16) for token in rule.classes], np.uint64)
    marks = sign_alike(marks, tokens)
    parts, codes = cut_records(rule, marks, ranges)
    at = place_tokens(rule, parts, codes)
    rows, nodes = fill_rows(tree, marks, parts, ranges, at, len(rule.images))
    images = find_images(tree, marks, listing.records, find_home(tree, url))
    columns: list[list[str]] = []
    for place, is_image in enumerate(rule.images):
        if is_image:
            columns.append([images.get(row[place], "") for row in nodes])
        else:
            columns += apply_split([row[place] for row in rows], rule.splits[place])
    cells = list(zip(*columns, strict=True)) or [()] * len(rows)
    grid = Grid(rule.columns, cells, rule.pattern)
    return fill_region(tree, marks, listing._replace(images=images), url, 1, grid)


def apply_rule(rule: Rule, tree: Tree, url: str = "") -> Applied:
    """Return the list of a page that a rule names, or why there is none."""
    marks = read_marks(tree)
    lists = find_lists(tree, marks)
    listing, likeness = choose_list(rule, marks, lists)
    if listing is None or likeness < ALIKE:
        many = counted(len(lists), "list")
        found = f"{many}, the nearest {likeness:.0%} alike" if lists else "no list"
        remark = f"the page has {found}, {ALIKE:.0%} are needed; look at it with `blickfang records"
        return Applied(None, likeness, remark + " --explain` and save the rule anew")
    if rule.kind == PUBLICATIONS:
        grid = Grid((), [()] * len(listing.records), rule.pattern)
        images = find_images(tree, marks, listing.records, find_home(tree, url))
        region = fill_region(tree, marks, listing._replace(images=images), url, 1, grid)
        region = add_entries(region, read_publications(tree, listing.records), url, tree)
        odd = region.fit < FITS
        return Applied(
            region,
            likeness,
            f"the list is there, but its rows look like no {rule.kind}" if odd else "",
            odd,
        )
    region = read_by_rule(rule, tree, marks, listing, url)
    return Applied(region, likeness, *find_misfits(rule, region))


def find_misfits(rule: Rule, region: Region) -> tuple[str, bool]:
    """Return what to say of columns that are empty or changed, and whether all have changed.

    Only shapes are compared (prices, dates, numbers, addresses): words differ from page to page.
    """
    empty, odd, shaped = [], [], 0
    for place, (name, kind) in enumerate(rule.columns):
        cells = [record.cells[place] for record in region.records if record.cells[place]]
        if not cells:
            empty.append(name)
        elif kind in SHAPES:
            shaped += 1
            if not hold_mostly(SHAPES[kind].match, cells):
                odd.append(f"{name} (“{cells[0][:SHOWN]}”)")
    remarks = [f"columns without anything in them: {', '.join(empty)}"] if empty else []
    if odd:
        remarks.append(f"columns that hold something else: {', '.join(odd)}")
    return "; ".join(remarks), bool(odd) and len(odd) == shaped


def dump_rule(rule: Rule) -> str:
    """Return a rule as text."""
    return json.dumps(asdict(rule), ensure_ascii=False, indent=1) + "\n"


def load_rule(path: Path) -> Rule:
    """Read a rule from a file."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise InputError(f"{path} is too large for a rule")
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if found["format"] != FORMAT:
            raise InputError(f"{path} was made by another Blickfang; save the rule anew")
        rule = Rule(
            str(found["kind"]),
            str(found["source"]),
            int(found["records"]),
            str(found["pattern"]),
            tuple(Column(*map(str, column)) for column in found["columns"]),
            (str(found["places"][0]), str(found["places"][1])),
            tuple(map(str, found["classes"])),
            {str(kind): float(share) for kind, share in found["shape"].items()},
            tuple(tuple((str(n), int(c)) for n, c in string) for string in found["strings"]),
            tuple(map(bool, found["images"])),
            tuple(map(read_split, found["splits"])),
        )
        check_rule(rule)
        return rule
    except (
        OSError, ValueError, KeyError, TypeError, AttributeError, IndexError, OverflowError,
        RecursionError,
    ) as error:  # fmt: skip
        raise InputError(f"{path} holds no rule: save it anew") from error


def check_rule(rule: Rule) -> None:
    """Raise a ValueError unless the parts of a rule fit together: kernels trust its numbers."""
    hashes = {name for string in rule.strings for name, _ in string} - set(CODES)
    columns = [column for string in rule.strings for _, column in string]
    made = sum(map(count_columns, rule.splits))
    for is_so in (
        all(0 <= int(name, 16) < 2**64 for name in (*hashes, *rule.classes)),
        all(-1 <= column < len(rule.images) for column in columns),
        len(rule.splits) == len(rule.images),
        rule.kind == PUBLICATIONS or made == len(rule.columns),
        all(map(math.isfinite, rule.shape.values())),
        len(rule.strings) <= SAMPLES and len(columns) <= MAX_TOKENS,
    ):
        if not is_so:
            raise ValueError("its parts do not fit together")


def count_columns(split: Split | None) -> int:
    """Return how many columns a split makes of one; a ValueError if it is no split."""
    if split is None:
        return 1
    if not (0 <= split.separator < len(SEPARATORS) and len(split.inner) == split.parts):
        raise ValueError("no such split")
    return sum(map(count_columns, split.inner))


def read_split(found: list[Any] | None) -> Split | None:
    """Return how a column is split, as it was written."""
    if found is None:
        return None
    return Split(int(found[0]), int(found[1]), tuple(map(read_split, found[2])))
