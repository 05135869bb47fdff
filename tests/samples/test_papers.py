"""The pages behind the samples: where pictures stand in their text, and which stand nowhere."""

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from blickfang.cli.page_files import ReadPage, read_pages
from blickfang.config import open_collection
from blickfang.corpus import export_corpus, open_corpus
from blickfang.corpus.build import build
from blickfang.corpus.export import Exported
from blickfang.crawl import page_judge
from tests.samples.archives import Answer, draw, make_collection, page, picture, write_archive

SITE = "http://a.test"
WORDS = "<p>The keeper climbs the stairs of the tower each night and lights the lamp.</p>"
THUMB = '<a href="{0}.png"><img src="{0}-small.png" alt="The tower {0} by the sea"></a>'


def make_places(root: Path, *answers: Answer) -> dict[str, list[tuple[str, str]]]:
    """Build a corpus; return of each page its pictures, each with the text before it."""
    make_collection(root)
    write_archive(root / "a.warc.gz", answers)
    build(open_collection(root))
    return read_places(root)


def read_places(root: Path) -> dict[str, list[tuple[str, str]]]:
    corpus = open_corpus(root)
    names = {row["id"]: row["url"] for row in corpus.table(["id", "url"]).to_pylist()}
    return {
        row["url"]: [
            (names[place["id"]].rpartition("/")[2], row["main_text"][: place["offset"]])
            for place in row["images"]
        ]
        for batch in corpus.pages()
        for row in batch.to_pylist()
    }


def test_a_picture_stands_where_the_small_one_that_links_to_it_does(tmp_path: Path) -> None:
    html = f"<h1>Towers</h1>{WORDS}{THUMB.format('one')}{WORDS}{THUMB.format('two')}{WORDS}"
    html += THUMB.format("one")  # and once more: each stands once
    places = make_places(
        tmp_path,
        page(f"{SITE}/", html),
        picture(f"{SITE}/one.png", draw(1)),
        picture(f"{SITE}/two.png", draw(2)),
    )
    shown = places[f"{SITE}/"]
    assert {name for name, _ in shown} == {"one.png", "two.png"}
    assert len(shown) == 2
    assert {name: text.count("climbs") for name, text in shown} == {"one.png": 1, "two.png": 2}


def test_its_own_place_counts_before_that_of_a_small_one(tmp_path: Path) -> None:
    html = f'{THUMB.format("one")}{WORDS}<img src=copy.png alt="The tower in large">{WORDS}'
    places = make_places(
        tmp_path,
        page(f"{SITE}/", html),
        picture(f"{SITE}/one.png", draw(1)),
        picture(f"{SITE}/copy.png", draw(1)),
    )
    ((_, before),) = places[f"{SITE}/"]
    assert before.count("climbs") == 1


def test_a_picture_in_two_frames_stands_once(tmp_path: Path) -> None:
    shown = f"{WORDS}<img src=/t.png alt='A tower by the sea'>"
    places = make_places(
        tmp_path,
        page(f"{SITE}/", "<frameset><frame src=/one><frame src=/two></frameset>"),
        page(f"{SITE}/one", shown),
        page(f"{SITE}/two", shown.replace("keeper", "painter of the harbour")),
        picture(f"{SITE}/t.png", draw(1)),
    )
    assert {url: len(found) for url, found in places.items()} == {f"{SITE}/": 1}


OUTER = (
    "<title>The tower club</title><frameset cols='20%,*'><frame src=nav.html><frame src=main>"
    "</frameset><noframes>Your browser shows no frames.</noframes>"
)
NAV = "<p><img src=logo.png alt='The club in 1920 by the sea'>The home of the club"
MAIN = "<html lang=en><title>All towers</title><h1>Our towers</h1>" + "".join(
    f"{WORDS}<figure><img src=/{name}.png alt='Tower {name}'>"
    f"<figcaption>The tower {name} by the sea</figcaption></figure>"
    for name in ("one", "two")
)
NAMES = ("logo", "one", "two")


def write_club(root: Path, *changed: Answer, more: str = "") -> None:
    """Write the archive of a site in frames; one frame is behind a redirect."""
    make_collection(root, more)
    answers = {
        each.url: each
        for each in (
            page(f"{SITE}/", OUTER),
            page(f"{SITE}/nav.html", NAV),
            Answer(f"{SITE}/main", status="301 Moved", headers=(("Location", "/main/"),)),
            page(f"{SITE}/main/", MAIN),
            *(picture(f"{SITE}/{name}.png", draw(n)) for n, name in enumerate(NAMES)),
            *changed,
        )
    }
    write_archive(root / "a.warc.gz", answers.values())
    build(open_collection(root))


def list_pages(root: Path) -> list[dict[str, Any]]:
    return [row for batch in open_corpus(root).pages() for row in batch.to_pylist()]


def test_a_site_in_frames_is_built_as_it_is_read(tmp_path: Path) -> None:
    write_club(tmp_path)
    samples = {row["url"]: row for row in open_corpus(tmp_path).table().to_pylist()}
    assert set(samples) == {f"{SITE}/{name}.png" for name in NAMES}
    for row in samples.values():
        (mention,) = row["mentions"]
        for said in (row, mention):
            assert (said["page_url"], said["page_title"]) == (f"{SITE}/", "The tower club")
    told = samples[f"{SITE}/two.png"]["mentions"][0]
    assert (told["caption"], told["section_title"]) == ("The tower two by the sea", "Our towers")

    asked = [f"{SITE}/"], ("best",)
    (shown,) = read_pages(*asked, archives=[str(tmp_path / "a.warc.gz")])
    assert isinstance(shown, ReadPage)
    contexts = {image.url: image.contexts["best"].text for image in shown.images}
    assert contexts == {url: row["mentions"][0]["context"] for url, row in samples.items()}
    (whole,) = list_pages(tmp_path)
    assert (whole["url"], whole["title"], whole["language"]) == (f"{SITE}/", shown.title, "en")
    assert whole["text"] == shown.text
    assert "no frames" not in whole["text"]
    ((_, logo), (_, one), (_, two)) = read_places(tmp_path)[f"{SITE}/"]
    assert [each.count("climbs") for each in (logo, one, two)] == [0, 1, 2]


def test_frames_in_one_language_keep_the_page_around_them(tmp_path: Path) -> None:
    write_club(tmp_path, more='languages = ["en"]')
    (whole,) = list_pages(tmp_path)
    assert (whole["url"], whole["language"]) == (f"{SITE}/", "en")
    assert whole["warc_offset"] == 0


def test_frames_of_a_page_that_may_not_be_kept_stand_for_themselves(tmp_path: Path) -> None:
    hidden = page(f"{SITE}/", f"<meta name=robots content=noindex>{OUTER}")
    write_club(tmp_path, hidden)
    rows = open_corpus(tmp_path).table().to_pylist()
    places = {row["url"]: (row["page_url"], row["page_title"]) for row in rows}
    assert places[f"{SITE}/one.png"] == (f"{SITE}/main/", "All towers")
    assert {row["url"] for row in list_pages(tmp_path)} == {f"{SITE}/main/", f"{SITE}/nav.html"}


def test_a_frame_that_leads_to_another_site_is_not_of_the_page(tmp_path: Path) -> None:
    away = Answer(f"{SITE}/main", status="301 Moved", headers=(("Location", "http://b.test/main"),))
    write_club(tmp_path, away, page("http://b.test/main", MAIN.replace("src=/", f"src={SITE}/")))
    rows = open_corpus(tmp_path).table().to_pylist()
    (row,) = (row for row in rows if row["url"] == f"{SITE}/one.png")
    assert f"{SITE}/" not in {row["page_url"], *(each["page_url"] for each in row["mentions"])}


def test_what_stands_nowhere_is_counted_and_not_claimed(tmp_path: Path) -> None:
    head = "<meta property=og:image content=/head.png><meta property=og:image:alt content=Towers>"
    html = f'{head}{WORDS}<img src=shown.png alt="A tower by the sea">{WORDS}'
    html += "<p>There is <a href=linked.png>a view of the harbour</a> from here.</p>"
    make_places(
        tmp_path,
        page(f"{SITE}/", html),
        *(picture(f"{SITE}/{name}.png", draw(n)) for n, name in enumerate(("shown", "linked"))),
    )
    out = tmp_path / "out"
    assert export_corpus(open_corpus(tmp_path), "interleaved", out) == Exported(1, 0, 0, 1)
    (path,) = (out / "data").iterdir()
    ids = [name for row in pq.read_table(path)["ids"].to_pylist() for name in row if name]
    assert len(ids) == 1
    assert (
        "1 samples have a place in the text of a page; 1 without" in (out / "README.md").read_text()
    )


def test_parts_of_a_reader_before_are_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = [page(f"{SITE}/", WORDS + THUMB.format("one")), picture(f"{SITE}/one.png", draw(1))]
    monkeypatch.setattr(page_judge, "READER", page_judge.READER - 1)
    make_places(tmp_path, *answers)
    before = {path.name for path in (tmp_path / "build").iterdir()}
    monkeypatch.undo()
    build(open_collection(tmp_path))
    assert before.isdisjoint(path.name for path in (tmp_path / "build").iterdir())
