"""Which samples are asked about."""

from dataclasses import replace
from pathlib import Path

import pytest

from blickfang.corpus import Corpus
from blickfang.errors import InputError, SettingsError
from blickfang.io.urls import host
from blickfang.web.annotate import select_items
from blickfang.web.annotate.task import TaskSelection
from tests.corpus.conftest import corpus as corpus  # noqa: PLC0414 -- a fixture
from tests.corpus.samples import write_samples


def ids(corpus: Corpus, select: TaskSelection) -> list[str]:
    return [item.sample for item in select_items(corpus, select)]


def test_top_is_the_order_of_the_corpus(corpus: Corpus) -> None:
    rows = corpus.table(["id", "caption"]).to_pylist()
    found = select_items(corpus, TaskSelection(count=5))
    assert [(i.sample, i.text) for i in found] == [(r["id"], r["caption"]) for r in rows[:5]]


def test_random_is_the_same_for_the_same_seed(corpus: Corpus) -> None:
    one = TaskSelection("random", 10, seed=1)
    assert ids(corpus, one) == ids(corpus, one) != ids(corpus, replace(one, seed=2))
    assert len(set(ids(corpus, one))) == 10


def test_uncertain_is_nearest_to_neither(corpus: Corpus) -> None:
    ranks = {row["id"]: row["rank"] for row in corpus.table(["id", "rank"]).to_pylist()}
    slow = sorted(ranks, key=lambda sample: abs(ranks[sample] - 0.5))[:6]
    assert set(ids(corpus, TaskSelection("uncertain", 6))) == set(slow)


def test_facets_are_equally_many(corpus: Corpus) -> None:
    pages = {row["id"]: row["page_url"] for row in corpus.table(["id", "page_url"]).to_pylist()}
    hosts = {host(url) for url in pages.values()}
    found = ids(corpus, TaskSelection("facet", len(hosts), facet="host"))
    assert {host(pages[sample]) for sample in found} == hosts
    assert len(ids(corpus, TaskSelection("facet", 1000, facet="language"))) == len(corpus)


@pytest.mark.parametrize("how", ["top", "random", "uncertain", "facet"])
def test_nobody_is_asked_about_what_is_removed(tmp_path: Path, how: str) -> None:
    corpus = write_samples(tmp_path / "corpus", 8)
    names = [row["id"] for row in corpus.table(["id"]).to_pylist()]
    (tmp_path / "removals.txt").write_text("\n".join(names[:3]))
    select = TaskSelection(how, 5, facet="host" if how == "facet" else "")
    assert sorted(ids(corpus, select)) == sorted(names[3:])  # five asked for, five given
    with pytest.raises(InputError, match="is on the removal list"):
        select_items(corpus, select, (names[0],))
    (tmp_path / "removals.txt").write_text("\n".join(names))
    with pytest.raises(InputError, match="all are removed"):
        select_items(corpus, select)


def test_a_filter_and_more_that_must_be_there(corpus: Corpus) -> None:
    last = corpus.table(["id"]).to_pylist()[-1]["id"]
    found = select_items(corpus, TaskSelection(count=2), (last,))
    assert [item.sample for item in found][-1] == last
    with pytest.raises(InputError, match="leaves none"):
        select_items(corpus, TaskSelection(where="width > 1000000"))
    with pytest.raises(InputError, match="is not in"):
        select_items(corpus, TaskSelection(), ("f" * 16,))
    with pytest.raises(SettingsError, match="column"):
        select_items(corpus, TaskSelection("facet", facet="nonsense"))
    with pytest.raises(SettingsError, match="text in"):
        select_items(corpus, TaskSelection(text="sha256"))
