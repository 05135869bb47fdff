"""The sentence engine, and that every template of every lexicon can be filled."""

import pytest

from blickfang.demo.grammar import (
    DATA,
    facts_about,
    lexicon,
    paragraph,
    read_lexicon,
    say,
    seeded,
)
from blickfang.demo.plans import PLANS

LEXICONS = sorted(path.stem for path in (DATA / "lexicons").iterdir())

TINY = """
= topic tests
= motif kite
= language en
= rows name size
Ada | 3
Bo | 4
= trait colour red | green
= trait year 1990..1992
= view hour at noon
= word thing lamp | oven
= section talk About {name}
{name} has a {thing} and
  a [old|old] hat.
It is {year}.
= captions
{name} {hour}
= blurbs
{colour}
= articles
Talk | talk
"""


def test_reading() -> None:
    tiny = read_lexicon(TINY)
    assert [row["name"] for row in tiny.rows] == ["Ada", "Bo"]
    assert tiny.traits["year"] == ("1990", "1991", "1992")
    assert tiny.sections["talk"].sentences[0] == "{name} has a {thing} and a [old|old] hat."
    assert tiny.articles == (("Talk", "talk"),)


def test_saying() -> None:
    tiny = read_lexicon(TINY)
    facts = facts_about(tiny, tiny.rows[0])
    assert facts == facts_about(tiny, tiny.rows[0])
    text = say(tiny, "{name} has a {thing} and a [old|old] hat.", facts, seeded("x"))
    assert text in ("Ada has a lamp and an old hat.", "Ada has an oven and an old hat.")
    assert tiny.views["hour"] == ("at noon",)
    whole = paragraph(tiny, "talk", facts, seeded("z"), 9)
    assert whole.startswith("Ada has")
    assert whole.endswith(f"It is {facts['year']}.")


@pytest.mark.parametrize("name", LEXICONS)
def test_every_template_can_be_filled(name: str) -> None:
    known = lexicon(name)
    random = seeded(name)
    templates = [*known.captions, *known.blurbs]
    for section in known.sections.values():
        templates += [section.heading, *section.sentences]
    for row in known.rows:
        views = {view: random.choice(given) for view, given in known.views.items()}
        facts = facts_about(known, row) | views | {"other": "Another"}
        for template in templates:
            text = say(known, template, facts, random)
            assert not set("{}[]|") & set(text)
            assert text[0].isupper() or not text[0].isalpha()


def test_plans_fit_their_lexicons() -> None:
    for plan in (plan for plan in PLANS.values() if plan.lexicon):
        known = lexicon(plan.lexicon)
        assert plan.first + plan.count <= len(known.rows)
        assert set(plan.sections) <= set(known.sections)
        assert plan.articles <= len(known.articles)
        assert all(key in known.sections for _, keys in known.articles for key in keys.split())
