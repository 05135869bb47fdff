"""Limits of pictures and samples: none unless asked, presets never override, each names its key."""

import json
import warnings
from pathlib import Path
from typing import Any

import pytest

from blickfang.config import load_settings, open_collection
from blickfang.corpus import open_corpus
from blickfang.corpus.build import Built, build, choose_limits
from blickfang.corpus.mentions.captures import PictureCapture
from blickfang.corpus.mentions.limits import PRESETS, SampleLimits, find_cut, find_misfit
from blickfang.crawl.focus.learn import learn
from blickfang.errors import SettingsError
from blickfang.text.relevance import ScoreOptions as Scoring
from tests.samples.archives import draw, make_collection, page, picture, write_archive

GOOD = PictureCapture(
    *(0, 0, "http://a.test/x.jpg", "", "", None, None, "jpeg", 800, 600, 9000),
    *("", 0, 1, 1, "", "", "", "", ""),
)
SITE = "http://a.test"
TOWERS = (
    "The old lighthouse stands on the cliff above the harbour and its lamp is lit every night.",
    "A keeper climbs the tower at dusk to light the lamp that guides the ships into the harbour.",
    "The white tower of the lighthouse is forty metres high and was built of granite long ago.",
    "Ships that pass the cliff at night see the lamp of the lighthouse from far out at sea.",
)
OTHERS = (
    "Mix the flour with the sugar and bake the cake in the oven for about half an hour.",
    "The council met on Tuesday to talk about the new car park behind the town hall.",
    "Our team won the match on Saturday and the crowd went home happy and tired.",
)


def limits_of(tmp_path: Path, text: str) -> SampleLimits:
    (tmp_path / "blickfang.toml").write_text(text)
    return choose_limits(open_collection(tmp_path))


def of_preset(tmp_path: Path, name: str) -> SampleLimits:
    return limits_of(tmp_path, f'[build]\npreset = "{name}"\n')


def fits(limits: SampleLimits, **values: Any) -> bool:
    return find_misfit(GOOD._replace(**values), limits) is None


@pytest.mark.parametrize("name", PRESETS)
def test_a_good_picture_passes_all(tmp_path: Path, name: str) -> None:
    limits = of_preset(tmp_path, name)
    assert fits(limits)
    assert find_cut(100.0, "A white tower", limits) is None
    assert not fits(limits, failure="broken")


def test_thesis(tmp_path: Path) -> None:
    limits = of_preset(tmp_path, "thesis")
    assert fits(limits, width=512, height=384)
    assert not fits(limits, width=511)
    assert not fits(limits, height=383)
    assert fits(limits, width=9600, height=7200)
    assert not fits(limits, width=9601)
    assert not fits(limits, height=7201)
    assert limits.alt_or_title
    cut = [find_cut(rank, "", limits) is not None for rank in (1.9, 2.0, 70_000.0, 70_001.0)]
    assert cut == [True, False, False, True]


def test_obelics(tmp_path: Path) -> None:
    limits = of_preset(tmp_path, "obelics")
    assert fits(limits, width=150, height=300)
    assert not fits(limits, width=150, height=301)
    assert not fits(limits, width=301, height=150)
    assert not fits(limits, width=149, height=200)
    assert not fits(limits, width=20_001, height=20_000)
    assert not fits(limits, format="gif")


def test_laion(tmp_path: Path) -> None:
    limits = of_preset(tmp_path, "laion")
    assert not fits(limits, bytes=4999)
    assert fits(limits, bytes=5000, width=20, height=90_000)
    assert find_cut(None, "Sea", limits)
    assert not find_cut(None, "Seaside", limits)


def test_unknown_presets_get_a_hint(tmp_path: Path) -> None:
    with pytest.raises(
        SettingsError, match=r"choose thesis, obelics, laion; did you mean obelics\?"
    ):
        of_preset(tmp_path, "obelisc")


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_overrides_no_key_that_is_written(tmp_path: Path, name: str) -> None:
    """Every key of every preset: what the user wrote stands, all else is the preset's."""
    theirs = {
        (section, key): value
        for section in PRESETS[name]
        for key, value in PRESETS[name][section].items()
    }
    whole = of_preset(tmp_path, name)
    for (section, key), value in theirs.items():
        ours = {bool: not value, int: 77, float: 77.0, list: ["gif"]}[type(value)]
        if key.startswith("max_") and ours:
            ours = value + 1 if value else 30_000
        written = {"build": [f'preset = "{name}"'], "images": []}
        written[section].append(f"{key} = {json.dumps(ours)}")
        text = "".join(f"[{part}]\n" + "\n".join(lines) + "\n" for part, lines in written.items())
        limits = limits_of(tmp_path, text)
        assert getattr(limits, key) == (tuple(ours) if isinstance(ours, list) else ours)
        for _, other in theirs:
            if other != key:
                assert getattr(limits, other) == getattr(whole, other)
        images = load_settings(tmp_path / "blickfang.toml").images  # the crawl goes by the same
        assert images.min_width == limits.min_width


def test_what_drops_a_picture_names_the_setting_and_its_preset(tmp_path: Path) -> None:
    plain = SampleLimits(min_width=900, min_height=10)
    found = find_misfit(GOOD, plain)
    assert found is not None
    assert found.reason == "too small (min_width = 900, min_height = 10)"
    found = find_misfit(GOOD._replace(width=100), of_preset(tmp_path, "thesis"))
    assert found is not None
    assert found.reason == "too small (min_width = 512, min_height = 384, preset thesis)"
    assert found.detail == "100×600"
    cut = find_cut(1.5, "", of_preset(tmp_path, "thesis"))
    assert cut is not None
    assert cut == ("rank", "rank_study too low (min_rank = 2.0, preset thesis)", "1.5")


def make(root: Path, *pages: str, more: str = "") -> Built:
    """Build a corpus of a topic: towers by the sea."""
    make_collection(root, more)
    for name, texts in (("on", TOWERS), ("off", OTHERS)):
        for number, words in enumerate(texts):
            (root / f"{name}-{number}.txt").write_text(f"{words}\n")
    with (root / "blickfang.toml").open("a") as file:
        file.write('[topic]\npositive = ["on-*.txt"]\nneutral = ["off-*.txt"]\nkeywords = 1\n')
    answers = [page(f"{SITE}/{number}", html) for number, html in enumerate(pages)]
    names = ("a", "b", "c")
    answers += [picture(f"{SITE}/{name}.png", draw(seed)) for seed, name in enumerate(names)]
    write_archive(root / "a.warc.gz", answers)
    collection = open_collection(root)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        learn(collection)
    return build(collection)


def show(name: str, alt: str, text: str) -> str:
    return (
        f'<html lang=en><div><h2>Towers</h2><div><img src="/{name}.png" alt="{alt}">'
        f"<p>{text}</p></div></div>"
    )


PAGES = (
    show("a", "the lamp of the lighthouse", TOWERS[0]),
    show("a", "a granite tower", OTHERS[1] + " " + TOWERS[2]),
    show("a", "happy people at a match", OTHERS[2]),
    show("b", "ships see the white tower of the lighthouse", TOWERS[3]),
    show("b", "bake the cake", TOWERS[1]),
    show("c", "the council met", OTHERS[1]),
    show("c", "the lighthouse keeper at dusk", "A car park. " + TOWERS[1]),
)


def rows_of(built: Built) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = open_corpus(built.folder).table().to_pylist()
    return found


@pytest.mark.parametrize("ranking", ["ours", "study"])
def test_the_scores_of_a_row_give_its_rank(tmp_path: Path, ranking: str) -> None:
    built = make(tmp_path, *PAGES, more=f'ranking = "{ranking}"')
    rows = rows_of(built)
    assert len(rows) == 3
    nearest = f"parent-{Scoring().rank_parent}"
    for row in rows:
        scores = {text["name"]: text["score"] for text in row["texts"]}
        alts = {text["name"]: text["text"] for text in row["texts"]}
        assert row["rank_study"] == pytest.approx((scores["alt"] * scores[nearest]) ** 0.5)
        assert row["caption_alt_text_description"] == alts["alt"] == row["mentions"][0]["alt"]
        assert row["page_url"] == row["mentions"][0]["page_url"]
        told = [
            {t["name"]: t["score"] for t in json.loads(each["texts"])} for each in row["mentions"]
        ]
        ranks = [(each["alt"] * each[nearest]) ** 0.5 for each in told]
        if ranking == "study":  # the one that is shown is the one that was ranked
            assert row["rank_study"] == pytest.approx(min(ranks))
            assert ranks == sorted(ranks)
    key = {"ours": lambda row: -row["rank"], "study": lambda row: row["rank_study"]}[ranking]
    assert rows == sorted(rows, key=key)


def test_what_is_nearest_to_the_topic_is_kept_unless_a_cut_is_asked_for(tmp_path: Path) -> None:
    """Texts of the topic's own words score 1, which is below the study's cut."""
    perfect = show("a", "lighthouse and its lamp", "The lamp of a lighthouse.")
    kept = make(tmp_path / "kept", perfect)
    (row,) = rows_of(kept)
    assert row["rank_study"] < 2
    cut = make(tmp_path / "cut", perfect, more="min_rank = 2.0")
    assert not cut.samples
    (step,) = (step for step in cut.funnel if step.name == "rank")
    assert step.dropped == (("rank_study too low (min_rank = 2.0)", 1),)
    rejected = [row for batch in open_corpus(cut.folder).rejected() for row in batch.to_pylist()]
    assert [(row["reason"], row["detail"]) for row in rejected] == [
        ("rank_study too low (min_rank = 2.0)", f"{row['rank_study']:.6g}")
    ]
    assert "2\\.0" in (cut.folder / "README.md").read_text()  # of the card
