"""Runs kernels for links, images, languages as plain Python, over arrays that refuse a wrong index.

In: golden and hostile pages, and attributes that end in the middle of what is looked for. Out:
nothing, or an IndexError; see tests/page/guard/bounds.py.

    NUMBA_DISABLE_JIT=1 python -m tests.page.bounds
"""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blickfang.html.images.alt_quality import doubt_texts, write_url_words
from blickfang.html.images.img_attributes import (
    ADDRESS,
    ADDRESS_END,
    COLUMNS,
    FIRST_TEXT,
    OF_TEXT,
    note_clues,
)
from blickfang.html.images.lazy_sources import MOST_OTHERS
from blickfang.html.images.srcset import ImageNodes, lend_set
from blickfang.html.links import tell_apart
from blickfang.html.metadata import find_commons, note_metas
from blickfang.html.parse.page_strings import copy_value, trim
from blickfang.html.parse.tag_index import take_census
from blickfang.html.parse.tree import Tree, read_tree
from blickfang.html.references import sort_references
from blickfang.text.fasttext_model import (
    DIM,
    LanguageModelArrays,
    LanguageScratch,
    judge,
    read_model,
)
from blickfang.text.language import count_wide, find_model
from tests.fuzz.kinds import GOLDEN
from tests.page.guard.bounds import Checked
from tests.site.hostile.pages import PAGES, SMALL

MODEL, LABELS = read_model(find_model())[0], 176
LONGEST = 3000  # bytes of a page: plain Python takes its time
ENDINGS = (
    *(
        "http",
        "https",
        "https:",
        "https:/",
        "https://",
        "//",
        "//a",
        "//a.b",
        "http://a.b?",
        "xn--",
    ),
    *(
        "/%",
        "/%4",
        "/%4G",
        "/&",
        "/&am",
        "/a?",
        "?",
        "?&",
        "a.",
        "a..",
        ".",
        "#",
        "#&",
        "x.jp",
        ".jpg",
    ),
    *(
        "data:",
        "12px",
        "12p",
        "1234567",
        " 12",
        "a  b",
        "width",
        "height:1px",
        "data-src",
        "",
        "\xe9",
    ),
)


class Table(np.ndarray[Any, Any]):
    """An array of two dimensions whose rows check their indices."""

    def __getitem__(self, place: Any) -> Any:
        assert (np.asarray(place) >= 0).all()
        found = super().__getitem__(place)
        return found.view(Checked) if isinstance(found, np.ndarray) else found


def look(page: bytes) -> None:
    """Sort all references of a page, and look at its images."""
    tree = read_tree(page)
    data = np.frombuffer(tree.data, np.uint8).view(Checked)
    _, starts, ends = (column.view(Checked) for column in tree.census.references)
    images = np.empty(len(starts), np.int32).view(Checked)
    sort_references(data, starts, ends, np.empty((3, len(starts)), np.int32), images)
    nodes = tree.census.images.view(Checked)
    first, names = tree.first_attribute.view(Checked), tree.attribute_name.view(Checked)
    out = np.empty((COLUMNS, len(nodes)), np.int32)
    found = np.empty((1 + MOST_OTHERS, 2), np.int32)
    spans = tree.attribute_spans.view(Table)
    columns = tree.tag, tree.parent, tree.end, first, tree.flags
    places = ImageNodes(*(column.view(Checked) for column in columns))
    seen = np.zeros(len(tree.tag), np.bool_).view(Checked)
    note_clues(data, nodes, places, names, spans, lend_set(), found, seen, out)
    look_at_texts(tree, data, out)
    look_at_values(tree, data)


def look_at_texts(tree: Tree, data: Checked, clues: NDArray[np.int32]) -> None:
    """Read the words of all addresses, and what texts of images say."""
    room = np.empty(2 * len(tree.data) + 2, np.uint8)
    for start, end in clues[[ADDRESS, ADDRESS_END]].T.tolist():
        url = np.array(data[start:end]).view(Checked)
        write_url_words(url, len(url), room)
    text = tree.letters.text.view(Checked)
    for k in range(clues.shape[1]):
        alts = clues[FIRST_TEXT : FIRST_TEXT + OF_TEXT]
        doubt_texts(data, alts, k, True, room, (0, 0), room.view(Checked))
    for node in range(len(tree.tag)):
        start, end = int(tree.offset[node]), int(tree.offset[tree.end[node]])
        trim(text, start, end)
        spans = np.array([[start], [end]], np.int32)
        doubt_texts(text, spans, 0, False, room, (0, 0), room.view(Checked))


def look_at_values(tree: Tree, data: Checked) -> None:
    """Count the page, and look for metas, relations and licences."""
    census = tree.census
    first, names = tree.first_attribute.view(Checked), tree.attribute_name.view(Checked)
    spans = tree.attribute_spans.view(Table)
    places = [column.view(Checked) for column in (tree.parent, tree.end, tree.tag, tree.name)]
    take_census(data, tuple(places), first, names, spans)
    note_metas(census.metas, first, names, spans, np.empty((4, 3 * len(census.metas)), np.int32))
    _, starts, ends = (column.view(Checked) for column in census.relations)
    which, order = np.empty((2, len(starts)), np.int32)
    slots = np.full(2 << max(len(starts), 4).bit_length(), -1, np.int32).view(Checked)
    tell_apart(data, starts, ends, slots, which.view(Checked), order.view(Checked))
    _, starts, ends = (column.view(Checked) for column in census.references)
    find_commons(data, starts, ends, np.empty(len(starts), np.int32).view(Checked))
    room = np.empty(len(data), np.uint8).view(Checked)
    for row in tree.attribute_spans.tolist():
        copy_value(data, row[2], row[3], room)


def tell_language(line: bytes) -> None:
    """Ask for the language of a line, with no more room than it needs."""
    parts: list[Any] = [*MODEL]
    checked: list[Any] = [p.view(Checked) if isinstance(p, np.ndarray) else p for p in parts]
    model = LanguageModelArrays(*checked)
    found = np.zeros(max(3 * len(line) + 5, LABELS), np.int32)
    sums = np.zeros(DIM + LABELS, np.float32)
    word = np.zeros(len(line) + 3, np.uint8)
    data = np.frombuffer(line, np.uint8).view(Checked)
    judge(data, model, LanguageScratch(*(array.view(Checked) for array in (word, found, sums))))
    count_wide(data)


def main() -> None:
    """Look at all pages, and at every ending in every attribute, last in its page."""
    warnings.simplefilter("ignore")  # hashes overflow, as they shall
    for path in sorted(GOLDEN.glob("*.html")):
        look(path.read_bytes()[:LONGEST])
    for name in SMALL:
        look(PAGES[name]()[:LONGEST])
    for ending in ENDINGS:
        for name in ("src", "alt", "width", "style", "srcset", "data-img", "data-src", "data-x"):
            look(f'<img {name}="{ending}">'.encode())
        look(f'<a href="{ending}">'.encode())
        tell_language(ending.encode())
        look(f'<a rel="{ending}"><meta name="{ending}" content="&{ending}">{ending}'.encode())
    for line in ("", " ", "a b c d", "</s>", "__label__en", "猫" * 9, " é 😀 ", "the the"):
        tell_language(line.encode())


if __name__ == "__main__":
    main()
