"""Images that stand together: which cell of a table is whose text, and who shares one.

In: terms of a page and an image. Out: nodes. Used by best.py; docs/method.md, "Best".
"""

from blickfang.compute.kernels import Integer, inlined, inner
from blickfang.page.contexts.figures import FIGURE_WORDS, told
from blickfang.page.structure.terms import IMG, Terms
from blickfang.page.tags import TAGS

TR, TD, TH, NOSCRIPT = (TAGS[name] for name in ("tr", "td", "th", "noscript"))
MAX_COLUMNS = 24  # each of 50,000 images of a row would count them all again
MAX_LOOKS = 200  # nodes among which a second image is looked for


@inlined
def holds_images(terms: Terms, k: Integer) -> bool:
    """Whether an image stands in a subtree."""
    return bool(terms[terms[k].end].images > terms[k].images)


@inner
def shows_several(terms: Terms, x: Integer) -> bool:
    """Whether a part holds several images; those in <noscript> repeat others."""
    if terms[terms[x].end].images - terms[x].images < 2:
        return False
    count = 0
    k = x
    for _ in range(MAX_LOOKS):
        if k >= terms[x].end:
            return False
        if terms[k].tag == NOSCRIPT:
            k = terms[k].end
            continue
        count += int(terms[k].tag == IMG)
        if count > 1:
            return True
        k += 1
    return True


@inlined
def is_cell(terms: Terms, c: Integer) -> bool:
    """Whether a node is a cell of a table."""
    return bool(terms[c].tag == TD or terms[c].tag == TH)


@inlined
def next_cell(terms: Terms, c: Integer, end: Integer) -> Integer:
    """Return the first cell from a node on among its siblings, or the end."""
    while c < end and not is_cell(terms, c):
        c = terms[c].end
    return c


@inlined
def pair_cells(
    terms: Terms, images: Integer, texts: Integer, image: Integer, least: int
) -> Integer:
    """Return the cell in a row of texts that stands at an image; 0 if not all images have one.

    Of fewer images than `least`, too.
    """
    if terms[texts].tag != TR or holds_images(terms, texts):
        return 0
    c, end = images + 1, terms[images].end
    t, stop = texts + 1, terms[texts].end
    count = 0
    found: Integer = 0
    for _ in range(MAX_COLUMNS):
        c, t = next_cell(terms, c, end), next_cell(terms, t, stop)
        if c >= end or t >= stop:
            break
        if holds_images(terms, c):
            count += 1
            if not 0 < told(terms, t, terms[t].end) <= FIGURE_WORDS:
                return 0
        if c <= image < terms[c].end:
            found = t
        c, t = terms[c].end, terms[t].end
    return found if count >= least and c >= end and next_cell(terms, t, stop) >= stop else 0


@inlined
def row_of(terms: Terms, p: Integer, number: Integer) -> Integer:
    """Return the child of p that holds a text by its number, 0 if it stands elsewhere."""
    if not terms[p].texts <= number < terms[terms[p].end].texts:
        return 0
    k = terms[number].text_node
    while terms[k].parent != p:
        k = terms[k].parent
    return k


@inlined
def ends_with_texts(terms: Terms, p: Integer) -> bool:
    """Whether the last image of a part has its text behind it, as a cell for each of its row."""
    low, high = p, terms[p].end  # not all images stand before low, all of them before high
    while high - low > 1:
        middle = (low + high) // 2
        if terms[middle].images < terms[terms[p].end].images:
            low = middle
        else:
            high = middle
    row = low  # the last image
    while terms[row].parent != p:
        row = terms[row].parent
    behind = row_of(terms, p, terms[terms[row].end].texts)
    return bool(behind and pair_cells(terms, row, behind, low, 1))


@inner
def find_cell(terms: Terms, image: Integer, p: Integer, row: Integer) -> Integer:
    """Return the cell under an image in a row of images, or over it; 0 if there is none."""
    if terms[terms[row].end].images - terms[row].images < 2:
        return 0
    behind = row_of(terms, p, terms[terms[row].end].texts)
    under: Integer = pair_cells(terms, row, behind, image, 2) if behind else 0
    if under and terms[behind].images != terms[terms[row].end].images:
        under = 0
    before = row_of(terms, p, terms[row].texts - 1)
    over: Integer = pair_cells(terms, row, before, image, 2) if before else 0
    if over and terms[terms[before].end].images != terms[row].images:
        over = 0
    if under and over:
        return under if ends_with_texts(terms, p) else over
    return under if under else over
