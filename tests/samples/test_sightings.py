"""What a sample keeps of every page that shows or names its picture."""

from pathlib import Path

from blickfang.search import search_corpus
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
