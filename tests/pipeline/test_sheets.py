"""The contact sheet: which samples it shows."""

from pathlib import Path

import pytest

from blickfang.corpus.removals import list_removed
from blickfang.web.report import contact_sheet
from blickfang.web.report.contact_sheet import make_sheet
from tests.corpus.samples import make_rows, write_samples

ROWS = make_rows(12)


def test_what_is_removed_is_not_shown(tmp_path: Path) -> None:
    corpus = write_samples(tmp_path / "corpus", 12)
    whole = make_sheet(corpus, 3)
    assert {name: [card.number for card in cards] for name, cards in whole.items()} == {
        "best": [1, 2, 3],
        "median": [5, 6, 7],
        "worst": [10, 11, 12],
    }
    listed = (ROWS[0]["id"], ROWS[5]["url"], ROWS[11]["sha256"])
    (tmp_path / "removals.txt").write_text("\n".join(listed))
    removed = list_removed(corpus)
    assert removed == {ROWS[place]["id"] for place in (0, 5, 11)}
    rest = make_sheet(corpus, 3, removed)
    numbers = {name: [card.number for card in cards] for name, cards in rest.items()}
    assert numbers == {"best": [2, 3, 4], "median": [5, 7, 8], "worst": [9, 10, 11]}
    for cards in rest.values():
        for card in cards:
            assert card.url == ROWS[card.number - 1]["url"]


def test_when_all_are_removed_nothing_is_shown(tmp_path: Path) -> None:
    corpus = write_samples(tmp_path / "corpus", 3)
    assert make_sheet(corpus, 3, {row["id"] for row in make_rows(3)}) == {}


def test_a_text_that_is_cut_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contact_sheet, "MOST_TEXT", 8)
    cards = make_sheet(write_samples(tmp_path / "corpus", 3), 1)["best"]
    assert cards[0].caption == f"{ROWS[0]['caption'][:7]}…"
