"""Exports: others read them, nothing is lost, nothing listed is passed on, all or nothing."""

import errno
import gc
import io
import json
import tarfile
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import datasets
import pandas as pd
import PIL.Image
import pyarrow.parquet as pq
import pytest
import webdataset

from blickfang.corpus import Corpus, Origin, export_corpus, open_corpus, write_corpus
from blickfang.corpus.export import FORMS, Exported
from blickfang.corpus.export import webdataset as shards
from blickfang.corpus.export.mirror import HEAD
from blickfang.corpus.removals import parse_removals
from blickfang.errors import DiskFullError, InputError, SettingsError
from tests.corpus.samples import make_pages, make_rows, table_of
from tests.corpus.test_writing import files_of

ROWS = make_rows(24)
FACTS = [{name: row[name] for name in row if name != "image"} for row in ROWS]
# Of webdataset, and of the image folders of datasets.
LEAVES_FILES_OPEN = pytest.mark.filterwarnings(
    "ignore:unclosed file:ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    datasets.disable_progress_bars()
    yield
    datasets.enable_progress_bars()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("with_bytes", [True, False])
def test_the_same_bytes_twice_and_progress_to_the_end(
    corpus: Corpus, tmp_path: Path, form: str, with_bytes: bool
) -> None:
    steps: list[int] = []
    for name in ("one", "other"):
        done = export_corpus(
            corpus, form, tmp_path / name, with_bytes=with_bytes, advance=steps.append
        )
        assert done == Exported(24, 0, 0)
    assert sum(steps) == 48
    one = files_of(tmp_path / "one")
    assert one == files_of(tmp_path / "other")
    everything = b"".join(one.values())
    for row in ROWS:
        assert (row["image"]["bytes"] in everything) == with_bytes
        assert with_bytes or form == "hf" or row["url"].encode() in _unpacked(tmp_path / "one")


def _unpacked(folder: Path) -> bytes:
    """All texts of an export, Parquet files as their rows."""
    found = b""
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".parquet":
            found += repr(pq.read_table(path).to_pylist()).encode()
        elif path.is_file():
            found += path.read_bytes()
    return found


@pytest.mark.parametrize("form", FORMS)
def test_what_is_listed_is_not_passed_on(corpus: Corpus, tmp_path: Path, form: str) -> None:
    gone = [row for row in ROWS if "//a.example.org/" in row["url"]]
    removals = parse_removals(f"a.example.org\nmirror.example.org\n{ROWS[2]['sha256']}")
    done = export_corpus(corpus, form, tmp_path / "out", removals=removals)
    assert done == Exported(24 - len(gone) - 1, 0, len(gone) + 1)
    everything = _unpacked(tmp_path / "out") + b"".join(map(str.encode, files_of(tmp_path / "out")))
    assert b"a.example.org" not in everything
    assert b"mirror.example.org" not in everything
    for row in [*gone, ROWS[2]]:
        assert row["image"]["bytes"] not in everything
        assert row["sha256"].encode() not in everything
        assert row["id"].encode() not in everything
    assert ROWS[3]["id"].encode() in everything


@pytest.mark.parametrize("form", FORMS)
def test_filters_are_applied(corpus: Corpus, tmp_path: Path, form: str) -> None:
    done = export_corpus(corpus, form, tmp_path / "out", where="language == 'de'")
    assert done == Exported(8, 16, 0)
    everything = _unpacked(tmp_path / "out")
    for row in ROWS:
        assert (row["id"].encode() in everything) == (row["language"] == "de")


@pytest.mark.parametrize("form", FORMS)
def test_an_empty_selection_is_whole_too(corpus: Corpus, tmp_path: Path, form: str) -> None:
    assert export_corpus(corpus, form, tmp_path / "out", where="width > 9999").kept == 0
    assert list((tmp_path / "out").iterdir())


@pytest.mark.parametrize("form", FORMS)
def test_a_failed_export_leaves_nothing(corpus: Corpus, tmp_path: Path, form: str) -> None:
    def fail(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(DiskFullError, match="out: no room left"):
        export_corpus(corpus, form, tmp_path / "out", advance=fail)
    assert list(tmp_path.iterdir()) == []


def test_targets_that_are_refused(corpus: Corpus, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("x")
    with pytest.raises(InputError, match="is not empty"):
        export_corpus(corpus, "hf", tmp_path / "full")
    with pytest.raises(InputError, match=r"mine\.txt is a file; choose a folder"):
        export_corpus(corpus, "hf", tmp_path / "full" / "mine.txt")
    with pytest.raises(InputError, match="within the corpus"):
        export_corpus(corpus, "hf", corpus.folder / "data" / "x")
    with pytest.raises(SettingsError, match="did you mean webdataset"):
        export_corpus(corpus, "webdatset", tmp_path / "out")
    with pytest.raises(SettingsError, match="did you mean width"):
        export_corpus(corpus, "hf", tmp_path / "out", where="widht > 3")
    assert [path.name for path in tmp_path.iterdir()] == ["full"]
    (tmp_path / "empty").mkdir()
    assert export_corpus(corpus, "jsonl", tmp_path / "empty").kept == 24


def read_facts(told: dict[str, Any], facts: dict[str, Any]) -> dict[str, Any]:
    """Return what a key.json tells: lists are JSON in it, numbers not known are left out."""
    return {
        name: json.loads(told[name]) if isinstance(value, list) else told.get(name)
        for name, value in facts.items()
    }


@pytest.fixture
def uneven(tmp_path: Path) -> Corpus:
    """A corpus as crawls make them: formats mixed, many lists empty, numbers not always known."""
    rows = make_rows(24)
    for number, row in enumerate(rows):
        early = number < 6
        row["licences"] = [] if early else ["https://example.org/licence"]
        row["copies"] = [] if early else [{"url": "u", "sha256": "s", "width": 1, "height": 2}]
        row["emphasised"] = row["link_texts"] = []
        row["rank_study"] = row["page_warc_offset"] = None if early else number
        row["looks"] = None if early else row["looks"]
    write_corpus(tmp_path / "uneven", table_of(rows).to_batches(), origin=Origin())
    return open_corpus(tmp_path / "uneven")


@LEAVES_FILES_OPEN
@pytest.mark.parametrize("by_folder", [True, False])
def test_datasets_opens_tars_of_mixed_formats(
    uneven: Corpus, tmp_path: Path, by_folder: bool
) -> None:
    folder = tmp_path / "out"
    export_corpus(uneven, "webdataset", folder)
    cache = str(tmp_path / "cache")
    if by_folder:
        found = datasets.load_dataset(str(folder), split="train", cache_dir=cache)
    else:
        tars = str(folder / "*.tar")
        found = datasets.load_dataset("webdataset", data_files=tars, split="train", cache_dir=cache)
    gc.collect()
    rows = next(iter(uneven.batches())).to_pylist()
    assert {row["format"] for row in rows} > {"jpeg", "png", "webp"}
    assert len(found) == len(rows) == 24
    for row, sample in zip(rows, found, strict=True):
        assert sample["jpg"].size == (row["width"], row["height"])
        assert sample["jpg"].format.lower() == row["format"]
        assert sample["txt"] == row["caption"]
        told = sample["json"]
        assert json.loads(told["licences"]) == row["licences"]
        assert json.loads(told["copies"]) == row["copies"]
        if by_folder:  # the other form leaves out what none of its first five samples has
            assert told["rank_study"] == row["rank_study"]
            assert json.loads(told["looks"] or "null") == row["looks"]


@LEAVES_FILES_OPEN
def test_webdataset_iterates(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shards, "SHARD_ROWS", 10)
    export_corpus(corpus, "webdataset", tmp_path / "out")
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    shards_of = [f"0000{n}{end}" for n in range(3) for end in (".parquet", ".tar", "_stats.json")]
    assert names == [*shards_of, "README.md"]
    paths = [str(tmp_path / "out" / f"0000{number}.tar") for number in range(3)]
    found = list(webdataset.WebDataset(paths, shardshuffle=False).decode("pil"))
    gc.collect()
    assert [sample["__key__"] for sample in found] == [
        f"{number // 10:05}{number % 10:04}" for number in range(24)
    ]
    for row, facts, sample in zip(ROWS, FACTS, found, strict=True):
        assert sample["jpg"].size == (row["width"], row["height"])  # of every format
        assert sample["txt"] == row["caption"]
        assert read_facts(sample["json"], facts) == facts
        assert sample["json"]["key"] == sample["__key__"]
    table = pq.read_table(tmp_path / "out" / "00002.parquet")
    assert table["key"].to_pylist() == ["000020000", "000020001", "000020002", "000020003"]
    stats = json.loads((tmp_path / "out" / "00001_stats.json").read_text())
    assert stats["count"] == stats["successes"] == stats["status_dict"]["success"] == 10
    assert stats["bytes_downloaded"] == sum(row["bytes"] for row in ROWS[10:20])


def test_tar_files_carry_no_times_and_no_owners(corpus: Corpus, tmp_path: Path) -> None:
    export_corpus(corpus, "webdataset", tmp_path / "out")
    with tarfile.open(tmp_path / "out" / "00000.tar") as tar:
        members = tar.getmembers()
        first = tar.extractfile("000000000.jpg")
        assert first is not None
        assert first.read() == ROWS[0]["image"]["bytes"]
    assert len(members) == 3 * 24
    assert {(m.mtime, m.uid, m.gid, m.uname, m.gname) for m in members} == {(0, 0, 0, "", "")}


def test_parquet_holds_plain_bytes(corpus: Corpus, tmp_path: Path) -> None:
    export_corpus(corpus, "parquet", tmp_path / "out")
    frame = pd.read_parquet(tmp_path / "out" / "samples-00000-of-00001.parquet")
    assert frame["image"].tolist() == [row["image"]["bytes"] for row in ROWS]
    assert frame["caption"].tolist() == [row["caption"] for row in ROWS]


def test_hf_is_a_corpus_of_its_own(corpus: Corpus, tmp_path: Path) -> None:
    where = "language == 'de'"
    removals = parse_removals(ROWS[2]["id"])
    export_corpus(corpus, "hf", tmp_path / "out", where=where, removals=removals)
    kept = [row for row in ROWS if row["language"] == "de"][1:]
    copy = open_corpus(tmp_path / "out")
    assert copy.table(list(ROWS[0])).to_pylist() == kept
    loaded = datasets.load_dataset(str(tmp_path / "out"), cache_dir=str(tmp_path / "cache"))
    assert [sample["image"].size for sample in loaded["train"]] == [
        (row["width"], row["height"]) for row in kept
    ]
    ids = {row["id"] for row in kept}
    pages = [page for batch in copy.pages() for page in batch.to_pylist()]
    assert {place["id"] for page in pages for place in page["images"]} == ids
    assert copy.manifest["funnel"][-1] == {
        "step": "export",
        "left": 7,
        "dropped": [[f"filter: {where}", 16], ["removal list", 1]],
    }


def test_hf_without_pictures(corpus: Corpus, tmp_path: Path) -> None:
    export_corpus(corpus, "hf", tmp_path / "out", with_bytes=False)
    copy = open_corpus(tmp_path / "out")
    assert copy.table(list(FACTS[0])).to_pylist() == FACTS
    with pytest.raises(InputError, match="without pictures"):
        copy.image(ROWS[0]["id"])
    with pytest.raises(InputError, match="--no-bytes"):
        export_corpus(copy, "webdataset", tmp_path / "again")
    assert export_corpus(copy, "jsonl", tmp_path / "again", with_bytes=False).kept == 24
    loaded = datasets.load_dataset(str(tmp_path / "out"), cache_dir=str(tmp_path / "cache"))
    assert loaded["train"]["sha256"][:] == [row["sha256"] for row in ROWS]


@LEAVES_FILES_OPEN
def test_jsonl_is_an_image_folder(corpus: Corpus, tmp_path: Path) -> None:
    export_corpus(corpus, "jsonl", tmp_path / "out")
    lines = (tmp_path / "out" / "metadata.jsonl").read_text(encoding="utf-8").splitlines()
    found = [json.loads(line) for line in lines]
    for row, facts, line in zip(ROWS, FACTS, found, strict=True):
        assert (tmp_path / "out" / line.pop("file_name")).read_bytes() == row["image"]["bytes"]
        assert line == facts
    loaded = datasets.load_dataset(
        "imagefolder", data_dir=str(tmp_path / "out"), cache_dir=str(tmp_path / "cache")
    )["train"]
    sizes = {sample["id"]: sample["image"].size for sample in loaded}
    gc.collect()
    assert sizes == {row["id"]: (row["width"], row["height"]) for row in ROWS}


def test_files_mirror_the_web_with_an_info_file_each(corpus: Corpus, tmp_path: Path) -> None:
    export_corpus(corpus, "files", tmp_path / "out")
    frame = pd.read_csv(tmp_path / "out" / "log.tsv", sep="\t", keep_default_na=False)
    assert list(frame.columns) == list(HEAD)
    assert frame["id"].tolist() == [row["id"] for row in ROWS]
    assert frame["parent-1 score"].tolist() == [200.0] * 24
    for name, row in zip(frame["file"], ROWS, strict=True):
        path = tmp_path / "out" / name
        assert path.read_bytes() == row["image"]["bytes"]
        info = ET.parse(path.with_suffix(".xml")).getroot()  # noqa: S314
        check_info(info, row)
    assert (tmp_path / "out" / "images" / "a.example.org" / "img" / "lion").is_dir()


def check_info(info: ET.Element, row: dict[str, Any]) -> None:
    """Compare every value of an info file with the sample."""
    assert info.get("id") == row["id"]
    for name, value in row.items():
        if name not in ("id", "image") and not isinstance(value, list):
            assert (info.findtext(name) or None) == (None if value is None else str(value) or None)
    mentions = info.findall("mention")
    assert len(mentions) == len(row["mentions"])
    for node, mention in zip(mentions, row["mentions"], strict=True):
        for name in set(mention) - {"attributes", "texts"}:
            value = mention[name]
            assert (node.findtext(name) or "") == ("" if value is None else str(value))
        attributes = {each.get("name"): each.text or "" for each in node.findall("attribute")}
        assert attributes == json.loads(mention["attributes"])
        alt = node.findall("text")[0]
        assert (alt.get("name"), alt.text or "") == ("alt", mention["alt"])
    (best,) = [node for node in mentions if node.get("best") == "yes"]
    assert best.findtext("page_url") == row["page_url"]
    for node, text in zip(best.findall("text"), row["texts"], strict=True):
        assert (node.text or "") == text["text"]
        for name in ("name", "words", "perplexity", "keyword_score", "score", "distance_weight"):
            assert node.get(name) == (None if text[name] is None else str(text[name]))


def test_interleaved_lists_are_parallel(corpus: Corpus, tmp_path: Path) -> None:
    export_corpus(corpus, "interleaved", tmp_path / "out")
    loaded = datasets.load_dataset(str(tmp_path / "out"), cache_dir=str(tmp_path / "cache"))
    documents = list(loaded["train"])
    assert len(documents) == 12
    for number, document in enumerate(documents):
        one, other = ROWS[2 * number : 2 * number + 2]
        assert document["url"] == one["page_url"] == other["page_url"]
        assert document["texts"] == [
            f"Before {one['caption']}.",
            None,
            f"Before {other['caption']}.",
            None,
            "The end.",
        ]
        assert document["images"] == [None, one["url"], None, other["url"], None]
        assert document["ids"] == [None, one["id"], None, other["id"], None]
        shown = [picture and picture.size for picture in document["pictures"]]
        sizes = [(row["width"], row["height"]) for row in (one, other)]
        assert shown == [None, sizes[0], None, sizes[1], None]
        facts = json.loads(document["metadata"])
        assert [fact and fact["sha256"] for fact in facts] == [
            None,
            one["sha256"],
            None,
            other["sha256"],
            None,
        ]


def test_unknown_values_are_exported_too(tmp_path: Path) -> None:
    (row,) = make_rows(1)
    known = {name: row[name] for name in ("id", "sha256", "image")}
    write_corpus(tmp_path / "corpus", table_of([known]).to_batches(), origin=Origin())
    corpus = open_corpus(tmp_path)
    for form in FORMS:
        placed = form != "interleaved"  # without a page it stands nowhere
        done = export_corpus(corpus, form, tmp_path / form)
        assert (done.kept, done.unplaced) == (placed, not placed)
        removals = parse_removals("a.test")
        again = export_corpus(corpus, form, tmp_path / f"{form}-2", removals=removals)
        assert again == done


EVIL = '=HYPERLINK("http://evil.test")\n\t\x00<b>&]]>\u202e | \'"\\'


def test_hostile_texts_and_addresses_in_every_form(tmp_path: Path) -> None:
    rows = make_rows(4)
    urls = [
        "https://evil.test/../../../../etc/passwd",
        "https://evil.test/%2e%2e/%2e%2e/x%00.jpg",
        "https://evil.test/" + "a/" * 500 + "b" * 500,
        "https://evil.test/con/NUL?=cmd",
    ]
    for row, url in zip(rows, urls, strict=True):
        row.update(url=url, caption=EVIL, page_title=EVIL, credit=EVIL, link_texts=[EVIL])
        row["mentions"][0].update(context=EVIL)
        row["texts"][0].update(text=EVIL)
    write_corpus(
        tmp_path / "corpus",
        table_of(rows).to_batches(),
        origin=Origin(),
        pages=make_pages(rows).to_batches(),
    )
    corpus = open_corpus(tmp_path)
    for form in FORMS:
        out = tmp_path / "out" / form
        assert export_corpus(corpus, form, out).kept == 4
        assert all(path.resolve().is_relative_to(out.resolve()) for path in out.rglob("*"))
    lines = (tmp_path / "out" / "files" / "log.tsv").read_text("utf-8-sig").splitlines()
    assert [line.count("\t") for line in lines] == [len(HEAD) - 1] * 5
    assert lines[1].split("\t")[HEAD.index("caption")].startswith("'=HYPERLINK")
    infos = sorted((tmp_path / "out" / "files").rglob("*.xml"))
    assert len(infos) == 4
    for path in infos:
        info = ET.parse(path).getroot()  # noqa: S314
        assert info.findtext("caption") == EVIL.replace("\x00", " ").replace("\u202e", "")
    with (tmp_path / "out" / "jsonl" / "metadata.jsonl").open(encoding="utf-8") as file:
        assert [json.loads(line)["caption"] for line in file] == [EVIL] * 4


def test_pictures_of_an_export_open(corpus: Corpus, tmp_path: Path) -> None:
    export_corpus(corpus, "files", tmp_path / "out")
    for row in ROWS:
        (path,) = (tmp_path / "out").rglob(f"*-{row['id']}.[!x]*")
        with PIL.Image.open(io.BytesIO(path.read_bytes())) as picture:
            assert picture.size == (row["width"], row["height"])
