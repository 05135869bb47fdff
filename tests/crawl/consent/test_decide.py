"""The table of purposes and prohibitions, spelled out; and precedence of reservations."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.crawl.crawl_options import PURPOSES
from blickfang.crawl.permission import decide, signals_of_answer
from blickfang.crawl.permission.decide import BINDING
from blickfang.crawl.permission.signals import Signal, signal
from tests.crawl.consent.answers import NOW

THINGS = ("fetch", "follow", "index", "images", "mine", "train", "train-images")

# What may be done: f(etch), k(eep), l(inks followed).
TABLE = [
    # forbidden, kind, search, research, train
    ("fetch", "page", "", "", ""),
    ("fetch", "image", "", "", ""),
    ("follow", "page", "fk", "fk", "fk"),
    ("follow", "image", "fkl", "fkl", "fkl"),
    ("index", "page", "fl", "fl", "fl"),
    ("index", "image", "", "", ""),
    ("images", "page", "fkl", "fkl", "fkl"),
    ("images", "image", "", "", ""),
    ("mine", "page", "fkl", "", ""),
    ("mine", "image", "fkl", "", ""),
    ("train", "page", "fkl", "fkl", "l"),
    ("train", "image", "fkl", "fkl", ""),
    ("train-images", "page", "fkl", "fkl", "fkl"),
    ("train-images", "image", "fkl", "fkl", ""),
]


@pytest.mark.parametrize(("thing", "kind", "search", "research", "train"), TABLE)
def test_table(thing: str, kind: str, search: str, research: str, train: str) -> None:
    one = signal("meta", "something", "", frozenset({thing}))
    for purpose, may in zip(PURPOSES, (search, research, train), strict=True):
        decision = decide([one], purpose, kind)
        done = (decision.may_fetch, decision.may_keep, decision.may_follow)
        assert done == ("f" in may, "k" in may, "l" in may), purpose
        assert decision.reasons == (("meta: something",) if may != "fkl" else ())


def test_every_purpose_and_prohibition_is_in_the_table() -> None:
    assert tuple(BINDING) == PURPOSES
    assert {(row[0], row[1]) for row in TABLE} == {
        (thing, kind) for thing in THINGS for kind in ("page", "image")
    }


def test_purposes_grow() -> None:
    assert BINDING["search"] < BINDING["research"] < BINDING["train"]


@pytest.mark.parametrize(("purpose", "kind"), [("fun", "page"), ("train", "video")])
def test_unknown_purposes_are_our_mistake(purpose: str, kind: str) -> None:
    with pytest.raises(KeyError):
        decide([], purpose, kind)


FILE = signal("tdmrep.json", "tdm-reservation", "1", frozenset({"mine", "train"}))


@pytest.mark.parametrize(
    ("header", "meta", "keeps"),
    [
        ("", "", False),
        ("0", "", True),
        ("", "0", True),
        ("1", "0", True),
        ("0", "1", False),
        ("2", "", False),
    ],
)
def test_meta_over_header_over_file(header: str, meta: str, keeps: bool) -> None:
    found = signals_of_answer({"tdm-reservation": header}, {"tdm-reservation": meta}, NOW)
    decision = decide([FILE, *found], "research", "page")
    assert decision.may_keep is keeps
    assert decision.may_fetch is keeps


def test_other_signals_bind_beside_a_granted_reservation() -> None:
    found = signals_of_answer({"tdm-reservation": "0", "x-robots-tag": "noindex"}, {}, NOW)
    assert decide([FILE, *found], "research", "page").reasons == ("header: noindex",)


def test_nothing_said_permits_everything() -> None:
    for purpose in PURPOSES:
        decision = decide([], purpose, "page")
        assert decision.may_fetch
        assert decision.may_keep
        assert decision.may_follow
        assert decision.reasons == ()


SIGNALS = st.lists(
    st.builds(
        Signal,
        st.sampled_from(["tdmrep.json", "header", "meta"]),
        st.sampled_from(["a", "b"]),
        st.just(""),
        st.frozensets(st.sampled_from(THINGS), max_size=2),
    ),
    max_size=4,
)


@given(SIGNALS, SIGNALS, st.sampled_from(PURPOSES), st.sampled_from(["page", "image"]))
def test_more_signals_never_permit_more(
    some: list[Signal], more: list[Signal], purpose: str, kind: str
) -> None:
    before, after = decide(some, purpose, kind), decide([*some, *more], purpose, kind)
    assert after.may_fetch <= before.may_fetch
    assert after.may_keep <= before.may_keep
    assert after.may_follow <= before.may_follow
    assert set(before.reasons) <= set(after.reasons)
