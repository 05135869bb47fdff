"""Report and sheet: strange strings stay strings, and the same draw gives the same bytes."""

import re
from html.parser import HTMLParser

from blickfang.web.report.comparison_report import make_report
from blickfang.web.report.pair_sheet import PairSide, Shown, list_sample, make_sheet
from tests.compare.facts import make_facts

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
    pair = Shown(
        PairSide(HOSTILE, HOSTILE, HOSTILE), PairSide("b", "", HOSTILE * 2), VALUES, "template"
    )
    sheet = make_sheet([pair], HOSTILE, 1)
    assert not {"script", "img"} & tags(sheet)
    assert not re.search("[\x00\x1b\u202e]", sheet)
    assert "alert" in sheet
    report = make_report(make_facts(HOSTILE))
    assert tags(report) == tags(make_report(make_facts()))
    assert not re.search("[\x00\x1b\u202e]", report)
    assert report.count("alert") >= 9
    row = list_sample([pair]).splitlines()[1].split("\t")
    assert len(row) == 9
    assert not re.search("[\x00\x1b\u202e]", "".join(row))
    formula = Shown(PairSide("=cmd()", "", ""), PairSide("b", "", ""), VALUES, "same")
    assert list_sample([formula]).splitlines()[1].split("\t")[1] == "'=cmd()"


def test_the_report_says_what_there_is() -> None:
    report = make_report(make_facts())
    assert report == make_report(make_facts())
    for words in (
        "<title>corpus and corpus compared</title>",
        "Jaccard ≥ 0.9 of shingles of 3 words, on all text, or on the main text; proposed by",
        "<b>1,200</b><span>documents in B (of the files drawn)</span>",
        '<th scope="row">a.test</th><td>9</td><td>8</td><td>5</td><td>55.6\xa0%</td>',
        "<td>1.4</td><td>1.0</td><td>2.0</td><td>–</td>",
        '<th scope="row">documents of B</th><td>20</td><td>18</td><td>25</td>',
        "Of judged documents with any candidate, – have a near-duplicate.",
        "Relevance judgements: web</h2>",
    ):
        assert words in report, words
    assert report.count("<svg") == 7


def test_words_that_the_other_has_not_are_marked() -> None:
    pair = Shown(
        PairSide("a", "", "Same, other.\nNew"), PairSide("b", "", "same new"), VALUES, "same"
    )
    sheet = make_sheet([pair], "t", 1)
    assert '<pre tabindex="0">Same, <mark>other</mark>.\nNew</pre>' in sheet
    assert '<pre tabindex="0">same new</pre>' in sheet


def test_long_texts_are_cut_and_say_so() -> None:
    pair = Shown(PairSide("a", "", "word " * 5000), PairSide("b", "", "word"), VALUES, "excerpt")
    sheet = make_sheet([pair], "t", 1)
    assert "19,000 more characters" in sheet
    assert len(sheet) < 20_000
