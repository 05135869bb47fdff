"""Every scorer tells birds from steel."""

import numpy as np
import pytest

from blickfang.crawl.focus import SCORERS, FocusOptions
from blickfang.crawl.focus.background import begin
from blickfang.crawl.focus.focus_options import SCORER_NAMES
from blickfang.crawl.focus.scorers import Reference, Scored
from blickfang.errors import SettingsError
from tests.focus.pages import BIRD_PAGE, METAL_PAGE, know, look, write_page

KNOWLEDGE = know(with_topic=True)


def score(name: str, html: str) -> Scored:
    weights = begin(KNOWLEDGE, FocusOptions(scorer=name)).weights
    return SCORERS[name](look(html), Reference(KNOWLEDGE, weights))


def test_settings_name_the_same() -> None:
    assert tuple(SCORERS) == SCORER_NAMES


@pytest.mark.parametrize("name", SCORERS)
def test_pages_and_texts(name: str) -> None:
    birds, steel = score(name, BIRD_PAGE), score(name, METAL_PAGE)
    assert birds.page > steel.page + 0.05
    for scored, seen in ((birds, look(BIRD_PAGE)), (steel, look(METAL_PAGE))):
        assert len(scored.texts) == seen.texts.size
        assert not np.isnan(scored.texts).any()
        assert 0 <= min(scored.page, *scored.texts) <= max(scored.page, *scored.texts) <= 1
    nest, about = birds.texts[:2]
    assert nest > about or name == "perplexity"


@pytest.mark.parametrize("name", SCORERS)
def test_a_page_without_words(name: str) -> None:
    scored = score(name, write_page("", '<a href="/1"></a><img src="/2">'))
    assert 0 <= scored.page <= 1
    assert not np.isnan(scored.texts).any()


def test_a_topic_where_one_is_needed() -> None:
    without = know()
    reference = Reference(without, begin(without, FocusOptions()).weights)
    for name in ("keywords", "perplexity"):
        with pytest.raises(SettingsError, match="learn"):
            SCORERS[name](look(BIRD_PAGE), reference)
