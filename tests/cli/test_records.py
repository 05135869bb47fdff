"""The commands records, classes and rules, as a user meets them."""

import csv
import gzip
import io
import json
import os
from contextlib import chdir
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from blickfang.cli import app
from blickfang.io.escaping import CONTROLS, TURNING
from blickfang.records.run_records import list_columns, row_of_publication
from blickfang.records.write_records import write_bibtex, write_csv
from blickfang.types import Record
from tests.crawl.sites import Sites, page, serving, text, write_collection
from tests.samples.archives import page as archived
from tests.samples.archives import write_archive

NAMES = ["Red mug", "Blue mug", "Green bowl", "White plate", "=cmd|'x'!A1", "Tin \x1b[31mcup"]


def shop(names: list[str]) -> str:
    items = "".join(
        f"<div class=item><img src=/{k}.jpg><h3>{name}</h3><p class=price>${k}.50</p>"
        f"<p>Number {k} of the things we sell here</p></div>"
        for k, name in enumerate(names)
    )
    return f"<h1>Shop</h1><nav><a href=/a>A</a> <a href=/b>B</a></nav><div class=list>{items}</div>"


PAPERS = "<h1>Publications</h1><ul>" + "".join(
    f"<li>Ann Smith, Bob van Jones and C. Ray: <i>On {word} things and their {word} uses</i>. "
    f"In Proceedings of Things, 20{k + 10}. <a href=/p{k}.pdf>PDF</a></li>"
    for k, word in enumerate(["red", "blue", "green", "round", "old", "heavy", "small", "light"])
)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BLICKFANG_HOME", str(tmp_path / "home"))
    (tmp_path / "shop.html").write_text(shop(NAMES))
    (tmp_path / "more.html.gz").write_bytes(gzip.compress(shop(NAMES[1:4]).encode("utf-16")))
    (tmp_path / "papers.htm").write_text(PAPERS)
    (tmp_path / "plain.html").write_text("<p>Nothing that is repeated.</p>")
    (tmp_path / "binary.html").write_bytes(bytes(3000))
    return tmp_path


def call(*arguments: str, cwd: Path, stdin: str = "") -> CompletedProcess[str]:
    with chdir(cwd):
        done = CliRunner().invoke(app, arguments, input=stdin, catch_exceptions=False)
    return CompletedProcess(arguments, done.exit_code, done.stdout, done.stderr)


def table(done: CompletedProcess[str]) -> list[dict[str, str]]:
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


def lines(content: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in content.splitlines()]


def test_the_list_of_a_page(here: Path) -> None:
    rows = table(call("records", "shop.html", cwd=here))
    assert list(rows[0]) == ["region", "row", "image", "cell", "price", "title", "text"]
    assert [(row["region"], row["row"]) for row in rows] == [("1", str(k)) for k in range(1, 7)]
    second = ["/1.jpg", "Blue mug", "$1.50", "Number 1 of the things we sell here"]
    assert list(rows[1].values())[2:6] == second
    assert rows[4]["cell"].startswith("'="), "no cell is a formula"
    assert all("\x1b" not in cell for row in rows for cell in row.values())


def test_several_pages_name_themselves_and_bad_ones_stop_nothing(here: Path) -> None:
    names = ("shop.html", "binary.html", "gone.html", "plain.html", "more.html.gz")
    done = call("records", *names, "--format", "jsonl", cwd=here)
    assert done.returncode == 0
    rows = lines(done.stdout)
    own = ["image", "cell", "price", "title"]
    assert list(rows[0]) == ["page", "region", "row", *own, "text", "images", "links"]
    assert [row["page"] for row in rows] == ["shop.html"] * 6 + ["more.html.gz"] * 3
    assert rows[6]["cell"] == "Blue mug"
    assert rows[6]["images"] == ["/0.jpg"]
    assert "cannot read binary.html: binary or empty" in done.stderr
    assert "cannot read gone.html" in done.stderr
    assert "plain.html: no list found" in done.stderr
    assert call("records", "binary.html", "gone.html", cwd=here).returncode == 1


def test_publications(here: Path) -> None:
    rows = table(call("records", "papers.htm", "--as", "publications", cwd=here))
    assert list(rows[0]) == ["title", "authors", "year", "venue", "pdf", "pattern"]
    assert len(rows) == 8
    assert rows[2] == {
        "title": "On green things and their green uses",
        "authors": "Ann Smith; Bob van Jones; C. Ray",
        "year": "2012",
        "venue": rows[2]["venue"],
        "pdf": "/p2.pdf",
        "pattern": "1",
    }
    found = call("records", "papers.htm", "--as", "publications", "--format", "jsonl", cwd=here)
    names = lines(found.stdout)[0]["names"]
    assert names[1] == {"first": "Bob", "last": "van Jones"}
    bib = call("records", "papers.htm", "--as", "publications", "--format", "bibtex", cwd=here)
    assert bib.stdout.count("@inproceedings{smith20") == 8
    assert "author = {Smith, Ann and van Jones, Bob and Ray, C.}" in bib.stdout
    odd = call("records", "shop.html", "--as", "publications", cwd=here)
    assert "do not look like publications" in odd.stderr
    assert (odd.returncode, odd.stdout) == (1, "")
    both = call("records", "shop.html", "papers.htm", "--as", "publications", "-o", "t", cwd=here)
    assert both.returncode == 0
    assert [path.name for path in (here / "t").iterdir()] == ["papers.csv"]


def test_what_heads_of_pdfs_said_has_its_columns() -> None:
    plain = Record("", (), (), (), {"title": "On boats"})
    read = plain._replace(fields={"title": "On boats", "affiliation": "Port", "abstract": "Boats."})
    rows = [row_of_publication(record, 1) for record in (plain, read)]
    usual = ["title", "authors", "year", "venue", "pdf", "pattern"]
    assert list_columns((), rows[:1], (), papers=True) == usual
    assert list_columns((), rows, (), papers=True) == [*usual, "affiliation", "abstract"]


def test_a_file_a_page_named_after_it(here: Path) -> None:
    (here / "deep").mkdir()
    (here / "deep" / "shop.html").write_text(shop(NAMES[:3]))
    out = ("-o", "tables")
    done = call("records", "shop.html", "more.html.gz", "deep", *out, cwd=here)
    assert done.returncode == 0
    assert "12 records of 3 pages, 3 files" in done.stderr
    found = {path.name: len(path.read_text().splitlines()) for path in (here / "tables").iterdir()}
    assert found == {"shop.csv": 7, "more.csv": 4, "deep-shop.csv": 4}
    call("records", "shop.html", *out, "--format", "parquet", cwd=here)
    read = pq.read_table(here / "tables" / "shop.parquet").to_pylist()
    assert list(read[0]) == ["region", "row", "image", "cell", "price", "title", "text"]
    assert (read[3]["row"], read[3]["cell"]) == (4, "White plate")
    assert call("records", "shop.html", "--format", "parquet", cwd=here).returncode == 2


def test_names_of_files_tell_the_page(here: Path) -> None:
    for place in ("2019/a", "2019/b", "2020/a"):
        (here / "saved" / place).mkdir(parents=True)
        (here / "saved" / place / "index.html").write_text(shop(NAMES[:3]))
    (here / "saved" / "all.html").write_text(shop(NAMES[:3]))
    done = call("records", "saved", "-o", "tables", cwd=here)
    assert done.returncode == 0
    assert {path.name for path in (here / "tables").iterdir()} == {
        *("all.csv", "2019-a-index.csv", "2019-b-index.csv", "2020-a-index.csv")
    }


WINES = "<table><tr><th>Wine<th>From, by<th>row</tr>" + "".join(
    f"<tr><td><a href=/w/{k}>Red {k}</a><td>Hill {k}, north<td>{k}</tr>" for k in range(5)
)


def test_a_table_comes_out_as_that_table_in_every_form(here: Path) -> None:
    (here / "wines.html").write_text(f"<h1>Wines</h1>{WINES}</table>")
    names = ["region", "row", "Wine", "Wine link", "From, by", "row (column)", "text"]
    expected = ["1", "4", "Red 3", "/w/3", "Hill 3, north", "3"]
    rows = table(call("records", "wines.html", cwd=here))
    assert list(rows[0]) == names
    assert list(rows[3].values())[:6] == expected
    assert table(call("records", "wines.html", "--split", cwd=here)) == rows
    (line, *_) = lines(call("records", "wines.html", "--format", "jsonl", cwd=here).stdout)
    assert (line["Wine"], line["links"]) == ("Red 0", [["Red 0", "/w/0"]])
    call("records", "wines.html", "-o", "tables", "--format", "parquet", cwd=here)
    read = pq.read_table(here / "tables" / "wines.parquet").to_pylist()
    assert [str(value) for value in read[3].values()][:6] == expected
    both = table(call("records", "wines.html", "shop.html", cwd=here))
    assert list(both[0]) == ["page", *names[:-1], "image", "cell", "price", "title", "text"]
    assert (both[0]["Wine"], both[0]["price"], both[5]["price"]) == ("Red 0", "", "$0.50")


def test_parts_of_texts_are_columns_only_on_demand(here: Path) -> None:
    items = "".join(f"<li>Thing {k}, 3 May 20{k}{k}, Rome</li>" for k in range(1, 7))
    (here / "list.html").write_text(f"<h1>Things</h1><ul>{items}</ul>")
    rows = table(call("records", "list.html", cwd=here))
    assert [value for name, value in rows[0].items() if name not in ("region", "row", "text")] == [
        "Thing 1, 3 May 2011, Rome"
    ]
    split = table(call("records", "list.html", "--split", cwd=here))
    assert {"Thing 1", "3 May 2011", "Rome"} < set(split[0].values())


def test_another_list_of_the_page_is_told_of(here: Path) -> None:
    people = "".join(f"<li><b>Person {k}</b>, at work on thing {k} since 19{k}0" for k in range(7))
    (here / "both.html").write_text(
        f"<h1>Wines</h1>{WINES}</table><h2>People</h2><ul>{people}</ul>"
    )
    done = call("records", "both.html", cwd=here)
    assert "it has another list, too (list 2 with" in done.stderr
    assert "another list" not in call("records", "both.html", "--region", "2", cwd=here).stderr
    assert "another list" not in call("records", "shop.html", cwd=here).stderr


def test_names_that_are_not_utf8_are_written_as_text(here: Path) -> None:
    saved = here / "saved"
    saved.mkdir()
    for name in (b"w\xe4.html", b"w\xf6.html", "wä.html".encode()):
        (saved / os.fsdecode(name)).write_text(shop(NAMES[:3]))
    done = call("records", "saved", "-o", "tables", cwd=here)
    assert (done.returncode, "3 files" in done.stderr) == (0, True)
    assert {path.name for path in (here / "tables").iterdir()} == {
        *("w\ufffd.csv", "w\ufffd-2.csv", "wä.csv")
    }
    odd = os.fsdecode(b"saved/w\xe4.html")
    rows = lines(call("records", odd, "shop.html", "--format", "jsonl", cwd=here).stdout)
    assert rows[0]["page"] == "saved/w\ufffd.html"
    assert call("rules", "save", "odd", odd, cwd=here).returncode == 0
    assert "from w\ufffd.html" in call("rules", "list", cwd=here).stdout
    assert len(table(call("rules", "apply", "odd", odd, cwd=here))) == 3


def test_which_list_and_why(here: Path) -> None:
    both = shop(NAMES[:4]) + "<ol>" + "".join(f"<li>Note number {k}" for k in range(9)) + "</ol>"
    every = table(call("records", "-", "--region", "all", stdin=both, cwd=here))
    assert {"Note number 3", "$2.50"} <= {row["text"] for row in every}
    regions = [int(row["region"]) for row in every]
    assert regions == sorted(regions)
    assert len(set(regions)) > 1
    done = call("records", "-", "--region", "2", "--explain", stdin=both, cwd=here)
    assert {row["region"] for row in table(done)} == {"2"}
    assert "- list 2:" in done.stderr
    assert "because: " in done.stderr
    far = call("records", "-", "--region", "900", stdin=both, cwd=here)
    assert "it has only" in far.stderr
    for wrong in ("0", "-1", "x", "²"):
        assert call("records", "shop.html", "--region", wrong, cwd=here).returncode == 2


def test_classes_are_learned_and_used(here: Path) -> None:
    (here / "wares.csv").write_text("thing,cost,text\nblue mug,$4,a\nwhite plate,$5,b\nbowl,$6,c\n")
    learned = call("classes", "learn", "wares", "wares.csv", "--json", cwd=here)
    assert lines(learned.stdout)[0]["examples"] == {"thing": 3, "cost": 3, "text": 3}
    assert lines(learned.stdout)[0]["left_out"] == "text"
    (here / "few.csv").write_text("a,b\nx,y\n")
    few = call("classes", "learn", "few", "few.csv", cwd=here)
    assert few.returncode == 1
    assert "no field of few.csv" in few.stderr
    (listed,) = lines(call("classes", "list", "--json", cwd=here).stdout)
    assert listed["name"] == "wares"
    rows = table(call("records", "shop.html", "--as", "wares", cwd=here))
    assert list(rows[0]) == ["region", "row", "thing", "cost", "image", "title", "text"]
    assert (rows[3]["thing"], rows[3]["cost"]) == ("White plate", "$3.50")
    wrong = call("records", "shop.html", "--as", "wine", cwd=here)
    assert wrong.returncode == 4
    assert "wares" in wrong.stderr
    for name in ("../up", "publications", ""):
        assert call("classes", "learn", name, "wares.csv", cwd=here).returncode == 4
    assert call("classes", "learn", "x", "shop.html", cwd=here).returncode == 1


def test_rules_fit_or_say_so(here: Path) -> None:
    saved = call("rules", "save", "shop", "shop.html", cwd=here)
    assert saved.returncode == 0, saved.stderr
    (listed,) = lines(call("rules", "list", "--json", cwd=here).stdout)
    assert (listed["name"], listed["source"], listed["records"]) == ("shop", "shop.html", 6)
    assert listed["columns"] == ["image", "cell", "price", "title"]
    done = call("rules", "apply", "shop", "more.html.gz", "papers.htm", cwd=here)
    assert [row["price"] for row in table(done)] == ["$0.50", "$1.50", "$2.50"]
    assert "papers.htm: the rule 'shop' no longer fits" in done.stderr
    assert "the rule fits 1 of 2 pages" in done.stderr
    assert call("rules", "apply", "shop", "papers.htm", cwd=here).returncode == 1
    assert call("rules", "apply", "nothing", "papers.htm", cwd=here).returncode == 4
    assert call("rules", "save", "none", "plain.html", cwd=here).returncode == 1


def test_on_all_cores_pages_come_in_order(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blickfang.records.run_records.FEW_PAGES", 2)
    names = [f"page{k}.html" for k in range(5)]
    for k, name in enumerate(names):
        (here / name).write_text("<p>No list.</p>" if k == 3 else shop(NAMES[:4]))
    (here / names[1]).unlink()
    rows = table(call("records", *names, cwd=here))
    assert list(dict.fromkeys(row["page"] for row in rows)) == [names[0], names[2], names[4]]


def test_archives_give_the_best_table_of_every_page(here: Path) -> None:
    answers = [
        archived("http://a.test/shop", shop(NAMES[:3])),
        archived("http://a.test/plain", "<p>Nothing here.</p>"),
        archived("http://a.test/papers", PAPERS),
    ]
    write_archive(here / "all.warc.gz", answers)
    call("records", "all.warc.gz", "-o", "tables", cwd=here)
    rows = list(csv.DictReader(io.StringIO((here / "tables" / "all.csv").read_text())))
    assert {"image", "cell", "price", "title"} < set(rows[0])
    assert list(rows[0])[:3] == ["page", "region", "row"]
    assert list(rows[0])[-1] == "text"
    pages = [row["page"] for row in rows]
    assert pages == ["http://a.test/shop"] * 3 + ["http://a.test/papers"] * 8
    assert rows[1]["image"] == "http://a.test/1.jpg"
    assert (rows[1]["price"], rows[5]["price"]) == ("$1.50", "")
    (here / "web" / "crawl" / "shard-000").mkdir(parents=True)
    (here / "web" / "blickfang.toml").write_text("")
    empty = call("records", "web", cwd=here)
    assert "has no archives yet" in empty.stderr
    (here / "all.warc.gz").rename(here / "web" / "crawl" / "shard-000" / "x.warc.gz")
    papers = table(call("records", "web", "--as", "publications", cwd=here))
    assert [row["page"] for row in papers] == ["http://a.test/papers"] * 8
    assert papers[0]["pdf"] == "http://a.test/p0.pdf"


@given(st.lists(st.text(max_size=30), min_size=1, max_size=5))
def test_whatever_a_page_says_csv_stays_a_table_without_formulas(cells: list[str]) -> None:
    rows = [{"text": cell, "more": [cell]} for cell in cells]
    content = b"".join(write_csv(["text", "more"], rows)).decode()
    read = list(csv.reader(io.StringIO(content, newline="")))
    assert [len(row) for row in read] == [2] * (len(cells) + 1)
    for (text_cell, list_cell), cell in zip(read[1:], cells, strict=True):
        assert text_cell[:1] not in set("=+@") or text_cell.lstrip("+").isdigit()
        assert not any(ord(sign) < 32 or "\u202a" <= sign <= "\u202e" for sign in text_cell)
        assert not any("\u202a" <= sign <= "\u202e" for sign in list_cell)
        assert json.loads(list_cell) == [cell]


@given(st.text(max_size=40), st.text(max_size=20), st.text(max_size=20))
def test_whatever_a_page_says_bibtex_stays_balanced(title: str, last: str, pdf: str) -> None:
    row = {"title": title, "year": "2020", "names": [{"first": "A.", "last": last}], "pdf": pdf}
    entry = b"".join(write_bibtex((), [row])).decode()
    assert entry.count("{") == entry.count("}")
    assert len([line for line in entry.splitlines() if line == "}"]) == 1
    assert "%" not in entry.replace("\\%", "")
    assert not TURNING.search(entry)
    assert not CONTROLS.search(entry.replace("\n", ""))


def test_bibtex_of_a_page_steers_no_terminal_and_keeps_addresses() -> None:
    names = [{"first": "Ann", "last": "Smith"}, {"first": "", "last": "Plato"}]
    row = {"title": "Old \x1b[1m boats\u202e", "year": "2020", "names": names, "pdf": "p/a b{1.pdf"}
    entry = b"".join(write_bibtex((), [row])).decode()
    assert entry.startswith("@misc{smith2020boats,\n")
    assert "title = {{Old [1m boats}}" in entry
    assert r"url = {p/a\%20b\%7B1.pdf}" in entry
    assert "author = {Smith, Ann and Plato}" in entry


def test_addresses_are_fetched_with_manners(here: Path) -> None:
    url = "http://a.test/shop?page=2"
    robots = text("User-agent: *\nDisallow: /private")
    sites = Sites({url: page(text=shop(NAMES[:4])), "http://a.test/robots.txt": robots})
    with serving(sites) as server:
        write_collection(here / "web", server)
        arguments = (url, "http://a.test/private", "--collection", "web", "-o", "tables")
        done = call("records", *arguments, cwd=here)
    assert done.returncode == 0, done.stderr
    assert "cannot read http://a.test/private: " in done.stderr
    assert sites.count("http://a.test/private") == 0
    assert [path.name for path in (here / "tables").iterdir()] == ["a.test-shop-page-2.csv"]
    alone = call("records", url, cwd=here)
    assert alone.returncode == 4
    assert "--contact" in alone.stderr
