"""RSL that a page holds: what binds whom, and everything that can be wrong with it."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.crawl.permission import decide
from blickfang.crawl.permission.rsl import MAX_CHARS, MAX_DEPTH, MAX_ELEMENTS, of_terms
from blickfang.crawl.permission.signals import MAX_VALUE, Signal, inherited
from blickfang.types import LicenceTerms

URL = "http://www.example.org/news/owl.html?a=1"
PROHIBITS = '<prohibits type="usage">ai-train</prohibits>'
PERMITS = '<permits type="usage">ai-train</permits>'


def licensed(*licences: str, url: str = "/", more: str = "") -> str:
    inner = "".join(f"<license>{each}</license>" for each in licences)
    return f'<content url="{url}"{more}>{inner}</content>'


def rsl(*contents: str) -> str:
    return f'<rsl xmlns="https://rslstandard.org/rsl">{"".join(contents)}</rsl>'


def signals(*texts: str, images: tuple[str, ...] = (), names: tuple[str, ...] = ()) -> list[Signal]:
    return of_terms([LicenceTerms(URL, text, names) for text in texts], images)


def forbidden(*texts: str, names: tuple[str, ...] = ()) -> set[str]:
    return set().union(*(one.forbids for one in signals(*texts, names=names)))


FREE = [
    PERMITS,
    "<permits>train-ai search</permits>",
    "<permits type='usage'>search, ai-train; ai-input</permits>",
    "<permits type='usage'>all</permits><payment type='free'/>",
    "<permits type='usage'><![CDATA[ai-all]]></permits>",
    "<permits type='usage'>AI-Train</permits>",
    "<permits type='ai-train'/>",
    "<prohibits type='usage'>ai-input ai-index</prohibits>",
    "<payment type='free'/>",
    f"{PERMITS}<permits type='user'>commercial non-commercial education government personal"
    "</permits><legal type='disclaimer'>as-is</legal>",
]
BOUND = [
    PROHIBITS,
    "<prohibits>train-ai</prohibits>",
    "<prohibits type='ai-train'/>",
    "<prohibits type='usage'>ai-input,ai-all</prohibits>",
    "<prohibits type='usage'>train-genai</prohibits>",
    "<prohibits type='usage'>machine-learning</prohibits>",  # nobody knows what it is
    "<prohibits type='usage'/>",
    PERMITS + PROHIBITS,
    "<permits type='usage'>all</permits><prohibits type='usage'>ai-train</prohibits>",
    "<permits type='usage'>search ai-input</permits>",
    "<permits type='usage'>train-genai</permits>",
    "<permits type='usage'>machine-learning</permits>",
    "<permits type='usage'/><payment type='free'/>",
    "",
    "<legal type='warranty'>ownership</legal>",
    *(
        f"{PERMITS}{more}"
        for more in (
            "<payment type='training'><amount currency='USD'>5</amount></payment>",
            "<payment type='attribution'/>",
            "<payment/>",
            "<payment type='free'/><payment type='subscription'/>",
            "<permits type='user'>education</permits>",
            "<permits type='geo'>US</permits>",
            "<prohibits type='user'>commercial</prohibits>",
            "<permits type='when'>2026</permits>",
        )
    ),
]


@pytest.mark.parametrize("licence", FREE)
def test_who_permits_training_binds_nobody(licence: str) -> None:
    (one,) = signals(rsl(licensed(licence)))
    assert one == Signal("meta", "license", "in the page: permits training", frozenset())
    assert decide([one], "train", "page").may_keep


@pytest.mark.parametrize("licence", BOUND)
def test_who_does_not_permit_training_binds_it_alone(licence: str) -> None:
    found = signals(rsl(licensed(licence)))
    assert [sorted(one.forbids) for one in found] == [["train"]]
    assert not decide(found, "train", "page").may_keep
    assert decide(found, "train", "page").reasons == ("meta: license",)
    assert decide(found, "research", "page").may_keep


@pytest.mark.parametrize(
    ("licence", "said"),
    [
        (PROHIBITS, "prohibits ai-train"),
        ("<permits>search ai-input</permits>", "permits search ai-input"),
        (f"{PERMITS}<payment type='crawl'/>", "asks for payment: crawl"),
        (f"{PERMITS}<permits type='geo'>US EU</permits>", "permits by geo: us eu"),
        ("", "a licence that names no use"),
        ("<prohibits>ai-input search</prohibits>", "prohibits search"),
    ],
)
def test_the_reason_is_told(licence: str, said: str) -> None:
    assert [one.value for one in signals(rsl(licensed(licence)))] == [f"in the page: {said}"]


@pytest.mark.parametrize(
    ("contents", "bound"),
    [
        (licensed(PERMITS, more=" server='https://a.org/api'"), True),
        (licensed(PERMITS, more=" encrypted='true'"), True),
        (licensed(PERMITS, more=" server='' encrypted='false' lastmod='2026'"), False),
        ('<content url="/"/>', True),
        (f'<content url="/">{PERMITS}</content>', True),  # no licence
        (f'<content url="/">{PROHIBITS}<license>{PERMITS}</license></content>', True),
        (licensed("<permits>search</permits>", PERMITS), False),  # a choice
        (licensed(f"{PERMITS}<payment type='crawl'/>", PERMITS), False),
        (licensed("<permits>search</permits>", f"{PERMITS}<payment type='crawl'/>"), True),
        (licensed(PROHIBITS, PERMITS), True),
        ("", True),
        (f"<license>{PERMITS}</license>", True),  # of what?
    ],
)
def test_licences_of_a_content(contents: str, bound: bool) -> None:
    assert forbidden(rsl(contents)) == ({"train"} if bound else set())


def test_what_is_forbidden_to_search_and_mine() -> None:
    assert forbidden(rsl(licensed("<prohibits>search</prohibits>"))) == {"index"}
    assert forbidden(rsl(licensed("<prohibits>all</prohibits>"))) == {"index", "mine", "train"}
    assert forbidden(rsl(licensed("<prohibits>tdm</prohibits>"))) == {"mine", "train"}
    one_of_two = licensed("<prohibits>all</prohibits>", "<permits>search</permits>")
    assert forbidden(rsl(one_of_two)) == {"train"}
    not_named = licensed(PERMITS)  # what is not permitted is not prohibited in so many words
    assert forbidden(rsl(not_named)) == set()


@pytest.mark.parametrize(
    ("url", "covers"),
    [
        ("/", True),
        ("*", True),
        ("/news/", True),
        ("/news", True),
        ("/news/*.html", True),
        ("/news/*.html?a=1$", True),
        ("/news/*.html$", False),
        ("/*/owl", True),
        ("/NEWS/", False),
        ("/photos/", False),
        ("/n%65ws/", True),
        ("http://www.example.org/news/owl.html", True),
        ("https://example.org:443/news/*", True),
        ("HTTPS://Example.org", True),
        ("//example.org/news/", True),
        ("https://example.org/photos/", False),
        ("https://elsewhere.org/news/", False),
        ("https://elsewhere.org?/news/", True),  # what is not clear may be about this page
        ("https://*.example.org/", True),
        ("", True),
        ("owl.html", True),
        ("example.org/photos/", True),
        ("urn:isbn:1", True),
        ("http://[::1/", True),
    ],
)
def test_which_addresses_a_content_speaks_of(url: str, covers: bool) -> None:
    assert forbidden(rsl(licensed(PROHIBITS, url=url))) == ({"train"} if covers else set())


def test_the_longest_pattern_decides() -> None:
    site, news = licensed(PROHIBITS), licensed(PERMITS, url="/news/")
    assert forbidden(rsl(site, news)) == forbidden(rsl(news, site)) == set()
    site, news = licensed(PERMITS), licensed(PROHIBITS, url="/news/*.html")
    assert forbidden(rsl(site, news)) == {"train"}
    assert forbidden(rsl(licensed(PERMITS), licensed(PROHIBITS))) == {"train"}
    assert forbidden(rsl(licensed(PERMITS), licensed(PROHIBITS, url="urn:isbn:1"))) == {"train"}


def test_the_address_that_a_page_gives_itself_counts_where_its_own_is_not_named() -> None:
    names = ("http://www.example.org/owls/",)
    text = rsl(licensed(PROHIBITS, url="https://example.org/owls/"))
    assert forbidden(text) == set()
    assert forbidden(text, names=names) == {"train"}
    assert forbidden(rsl(licensed(PERMITS), licensed(PROHIBITS, url="/owls/")), names=names) == (
        set()
    )


def test_each_of_several_documents_counts() -> None:
    permits, prohibits = rsl(licensed(PERMITS)), rsl(licensed(PROHIBITS))
    other = rsl(licensed(PROHIBITS, url="/photos/"))
    assert forbidden(permits, permits) == set()
    assert forbidden(permits, prohibits) == forbidden(prohibits, permits) == {"train"}
    assert forbidden(permits, "") == {"train"}
    assert forbidden(permits, other) == set()
    linked = LicenceTerms("http://www.example.org/l.xml")
    both = of_terms([LicenceTerms(URL, permits), linked])
    assert [one.value for one in both] == [linked.url, "in the page: permits training"]
    assert not decide(both, "train", "page").may_keep


GOOD = rsl(licensed(PERMITS))


@pytest.mark.parametrize(
    "text",
    [
        GOOD.replace('"', "'"),
        f"\n  <?xml version='1.0' encoding='iso-8859-1'?>\n<!-- ä -->{GOOD}\n",
        f"\ufeff{GOOD}",
        f"<![CDATA[{GOOD}]]>",
        f"\n//<![CDATA[\n{GOOD}\n//]]>\n",
        f"/*<![CDATA[*/{GOOD}/*]]>*/",
        "<rsl:rsl xmlns:rsl='https://rslstandard.org/rsl'><rsl:content url='/'><rsl:license>"
        "<rsl:permits type='usage'>ai-train</rsl:permits></rsl:license></rsl:content></rsl:rsl>",
        "<rsl:rsl><rsl:content url='/'><rsl:license><rsl:permits>ai-train</rsl:permits>"
        "</rsl:license></rsl:content></rsl:rsl>",
        f"<RSL><CONTENT URL='/'><License>{PERMITS}</License></CONTENT></RSL>",
        GOOD.replace("ai-train", "ai&#45;train"),
    ],
)
def test_ways_to_write_it(text: str) -> None:
    assert [one.value for one in signals(text)] == ["in the page: permits training"]
    denied = text.replace("permits", "prohibits")
    assert [one.value for one in signals(denied)] == ["in the page: prohibits ai-train"]


BOMB = "<!DOCTYPE rsl [<!ENTITY a 'ai-train'>" + "".join(
    f"<!ENTITY {chr(98 + n)} '{f'&{chr(97 + n)};' * 10}'>" for n in range(20)
)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "train-ai: yes",
        GOOD[:-1],
        GOOD.replace("</license>", ""),
        f"{GOOD}{GOOD}",
        f"<!-- {GOOD} -->",
        f"<![CDATA[{GOOD}",
        GOOD.replace("ai-train", "ai&nbsp;train"),
        f"<!DOCTYPE rsl>{GOOD}",
        f"<!DOCTYPE rsl SYSTEM 'http://a.org/x.dtd'>{GOOD}",
        f"{BOMB}]>{GOOD.replace('ai-train', '&u;')}",
        GOOD + " " * MAX_CHARS,
        "<a>" * MAX_DEPTH + GOOD + "</a>" * MAX_DEPTH,
        "<a>" * 80_000,
        f"<a>{'<b/>' * MAX_ELEMENTS}{GOOD}</a>",
        f"<a>{licensed(PERMITS, url='/x') * 501}</a>",
        f"<a>{'<content>' * 20}{'<license>' * 20}",
        f"<a>{licensed(PERMITS + licensed(PROHIBITS))}</a>",
        GOOD.replace("/", "/\0", 1),
        GOOD.replace("ai-train", "\ud800"),
    ],
)
def test_what_cannot_be_read_forbids_training(text: str) -> None:
    begun = time.process_time()
    assert [one[1:] for one in signals(text)] == [
        ("license", "in the page: cannot be read", frozenset({"train"}))
    ]
    assert time.process_time() - begun < 1.0


def test_hostile_patterns_are_not_followed_for_long() -> None:
    patterns = [licensed(PROHIBITS, url="/" + "*a" * 200 + str(n)) for n in range(400)]
    images = tuple(f"http://example.org/{'a' * 1000}{n}.png" for n in range(2000))
    begun = time.process_time()
    found = signals(rsl(*patterns), images=images)
    assert time.process_time() - begun < 5.0
    assert {"train-images"} in [one.forbids for one in found]


def test_images_that_a_licence_names() -> None:
    image = "http://example.org/photos/a.jpg"
    text = rsl(licensed(PERMITS), licensed(PROHIBITS, url="/photos/*.jpg"))
    found = signals(text, images=("http://cdn.org/photos/a.jpg", image))
    page, other = found
    assert page.value == "in the page: permits training"
    said = f"in the page: prohibits ai-train: {image}"
    assert other == Signal("meta", "license of images", said, frozenset({"train-images"}))
    assert inherited(found) == [other]
    assert decide(found, "train", "page").may_keep
    assert not decide(inherited(found), "train", "image").may_fetch
    assert decide(inherited(found), "research", "image").may_fetch
    assert len(signals(text, images=("http://example.org/drawings/a.jpg",))) == 1
    hidden = rsl(licensed(PERMITS), licensed("<prohibits>search</prohibits>", url="/photos/"))
    assert not decide(inherited(signals(hidden, images=(image,))), "search", "image").may_fetch
    many = tuple(f"http://cdn.org/{number}" for number in range(2000))
    assert len(signals(text, images=many)) == 2  # they are not all looked at
    assert len(signals(GOOD, images=many)) == 1


@given(st.text(max_size=200), st.text(max_size=20), st.text(alphabet="<>/rsl content'\"=!-[]&;"))
def test_anything_can_be_read(text: str, url: str, markup: str) -> None:
    for each in (text, markup, rsl(licensed(PERMITS, url=url)), rsl(licensed(text))):
        for one in signals(each, images=("http://example.org/a.png",)):
            assert len(one.value) <= MAX_VALUE
