"""Which text is shown as the caption of a picture."""

from typing import Any

import pytest

from blickfang.corpus.mentions.assemble_samples import choose_caption


def row(**values: str) -> dict[str, Any]:
    names = ("alt", "title", "caption", "context", "name", "page_title", "section", "generated")
    return {**dict.fromkeys(names, ""), "kind": "figure", **values}


@pytest.mark.parametrize(
    ("alt", "caption", "more", "chosen"),
    [
        ("Fox Sparrow", "Pennsylvania", {"name": "fox sparrow"}, "alt"),
        ("Black Skimmer", "Florida", {"name": "images black skimmer florida"}, "alt"),
        ("Dunlin", "Florida", {"page_title": "Dunlin – birds of the shore"}, "alt"),
        ("Two bridges over a river in fog", "Photo: Anna Lind", {}, "alt"),
        ("Two bridges over a river", "Image source: Getty Images.", {}, "alt"),
        ("Zwei Brücken im Nebel", "Quelle: dpa", {"name": "bruecken quelle"}, "alt"),
        ("Redcurrant plant", "Flowering period", {"name": "redcurrant"}, "alt"),
        ("霧の中の二つの橋", "写真", {}, "alt"),
        # A caption that agrees with something, or says as much, stays.
        ("A bird on a branch", "Cedar Waxwing, Pennsylvania", {"name": "cedar waxwing"}, "caption"),
        ("Cedar Waxwing", "Cedar Waxwing in May", {}, "caption"),
        ("tower", "A tower by the sea", {}, "caption"),
        ("A man on a cliff", "Ansel climbs the north face without a rope, in 1998", {}, "caption"),
        ("By the lake", "By the river at dusk, after the rain", {}, "caption"),
        ("A spring in a wood", "Source of the Danube at Donaueschingen", {}, "caption"),
        ("", "Photo: Anna Lind", {}, "caption"),
        ("IMG_2034", "Pennsylvania", {"generated": "alt"}, "caption"),
        ("Athena plays with a toy", "Photo Photo", {"generated": "caption"}, "alt"),
    ],
)
def test_the_text_that_says_more_is_shown(
    alt: str, caption: str, more: dict[str, str], chosen: str
) -> None:
    shown = choose_caption(row(alt=alt, caption=caption, context=caption, **more))
    assert shown == {"alt": alt, "caption": caption}[chosen]


def test_without_a_caption() -> None:
    prose = "Something else that stands beside it."
    assert choose_caption(row(alt="A white tower", context=prose, kind="text")) == "A white tower"
    assert choose_caption(row(title="A white tower", context=prose, kind="text")) == "A white tower"
    assert choose_caption(row(alt="tower", context=prose, kind="text")) == prose
    assert choose_caption(row(alt="A white tower", context=prose, kind="record")) == prose
    assert choose_caption(row(alt="IMG_1", context="", generated="alt")) == "IMG_1"
    assert choose_caption(row()) == ""
    barn = "Old barn near Lancaster at sunset"
    assert choose_caption(row(alt=barn, context="Pennsylvania", kind="record")) == barn
    assert choose_caption(row(alt=barn, context="Photo: Anna Lind", kind="record")) == barn
    assert choose_caption(row(alt="A barn", context="Lancaster Barn", kind="record")) != "A barn"
