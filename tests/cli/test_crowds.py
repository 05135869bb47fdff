"""The command compare on very many documents that are alike, and on none that can be read."""

import json
from pathlib import Path

import pytest

from tests.cli.test_compare import run
from tests.compare.corpora import words, write_lines


@pytest.mark.parametrize("method", ["minhash", "simhash"])
def test_no_document_speaks_for_others_that_only_have_its_fingerprint(
    tmp_path: Path, method: str
) -> None:
    text = words(0, 100)
    shuffled = " ".join(text.split()[::-1])  # the same words: so is its SimHash
    sources = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    for source in sources:
        every = [shuffled, *[text] * 300]
        write_lines(source, [{"id": str(n), "text": each} for n, each in enumerate(every)])
    code, facts, said = run(*sources, "-o", tmp_path / "out", "--method", method)
    assert code == 0, said
    assert (facts["documents_of_a_found"], facts["documents_of_b_found"]) == (301, 301)
    assert facts["near_duplicates"] < 2000
    assert facts["not_compared"] > 0
    whole = json.loads((tmp_path / "out" / "comparison.json").read_text())["near_duplicates"]
    assert sum(part["not_compared"] for part in whole["segments"]) == facts["not_compared"]


def test_a_corpus_of_which_nothing_can_be_read_is_an_error(tmp_path: Path) -> None:
    good = write_lines(tmp_path / "a.jsonl", [{"id": "a", "text": words(0, 50)}])
    bad = write_lines(tmp_path / "b.jsonl", [{"docno": 1}])
    for pair in ((good, bad), (bad, good)):
        code, _, said = run(*pair, "-o", tmp_path / "out")
        assert (code, "no document could be read" in said) == (1, True), said
    code, _, said = run(good, tmp_path / "none", "-o", tmp_path / "new")
    assert (code, "there is no" in said, (tmp_path / "new").exists()) == (1, True, False)
