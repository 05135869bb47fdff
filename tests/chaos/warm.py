"""Loaded once, in the process that all others are forked from: every kernel the commands need.

In: nothing. Out: modules imported and kernels loaded, by doing a little of what the commands do.
"""

import io
import json
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import tests.chaos.child  # noqa: F401 -- what is forked needs it
from blickfang.cli import app
from blickfang.config import open_collection
from blickfang.corpus import build as corpus_build
from blickfang.web import prepare_readers
from tests.samples.archives import draw, make_collection, page, picture, write_archive

HTML = "<html lang=en><title>T</title><p>Words of a page.</p><img src=a.png alt=tower>"


def warm(folder: Path) -> None:
    """Build and dedupe a little."""
    root = make_collection(folder / "warm")
    pages = [page("http://a.test/", HTML), picture("http://a.test/a.png", draw(1))]
    write_archive(root / "a.warc.gz", pages)
    corpus_build.build(open_collection(root))
    documents = folder / "docs.jsonl"
    rows = [{"id": str(n), "text": f"some words of a text {n % 3} " * 9} for n in range(20)]
    documents.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    app(["dedupe", str(documents), "--pairs", str(folder / "pairs")], standalone_mode=False)
    prepare_readers()


with (
    tempfile.TemporaryDirectory() as scratch,
    redirect_stdout(io.StringIO()),
    redirect_stderr(io.StringIO()),
):
    warm(Path(scratch))
