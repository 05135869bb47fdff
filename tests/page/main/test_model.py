"""The main text of a page: what is kept, what is left out, and what always holds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.html.main_text.block_features import FEATURES
from blickfang.html.main_text.block_model import MainText, find_main_text, load_model
from blickfang.html.parse.tree import read_tree
from tests.page.main.test_blocks import soups

MENU = "".join(f"<li><a href=/{name}>{name}</a>" for name in ["home", "news", "sport", "about"])
FOOT = "<footer><p>All rights reserved by the people who made these pages long ago.</footer>"
PARAGRAPHS = [
    "The old bridge over the river was closed on Monday because its northern pillar has moved.",
    "Engineers who looked at the stones found cracks that nobody had seen in the spring.",
    "People from both sides now take the ferry, which needs a quarter of an hour for each way.",
    "The town wants to begin with the work before winter and hopes that it will be short.",
]


def page(body: str, *, menu: str = f"<nav><ul>{MENU}</ul></nav>") -> str:
    return f"<body>{menu}<main>{body}</main>{FOOT}"


def find(html: str) -> MainText:
    return find_main_text(read_tree(html.encode()))


def paragraphs(texts: list[str], tag: str = "p") -> str:
    return "".join(f"<{tag}>{text}</{tag}>" for text in texts)


@pytest.mark.parametrize("tag", ["p", "div", "section", "blockquote"])
def test_paragraphs_are_kept_and_menus_are_not(tag: str) -> None:
    assert find(page(paragraphs(PARAGRAPHS, tag))).text == "\n".join(PARAGRAPHS)


def test_text_in_one_piece_with_line_breaks_is_kept() -> None:
    found = find(page(f"<div>{'<br><br>'.join(PARAGRAPHS)}</div>"))
    assert found.text == "\n".join(PARAGRAPHS)


def test_headings_and_short_lines_between_paragraphs_are_kept() -> None:
    body = (
        paragraphs(PARAGRAPHS[:2]) + "<h2>The ferry</h2><p>Slow.</p>" + paragraphs(PARAGRAPHS[2:])
    )
    assert "\nThe ferry\nSlow.\n" in find(page(body)).text


@pytest.mark.parametrize("name", ["post-comments", "relatedStories", "widget", "ad", "newsletter"])
def test_what_its_class_gives_away_is_left_out(name: str) -> None:
    body = paragraphs(PARAGRAPHS) + f"<div class={name}><p>This has seven words in it.</p></div>"
    assert find(page(body)).text == "\n".join(PARAGRAPHS)


def test_text_that_stands_twice_is_kept_once() -> None:
    text = " ".join(PARAGRAPHS)
    assert find(page(paragraphs(PARAGRAPHS) + f"<div>{text}</div>")).text == "\n".join(PARAGRAPHS)


@pytest.mark.parametrize(
    "texts",
    [
        [
            "今天天气很好我们一起去公园散步看花然后回家吃饭",
            "老桥因为北边的石柱移动了所以从星期一开始关闭",
            "两岸的居民现在只能坐船过河每次需要十五分钟",
        ],
        [
            "วันนี้อากาศดีมากเราไปเดินเล่นในสวนด้วยกัน",
            "สะพานเก่าข้ามแม่น้ำปิดตั้งแต่วันจันทร์เพราะเสาหิน",
            "ชาวบ้านทั้งสองฝั่งต้องนั่งเรือข้ามแม่น้ำทุกวัน",
        ],
    ],
)
def test_scripts_without_blanks_or_stops(texts: list[str]) -> None:
    assert find(page(paragraphs(texts))).text == "\n".join(texts)


def test_words_parted_by_a_tag_alone_are_printed_in_one() -> None:
    body = f"<p><b>H</b>ere it begins: {PARAGRAPHS[0]}</p>{paragraphs(PARAGRAPHS[1:])}"
    assert find(page(body)).text.startswith("Here it begins: The old")


@pytest.mark.parametrize("html", ["", "<body>", "<p> </p>", "<script>x</script>", "<img src=x>"])
def test_no_text_gives_no_text(html: str) -> None:
    found = find(html)
    assert (found.text, found.spans.shape, found.confidence) == ("", (0, 2), 0)


def test_a_page_without_long_text_does_not_fail() -> None:
    assert find("<p>Two words.").spans.shape[1] == 2


def test_the_model_is_sure_of_a_plain_article() -> None:
    assert 0.8 < find(page(paragraphs(PARAGRAPHS))).confidence <= 1


def test_the_weights_are_those_of_the_features() -> None:
    assert load_model().weights.shape == (2, len(FEATURES) + 1)
    assert np.isfinite(load_model().weights).all()


long_soups = st.lists(soups | st.sampled_from([f"<p>{text}" for text in PARAGRAPHS])).map("".join)


@given(long_soups)
def test_what_always_holds(html: str) -> None:
    tree = read_tree(html.encode())
    text, spans, confidence = find_main_text(tree)
    edges = spans.ravel().tolist()
    assert edges == sorted(edges)
    assert not edges or (edges[0] >= 0 and edges[-1] <= len(tree.text))
    pieces = [tree.text[start:end].decode() for start, end in spans.tolist()]
    assert all(piece.strip(" \n\x01") == piece for piece in pieces)
    assert text == "\n".join(pieces).replace("\x01", "")
    assert 0 <= confidence <= 1
