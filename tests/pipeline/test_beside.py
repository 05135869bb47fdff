"""Files beside a saved page: found as a browser finds them, and what no page gets."""

from pathlib import Path

import pytest

from blickfang.cli.page_files import ReadPage, read_pages
from blickfang.html import saved_page
from blickfang.html.saved_page import find_page, find_shown, name_file
from blickfang.io.urls import resolve


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Return a folder with a saved page, and around it what is not for it."""
    folder = tmp_path / "saved pages" / "site"
    (folder / "in" / "deep").mkdir(parents=True)
    for name in ("index.html", "menu.html", "in/main.html", "in/deep/x.html", "a b.html", "ä.html"):
        (folder / name).write_text(f"<p>{name}")
    for name in ("100%.html", "q?y.html", "#1.html", "b.css", "c.PNG", "d.woff2", "e.js", "passwd"):
        (folder / name).write_text(name)
    (folder.parent / "site2").mkdir()
    for name in ("outside.html", "far.css", "far.html", "site2/a.html", "shadow"):
        (folder.parent / name).write_text(f"<p>{name}")
    return folder


def name_found(site: Path, reference: str, of: str = "index.html") -> str | None:
    """Return the name, in the folder of the page, of what a frame shows."""
    path = find_page(site, str(site / of), reference)
    return None if path is None else str(path.relative_to(site.resolve()))


@pytest.mark.parametrize(
    ("reference", "name"),
    [
        ("menu.html", "menu.html"),
        (" ./menu.html#x ", "menu.html"),
        ("menu.html?y=1/../z", "menu.html"),
        ("in/main.html", "in/main.html"),
        ("in\\main.html", "in/main.html"),  # as Windows writes it, and browsers read it
        ("in/../menu.html", "menu.html"),
        ("in/%2e%2e/menu.html", "menu.html"),
        ("../site/menu.html", "menu.html"),
        ("a b.html", "a b.html"),
        ("a%20b.html", "a b.html"),
        ("%C3%A4.html", "ä.html"),
        ("ä.html", "ä.html"),
        ("100%25.html", "100%.html"),
        ("q%3Fy.html", "q?y.html"),  # as wget names what has a query
        ("%231.html", "#1.html"),
        ("me\nnu.html", "menu.html"),
    ],
)
def test_frames_are_found_as_a_browser_finds_them(site: Path, reference: str, name: str) -> None:
    assert name_found(site, reference) == name


@pytest.mark.parametrize(
    "reference",
    [
        "../outside.html",
        "..\\outside.html",
        "%2e%2e/outside.html",
        "..%2foutside.html",
        "..%5coutside.html",
        "in/..%2F..%2Foutside.html",
        "in%2fmain.html",  # an escaped slash is none
        "../site2/a.html",  # a folder whose name begins alike
        "....//outside.html",
        "%252e%252e/outside.html",
        "/etc/hostname",
        "\\etc\\hostname",
        "//localhost/etc/hostname",
        "\\\\localhost\\etc\\hostname",
        "file:///etc/hostname",
        "FILE:/etc/hostname",
        "file:menu.html",
        "C:\\menu.html",
        "C:/menu.html",
        "http://elsewhere.test/menu.html",
        "https://page.invalid/menu.html",
        "http://page.invalid.elsewhere.test/menu.html",
        "data:text/html,x",
        "javascript:1",
        "menu.html/",
        "menu.html%00",
        "%00",
        ".",
        "in",
        "gone.html",
        "x" * 5000 + ".html",
    ],
)
def test_frames_show_nothing_else(site: Path, reference: str) -> None:
    assert name_found(site, reference) is None
    assert find_page(site, "-", reference) is None


def test_frames_within_frames_may_lie_anywhere_in_the_folder_of_the_outermost(site: Path) -> None:
    assert name_found(site, "../../menu.html", "in/deep/x.html") == "menu.html"
    assert name_found(site, "../../../outside.html", "in/deep/x.html") is None
    (site / "in" / "set.html").write_text("<frameset><frame src=../menu.html></frameset>")
    (site / "all.html").write_text(
        "<frameset><frame src=in/set.html><frame src=../outside.html></frameset>"
    )
    (page,) = read_pages([str(site / "all.html")], ())
    assert isinstance(page, ReadPage)
    assert page.text == "menu.html"
    assert page.notes == ("a frameset, read with its frames (1); 1 not at hand: ../outside.html",)


def test_links_count_by_where_they_lead(site: Path) -> None:
    (site / "in.html").symlink_to("in/main.html")
    (site / "out.html").symlink_to("../outside.html")
    (site / "up").symlink_to("..")
    (site / "loop.html").symlink_to("loop.html")
    assert name_found(site, "in.html") == "in/main.html"
    for name in ("out.html", "up/outside.html", "loop.html"):
        assert name_found(site, name) is None
    assert name_found(site, "up/site/menu.html") == "menu.html"
    around = site.parent / "link"
    around.symlink_to(site)  # the folder itself may be one
    path = find_page(around, str(around / "index.html"), "menu.html")
    assert path == (site / "menu.html").resolve()


def name_shown(site: Path, *references: str) -> list[str]:
    """Return which of some references a browser gets files for."""
    home = name_file(str(site / "index.html"))
    return [each for each in references if (url := resolve(home, each)) and find_shown(url)]


def test_a_page_is_shown_with_styles_pictures_and_fonts_alone(site: Path) -> None:
    (site / "folder.css").mkdir()
    good = ("b.css", "b.css?v=2", "c.PNG", "d.woff2", "../far.css", "..\\far.css")
    assert name_shown(site, *good) == [*good]
    bad = ("e.js", "passwd", "index.html", "../outside.html", "folder.css", "none.css")
    escaped = ("..%2ffar.css", "%00.css", "b.css%00", "//elsewhere.test/b.css", "file:b.css")
    assert name_shown(site, *bad, *escaped) == []


def test_a_link_hides_no_other_kind_of_file(site: Path) -> None:
    (site / "g.css").symlink_to("../shadow")
    (site / "h.css").symlink_to("b.css")
    (site / "loop.css").symlink_to("loop.css")
    assert name_shown(site, "g.css", "h.css", "loop.css") == ["h.css"]


def test_what_is_too_large_is_not_shown(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved_page, "MOST_BYTES", 4)
    assert name_shown(site, "b.css") == []


def test_nothing_lies_beside_standard_input(site: Path) -> None:
    path = str((site / "b.css").resolve())
    home = name_file("-")
    assert find_shown(name_file(path)) is not None
    for reference in (path, path.lstrip("/"), "b.css", "%00.css"):
        assert find_shown(resolve(home, reference) or "") is None
