"""Judgements carried over, against a slow recount."""

from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.dedupe.compare.qrels import (
    NO_PARTNER,
    NOT_IN_A,
    Partner,
    QrelsJudgement,
    carry,
    count_levels,
    list_moved,
    read_qrels,
    write_moved,
)
from blickfang.errors import InputError

IDS = [f"a{n}" for n in range(8)]
judgements = st.lists(
    st.builds(
        QrelsJudgement,
        st.sampled_from("12"),
        st.sampled_from(IDS),
        st.integers(-2, 3),
        st.sampled_from("01"),
    ),
    max_size=30,
)
partners = st.dictionaries(
    st.sampled_from(IDS[:6]),
    st.builds(
        Partner,
        st.sampled_from(["b0", "b1", "b2"]),
        st.sampled_from([0.9, 0.95, 1.0]),
        st.just("same"),
        st.booleans(),
    ),
)


@given(judgements, partners)
def test_as_a_slow_recount(judged: list[QrelsJudgement], found: dict[str, Partner]) -> None:
    known = IDS[:7]
    moved = carry(judged, known, found)
    distinct = set(judged)
    expected = {}
    for topic, subtopic in product("12", "01"):
        for new in ("b0", "b1", "b2"):
            rivals = [
                (found[old.id].similarity, old.judgement)
                for old in distinct
                if (old.topic, old.subtopic) == (topic, subtopic)
                and old.id in found
                and found[old.id].id == new
            ]
            if rivals:
                expected[topic, subtopic, new] = max(rivals)
    got = {
        (one.old.topic, one.old.subtopic, one.partner.id): (
            one.partner.similarity,
            one.old.judgement,
        )
        for one in moved.carried
    }
    assert got == expected
    assert len(got) == len(moved.carried), "one judgement a topic and document"
    assert {lost.old for lost in moved.lost} == {old for old in distinct if old.id not in found}
    for lost in moved.lost:
        assert lost.reason == (NO_PARTNER if lost.old.id in known else NOT_IN_A)
    assert moved.repeated == len(judged) - len(distinct)
    levels = count_levels(judged, moved)
    assert sum(level.judged for level in levels) == len(distinct)
    assert sum(level.carried for level in levels) == len(moved.carried)
    assert sum(level.lost for level in levels) == len(moved.lost)


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "judged"
    path.write_text("1 Q0 a0 2\n# note\n\n1\t0\ta1\t-2\n2 3 gone 1\n", encoding="utf-8")
    judged = read_qrels(path)
    assert judged == [
        QrelsJudgement("1", "a0", 2),
        QrelsJudgement("1", "a1", -2),
        QrelsJudgement("2", "gone", 1, "3"),
    ]
    found = {"a0": Partner("b 0", 0.93, "same", True), "a1": Partner("=b", 1.0, "same", False)}
    files = list_moved(carry(judged, ["a0", "a1"], found))
    assert write_moved(files, tmp_path) == []
    assert (tmp_path / "qrels.txt").read_text() == "1 0 b%200 2\n1 0 =b -2\n"
    rows = (tmp_path / "qrels-similarity.tsv").read_text().splitlines()
    assert rows[1] == "1\t0\ta0\tb 0\t2\t0.9300\tsame\t1"
    assert "'=b" in rows[2], "no formula for a spreadsheet"
    lost = (tmp_path / "qrels-lost.tsv").read_text().splitlines()
    assert lost[1:] == [f"2\t3\tgone\t1\t{NOT_IN_A}"]
    assert write_moved(files, tmp_path) == [], "the same again"
    (tmp_path / "qrels-mine.txt").write_text("of somebody else")
    kept = write_moved({}, tmp_path)
    assert [path.name for path in kept] == [
        "qrels-lost-before-1.tsv",
        "qrels-similarity-before-1.tsv",
        "qrels-before-1.txt",
    ]
    assert (tmp_path / "qrels-mine.txt").exists()


def test_every_subtopic_is_carried(tmp_path: Path) -> None:
    path = tmp_path / "diversity"
    path.write_text("".join(f"1 {n} a{d} {(n + d) % 2}\n" for d in range(5) for n in range(1, 4)))
    found = {f"a{d}": Partner(f"b{d}", 1.0, "same", True) for d in range(5)}
    moved = carry(read_qrels(path), list(found), found)
    text = list_moved(moved)["qrels.txt"].decode()
    assert text.replace("b", "a") == path.read_text()


@pytest.mark.parametrize("line", ["1 a0 1 1 0.5", "1 a0 -1 0 1.0"])
def test_prels_are_refused_by_name(tmp_path: Path, line: str) -> None:
    path = tmp_path / "prels"
    path.write_text(f"# of 2009\n{line}\n")
    with pytest.raises(InputError, match=r"line 2 .*prels"):
        read_qrels(path)


@pytest.mark.parametrize("text", ["1 0 a\n", "1 0 a x\n", "", "\n", "1 Q0 a 1 9.5 run\n"])
def test_what_is_no_file_of_judgements(tmp_path: Path, text: str) -> None:
    path = tmp_path / "qrels"
    path.write_text(text)
    with pytest.raises(InputError, match="judgement"):
        read_qrels(path)
