"""Presets keep what their sources keep."""

from typing import Any

import pytest

from blickfang.corpus.filters import PRESETS, STAGES, find_preset, preset_stages
from blickfang.corpus.where import join_filters, parse_filter
from blickfang.errors import SettingsError
from tests.corpus.samples import make_rows, table_of


def kept(name: str, **values: Any) -> bool:
    row = make_rows(1)[0] | {"rank_study": 100.0, "width": 800, "height": 600, "bytes": 9000}
    keep = parse_filter(join_filters(list(preset_stages(find_preset(name)).values())))
    assert keep is not None
    row |= {"caption_alt_text_description": "a lion", "caption": "a lion"} | values
    (found,) = keep.mask(table_of([row])).to_pylist()
    return bool(found)


@pytest.mark.parametrize("name", PRESETS)
def test_a_good_sample_passes_all(name: str) -> None:
    assert list(preset_stages(find_preset(name))) == list(STAGES)
    assert kept(name)


def test_thesis() -> None:
    assert kept("thesis", width=512, height=384)
    assert not kept("thesis", width=511)
    assert not kept("thesis", height=383)
    assert kept("thesis", width=9600, height=7200)
    assert not kept("thesis", width=9601)
    assert not kept("thesis", height=7201)
    assert not kept("thesis", caption_alt_text_description="")
    assert kept("thesis", caption_alt_text_description="", title="x")
    ranks = (1.9, 2.0, 70_000.0, 70_001.0, None)
    assert [kept("thesis", rank_study=rank) for rank in ranks] == [False, True, True, False, False]


def test_obelics() -> None:
    assert kept("obelics", width=150, height=300)
    assert not kept("obelics", width=150, height=301)
    assert not kept("obelics", width=301, height=150)
    assert not kept("obelics", width=149, height=200)
    assert not kept("obelics", width=20_001, height=20_000)
    assert not kept("obelics", format="gif")


def test_laion() -> None:
    assert not kept("laion", bytes=4999)
    assert kept("laion", bytes=5000, caption="12345")
    assert not kept("laion", caption="1234")


def test_unknown_presets_get_a_hint() -> None:
    with pytest.raises(
        SettingsError, match=r"choose thesis, obelics, laion; did you mean obelics\?"
    ):
        find_preset("obelisc")
