"""The removal list: what is listed goes, and only that."""

from pathlib import Path
from typing import Any

import pytest

from blickfang.corpus.removals import (
    Removals,
    join_lists,
    load_lists,
    load_removals,
    parse_removals,
)
from blickfang.errors import InputError
from tests.corpus.samples import make_pages, make_rows, table_of

ROWS = make_rows(12)
ROW = ROWS[4]


def removed(text: str, rows: list[dict[str, Any]] = ROWS) -> list[int]:
    removals = parse_removals(text)
    return [number for number, row in enumerate(rows) if removals.is_removed(row)]


def test_addresses_hashes_and_ids() -> None:
    assert removed(ROW["url"]) == [4]
    assert removed(ROW["url"].replace("https", "http") + "#part") == [4]
    assert removed(ROW["sha256"].upper()) == [4]
    assert removed(ROW["id"]) == [4]
    assert removed(ROW["image_phash"]) == [
        number for number, row in enumerate(ROWS) if row["image_phash"] == ROW["image_phash"]
    ]
    assert removed(ROW["page_url"]) == [4, 5]
    assert removed(ROW["url"] + "?other") == []


def test_hosts_and_hosts_below_them() -> None:
    on_a = [number for number, row in enumerate(ROWS) if "//a.example.org/" in row["url"]]
    assert removed("a.example.org") == on_a != []
    assert removed("A.Example.Org.") == on_a
    assert len(removed("example.org")) > len(on_a)
    assert removed("xample.org") == []
    assert removed("käse.example.com") == removed("xn--kse-qla.example.com") != []
    assert removed("*.example.com") == removed("example.com") != []


def test_copies_count() -> None:
    copy = {"url": "https://copy.test/x.jpg", "sha256": "ab" * 32, "width": 1, "height": 1}
    rows = [ROW | {"copies": [copy]}, ROWS[5]]
    assert removed("copy.test", rows) == [0]
    assert removed("AB" * 32, rows) == [0]


def test_comments_and_blank_lines() -> None:
    found = parse_removals(
        f"# a list\n\n  a.test  # asked by mail\nhttps://b.test/x#y # z\n{ROW['id']}"
    )
    assert found == Removals(
        frozenset({"//b.test/x"}), frozenset({"a.test"}), frozenset({ROW["id"]})
    )
    assert not parse_removals("# nothing\n")


def test_wrong_lines_are_named_with_their_numbers(tmp_path: Path) -> None:
    path = tmp_path / "removals.txt"
    path.write_text("a.test\nno host\n" + "example.org/path\n" * 9 + "1234567890\n")
    with pytest.raises(InputError, match=r"removals\.txt.*line 2: 'no host'.*line 3.*and 6 more"):
        load_removals(path)
    with pytest.raises(InputError, match="cannot read"):
        load_removals(tmp_path / "none.txt")
    for line in ("localhost", "ftp://a.b/c", "https://", "a.test:80", "0" * 17, "a b.org", "x@y.z"):
        with pytest.raises(InputError, match="line 1"):
            parse_removals(line)


def test_the_lists_of_a_corpus_by_whatever_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = tmp_path / "birds" / "corpus"
    corpus.mkdir(parents=True)
    assert not load_lists(corpus)
    (tmp_path / "birds" / "removals.txt").write_text("beside.test")
    (corpus / "removals.txt").write_text("within.test")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "link").symlink_to(corpus)
    (tmp_path / "other" / "removals.txt").write_text("by-link.test")
    both = Removals(hosts=frozenset({"beside.test", "within.test"}))
    assert load_lists(corpus) == load_lists(corpus / ".." / "corpus") == both
    monkeypatch.chdir(corpus)
    assert load_lists(Path()) == both
    assert load_lists(tmp_path / "other" / "link").hosts == both.hosts | {"by-link.test"}
    (corpus / "removals.txt").unlink()
    (corpus / "removals.txt").symlink_to("lost.txt")
    with pytest.raises(InputError, match="cannot read"):  # rather than passing on what it named
        load_lists(corpus)


def test_joined_lists_say_everything_once() -> None:
    lists = {
        "a": "# by mail\n\nx.test\ny.test  # 2026\nx.test\n",
        "b\nc.test": "# by mail\nz.test\nx.test\ny.test  # 2027",
        "again": "y.test  # 2027\n# by mail\n",
    }
    joined = join_lists(lists)
    assert joined.splitlines() == [
        *("# from a", "# by mail", "", "x.test", "y.test  # 2026"),
        *("# from b c.test", "# by mail", "z.test", "y.test  # 2027"),
    ]
    assert parse_removals(joined).hosts == {"x.test", "y.test", "z.test"}
    assert len(parse_removals(joined)) == 3


def test_listed_pages_go() -> None:
    pages = make_pages(make_rows(6))
    (batch,) = pages.combine_chunks().to_batches()
    first, *others = pages.to_pylist()
    assert parse_removals(first["url"]).filter_pages(batch).to_pylist() == others


def test_batches_lose_rows_and_mentions() -> None:
    (batch,) = table_of(ROWS).to_batches()
    kept = parse_removals(f"mirror.example.org\n{ROW['url']}").apply(batch).to_pylist()
    assert [row["id"] for row in kept] == [row["id"] for row in ROWS if row != ROW]
    assert any(len(row["mentions"]) == 2 for row in ROWS)
    assert all(len(row["mentions"]) == 1 for row in kept)
    assert parse_removals("").apply(batch) is batch
