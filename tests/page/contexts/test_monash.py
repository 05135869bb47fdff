"""Blocks of several subtrees, and single images."""

import re

from hypothesis import given

from blickfang.html.contexts.monash import find_monash
from tests.page.contexts.pages import (
    PAGES,
    Page,
    ancestors,
    children,
    find_texts,
    holds_image,
    seen_texts,
    span,
)


def test_a_single_image_has_the_text_of_its_paragraph() -> None:
    html = "<p>far</p><div><img><p>A cat</p></div><p>far, too</p>"
    assert find_texts(find_monash, html) == ["A cat"]


def test_a_structured_list_gives_one_subtree_each() -> None:
    html = "<ul><li><a><img></a><b>Cat</b> 1 €<li><a><img></a><b>Dog</b> 2 €</ul>"
    assert find_texts(find_monash, html) == ["Cat 1 €", "Dog 2 €"]


def test_a_semi_structured_list_gives_several_subtrees_each() -> None:
    html = "<img><p>Cat</p><p>1 €</p><a><img></a><p>Dog</p><p>2 €</p>"
    assert find_texts(find_monash, html) == ["Cat 1 €", "Dog 2 €"]


def test_images_may_stand_last() -> None:
    assert find_texts(find_monash, "<p>Cat</p><img><p>Dog</p><img>") == ["Cat", "Dog"]


def test_what_stands_around_the_list_is_left_out() -> None:
    html = "<h1>Pets</h1><img><p>Cat</p><img><p>Dog</p><p>Imprint</p>"
    assert find_texts(find_monash, html) == ["Cat", "Dog"]
    html = "<h1>Pets</h1><p>Cat</p><img><p>Dog</p><img>"
    assert find_texts(find_monash, html) == ["Cat", "Dog"]


def test_twins_of_lazy_images_share_a_block() -> None:
    twins = "<img><noscript><img></noscript>"
    assert (
        find_texts(find_monash, f"{twins}<p>Cat</p>{twins}<p>Dog</p>") == ["Cat"] * 2 + ["Dog"] * 2
    )


def test_pages_without_text_or_images() -> None:
    assert find_texts(find_monash, "<div><img></div>") == [""]
    assert find_texts(find_monash, "") == []


def test_long_lists_take_no_longer_than_they_are() -> None:
    names = [f"Cat {i}" for i in range(20_000)]
    html = "".join(f"<div><img></div><p>{name}</p>" for name in names)
    assert find_texts(find_monash, html) == names


def cut(kinds: str) -> list[tuple[int, int]]:
    """Return where the blocks begin and end, of children H (image only), T (text) and - (none)."""
    image_first = kinds.rstrip("-").endswith("T")
    pattern = "H[H-]*T[T-]*" if image_first else "T[T-]*H[H-]*"
    blocks = [match.span() for match in re.finditer(pattern, kinds)]
    if len(blocks) > 1:
        others = blocks[:-1] if image_first else blocks[1:]
        most = max(kinds[a:b].count("T") for a, b in others)
        if image_first:
            a, b = blocks[-1]
            while kinds[a:b].count("T") > most or (b < len(kinds) and kinds[b - 1] == "-"):
                b -= 1
            blocks[-1] = (a, b)
        else:
            a, b = blocks[0]
            while kinds[a:b].count("T") > most:
                a += 1
            blocks[0] = (a, b)
    return blocks


@given(PAGES)
def test_equals_cutting_by_a_pattern(page: Page) -> None:
    for image, found in zip(page.images, find_monash(*page).tolist(), strict=True):
        path = [int(image), *ancestors(page, image)]
        level = next((i for i, p in enumerate(path) if seen_texts(page, p)), None)
        if level is None:
            assert found == [0, 0]
            continue
        row = children(page, path[level])
        kinds = "".join(
            "T" if seen_texts(page, k) else "H" if holds_image(page, k) else "-" for k in row
        )
        blocks, at = cut(kinds), row.index(path[level - 1])
        mine = [(a, b) for a, b in blocks if a <= at < b]
        whole = span(page, path[level])
        block = span(page, row[mine[0][0]], row[mine[0][1] - 1]) if mine else whole
        assert tuple(found) == (block if len(blocks) > 1 else whole)
