"""The card tells what is in a corpus, in a form that Hugging Face and people read."""

from pathlib import Path
from typing import Any

import yaml
from markdown_it import MarkdownIt

from blickfang.corpus import Corpus, FunnelStep, Origin, write_corpus
from blickfang.corpus.dataset_card import size_category
from blickfang.corpus.sample_columns import PAGES, REJECTED, SAMPLES
from tests.corpus.samples import make_rows, table_of

EVIL = '"><script>alert(1)</script>\n---\nlicense: mit\n# Not a heading | [x](javascript:1) `'


def front_matter(card: str) -> dict[str, Any]:
    _, head, _ = card.split("---\n", 2)
    found: dict[str, Any] = yaml.safe_load(head)
    return found


def test_front_matter(corpus: Corpus) -> None:
    found = front_matter((corpus.folder / "README.md").read_text())
    assert found["pretty_name"] == "Motifs"
    assert found["license"] == "other"
    assert found["language"] == ["de", "en"]
    assert found["size_categories"] == ["n<1K"]
    assert found["configs"][0]["data_files"] == [{"split": "train", "path": "data/train-*.parquet"}]
    assert {config["config_name"] for config in found["configs"]} == {
        "default",
        "pages",
        "rejected",
    }


def test_the_card_tells_all(corpus: Corpus) -> None:
    card = (corpus.folder / "README.md").read_text()
    for column in (*SAMPLES, *PAGES, *REJECTED):
        assert f"| `{column.name}` |" in card
    for words in (
        "24 pictures",
        "| initial | 28 |",
        "too small: 2, cannot be read: 2",
        '"min_width": 32',
        '"galaxy"',
        "## Limits",
        "## Removal",
        "removals.txt",
        "Opt-outs: robots\\.txt, TDMRep. They were judged for the purpose: research.",
        "| a\\.example\\.org | 6 |",
        "creativecommons\\.org",
        "| (unknown) | 18 |",
    ):
        assert words in card, words


def test_hostile_texts_stay_texts(tmp_path: Path) -> None:
    rows = make_rows(2)
    for row in rows:
        row.update(licence=EVIL, language=EVIL, consent=EVIL, format="jpeg")
    origin = Origin(
        title=EVIL,
        read_up_to=EVIL,
        purpose=EVIL,
        contact=EVIL,
        settings={EVIL: EVIL},
        topic={"seeds": [EVIL, "    - x", "```"]},
        funnel=(FunnelStep(EVIL, 2, ((EVIL, 1),)),),
        limits=(EVIL,),
    )
    write_corpus(tmp_path / "c", table_of(rows).to_batches(), origin=origin)
    card = (tmp_path / "c" / "README.md").read_text()
    found = front_matter(card)
    assert found["license"] == "other"
    assert found["pretty_name"] == " ".join(EVIL.split())
    assert "language" not in found
    body = card.split("---\n", 2)[2]
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(body)
    inner = [child for token in tokens for child in token.children or []]
    kinds = {token.type for token in [*tokens, *inner]}
    assert not kinds & {"html_block", "html_inline", "link_open", "image", "hr", "fence"}
    headings = [
        tokens[at + 1].content for at, token in enumerate(tokens) if token.type == "heading_open"
    ]
    assert len(headings) == len([line for line in body.splitlines() if line.startswith("#")])
    assert headings[1:] == [
        "How it was made",
        "Funnel",
        "Columns",
        "Licences and opt-outs",
        "Hosts",
        "Languages",
        "Limits",
        "Removal",
    ]


def test_nothing_is_claimed_that_is_not_known(tmp_path: Path) -> None:
    write_corpus(tmp_path / "c", table_of(make_rows(1)).to_batches(), origin=Origin())
    assert "Opt-outs: none is recorded as read. " in (tmp_path / "c" / "README.md").read_text()


def test_many_hosts_are_summed_up(tmp_path: Path) -> None:
    rows = make_rows(130)
    for number, row in enumerate(rows):
        row["url"] = f"https://h{number:03}.example.org/{number}.jpg"
    write_corpus(tmp_path / "c", table_of(rows).to_batches(), origin=Origin())
    card = (tmp_path / "c" / "README.md").read_text()
    assert "from 130 hosts" in card
    assert "| 80 others | 80 |" in card


def test_sizes() -> None:
    assert [size_category(n) for n in (0, 10**3, 10**5 - 1, 10**9)] == [
        "n<1K",
        "1K<n<10K",
        "10K<n<100K",
        "n>1B",
    ]
