"""Scores: the study's numbers."""

import pytest

from blickfang.errors import SettingsError
from blickfang.text.relevance import ScoreOptions, weigh, weigh_link

DEFAULTS = ScoreOptions()


@pytest.mark.parametrize(
    ("perplexity", "keyword_score", "expected"),
    [
        (830.8076364534564, 0.01032622190107631, 805.070324420075),
        (15786.4669645997, 0.22980618902626848, 4902.983530628476),
        (963.9019553397098, 0.3731991858313779, 1.0),
        (27580.695644500007, 0.01032622190107631, 26726.28249426654),
    ],
)
def test_texts_of_the_study(perplexity: float, keyword_score: float, expected: float) -> None:
    assert weigh(perplexity, keyword_score, DEFAULTS) == pytest.approx(expected, rel=1e-12)


def test_link_of_the_study() -> None:
    score = weigh_link(1.2596494866605083e7, 5.816842896896651, 0.01863814855281087, DEFAULTS)
    assert score == pytest.approx(8324519.834708901, rel=1e-12)


def test_a_link_falls_back_to_its_page() -> None:
    assert weigh_link(500.0, None, 0.0, DEFAULTS) == 500.0
    assert weigh_link(500.0, 501.0, 0.0, DEFAULTS) == 500.0  # tells less than the page
    assert weigh_link(9000.0, 3001.0, 0.0, DEFAULTS) == 9000.0  # beyond the threshold
    assert weigh_link(9000.0, 3000.0, 0.0, DEFAULTS) == pytest.approx(0.7 * 9000 + 0.3 * 3000)
    assert weigh_link(9000.0, 10.0, 0.5, DEFAULTS) == 1.0


def test_buckets_must_rise() -> None:
    with pytest.raises(SettingsError, match="rise"):
        ScoreOptions(buckets=(2000.0, 600.0))
