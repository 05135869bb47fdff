"""What owners say of a page when it is asked for again: the next build obeys."""

import io
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from blickfang.demo.truth import Answer
from tests.cli.running import objects, run
from tests.crawl.sites import Sites, page, serving, write_collection

A = "http://a.test"
TAG = ("ETag", '"x"')
OWN = (("Content-Type", "text/html"), TAG)
NOINDEX = ("X-Robots-Tag", "noindex")


def draw() -> Answer:
    """Return an image that a corpus takes."""
    file, noise = io.BytesIO(), np.random.default_rng(0)
    Image.fromarray(noise.integers(0, 255, (600, 600, 3), dtype=np.uint8)).save(file, "PNG")
    return Answer(200, (("Content-Type", "image/png"),), file.getvalue())


def build(root: Path) -> int:
    """Build a corpus and return how many samples it has."""
    told = re.search(r"^(\d+) samples? in ", run("build", root).stdout, re.MULTILINE)
    return int(told[1]) if told else 0


@pytest.mark.parametrize("status", [200, 304])
def test_a_page_that_is_withdrawn_is_left_out(tmp_path: Path, status: int) -> None:
    words = "words of a page that its owner wants to have again " * 9
    body = f"<!doctype html><title>t</title><p>{words}<img src=/a.png alt='a picture'>".encode()
    sites = Sites({f"{A}/": page("/1"), f"{A}/1": Answer(200, OWN, body), f"{A}/a.png": draw()})
    with serving(sites) as server:
        write_collection(tmp_path, server, f"{A}/", shards=1)
        assert objects(run("crawl", tmp_path, "--json"))[0]["images"] == 1
        assert build(tmp_path) == 1
        told = Answer(200, (*OWN, NOINDEX), body), Answer(304, (TAG, NOINDEX), b"")
        sites.replies[f"{A}/1"] = told[status == 304]
        assert run("crawl", tmp_path, "--again").returncode == 0
        assert "header: noindex" in run("consent", tmp_path, f"{A}/1").stdout
        assert build(tmp_path) == 0
        sites.replies[f"{A}/1"] = Answer(304, (TAG,), b"")  # what is asked with is in the archive
        assert run("crawl", tmp_path, "--again").returncode == 0
        assert build(tmp_path) == 1
