"""Our default way to find an image's text: what kind of place is the image in?

In: the terms of a page and its images. Out: for each image a range of the page's text and the kind
of place: a record of a list, a figure with its caption, the text after or before it, or nothing.
One pass up from the image: at each level the engine for repeated structure is asked whether the
part that holds the image is one of several; guards say "this is an article, not a list". If no
level answers, the caption rules decide. docs/method.md, "Best".
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, Plain, filling, inlined, inner
from blickfang.html.contexts.context_text import Spans
from blickfang.html.contexts.surroundings import (
    FIGURE_WORDS,
    LONG_FIGURE,
    SHORT_FIGURE,
    WIDER_FIGURE,
    Range,
    adds_image,
    block_after,
    block_at,
    caption_after,
    caption_before,
    climb_to_text,
    ends_like_sentence,
    is_figure,
    is_prose_block,
    told,
)
from blickfang.html.parse.tags import TAGS
from blickfang.html.parse.tree import Tree
from blickfang.html.structure.count_tables import take_sheet
from blickfang.html.structure.page_terms import IMG, Terms, is_heading, is_running
from blickfang.html.structure.sibling_groups import (
    HEADED,
    MAX_RECORD_WORDS,
    RUNNING_TEXT,
    SiblingGroups,
    make_groups,
    name_groups,
)
from blickfang.html.structure.siblings import find_runs, has_few_images, is_one_of_many

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


Ints = NDArray[np.int32]

NONE, RUN, WRAPPED, STATED, PAIRED, FIGURE, SHARED, SHORT, AFTER, BEFORE, ICON = range(11)
KINDS = ("decoration", "record", "record", *["figure"] * 5, "text", "text")
REASONS = (
    "no text belongs to it",
    "one of several runs of siblings that begin alike, with one image each",
    "one of several siblings built alike",
    "the markup names its caption",
    "in a row of images, over or under a row of as many texts",
    "alone with a caption's worth of text",
    "one of several that share a caption's worth of text",
    "alone with a word or two, and what follows them",
    "first text behind it",
    "last text before it",
)

SENTENCE_WORDS = 8  # a caption of so many words that ends like a sentence stays a caption
PROSE_IN_RUN = 0.4
LONG_RECORD = 60
HEADER, NAV, FOOTER = TAGS["header"], TAGS["nav"], TAGS["footer"]
FAR = 30  # nodes from an image to text that is not about it
TINY_PX = 60  # icons and bars: no image with text of its own was smaller
COVERAGE = 0.8  # in lists nearly every record has its image
OTHER_BLOCK = 80

Found = tuple[Integer, Integer, int]


class Best(NamedTuple):
    """The contexts of a page's images."""

    spans: Spans
    how: Ints  # places in REASONS and KINDS, or ICON


class ImageSurroundings(NamedTuple):
    """The images of a page."""

    nodes: Ints
    stated: Ints  # the nodes of captions that markup states, 0 for none
    widths: Ints  # as stated, below 0 where unknown
    heights: Ints


@inner
def has_captioned_figure(terms: Terms, image: Integer, start: Integer, end: Integer) -> bool:
    """Whether prose stands before the image and something unlike it right behind it."""
    number = terms[image].prose
    while number > terms[start].prose and terms[terms[number - 1].prose_node].end > image:
        number -= 1  # the paragraph that holds the image
    if number <= terms[start].prose:
        return False
    prose = terms[number - 1].prose_node
    block, block_end = block_after(terms, image, end)
    words = terms[block_end].words - terms[block].words
    if block == 0 or is_heading(terms, block) or words < 2:
        return False
    if not is_prose_block(terms, block, block_end):
        return True
    return bool(words <= OTHER_BLOCK and terms[block].signature != terms[prose].signature)


@inner
def is_article_run(
    terms: Terms, groups: SiblingGroups, image: Integer, x: Integer, fig: Range
) -> bool:
    """Whether a run is a piece of an article and no record."""
    start, end = groups.nodes[x].run_start, groups.nodes[x].run_end
    bits = groups.nodes[x].run_bits
    if bits & RUNNING_TEXT and not bits & HEADED:
        return True
    if fig[0] and fig[0] >= start and groups.nodes[x].run_prose > PROSE_IN_RUN:
        return True
    return has_captioned_figure(terms, image, start, end)


@inner
def is_article_part(
    terms: Terms, groups: SiblingGroups, image: Integer, x: Integer, fig: Range
) -> bool:
    """Whether one of several alike is a section of an article and no record."""
    end = terms[x].end
    prose = terms[end].prose - terms[x].prose
    if prose:
        if fig[0] > x and terms[end].words - terms[x].words >= LONG_RECORD:
            f = fig[0]
            if prose > terms[terms[f].end].prose - terms[f].prose:
                return True
        if has_few_images(terms, groups, terms[x].parent, x, COVERAGE):
            return True
    return has_captioned_figure(terms, image, x, end)


@inlined
def is_caption_sentence(terms: Terms, fig: Integer) -> bool:
    """Whether a figure's text is a sentence of its own."""
    end = terms[fig].end
    return bool(
        told(terms, fig, end) >= SENTENCE_WORDS
        and terms[end].headings == terms[fig].headings
        and ends_like_sentence(terms, fig)
    )


@inlined
def is_record(terms: Terms, groups: SiblingGroups, image: Integer, x: Integer, fig: Range) -> bool:
    """Whether a part with text is one of several alike, and no section of an article."""
    return bool(
        terms[terms[x].end].texts > terms[x].texts
        and is_one_of_many(terms, groups, terms[x].parent, x)
        and not is_article_part(terms, groups, image, x, fig)
    )


@inner
def find_record(terms: Terms, groups: SiblingGroups, image: Integer, fig: Range) -> Found:
    """Return the record that holds an image, or nothing."""
    x = np.int64(image)
    sentence = fig[0] > 0 and is_caption_sentence(terms, fig[0])
    while terms[x].parent > 0:
        p, end = np.int64(terms[x].parent), terms[x].end
        words = terms[end].words - terms[x].words
        if not adds_image(terms, p, x) and terms[terms[p].end].texts - terms[p].texts == (
            terms[end].texts - terms[x].texts
        ):
            x = p
            continue
        if words > MAX_RECORD_WORDS or (sentence and x < fig[0]):
            break
        find_runs(terms, groups, p)
        if groups.nodes[x].run_end and not is_article_run(terms, groups, image, x, fig):
            return groups.nodes[x].run_start, groups.nodes[x].run_end, RUN
        if is_record(terms, groups, image, x, fig):
            return x, end, WRAPPED
        x = p
    return 0, 0, NONE


@inlined
def follows_sentences(terms: Terms, image: Integer, p: Integer) -> bool:
    """Whether an image inside p comes after a piece of running text."""
    number = terms[image].texts - 1
    if number < terms[p].texts:
        return False
    block, end = block_at(terms, terms[number].text_node)
    return bool(
        block > p
        and end <= image
        and terms[end].words - terms[block].words >= SENTENCE_WORDS
        and terms[end].stops > terms[block].stops
        and terms[end].headings == terms[block].headings
    )


@inlined
def is_mixed(terms: Terms, image: Integer, p: Integer) -> bool:
    """Whether a part holds the page's running text and something else right behind the image."""
    end = terms[p].end
    block, _ = block_after(terms, image, end)
    if block == 0:
        return False
    if follows_sentences(terms, image, p):
        return True
    if is_running(terms, block):
        return False
    for number in range(terms[p].prose, terms[end].prose):
        if is_running(terms, terms[number].prose_node):
            return True
    return False


@inner
def find_caption(terms: Terms, image: Integer) -> Found:
    """Return what stands with an image that is in no list."""
    p, x = climb_to_text(terms, image)
    if p <= 0:
        return 0, 0, NONE
    end = terms[p].end
    words = told(terms, p, end)
    headed = terms[end].headings > terms[p].headings
    if (
        not adds_image(terms, p, x)
        and words <= FIGURE_WORDS
        and not (headed and words > LONG_FIGURE)
        and not is_mixed(terms, image, p)
    ):
        if words > SHORT_FIGURE:
            return p, end, SHARED if shows_several(terms, x) else FIGURE
        return widen(terms, p)
    start, stop = caption_after(terms, p, x)
    if start:
        return start, stop, AFTER
    start, stop = caption_before(terms, p, x)
    return start, stop, BEFORE if start else NONE


@inlined
def is_zone(tag: Integer) -> bool:
    """Whether an element is a part of the page around its content."""
    return bool(tag == HEADER or tag == NAV or tag == FOOTER)  # noqa: SIM109


@inner
def widen(terms: Terms, p: Integer) -> Found:
    """Return a figure of a word or two together with what belongs to it."""
    if is_zone(terms[p].tag):  # what follows a header belongs to the page, not to its logo
        return p, terms[p].end, SHORT
    x = p
    up = terms[x].parent
    while up > 0 and terms[terms[up].end].texts - terms[up].texts == (
        terms[terms[x].end].texts - terms[x].texts
    ):
        x = up
        up = terms[x].parent
    end = terms[up].end
    if (
        up > 0
        and not adds_image(terms, up, p)
        and terms[end].words - terms[up].words <= WIDER_FIGURE
        and terms[end].headings == terms[up].headings
    ):
        return up, end, SHORT
    start, stop = caption_after(terms, up, x)
    if (
        start
        and terms[stop].headings == terms[start].headings
        and terms[stop].words - terms[start].words <= WIDER_FIGURE
        and not is_prose_block(terms, start, stop)
    ):
        return p, stop, SHORT
    return p, terms[p].end, SHORT


@inner
def choose_one(terms: Terms, groups: SiblingGroups, image: Integer, caption: Integer) -> Found:
    """Return the context of an image, given the caption that markup states."""
    if terms[terms[caption].end].texts == terms[caption].texts:
        caption = np.int64(0)  # all of it is hidden: what is seen may belong to the image
    p, x = climb_to_text(terms, image)
    if p > 0 and terms[x].tag == TR and not caption:
        cell = find_cell(terms, image, p, x)
        if cell:
            return cell, np.int64(terms[cell].end), PAIRED
    fig = (p, x) if p > 0 and is_figure(terms, p, x) else (p - p, x)
    how = NONE
    start: Integer = np.int64(0)
    end: Integer = np.int64(0)
    if not (caption and is_caption_sentence(terms, caption)):
        start, end, how = find_record(terms, groups, image, fig)
    if how == NONE and caption:
        start, end, how = caption, np.int64(terms[caption].end), STATED
    if how == NONE:
        start, end, how = find_caption(terms, image)
        if how >= AFTER and not image - FAR <= start <= terms[image].end + FAR:
            how = NONE
    return start, end, how


@inlined
def is_icon(width: Integer, height: Integer, how: int) -> bool:
    """Whether an image is an icon or a bar: small, and in no record and without a caption."""
    thumbnail = RUN <= how <= PAIRED
    return bool(not thumbnail and (0 <= width < TINY_PX or 0 <= height < TINY_PX))


@filling
def choose(terms: Terms, lent: Plain, images: Plain, spans: Spans, why: Ints) -> None:
    """Find the context of every image."""
    groups, seen = name_groups(lent), ImageSurroundings(*images)
    take_sheet(groups.holders)
    for k in range(len(seen.nodes)):
        start, end, how = choose_one(
            terms, groups, np.int64(seen.nodes[k]), np.int64(seen.stated[k])
        )
        if is_icon(seen.widths[k], seen.heights[k], how):
            how = ICON
        found = how != NONE and how != ICON
        spans[k, 0] = terms[start].offset if found else 0
        spans[k, 1] = terms[end].offset if found else 0
        why[k] = how


def find_best(
    tree: Tree, terms: Terms, images: Ints, captions: Ints, widths: Ints, heights: Ints
) -> Best:
    """Return the best context of each image, given what its page states of it."""
    count = len(images)
    best = Best(np.empty((count, 2), np.int32), np.empty(count, np.int32))
    seen = images, captions, widths, heights
    choose(terms, make_groups(terms, tree.tokens), seen, *best)
    return best
