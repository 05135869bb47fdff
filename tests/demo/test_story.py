"""The story of the demo: a topic learned over HTTP that tells its own pages from others."""

from pathlib import Path

import pytest

from blickfang.demo import DemoWeb, run_story, serving
from blickfang.errors import SettingsError
from blickfang.topic import load_topic


@pytest.mark.filterwarnings("ignore::blickfang.topic.lm.estimate.LittleTextWarning")
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
    topic = load_topic(tmp_path / "demo" / "topic")
    assert {"lighthouse", "tower", "lamp"} <= {keyword.word for keyword in topic.keywords.found}


def test_the_demo_leaves_other_folders_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("precious")
    with serving(0) as (web, address, fetch), pytest.raises(SettingsError, match="not empty"):
        run_story(tmp_path, web, address, fetch, lambda *_: None)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
