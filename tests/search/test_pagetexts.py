"""The index over archived pages."""

from pathlib import Path

from blickfang.corpus.search.page_index import (
    FILE,
    MOVED,
    PAGE,
    ArchivedText,
    PageTexts,
    PageTextWriter,
    Phrase,
)


def make(folder: Path, *entries: ArchivedText) -> PageTexts:
    writer = PageTextWriter(folder / "index")
    for entry in entries:
        writer.add(entry)
    writer.finish()
    return PageTexts(folder / "index")


def test_phrases_find_pages_whatever_their_writing(tmp_path: Path) -> None:
    index = make(
        tmp_path,
        ArchivedText("http://a/", PAGE, "1", "Home", "I am JÖRG A. MÜLLER."),
        ArchivedText("http://b/", PAGE, "2", "Publications of Jorg Muller", "A list."),
        ArchivedText(
            "http://c/", PAGE, "3", "Karl Müller", "Jörg is quite another man, Müller one of many."
        ),
        ArchivedText("http://d/", PAGE, "4", "", "论文 王小明"),
        ArchivedText("http://e/", FILE, "5", "", "jorg muller"),
    )
    found = index.find([Phrase(("jorg", "muller"), 2)], ["publications"], 10)
    assert [entry.url for entry in found] == ["http://b/", "http://a/"]
    assert [e.url for e in index.find([Phrase(("王", "小", "明"))], [], 10)] == ["http://d/"]
    assert index.find([], [], 10) == []
    assert index.find([Phrase(('"x', "OR y"))], ["*"], 10) == []  # nothing in a query is special


def test_the_later_capture_counts(tmp_path: Path) -> None:
    index = make(
        tmp_path,
        ArchivedText("http://a/", PAGE, "1", "", "old words"),
        ArchivedText("http://a/", PAGE, "2", "", "new words"),
        ArchivedText("http://m/", MOVED, "http://a/"),
    )
    assert index.find([Phrase(("old",))], [], 10) == []
    assert [e.place for e in index.find([Phrase(("new",))], [], 10)] == ["2"]
    assert index.look_up("http://m/") == ArchivedText("http://m/", MOVED, "http://a/")
    assert index.look_up("http://nowhere/") is None


def test_an_empty_index_finds_nothing(tmp_path: Path) -> None:
    index = make(tmp_path)
    assert index.find([Phrase(("a", "b"))], ["c"], 5) == []
    assert index.look_up("http://a/") is None
