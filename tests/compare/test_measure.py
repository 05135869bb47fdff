"""What a pair shares: numbers against sets, kinds against pages made for them."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.dedupe.compare.pair_measures import FEW_SHINGLES, KINDS, DocumentWords, measure_pairs
from blickfang.dedupe.shingles import hash_texts
from blickfang.dedupe.templates import FEW_WORDS
from tests.compare.corpora import words

PAIR = np.array([[0, 1]])
MENU, OTHER_MENU = words(9000, 60), words(9500, 60)
STORY, OTHER_STORY = words(0, 200), words(300, 200)


def measure(first: tuple[str, str], second: tuple[str, str]) -> dict[str, float]:
    """Return the numbers and kind of two documents, each all text and main text."""
    texts = [hash_texts([first[n], second[n]]) for n in (0, 1)]
    found = measure_pairs(DocumentWords(*texts), PAIR, 3)
    return {name: float(column[0]) for name, column in found._asdict().items()}


def framed(menu: str, story: str) -> tuple[str, str]:
    return f"{menu} {story} {menu[:20]}", story


CASES: dict[str, tuple[tuple[str, str], tuple[str, str]]] = {
    "same": (framed(MENU, STORY), framed(MENU, STORY)),
    "other frame": (framed(MENU, STORY), framed(OTHER_MENU, STORY)),
    "excerpt": (framed(MENU, STORY), framed(OTHER_MENU, words(40, 80))),
    "revision": (framed(MENU, STORY), framed(MENU, words(30, 200))),
    "template": (framed(MENU, STORY), framed(MENU, OTHER_STORY)),
    "little": (framed(MENU, STORY), framed(OTHER_MENU, OTHER_STORY)),
}


@pytest.mark.parametrize("kind", CASES)
def test_kinds(kind: str) -> None:
    for first, second in (CASES[kind], CASES[kind][::-1]):
        assert KINDS[int(measure(first, second)["kind"])] == kind


def test_box_scores_share_their_template_not_their_content() -> None:
    labels = ["at", "bats", "runs", "hits", "errors"]
    scores = [
        " ".join(f"{label} {(n * step) % 97}" for n in range(40) for label in labels)
        for step in (7, 11)
    ]
    menu = words(9000, 900)  # of such a page nearly all is frame
    found = measure(framed(menu, scores[0]), framed(menu, scores[1]))
    assert KINDS[int(found["kind"])] == "template"
    assert found["frame"] > 0.9


def test_an_addition_is_a_revision_not_an_excerpt() -> None:
    found = measure((STORY, STORY), (words(0, 240), words(0, 240)))
    assert found["contained"] > 0.98
    assert KINDS[int(found["kind"])] == "revision"


def test_equal_text_is_the_same_whatever_its_main_text_seems_to_be() -> None:
    whole = f"{MENU} {STORY}"
    found = measure((whole, STORY), (whole, words(150, 50)))
    assert found["main"] < 0.3
    assert KINDS[int(found["kind"])] == "same"


def test_a_text_without_main_text_may_be_the_other_s_main_text_or_all_of_it() -> None:
    both = framed(MENU, STORY)
    for plain in (STORY, both[0]):
        found = measure(both, (plain, ""))
        assert found["main"] == 1
        assert KINDS[int(found["kind"])] == "same"


def test_plain_texts_have_no_frame() -> None:
    found = measure((STORY, ""), (STORY, ""))
    assert (found["all"], found["main"], found["kind"]) == (1, 1, 0)
    assert np.isnan(found["frame"])
    empty = measure(("", ""), ("", ""))
    assert (empty["all"], empty["contained"], KINDS[int(empty["kind"])]) == (0, 0, "little")


@pytest.mark.parametrize(("changed", "kind"), [(0, "same"), (1, "same"), (10, "revision")])
def test_plain_texts_that_differ_a_little_are_revisions(changed: int, kind: str) -> None:
    story = words(0, 600)
    other = " ".join([*story.split()[changed:], words(900, changed)]).strip()
    found = measure((story, ""), (other, ""))
    assert found["main"] > 0.9
    assert KINDS[int(found["kind"])] == kind


texts = st.lists(st.sampled_from("abcdefgh"), max_size=60).map(" ".join)


def shingles(text: str) -> set[tuple[str, ...]]:
    tokens = text.split()
    size = min(3, len(tokens))
    return {tuple(tokens[i : i + size]) for i in range(len(tokens) - size + 1)} if size else set()


def jaccard(a: set[tuple[str, ...]], b: set[tuple[str, ...]]) -> float:
    return len(a & b) / max(len(a | b), 1)


@given(st.tuples(texts, texts), st.tuples(texts, texts))
def test_numbers_as_sets_have_them(first: tuple[str, str], second: tuple[str, str]) -> None:
    found = measure(first, second)
    sides = []
    for whole, main in (first, second):
        own = len(main.split()) >= FEW_WORDS
        every = shingles(whole)
        content = shingles(main) if own else every
        sides.append((every, content, every - content if own else set()))
    (a, a_main, a_frame), (b, b_main, b_frame) = sides
    assert found["all"] == pytest.approx(jaccard(a, b))
    one_sided = len({len(main.split()) >= FEW_WORDS for _, main in (first, second)}) == 2
    if one_sided and jaccard(a, b) > jaccard(a_main, b_main):
        a_main, b_main = a, b
    assert found["main"] == pytest.approx(jaccard(a_main, b_main))
    shared = len(a_main & b_main) / max(min(len(a_main), len(b_main)), 1)
    assert found["contained"] == pytest.approx(shared)
    if one_sided or max(len(a_frame), len(b_frame)) < FEW_SHINGLES:
        assert np.isnan(found["frame"])
    else:
        assert found["frame"] == pytest.approx(jaccard(a_frame, b_frame))


def test_kinds_are_told_apart_without_gaps() -> None:
    assert list(CASES) == list(KINDS)
    assert all(a != b for a, b in pairwise(KINDS))
