"""Groups of siblings that repeat."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from blickfang.html.contexts.repeating_groups import find_repeats
from tests.page.contexts.pages import (
    PAGES,
    Page,
    ancestors,
    children,
    find_texts,
    read_page,
    seen_texts,
    span,
)


def test_the_group_may_be_one_subtree() -> None:
    html = "<ul><li><img>Cat<li><img>Dog<li><img>Cow</ul><p>Imprint</p>"
    assert find_texts(find_repeats, html) == ["Cat", "Dog", "Cow"]


def test_the_group_may_be_several_subtrees() -> None:
    html = "<h1>Pets</h1>" + "".join(
        f"<div class=pic><img></div><h3>{name}</h3><p>1 €</p>" for name in ("Cat", "Dog", "Cow")
    )
    assert find_texts(find_repeats, html) == ["Cat 1 €", "Dog 1 €", "Cow 1 €"]


def test_the_group_begins_where_all_agree() -> None:
    html = "<h3>Cat</h3><img><p>1 €</p><h3>Dog</h3><img><p>2 €</p>"
    assert find_texts(find_repeats, html) == ["Cat 1 €", "Dog 2 €"]


def test_groups_do_not_overlap() -> None:
    html = "<p>Intro</p><img><p>Cat</p><img><p>Dog</p>"
    assert find_texts(find_repeats, html) == ["Cat", "Dog"]


def test_what_only_some_groups_have_is_left_out() -> None:
    html = "<img><p>Cat</p><b>new</b><img><p>Dog</p><img><p>Cow</p>"
    assert find_texts(find_repeats, html) == ["Cat", "Dog", "Cow"]


def test_classes_tell_children_apart() -> None:
    html = "<div class=x><img>Cat</div><div class=x><img>Dog</div><div class=y><img>Ad</div>"
    html += "<p class=y>Imprint</p>"
    assert find_texts(find_repeats, html) == ["Cat", "Dog", "Cat Dog Ad Imprint"]


def test_without_groups_the_limit_decides() -> None:
    html = "<div><div><img><p>A red cat</p></div><h2>Cats</h2></div><p>all others</p>"
    assert find_texts(find_repeats, html, limit=2) == ["A red cat"]
    assert find_texts(find_repeats, html, limit=3) == ["A red cat"]
    assert find_texts(find_repeats, html, limit=4) == ["A red cat Cats"]
    assert find_texts(find_repeats, html, limit=99) == ["A red cat Cats all others"]


def test_pages_without_text_or_images() -> None:
    assert find_texts(find_repeats, "<div><img><img></div>") == ["", ""]
    assert find_texts(find_repeats, "<img><p hidden>menu</p>") == [""]
    assert find_texts(find_repeats, "") == []


def test_long_lists_take_no_longer_than_they_are() -> None:
    names = [f"Cat {i}" for i in range(20_000)]
    html = "".join(f"<div><img></div><p>{name}</p>" for name in names)
    assert find_texts(find_repeats, html) == names


def test_a_long_list_twice_takes_no_longer_either() -> None:
    tags = [f"x-{i}" for i in range(5_000)]
    html = "".join(f"<{tag}><img>Cat</{tag}>" for tag in tags) * 2
    assert find_texts(find_repeats, html)[0] == " ".join(["Cat"] * 64)


Row = list[tuple[int, bool]]


def find_group(row: Row, at: int) -> tuple[int, int] | None:
    """Try every part of a row of (symbol, has text) that holds a place and text: O(N³) and more."""
    found = []
    for begin in range(at + 1):
        for end in range(at + 1, len(row) + 1):
            part = row[begin:end]
            if any(text for _, text in part):
                places = [i for i in range(len(row)) if row[i : i + len(part)] == part]
                if len(places) > 1:
                    apart = min(b - a for a, b in pairwise(places))
                    found.append((len(places), apart >= len(part), len(part), begin))
    if not found:
        return None
    most = max(count for count, *_ in found)
    _, _, length, begin = max(entry for entry in found if entry[0] == most)
    return begin, begin + length


def climb(page: Page, image: int, limit: int) -> tuple[int, int]:
    """Return the context of an image by the words of the study."""
    below = image
    for p in ancestors(page, image):
        row = children(page, p)
        symbols = [(int(page.terms[k]["signature"]), bool(seen_texts(page, k))) for k in row]
        group = find_group(symbols, row.index(below))
        if group:
            return span(page, row[group[0]], row[group[1] - 1])
        if page.terms["words"][page.tree.end[p]] - page.terms["words"][p] > limit:
            return span(page, below if seen_texts(page, below) else p)
        below = p
    return span(page, below) if seen_texts(page, below) else (0, 0)


@given(PAGES, st.integers(0, 12))
def test_equals_trying_every_group(page: Page, limit: int) -> None:
    for image, found in zip(page.images, find_repeats(*page, limit=limit).tolist(), strict=True):
        assert tuple(found) == climb(page, int(image), limit)


FLAT = st.lists(
    st.sampled_from(["<p><img></p>", "<p>x</p>", "<b><img></b>", "<b>y</b>", "<hr>"]), max_size=20
)


@given(FLAT)
def test_equals_trying_every_group_of_a_long_row(parts: list[str]) -> None:
    page = read_page("".join(parts))
    for image, found in zip(page.images, find_repeats(*page, limit=0).tolist(), strict=True):
        assert tuple(found) == climb(page, int(image), 0)
