"""The commands on pages, as a user meets them; in this process where that makes no difference."""

import gzip
import json
import os
import subprocess
import sys
from contextlib import chdir
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from typer.testing import CliRunner

from blickfang.cli import app
from blickfang.html import METHODS
from blickfang.html.frames import MAX_FRAMES
from tests.cli.running import objects, run
from tests.page.layout.test_browser import need_browser
from tests.samples.archives import Answer, page, write_archive

PAGE = (
    "<!doctype html><html lang=en><title>Towers \x1b[31m</title><nav><a href=/>Home</a> "
    "<a href=/a>About us</a></nav><main><h1>Towers</h1><p>The old tower was built by hand over "
    "many long winters, and the people of the village still tell how the stones came.</p>"
    "<figure><img src=tower.jpg><figcaption>A \x1b]0;owned\x07 tower of brick.</figcaption>"
    "</figure><p>Nobody lives there now, but a keeper from the town walks up every month to wind "
    "the clock and look for cracks.</p><img src=dot.gif width=1 height=1></main>"
    "<footer>Legal notice</footer></html>"
)
FIELDS = ["page", "index", "src", "url", "method", "kind", "confidence", "text"]


def call(*arguments: str, cwd: Path, stdin: str = "") -> CompletedProcess[str]:
    """Run a command as `run` does, without a new process; what it does not catch comes through."""
    with chdir(cwd):
        done = CliRunner().invoke(app, arguments, input=stdin, catch_exceptions=False)
    return CompletedProcess(arguments, done.exit_code, done.stdout, done.stderr)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pages")
    (path / "a.html").write_text(PAGE)
    (path / "b.html.gz").write_bytes(gzip.compress(PAGE.encode()))
    (path / "binary.html").write_bytes(bytes(3000))
    (path / "empty.html").write_bytes(b"")
    (path / "damaged.html.gz").write_bytes(gzip.compress(PAGE.encode())[:-20])
    (path / "plain.html").write_text("no image here")
    return path


def test_every_image_is_an_object(folder: Path) -> None:
    done = run("context", "a.html", "b.html.gz", "--json", cwd=folder)
    rows = objects(done)
    assert [list(row) for row in rows] == [FIELDS] * 4
    assert [(row["page"], row["index"], row["src"]) for row in rows] == [
        ("a.html", 0, "tower.jpg"),
        ("a.html", 1, "dot.gif"),
        ("b.html.gz", 0, "tower.jpg"),
        ("b.html.gz", 1, "dot.gif"),
    ]
    assert [row["kind"] for row in rows[:2]] == ["figure", "decoration"]
    assert {row["method"] for row in rows} == {"best"}
    assert "tower of brick." in str(rows[0]["text"])
    assert rows[1]["text"] == ""
    assert float(str(rows[0]["confidence"])) > float(str(rows[1]["confidence"]))
    assert "error" not in done.stderr


def test_standard_input(folder: Path) -> None:
    rows = objects(call("context", "-", "--json", stdin=PAGE, cwd=folder))
    assert [row["page"] for row in rows] == ["-", "-"]
    (row,) = objects(call("text", "-", "--json", stdin=PAGE, cwd=folder))
    assert row["page"] == "-"


def test_all_methods_and_why(folder: Path) -> None:
    rows = objects(call("context", "a.html", "--method", "all", "--json", cwd=folder))
    assert [list(row) for row in rows] == [[*FIELDS, "texts"]] * 2
    texts = rows[0]["texts"]
    assert isinstance(texts, dict)
    assert list(texts) == list(METHODS)
    assert texts["best"] == rows[0]["text"]
    explained = objects(call("context", "a.html", "--explain", "--json", cwd=folder))
    assert list(explained[0])[: len(FIELDS) + 1] == [*FIELDS, "why"]
    assert "caption" in str(explained[0]["why"])


def test_one_method(folder: Path) -> None:
    rows = objects(call("context", "a.html", "--method", "window", "--json", cwd=folder))
    assert {(row["method"], row["kind"]) for row in rows} == {("window", "")}


def test_an_unknown_method_is_wrong_usage(folder: Path) -> None:
    done = call("context", "a.html", "--method", "magic", cwd=folder)
    assert done.returncode == 2
    assert "magic" in done.stderr
    assert "paragraph" in done.stderr
    assert call("context", cwd=folder).returncode == 2


@pytest.mark.parametrize("command", ["context", "text"])
def test_a_page_that_cannot_be_read_stops_nothing(folder: Path, command: str) -> None:
    bad = ["binary.html", "missing.html", "damaged.html.gz", "empty.html", "."]
    done = call(command, *bad, "a.html", "--json", cwd=folder)
    assert {row["page"] for row in objects(done)} == {"a.html"}
    for name in bad:
        assert sum(f"cannot read {name}: " in line for line in done.stderr.splitlines()) == 1
    alone = call(command, *bad, "--json", cwd=folder)
    assert alone.returncode == 1
    assert alone.stdout == ""
    assert "Traceback" not in done.stderr + alone.stderr


def test_a_page_without_images_is_no_failure(folder: Path) -> None:
    assert objects(call("context", "plain.html", "--json", cwd=folder)) == []


def test_text_and_main_text(folder: Path) -> None:
    (row,) = objects(call("text", "a.html", "--json", cwd=folder))
    assert list(row) == ["page", "title", "language", "text"]
    assert (row["page"], row["language"]) == ("a.html", "en")
    assert str(row["title"]).startswith("Towers")
    assert "About us" in str(row["text"])
    assert "Legal notice" in str(row["text"])
    (main,) = objects(call("text", "a.html", "--main", "--json", cwd=folder))
    assert "stones came" in str(main["text"])
    assert "keeper" in str(main["text"])
    assert "About us" not in str(main["text"])
    assert "Legal notice" not in str(main["text"])


def test_what_people_see(folder: Path) -> None:
    """Nothing on a page steers the terminal; several pages are told apart."""
    for arguments in (
        ["context", "a.html", "b.html.gz", "--explain"],
        ["context", "a.html", "--method", "all"],
        ["text", "a.html", "b.html.gz"],
    ):
        done = call(*arguments, cwd=folder)
        assert done.returncode == 0
        assert "tower of brick." in done.stdout
        assert not any(char < " " and char != "\n" for char in done.stdout)
    assert "== a.html" in done.stdout
    assert "== b.html.gz" in done.stdout


def test_json_is_json_whatever_the_page_holds(folder: Path) -> None:
    (folder / "odd.html").write_bytes(
        b"<!doctype html><p><img src='\xff\xfe\x00\x1b'>\x00\x07\xed\xa0\x80 &#55357;</p>"
        + b"x " * 99
    )
    rows = objects(call("context", "odd.html", "--json", cwd=folder))
    assert len(rows) == 1
    for line in call("text", "odd.html", "--json", cwd=folder).stdout.splitlines():
        json.loads(line)


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_json_is_unicode_whatever_files_are_called(tmp_path: Path, encoding: str) -> None:
    name = os.fsdecode(b"w\xe4.html")
    (tmp_path / name).write_text(PAGE.replace("Legal", "🗼 Legal"), encoding="utf-8")
    for command in ("text", "context"):
        done = run(
            command, name, "--json", cwd=tmp_path, environment={"PYTHONIOENCODING": encoding}
        )
        rows = objects(done)
        assert rows[0]["page"] == "w\ufffd.html"
        assert done.stdout.isascii() == (encoding == "ascii")
    assert run("text", name, "gone.html", cwd=tmp_path).stdout.startswith("== w\ufffd.html\n")


def test_a_damaged_standard_input_does_not_stop_the_others(folder: Path) -> None:
    done = run("text", "plain.html", "-", "a.html", "--json", stdin="BZh no bzip2", cwd=folder)
    assert [row["page"] for row in objects(done)] == ["plain.html", "a.html"]
    assert "cannot read -" in done.stderr


def test_many_pages_on_all_cores_come_in_order(folder: Path) -> None:
    many = folder / "many"
    many.mkdir()
    for number in range(150):
        (many / f"{number:03}.html").write_text(f"<title>{number}</title><p>Page {number}</p>")
    (many / "077.html").write_bytes(bytes(100))
    names = sorted(path.name for path in many.iterdir())
    done = run("text", *names, "--json", cwd=many)
    assert [row["page"] for row in objects(done)] == [n for n in names if n != "077.html"]
    assert "cannot read 077.html: binary" in done.stderr


def test_a_progress_bar_does_not_swallow_results(tmp_path: Path) -> None:
    """Stderr is a terminal, stdout a file: as in `blickfang text … > out`."""
    page = tmp_path / "a.html"
    page.write_text("<p>One line", encoding="utf-8")
    master, slave = os.openpty()
    command = [sys.executable, "-m", "blickfang", "text", str(page), "--json"]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=slave, check=False)
    finally:
        os.close(slave)
        os.close(master)
    assert json.loads(done.stdout)["text"] == "One line"


def test_json_does_not_steer_terminals(tmp_path: Path) -> None:
    page = tmp_path / "a.html"
    page.write_text("<p>a\x9b31m\u2028b\u202ec", encoding="utf-8")
    done = CliRunner().invoke(app, ["text", str(page), "--json"])
    assert not set(done.stdout) & set("\x9b\u2028\u202e")
    assert len(done.stdout.splitlines()) == 1


CARDS = (
    "<!doctype html><link rel=stylesheet href=moved.css><div><img src=t.png width=90 height=90>"
    "</div><p class=far>Words beside it in the source, but far away for whoever looks.</p>"
    "<p class=near>Words that the style sheet puts beside it.</p>"
)
SHEET = b"p,div{position:absolute;margin:0;top:0;left:0}.far{top:5000px}.near{top:100px}"


def write_site(folder: Path) -> Path:
    answers = (
        page("http://a.test/", CARDS),
        Answer("http://a.test/s.css", SHEET, kind="text/css"),
        Answer("http://a.test/moved.css", status="302 Found", headers=(("Location", "s.css"),)),
    )
    write_archive(folder / "site.warc.gz", answers)
    return folder


def test_an_address_is_read_from_an_archive(tmp_path: Path) -> None:
    write_site(tmp_path)
    names = ("http://a.test/", "http://a.test/not-there")
    done = call("context", *names, "--archive", "site.warc.gz", "--json", cwd=tmp_path)
    (row,) = map(json.loads, done.stdout.splitlines())
    assert (row["page"], row["src"]) == (names[0], "t.png")
    assert done.stderr.count("not in the archive") == 1
    assert done.returncode == 0
    alone = call("context", names[1], "--archive", "site.warc.gz", cwd=tmp_path)
    assert alone.returncode == 1
    assert "name it as --archive" in call("context", names[0], cwd=tmp_path).stderr
    nothing = call("context", names[0], "--archive", "none.warc.gz", cwd=tmp_path)
    assert nothing.returncode == 1
    assert "none.warc.gz names no archive" in nothing.stderr


def test_pages_of_archives_are_read_as_their_hosts_sent_them(tmp_path: Path) -> None:
    turkish = "<title>Işık kulesi</title><p>Işık kulesi ağaç".encode("iso-8859-9")
    answers = (
        Answer("http://a.test/tr", turkish, kind="text/html; charset=iso-8859-9"),
        Answer("http://a.test/old", status="301 Moved", headers=(("Location", "/tr"),)),
        Answer("http://a.test/gone", b"<p>Nothing here.", status="404 Not Found"),
    )
    write_archive(tmp_path / "site.warc.gz", answers)
    names = [f"http://a.test/{name}" for name in ("old", "gone")]
    done = call("text", *names, "--archive", "site.warc.gz", cwd=tmp_path)
    assert "Işık kulesi ağaç" in done.stdout
    assert "Nothing here" not in done.stdout
    assert "status 404" in done.stderr


def test_a_browser_measures_with_the_style_sheets_of_an_archive(tmp_path: Path) -> None:
    need_browser()
    write_site(tmp_path)
    asked = ("context", "http://a.test/", "--archive", ".", "--method", "layout", "--json")
    rows = [
        json.loads(call(*asked, *more, cwd=tmp_path).stdout)["text"]
        for more in ((), ("--browser",))
    ]
    assert rows[0].startswith("Words beside it in the source")
    assert rows[1].startswith("Words that the style sheet")


def test_a_browser_finds_what_lies_beside_a_saved_page(tmp_path: Path) -> None:
    need_browser()
    saved = tmp_path / "saved pages"
    (saved / "Tower_files").mkdir(parents=True)
    (saved / "Tower_files" / "s.css").write_text("div{position:absolute;top:0}")
    (tmp_path / "far.css").write_text(".far{top:2000px}")
    (saved / "Tower.html").write_text(
        "<title>Tower</title><link rel=stylesheet href=Tower_files/s.css>"
        "<link rel=stylesheet href=../far.css><img src=no.jpg width=200 height=200>"
        "<div class=far>Words beside it in the source, on nothing in particular.</div>"
        "<div>Words that the style sheets put beside it, about the old tower of brick.</div>"
    )
    asked = ("context", "saved pages/../saved pages/Tower.html", "--method", "layout", "--json")
    texts = [
        json.loads(call(*asked, *more, cwd=tmp_path).stdout)["text"]
        for more in ((), ("--browser",))
    ]
    assert texts[0].startswith("Words beside it in the source")
    assert texts[1].startswith("Words that the style sheets")


def test_the_address_of_a_lazy_image_is_told(tmp_path: Path) -> None:
    (tmp_path / "lazy.html").write_text(
        "<title>Tower</title><link rel=canonical href=http://a.test/p/><p>The old tower of brick."
        "<img src='data:image/gif;base64,R0lGODlhAQABAAAAACw=' data-src=tower.jpg width=300>"
    )
    (row,) = map(
        json.loads, call("context", "lazy.html", "--json", cwd=tmp_path).stdout.splitlines()
    )
    assert row["src"].startswith("data:")
    assert row["url"] == "http://a.test/p/tower.jpg"
    said = call("context", "lazy.html", cwd=tmp_path).stdout
    assert "http://a.test/p/tower.jpg" in said
    assert "data:" not in said


def test_an_image_without_sections_says_so(tmp_path: Path) -> None:
    (tmp_path / "bare.html").write_text("<img src=a.jpg width=300 height=200>")
    done = call("context", "bare.html", "--method", "layout", "--explain", cwd=tmp_path)
    assert "no section of text is near it" in done.stdout


def test_a_browser_is_for_methods_that_look_at_boxes(folder: Path) -> None:
    done = call("context", "a.html", "--browser", cwd=folder)
    assert done.returncode == 2
    assert "layout" in done.stderr


FRAMES = {
    "top.html": "<h1>The museum in the old church</h1>",
    "in/main.html": "<p><img src=nave.jpg width=640 height=480><p>Seen in 2001<table><td>no end",
    "menu.html": "<ul><li><a href=a.html>Home</a></ul>",
    "inner set.html": "<frameset><frame src=in/main.html><frame src='index.html'></frameset>",
    "index.html": "<title>A museum</title>\n<frameset><frame src='./menu.html#x'><frameset>"
    "<frame src=top.html?y><frame src='inner%20set.html'></frameset><frame src=gone.html>"
    "<frame src=../outside.html><frame src=/etc/hostname><frame src='file:///etc/hostname'>"
    "<frame src='%00'><frame><noframes><p>Your browser has no frames</noframes></frameset>",
}


def test_a_frameset_is_read_with_its_frames(tmp_path: Path) -> None:
    for name, html in FRAMES.items():
        (tmp_path / "site" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "site" / name).write_text(html)
    (tmp_path / "outside.html").write_text("outside")
    done = call("text", "site/index.html", "--json", cwd=tmp_path)
    (row,) = objects(done)
    assert row["title"] == "A museum"
    assert row["text"] == "Home\nThe museum in the old church\nSeen in 2001\nno end"
    told = "a frameset, read with its frames (3); 5 not at hand: gone.html, ../outside.html"
    assert told in " ".join(done.stderr.split())
    (image,) = objects(
        call("context", "site/index.html", "--method", "layout", "--json", cwd=tmp_path)
    )
    assert (image["index"], image["src"]) == (0, "nave.jpg")
    assert "old church" in str(image["text"])  # a heading in another frame


@pytest.mark.parametrize("command", ["text", "context"])
def test_a_frameset_without_its_frames_cannot_be_read(tmp_path: Path, command: str) -> None:
    (tmp_path / "a.html").write_text("<frameset><frame src=b.html><frame src=a.html></frameset>")
    for done in (
        call(command, "a.html", cwd=tmp_path),
        call(command, "-", stdin="<frameset><frame src=b.html></frameset>", cwd=tmp_path),
    ):
        assert (done.returncode, done.stdout) == (1, "")
        told = "a frameset, and none of its frames is at hand: b.html"
        assert told in " ".join(done.stderr.split())


def test_frames_of_a_page_in_an_archive_come_from_there(tmp_path: Path) -> None:
    write_archive(
        tmp_path / "a.warc.gz",
        [
            page("http://a.org/x/", "<frameset><frame src=../top.html><frame src=//b.org/>"),
            page("http://a.org/top.html", "<h1>Head</h1>"),
            page("http://b.org/", "<p>Of another host"),
        ],
    )
    (row,) = objects(
        call("text", "http://a.org/x/", "--archive", "a.warc.gz", "--json", cwd=tmp_path)
    )
    assert row["text"] == "Head\nOf another host"


def test_framesets_without_end_are_cut(tmp_path: Path) -> None:
    for number in range(300):
        both = f"<frame src={number + 1}.html><frame src={number + 2}.html>" * 3
        (tmp_path / f"{number}.html").write_text(f"<frameset>{both}</frameset>")
        (tmp_path / f"p{number}.html").write_text(f"<p>page {number}")
    many = "".join(f"<frame src=p{number}.html>" for number in range(300))
    (tmp_path / "many.html").write_text(f"<frameset>{many}</frameset>")
    assert call("text", "0.html", cwd=tmp_path).returncode == 1
    assert call("text", "many.html", cwd=tmp_path).stdout.count("page") == MAX_FRAMES
