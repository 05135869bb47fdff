"""The command dedupe, as a user meets it."""

import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from blickfang.cli import app
from blickfang.dedupe.equal_items import PAIR_BYTES
from blickfang.dedupe.run_dedupe import METHODS
from tests.compare.corpora import page as frame
from tests.compare.corpora import prose, recipe, words
from tests.samples.archives import page, write_archive, write_damaged

BASE = " ".join(f"word{'abcdefghij'[n % 10]}{'klmnopqrst'[n // 10 % 10]}" for n in range(100))
NEAR = BASE.replace("wordak", "other")
FAR = " ".join(f"thing{'abcdefghij'[n % 10]}{'uvwxyz'[n // 10 % 6]}" for n in range(60))
DOCUMENTS = {"a": BASE, "b": NEAR + " and more", "c": FAR, "d": "", "e": "one"}


def run(*args: str | Path) -> tuple[int, list[dict[str, Any]], str]:
    done = CliRunner().invoke(app, ["dedupe", *[str(arg) for arg in args]])
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return done.exit_code, rows, done.output


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def write(path: Path, documents: dict[str, str]) -> Path:
    rows = [{"id": name, "text": text, "more": 1} for name, text in documents.items()]
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(data))
    elif path.suffix == ".zst":
        with pa.output_stream(str(path), compression="zstd") as file:
            file.write(data)
    else:
        path.write_bytes(data)
    return path


@pytest.mark.parametrize("name", ["d.jsonl", "d.jsonl.gz", "d.jsonl.zst"])
def test_pairs_clusters_and_what_stays(tmp_path: Path, name: str) -> None:
    source = write(tmp_path / name, DOCUMENTS)
    pairs, clusters, keep = (tmp_path / n for n in ("pairs", "clusters", "keep"))
    outs = ("--pairs", pairs, "--clusters", clusters, "--keep", keep)
    code, (facts,), _ = run(source, *outs, "--threshold", "0.8", "--json")
    assert code == 0
    assert (facts["documents"], facts["pairs"], facts["kept"]) == (5, 1, 4)
    assert (facts["empty"], facts["not_compared"]) == (1, 0)
    (pair,) = lines(pairs)
    assert {pair["a"], pair["b"]} == {"a", "b"}
    assert 0.8 <= pair["jaccard"] < 1
    assert lines(clusters) == [{"keep": "b", "members": ["a", "b"]}]  # the longest stays
    assert [row["id"] for row in lines(keep)] == ["b", "c", "d", "e"]
    assert lines(keep)[0]["more"] == 1, "lines are kept as they were"


def test_other_sources(tmp_path: Path) -> None:
    table = pa.table({"id": list(DOCUMENTS), "text": list(DOCUMENTS.values())})
    pq.write_table(table, tmp_path / "d.parquet")
    folder = tmp_path / "texts"
    folder.mkdir()
    for name, text in DOCUMENTS.items():
        (folder / f"{name}.txt").write_text(text)
    html = "<html><body><p>{}</p></body></html>"
    answers = [page(f"http://a.test/{n}", html.format(t)) for n, t in DOCUMENTS.items()]
    archive = write_archive(tmp_path / "d.warc.gz", answers)
    for source in (tmp_path / "d.parquet", folder, archive):
        code, (facts,), _ = run(source, "--threshold", "0.8", "--json")
        assert (code, facts["pairs"]) == (0, 1), source


def test_damage_is_told_with_the_archive_it_is_in(tmp_path: Path) -> None:
    _, cut, empty = write_damaged(tmp_path)
    for names in ([tmp_path], [path.as_uri() for path in sorted(tmp_path.iterdir())]):
        code, (facts,), output = run(*names, "--json")
        assert (code, facts["documents"]) == (0, 1)
        told = {line for line in output.splitlines() if line.startswith("not read: ")}
        shown = (cut, empty) if names == [tmp_path] else (cut.as_uri(), empty.as_uri())
        assert told == {
            f"not read: http://a.test/gone in {shown[0]}: record shorter than it says",
            f"not read: {shown[1]}: empty file",
        }


@pytest.mark.parametrize("method", METHODS)
def test_identical_documents_cost_no_more_than_one(tmp_path: Path, method: str) -> None:
    source = write(tmp_path / "d.jsonl", {str(n): BASE for n in range(3000)})
    code, (facts,), _ = run(source, "--json", "--method", method)
    assert (code, facts["kept"], facts["clusters"]) == (0, 1, 1)
    assert (facts["pairs"], facts["candidates"], facts["not_compared"]) == (2999, 0, 0)


@pytest.mark.parametrize("method", METHODS)
def test_no_document_speaks_for_others_that_only_have_its_fingerprint(
    tmp_path: Path, method: str
) -> None:
    shuffled = " ".join(BASE.split()[::-1])  # the same words: so is its SimHash
    texts = {"first": shuffled, **{str(n): BASE for n in range(1200)}}
    source = write(tmp_path / "d.jsonl", texts)
    for shingle in ("3", "1"):  # of one word, also all shingles are the same
        args = ("--json", "--method", method, "--shingle", shingle, "--threshold", "0.95")
        code, (facts,), _ = run(source, *args)
        whole = 1201 if shingle == "1" and method != "study" else 1200
        assert (code, facts["clusters"], facts["largest_cluster"]) == (0, 1, whole)


@pytest.mark.parametrize("method", METHODS)
def test_templates_take_no_more_than_the_memory_allowed(tmp_path: Path, method: str) -> None:
    words = [f"{a}{b}{c}" for a in "abcdefgh" for b in "ijklmnop" for c in "qrstu"]
    texts = {str(n): " ".join([*words[: n % 300], f"x{n}", *words[n % 300 :]]) for n in range(1500)}
    source = write(tmp_path / "d.jsonl", texts)
    facts = {}
    for memory in ("64", "4096"):
        code, (facts[memory],), _ = run(source, "--json", "--method", method, "--memory", memory)
        assert (code, facts[memory]["largest_cluster"] > 1400) == (0, True)
    assert facts["64"]["pairs"] <= 64 * 2**20 // PAIR_BYTES < facts["4096"]["pairs"]
    missing = facts["4096"]["pairs"] - facts["64"]["pairs"]
    assert facts["64"]["not_compared"] >= missing


def test_methods_and_mistakes(tmp_path: Path) -> None:
    source = write(tmp_path / "d.jsonl", {"a": BASE, "b": BASE, "c": FAR})
    for method in ("simhash", "study", "minhash"):
        _, (facts,), _ = run(source, "--method", method, "--json")
        assert facts["pairs"] == 1, method
    _, (facts,), _ = run(source, "--method", "simhash", "--no-verify", "--json")
    assert facts["pairs"] == 1
    assert run(source, "--method", "guess")[0] == 4
    assert run(source, "--threshold", "0")[0] == 4
    code, _, said = run(source, "--threshold", "0.39")
    assert (code, "at least 0.4" in said) == (4, True)
    assert run(source, "--threshold", "0.39", "--method", "simhash")[0] == 0
    assert run(tmp_path / "nothing.jsonl")[0] == 1


def test_bad_lines_are_named_and_ids_made_different(tmp_path: Path) -> None:
    source = tmp_path / "d.jsonl"
    good = json.dumps({"id": "a", "text": BASE}).encode()
    source.write_bytes(good + b"\nnonsense\n\xff\xfe{\n" + good + b"\n" + good[:20])
    pairs = tmp_path / "pairs"
    code, (facts,), said = run(source, "--pairs", pairs, "--json")
    assert (code, facts["documents"], facts["failures"], facts["renamed_ids"]) == (0, 2, 3, 1)
    assert "line 2" in said
    assert lines(pairs)[0]["b"] == "a#2"
    whole = gzip.compress(good + b"\n" + good)
    (tmp_path / "cut.jsonl.gz").write_bytes(whole[:-12])
    code, (facts,), said = run(tmp_path / "cut.jsonl.gz", "--json")
    assert code == 0
    assert "cut or damaged" in said


def test_a_doubled_id_is_the_same_everywhere(tmp_path: Path) -> None:
    source, other = tmp_path / "d.jsonl", "quite other words that nobody else has said so far today"
    rows = [("a", other), ("a", BASE), ("\ud800", BASE), ("b", BASE + " more of it"), ("é", BASE)]
    source.write_text(
        "\n".join(json.dumps({"text": text, "id": name, "n": 1}) for name, text in rows)
    )
    pairs, keep = tmp_path / "pairs", tmp_path / "keep"
    assert run(source, "--pairs", pairs, "--keep", keep, "--threshold", "1")[0] == 0
    assert [row["id"] for row in lines(keep)] == ["a", "a#2", "b"]
    assert lines(keep)[1] == {"text": BASE, "id": "a#2", "n": 1}
    assert pairs.read_text("utf-8").splitlines() == [
        '{"a": "a#2", "b": "\\ud800", "jaccard": 1.0}',
        '{"a": "a#2", "b": "é", "jaccard": 1.0}',
        '{"a": "\\ud800", "b": "\\u00e9", "jaccard": 1.0}',
    ]


def test_odd_ids_and_texts(tmp_path: Path) -> None:
    source = tmp_path / "d.jsonl"
    rows = [
        ("a", BASE),
        ("a", BASE),
        ("a#2", BASE),
        ("none", None),
        ("nil", None),
        ("\ud800", BASE),
    ]
    text = "\n".join(json.dumps({"id": name, "text": text}) for name, text in rows)
    source.write_bytes(b"\xef\xbb\xbf" + text.encode())
    clusters, keep = tmp_path / "clusters", tmp_path / "keep"
    code, (facts,), _ = run(source, "--clusters", clusters, "--keep", keep, "--json")
    assert (code, facts["documents"], facts["failures"], facts["renamed_ids"]) == (0, 6, 0, 2)
    assert lines(clusters) == [{"keep": "a", "members": ["a", "a#2", "a#2#2", "\ud800"]}]
    assert [row["id"] for row in lines(keep)] == ["a", "none", "nil"]


def test_sources_are_not_written_over(tmp_path: Path) -> None:
    source = write(tmp_path / "d.jsonl", DOCUMENTS)
    before = source.read_bytes()
    (tmp_path / "link.jsonl").symlink_to(source)
    for option in ("--pairs", "--clusters", "--keep"):
        for out in (source, tmp_path / "link.jsonl"):
            code, _, said = run(source, option, out)
            assert code == 4
            assert "is read from" in said
    assert run(source, "--pairs", tmp_path / "o", "--keep", tmp_path / "o")[0] == 4
    assert run(source, "--keep", tmp_path / "o.jsonl.gz")[0] == 4
    assert run(tmp_path, "--keep", tmp_path / "o.jsonl")[0] == 4
    assert source.read_bytes() == before
    assert not (tmp_path / "o.jsonl").exists()


def test_saved_pages_are_read_as_pages(tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    menu = "<nav>" + "".join(f"<a href=/{n}>Item {n}</a> " for n in range(60)) + "</nav>"
    text = "".join(f"<p>{BASE[at : at + 200]}.</p>" for at in range(0, len(BASE), 200))
    (folder / "a.html").write_text(f"<title>A</title>{text}")
    (folder / "b.htm").write_text(f"<title>B</title>{menu}<main><article>{text}</article></main>")
    (folder / ".hidden.html").write_text(f"<title>H</title>{text}")
    _, (facts,), _ = run(folder, "--json", "--main-text", "--keep", tmp_path / "k.jsonl")
    assert (facts["documents"], facts["pairs"]) == (2, 1)
    (kept,) = lines(tmp_path / "k.jsonl")
    assert "<p>" not in kept["text"]
    assert run(folder, "--json")[1][0]["pairs"] == 0  # all text differs by the menu


def test_what_is_not_verified_is_what_the_method_says(tmp_path: Path) -> None:
    source = write(tmp_path / "a.jsonl", {**DOCUMENTS, "same": BASE})
    for verify, known in (("--verify", 3), ("--no-verify", 1)):
        out = tmp_path / f"{verify}.jsonl"
        run(source, verify, "--threshold", "0.8", "--pairs", out)
        pairs = lines(out)
        assert {(row["a"], row["b"]) for row in pairs} >= {("a", "b"), ("a", "same")}
        assert sum(row["jaccard"] is not None for row in pairs) == known


def test_sources_of_which_nothing_can_be_read_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"docno": 1}\n[]\n')
    code, _, said = run(tmp_path / "a.jsonl", "--keep", tmp_path / "kept.jsonl")
    assert code == 1
    assert "no document could be read" in said
    assert not (tmp_path / "kept.jsonl").exists()
    assert run(write(tmp_path / "b.jsonl", {}), "--json")[1][0]["documents"] == 0
    assert run(tmp_path / "b.jsonl", "--method", "simhash", "--distance", "64")[0] == 4


def test_other_encodings_of_lines_and_ids(tmp_path: Path) -> None:
    data = json.dumps({"id": "u", "text": f"Müller {BASE}"}, ensure_ascii=False)
    (tmp_path / "l.jsonl").write_bytes(data.encode("latin-1") + b"\n")
    odd = tmp_path / "odd.jsonl"
    odd.write_text("".join(f'{{"id": "{name}\\ud800", "text": "{BASE}"}}\n' for name in "ab"))
    run(tmp_path / "l.jsonl", odd, "--keep", tmp_path / "k.jsonl", "--pairs", tmp_path / "p.jsonl")
    assert "Müller" in (tmp_path / "k.jsonl").read_text()
    assert {row["b"] for row in lines(tmp_path / "p.jsonl")} >= {"b\ud800"}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", ["folder", "archive", "archive of few"])
def test_pages_with_one_notice_are_no_copies_by_main_text(
    tmp_path: Path, kind: str, method: str
) -> None:
    numbers = [1, 2, 1] if kind == "archive of few" else [*range(12), 3]
    source = tmp_path / "pages"
    source.mkdir()
    for place, number in enumerate(numbers):
        (source / f"{place}.html").write_text(recipe(number))
    if kind != "folder":
        pages = [page(f"http://r.test/{place}", recipe(n)) for place, n in enumerate(numbers)]
        source = write_archive(tmp_path / "pages.warc.gz", pages)
    keep = tmp_path / "keep.jsonl"
    how = ("--main-text", "--method", method, "--keep", keep, "--json")
    code, (facts,), said = run(source, *how)
    assert (code, facts["copies"], facts["largest_cluster"]) == (0, 1, 2), said
    texts = [row["text"] for row in lines(keep)]
    assert len(set(texts)) == len(numbers) - 1, "what counted is kept, not the notice"


def test_pages_without_main_text_count_with_all_of_it(tmp_path: Path) -> None:
    for number, text in enumerate((BASE, NEAR, FAR)):
        items = "".join(f"<li><a href='/{each}'>{each}</a></li>" for each in text.split())
        (tmp_path / f"{number}.html").write_text(f"<html><body><ul>{items}</ul></body></html>")
    code, (facts,), said = run(tmp_path, "--main-text", "--json")
    assert (code, facts["empty"], facts["copies"]) == (0, 0, 1), said


@pytest.mark.parametrize("method", METHODS)
def test_an_article_in_two_layouts_is_one_by_main_text(tmp_path: Path, method: str) -> None:
    for number in range(8):
        story = prose(1000 * number, 150)
        for layout in range(2 if number == 3 else 1):
            html = frame(story, words(90_000 + 1000 * layout, 70))
            (tmp_path / f"{number}-{layout}.html").write_bytes(html)
    code, (facts,), said = run(tmp_path, "--main-text", "--method", method, "--json")
    assert (code, facts["copies"]) == (0, 1), said
    assert run(tmp_path, "--method", method, "--json")[1][0]["copies"] == 0
