"""Expansion: sections that share the strongest words of a context."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.errors import SettingsError
from blickfang.html.contexts.expansion import (
    MOST_COUNTED,
    Expansion,
    ExpansionOptions,
    find_expansion,
)
from blickfang.html.contexts.layout_method import LayoutContext, find_layout
from blickfang.html.layout.boxes import estimate_boxes
from blickfang.html.layout.sections import LayoutOptions
from blickfang.html.parse.tree import Tree, read_tree, slice_text

NEAR = LayoutOptions(distance="edge", min_characters=1, max_characters=1)
TWO = ExpansionOptions(strongest=3, shared=2)


def expand(html: str, options: ExpansionOptions = TWO) -> tuple[Tree, list[Expansion]]:
    tree = read_tree(html.encode())
    boxes = estimate_boxes(tree, NEAR)
    contexts = find_layout(tree, boxes, boxes.image, NEAR)
    return tree, find_expansion(tree, boxes, contexts, options, NEAR)


def texts(html: str, options: ExpansionOptions = TWO) -> list[str]:
    tree, expansions = expand(html, options)
    return [slice_text(tree, *span) for span in expansions[0].spans]


def test_sections_that_share_words_join() -> None:
    html = (
        "<div><img>the red kite</div><hr><p>weather</p><p>a kite that is red</p><p>the weather</p>"
    )
    assert texts(html) == ["the red kite", "a kite that is red"]


@pytest.mark.parametrize(
    ("near", "other", "far"),
    [
        ("im Museum: Reliquiar aus Gotik", "wird im Wetter aus Westen", "Gotik: Reliquiar, Museum"),
        ("the kingfisher at the river", "at the market the wheat", "river kingfisher"),
        ("маяк на скале и шторм", "на рынке и в порту", "шторм, маяк, скале"),
    ],
)
def test_the_strongest_words_say_something(near: str, other: str, far: str) -> None:
    """On a short page the words of every sentence are as rare as those of its subject."""
    html = f"<div><img>{near}</div><hr><p>{other}</p><hr><p>{far}</p>"
    assert texts(html, ExpansionOptions(strongest=2, shared=2)) == [near, far]


def test_what_joined_brings_its_own_words() -> None:
    html = (
        "<div><img>red kite</div><hr><p>red kite over gentle hills</p><p>gentle hills and more</p>"
    )
    once = ExpansionOptions(strongest=4, shared=2, max_rounds=1)
    assert len(texts(html, once)) == 2
    assert texts(html, replace(once, max_rounds=5))[2:] == ["gentle hills and more"]


def test_no_round_no_change() -> None:
    html = "<div><img>red kite</div><p>red kite</p>"
    assert texts(html, replace(TWO, max_rounds=0)) == ["red kite"]


def test_common_words_do_not_count() -> None:
    html = "<div><img>read more</div>" + "<p>read more</p>" * 9
    assert texts(html) == ["read more"]


def test_nothing_to_begin_with() -> None:
    _, expansions = expand("<p>some text</p><img width=1 height=1>")
    assert expansions == [Expansion((), (), 0, ())]


@pytest.mark.parametrize(
    "wrong", [{"shared": 4}, {"strongest": 99}, {"max_rounds": -1}, {"fade": 2.0}, {"shared": 0}]
)
def test_options_are_checked(wrong: dict[str, float]) -> None:
    with pytest.raises(SettingsError):
        ExpansionOptions(**wrong)  # type: ignore[arg-type]


def expand_slowly(
    sections: list[list[str]], context: LayoutContext, options: ExpansionOptions
) -> set[int]:
    """Return the sections of an expansion, with all of them looked at in every round."""
    members = list(context.sections)
    factors = [200 / (200 + distance) for distance in context.distances]
    page = [word for words in sections for word in words]
    for turn in range(options.max_rounds):
        strength: dict[str, float] = {}
        for member, factor in zip(members, factors, strict=True):
            for word in sections[member]:
                spread = sum(word in words for words in sections)
                if 2 <= spread <= options.max_spread:
                    own = factor * len(word) / page.count(word)
                    strength[word] = strength.get(word, 0) + own
        best = sorted(strength, key=lambda word: -strength[word])[: options.strongest]
        new = [
            k
            for k, words in enumerate(sections)
            if k not in members and sum(word in words for word in best) >= options.shared
        ]
        if not new:
            break
        members += new
        factors += [options.fade ** (turn + 1)] * len(new)
    return set(members)


# Words in different numbers, so that no two are equally strong.
WORDS = st.sampled_from(["ant", "bee", "cat", "dog", "elk", "fox", "gnu", "hen"])


@given(
    st.lists(st.lists(WORDS, min_size=1, max_size=5), min_size=1, max_size=8),
    st.integers(1, 3),
    st.integers(0, 3),
)
def test_against_a_slow_version(sections: list[list[str]], shared: int, rounds: int) -> None:
    # With as many strongest words as there are words, ties between them do not matter.
    options = ExpansionOptions(strongest=8, shared=shared, max_rounds=rounds)
    html = "<img>" + "".join(f"<div>{' '.join(words)}</div>" for words in sections)
    tree = read_tree(html.encode())
    boxes = estimate_boxes(tree, NEAR)
    (context,) = find_layout(tree, boxes, boxes.image, NEAR)
    (expansion,) = find_expansion(tree, boxes, [context], options, NEAR)
    assert set(expansion.sections) == expand_slowly(sections, context, options)
    assert expansion.sections[: len(context.sections)] == context.sections
    assert expansion.added == len(expansion.sections) - len(context.sections)
    assert expansion.spans == tuple(
        zip(
            boxes.start[list(expansion.sections)].tolist(),
            boxes.end[list(expansion.sections)].tolist(),
            strict=True,
        )
    )


def test_many_images_are_quick() -> None:
    html = "".join(f"<div><img>name{k} red kite</div>" for k in range(5000))
    _, expansions = expand(html)
    assert len(expansions) == 5000
    assert np.max([expansion.added for expansion in expansions]) == 0


@pytest.mark.parametrize(("before", "added"), [(10, 1), (MOST_COUNTED, 0)])
def test_of_a_long_section_the_first_words_count(before: int, added: int) -> None:
    """Thousands of images stand in it, and each would count all of them again."""
    filler = " ".join(f"w{k}" for k in range(before))
    html = f"<p>{'<img>' * 2000}{filler} red kite nest</p><p>{'far ' * 300}</p><p>red kite nest</p>"
    _, expansions = expand(html)
    assert [expansion.added for expansion in expansions] == [added] * 2000
