"""Why images are not in the archive: what the crawl knows, in the funnel and in rejected rows."""

from pathlib import Path
from typing import Any

import pytest

from blickfang.config import open_collection
from blickfang.corpus import open_corpus
from blickfang.corpus.build import Built, build
from blickfang.crawl.run import crawl
from blickfang.demo.serve import Server
from blickfang.demo.truth import Answer
from tests.crawl.sites import Sites, moved, page, serving, text
from tests.samples.archives import draw, write_archive
from tests.samples.archives import page as archived

HOST = "http://a.test"
SETTINGS = """
[crawl]
seeds = ["http://a.test/"]
proxy = "{proxy}"
allow_private = true
delay_s = 0.0
mode = "unfocused"
reject = ["(test,a,)/rejected"]
{crawl}
[images]
min_width = 100
min_height = 80
[build]
{build}
"""
SHOWN = ("good", "gone", "moved", "barred", "small", "rejected", "page")


def png(seed: int, width: int = 120, height: int = 90) -> Answer:
    return Answer(200, (("Content-Type", "image/png"),), draw(seed, width, height))


def make_web() -> Sites:
    images = "".join(f'<p><img src="/{name}.png" alt="A tower, {name}">' for name in SHOWN)
    tiny = '<img src="/icon.png" width=16 height=16 alt="A tiny tower">'
    body = f"<!doctype html><title>Towers</title>{images}{tiny}".encode()
    return Sites(
        {
            f"{HOST}/": Answer(200, (("Content-Type", "text/html"),), body),
            f"{HOST}/robots.txt": text("User-agent: *\nDisallow: /barred"),
            f"{HOST}/good.png": png(1),
            f"{HOST}/moved.png": moved("/target.png"),
            f"{HOST}/target.png": text("no", 403),
            f"{HOST}/small.png": png(2, 20, 20),
            f"{HOST}/page.png": page(text="An image that is none"),
        }
    )


def make(root: Path, server: Server, crawl_lines: str = "", build_lines: str = "") -> Built:
    values = {"proxy": server.address, "crawl": crawl_lines, "build": build_lines}
    (root / "blickfang.toml").write_text(SETTINGS.format(**values))
    collection = open_collection(root)
    assert not crawl(collection, lambda _: True, shards=1).error
    return build(collection)


def lost(built: Built) -> dict[str, tuple[str, str]]:
    rows: list[dict[str, Any]] = [
        row for batch in open_corpus(built.folder).rejected() for row in batch.to_pylist()
    ]
    return {row["url"].rpartition("/")[2]: (row["reason"], row["detail"]) for row in rows}


def test_every_image_that_was_not_brought_says_why(tmp_path: Path) -> None:
    with serving(make_web()) as server:
        built = make(tmp_path, server)
    found = lost(built)
    assert {name: reason for name, (reason, _) in found.items()} == {
        "gone.png": "status 404",
        "moved.png": "status 403",
        "barred.png": found["barred.png"][0],
        "small.png": "image too small",
        "rejected.png": "never asked for: rejected by the settings",
        "icon.png": "never asked for: shown too small",
        "page.png": "not an image",
    }
    assert "robots.txt" in found["barred.png"][0]
    assert found["icon.png"][1] == "shown as 16×16"
    (step,) = (step for step in built.funnel if step.name == "fetched")
    assert sum(count for _, count in step.dropped) == len(found) == len(step.dropped)
    card = (built.folder / "README.md").read_text()
    assert "status 404: 1" in card


def test_a_crawl_without_images_says_so(tmp_path: Path) -> None:
    with serving(make_web()) as server:
        built = make(tmp_path, server, "images = false")
    reasons = {reason for reason, _ in lost(built).values()}
    assert reasons == {"never asked for: images are not wanted"}


@pytest.mark.parametrize("own", [True, False])
def test_of_archives_of_others_nobody_knows_why(tmp_path: Path, own: bool) -> None:
    """What the crawl knows is said all the same."""
    shown = '<img src="/gone.png" alt="One tower"><img src="/other.png" alt="Another tower">'
    write_archive(tmp_path / "other.warc.gz", [archived(f"{HOST}/more", shown)])
    settings = 'archives = ["other.warc.gz"]'
    if own:
        with serving(make_web()) as server:
            found = lost(make(tmp_path, server, build_lines=settings))
    else:
        (tmp_path / "blickfang.toml").write_text(f"[build]\n{settings}\n")
        found = lost(build(open_collection(tmp_path)))
    assert found["other.png"][0] == "not in the archive"
    assert found["gone.png"][0] == ("status 404" if own else "not in the archive")
