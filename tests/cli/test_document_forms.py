"""Files of many documents, as compare and dedupe read them whatever they are called."""

import bz2
import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from blickfang.cli import app
from tests.compare.corpora import page, prose, words, write_lines

TEXTS = {f"d{n}": words(1000 * n, 80) for n in range(4)}
URL = "http://h.test/{}".format


def run(*args: str | Path) -> tuple[int, dict[str, Any], str]:
    done = CliRunner().invoke(app, [*map(str, args), "--json"])
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return done.exit_code, rows[0] if rows else {}, done.output


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def trec(name: str, text: str) -> str:
    return f"<DOC>\n<DOCNO> {name} </DOCNO>\n<TEXT>\n{text}\n</TEXT>\n</DOC>\n"


def trec_web(name: str, text: str) -> str:
    head = f"<DOCHDR>\n{URL(name)} 10.0.0.1 20020101 text/html 99\nHTTP/1.1 200 OK\n</DOCHDR>"
    html = page(text, words(9000, 30)).decode()
    return f"<DOC>\n<DOCNO>{name}</DOCNO>\n{head}\n{html}\n</DOC>\n"


def lines(first: str, last: str, name: str = "{}", text: str = "{}") -> str:
    rows = ({first: name.format(n), last: text.format(t), "more": 1} for n, t in TEXTS.items())
    return "".join(json.dumps(row) + "\n" for row in rows)


FORMS = {
    "news.sgml": "".join(trec(n, t) for n, t in TEXTS.items()),
    "G00": "".join(trec_web(n, t) for n, t in TEXTS.items()),
    "docs.tsv": "".join(f"{n}\t{URL(n)}\t{t}\n" for n, t in TEXTS.items()),
    "collection.tsv": "".join(f"{n}\t{t}\n" for n, t in TEXTS.items()),
    "long.txt": "".join(f"{n}\t{t}\n" for n, t in TEXTS.items()),
    "named.txt": "text\tdocid\n" + "".join(f"{t}\t{n}\n" for n, t in TEXTS.items()),
    "pyserini.jsonl": lines("docid", "contents"),
    "trec.jsonl": lines("docno", "body"),
    "clueweb22.json": lines("ClueWeb22-ID", "Clean-Text"),
    "c4.ndjson": lines("url", "text"),
    "lines.txt": lines("id", "text"),
    "lines": lines("_id", "text"),
}


@pytest.mark.parametrize(
    ("name", "pack"), [*((n, "") for n in FORMS), ("G00", ".gz"), ("docs.tsv", ".bz2")]
)
def test_files_of_many_documents_are_read_as_many(tmp_path: Path, name: str, pack: str) -> None:
    data = FORMS[name].encode()
    source = tmp_path / "in" / (name + pack)
    source.parent.mkdir()
    source.write_bytes({"": data, ".gz": gzip.compress(data), ".bz2": bz2.compress(data)}[pack])
    plain = write_lines(tmp_path / "b.jsonl", [{"id": n, "text": t} for n, t in TEXTS.items()])
    for given in (source, source.parent):
        code, facts, said = run("dedupe", given)
        assert (code, facts["documents"], facts["empty"], facts["failures"]) == (0, 4, 0, 0), said
    code, facts, said = run("compare", source, plain, "-o", tmp_path / "out", "--on", "main")
    assert (code, facts["documents_a"], facts["near_duplicates"]) == (0, 4, 4), said
    found = {
        (row["a"].rpartition("/")[2], row["b"]) for row in read(tmp_path / "out" / "pairs.jsonl")
    }
    assert found == {(name, name) for name in TEXTS}


@pytest.mark.parametrize("line", ["{} {}", "{}, {}", "{}\t{}", "{1}"])
def test_lists_of_addresses_are_compared_by_them(tmp_path: Path, line: str) -> None:
    sides = []
    for side, numbers in (("a", range(9)), ("b", range(5, 20))):
        sides.append(tmp_path / f"{side}.txt")
        text = "".join(line.format(f"{side}-{n}", URL(n)) + "\n" for n in numbers)
        sides[-1].write_text(text)
    code, facts, said = run("compare", *sides, "-o", tmp_path / "out")
    assert (code, facts["documents_a"], facts["shared_addresses"]) == (0, 9, 4), said
    assert facts["empty"] == 9 + 15


WIKI = "<mediawiki><page><title>A</title><revision><text>x</text></revision></page></mediawiki>"
REFUSED = {
    "dump.xml": (WIKI, "MediaWiki"),
    "dump2.xml": (f'<?xml version="1.0"?>\n{WIKI}', "MediaWiki"),
    "wiki_00": ('<doc id="1" url="http://w.test/?curid=1" title="A">\nx\n</doc>\n' * 3, "--json"),
    "rows.json": (json.dumps([{"id": 1, "text": "a"}]), "JSON array"),
    "pretty.json": (json.dumps([{"id": 1, "text": "a"}], indent=1), "JSON array"),
    "docs.csv": ("id,text\n1,a\n", "commas"),
    "wide.tsv": ("a\tb\tc\td\n1\t2\t3\t4\n", "--text-field"),
    "odd.jsonl": ('{"key": 1, "prose": "a"}\n', "--id-field"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_text_and_not_read_is_refused_by_name(tmp_path: Path, name: str) -> None:
    text, why = REFUSED[name]
    (tmp_path / name).write_text(text)
    code, _, said = run("dedupe", tmp_path / name)
    assert (code, why in said) == (1, True), said
    good = write_lines(tmp_path / "b.jsonl", [{"id": "b", "text": "b"}])
    code, _, said = run("compare", tmp_path / name, good, "-o", tmp_path / "out")
    assert (code, why in said) == (1, True), said


NO_TABLES = {
    "glossary.txt": "cat\tan animal\ndog\tanother animal\n",
    "prose.txt": "See http://a.test/\nfor more.\n",
    "one.txt": "d1 http://a.test/",
    "code.json": '{"name": "x",\n "text": "y"}\n',
    "tags.txt": "<DOCUMENT> about <DOCNO>\n",
    "brackets.txt": "[1] A reference\n[2] Another\n",
}


def test_texts_that_look_a_little_like_that_stay_texts(tmp_path: Path) -> None:
    for name, text in NO_TABLES.items():
        (tmp_path / name).write_text(text)
    code, facts, said = run("dedupe", tmp_path)
    assert (code, facts["documents"], facts["failures"]) == (0, len(NO_TABLES), 0), said


def test_fields_have_the_names_that_are_given(tmp_path: Path) -> None:
    rows = [{"key": n, "id": "x", "prose": t, "link": URL(n), "n": 1} for n, t in TEXTS.items()]
    source = write_lines(tmp_path / "a.jsonl", [*rows, {**rows[0], "key": "copy"}])
    table = tmp_path / "a.parquet"
    pq.write_table(pa.table({k: [row[k] for row in rows] for k in rows[0]}), table)
    named = ("--id-field", "key", "--text-field", "prose")
    for kind in ("jsonl", "parquet"):
        keep = tmp_path / f"keep.{kind}"
        given = source if kind == "jsonl" else table
        code, facts, said = run("dedupe", given, *named, "--keep", keep)
        assert (code, facts["kept"]) == (0, 4), said
    assert read(tmp_path / "keep.jsonl") == rows
    assert pq.read_table(tmp_path / "keep.parquet").to_pylist() == rows
    out = tmp_path / "out"
    code, facts, said = run("compare", source, table, "-o", out, *named, "--url-field", "link")
    assert (code, facts["near_duplicates"], facts["shared_addresses"]) == (0, 5, 4), said
    code, _, said = run("dedupe", source, "--text-field", "nothing")
    assert (code, "--text-field" in said) == (1, True), said


def test_linked_folders_are_gone_into_once(tmp_path: Path) -> None:
    real, links = tmp_path / "real", tmp_path / "links"
    for part in ("x", "y"):
        (real / part).mkdir(parents=True)
        (real / part / "t.txt").write_text(prose(ord(part) * 100, 40))
        (real / part / "again").symlink_to(real / part)
    links.mkdir()
    for part in ("x", "y"):
        (links / part).symlink_to(real / part)
    code, facts, said = run("dedupe", links)
    assert (code, facts["documents"]) == (0, 2), said
    code, facts, said = run("compare", links, links, "-o", tmp_path / "out")
    assert (code, facts["documents_a"], facts["near_duplicates"]) == (0, 2, 2), said


def test_http_and_https_are_one_address_unless_told_apart(tmp_path: Path) -> None:
    rows = [{"id": n, "text": t, "url": URL(n)} for n, t in TEXTS.items()]
    a = write_lines(tmp_path / "a.jsonl", rows)
    b = write_lines(
        tmp_path / "b.jsonl", [{**row, "url": row["url"].replace("p:", "ps:")} for row in rows]
    )
    out = tmp_path / "out"
    for more, shared in (((), 4), (("--schemes-apart",), 0), ((), 4)):
        code, facts, said = run("compare", a, b, "-o", out, *more)
        assert (code, facts["shared_addresses"], facts["near_duplicates"]) == (0, shared, 4), said
        pairs = read(out / "pairs.jsonl")
        assert all(row["same_address"] == bool(shared) for row in pairs)


@pytest.mark.parametrize("command", ["dedupe", "compare"])
def test_all_that_could_not_be_read_is_counted(tmp_path: Path, command: str) -> None:
    bad = write_lines(tmp_path / "a.jsonl", [{"n": n} for n in range(1019)])
    rest = (bad, "-o", tmp_path / "out") if command == "compare" else ()
    code, _, said = run(command, bad, *rest)
    assert (code, "and 1,018 more failures" in said) == (1, True), said


@pytest.mark.parametrize("row", ["[1, 2]", "7", '"id text"', "null", '[["id", "text"]]'])
def test_rows_of_json_that_are_no_objects_are_named(tmp_path: Path, row: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(f"{row}\n{lines('id', 'text')}", encoding="utf-8")
    code, told, output = run("dedupe", path)
    assert (code, told["documents"]) == (0, 4)
    assert 'line 1: no object with "id" and "text"' in output
