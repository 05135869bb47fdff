"""Collections: made, opened, locked, refused; and learning in one from beginning to end."""

import gzip
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from blickfang.config import FORMAT, locking, make_collection, open_collection, refuse_busy
from blickfang.corpus import open_corpus
from blickfang.crawl.focus.learn import compare_words, explain, learn, read_source
from blickfang.errors import InputError, SettingsError
from blickfang.text import load_topic
from blickfang.text.lm.kneser_ney import LittleTextWarning

PAGE = "<title>Owls</title><p>{}</p><p>The barn owl hunts mice over the fields at night.</p>"

TEXTS = {
    "pages": "The tawny owl calls from the old oak after sunset.",
    "neutral": "The council will meet again on the first Monday.",
}


@pytest.fixture
def owls(tmp_path: Path) -> Path:
    root = tmp_path / "owls"
    make_collection(root)
    for folder, words in TEXTS.items():
        (root / folder).mkdir()
        for number in range(4):
            text = PAGE.format(words) if folder == "pages" else f"<p>{words}"
            (root / folder / f"{number}.html").write_text(f"{text} {number}")
    return root


@pytest.mark.filterwarnings("ignore::blickfang.text.lm.kneser_ney.LittleTextWarning")
def test_learn_move_learn_again(owls: Path, tmp_path: Path) -> None:
    learned = learn(open_collection(owls))
    assert (learned.fresh, learned.failures) == (8, [])
    assert learned.topic.keywords.found[0].word == "owl"
    moved = tmp_path / "elsewhere" / "owls"
    moved.parent.mkdir()
    shutil.move(owls, moved)
    (moved / "pages" / "new.txt").write_text("A little owl sat on the wall by the barn.")
    (moved / "blickfang.toml").write_text(
        '[topic]\npositive = ["pages"]\nneutral = ["neutral/*.html"]\norder = 3\n'
    )
    collection = open_collection(moved)
    learned = learn(collection)
    assert learned.fresh == 1
    topic = load_topic(collection.topic_folder)
    assert topic.positive_pages == 5
    assert topic.settings["topic"]["order"] == 3
    assert topic.settings["crawl"]["max_pages"] == 1000
    for path in moved.rglob("*.json"):
        assert str(tmp_path) not in path.read_text()
    assert str(tmp_path).encode() not in (moved / "topic" / "pages.sqlite").read_bytes()


@pytest.mark.filterwarnings("ignore::blickfang.text.lm.kneser_ney.LittleTextWarning")
def test_explain(owls: Path) -> None:
    collection = open_collection(owls)
    topic = learn(collection).topic
    near, empty = explain(topic, ["An owl, an OWL!", "…"], collection.settings.score)
    assert [keyword.word for keyword in near.hits] == ["owl", "owl"]
    assert near.keyword_score == pytest.approx(2 * near.hits[0].weight / topic.keywords.total)
    assert near.perplexity is not None
    expected = near.perplexity * (1 - 3 * near.keyword_score)
    assert near.score == pytest.approx(expected if expected >= 0 else 1.0)
    assert (empty.perplexity, empty.score, empty.hits) == (None, None, [])


def test_compressed_pages_are_pages(owls: Path) -> None:
    path = owls / "pages" / "0.html"
    (owls / "pages" / "0.html.gz").write_bytes(gzip.compress(path.read_bytes()))
    assert read_source(owls / "pages" / "0.html.gz") == read_source(path)


def test_compare_words(owls: Path) -> None:
    found = compare_words([str(owls / "pages")], [str(owls / "neutral/*.html")], 3)
    assert found[0].word == "owl"
    assert (found[0].tf, found[0].df) == (8, 4)


def test_bad_pages_are_left_out_until_none_remains(owls: Path) -> None:
    for number in range(3):
        (owls / "pages" / f"{number}.html").write_bytes(bytes(1000))
    with pytest.warns(LittleTextWarning):
        learned = learn(open_collection(owls))
    assert len(learned.failures) == 3
    (owls / "pages" / "3.html").write_bytes(bytes(999))
    with pytest.raises(InputError, match="no positive page could be read"):
        learn(open_collection(owls))


def test_no_positive_pages(owls: Path) -> None:
    (owls / "blickfang.toml").write_text("")
    with pytest.raises(SettingsError, match="names no pages"):
        learn(open_collection(owls))


def test_a_page_cannot_be_both(owls: Path) -> None:
    (owls / "blickfang.toml").write_text('[topic]\npositive = ["pages"]\nneutral = ["*/0.html"]\n')
    with pytest.raises(SettingsError, match="both positive and neutral"):
        learn(open_collection(owls))


def test_reading_settings_writes_nothing(owls: Path) -> None:
    (owls / "collection.json").unlink()
    open_collection(owls)
    assert not (owls / "collection.json").exists()


def test_make_refuses_what_is_there(owls: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="there already"):
        make_collection(owls)
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingsError, match="is a file"):
        make_collection(tmp_path / "file")


def test_folders_whose_path_is_not_utf8_are_refused(owls: Path, tmp_path: Path) -> None:
    odd = tmp_path / os.fsdecode(b"w\xe4ld")
    shutil.copytree(owls, odd / "owls")
    (tmp_path / "link").symlink_to(odd)
    for root in (odd / "owls", tmp_path / "link" / "owls"):
        for find in (open_collection, open_corpus):
            with pytest.raises(SettingsError, match=r"w\ufffdld is not UTF-8.*another name$"):
                find(root)
    with pytest.raises(SettingsError, match="new\ufffd is not UTF-8"):
        make_collection(tmp_path / os.fsdecode(b"new\xff"))
    assert not (tmp_path / os.fsdecode(b"new\xff")).exists()
    make_collection(tmp_path / "wäld")


@pytest.mark.parametrize("version", [FORMAT + 1, 0, "x"])
def test_other_formats_are_refused(owls: Path, version: object) -> None:
    (owls / "collection.json").write_text(json.dumps({"format": version}))
    with pytest.raises(SettingsError, match=f"has format {version!r}, this one reads {FORMAT}"):
        open_collection(owls)
    (owls / "collection.json").write_text("broken")
    with pytest.raises(SettingsError, match="damaged"):
        open_collection(owls)


def test_two_at_once_are_refused(owls: Path) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from blickfang.config import locking, open_collection\n"
        "with locking(open_collection(Path(sys.argv[1]))): pass"
    )
    command = [sys.executable, "-c", code, str(owls)]
    with locking(open_collection(owls)):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        with pytest.raises(SettingsError, match="another Blickfang is working"):
            refuse_busy(open_collection(owls))
    assert "another Blickfang is working" in done.stderr
    refuse_busy(open_collection(owls))
    assert subprocess.run(command, check=False).returncode == 0
