"""Learning from addresses: what is fetched for it, kept for it, and left out."""

import json
from pathlib import Path

import pytest

from blickfang.config import locking, make_collection, open_collection
from blickfang.crawl.focus.learn import learn
from blickfang.demo.truth import Answer
from blickfang.errors import InputError, SettingsError
from tests.crawl.sites import Sites, page, serving, text

A = "http://a.test"
OWL = "The tawny owl calls from the old oak after sunset, and the barn owl answers from the fields."

pytestmark = pytest.mark.filterwarnings("ignore::blickfang.text.lm.kneser_ney.LittleTextWarning")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make_collection(tmp_path / "owls")
    (tmp_path / "owls" / "neutral.txt").write_text("The council meets on the first Monday.")
    return tmp_path / "owls"


def write(
    root: Path, proxy: str, *positive: str, neutral: str = "neutral.txt", more: str = ""
) -> None:
    root.joinpath("blickfang.toml").write_text(
        f"[topic]\npositive = {json.dumps(positive)}\nneutral = [{neutral!r}]\norder = 2\n"
        f"[crawl]\nproxy = {proxy!r}\nallow_private = true\ndelay_s = 0.0\n{more}"
    )


def learn_again(root: Path) -> dict[str, str]:
    """Learn, and return what was left out and why."""
    return {lost.url: lost.reason for lost in learn(open_collection(root)).failures}


def test_pages_are_fetched_once(root: Path) -> None:
    sites = Sites({f"{A}/1": page(text=OWL)})
    with serving(sites) as server:
        write(root, server.address, f"{A}/1")
        assert learn_again(root) == {}
        assert learn_again(root) == {}
    assert sites.count(f"{A}/1") == 1


@pytest.mark.parametrize(
    ("reserved", "why"),
    [
        (page(text=OWL, head='<meta name="tdm-reservation" content="1">'), "meta: tdm-reservation"),
        (page(text=OWL, head='<meta name="robots" content="noindex">'), "meta: noindex"),
        (text(OWL, 200, ("X-Robots-Tag", "noindex")), "header: noindex"),
    ],
)
def test_what_a_page_reserves_is_not_learned_from(root: Path, reserved: Answer, why: str) -> None:
    sites = Sites({f"{A}/1": page(text=OWL), f"{A}/2": reserved})
    with serving(sites) as server:
        write(root, server.address, f"{A}/1", f"{A}/2")
        assert learn_again(root) == {f"{A}/2": f"{A}/2: {why}"}
    assert len(list((root / "topic" / "fetched").iterdir())) == 1


CC = '<link rel="license" href="https://creativecommons.org/licenses/by/4.0/">'
RSL = '<link rel="license" type="application/rsl+xml" href="/license.xml">'


WITHIN = (
    "<script type='application/rsl+xml'><rsl><content url='/'>{}</content></rsl></script>".format
)
SOLD = "<license><permits>ai-train</permits><payment type='training'/></license>"


@pytest.mark.parametrize("rsl", [RSL, WITHIN(""), WITHIN(SOLD)])
def test_licences_that_are_sold_forbid_training_and_no_others(root: Path, rsl: str) -> None:
    given = WITHIN("<license><permits>ai-train</permits></license>")
    heads = {
        f"{A}/cc": page(text=OWL, head=CC),
        f"{A}/rsl": page(text=OWL, head=rsl),
        f"{A}/given": page(text=f"{OWL} Given.", head=given),
    }
    free = "<https://creativecommons.org/licenses/by/4.0/>; rel=license"
    sites = Sites({**heads, f"{A}/link": text(f"{OWL} Free.", 200, ("Link", free))})
    with serving(sites) as server:
        write(root, server.address, *heads, f"{A}/link", more='purpose = "train"\n')
        assert learn_again(root) == {f"{A}/rsl": f"{A}/rsl: meta: license"}


def test_what_cannot_be_read_is_asked_for_again(root: Path) -> None:
    sites = Sites({f"{A}/1": page(text=OWL), f"{A}/2": text("")})
    with serving(sites) as server:
        write(root, server.address, f"{A}/1", f"{A}/2")
        assert learn_again(root) == {f"{A}/2": f"{A}/2: binary or empty, not a page"}
        sites.replies[f"{A}/2"] = page(text=f"{OWL} It is there now.")
        assert learn_again(root) == {}
        write(root, server.address, f"{A}/3")
        with pytest.raises(InputError, match=f"the first: {A}/3: status 404"):
            learn(open_collection(root))


def test_nobody_is_asked_for_what_cannot_be_learned(root: Path) -> None:
    sites = Sites({f"{A}/1": page(text=OWL)})
    with serving(sites) as server:
        write(root, server.address, f"{A}/1", neutral=f"{A}/1#there")
        with pytest.raises(SettingsError, match=f"{A}/1 is both positive and neutral"):
            learn(open_collection(root))
        write(root, server.address, f"{A}/1")
        collection = open_collection(root)
        with locking(collection), pytest.raises(SettingsError, match="another Blickfang"):
            learn(collection)
    assert sites.asked == []
