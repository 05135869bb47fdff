"""The small questions about an image's surroundings: its figure, what stands before and after it.

In: terms of a page and an image. Out: ranges of nodes. Used by best.py; docs/method.md, "Best".
"""

from blickfang.compute.kernels import Integer, inlined, inner
from blickfang.html.parse import tags
from blickfang.html.parse.tags import TAGS
from blickfang.html.structure.page_terms import PROSE_WORDS, Terms, is_block, is_heading, is_leaf
from blickfang.html.structure.text_nodes import BRACKET_LAST, COPYRIGHT, STOP_LAST

Range = tuple[Integer, Integer]  # nodes from … to

FIGURE_WORDS, LONG_FIGURE, SHORT_FIGURE, WIDER_FIGURE = 90, 30, 4, 60
LONG_BLOCK, CREDIT_WORDS, MAX_CREDITS = 40, 12, 2
HR = TAGS["hr"]


@inlined
def told(terms: Terms, start: Integer, end: Integer) -> Integer:
    """Return how many words a range holds, labels not counted."""
    return terms[end].words - terms[start].words - terms[end].labels + terms[start].labels


@inlined
def climb_to_text(terms: Terms, image: Integer) -> Range:
    """Return the first ancestor that tells something, and its child that holds the image."""
    x = image
    p = terms[x].parent
    while p > 0 and told(terms, p, terms[p].end) == 0:
        x = p
        p = terms[x].parent
    return p, x


@inlined
def adds_image(terms: Terms, p: Integer, x: Integer) -> bool:
    """Whether an ancestor holds an image that its child does not hold."""
    return bool(
        terms[terms[p].end].images - terms[p].images > terms[terms[x].end].images - terms[x].images
    )


@inlined
def is_figure(terms: Terms, p: Integer, x: Integer) -> bool:
    """Whether an ancestor is about this one image: no other, and a caption's worth of words."""
    words = told(terms, p, terms[p].end)
    return bool(SHORT_FIGURE <= words <= FIGURE_WORDS and not adds_image(terms, p, x))


@inlined
def last_shows(terms: Terms, start: Integer, end: Integer) -> Integer:
    """Return what the last text node of a range shows."""
    if terms[end].texts == terms[start].texts:
        return 0
    return terms[terms[terms[end].texts - 1].text_node].shows


@inner
def block_at(terms: Terms, text: Integer) -> Range:
    """Return the block that a text node stands in; a bare text is its own."""
    k = text
    while terms[k].parent > 0 and not is_block(terms, terms[k].parent):
        k = terms[k].parent
    owner = terms[k].parent
    if is_leaf(terms, owner):
        return owner, terms[owner].end
    return k, inline_end(terms, k)


@inlined
def inline_end(terms: Terms, k: Integer) -> Integer:
    """Return where a run of inline siblings that begins at k ends: at a block or an image.

    It is sought once: each of 50,000 images may have the same run of 50,000 behind it.
    """
    end = terms[k].run_end
    if end:
        return end
    limit = terms[terms[k].parent].end
    end = terms[k].end
    while end < limit and terms[end].tag != HR and not is_block(terms, end):
        if terms[terms[end].end].images > terms[end].images:
            break
        end = terms[end].end
    terms[k].run_end = end
    return end


@inlined
def is_prose_block(terms: Terms, start: Integer, end: Integer) -> bool:
    """Whether a block is running text."""
    return bool(
        terms[end].words - terms[start].words >= PROSE_WORDS
        and terms[end].stops > terms[start].stops
        and not is_heading(terms, start)
    )


@inlined
def block_after(terms: Terms, image: Integer, limit: Integer) -> Range:
    """Return the first block of text behind an image and before a node, or (0, 0)."""
    number = terms[terms[image].end].texts
    if number >= terms[limit].texts:
        return 0, 0
    return block_at(terms, terms[number].text_node)


@inlined
def next_told(terms: Terms, p: Integer, c: Integer) -> Integer:
    """Return the first child of p from c on that tells something, or the end of p.

    By halves, not one by one: each of 50,000 images may have nothing told behind it.
    """
    limit = terms[p].end
    if told(terms, c, limit) == 0:
        return limit
    low, high = c, limit  # nothing is told before low, something before high
    while high - low > 1:
        middle = (low + high) // 2
        if told(terms, c, middle) == 0:
            low = middle
        else:
            high = middle
    while terms[low].parent != p:
        low = terms[low].parent
    return low


@inner
def caption_after(terms: Terms, p: Integer, x: Integer) -> Range:
    """Return the first text behind the image's part of p, with the credit lines behind it."""
    limit = terms[p].end
    c = next_told(terms, p, terms[x].end)
    if c >= limit:
        return 0, 0
    if terms[c].tag == tags.TEXT or not is_block(terms, c):
        return c, extend(terms, inline_end(terms, c), limit)
    if terms[terms[c].end].words - terms[c].words > LONG_BLOCK:
        return block_at(terms, terms[terms[c].texts].text_node)
    return c, extend(terms, terms[c].end, limit)


@inlined
def extend(terms: Terms, end: Integer, limit: Integer) -> Integer:
    """Return the end of a caption with short lines that follow it: who made the picture."""
    for _ in range(MAX_CREDITS):
        if end >= limit or not is_credit(terms, end):
            break
        end = terms[end].end
    return end


@inlined
def is_credit(terms: Terms, c: Integer) -> bool:
    """Whether a block is short and no sentence, or names rights."""
    end = terms[c].end
    words = terms[end].words - terms[c].words
    if not 0 < words <= CREDIT_WORDS or terms[end].images > terms[c].images:
        return False
    if terms[end].headings > terms[c].headings or not is_block(terms, c):
        return False
    shows = last_shows(terms, c, end)
    return bool(not shows & STOP_LAST or shows & COPYRIGHT)


@inlined
def caption_before(terms: Terms, p: Integer, x: Integer) -> Range:
    """Return the last block of text before the image inside p."""
    number = terms[x].texts - 1
    if number < terms[p].texts:
        return 0, 0
    return block_at(terms, terms[number].text_node)


@inlined
def ends_like_sentence(terms: Terms, k: Integer) -> bool:
    """Whether the text of a subtree ends with a stop or a bracket."""
    return bool(last_shows(terms, k, terms[k].end) & (STOP_LAST | BRACKET_LAST))
