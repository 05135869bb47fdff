"""From archives to a corpus: what is joined, merged, dropped, and that nothing is lost."""

import gzip
import hashlib
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from blickfang import compute
from blickfang.compute import worker_progress
from blickfang.config import open_collection
from blickfang.corpus import build as building
from blickfang.corpus import export_corpus, open_corpus
from blickfang.corpus.archives import archive_parts
from blickfang.corpus.build import Built, build
from blickfang.corpus.search import search_corpus
from blickfang.errors import InputError, SettingsError
from tests.samples.archives import Answer, draw, make_collection, page, picture, write_archive

SITE = "http://a.test"
FIGURE = (
    "<html lang=en><title>{title}</title><h1>Towers</h1><p>Some words before it.</p><figure>"
    '<img src="{src}" alt="{alt}"><figcaption>{caption}</figcaption></figure><p>And behind it.</p>'
)


def figure(src: str, caption: str = "A tower by the sea", alt: str = "tower") -> str:
    return FIGURE.format(title="All towers", src=src, alt=alt, caption=caption)


def make(root: Path, *answers: Answer, more: str = "", purpose: str = "research") -> Built:
    make_collection(root, more, purpose)
    write_archive(root / "a.warc.gz", answers)
    return build(open_collection(root))


def rows(built: Built) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = open_corpus(built.folder).table().to_pylist()
    return found


def dropped(built: Built) -> dict[str, str]:
    corpus = open_corpus(built.folder)
    return {row["url"]: row["reason"] for batch in corpus.rejected() for row in batch.to_pylist()}


def test_a_page_and_its_picture_become_a_sample(tmp_path: Path) -> None:
    data = draw(1)
    built = make(tmp_path, page(f"{SITE}/", figure("t.png")), picture(f"{SITE}/t.png", data))
    (row,) = rows(built)
    assert row["sha256"] == hashlib.sha256(data).hexdigest()
    assert open_corpus(tmp_path).image(row["id"]) == data
    assert (row["url"], row["page_url"]) == (f"{SITE}/t.png", f"{SITE}/")
    assert (row["width"], row["height"], row["format"]) == (120, 90, "png")
    assert row["caption"] == row["caption_reference_description"] == "A tower by the sea"
    assert row["caption_alt_text_description"] == "tower"
    assert (row["page_title"], row["section_title"]) == ("All towers", "Towers")
    assert row["context_kind"] == "figure"
    assert row["warc_file"] == "a.warc.gz"
    assert [text["name"] for text in row["texts"]][:4] == ["alt", "title", "url", "parent-0"]
    assert len(row["mentions"]) == 1
    pages = [each for batch in open_corpus(tmp_path).pages() for each in batch.to_pylist()]
    assert [one["url"] for one in pages] == [f"{SITE}/"]
    assert [image["id"] for image in pages[0]["images"]] == [row["id"]]


def test_the_caption_is_what_describes_it_best(tmp_path: Path) -> None:
    told = "Keepers lived here for two hundred years and wrote down every storm they saw. " * 4
    text = "<h1>Towers</h1><p>" + told + "</p><img src={0}.png alt='{1}'><h2>History</h2><p>" + told
    built = make(
        tmp_path,
        page(f"{SITE}/1", text.format("a", "A white tower at dusk")),
        page(f"{SITE}/2", text.format("b", "IMG_2034")),
        picture(f"{SITE}/a.png", draw(1)),
        picture(f"{SITE}/b.png", draw(2)),
    )
    captions = {row["url"][-5]: row["caption"] for row in rows(built)}
    assert captions["a"] == "A white tower at dusk"
    assert captions["b"] not in ("", "IMG_2034")


def test_copies_are_one_sample_and_no_text_is_lost(tmp_path: Path) -> None:
    large, small = draw(1, 480, 360), draw(1, 240, 180)
    built = make(
        tmp_path,
        page(f"{SITE}/1", figure("/small.png", "The small one")),
        page(f"{SITE}/2", figure("/large.png", "The large one")),
        page(f"{SITE}/3", figure("http://b.test/again.png", "The same again")),
        page(f"{SITE}/4", figure("/other.png", "Another tower")),
        picture(f"{SITE}/small.png", small),
        picture(f"{SITE}/large.png", large),
        picture("http://b.test/again.png", large),
        picture(f"{SITE}/other.png", draw(2)),
    )
    found = {row["sha256"]: row for row in rows(built)}
    assert len(found) == 2
    row = found[hashlib.sha256(large).hexdigest()]
    captions = {mention["caption"] for mention in row["mentions"]}
    assert captions == {"The small one", "The large one", "The same again"}
    copies = {(copy["url"], copy["width"]) for copy in row["copies"]}
    kept = {(row["url"], 480)}
    assert copies | kept == {
        (f"{SITE}/small.png", 240),
        (f"{SITE}/large.png", 480),
        ("http://b.test/again.png", 480),
    }
    assert sorted(dropped(built).values()) == ["same picture", "same picture"]


def test_a_corpus_is_the_same_whoever_joins_its_buckets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = [
        *(page(f"{SITE}/{n}", figure(f"/{n % 20}.png", f"Tower {n}")) for n in range(40)),
        page(f"{SITE}/no", figure("/not-there.png")),
        page("http://b.test/", figure(f"{SITE}/1.png", "From afar")),
        *(picture(f"{SITE}/{n}.png", draw(n)) for n in range(18)),
        picture(f"{SITE}/18.png", b"broken"),
        Answer(f"{SITE}/19.png", status="302 Found", headers=(("Location", "/3.png"),)),
    ]
    here = make(tmp_path / "a", *answers)
    joined = []

    def ship(task: Any, bundles: Any, where: compute.EngineOptions) -> Iterator[Any]:
        for done in compute.group(task, bundles, where):
            joined.append(done)
            yield done

    monkeypatch.setattr(building, "group", ship)
    monkeypatch.setattr(building, "LOCAL", "here")  # so that all is elsewhere
    there = make(tmp_path / "b", *answers)
    assert len(joined) > 5
    assert rows(there) == rows(here)
    assert dropped(there) == dropped(here)
    assert there.funnel == here.funnel


def test_redirects_and_references_lead_to_the_picture(tmp_path: Path) -> None:
    data = draw(1)
    moved = Answer(f"{SITE}/old.png", status="302 Found", headers=(("Location", "/new.png"),))
    again = Answer(
        f"{SITE}/again.png", kind="image/png", record="revisit", original=f"{SITE}/new.png"
    )
    built = make(
        tmp_path,
        page(f"{SITE}/", figure("/old.png", "One") + figure("/again.png", "Two")),
        moved,
        again,
        picture(f"{SITE}/new.png", data),
    )
    (row,) = rows(built)
    assert {mention["caption"] for mention in row["mentions"]} == {"One", "Two"}


def test_of_two_captures_the_younger_counts(tmp_path: Path) -> None:
    make_collection(tmp_path)
    old, young = "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"
    write_archive(
        tmp_path / "a.warc.gz",
        [
            page(f"{SITE}/", figure("t.png", "As it is now"), young),
            picture(f"{SITE}/t.png", draw(2), young),
        ],
    )
    write_archive(
        tmp_path / "b.warc.gz",
        [
            page(f"{SITE}/", figure("t.png", "As it was"), old),
            picture(f"{SITE}/t.png", draw(1), old),
        ],
    )
    (row,) = rows(build(open_collection(tmp_path)))
    assert row["caption"] == "As it is now"
    assert row["sha256"] == hashlib.sha256(draw(2)).hexdigest()
    assert len(row["mentions"]) == 1


def test_a_page_that_repeats_another_adds_no_mention(tmp_path: Path) -> None:
    told = " ".join(f"The {n}th keeper of the tower wrote {n * n} letters home." for n in range(30))
    html = figure("/t.png", "The tower") + f"<p>{told}</p>"
    built = make(
        tmp_path,
        page(f"{SITE}/1", html),
        page(
            f"{SITE}/print/1",
            html.replace("Some words", "Many words") + "<img src=/only.png alt=x>",
        ),
        picture(f"{SITE}/t.png", draw(1)),
        picture(f"{SITE}/only.png", draw(2)),
    )
    mentions = {row["url"]: row["mentions"] for row in rows(built)}
    assert len(mentions[f"{SITE}/t.png"]) == 1
    assert len(mentions[f"{SITE}/only.png"]) == 1  # what only the copy shows is not lost
    other = html.replace("The tower", "What only the copy says")
    both = [page(f"{SITE}/1", html), page(f"{SITE}/2", other), picture(f"{SITE}/t.png", draw(1))]
    (row,) = rows(make(tmp_path / "more", *both))
    assert {mention["caption"] for mention in row["mentions"]} == {
        "The tower",
        "What only the copy says",
    }


def test_frames_are_part_of_the_page_around_them(tmp_path: Path) -> None:
    outer = "<title>The tower club</title><frameset><frame src=/menu><frame src=/main></frameset>"
    inner = figure("t.png").replace("<title>All towers</title>", "")
    built = make(
        tmp_path,
        page(f"{SITE}/", outer),
        page(f"{SITE}/main", inner),
        page(f"{SITE}/menu", "<a href=/>Home</a>"),
        picture(f"{SITE}/t.png", draw(1)),
    )
    (row,) = rows(built)
    assert (row["page_url"], row["page_title"]) == (f"{SITE}/", "The tower club")
    pages = [each for batch in open_corpus(tmp_path).pages() for each in batch.to_pylist()]
    assert [one["url"] for one in pages] == [f"{SITE}/"]
    assert "And behind it." in pages[0]["text"]


def test_every_address_is_counted_and_every_drop_has_a_reason(tmp_path: Path) -> None:
    html = "".join(
        figure(name, f"Caption of {name}")
        for name in ("good.png", "missing.png", "tiny.png", "broken.png", "shy.png")
    )
    built = make(
        tmp_path,
        page(f"{SITE}/", html + "<img src=silent.png>"),
        picture(f"{SITE}/good.png", draw(1)),
        picture(f"{SITE}/tiny.png", draw(2, 20, 20)),
        picture(f"{SITE}/broken.png", b"<html>not found</html>"),
        picture(f"{SITE}/shy.png", draw(3), X_Robots_Tag="noindex"),
        picture(f"{SITE}/silent.png", draw(4)),
        more="alt_or_title = true",
    )
    reasons = dropped(built)
    assert reasons[f"{SITE}/missing.png"] == "not in the archive"
    assert reasons[f"{SITE}/tiny.png"] == "too small (min_width = 50, min_height = 50)"
    assert "noindex" in reasons[f"{SITE}/shy.png"]
    assert reasons[f"{SITE}/silent.png"] == "no alt text and no title (alt_or_title = true)"
    assert f"{SITE}/broken.png" in reasons
    assert [row["url"] for row in rows(built)] == [f"{SITE}/good.png"]
    steps = {step.name: step for step in built.funnel}
    assert [step.left for step in built.funnel] == [6, 5, 4, 3, 2, 1, 1, 1, 1]
    assert steps["initial"].left == 6
    assert sum(count for step in built.funnel for _, count in step.dropped) == 5


@pytest.mark.parametrize(
    ("meta", "purpose", "kept"),
    [
        ("noai", "research", 1),
        ("noai", "train", 0),
        ("noimageindex", "search", 0),
        ("nofollow", "train", 1),
    ],
)
def test_what_a_page_says_binds_its_images(
    tmp_path: Path, meta: str, purpose: str, kept: int
) -> None:
    html = f"<meta name=robots content={meta}>" + figure("t.png")
    answers = page(f"{SITE}/", html), picture(f"{SITE}/t.png", draw(1))
    assert make(tmp_path, *answers, purpose=purpose).samples == kept


@pytest.mark.parametrize(
    ("more", "kept"),
    [
        ('where = "width > 150"', {"b"}),
        ("top = 1", {"a", "b"}),
        ("min_bytes = 50000", {"b"}),
        ('formats = ["jpeg"]', set()),
        ('languages = ["de"]', set()),
    ],
)
def test_filters_of_the_user(tmp_path: Path, more: str, kept: set[str]) -> None:
    built = make(
        tmp_path,
        page(f"{SITE}/", figure("a.png", "The first tower") + figure("b.png", "The second")),
        picture(f"{SITE}/a.png", draw(1)),
        picture(f"{SITE}/b.png", draw(2, 400, 300)),
        more=more,
    )
    names = {row["url"].rpartition("/")[2][0] for row in rows(built)}
    assert names <= kept
    assert len(names) == (1 if kept else 0)
    assert len(dropped(built)) == 2 - len(names)


def digest(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_the_same_bytes_again_and_only_what_changed_is_read(tmp_path: Path) -> None:
    answers = [page(f"{SITE}/", figure("t.png")), picture(f"{SITE}/t.png", draw(1))]
    built = make(tmp_path, *answers)
    first, read = digest(built.folder), digest(tmp_path / "build")
    assert digest(build(open_collection(tmp_path)).folder) == first
    assert digest(tmp_path / "build") == read
    shutil.rmtree(tmp_path / "build")
    half = tmp_path / "build" / "something.123.new"  # of a build that was killed
    half.mkdir(parents=True)
    (half / "pages.parquet").write_bytes(b"half")
    assert digest(build(open_collection(tmp_path)).folder) == first
    assert not half.exists()
    write_archive(tmp_path / "b.warc.gz", [page(f"{SITE}/2", figure("/t.png", "More"))])
    assert len(rows(build(open_collection(tmp_path)))[0]["mentions"]) == 2
    assert read.items() <= digest(tmp_path / "build").items()


def test_the_removal_list_goes_along(tmp_path: Path) -> None:
    answers = [page(f"{SITE}/", figure("t.png")), picture(f"{SITE}/t.png", draw(1))]
    root, out = tmp_path / "towers", tmp_path / "copy"
    make(root, *answers)
    again = partial(build, open_collection(root), out=str(out))
    again()
    assert digest(out) == digest(root / "corpus")
    (root / "removals.txt").write_text("# by mail\na.test\n")
    again()
    assert (out / "removals.txt").read_text() == "# by mail\na.test\n"
    assert export_corpus(open_corpus(out), "jsonl", tmp_path / "export").removed == 1
    (root / "removals.txt").unlink()
    again()
    assert (out / "removals.txt").exists()  # what was taken down there stays so
    (root / "removals.txt").write_text("no host\n")
    with pytest.raises(InputError, match="line 1"):
        again()


def test_killed_again_and_again_a_build_ends_with_the_same_bytes(tmp_path: Path) -> None:
    def fill(root: Path) -> Path:
        root.parent.mkdir()
        make_collection(root)
        for name in "abc":
            site = f"http://{name}.test"
            seeds = range(ord(name) * 40, ord(name) * 40 + 40)
            shown = [
                page(f"{site}/{seed}", figure(f"{seed}.png", f"Tower {seed}")) for seed in seeds
            ]
            drawn = [picture(f"{site}/{seed}.png", draw(seed)) for seed in seeds]
            write_archive(root / f"{name}.warc.gz", [*shown, *drawn])
        return root

    calm, killed = fill(tmp_path / "calm" / "towers"), fill(tmp_path / "killed" / "towers")
    expected = digest(build(open_collection(calm)).folder)
    command = [sys.executable, "-m", "blickfang", "build", str(killed)]
    for wait_s in (1.5, 3.0):
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as going:
            time.sleep(wait_s)
            going.kill()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    assert digest(killed / "corpus") == expected


def test_progress_moves_within_one_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_collection(tmp_path)
    monkeypatch.setattr(worker_progress, "EVERY_S", 0.01)
    monkeypatch.setattr(archive_parts, "TOLD_EVERY", 1)
    shown = [page(f"{SITE}/{n}", figure(f"{n}.png", f"Tower {n}") * 30) for n in range(60)]
    size = write_archive(tmp_path / "a.warc.gz", shown).stat().st_size
    told: list[tuple[int, int]] = []
    build(open_collection(tmp_path), lambda done, total: told.append((done, total)))
    assert {total for _, total in told} == {size}
    assert [told[0][0], told[-1][0]] == [0, size]
    assert any(0 < done < size for done, _ in told)
    assert [done for done, _ in told] == sorted(done for done, _ in told)


def test_pictures_of_an_archive_packed_as_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive_parts, "HELD_BYTES", 1)  # so that each picture is a row group
    names = [f"{number}.png" for number in range(5)]
    answers = [page(f"{SITE}/{name}", figure(name, f"Tower {name}")) for name in names]
    answers += [picture(f"{SITE}/{name}", draw(seed)) for seed, name in enumerate(names)]
    make_collection(tmp_path)
    whole = gzip.decompress(write_archive(tmp_path / "a.warc.gz", answers).read_bytes())
    (tmp_path / "a.warc.gz").write_bytes(gzip.compress(whole))  # no access to single records
    build(open_collection(tmp_path))
    corpus = open_corpus(tmp_path)
    found = {row["url"]: corpus.image(row["id"]) for row in corpus.table().to_pylist()}
    assert found == {f"{SITE}/{name}": draw(seed) for seed, name in enumerate(names)}


def test_texts_too_short_for_a_preset(tmp_path: Path) -> None:
    built = make(
        tmp_path,
        page(f"{SITE}/", figure("a.png", "Sea", "")),
        page(f"{SITE}/2", figure("b.png", "A tower by the sea", "")),
        picture(f"{SITE}/a.png", draw(1, 400, 300)),
        picture(f"{SITE}/b.png", draw(2, 400, 300)),
        more='preset = "laion"\nmin_bytes = 0',
    )
    assert [row["caption"] for row in rows(built)] == ["A tower by the sea"]
    assert dropped(built) == {f"{SITE}/a.png": "text too short (min_characters = 5, preset laion)"}


def test_languages_are_codes(tmp_path: Path) -> None:
    answers = page(f"{SITE}/", figure("t.png")), picture(f"{SITE}/t.png", draw(1))
    assert make(tmp_path, *answers, more='languages = ["EN", "deu"]').samples == 1
    with pytest.raises(SettingsError, match="german"):
        make(tmp_path, *answers, more='languages = ["german"]')


def test_pages_that_may_not_be_kept_leave_no_text(tmp_path: Path) -> None:
    refused = "<meta name=robots content=noindex>" + figure("t.png", "A secret")
    built = make(
        tmp_path,
        page(f"{SITE}/open", figure("t.png", "For all")),
        page(f"{SITE}/closed", refused),
        page(f"{SITE}/silent", "<img src=u.png>"),
        page(f"{SITE}/told", refused.replace("t.png", "u.png")),
        picture(f"{SITE}/t.png", draw(1)),
        picture(f"{SITE}/u.png", draw(2)),
    )
    assert [row["caption"] for row in rows(built)] == ["For all"]
    assert "noindex" in dropped(built)[f"{SITE}/u.png"]
    pages = [each["url"] for batch in open_corpus(tmp_path).pages() for each in batch.to_pylist()]
    assert pages == [f"{SITE}/open"]


def test_an_archive_that_is_none_leaves_the_corpus_alone(tmp_path: Path) -> None:
    make(tmp_path, page(f"{SITE}/", figure("t.png")), picture(f"{SITE}/t.png", draw(1)))
    (tmp_path / "a.warc.gz").write_bytes(b"this is no archive" * 100)
    with pytest.raises(InputError, match=r"no record.*a\.warc\.gz: not a WARC, ARC or WACZ file"):
        build(open_collection(tmp_path))
    assert len(open_corpus(tmp_path)) == 1


def test_what_cannot_be_read_is_named_and_stops_nothing(tmp_path: Path) -> None:
    make_collection(tmp_path)
    answers = [page(f"{SITE}/", figure("t.png")), picture(f"{SITE}/t.png", draw(1))]
    whole = write_archive(tmp_path / "a.warc.gz", [*answers, page(f"{SITE}/2", figure("u.png"))])
    data = whole.read_bytes()
    whole.write_bytes(data[: len(data) - 200])
    (tmp_path / "b.warc.gz").write_bytes(b"this is no archive" * 100)
    built = build(open_collection(tmp_path))
    assert built.samples == 1
    assert built.failures
    assert any("b.warc.gz" in failure.url for failure in built.failures)


def test_without_anything_to_build_from(tmp_path: Path) -> None:
    make_collection(tmp_path)
    with pytest.raises(InputError, match="matches nothing"):
        build(open_collection(tmp_path))
    built = make(tmp_path, page(f"{SITE}/", "<p>A page without images.</p>"))
    assert (built.samples, built.funnel[0].left) == (0, 0)
    assert len(open_corpus(tmp_path)) == 0


@pytest.mark.parametrize(("purpose", "samples"), [("train", 0), ("research", 1)])
@pytest.mark.parametrize(
    "head",
    [
        "<link rel=license type=application/rsl+xml href=/l.xml>",
        "<script type='application/rsl+xml'><rsl/></script>",
    ],
)
def test_terms_of_a_page_bind_a_build(
    tmp_path: Path, head: str, purpose: str, samples: int
) -> None:
    """Of archives of others nobody has asked before."""
    answers = page(f"{SITE}/", head + figure("a.png")), picture(f"{SITE}/a.png", draw(1))
    assert make(tmp_path, *answers, purpose=purpose).samples == samples


@pytest.mark.parametrize(
    ("url", "licence", "samples"),
    [
        ("/", "<permits type='usage'>ai-train</permits>", 1),
        ("/", "<prohibits type='usage'>ai-train</prohibits>", 0),
        ("/a.png", "<prohibits type='usage'>ai-train</prohibits>", 0),
        ("/b.png", "<prohibits type='usage'>ai-train</prohibits>", 1),
    ],
)
def test_terms_that_a_page_holds_are_read(
    tmp_path: Path, url: str, licence: str, samples: int
) -> None:
    content = f"<content url='{url}'><license>{licence}</license></content>"
    head = f"<script type='application/rsl+xml'><rsl>{content}</rsl></script>"
    answers = page(f"{SITE}/", head + figure("a.png")), picture(f"{SITE}/a.png", draw(1))
    built = make(tmp_path, *answers, purpose="train")
    assert built.samples == samples
    of = " of images" if url == "/a.png" else ""
    assert samples or dropped(built) == {f"{SITE}/a.png": f"meta: license{of}"}


def test_whom_to_name_is_what_the_page_says_in_its_data(tmp_path: Path) -> None:
    said = '{"@type": "ImageObject", "contentUrl": "/a.png", "creditText": "Ann"}'
    html = f'<script type="application/ld+json">{said}</script>{figure("/a.png")}'
    (row,) = rows(make(tmp_path, page(f"{SITE}/", html), picture(f"{SITE}/a.png", draw(1))))
    assert row["credit"] == "Ann"


def test_another_form_stands_for_one_of_a_kind_that_is_not_read(tmp_path: Path) -> None:
    shown = figure("http://a.org/a.png").replace("<img ", '<img srcset="/a 900w, /a.png 800w" ')
    jxl = Answer("http://a.org/a", b"\xff\x0a" + bytes(100), "image/jxl")
    built = make(
        tmp_path, page("http://a.org/", shown), jxl, picture("http://a.org/a.png", draw(1))
    )
    (row,) = rows(built)
    assert (row["url"], row["format"]) == ("http://a.org/a", "png")


def test_a_smaller_form_stands_for_one_that_could_not_be_had(tmp_path: Path) -> None:
    """The largest of a srcset is not in the archive; the next one is, and is the picture."""
    shown = figure("http://a.org/small.png").replace(
        "<img ", '<img srcset="/large.png 2000w, /middle.png 900w" '
    )
    built = make(
        tmp_path,
        page("http://a.org/", shown),
        picture("http://a.org/middle.png", draw(1)),
        picture("http://a.org/small.png", draw(2)),
    )
    (row,) = rows(built)
    assert row["url"] == "http://a.org/large.png"
    assert row["width"] == 120


class StubReader:
    """Reads what a test says; a model takes a second a picture."""

    def read(self, _: str, data: bytes) -> str:
        return {draw(1): "Mavica FD-91", draw(2): "", draw(3): "OTKpbITO"}[data]


def test_drawn_text_is_enough_and_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blickfang.corpus.pictures.optional_models.DrawnTextReader", StubReader)
    bare = "<title>{}</title><img src={}.png>"
    answers = [
        page(f"{SITE}/1", bare.format("Cameras", "drawn")),
        page(f"{SITE}/2", bare.format("Nothing", "blank")),
        page(f"{SITE}/3", bare.format("Музей открыт, режим работы", "russian")),
        picture(f"{SITE}/drawn.png", draw(1)),
        picture(f"{SITE}/blank.png", draw(2)),
        picture(f"{SITE}/russian.png", draw(3)),
    ]
    without = make(tmp_path / "without", *answers)
    assert (rows(without), set(dropped(without).values())) == ([], {"no text"})
    built = make(tmp_path / "with", *answers, more="ocr = true\n")
    (row,) = rows(built)
    assert (row["url"], row["caption"]) == (f"{SITE}/drawn.png", "Mavica FD-91")
    urls = (f"{SITE}/blank.png", f"{SITE}/russian.png")
    assert dropped(built) == dict.fromkeys(urls, "no text")
    steps = {step.name: step for step in built.funnel}
    assert (steps["text"].dropped, steps["unique"].left) == ((("no text", 2),), 1)
    (hit,) = search_corpus(open_corpus(tmp_path / "with"), "mavica")
    assert (hit.id, hit.related) == (row["id"], False)
