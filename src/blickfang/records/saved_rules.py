"""Rules: the structure of one list, kept under a name and found again on other pages of its source.

In: a list of a page. Out: a `Rule`: which kinds of nodes its records have, how their tokens are
dealt out to columns, what the columns are called. Applied to another page, the list that is built
most like it is taken and cut into the same columns; where none is built like it, that is said.
"""

import json
import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.errors import InputError
from blickfang.html.links import find_home
from blickfang.html.parse import tags
from blickfang.html.parse.tags import TRAITS
from blickfang.html.parse.tree import Tree
from blickfang.io.plural import counted
from blickfang.records.align_columns import align_all
from blickfang.records.attribute_classes import Classes
from blickfang.records.cells import SEPARATORS, SHAPES, Split, hold_mostly
from blickfang.records.extract import (
    FITS,
    PUBLICATIONS,
    Grid,
    Listing,
    add_classes,
    add_entries,
    fill_columns,
    fill_region,
    find_images,
    find_lists,
    name_columns,
    plan_columns,
    read_addresses,
    tell_apart,
)
from blickfang.records.html_tables import WIDEST, find_parts, read_cells
from blickfang.records.node_counts import BR, NodeCounts, read_marks
from blickfang.records.publications import read_publications
from blickfang.records.record_table import (
    FIRST_TAG,
    IMAGE,
    TEXT,
    RecordTokens,
    TokenColumns,
    fill_layout,
    find_parting,
    lay_out,
    make_grid,
    write_parts,
)
from blickfang.types import Column, Region

Ints = NDArray[np.int32]
Hashes = NDArray[np.uint64]
Range = tuple[int, int]

FORMAT = 2
MAX_BYTES = 5 * 2**20  # of a saved rule
MAX_TOKENS = 100_000  # of all its strings
SAMPLES = 24  # strings of tokens that tell where columns are
LOOKED_AT = 60  # records by which lists are compared
MOST_PLACES, MOST_PARTS = 20, 200  # that are looked at for a single record
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
    links: tuple[bool, ...]  # which of them have a column of links beside them
    parts: int  # nodes beside each other that a record is, usually
    places_of: tuple[int, ...]  # of columns in a table of the page; none where it is no table
    heads: tuple[str, ...]  # what they are called there
    left_out: tuple[int, ...] = ()  # columns that are not wanted, by their numbers
    format: int = FORMAT


class Applied(NamedTuple):
    """What a rule found."""

    region: Region | None
    likeness: float
    remark: str  # what to tell a person, if anything
    foreign: bool = False  # built alike, but what it holds is of another kind


def profile(marks: NodeCounts, records: list[Range]) -> dict[str, float]:
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


def find_places(marks: NodeCounts, records: list[Range]) -> tuple[str, str]:
    """Return the paths to a list: by tags and classes, by tags."""
    above = int(marks.parent[records[0][0]])
    return hex(int(marks.class_path[above])), hex(int(marks.path[above]))


def find_tokens(marks: NodeCounts, records: list[Range]) -> Hashes:
    """Return the class tokens that stand more than once in records; none with a digit."""
    ranges = [(int(marks.first_token[a]), int(marks.first_token[b])) for a, b in records]
    inside = np.concatenate([marks.tokens[a:b] for a, b in ranges])
    found, times = np.unique(inside[inside & np.uint64(1) == 0], return_counts=True)
    return found[times > 1]


def sign_alike(marks: NodeCounts, tokens: Hashes) -> NodeCounts:
    """Return marks whose signatures come from given class tokens: the same on every page."""
    kept = np.isin(marks.tokens, tokens)
    owner = np.repeat(np.arange(len(marks.name)), np.diff(marks.first_token))
    sums = np.zeros(len(marks.name), np.uint64)
    np.add.at(sums, owner[kept], marks.tokens[kept] * MIXERS[1])
    return marks._replace(signature=marks.name * MIXERS[0] ^ sums)


def name_token(marks: NodeCounts, parts: RecordTokens, token: int) -> str:
    """Return what a token is, the same on every page."""
    number = int(parts.number[token])
    return SAID.get(number) or hex(int(marks.signature[parts.node[token]]))


def sample_strings(
    marks: NodeCounts, layout: TokenColumns
) -> tuple[tuple[tuple[str, int], ...], ...]:
    """Return the most frequent strings of tokens, each token with its column."""
    first = layout.parts.first.tolist()
    strings: Counter[tuple[tuple[str, int], ...]] = Counter()
    for start, stop in pairwise(first):
        tokens = range(start, stop)
        strings[tuple((name_token(marks, layout.parts, t), int(layout.at[t])) for t in tokens)] += 1
    return tuple(string for string, _ in strings.most_common(SAMPLES) if string)


def make_rule(
    tree: Tree,
    region: Region,
    kind: str,
    source: str,
    classes: Classes | None = None,
    *,
    split: bool = False,
) -> Rule:
    """Return the rule of a list that was taken from a page."""
    records = [record.nodes for record in region.records]
    if not records:
        raise InputError("the list has no records: nothing to make a rule of")
    marks = read_marks(tree)
    tokens = find_tokens(marks, records)
    marks = sign_alike(marks, tokens)
    cells = read_cells(tree, marks, records)
    parts = find_parts(marks, cells) if cells else []
    strings: tuple[tuple[tuple[str, int], ...], ...] = ()
    if cells:
        table = make_grid(tree, marks, cells, parts)
    else:
        ranges = np.array(records, np.int32)
        layout = lay_out(marks, ranges)
        table = fill_layout(tree, marks, layout, ranges)
        strings = sample_strings(marks, layout)
    addresses = read_addresses(tree, table, "")
    splits, linked = plan_columns(table, addresses, split=split)
    images = find_images(tree, marks, records, "")
    grid = name_columns(table, splits, linked, images, addresses)
    if classes:
        listing = Listing(records, region.confidence, region.measures)
        found = add_classes(fill_region(tree, marks, listing, "", 1, grid), classes)
        grid = grid._replace(columns=found.columns)
    return Rule(
        kind,
        source,
        len(records),
        table.pattern,
        () if kind == PUBLICATIONS else grid.columns,
        find_places(marks, records),
        tuple(map(hex, tokens.tolist())),
        profile(marks, records),
        strings,
        tuple(table.images),
        tuple(splits),
        tuple(linked),
        count_parts(marks, records),
        tuple(place for place, _ in parts),
        tuple(table.heads),
    )


def count_parts(marks: NodeCounts, records: list[Range]) -> int:
    """Return of how many nodes beside each other a record usually is."""
    counts = []
    for start, end in records[:LOOKED_AT]:
        node, count = start, 0
        while node < end:
            node, count = int(marks.end[node]), count + 1
        counts.append(count)
    return sorted(counts)[len(counts) // 2]


def choose_columns(rule: Rule, names: Sequence[str], chosen: Collection[int]) -> Rule:
    """Return a rule with only the columns chosen by number, under the names given."""
    if not chosen:
        raise InputError("choose at least one column")
    columns: list[Column] = []
    for at, column in enumerate(rule.columns):
        name = (names[at].strip() if at < len(names) else "") or column.name
        taken = {other.name for place, other in enumerate(columns) if place in chosen}
        columns.append(column._replace(name=tell_apart(name, taken)))
    left_out = tuple(at for at in range(len(columns)) if at not in chosen)
    return replace(rule, columns=tuple(columns), left_out=left_out)


def choose_list(
    rule: Rule, marks: NodeCounts, lists: list[Listing]
) -> tuple[Listing | None, float]:
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


def cut_records(rule: Rule, marks: NodeCounts, ranges: Ints) -> tuple[RecordTokens, dict[str, int]]:
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


def place_tokens(rule: Rule, parts: RecordTokens, codes: dict[str, int]) -> Ints:
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


def read_by_rule(rule: Rule, tree: Tree, marks: NodeCounts, listing: Listing, url: str) -> Region:
    """Return a list in the columns of the rule."""
    base = find_home(tree, url)
    cells = read_cells(tree, marks, listing.records, sure=True) if rule.places_of else None
    if cells:
        places = zip(rule.heads, rule.places_of, rule.images, strict=True)
        parts = [(cells.find(head, place), image) for head, place, image in places]
        table = make_grid(tree, marks, cells, parts)
    else:
        ranges = np.array(listing.records, np.int32)
        tokens = np.array([int(token, 16) for token in rule.classes], np.uint64)
        marks = sign_alike(marks, tokens)
        parsed, codes = cut_records(rule, marks, ranges)
        at = place_tokens(rule, parsed, codes)
        layout = TokenColumns(parsed, at, list(rule.images), rule.pattern)
        table = fill_layout(tree, marks, layout, ranges)
    images = find_images(tree, marks, listing.records, base)
    addresses = read_addresses(tree, table, base)
    filled = fill_columns(table, rule.splits, rule.links, images, addresses)
    columns = [column for parts_of_one in filled for column in parts_of_one]
    kept = [at for at in range(len(columns)) if at not in rule.left_out]
    rows = list(zip(*(columns[at] for at in kept), strict=True)) or [()] * len(table.rows)
    grid = Grid(tuple(rule.columns[at] for at in kept), rows, rule.pattern)
    return fill_region(tree, marks, listing._replace(images=images), url, 1, grid)


def find_single(rule: Rule, marks: NodeCounts) -> tuple[Listing | None, float]:
    """Return the one record of a page that has no list, where the rule's list stood.

    Lists have two records or more; what a single one looks like only a rule can know.
    """
    above = np.flatnonzero(marks.path == np.uint64(int(rule.places[1], 16)))[:MOST_PLACES]
    best, likeness = None, 0.0
    for parent in above.tolist():
        same = hex(int(marks.class_path[parent])) == rule.places[0]
        start = parent + 1
        for _ in range(MOST_PARTS):
            if start >= marks.end[parent]:
                break
            end = start
            for _ in range(rule.parts):
                end = int(marks.end[end]) if end < marks.end[parent] else end
            if marks.texts[end] > marks.texts[start]:
                alike = compare(rule.shape, profile(marks, [(start, end)]))
                alike *= ELSEWHERE["same" if same else "tags"]
                if alike > likeness:
                    best, likeness = Listing([(start, end)], 0.0, {}), alike
            start = int(marks.end[start])
    return best, likeness


def apply_rule(rule: Rule, tree: Tree, url: str = "") -> Applied:
    """Return the list of a page that a rule names, or why there is none."""
    marks = read_marks(tree)
    lists = find_lists(tree, marks)
    listing, likeness = choose_list(rule, marks, lists)
    if likeness < ALIKE:
        single, alike = find_single(rule, marks)
        listing, likeness = (single, alike) if alike > likeness else (listing, likeness)
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
    return Applied(region, likeness, *find_misfits(region))


def find_misfits(region: Region) -> tuple[str, bool]:
    """Return what to say of columns that are empty or changed, and whether all have changed.

    Only shapes are compared (prices, dates, numbers, addresses): words differ from page to page.
    """
    empty, odd, shaped = [], [], 0
    for place, (name, kind) in enumerate(region.columns):
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
            tuple(map(bool, found["links"])),
            int(found["parts"]),
            tuple(map(int, found["places_of"])),
            tuple(map(str, found["heads"])),
            tuple(map(int, found["left_out"])),
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
    made = sum(map(count_columns, rule.splits)) + sum(rule.links)
    for is_so in (
        all(0 <= int(name, 16) < 2**64 for name in (*hashes, *rule.classes, *rule.places)),
        all(-1 <= column < len(rule.images) for column in columns),
        len(rule.splits) == len(rule.links) == len(rule.heads) == len(rule.images),
        len(rule.places_of) in (0, len(rule.images)),
        all(0 <= place < WIDEST for place in rule.places_of),
        rule.kind == PUBLICATIONS or made == len(rule.columns),
        0 < rule.parts <= MAX_TOKENS,
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
