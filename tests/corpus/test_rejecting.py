"""What a build dropped, exported: nothing of it names what is removed."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from blickfang.corpus import Corpus, Origin, export_corpus, open_corpus, write_corpus
from blickfang.corpus.removals import parse_removals
from blickfang.corpus.sample_columns import REJECTED, make_schema
from tests.corpus.samples import make_rows, table_of

HOME, COPY, OTHER = "https://a.test/t.png", "https://b.test/t.png", "https://c.test/t.png"
CUT, CUT_COPY = "https://cut.test/x.png", "https://d.test/x.png"
SMALL = "https://e.test/small.png"
HASHES = {url: f"{n:02x}" * 32 for n, url in enumerate((COPY, OTHER, CUT, CUT_COPY, SMALL), 1)}


def reject(url: str, reason: str, detail: str = "", page: str = "p") -> dict[str, Any]:
    known = {"url": url, "page_url": f"https://{page}.test/", "sha256": HASHES[url]}
    texts = {"page_title": "", "caption": "A tower", "reason": reason, "detail": detail}
    return {**known, **texts, "width": 1, "height": 1}


@pytest.fixture
def built(tmp_path: Path) -> Corpus:
    """A sample with two copies, a picture that was cut with one, and a small one."""
    one, two = make_rows(2)
    facts = [{"url": url, "sha256": HASHES[url], "width": 1, "height": 1} for url in (COPY, OTHER)]
    rows = [one | {"url": HOME, "page_url": "https://p.test/", "copies": facts}, two]
    rejected = [
        reject(COPY, "same picture", HOME),
        reject(OTHER, "same picture", HOME),
        reject(CUT_COPY, "same picture", CUT, "q"),
        reject(CUT, "rank_study out of range", page="q"),
        reject(SMALL, "too small", "1×1", "r"),
        reject(SMALL, "too small", "1×1", "s"),
    ]
    write_corpus(
        tmp_path / "corpus",
        table_of(rows).to_batches(),
        origin=Origin(),
        rejected=pa.Table.from_pylist(rejected, schema=make_schema(REJECTED)).to_batches(),
    )
    return open_corpus(tmp_path)


@pytest.mark.parametrize(
    ("listed", "left"),
    [
        ("z.test", [COPY, OTHER, CUT_COPY, CUT, SMALL, SMALL]),
        ("a.test", [CUT_COPY, CUT, SMALL, SMALL]),  # it is named as what stayed only
        (HOME, [CUT_COPY, CUT, SMALL, SMALL]),
        (COPY, [CUT_COPY, CUT, SMALL, SMALL]),
        (HASHES[OTHER], [CUT_COPY, CUT, SMALL, SMALL]),
        (make_rows(1)[0]["image_phash"], [CUT_COPY, CUT, SMALL, SMALL]),
        ("https://p.test/", [CUT_COPY, CUT, SMALL, SMALL]),
        ("cut.test", [COPY, OTHER, SMALL, SMALL]),
        (CUT_COPY, [COPY, OTHER, SMALL, SMALL]),
        (HASHES[CUT][:16], [COPY, OTHER, SMALL, SMALL]),
        ("https://r.test/", [COPY, OTHER, CUT_COPY, CUT]),  # the picture that its row was about
    ],
)
def test_no_row_names_what_is_removed(
    built: Corpus, tmp_path: Path, listed: str, left: list[str]
) -> None:
    export_corpus(built, "hf", tmp_path / "out", removals=parse_removals(listed))
    copy = open_corpus(tmp_path / "out")
    rows = [row for batch in copy.rejected() for row in batch.to_pylist()]
    assert [row["url"] for row in rows] == left
    assert listed.removeprefix("https://") not in repr(rows)
    assert copy.manifest["removed_rejected"] == 6 - len(left)


def test_a_sample_that_a_filter_keeps_back_is_removed_too(built: Corpus, tmp_path: Path) -> None:
    export_corpus(built, "hf", tmp_path / "out", where="width < 0", removals=parse_removals(COPY))
    rows = [row for batch in open_corpus(tmp_path / "out").rejected() for row in batch.to_pylist()]
    assert HOME not in repr(rows)
    assert OTHER not in repr(rows)


def test_the_card_says_how_many_rows_were_left_out(corpus: Corpus, tmp_path: Path) -> None:
    removals = parse_removals("https://a.example.org/icon-1.gif")
    export_corpus(corpus, "hf", tmp_path / "one", removals=removals)
    said = "1 of them are left out there: they name what removal lists took down."
    assert said in (tmp_path / "one" / "README.md").read_text()
    again = parse_removals("https://a.example.org/icon-2.gif")  # an export of the export
    export_corpus(open_corpus(tmp_path / "one"), "hf", tmp_path / "two", removals=again)
    assert said.replace("1", "2", 1) in (tmp_path / "two" / "README.md").read_text()
    assert "left out there" not in (corpus.folder / "README.md").read_text()
