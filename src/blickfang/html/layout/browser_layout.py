"""Where the sections and images of a page stand, measured in a real browser.

In: a `Tree`, the page's address and a function that knows what is stored under each address. Out:
the same `Boxes` that `boxes.py` estimates. The browser is given the canonical HTML of the tree, so
that its elements are those of the tree, one by one; where they are not, that is an error.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blickfang.errors import InputError
from blickfang.html.layout.boxes import BoxArrays, Boxes, Floats, estimate_boxes, keep_sections
from blickfang.html.layout.declared_sizes import read_declared
from blickfang.html.layout.sections import IMG, LayoutOptions, find_runs, read_layout
from blickfang.html.parse import tags
from blickfang.html.parse.page_arrays import HIDES, SILENT
from blickfang.html.parse.tags import TAG_NAMES
from blickfang.html.parse.tree import Tree
from blickfang.io.chromium import Chromium, Fetch

MARK = b'<style data-blickfang-style="%d"'
BEGIN = re.compile(rb"<(?:(style|script)(?=[\s/>])|!(?=--))", re.IGNORECASE)
TAG = re.compile(rb"""(?:[^>"']|"[^"]*"|'[^']*')*>""")
ENDS = {
    b"style": re.compile(rb"</style", re.IGNORECASE),
    b"script": re.compile(rb"</script", re.IGNORECASE),
    b"": re.compile(rb"-->"),
}
PUT = re.compile(rb'(<style data-blickfang-style="(\d{1,9})"[^>]*>)</style>')
LONGEST_TAG = 2000  # bytes of a start tag; of a longer one nothing is kept
MOST = 1000  # style sheets of a page


def take_styles(html: bytes) -> tuple[bytes, list[bytes]]:
    """Return a page whose first style elements are numbered, and what they hold.

    >>> take_styles(b"<style>p{top:0}</style><p>one")
    (b'<style data-blickfang-style="0">p{top:0}</style><p>one', [b'p{top:0}'])
    """
    parts: list[bytes] = []
    styles: list[bytes] = []
    done = at = 0  # up to where the page is written, and looked at
    while len(styles) < MOST and (begin := BEGIN.search(html, at)):
        name = (begin[1] or b"").lower()
        if name != b"style":  # what looks like a style in scripts and comments is none
            end = ENDS[name].search(html, begin.end())
            if end is None:
                break
            at = end.end()
            continue
        tag = TAG.match(html, begin.end(), begin.end() + LONGEST_TAG)
        start = tag.end() if tag else begin.end()
        end = ENDS[name].search(html, start)
        at = end.start() if end else len(html)
        parts += [html[done : begin.start()], MARK % len(styles), html[begin.end() : at]]
        styles.append(html[start:at] if tag else b"")
        done = at
    return b"".join([*parts, html[done:]]), styles


def put_styles(tree: Tree, styles: Sequence[bytes]) -> bytes:
    """Return the canonical HTML of a page with its styles put back in."""
    page = tree.data.removesuffix(b"<")
    if not styles:
        return page
    parts, done = [], 0
    for found in PUT.finditer(page):
        number = int(found[2])
        style = styles[number] if number < len(styles) else b""
        parts += [page[done : found.end(1)], style]
        done = found.end(1)
    return b"".join([*parts, page[done:]])


HEADERS = {"content-type": "text/html; charset=utf-8"}
BLANK = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='%g' height='%g'></svg>"

# Given: elements to show that hide themselves, and an image for those that are not there, or only
# later. Returned: for every element its name; for every image where it is; for every text that is
# not blank its element's number and where it is; NaN for what is not shown. White space is what
# `scan.py` takes for it.
SCRIPT = """async ({shown, blank}) => {
  const names = [], images = [], parents = [], texts = [], numbers = new Map();
  const elements = document.querySelectorAll("*"), range = new Range();
  for (const number of shown.filter(number => number < elements.length)) {
    const element = elements[number];
    element.removeAttribute("hidden");
    element.style.setProperty("display", "revert", "important");
    element.style.setProperty("visibility", "visible", "important");
  }
  const absent = [...document.images].filter(
    image => !image.naturalWidth || image.naturalWidth < 3 && image.src.startsWith("data:"));
  for (const image of absent) {
    image.removeAttribute("srcset");
    image.src = blank;
  }
  await Promise.allSettled(absent.map(image => image.decode()));
  const keep = (list, part) => {
    const box = part.getClientRects().length ? part.getBoundingClientRect() : {};
    list.push(box.left + scrollX, box.top + scrollY, box.right + scrollX, box.bottom + scrollY);
  };
  for (const element of elements) {
    numbers.set(element, names.length);
    names.push(element.localName);
    if (element.localName == "img") keep(images, element);
  }
  const walker = document.createTreeWalker(document, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (!/[^ \\t\\n\\r\\f\\u00a0]/.test(node.data)) continue;
    parents.push(numbers.get(node.parentNode));
    range.selectNodeContents(node);
    keep(texts, range);
  }
  return {names: names.join(" "), images, parents, texts};
}"""


def measure_boxes(
    tree: Tree,
    url: str,
    fetch: Fetch,
    browser: Chromium,
    options: LayoutOptions,
    styles: Sequence[bytes] = (),
) -> Boxes:
    """Return where sections and images stand when the browser shows the page, scripts off.

    Where it reads another page than we do, that is an `InputError`: then they can be estimated.

    `fetch` gives style sheets and images; what it does not know is not there, images as large as
    the options say. `styles` are what the page's own <style> elements held (`take_styles`).
    """
    page = put_styles(tree, styles)

    def answer(address: str) -> Any:
        return (200, HEADERS, page) if address == url else fetch(address)

    elements = np.flatnonzero(tree.tag != tags.TEXT)[1:]  # without the document
    blank = BLANK % (options.image_width, options.image_height)
    given = {"shown": _find_late(tree, elements), "blank": blank}
    found = browser.visit(url, answer, SCRIPT, given)
    _check_names(tree, elements, found["names"].split(" "), url)
    texts = _match_texts(tree, elements, found, url)
    return _put_in(tree, texts, found, options)


def _find_late(tree: Tree, elements: NDArray[np.int64]) -> list[int]:
    """Return which elements hide images until a script shows them, as numbers of elements."""
    images = np.append(0, np.cumsum(tree.tag == IMG))
    inside = images[tree.end[elements]] > images[elements]
    return np.flatnonzero((tree.flags[elements] & np.uint32(HIDES) > 0) & inside).tolist()


def _check_names(tree: Tree, elements: NDArray[np.int64], names: list[str], url: str) -> None:
    """Raise where the browser has read another tree."""
    known = [TAG_NAMES[tag] for tag in tree.tag[elements].tolist()]
    if len(known) != len(names):
        raise InputError(f"the browser reads {url} as {len(names)} elements, not as {len(known)}")
    for number, (ours, theirs) in enumerate(zip(known, names, strict=True)):
        if ours and ours != theirs:
            raise InputError(
                f"the browser reads element {number} of {url} as <{theirs}>, not as <{ours}>"
            )


def _match_texts(
    tree: Tree, elements: NDArray[np.int64], found: dict[str, Any], url: str
) -> NDArray[np.float64]:
    """Return for each node that is a text its edges: left, top, right, bottom."""
    parents = elements[np.array(found["parents"], np.int64)]
    spoken = tree.flags[parents] & np.uint32(SILENT) == 0
    edges = np.array(found["texts"], np.float64).reshape(-1, 4)[spoken]
    nodes = np.flatnonzero(tree.tag == tags.TEXT)
    if not np.array_equal(tree.parent[nodes], parents[spoken]):
        raise InputError(f"the browser finds other texts in {url}")
    texts = np.full((len(tree.tag), 4), np.nan)
    texts[nodes] = edges
    return texts


def _put_in(
    tree: Tree, texts: NDArray[np.float64], found: dict[str, Any], options: LayoutOptions
) -> Boxes:
    """Return the estimated boxes with measured places; separators stay as they are."""
    boxes = estimate_boxes(tree, options)
    runs = find_runs(read_layout(tree, read_declared(tree), options))
    numbers = np.cumsum(runs.length > 0) - 1  # of the section that a run is
    nodes = np.flatnonzero((runs.run >= 0) & ~np.isnan(texts[:, 0]))
    sections = _unite(texts[nodes], numbers[runs.run[nodes]], len(boxes.owner))
    images = np.array(found["images"], np.float64).reshape(-1, 4)
    measured = replace(
        boxes,
        place=_make_places(sections, boxes.place.gap),
        image_place=_make_places(np.nan_to_num(images), boxes.image_place.gap),
    )
    return keep_sections(measured, np.isfinite(sections[:, 0]))


def _unite(
    edges: NDArray[np.float64], groups: NDArray[np.int64], count: int
) -> NDArray[np.float64]:
    """Return the rectangle around each group of rectangles; an infinite one where there is none."""
    united = np.empty((count, 4))
    united[:, :2], united[:, 2:] = np.inf, -np.inf
    for side in (0, 1):
        np.minimum.at(united[:, side], groups, edges[:, side])
        np.maximum.at(united[:, side + 2], groups, edges[:, side + 2])
    return united


def _make_places(edges: NDArray[np.float64], gap: Floats) -> BoxArrays:
    left, top, right, bottom = edges.astype(np.float32).T
    return BoxArrays(left.copy(), top.copy(), right - left, bottom - top, gap)
