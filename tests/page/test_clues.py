"""What a kernel says of <img> elements is what their attributes say, read one by one."""

from hypothesis import example, given
from hypothesis import strategies as st

from blickfang.html.images.generated_alts import is_generated
from blickfang.html.images.images import look_at_images
from blickfang.html.images.img_attributes import NONE
from blickfang.html.images.lazy_sources import choose_source, find_others, stated_size
from blickfang.html.links import follow, read_references
from blickfang.html.metadata import tidy
from blickfang.html.page import read_page
from blickfang.html.parse.tree import Attributes, Tree, attributes, find_nodes, read_tree
from blickfang.io.urls import canonical, resolve
from blickfang.types import Page

BASE = "http://example.org/cats/"
NAMES = (
    *("src", "srcset", "alt", "title", "aria-label", "width", "height", "style", "id", "data-id"),
    *("data-src", "data-srcset", "data-original", "data-img", "data-alt", "data-", "data-\u017frc"),
    *("DATA-LAZY-SRC", "x=y", "=", "\u00e4", "loading", "file", "lazysrc", "data-thumb", "data-bg"),
    *("nitro-srcset", ":srcset", "crossorigin", "data-image-title"),
)
VALUES = (
    *("", " ", "cat.jpg", " cat.jpg ", "/a/cat.png?b=1&c=2", "data:,x", "#", "a.jpg 2x, b.jpg 1x"),
    *("300", "300px", " 300", "50%", "12.5", "1000000", "99999", "100001", "007", "3e2", "auto"),
    *("width: 20px", "HEIGHT:10px; color: red", "color: red", "A cat on a sofa", "two  blanks"),
    *('Tom &amp; "Jerry"', "IMG_2034", "cat", "image", "thumbnail icon", "K\u00e4tzchen", "a\tb"),
    *("a.jpg 320w, b.jpg 640w, a.jpg 1w, c.jpg 2w, d.jpg 3w", "a.jpg 1.5x,", "x.jpg  2x , y.jpg"),
    *("data:,x 9w, a.jpg 8w", "blank.gif 1w, a.jpg 2w", "a.jpg 1.2.3w", ",a.jpg 1w", "a&b.jpg 1h"),
    *(
        "Photo 3 of the lake",
        "Photo 3",
        "2019 at 10.30 copy",
        "Am\u00fcsant \u2013 cat",
        "cat 12x12",
    ),
    *("{{ x }}", "a{width}.jpg", "<%=x%>", "[1].jpg", '{"a":"/b.jpg"}', "a.jpg#{x}", "c{1}.jpg"),
    *("12.px", "12.5px", "1.5.2", "9.9 px", "a.jpg 1w,b.jpg 2w,", "a,b 1w,,c 2w", "a 1w ,b 2w"),
    *("/uploads/a.jpg?load 1w, /blank/b.jpg#blank.gif 2w", "/blank.gif?a.jpg", "a.jpg?blank.gif"),
    *("abcdefabcdef", "cat.jpg.", "cats", "12 cats", "\u00a0x", "/blank.gif", "//a.org/x.webp"),
)
TAGS = st.lists(
    st.dictionaries(st.sampled_from(NAMES), st.sampled_from(VALUES) | st.text(max_size=6)),
    max_size=4,
)


def page_of(tags: list[dict[str, str]]) -> str:
    return "".join(
        "<img "
        + " ".join(
            f'{name}="{value.replace("&", "&amp;").replace(chr(34), "&quot;")}"'
            for name, value in tag.items()
        )
        + ">"
        for tag in tags
    )


def tree_of(html: str) -> Tree:
    return read_tree(html.encode("utf-8", "replace"))


@given(TAGS)
@example([{"src": "a.jpg", "alt": "ends with a.jpg"}, {"data-img": "7", "src": " b.jpg"}])
@example([{"style": "width: 20px", "width": "30"}, {"width": "30", "style": "Height: 4px"}])
def test_images_are_what_their_attributes_say(tags: list[dict[str, str]]) -> None:
    html = f"<p>x{page_of(tags)}"
    tree = tree_of(html)
    said = attributes(tree, find_nodes(tree, "img"))
    page = read_page(html, BASE)
    assert isinstance(page, Page)
    shown = [image for image in page.images if image.number >= 0]
    assert len(shown) == len(said)
    for image, values in zip(shown, said, strict=True):
        source = choose_source(values)
        assert image.url == (resolve(BASE, source) if source else None)
        assert image.src == values.get("src", "")
        assert (image.width, image.height) == stated_size(values)
        texts = [tidy(values.get(name, "")) for name in ("alt", "title", "aria-label")]
        assert [image.alt, image.title, image.label] == texts
        address = image.url or (source and canonical(source)) or ""
        named = zip(("alt", "title", "label"), texts, strict=True)
        made = tuple(name for name, text in named if text and is_generated(text, address))
        assert image.generated == made
        others = (
            find_others(values, source) if image.url and source != values.get("src", "") else []
        )
        smaller = [resolve(BASE, other) for other in others]
        assert image.others == tuple(dict.fromkeys(u for u in smaller if u and u != image.url))
        assert image.attributes == values
        assert list(image.attributes) == list(values)


def test_simple_images_need_no_closer_look() -> None:
    html = (
        "<img src=a.jpg alt='A cat on a sofa' width=300 height=200 data-id=7 data-img=3 class=x>"
        "<img src=b.jpg srcset='c.jpg 2x'><img src=d.jpg data-src=e.jpg><img style='width: 3px'>"
        "<img src=f.jpg srcset='a.jpg, b.jpg 2x'><img data-img=g.jpg><img data-src=/blank.gif>"
        "<img width=12.5 src=h.jpg srcset='/uploads/a.jpg?load=1 1w,/uploads/b.jpg?w=2 2w'>"
    )
    shown = look_at_images(tree_of(html))
    assert sorted(shown.attributes) == [3, 4, 5, 6], "what kernels leave to others"
    assert shown.clues.simple.tolist() == [1, 1, 1, 1, 0, 0, 0, 1]
    assert shown.clues.widths.tolist() == [300, NONE, NONE, 3, *[NONE] * 3, 12]
    assert shown.clues.heights.tolist() == [200, *[NONE] * 7]


def test_a_page_without_images() -> None:
    tree = tree_of("<p>x")
    assert len(look_at_images(tree).nodes) == 0
    assert follow(tree, read_references(tree), BASE).urls == []


def test_attributes_are_a_mapping() -> None:
    found = Attributes(b' src="a.jpg" =x="1" alt="Tom &amp; &quot;Jerry&quot;" b=""')
    assert found == {"src": "a.jpg", "=x": "1", "alt": 'Tom & "Jerry"', "b": ""}
    assert (found["src"], len(found), "alt" in found, found.get("c")) == ("a.jpg", 4, True, None)
    assert repr(found) == repr(dict(found))
    assert Attributes(b"") == {}
