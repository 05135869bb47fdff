"""Presets keep what their sources keep."""

from dataclasses import replace
from typing import Any

import pytest

from blickfang.corpus.filters import PRESETS, find_preset
from blickfang.errors import SettingsError
from blickfang.pipeline.building import find_misfit, is_out
from blickfang.samples.gathering import Shot

GOOD = Shot(
    *(0, 0, "http://a.test/x.jpg", "", "", None, None, "jpeg", 800, 600, 9000),
    *("", 0, 1, 1, "", "", "", "", ""),
)


def fits(name: str, **values: Any) -> bool:
    return find_misfit(GOOD._replace(**values), find_preset(name)) is None


@pytest.mark.parametrize("name", PRESETS)
def test_a_good_picture_passes_all(name: str) -> None:
    assert fits(name)
    assert not is_out(100.0, find_preset(name))
    assert not fits(name, failure="broken")


def test_thesis() -> None:
    assert fits("thesis", width=512, height=384)
    assert not fits("thesis", width=511)
    assert not fits("thesis", height=383)
    assert fits("thesis", width=9600, height=7200)
    assert not fits("thesis", width=9601)
    assert not fits("thesis", height=7201)
    limits = find_preset("thesis")
    assert limits.alt_or_title
    outside = [is_out(rank, limits) for rank in (1.9, 2.0, 70_000.0, 70_001.0)]
    assert outside == [True, False, False, True]
    assert not is_out(1e9, replace(limits, max_rank_study=0))


def test_obelics() -> None:
    assert fits("obelics", width=150, height=300)
    assert not fits("obelics", width=150, height=301)
    assert not fits("obelics", width=301, height=150)
    assert not fits("obelics", width=149, height=200)
    assert not fits("obelics", width=20_001, height=20_000)
    assert not fits("obelics", format="gif")


def test_laion() -> None:
    assert not fits("laion", bytes=4999)
    assert fits("laion", bytes=5000)
    assert find_preset("laion").min_characters == 5


def test_unknown_presets_get_a_hint() -> None:
    with pytest.raises(
        SettingsError, match=r"choose thesis, obelics, laion; did you mean obelics\?"
    ):
        find_preset("obelisc")
