"""The story of the demo: a topic learned over HTTP that tells its own pages from others."""

from pathlib import Path

import datasets
import mlcroissant
import pytest
import webdataset
from warcio.archiveiterator import ArchiveIterator  # type: ignore[import-untyped]

from blickfang.corpus import export_corpus, open_corpus
from blickfang.demo import DemoWeb, run_story, serving
from blickfang.errors import SettingsError
from blickfang.text import load_topic


@pytest.mark.filterwarnings("ignore::blickfang.text.lm.kneser_ney.LittleTextWarning")
@pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated")  # of mlcroissant
@pytest.mark.filterwarnings("ignore:Exception ignored in. <_io.FileIO:pytest.PytestWarning")
def test_the_story_and_its_repetition(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    with serving(0) as (web, address, fetch):
        assert isinstance(web, DemoWeb)
        assert address.startswith("http://127.0.0.1:")
        story = run_story(tmp_path / "demo", web, address, fetch, lambda *step: seen.append(step))
        again = run_story(tmp_path / "demo", web, address, fetch, lambda *_: None)
    assert seen[-1][0] == seen[-1][1]
    assert again.learned.fresh == 0
    assert again.kinds == story.kinds
    best, *others = story.kinds
    assert best.kind == "lighthouses (en)"
    assert all(best.perplexity < other.perplexity / 3 for other in others)
    assert all(best.keyword_score > other.keyword_score for other in others)
    assert {kind.kind.split()[0] for kind in story.kinds} >= {"kites", "mushrooms", "noise", "near"}
    assert story.harvest.pages == again.harvest.pages == 120
    assert story.harvest.on_topic > 1.5 * story.harvest.share_of_web * story.harvest.pages
    assert story.harvest.images > 20
    assert again.built.samples == story.built.samples > 20
    assert [hit.id for hit in again.hits] == [hit.id for hit in story.hits]
    assert len(story.hits) == 5
    others_open_it(tmp_path)
    topic = load_topic(tmp_path / "demo" / "topic")
    assert {"lighthouse", "tower", "lamp"} <= {keyword.word for keyword in topic.keywords.found}


def others_open_it(folder: Path) -> None:
    """Let other tools read what the demo made: its corpus, an export of it, its archive."""
    corpus = folder / "demo" / "corpus"
    found = datasets.load_dataset(str(corpus), cache_dir=str(folder / "cache"))["train"]
    rows = len(open_corpus(corpus))
    assert len(found) == rows
    assert found[0]["image"].size == (found[0]["width"], found[0]["height"])
    described = mlcroissant.Dataset(jsonld=corpus / "croissant.json")
    assert not described.metadata.issues.errors
    export_corpus(open_corpus(corpus), "webdataset", folder / "tars")
    tars = sorted(map(str, (folder / "tars").glob("*.tar")))
    samples = webdataset.WebDataset(tars, shardshuffle=False, empty_check=False)
    assert sum(1 for sample in samples if "json" in sample) == rows
    for path in (folder / "demo" / "crawl").glob("shard-*/*.warc.gz"):
        with path.open("rb") as file:
            assert sum(1 for _ in ArchiveIterator(file, check_digests="raise")) > 1


def test_the_demo_leaves_other_folders_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("precious")
    with serving(0) as (web, address, fetch), pytest.raises(SettingsError, match="not empty"):
        run_story(tmp_path, web, address, fetch, lambda *_: None)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
