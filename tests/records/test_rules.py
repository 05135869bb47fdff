"""Rules: a list found again on other pages of its source, in the same columns, or not at all."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.errors import InputError
from blickfang.records import extract_records, learn_classes
from blickfang.records.saved_rules import (
    Rule,
    apply_rule,
    choose_columns,
    compare,
    dump_rule,
    load_rule,
    make_rule,
)
from blickfang.types import Failure
from tests.records.test_extract import MENU, WORDS, describe
from tests.records.test_study import read

SHARES = st.dictionaries(st.sampled_from("abcdef"), st.floats(0.01, 1.0), max_size=6)


def ware(k: int, leave_out: str = "") -> str:
    parts = {
        "image": f"<img src='/img/{k}.jpg'>",
        "name": f"<h3><a href='/item/{k}'>{WORDS[k % 10].title()} boat {k}</a></h3>",
        "price": f"<p class='price'>${k}9.50</p>",
        "text": f"<p class='text'>{describe(k)}</p>",
    }
    kept = "".join(part for name, part in parts.items() if name != leave_out)
    return f"<div class='ware'>{kept}</div>"


def shop(wares: str) -> str:
    return f"<body>{MENU}<div id='main'><h1>Boats</h1>{wares}</div></body>"


SHOP = shop("".join(map(ware, range(8))))


def rule_of(html: str, kind: str = "", *, split: bool = False) -> Rule:
    found = extract_records(html, kind=kind, regions=1)
    assert not isinstance(found, Failure)
    return make_rule(read(html), found[0], kind, "shop.html", split=split)


def test_the_same_columns_on_another_page_whatever_is_missing_there() -> None:
    rule = rule_of(SHOP)
    names = [column.name for column in rule.columns]
    assert names == ["image", "title", "title link", "price", "title 2"]
    without = ["", "image", "price", "text", ""]
    other = shop("".join(ware(20 + k, leave_out) for k, leave_out in enumerate(without)))
    region, likeness, remark, _ = apply_rule(rule, read(other), "https://example.org/2")
    assert region is not None
    assert likeness > 0.8
    assert remark == ""
    assert region.columns == rule.columns
    cells = [record.cells for record in region.records]
    link = "https://example.org/item/20"
    full = ("https://example.org/img/20.jpg", "River boat 20", link, "$209.50", describe(20))
    assert cells[0] == full
    for cell, (k, name) in zip(cells[1:4], enumerate(without[1:4], 21), strict=True):
        place = ["image", "name", "link", "price", "text"].index(name)
        assert [at for at, text in enumerate(cell) if not text] == [place], k


def test_separators_are_those_of_the_rule() -> None:
    rows = [f"<li>{WORDS[k]} boat – {k} Euro – in stock</li>" for k in range(9)]
    rule = rule_of(f"<ul>{''.join(rows)}</ul>", split=True)
    width = len(rule.columns)
    assert width >= 3
    # Two rows alone would not tell how to split them.
    region = apply_rule(rule, read(f"<ul>{rows[0]}{rows[5]}</ul>")).region
    assert region is not None
    assert [record.cells[:2] for record in region.records] == [
        ("river boat", "0 Euro"),
        ("pond boat", "5 Euro"),
    ]


def test_it_says_when_it_no_longer_fits() -> None:
    rule = rule_of(SHOP)
    rows = "".join(f"<tr><td>{WORDS[k]}<td>{describe(k)}</tr>" for k in range(8))
    for page in (f"<table>{rows}</table>", "<p>Closed.</p>", MENU):
        region, likeness, remark, _ = apply_rule(rule, read(page))
        assert region is None
        assert likeness < 0.5
        assert "save the rule anew" in remark


def test_columns_that_went_empty_are_named() -> None:
    other = shop("".join(ware(k, "price") for k in range(6)))
    applied = apply_rule(rule_of(SHOP), read(other))
    assert applied.region is not None
    assert "price" in applied.remark


def test_columns_that_hold_something_else_are_named() -> None:
    rule = rule_of(SHOP)
    sold = "".join(ware(k).replace(f"${k}9.50", WORDS[k]) for k in range(6))
    applied = apply_rule(rule, read(shop(sold)))
    assert applied.region is not None
    assert "something else: price (“river”)" in applied.remark
    assert applied.foreign
    dearer = "".join(ware(k).replace("$", "from € ") for k in range(6))
    applied = apply_rule(rule, read(shop(dearer)))
    assert (applied.remark, applied.foreign) == ("", False)


def test_rules_of_publications_and_of_classes() -> None:
    papers = "".join(
        f"<li>A. Smith, B. Jones{k}: <i>{describe(k)}</i>. Journal of Boats, 20{k + 10}.</li>"
        for k in range(8)
    )
    applied = apply_rule(rule_of(f"<ul>{papers}</ul>", "publications"), read(f"<ul>{papers}</ul>"))
    assert applied.region is not None
    assert applied.region.records[3].fields["title"] == describe(3)
    examples = {"cost": ["$4.50", "$8"], "ship": ["river boat", "ocean boat", "delta boat"]}
    classes = learn_classes(examples, shapes=True)
    found = extract_records(SHOP, regions=1, classes=classes)
    assert not isinstance(found, Failure)
    rule = make_rule(read(SHOP), found[0], "wares", "shop.html", classes)
    region = apply_rule(rule, read(shop("".join(map(ware, range(3)))))).region
    assert region is not None
    assert region.records[2].fields["cost"] == "$29.50"
    assert region.records[2].fields["ship"] == "Stream boat 2"


def test_a_rule_on_disk_is_the_same_rule(tmp_path: Path) -> None:
    rule = rule_of(SHOP)
    path = tmp_path / "shop.json"
    path.write_text(dump_rule(rule), encoding="utf-8")
    assert load_rule(path) == rule
    whole = json.loads(path.read_text())
    for broken in (
        "",
        "[]",
        json.dumps({**whole, "strings": 3}),
        json.dumps({**whole, "format": 9}),
    ):
        path.write_text(broken)
        with pytest.raises(InputError, match="anew"):
            load_rule(path)


@given(SHARES, SHARES)
def test_likeness(one: dict[str, float], other: dict[str, float]) -> None:
    both = sum(min(one.get(k, 0.0), other.get(k, 0.0)) for k in "abcdef")
    either = sum(max(one.get(k, 0.0), other.get(k, 0.0)) for k in "abcdef")
    assert compare(one, other) == pytest.approx(both / either if either else 0.0)
    assert compare(one, other) == pytest.approx(compare(other, one))


def wines(rows: str, heads: str = "<th>Wine<th>Region<th>In stock") -> str:
    return f"<h1>Wines</h1><table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"


def wine(k: int, stock: str = "yes") -> str:
    name = f"<a href=/w/{k}>{WORDS[k % 10].title()} red {k}</a>"
    return f"<tr><td>{name}<td>{WORDS[k % 7]}, north<td>{stock}</tr>"


def test_a_column_that_was_named_is_given_though_it_says_the_same_everywhere() -> None:
    rule = rule_of(wines("".join(map(wine, range(6)))))
    assert [column.name for column in rule.columns] == ["Wine", "Wine link", "Region", "In stock"]
    rule = choose_columns(rule, ["", "", "", "stock"], {0, 1, 3})
    region = apply_rule(rule, read(wines("".join(map(wine, range(3, 7)))))).region
    assert region is not None
    assert [column.name for column in region.columns] == ["Wine", "Wine link", "stock"]
    last = region.records[-1]
    assert last.cells == (f"{WORDS[6].title()} red 6", "/w/6", "yes")
    assert last.fields["stock"] == "yes"
    with pytest.raises(InputError):
        choose_columns(rule, [], set())


def test_columns_of_tables_are_found_by_their_heads() -> None:
    rule = rule_of(wines("".join(map(wine, range(6)))))
    rows = "".join(f"<tr><td>no<td>south<td>9<td>White {k}</tr>" for k in range(4))
    turned = wines(rows, "<th>In stock<th>Region<th>Year<th>Wine")
    region = apply_rule(rule, read(turned)).region
    assert region is not None
    assert region.records[2].cells == ("White 2", "", "south", "no")


@pytest.mark.parametrize("count", [1, 2])
def test_a_page_of_one_record_or_two(count: int) -> None:
    rule = rule_of(SHOP)
    region, likeness, remark, _ = apply_rule(rule, read(shop("".join(map(ware, range(count))))))
    assert region is not None
    assert (likeness > 0.5, remark) == (True, "")
    assert [record.cells[3] for record in region.records] == ["$09.50", "$19.50"][:count]
    table = rule_of(wines("".join(map(wine, range(6)))))
    found = apply_rule(table, read(wines("".join(wine(k, "no") for k in range(count))))).region
    assert found is not None
    assert [record.fields["In stock"] for record in found.records] == ["no"] * count
    lines = "".join(f"<li><b>{WORDS[k]} {k}</b>: {describe(k)}</li>" for k in range(9))
    rule = rule_of(f"<h2>Notes</h2><ol>{lines}</ol>")
    one = apply_rule(rule, read(f"{MENU}<h2>Notes</h2><ol>{lines[: lines.index('</li>')]}</ol>"))
    assert one.region is not None
    assert len(one.region.records) == 1


@pytest.mark.parametrize("path", ["", "0x", "nowhere", "-0x1", "0x1" + "0" * 16])
@pytest.mark.parametrize("place", [0, 1])
def test_a_rule_whose_paths_are_damaged_is_refused(tmp_path: Path, path: str, place: int) -> None:
    saved = json.loads(dump_rule(rule_of(SHOP)))
    saved["places"][place] = path
    file = tmp_path / "shop.rule"
    file.write_text(json.dumps(saved), encoding="utf-8")
    with pytest.raises(InputError, match="holds no rule"):
        load_rule(file)
