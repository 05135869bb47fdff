"""What a sample keeps of every page that shows or names its picture."""

import json
from pathlib import Path

from blickfang.corpus.export.mirror import write_info
from blickfang.corpus.search import search_corpus
from tests.samples.archives import draw, page, picture
from tests.samples.test_build import SITE, figure, make, rows

SEEDS = {"near1": 1, "near2": 2, "far": 3}
PICTURES = [picture(f"{SITE}/{name}.png", draw(seed)) for name, seed in SEEDS.items()]
SHOWN = "".join(figure(f"/{name}.png", "A tower by the sea") for name in SEEDS)


def test_what_links_to_a_picture_say_is_kept_and_found(tmp_path: Path) -> None:
    links = (
        "<p><a href=/far.png>big picture link words zebra</a> and"
        "<p><a href=/far.png>the same, striped like an okapi</a>"
        "<p><a href=/far.png></a>"
        "<figure><a href=/near1.png><img src=/near2.png></a><figcaption>Again</figcaption></figure>"
    )
    built = make(
        tmp_path,
        page(f"{SITE}/", SHOWN + links),
        page("http://b.test/", f"<p><a href={SITE}/far.png>from elsewhere</a>"),
        *PICTURES,
    )
    found = {row["url"]: row for row in rows(built)}
    assert len(found) == 3  # a link makes no further picture of one that is shown
    assert set(found[f"{SITE}/far.png"]["link_texts"]) == {
        "big picture link words zebra",
        "the same, striped like an okapi",
        "from elsewhere",
    }
    assert found[f"{SITE}/near1.png"]["link_texts"] == []
    assert found[f"{SITE}/near2.png"]["link_texts"] == []
    for word in ("zebra", "okapi", "elsewhere"):
        assert search_corpus(tmp_path, word)[0].url == f"{SITE}/far.png"


def test_emphasised_words_count_more(tmp_path: Path) -> None:
    told = "One {} tower, {} by the sea, and some more words about it"
    shown = {
        "near1": told.format("grey", "low"),
        "near2": told.format("<b>very <i>grey</i></b>", "<em>low</em>"),
        "far": told.format("grey", "low") + " <strong></strong>",
    }
    pages = [
        page(f"http://{name}.test/", f"<title>T</title>{figure(f'{SITE}/{name}.png', text, '')}")
        for name, text in shown.items()
    ]
    built = make(tmp_path, *pages, *PICTURES)
    found = {row["url"]: row["emphasised"] for row in rows(built)}
    assert found == {
        f"{SITE}/near1.png": [],
        f"{SITE}/near2.png": ["very grey", "low"],
        f"{SITE}/far.png": [],
    }
    for word in ("grey", "low"):
        assert search_corpus(tmp_path, word)[0].url == f"{SITE}/near2.png"


def test_every_mention_keeps_its_values(tmp_path: Path) -> None:
    shown = figure("/far.png", "Far away").replace("<img ", '<img data-id="7" CLASS="a &amp; b" ')
    built = make(
        tmp_path,
        page(f"{SITE}/1", shown),
        page(f"{SITE}/2", figure("/far.png", "Very far", "no tower")),
        *PICTURES,
    )
    (row,) = rows(built)
    mentions = {mention["page_url"][-1]: mention for mention in row["mentions"]}
    attributes = json.loads(mentions["1"]["attributes"])
    assert attributes == {"data-id": "7", "class": "a & b", "src": "/far.png", "alt": "tower"}
    for number, alt in (("1", "tower"), ("2", "no tower")):
        texts = {text["name"]: text for text in json.loads(mentions[number]["texts"])}
        assert texts["alt"]["text"] == alt
        assert texts["alt"]["words"] == len(alt.split())
        assert texts["parent-1"]["distance_weight"] == 500
        assert mentions[number]["section_title"] == "Towers"
        assert mentions[number]["kind"] == "figure"
    info = write_info(row)
    assert info.count("<mention ") == info.count('<text name="alt"') == 2
    assert '<attribute name="class">a &amp; b</attribute>' in info
