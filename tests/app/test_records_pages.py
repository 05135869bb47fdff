"""Records: lists of a page, seen, chosen, named, downloaded."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.app.webs import figure_page, make_whole, plain_rows

from blickfang.errors import InputError
from blickfang.html.page import parse_page
from blickfang.io.warc import Archived, read_archive
from blickfang.records.saved_rules import apply_rule, load_rule
from blickfang.web import make_app
from blickfang.web.records_routes import RecordsSheet, choose_columns, write_sheet


def token(client: TestClient) -> str:
    found = re.search(r'name="csrf" content="(\w+)"', client.get("/records").text)
    assert found
    return found[1]


def test_a_page_of_the_archive(client: TestClient, rows: list[dict[str, Any]]) -> None:
    assert rows[0]["page_url"] in client.get("/records").text
    page = client.get("/records", params={"url": rows[0]["page_url"]})
    assert "8 records" in page.text
    assert "Thing 3" in page.text
    marked = client.get("/records/page", params={"url": rows[0]["page_url"]})
    assert marked.headers["content-security-policy"].startswith("sandbox; default-src 'none'")
    found = re.findall(r'<mark class="bf bf-(odd|even)" title="record (\d+)">', marked.text)
    assert {int(number) for _, number in found} == set(range(1, 9))
    assert all((kind == "odd") == (int(number) % 2 == 1) for kind, number in found)
    assert client.get("/records", params={"url": "http://nobody.example/"}).status_code == 400


def test_a_table_is_named_and_downloaded(client: TestClient, rows: list[dict[str, Any]]) -> None:
    address = f"/records/table?url={rows[0]['page_url']}&region=1"
    page = client.get("/records", params={"url": rows[0]["page_url"]}).text
    columns = len(re.findall('name="name"', page))
    names = ["what", *(f"c{n}" for n in range(1, columns))]
    data = {"csrf": token(client), "name": names, "column": ["0", "1"], "form": "csv"}
    answer = client.post(address, data=data)
    assert answer.headers["content-disposition"] == 'attachment; filename="records.csv"'
    table = list(csv.reader(io.StringIO(answer.text)))
    assert table[0] == ["what", "c1"]
    assert [row[0] for row in table[1:]] == [f"Thing {n}" for n in range(8)]
    as_json = client.post(address, data=data | {"form": "json"}).json()
    assert as_json[2]["what"] == "Thing 2"
    for wrong in ({"form": "exe"}, {"column": "99"}):
        assert client.post(address, data=data | wrong).status_code == 400


def test_pages_are_suggested_and_nothing_else(
    client: TestClient, rows: list[dict[str, Any]]
) -> None:
    text = client.get("/records").text
    found = re.findall(r'<option value="(http[^"]*)"', text)
    pages = {row["page_url"] for row in rows}
    assert found
    assert set(found) <= pages  # no robots.txt
    for url in found[:8]:
        assert client.get("/records", params={"url": url}).status_code == 200


PRICES = "".join(
    f"<li><b>Thing {n}</b> <i>{n + 2},50&nbsp;€</i> <span>{1990 + n}</span><u>&nbsp;</u></li>"
    for n in range(6)
)


def test_cells_without_letters_are_marked(client: TestClient) -> None:
    page = client.post("/records/paste", data={"csrf": token(client), "html": f"<ul>{PRICES}</ul>"})
    marked = client.get(str(page.url).replace("/records?", "/records/page?")).text
    marks = re.findall(r'<mark class="bf bf-(?:odd|even)" title="record (\d)">([^<]+)', marked)
    assert (
        len(marks) == 17
    )  # the first stands behind what a browser jumps to; nothing where there is nothing to see
    assert {("3", "Thing 2"), ("3", "4,50&nbsp;€"), ("3", "1992")} <= set(marks)


def test_what_repeats_another_page_is_shown(tmp_path: Path) -> None:
    rows = plain_rows(12)
    copy, first, *_ = dict.fromkeys(row["page_url"] for row in rows)
    same = figure_page(rows[:2]).encode()
    collection = make_whole(tmp_path, rows, {copy: same, first: same})
    kinds = {
        record.kind
        for path in collection.crawl_folder.rglob("*.warc.gz")
        for record in read_archive(path)
        if isinstance(record, Archived) and record.url in (copy, first)
    }
    assert kinds == {"response", "revisit"}  # the archive holds the bytes once
    again = TestClient(make_app(collection), base_url="http://127.0.0.1")
    for url in (copy, first):
        assert "8 records" in again.get("/records", params={"url": url}).text
        assert "<mark" in again.get("/records/page", params={"url": url}).text
    shown = again.get(f"/corpus/sample/{rows[0]['id']}/snapshot").text
    assert "Pictures of the day" in shown
    listed = re.findall(r"/records\?url=([^\"]*)", again.get("/records").text)
    assert len(listed) == len({row["page_url"] for row in rows}) - 1  # copies are not suggested


def test_pasted_pages(client: TestClient) -> None:
    html = "<ul>" + "".join(f"<li><b>N {n}</b> <i>{n} €</i></li>" for n in range(6)) + "</ul>"
    page = client.post("/records/paste", data={"csrf": token(client), "html": html})
    assert "6 records" in page.text
    assert "pasted=" in str(page.url)
    none = client.post("/records/paste", data={"csrf": token(client), "html": "<p>Hello."})
    assert "No list" in none.text
    for wrong in ("", " \n"):
        answer = client.post("/records/paste", data={"csrf": token(client), "html": wrong})
        assert answer.status_code == 400


def test_a_rule_is_kept_and_finds_the_list_again(
    client: TestClient,
    rows: list[dict[str, Any]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("BLICKFANG_HOME", str(tmp_path))
    page = client.get("/records", params={"url": rows[0]["page_url"]}).text
    names = ["what", *(f"c{n}" for n in range(1, len(re.findall('name="name"', page))))]
    columns = [str(n) for n in range(len(names)) if n != 1]
    data = {"csrf": token(client), "name": names, "column": columns, "rule": "things"}
    kept = client.post(f"/records/rule?url={rows[0]['page_url']}&region=1", data=data)
    assert "rules apply things" in kept.text
    assert re.findall('class="name" name="name" value="([^"]*)"', kept.text) == names
    assert re.findall('name="column" value="([^"]*)"( checked)?', kept.text)[:2] == [
        ("0", " checked"),
        ("1", ""),
    ]
    rule = load_rule(tmp_path / "rules" / "things.json")
    html = "<ul>" + "".join(
        f"<li><b>New {n}</b> <i>{n} coins</i> <span>in drawer {n}</span></li>" for n in range(5)
    )
    parsed = parse_page(html.encode())
    assert parsed
    found = apply_rule(rule, parsed[0]).region
    assert found
    assert [record.cells[0] for record in found.records] == [f"New {n}" for n in range(5)]
    assert [column.name for column in found.columns] == [names[int(n)] for n in columns]
    none = {name: value for name, value in data.items() if name != "column"}
    assert client.post(f"/records/rule?url={rows[0]['page_url']}", data=none).status_code == 400
    for wrong in ("", "../../x", "a/b", "x" * 65):
        answer = client.post(
            f"/records/rule?url={rows[0]['page_url']}", data=data | {"rule": wrong}
        )
        assert answer.status_code == 409
    assert [path.name for path in (tmp_path / "rules").iterdir()] == ["things.json"]


def test_columns_of_one_name_are_told_apart() -> None:
    sheet = choose_columns(RecordsSheet(["a", "b"], [["1", "2"]]), ["same", "same"], ["0", "1"])
    assert json.loads(write_sheet(sheet, "json")) == [{"same": "1", "same 2": "2"}]


def test_tables_make_no_spreadsheet_compute() -> None:
    sheet = RecordsSheet(["a", "=b"], [["=1+1", "x"], ["@SUM(A1)", "-2"], ["a\nb", 'q"q']])
    table = list(csv.reader(io.StringIO(write_sheet(sheet, "csv"))))
    assert table == [["a", "'=b"], ["'=1+1", "x"], ["'@SUM(A1)", "-2"], ["a b", 'q"q']]
    assert json.loads(write_sheet(sheet, "json"))[0] == {"a": "=1+1", "=b": "x"}
    assert choose_columns(sheet, ["", "named"], ["1"]) == RecordsSheet(
        ["named"], [["x"], ["-2"], ['q"q']]
    )
    with pytest.raises(InputError):
        choose_columns(sheet, [], [])
