"""The command compare, as a user meets it."""

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from blickfang.cli import app
from blickfang.dedupe import documents
from blickfang.dedupe.compare import run_comparison
from blickfang.dedupe.compare.qrels import NOT_IN_A, NOT_YET
from blickfang.html import read_page
from blickfang.io.warc.walk import iterate_archive
from blickfang.types import Page
from tests.compare.corpora import (
    NOTICE,
    clueweb09,
    clueweb12,
    pack,
    page,
    prose,
    recipe,
    word,
    words,
    write_lines,
)
from tests.dedupe.texts import exact_pairs, overlapping
from tests.samples.archives import make_collection, write_archive
from tests.samples.archives import page as answer

MENU, OTHER_MENU = words(9000, 40), words(9100, 40)


def run(*args: str | Path) -> tuple[int, dict[str, Any], str]:
    done = CliRunner().invoke(app, ["compare", *map(str, args), "--json"])
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return done.exit_code, rows[0] if rows else {}, done.output


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def documents_of(side: str, count: int = 30) -> list[dict[str, str]]:
    """Return documents of which those of both sides with one number differ in `number` words."""
    rows = []
    for number in range(count):
        text = words(1000 * number, 100 - number)
        if side == "b":
            text += " " + words(1000 * number + 500, number)
        url = f"http://h{number % 3}.test/{number}"
        rows.append({"id": f"{side}{number}", "url": url, "text": text})
    return rows


@pytest.fixture
def sources(tmp_path: Path) -> tuple[Path, Path]:
    a = write_lines(tmp_path / "a.jsonl", documents_of("a"))
    return a, write_lines(tmp_path / "b.jsonl", documents_of("b"))


def test_all_files_and_figures(tmp_path: Path, sources: tuple[Path, Path]) -> None:
    out = tmp_path / "out"
    code, facts, said = run(*sources, "-o", out, "--segment", "7", "--threshold", "0.8")
    assert code == 0, said
    expected = {}
    for number in range(30):  # the text in B, of 98 shingles, goes on where that in A ends
        if (98 - number) / 98 >= 0.8:
            expected[f"a{number}"] = (98 - number) / 98
    pairs = lines(out / "pairs.jsonl")
    assert {row["a"]: row["jaccard"] for row in pairs} == pytest.approx(expected, abs=1e-5)
    assert all(row["a"][1:] == row["b"][1:] and row["same_address"] for row in pairs)
    assert facts["shared_addresses"] == 30
    assert facts["documents_of_a_found"] == len(expected)
    whole = json.loads((out / "comparison.json").read_text())
    assert [each["documents"] for each in whole["near_duplicates"]["segments"]] == [7, 7, 7, 7, 2]
    assert sum(whole["shared_documents"]["jaccard"]) == 30
    assert whole["extrapolated"] is None
    assert [row["shared"] for row in lines(out / "hosts.jsonl")] == [10, 10, 10]
    report = (out / "index.html").read_text()
    assert report.count("<svg") >= 5
    assert "src=" not in report
    assert "@import" not in report
    assert "h0.test" in report


def test_low_thresholds_miss_nothing_and_name_no_other(
    tmp_path: Path, sources: tuple[Path, Path]
) -> None:
    texts = overlapping(np.random.default_rng(12), 0.5, 200)
    for source, some in zip(sources, (texts[::2], texts[1::2]), strict=True):
        rows = [{"id": str(n), "text": " ".join(map(word, t))} for n, t in enumerate(some)]
        write_lines(source, [*rows, {"id": "none", "text": ""}])
    code, facts, said = run(*sources, "-o", tmp_path / "out", "--threshold", "0.5")
    assert code == 0, said
    truth = {str(i // 2): value for (i, _), value in exact_pairs(texts, 0.5).items()}
    found = {row["a"]: row["jaccard"] for row in lines(tmp_path / "out" / "pairs.jsonl")}
    assert found == pytest.approx({name: truth[name] for name in found}, abs=1e-5)
    assert len(found) >= 0.97 * len(truth) > 100
    assert (facts["empty"], facts["not_compared"]) == (2, 0)


def test_segments_do_not_change_what_is_found(tmp_path: Path, sources: tuple[Path, Path]) -> None:
    found = []
    for size in ("1000", "4"):
        run(*sources, "-o", tmp_path / size, "--segment", size)
        found.append((tmp_path / size / "pairs.jsonl").read_text())
    assert found[0] == found[1] != ""


CLUEWEB = [
    (prose(0, 120), MENU, "http://example.org/same"),
    (prose(200, 120), MENU, "http://example.org/moved"),
    (prose(400, 120), MENU, "http://example.org/gone"),
    (prose(600, 120), MENU, "http://example.org/with\n\na/break"),
]


def write_cluewebs(folder: Path, *, together: bool) -> tuple[Path, Path]:
    """Write two sets of archives in the layout and with the quirks of the ClueWebs."""
    name = "clueweb09-en0000-00-{:05}".format
    old = [clueweb09(name(n), url, page(m, f)) for n, (m, f, url) in enumerate(CLUEWEB)]
    old.append(clueweb09(name(4), "http://example.org/short", page(prose(800, 60), MENU), 70))
    old.append(clueweb09(name(5), "http://example.org/empty\n", b"<html></html>"))
    first = folder / "ClueWeb09_English_1" / "en0000" / "00.warc.gz"
    pack(first, old, together=together)
    (first.parent / "checksums.txt").write_text("beside archives, and none")
    ids = "clueweb12-0000tw-00-{:05}".format
    info = b"WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 2\r\n\r\nxx\r\n\r\n"
    new = [
        clueweb12(ids(0), "http://example.org/same", page(CLUEWEB[0][0], MENU)),
        clueweb12(ids(1), "http://other.net/new", page(CLUEWEB[1][0], OTHER_MENU)),
        clueweb12(ids(2), "http://example.org/gone", page(prose(5000, 120), MENU)),
        clueweb12(ids(3), "http://odd.net/", page(CLUEWEB[3][0], MENU), "charset=utf-8"),
    ]
    pack(folder / "ClueWeb12" / "Disk1" / "0000tw-00.warc.gz", [info, *new], together=together)
    return folder / "ClueWeb09_English_1", folder / "ClueWeb12"


@pytest.mark.parametrize("together", [False, True])
def test_cluewebs_and_judgements(tmp_path: Path, together: bool) -> None:
    a, b = write_cluewebs(tmp_path, together=together)
    qrels = tmp_path / "qrels"
    name = "clueweb09-en0000-00-{:05}".format
    rows = [(1, name(0), 2), (1, name(1), -2), (1, name(2), 1), (2, name(3), 1), (2, "none", 0)]
    qrels.write_text("".join(f"{t} 0 {d} {j}\n" for t, d, j in rows))
    out = tmp_path / "out"
    code, facts, said = run(a, b, "-o", out, "--qrels", qrels, "--sample", "5")
    assert code == 0, said
    assert (facts["documents_a"], facts["documents_b"]) == (6, 4)
    kinds = {(row["a"][-1], row["b"][-1]): row["kind"] for row in lines(out / "pairs.jsonl")}
    assert kinds == {("0", "0"): "same", ("1", "1"): "other frame", ("3", "3"): "same"}
    assert (out / "qrels.txt").read_text().splitlines() == [
        "1 0 clueweb12-0000tw-00-00000 2",
        "1 0 clueweb12-0000tw-00-00001 -2",
        "2 0 clueweb12-0000tw-00-00003 1",
    ]
    lost = (out / "qrels-lost.tsv").read_text().splitlines()[1:]
    assert [line.split("\t")[2] for line in lost] == [name(2), "none"]
    whole = json.loads((out / "comparison.json").read_text())
    levels = {level["judgement"]: level["carried"] for level in whole["judgements"][0]["levels"]}
    assert levels == {-2: 1, 0: 0, 1: 1, 2: 1}
    assert whole["shared_documents"]["kinds"] == {"same": 1, "template": 1}
    assert "By level of judgement" in (out / "index.html").read_text()
    sheet = (out / "sample.html").read_text()
    assert "clueweb12-0000tw-00-00001" in sheet
    assert len((out / "sample.tsv").read_text().splitlines()) == 4


def test_the_sample_is_drawn_by_its_seed(tmp_path: Path, sources: tuple[Path, Path]) -> None:
    sheets = []
    for seed in ("1", "1", "2"):
        run(*sources, "-o", tmp_path / "out", "--sample", "3", "--seed", seed)
        sheets.append((tmp_path / "out" / "sample.html").read_text())
    assert sheets[0] == sheets[1] != sheets[2]
    assert not list((tmp_path / "out").glob("sample-before-*")), "nobody had judged"


def test_a_sample_goes_with_its_comparison_but_not_what_people_judged(
    tmp_path: Path, sources: tuple[Path, Path]
) -> None:
    out, table = tmp_path / "out", tmp_path / "out" / "sample.tsv"
    run(*sources, "-o", out, "--sample", "3")
    code, _, said = run(*sources, "-o", out)
    assert (code, list(out.glob("sample*")), "kept as" in said) == (0, [], False), said
    for number, more in enumerate((("--sample", "3"), ()), 1):
        run(*sources, "-o", out, "--sample", "3")
        filled_in = table.read_text()[:-1] + "same\n"
        table.write_text(filled_in)
        code, _, said = run(*sources, "-o", out, *more)
        assert (code, f"sample-before-{number}.tsv" in said) == (0, True), said
        assert (out / f"sample-before-{number}.tsv").read_text() == filled_in
        assert table.exists() == bool(more)


def html(main: str, frame: str) -> str:
    return page(main, frame).decode()


def test_fingerprints_stay_with_a_collection_until_its_archive_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make_collection(tmp_path / "c")
    (root / "crawl" / "shard-00").mkdir(parents=True)
    pages = [answer(f"http://a.test/{n}", html(prose(200 * n, 60), MENU)) for n in range(5)]
    archive = write_archive(root / "crawl" / "shard-00" / "0.warc.gz", pages)
    other = write_lines(tmp_path / "b.jsonl", [{"id": "b", "text": prose(0, 60)}])
    args = (root, other, "-o", tmp_path / "out", "--on", "main")
    _, facts, said = run(*args)
    assert (facts["documents_a"], facts["near_duplicates"]) == (5, 1), said
    assert lines(tmp_path / "out" / "pairs.jsonl")[0]["a"] == "http://a.test/0"
    kept = {path.name for path in (root / "fingerprints").iterdir()}
    assert {path.rpartition(".")[2] for path in kept} == {"arrow", "json"}
    reads: list[Path] = []

    def watched(path: Path, *given: Any, **more: Any) -> Any:
        reads.append(path)
        return iterate_archive(path, *given, **more)

    monkeypatch.setattr(documents, "iterate_archive", watched)
    run(root, other, "-o", tmp_path / "fresh", "--no-verify")
    assert reads == [], "compared by its fingerprints alone"
    write_archive(archive, pages[:3])
    assert run(*args)[1]["documents_a"] == 3
    assert reads == [archive]
    assert not kept & {path.name for path in (root / "fingerprints").iterdir()}


def test_interrupted_work_goes_on(
    tmp_path: Path, sources: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    out, args = tmp_path / "out", (*sources, "--segment", "10")
    real, calls = run_comparison.measure, []

    def tired(*given: Any) -> Any:
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return real(*given)

    monkeypatch.setattr(run_comparison, "measure", tired)
    code, _, said = run(*args, "-o", out)
    assert (code, "goes on" in said) == (11, True)
    assert len(list(out.glob("work/*/segment-*"))) == 1
    assert not (out / "index.html").exists()
    assert not list(out.rglob("*.part"))
    assert run(*args, "-o", out)[0] == 0
    assert len(calls) == 2 + 2 + 1, "the rest of the segments, and the shared addresses"
    assert run(*args, "-o", tmp_path / "again")[0] == 0
    assert (out / "pairs.jsonl").read_text() == (tmp_path / "again" / "pairs.jsonl").read_text()


def test_segments_that_are_drawn_tell_of_the_others(tmp_path: Path) -> None:
    a = write_lines(tmp_path / "a.jsonl", documents_of("a", 8))
    folder = tmp_path / "b"
    folder.mkdir()
    for part in range(8):
        write_lines(folder / f"{part}.jsonl", documents_of("b", 8))
    shelf = tmp_path / "shelf"
    options = ("--segments", "3", "--fingerprints", shelf)
    code, facts, said = run(a, folder, "-o", tmp_path / "out", *options)
    assert code == 0, said
    whole = json.loads((tmp_path / "out" / "comparison.json").read_text())
    assert (whole["b"]["files"], whole["b"]["files_read"]) == (8, 3)
    assert len(list(shelf.glob("*.arrow"))) == 4, "the others were not read"
    truth = 8 * whole["near_duplicates"]["pairs"] / 3
    assert whole["extrapolated"]["pairs"]["value"] == pytest.approx(truth)
    assert whole["extrapolated"]["a_found"]["at_most"] <= 8
    documents = whole["extrapolated"]["documents"]["value"]
    assert whole["extrapolated"]["b_found"]["value"] <= documents == pytest.approx(64)
    assert facts["pairs_expected"][0] == pytest.approx(truth)
    assert "Extrapolated" in (tmp_path / "out" / "index.html").read_text()


def test_bad_input(tmp_path: Path) -> None:
    good = [json.dumps(row).encode() for row in documents_of("a", 6)]
    a, b = tmp_path / "a.jsonl", tmp_path / "b.jsonl.gz"
    empty = b'{"id": "e", "text": ""}'
    a.write_bytes(
        b"\n".join([*good, empty, b"\xff\xfe nonsense", good[0], b'{"id": 1}', good[1][:9]])
    )
    b.write_bytes(
        gzip.compress(b"\n".join([*good, empty, b'{"id": "z", "text": "\xff\xe9t"}']))[:-9]
    )
    code, facts, said = run(a, b, "-o", tmp_path / "out")
    assert code == 0, said
    assert facts["documents_a"] == 8
    assert facts["not_read"] == 4
    assert "not read" in said
    pairs = lines(tmp_path / "out" / "pairs.jsonl")
    assert ("a0#2", "a0") in {(row["a"], row["b"]) for row in pairs}
    assert not any("e" in (row["a"], row["b"]) for row in pairs), "empty texts are like no other"
    whole = json.loads((tmp_path / "out" / "comparison.json").read_text())
    assert (whole["a"]["empty"], whole["a"]["renamed_ids"]) == (1, 1)


def test_every_document_has_a_name_of_its_own(tmp_path: Path) -> None:
    rows = [{"id": name, "text": words(1, 40)} for name in ("a", "a", "a", "a#2", None)]
    a = write_lines(tmp_path / "a.jsonl", rows)
    b = write_lines(tmp_path / "b.jsonl", rows[3:4])
    _, facts, _ = run(a, b, "-o", tmp_path / "out")
    assert facts["not_read"] == 1, "null is no name"
    named = [row["a"] for row in lines(tmp_path / "out" / "pairs.jsonl")]
    assert sorted(named) == ["a", "a#2", "a#3", "a#4"]


def test_captures_of_one_address_have_names_of_their_own(tmp_path: Path) -> None:
    text = html(prose(0, 100), MENU)
    for name, files in (("a", (2, 1)), ("b", (1,))):
        (tmp_path / name).mkdir()
        for number, captures in enumerate(files):
            days = [f"2026-0{number + 1}-0{day + 1}T00:00:00Z" for day in range(captures)]
            answers = [answer("http://a.test/", text, day) for day in days]
            write_archive(tmp_path / name / f"{number}.warc.gz", answers)
    out = tmp_path / "out"
    code, _, said = run(tmp_path / "a", tmp_path / "b", "-o", out, "--sample", "5")
    assert code == 0, said
    expected = ["http://a.test/", "http://a.test/#2", "http://a.test/#3"]
    assert [row["a"] for row in lines(out / "pairs.jsonl")] == expected
    table = (out / "sample.tsv").read_text().splitlines()[1:]
    assert sorted(row.split("\t")[1] for row in table) == expected


@pytest.fixture
def texts(tmp_path: Path) -> tuple[Path, Path]:
    for side in ("tx", "ty"):
        (tmp_path / side / "more").mkdir(parents=True)
        for number in range(2):
            (tmp_path / side / "more" / f"{number}.txt").write_text(words(100 * number, 50))
    return tmp_path / "tx", tmp_path / "ty"


def test_nothing_is_written_where_it_would_be_read(
    tmp_path: Path, texts: tuple[Path, Path]
) -> None:
    before = sorted(tmp_path.rglob("*"))
    for out in (*texts, texts[1] / "more" / "report", tmp_path):
        code, _, said = run(*texts, "-o", out)
        assert (code, "choose a folder" in said) == (4, True), said
    assert sorted(tmp_path.rglob("*")) == before
    root = make_collection(tmp_path / "c")
    (root / "crawl" / "shard-00").mkdir(parents=True)
    pages = [answer("http://a.test/", html(prose(0, 60), MENU))]
    write_archive(root / "crawl" / "shard-00" / "0.warc.gz", pages)
    for place, expected in ((root, 4), (root / "crawl" / "x", 4), (root / "report", 0)):
        code, _, said = run(root, texts[0], "-o", place)
        assert code == expected, said


def test_folders_of_others_are_left_alone_and_own_ones_go_on(
    tmp_path: Path, texts: tuple[Path, Path]
) -> None:
    out = tmp_path / "out"
    for name in ("notes.txt", "comparison.json", "pairs.jsonl", "index.html"):
        out.mkdir()
        (out / name).write_text('{"by": "somebody else"}')
        code, _, said = run(*texts, "-o", out)
        assert (code, [path.name for path in out.iterdir()]) == (1, [name]), said
        assert "somebody else" in (out / name).read_text()
        (out / name).unlink()
        out.rmdir()
    (out / "fingerprints").mkdir(parents=True)
    (out / "fingerprints" / f".{'a' * 24}.arrow.99999999.part").write_text("killed")
    found = []
    for _ in range(2):
        code, facts, said = run(*texts, "-o", out)
        assert code == 0, said
        found.append(facts)
        (out / "notes.txt").write_text("beside a comparison, and allowed there")
    assert found[0] == found[1]
    assert found[0]["documents_a"] == 2
    for name in ("comparison.json", "index.html"):  # as if it had been killed while it wrote
        (out / name).unlink()
    assert run(*texts, "-o", out)[0] == 0


def test_nothing_to_compare(tmp_path: Path, sources: tuple[Path, Path]) -> None:
    nothing = write_lines(tmp_path / "n.jsonl", [])
    code, facts, said = run(nothing, nothing, "-o", tmp_path / "out", "--sample", "3")
    assert code == 0, said
    assert (facts["documents_a"], facts["near_duplicates"]) == (0, 0)
    assert [key for key in facts if key.endswith("_pairs")] == [
        *("same_pairs", "other_frame_pairs", "excerpt_pairs", "revision_pairs"),
        *("template_pairs", "little_pairs", "unknown_pairs"),
    ]
    code, facts, _ = run(sources[0], nothing, "-o", tmp_path / "out2")
    assert (code, facts["candidates"]) == (0, 0)
    assert "no addresses" in (tmp_path / "out2" / "index.html").read_text()


def test_mistakes_are_named(tmp_path: Path, sources: tuple[Path, Path]) -> None:
    out = ("-o", tmp_path / "out")
    assert run(*sources, *out, "--method", "guess")[0] == 4
    assert run(*sources, *out, "--on", "guess")[0] == 4
    assert run(*sources, *out, "--threshold", "0")[0] == 4
    code, _, said = run(*sources, *out, "--threshold", "0.39")
    assert (code, "at least 0.4" in said) == (4, True)
    code, _, said = run(tmp_path / "nothing", sources[0], *out)
    assert (code, "there is no" in said) == (1, True)
    assert run(*sources, "-o", sources[0])[0] == 1
    bad = tmp_path / "qrels"
    bad.write_text("one two\n")
    code, _, said = run(*sources, *out, "--qrels", bad)
    assert (code, "line 1" in said) == (1, True)
    assert run(make_collection(tmp_path / "c"), sources[0], *out)[0] == 1


@pytest.mark.parametrize("method", ["minhash", "simhash"])
def test_without_verifying_nothing_is_read_again(
    tmp_path: Path, sources: tuple[Path, Path], method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_comparison, "fetch_words", None)
    options = ("--no-verify", "--method", method, "--distance", "6")
    code, facts, said = run(*sources, "-o", tmp_path / "out", *options)
    assert code == 0, said
    assert facts["near_duplicates"] == facts["unknown_pairs"] > 0
    assert facts["same_pairs"] == 0, "also what does not occur has its key"
    assert "estimated" in (tmp_path / "out" / "index.html").read_text()


def test_only_own_results_are_cleared_away(tmp_path: Path, sources: tuple[Path, Path]) -> None:
    out = tmp_path / "out"
    theirs = [out / "work" / "thesis" / "notes.txt", out / "work" / ("a" * 16) / "notes.txt"]
    assert run(*sources, "-o", out)[0] == 0
    for file in theirs:
        file.parent.mkdir(parents=True)
        file.write_text("precious")
    (first,) = {each.parent for each in out.glob("work/*/*.npz")}
    assert run(*sources, "-o", out, "--threshold", "0.8")[0] == 0
    assert not first.exists()
    assert [file.read_text() for file in theirs] == ["precious"] * 2


def test_pages_with_one_notice_are_a_template_without_hosts_and_with(tmp_path: Path) -> None:
    read = read_page(recipe(1).encode(), methods=())
    assert isinstance(read, Page)
    assert read.main_text.startswith(NOTICE[:80])
    for side, numbers in (("a", range(5)), ("b", range(4, 9))):
        (tmp_path / side).mkdir()
        for number in numbers:
            (tmp_path / side / f"{number}-{side}.html").write_text(recipe(number))
        few = [answer(f"http://r.test/{n}", recipe(n)) for n in list(numbers)[-2:]]
        write_archive(tmp_path / f"{side}.warc.gz", few)
    out = tmp_path / "out"
    code, _, said = run(tmp_path / "a", tmp_path / "b", "-o", out)
    assert code == 0, said
    assert [(row["a"], row["b"]) for row in lines(out / "pairs.jsonl")] == [
        ("4-a.html", "4-b.html")
    ]
    qrels = tmp_path / "qrels"
    qrels.write_text("1 0 http://r.test/3 2\n")
    archives = tmp_path / "a.warc.gz", tmp_path / "b.warc.gz"
    code, facts, said = run(*archives, "-o", tmp_path / "out2", "--qrels", qrels)
    assert (code, facts["near_duplicates"], facts["judgements_carried"]) == (0, 0, 0), said
    code, facts, _ = run(*archives, "-o", tmp_path / "out3", "--no-verify")
    assert (code, facts["near_duplicates"]) == (0, 0)


@pytest.mark.parametrize("hosts", [True, False])
def test_the_sheet_shows_no_main_text_that_measuring_rejected(tmp_path: Path, hosts: bool) -> None:
    for side, numbers in (("a", range(5)), ("b", range(4, 9))):
        pages = [answer(f"http://r.test/{n}", recipe(n)) for n in numbers]
        write_archive(tmp_path / f"{side}.warc.gz", pages)
        (tmp_path / side).mkdir()
        for number in numbers:
            (tmp_path / side / f"{number}.html").write_text(recipe(number))
    sources = [tmp_path / (f"{side}.warc.gz" if hosts else side) for side in "ab"]
    out = tmp_path / "out"
    code, facts, said = run(*sources, "-o", out, "--sample", "99", "--threshold", "0.4")
    others = facts["little_pairs" if hosts else "template_pairs"]
    assert (code, others, facts["same_pairs"]) == (0, 24, 1), said
    sheet = (out / "sample.html").read_text()
    assert sheet.count("<mark>") >= 2 * 60 * others, "what the other does not have"
    assert ("All text" in sheet) == (not hosts), "of the pair of equal pages, at most"


def test_documents_without_words_at_one_address_are_not_different(tmp_path: Path) -> None:
    rows = documents_of("a", 3)
    empty = [{"id": f"e{n}", "url": f"http://e.test/{n}", "text": ""} for n in range(3)]
    a = write_lines(tmp_path / "a.jsonl", [*rows, *empty])
    b = write_lines(tmp_path / "b.jsonl", [*rows, *empty[:2], {**empty[2], "text": words(1, 50)}])
    code, _, said = run(a, b, "-o", tmp_path / "out")
    shared = json.loads((tmp_path / "out" / "comparison.json").read_text())["shared_documents"]
    assert code == 0, said
    assert (shared["documents"], shared["empty"], sum(shared["jaccard"])) == (4, 2, 4)
    assert (shared["mean"], shared["kinds"]) == (0.75, {"same": 3, "little": 1})


def test_several_files_of_judgements_and_none_are_lost(
    tmp_path: Path, sources: tuple[Path, Path]
) -> None:
    given: list[str | Path] = []
    for name, document in (("web.txt", "a1"), ("session.txt", "a2")):
        given += ["--qrels", tmp_path / name]
        (tmp_path / name).write_text(f"1 0 {document} 1\n1 2 {document} 0\n1 0 a29 1\n")
    out = tmp_path / "out"
    code, facts, said = run(*sources, "-o", out, *given)
    assert code == 0, said
    assert (facts["judgements_judged"], facts["judgements_carried"]) == (6, 4)
    assert (out / "qrels-web.txt").read_text() == "1 0 b1 1\n1 2 b1 0\n"
    assert (out / "qrels-session.txt").read_text() == "1 0 b2 1\n1 2 b2 0\n"
    report = (out / "index.html").read_text()
    assert "Relevance judgements: web" in report
    assert "Relevance judgements: session" in report
    code, _, said = run(*sources, "-o", out, *given[:2])
    assert (code, "qrels-session-before-1.txt" in said) == (0, True), said
    assert (out / "qrels.txt").read_text() == "1 0 b1 1\n1 2 b1 0\n"
    code, _, said = run(*sources, "-o", out)
    assert (code, "qrels-before-1.txt" in said) == (0, True), said
    kept = {path.name: path.read_text() for path in out.glob("qrels*.txt")}
    assert kept == {
        "qrels-web-before-1.txt": "1 0 b1 1\n1 2 b1 0\n",
        "qrels-session-before-1.txt": "1 0 b2 1\n1 2 b2 0\n",
        "qrels-before-1.txt": "1 0 b1 1\n1 2 b1 0\n",
    }


def test_of_a_part_nothing_is_said_of_all(tmp_path: Path) -> None:
    rows = [{**row, "id": f"a{n}"} for n, row in enumerate(documents_of("a", 20))]
    a = write_lines(tmp_path / "a.jsonl", rows)
    folder = tmp_path / "b"
    folder.mkdir()
    for part in range(10):
        write_lines(folder / f"{part}.jsonl", rows[2 * part : 2 * part + 2])
    qrels = tmp_path / "qrels"
    qrels.write_text("".join(f"1 0 a{n} 1\n" for n in range(20)) + "1 0 none 1\n")
    out = tmp_path / "out"
    code, facts, said = run(a, folder, "-o", out, "--qrels", qrels, "--segments", "4")
    assert (code, "in part" in said) == (0, True), said
    assert (facts["shared_addresses"], facts["judgements_carried"]) == (8, 8)
    value, low, high = facts["shared_addresses_expected"]
    assert low <= 20 <= high <= 20
    assert value == pytest.approx(20, abs=3)
    lost = [row.split("\t")[-1] for row in (out / "qrels-lost.tsv").read_text().splitlines()[1:]]
    assert (lost.count(NOT_YET), lost.count(NOT_IN_A)) == (12, 1)
    report = (out / "index.html").read_text()
    assert "4 of 10 files were read" in report
    assert "was not drawn" in report
    code, facts, said = run(a, folder, "-o", out, "--qrels", qrels)
    assert (facts["judgements_carried"], "in part" in said) == (20, False)
