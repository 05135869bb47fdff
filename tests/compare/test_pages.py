"""Report and sheet: strange strings stay strings, and the same draw gives the same bytes."""

import re
from html.parser import HTMLParser

from blickfang.compare.pages import make_table
from blickfang.compare.sheet import Shown, Side, list_sample, make_sheet, mark_new

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=y>&amp;\u202e\x00\x1b[31m=1+1"
VALUES = {"all": 0.95, "main": None, "frame": 0.5, "contained": 1.0}


class Tags(HTMLParser):
    """Collects the names of elements, and fails on what could run."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        assert not any(name.startswith("on") for name, _ in attrs)
        assert not any((value or "").startswith("javascript:") for _, value in attrs)


def tags(html: str) -> set[str]:
    reader = Tags()
    reader.feed(html)
    return reader.names


def test_hostile_strings_are_shown_and_do_nothing() -> None:
    pair = Shown(Side(HOSTILE, HOSTILE, HOSTILE), Side("b", "", HOSTILE * 2), VALUES, "template")
    sheet = make_sheet([pair], HOSTILE, 1)
    assert not {"script", "img"} & tags(sheet)
    assert not re.search("[\x00\x1b\u202e]", sheet)
    assert "alert" in sheet
    table = make_table([HOSTILE], [[HOSTILE]], HOSTILE)
    assert tags(table) == {"div", "table", "caption", "thead", "tbody", "tr", "th", "td"}
    row = list_sample([pair]).splitlines()[1].split("\t")
    assert len(row) == 9
    assert not re.search("[\x00\x1b\u202e]", "".join(row))
    formula = Shown(Side("=cmd()", "", ""), Side("b", "", ""), VALUES, "same")
    assert list_sample([formula]).splitlines()[1].split("\t")[1] == "'=cmd()"


def test_words_that_the_other_has_not_are_marked() -> None:
    assert mark_new("Same, other.", {"same"}) == "Same, <mark>other</mark>."
    assert mark_new("", set()) == ""


def test_long_texts_are_cut_and_say_so() -> None:
    pair = Shown(Side("a", "", "word " * 5000), Side("b", "", "word"), VALUES, "excerpt")
    sheet = make_sheet([pair], "t", 1)
    assert "19,000 more characters" in sheet
    assert len(sheet) < 20_000
