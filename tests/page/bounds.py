"""Runs the kernels for links and images as plain Python, over arrays that refuse a wrong index.

In: golden and hostile pages, and attributes that end in the middle of what is looked for. Out:
nothing, or an IndexError; see tests/page/guard/bounds.py.

    NUMBA_DISABLE_JIT=1 python -m tests.page.bounds
"""

import warnings
from typing import Any

import numpy as np

from blickfang.page.addresses import sort_references
from blickfang.page.clues import COLUMNS, note_clues
from blickfang.page.sets import make_set
from blickfang.page.sources import MOST_OTHERS
from blickfang.page.tree import read_tree
from tests.fuzz.kinds import GOLDEN
from tests.page.guard.bounds import Checked
from tests.site.hostile.pages import PAGES, SMALL

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
    sort_references(data, starts, ends, np.empty((3, len(starts)), np.int32))
    nodes = tree.census.images.view(Checked)
    first, names = tree.first_attribute.view(Checked), tree.attribute_name.view(Checked)
    out = np.empty((COLUMNS, len(nodes)), np.int32)
    found = np.empty((1 + MOST_OTHERS, 2), np.int32)
    spans = tree.attribute_spans.view(Table)
    note_clues(data, nodes, first, names, spans, make_set(), found, out)


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


if __name__ == "__main__":
    main()
