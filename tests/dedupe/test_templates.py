"""Main texts that are alike: what pages say, or what their template says for them."""

from collections.abc import Sequence

import numpy as np
import pytest

from blickfang.dedupe.minhash import sketch
from blickfang.dedupe.shingles import hash_texts
from blickfang.dedupe.templates import MainTexts, TemplateGuard, find_borrowed
from tests.compare.corpora import words

FOOTER, MENU, OTHER_MENU = words(9000, 60), words(9100, 40), words(9200, 60)
Page = tuple[str, str]  # all text, main text


def recipe(number: int) -> Page:
    return f"{MENU} {FOOTER} {words(100 * number, 60)}", FOOTER


def article(number: int, menu: str = MENU) -> Page:
    story = words(20_000 + 300 * number, 150)
    return f"{menu} {story} {menu[:40]}", story


def pages(rows: Sequence[Page], hosts: Sequence[int] | int, first: int = 1) -> MainTexts:
    texts = {"all": [row[0] for row in rows], "main": [row[1] for row in rows]}
    sketches = {basis: sketch(hash_texts(each)) for basis, each in texts.items()}
    rests = [len(row[0].split()) - len(row[1].split()) for row in rows]
    return MainTexts(
        np.broadcast_to(np.array(hosts, np.uint64), len(rows)),
        np.arange(first, first + len(rows)).astype(np.uint64),
        np.array(rests, np.int32),
        lambda basis, which: sketches[basis][which],
    )


def jaccard(a: Page, b: Page) -> float:
    sets = [
        {tuple(row[0].split()[i : i + 3]) for i in range(len(row[0].split()) - 2)} for row in (a, b)
    ]
    return len(sets[0] & sets[1]) / len(sets[0] | sets[1])


def own(
    left: Sequence[Page], right: Sequence[Page], hosts: tuple[int, int], first: int = 1000
) -> bool:
    """Return whether the main texts of the first page of each side are their own."""
    guard = TemplateGuard(pages(left, hosts[0]), pages(right, hosts[1], first))
    alike = np.array([jaccard(left[0], right[0])], np.float32)
    return bool(guard.own(np.array([[0, 0]]), alike)[0])


@pytest.mark.parametrize("host", [0, 7])
@pytest.mark.parametrize("more", [0, 1, 2, 6, 20])
def test_a_footer_is_nobody_s_main_text_however_few_pages_there_are(more: int, host: int) -> None:
    left, right = [recipe(0)], [recipe(n) for n in range(1, 2 + more)]
    assert not own(left, right, (host, host))


@pytest.mark.parametrize("hosts", [(0, 0), (7, 7), (7, 8)])
@pytest.mark.parametrize("more", [0, 1, 2, 6, 20])
def test_an_article_in_another_layout_is_the_same_article(
    more: int, hosts: tuple[int, int]
) -> None:
    left = [article(n, MENU) for n in range(1 + more)]
    right = [article(n, OTHER_MENU) for n in (0, *range(50, 50 + more))]
    assert own(left, right, hosts, first=1)


@pytest.mark.parametrize("hosts", [(0, 0), (7, 7), (7, 8)])
def test_an_index_whose_alphabet_is_taken_for_it_is_what_it_lists(hosts: tuple[int, int]) -> None:
    letters = words(7000, 26)
    lists = [f"{MENU} {letters} {words(first, 150)}" for first in (40_000, 40_100)]
    left, right = ([(each, letters), *(article(n) for n in range(50, 54))] for each in lists)
    assert not own(left, right, hosts)


def test_pages_of_two_hosts_that_stand_alone_are_believed() -> None:
    short = words(500, 40)
    left, right = ((f"{words(first, 150)} {short}", short) for first in (50_000, 60_000))
    assert own([left], [right], (7, 8))
    assert not own([left], [right], (7, 7))


def test_a_page_that_is_nothing_but_its_main_text_has_no_other_content() -> None:
    framed = article(3, words(70_000, 900))
    assert own([framed], [(framed[1], framed[1])], (7, 7))


def test_in_one_corpus_a_pair_is_not_its_own_neighbour() -> None:
    rows = [article(1, MENU), article(1, OTHER_MENU)]
    both = pages(rows, 7)
    alike = np.array([jaccard(*rows)], np.float32)
    assert TemplateGuard(both, both).own(np.array([[0, 1]]), alike)[0] == (alike[0] >= 2 / 3)
    more = pages([*rows, *(article(n, MENU) for n in range(5, 9))], 7)
    assert TemplateGuard(more, more).own(np.array([[0, 1]]), alike)[0]


def test_many_pairs_are_judged_as_each_alone() -> None:
    rows = [recipe(n) for n in range(40)] + [
        article(n % 20, m) for n, m in ((1, MENU), (1, OTHER_MENU))
    ]
    every = pages(rows, 0)
    pairs = np.array([(a, b) for a in range(42) for b in range(a + 1, 42)])
    alike = np.array([jaccard(rows[a], rows[b]) for a, b in pairs.tolist()], np.float32)
    together = TemplateGuard(every, every).own(pairs, alike)
    assert together[-1]
    assert not together[(pairs < 40).all(axis=1)].any()


def test_what_three_addresses_of_a_host_have_is_borrowed() -> None:
    hosts = np.array([7, 7, 7, 8, 8, 0, 0, 0], np.uint64)
    addresses = np.arange(8).astype(np.uint64)
    mains = np.full(8, 5, np.uint64)
    found = find_borrowed(hosts, addresses, mains, addresses + np.uint64(100))
    assert found.tolist() == [True] * 3 + [False] * 5
    assert not find_borrowed(hosts, addresses, mains, mains).any(), "they have no other text"


def test_an_article_on_three_sites_that_nobody_names_is_one() -> None:
    rows = []
    for site, menu in enumerate((MENU, OTHER_MENU, words(9300, 50))):
        rows += [article(0, menu), *(article(10 * site + n, menu) for n in range(1, 5))]
    every = pages(rows, 0)
    pairs = np.array([(0, 5), (0, 10), (5, 10)])
    alike = np.array([jaccard(rows[a], rows[b]) for a, b in pairs.tolist()], np.float32)
    assert TemplateGuard(every, every).own(pairs, alike).all()
