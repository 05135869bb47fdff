"""Images: every source of an address, stated sizes, texts, and marks on those no person wrote."""

import re
import time
from urllib.parse import urljoin

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from blickfang.html import read_page
from blickfang.html.images import unshown_images
from blickfang.html.images.generated_alts import is_generated
from blickfang.html.images.lazy_sources import (
    CANDIDATE,
    NO_FILE,
    PLACEHOLDER,
    TAIL,
    _cut_set,
    _size_of,
    choose_source,
    is_placeholder,
    largest_candidate,
    stated_size,
)
from blickfang.html.images.unshown_images import LONGEST, MAX_LAYERS, find_backgrounds
from blickfang.io.urls import url_words
from blickfang.text.words import read_words
from blickfang.types import Image, Page

URL = "http://example.org/cats/"


def images(html: str) -> list[Image]:
    page = read_page(html, URL)
    assert isinstance(page, Page)
    return list(page.images)


def only(html: str) -> Image:
    found = images(html)
    assert len(found) == 1
    return found[0]


def test_an_image_with_all_its_clues() -> None:
    image, large = images(
        "<figure><a href=/big.jpg><img src=cat-on-sofa.jpg alt=' A  cat ' title=Tom width=640 "
        "height='480px' aria-label=pet data-id=7></a><figcaption>Tom, <i>asleep</i></figcaption>"
        "</figure>"
    )
    assert image.url == "http://example.org/cats/cat-on-sofa.jpg"
    assert (image.src, image.origin, image.number) == ("cat-on-sofa.jpg", "img", 0)
    assert (image.alt, image.title, image.label) == ("A cat", "Tom", "pet")
    assert image.caption == "Tom, asleep"
    assert image.name == "example org cats cat on sofa"
    assert (image.width, image.height) == (640, 480)
    assert image.link == "http://example.org/big.jpg"
    assert image.attributes["data-id"] == "7"
    assert image.generated == ()
    assert image.contexts["best"].text == "Tom, asleep"
    assert (large.url, large.origin, large.number) == (image.link, "anchor", -1)
    assert (large.alt, large.caption, large.contexts) == ("A cat", "Tom, asleep", image.contexts)


@pytest.mark.parametrize(
    ("html", "url"),
    [
        ("<img src=a.jpg srcset='b.jpg 320w, c.jpg 1280w, d.jpg 640w'>", "c.jpg"),
        ("<img src=a.jpg srcset='b.jpg, c.jpg 2x'>", "c.jpg"),
        ("<img src='data:image/gif;base64,R0' data-src=a.jpg>", "a.jpg"),
        ("<img src=spacer.gif data-original=a.jpg>", "a.jpg"),
        ("<img src=/img/blank.png data-hi-res-src=a.jpg>", "a.jpg"),
        ("<img data-lazy-srcset='a.jpg 1x, b.jpg 3x'>", "b.jpg"),
        ("<img src=a.jpg data-id=9 data-url=/profile>", "a.jpg"),
        ("<picture><source srcset='a.webp 400w, b.webp 800w'><img src=c.jpg></picture>", "b.webp"),
        ("<picture><source media=x><img src=c.jpg></picture>", "c.jpg"),
        ("<img class=lazy><noscript><img src=a.jpg></noscript>", "a.jpg"),
        ("<img src=spacer.gif><noscript><img src=a.jpg></noscript>", "a.jpg"),
        ("<p><b><img src=spacer.gif></b><noscript><img src=a.jpg></noscript>", "a.jpg"),
        ("<img src=spacer.gif><noscript><img src=a.jpg width=1></noscript>", "spacer.gif"),
        ("<img src=b.jpg><noscript><img src=a.jpg></noscript>", "b.jpg"),
        ("<img nitro-lazy-src=a.jpg src='data:,'>", "a.jpg"),
        ("<img lazy-src=a.jpg>", "a.jpg"),
        ("<img lazysrc=a.jpg>", "a.jpg"),
        ("<img original=a.jpg>", "a.jpg"),
        ("<img src=/static/none.gif zoomfile=a.jpg file=b.jpg>", "a.jpg"),
        ("<img src='data:,' data-thumb=b.jpg data-orig-file=a.jpg>", "a.jpg"),
        ("<img src='data:,' data-thumb=a.jpg>", "a.jpg"),
        ("<img src='data:,' data-medium-file=a.jpg>", "a.jpg"),
        ("<img src='data:,' data-retina=a.jpg>", "a.jpg"),
        ("<img src='data:,' data-origin=a.jpg>", "a.jpg"),
        ("<img src='data:,' data-cover=a.jpg>", "a.jpg"),
        ("<img src='data:,' data-bg=a.jpg>", "a.jpg"),
        ("<img src='data:,' data-src-mini=b.jpg data-src-full=a.jpg>", "a.jpg"),
        ("<img src=a.jpg data-file=b.jpg>", "a.jpg"),
        ("<img src='data:,' lazy-srcset='b.jpg 1w, a.jpg 2w'>", "a.jpg"),
        (
            "<picture><source data-lazy-srcset='b.jpg 1w, a.jpg 2w'><img src=c.jpg></picture>",
            "a.jpg",
        ),
        ("<img src=b.jpg srcset='b.jpg 20w' data-srcset='a.jpg 900w'>", "a.jpg"),
        ("<img src=a.jpg data-src='b_{width}.jpg'>", "a.jpg"),
        ("<img src=a.jpg data-src='b_{width}.jpg' data-widths='[180, 360]'>", "b_360.jpg"),
        ("<img src=a.jpg data-src='{{ image.url }}'>", "a.jpg"),
        (
            '<img src=b.jpg data-src=\'{"alt": "A cat", "sizes": [{"url": "/cats/a.jpg"}]}\'>',
            "a.jpg",
        ),
        ('<img src=a.jpg data-src=\'{"alt": "A cat"}\'>', "a.jpg"),
        (
            "<img src=x.gif?d=http://b.org/blank.gif data-bg=b.jpg>",
            "x.gif?d=http://b.org/blank.gif",
        ),
        ("<picture><source srcset=v.mp4 type=Video/mp4><img src=a.jpg></picture>", "a.jpg"),
        *(
            (
                f"<picture><source {odd}><source srcset='a.jpg 300w'><img src=c.jpg></picture>",
                "a.jpg",
            )
            for odd in (
                "type=image/jxl srcset='x 900w'",
                "type='Image/SVG+xml; charset=utf-8' srcset='x 900w'",
                "type=image/heic srcset='x 900w'",
                "type=image/tiff srcset=',,x 900w'",
                "type=image/vnd.microsoft.icon srcset='x 900w'",
                "srcset='x.JXL?v=1.jpg 900w'",
                "srcset='x.svg#a.jpg 900w'",
                "media=print srcset='x.jpg 900w'",
                "media='(prefers-color-scheme: dark)' srcset='x.jpg 900w'",
                "media='(prefers-color-scheme:dark), print' srcset='x.jpg 900w'",
            )
        ),
        (
            "<picture><source media='screen, print' srcset=a.jpg><img src=c.jpg></picture>",
            "a.jpg",
        ),
        (
            "<picture><source type=image/webp srcset='/to_webp/a.heic'><img src=c.heic></picture>",
            "../to_webp/a.heic",
        ),
        ("<picture><source media='not print' srcset=a.jpg><img src=c.jpg></picture>", "a.jpg"),
        ("<picture><source type=image/pjpeg srcset=a><img src=c.jpg></picture>", "a"),
        ("<picture><source type=image/jxl srcset=x.jxl><img src=a.jpg></picture>", "a.jpg"),
        ("<picture><source type=image/jxl srcset=x.jxl><img></picture>", "x.jxl"),
        ("<picture><source srcset='x.jxl 9w'><img src='data:,' data-src=a.jpg></picture>", "a.jpg"),
        (
            "<picture><source srcset='v.mp4,, ' type=video/mp4><source srcset='a.jpg 1w,, b.jpg'>"
            "<img src=c.jpg></picture>",
            "b.jpg",
        ),
    ],
)
def test_where_the_bytes_are(html: str, url: str) -> None:
    assert images(html)[0].url == urljoin(URL, url)


@pytest.mark.parametrize(
    "said",
    [
        "data-file=report.pdf",
        "data-original-title='Cats and dogs'",
        "data-original-title=cat.jpg",
        "data-file=images/",
        "data-cover=dark",
        ":src=require('cat.jpg')",
        "onlazy=this.src='cat.jpg'",
        "crossorigin=anonymous",
        "lowsrc=small.jpg",
        "src='{{ item.image }}'",
        "src='<%= image %>.jpg'",
        "src='${image}.jpg'",
        "data-src='b_{width}.jpg'",
    ],
)
def test_what_is_no_address_of_an_image(said: str) -> None:
    assert only(f"<img {said} src='data:,'>").url is None


def test_names_of_files_may_have_brackets() -> None:
    names = ["[1].jpg", "{3F2504E0-4F89-11D3-9A0C-0305E82C3301}.jpg", "a.jpg#{x}"]
    found = images("".join(f"<img src='{name}' data-img=b.jpg>" for name in names))
    assert [image.src for image in found if image.url and "b.jpg" not in image.url] == names


def test_sources_of_a_picture_in_a_picture_are_its_own() -> None:
    found = images(
        "<picture><picture><source srcset='a.jpg 9w'><img src=b.jpg></picture>"
        "<source srcset='c.jpg 2w'><img src=d.jpg></picture>"
        "<picture><picture><source srcset=',,a.jpg 9w'><img src=b.jpg></picture>"
        "<source srcset=',,c.jpg 2w'><img src=d.jpg></picture>"
    )
    assert [image.url for image in found] == [URL + "a.jpg", URL + "c.jpg"] * 2


@pytest.mark.parametrize("placeholder", ["/spacer.gif", "data:,"])
def test_a_twin_stands_right_beside_its_placeholder(placeholder: str) -> None:
    counter = "<noscript><div><img src=//count.er/watch/1></div></noscript>"
    for html in (
        f"<body><img src={placeholder}><p>Some words.</p>{counter}",
        f"<body>{counter}<h2>Words</h2><img src={placeholder}>",
    ):
        urls = [image.url for image in images(html)]
        assert urls.count("http://count.er/watch/1") == 1


def test_a_placeholder_behind_its_image_in_noscript() -> None:
    found = images(
        "<p>x<noscript><img src=a.jpg></noscript><img src=spacer.gif>"
        "<p>x<img src=b.jpg><noscript><img src=b.jpg></noscript><img src=spacer.gif>"
    )
    names = [(image.url or "")[len(URL) :] for image in found]
    assert names == ["a.jpg", "a.jpg", "b.jpg", "b.jpg", "spacer.gif"]


@pytest.mark.parametrize(
    ("box", "names"),
    [
        ("style='background: url(a.jpg), url(b.jpg)'", ["a.jpg", "b.jpg"]),
        ("style=\"background-image: image-set('a.jpg' 1x, 'b.jpg' 2x)\"", ["b.jpg"]),
        ("style='background: url(p\\(1\\).jpg)'", ["p(1).jpg"]),
        ("style='background: url(p\\28 1\\29 .jpg)'", ["p(1).jpg"]),
        ("style='color: red; mask: url(a.jpg)'", []),
        ("data-bg=a.jpg", ["a.jpg"]),
        ("data-background-image='url(a.jpg)'", ["a.jpg"]),
        ("style='/*background:url(no.jpg)*/background:url(a.jpg)'", ["a.jpg"]),
        ("style='background:url(a.jpg);/*background:url(no.jpg)'", ["a.jpg"]),
        (
            "style='--x:\"" + "\u0130" * 12 + "\";background:url(a.jpg),url(b.jpg)'",
            ["a.jpg", "b.jpg"],
        ),
        ("data-bg=http://example.org/cats/a?w=3", ["a?w=3"]),
        ("data-bg=http://example.org/cats/a.mp4", []),
        ("data-bg=http://example.org/cats/", []),
        ("data-bg=blank.gif", []),
        ("data-bg=dark", []),
        ("data-background='#fff'", []),
    ],
)
def test_backgrounds(box: str, names: list[str]) -> None:
    found = images(f"<div {box}>Behind</div>")
    assert [(image.url or "")[len(URL) :] for image in found] == names
    assert {image.origin for image in found} <= {"background"}


PARTS = (
    'url("',
    "url(\\",
    "image-set(",
    "background ",
    "1",
    "type('",
    '\\"',
    "\\'",
    '"',
    "'",
    "url(a",
)


@pytest.mark.parametrize("begin", ["background:url(", "background:url(x) "])
@pytest.mark.parametrize("part", PARTS)
def test_backgrounds_take_no_longer_than_their_length(begin: str, part: str) -> None:
    for other in ("", *PARTS):
        style = begin + (part + other) * (60_000 // len(part + other))
        start = time.perf_counter()
        find_backgrounds(style)
        assert time.perf_counter() - start < 0.5, other


@pytest.mark.parametrize("blank", [" ", " ,, "])  # what a kernel reads, and what it leaves
@pytest.mark.parametrize(
    ("sources", "image", "others"),
    [
        ("<source srcset='{}a.avif 900w,b.avif 300w'><source srcset='a.webp 900w'>", "src=a.jpg",
         ["a.jpg", "b.avif", "a.webp"]),
        ("<source srcset='{}a.avif 900w'>", "src=a.jpg srcset='b.jpg 800w,c.jpg 700w,d.jpg 600w'",
         ["b.jpg", "c.jpg", "d.jpg"]),
        ("<source srcset='{}a.avif 900w'><source type=image/jxl srcset=x>", "src=a.avif", []),
        ("<source srcset='{}a.avif 9w'><source srcset='b.webp 8w'>", "src=a.avif", ["b.webp"]),
        ("<source srcset='{}a.avif 9w'><source media=print srcset='b.webp 8w'>", "", []),
    ],
)  # fmt: skip
def test_other_forms_of_a_picture(blank: str, sources: str, image: str, others: list[str]) -> None:
    found = only(f"<picture>{sources.format(blank)}<img {image}></picture>")
    assert found.url == f"{URL}a.avif"
    assert found.others == tuple(URL + other for other in others)


def test_an_image_in_noscript_has_a_position_of_its_own() -> None:
    found = images("<img src=a.jpg><noscript><img src=a.jpg></noscript><img src=b.jpg>")
    assert [(image.origin, image.number) for image in found] == [
        ("img", 0),
        ("noscript", 1),
        ("img", 2),
    ]


def test_images_that_are_only_named() -> None:
    found = images(
        "<head><meta property='og:image' content='/og.jpg'>"
        "<link rel=image_src href=/link.png></head>"
        "<div style=\"color:red;background : url('/back.jpg') no-repeat\">Behind</div>"
        "<a href=full.JPG>The full picture</a><a href=/wiki/File:x.jpg>no</a>"
        "<a href=page.html>no</a><div style='background:url(data:,x)'></div>"
    )
    assert [(image.origin, (image.url or "")[len("http://example.org") :]) for image in found] == [
        ("meta", "/og.jpg"),
        ("link", "/link.png"),
        ("background", "/back.jpg"),
        ("anchor", "/cats/full.JPG"),
    ]
    assert {image.number for image in found} == {-1}
    assert found[2].contexts["best"].text == "Behind"
    assert found[3].contexts["best"].text == "The full picture"


def test_what_a_box_says_is_read_once_for_all_its_backgrounds() -> None:
    style = "".join(f"background:url({k}.jpg);" for k in range(MAX_LAYERS + 1))
    found = images(f"<div title='Two cats' style='{style}'>Behind</div>")
    assert len(found) == MAX_LAYERS
    assert len({id(image.contexts["best"]) for image in found}) == 1
    assert {(image.title, image.contexts["best"].text) for image in found} == {
        ("Two cats", "Behind")
    }


@pytest.mark.parametrize("piece", ["word, ", "w", "ü – ", "– "])
def test_of_a_box_with_much_text_the_beginning_counts(piece: str) -> None:
    html = f"<p>One, two. <div style='background:url(a.jpg)'>{piece * (LONGEST + 1)}</div>"
    page = read_page(html, URL)
    assert isinstance(page, Page)
    contexts = page.images[0].contexts
    assert bool(contexts) == (piece in {"word, ", "ü – "})
    for found in contexts.values():
        assert LONGEST - 20 < len(found.text.encode()) <= LONGEST
        words = page.words[slice(*found.words[0])].tolist()
        assert words == read_words(found.text).hashes.tolist()


def test_too_many_named_images_are_cut_and_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unshown_images, "MAX_NAMED", 3)
    html = "<meta property=og:image content=/o.jpg>" + "".join(
        f"<a href={k}.jpg>x</a>" for k in range(3)
    )
    page = read_page(html, URL)
    assert isinstance(page, Page)
    assert [image.origin for image in page.images] == ["meta", "anchor", "anchor"]
    assert page.notes == ("only 3 named images are read",)


def test_too_many_backgrounds_are_cut_and_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unshown_images, "MAX_BACKGROUNDS", 20)
    layers = "".join(f"background:url({k}.jpg);" for k in range(MAX_LAYERS + 1))
    boxes = "".join(f"<p style='background:url({k}.png)'>x</p>" for k in range(5))
    page = read_page(f"<div style='{layers}'></div>{boxes}", URL)
    assert isinstance(page, Page)
    assert len(page.images) == 20
    assert page.notes == (
        f"only {MAX_LAYERS} backgrounds of a box are read",
        "only 20 backgrounds are read",
    )


def test_of_several_that_name_an_image_the_first_with_a_text_is_its_context() -> None:
    image = only(
        "<meta property=og:image content=/cats/a.jpg><a href=a.jpg></a>"
        "<p style='background:url(a.jpg)'></p><a href=a.jpg title=T>the red barn</a>"
        "<a href=a.jpg title=U>another</a>"
    )
    assert (image.origin, image.title, image.contexts["best"].text) == ("meta", "T", "the red barn")


def test_a_page_that_is_named_like_an_image_is_meant_by_a_query_alone() -> None:
    page = read_page('<a href="?w=3">larger</a><a href="#top">up</a>', "http://example.org/cat.jpg")
    assert isinstance(page, Page)
    assert [image.url for image in page.images] == [
        "http://example.org/cat.jpg?w=3",
        "http://example.org/cat.jpg",
    ]
    assert not images('<a href="?w=3">larger</a><a href="#top">up</a>')


def test_what_is_shown_is_not_named_again() -> None:
    assert len(images("<meta property=og:image content=/cats/a.jpg><img src=a.jpg>")) == 1


def test_data_uris_and_broken_addresses_have_no_url() -> None:
    found = images("<img src='data:image/png;base64,AAAA'><img src='http://[x'><img>")
    assert [image.url for image in found] == [None, None, None]


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("IMG_2034", ""),
        ("DSC00012.JPG", ""),
        ("cat-on-sofa.jpg", ""),
        ("20200301_123456", ""),
        ("Screenshot 2020-01-02 at 10.11.12", ""),
        ("image", ""),
        ("550e8400-e29b-41d4-a716-446655440000", ""),
        ("wp content uploads 2015 02 kitten", "http://a.org/wp-content/uploads/2015/02/kitten.jpg"),
        ("cat-on-sofa", "http://a.org/cat-on-sofa.jpg"),
        ("cat on sofa", "http://a.org/i/cat_on_sofa.jpg"),
        ("photo 1", ""),
        ("...", ""),
        ("wp content uploads is the kitten healthy", ""),
        ("wp content uploads is the kitten healthy", "http://a.org/u/kitten-300x200.jpg"),
        ("WhatsApp Image 2020-01-02 at 10.11.12 AM", ""),
        ("Screenshot 2020-01-02 at 10.11.12 AM", ""),
        ("Screenshot 2020-01-02 at 10.11.12\u202fp.m.", ""),
        ("IMG-20190102-WA0003", ""),
        ("IMG 20190102 WA0003", ""),
        ("20190102-WA0003", ""),
        ("_DSC1234", ""),
        ("_MG_1234", ""),
        ("DJI_0001", ""),
        ("SAM_1234", ""),
        ("P1010203", ""),
        ("FB_IMG_1512345678", ""),
        ("Screenshot_20200101-101112_Chrome", ""),
        ("signal-2020-01-02-101112", ""),
        ("shutterstock_123456789", ""),
        ("adobestock-12345678", ""),
        ("OLYMPUS DIGITAL CAMERA", ""),
        ("KONICA MINOLTA DIGITAL CAMERA", ""),
        ("KODAK Digital Still Camera", ""),
        ("SONY DSC", ""),
        ("SAMSUNG", "http://a.org/2014/05/20140511.jpg"),
        ("Exif_JPEG_PICTURE", ""),
        ("Digital Camera", ""),
        ("DCIM\\100GOPRO", ""),
        ("DCIM100MEDIA", ""),
        ("dav", ""),
        ("Processed with VSCO with c1 preset", ""),
        ("Processed with VSCOcam with f2 preset", ""),
        ("Processed with MOLDIV", ""),
        ("Mobirise", ""),
        ("Image may contain: 2 people, people smiling", ""),
        ("May be an image of bird and nature", ""),
        ("Untitled design (3)", ""),
        ("Mobirise Website Builder", ""),
        ("image.title", ""),
        ("product.featured_image.alt", ""),
        ("{{ product.title }}", ""),
        ("<%= image.alt %>", ""),
        ("${title}", ""),
        ("Your alt text here", ""),
        ("No photo description available.", ""),
        ("This image has an empty alt attribute; its file name is sea-1024x683.jpg", ""),
        (
            "Dieses Bild hat ein leeres Alt-Attribut. Der Dateiname ist meer.jpg",
            "http://a.org/wp-content/uploads/2020/01/meer-300x200.jpg",
        ),
        (
            "この画像には alt 属性が指定されておらず、ファイル名は umi.png です",
            "http://a.jp/umi-1.png",
        ),
        ("File:Tower_of_Pisa.jpg", "http://a.org/thumb/220px-Tower_of_Pisa.jpg"),
    ],
)
def test_texts_no_person_wrote(text: str, url: str) -> None:
    assert is_generated(text, url)


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("A cat on a sofa", ""),
        ("Cat on a sofa.", "http://a.org/cat-on-a-sofa.jpg"),
        ("Tom", "http://a.org/x.jpg"),
        ("Photo: Anna Müller", ""),
        ("1984 election poster", ""),
        ("猫", ""),
        ("Picture of the year", ""),
        ("Apollo 11", ""),
        ("Boeing 747", ""),
        ("DSC meeting", ""),
        ("Route 66", ""),
        ("M31", ""),
        ("iPhone 12", ""),
        ("P-51 Mustang", ""),
        ("2020-01-02 Berlin", ""),
        ("ISO-9001", ""),
        ("NGC7000", ""),
        ("WH-1000XM4", ""),
        ("A320-200", ""),
        ("10 AM", ""),
        ("WP content marketing", ""),
        ("Was the kitten healthy in 2020?", ""),
        ("Samsung", "http://a.org/logo.png"),
        ("SAMSUNG", "http://a.org/samsung-logo.png"),
        ("An Olympus digital camera from 1998", ""),
        ("Samsung phones on a table", ""),
        ("amazon.com", ""),
        ("www.example.org", ""),
        ("This image has a red border", ""),
        ("The file is saved as photo.jpg in the dialog", "http://a.org/save-dialog.png"),
        ("Created with love by the class of 1998", ""),
        ("HDR photo of the bridge", ""),
        ("Sony Walkman", ""),
        ("Digital painting of a fox", ""),
        ("Alt-J on stage", ""),
    ],
)
def test_texts_that_people_write(text: str, url: str) -> None:
    assert not is_generated(text, url)


@pytest.mark.parametrize(
    "alt",
    [
        "wp content uploads is the kitten healthy",
        "WhatsApp Image 2020-01-02 at 10.11.12 PM",
        "Screenshot 2020-01-02 at 10.11.12 p.m.",
        "IMG 20190102 WA0003",
        "FB_IMG_1512345678",
    ],
)
def test_kernels_doubt_what_no_person_wrote(alt: str) -> None:
    assert only(f"<img src=a.jpg alt='{alt}'>").generated == ("alt",)


def test_generated_texts_are_marked_and_kept() -> None:
    image = only("<img src=x/IMG_2034.jpg alt=IMG_2034 title='My cat'>")
    assert image.alt == "IMG_2034"
    assert image.generated == ("alt",)


@pytest.mark.parametrize(
    ("values", "size"),
    [
        ({"width": "300", "height": "200px"}, (300, 200)),
        ({"width": "50%", "height": "auto"}, (None, None)),
        ({"style": "width:10px; height: 20.5px"}, (10, 20)),
        ({"style": "max-width:10px"}, (None, None)),
        ({"width": "9999999999", "height": "-3"}, (None, None)),
        ({"width": "20", "style": "width:30px"}, (20, None)),
    ],
)
def test_stated_sizes(values: dict[str, str], size: tuple[int | None, int | None]) -> None:
    assert stated_size(values) == size


def test_odd_srcsets() -> None:
    assert largest_candidate("") == ""
    assert largest_candidate(",,a.jpg 1w,,b.jpg 99999999999w") == "b.jpg"
    assert largest_candidate("a.jpg 1.2.3x") == "a.jpg"
    assert choose_source({"srcset": "data:,x 1x", "src": "a.jpg"}) == "a.jpg"


def test_captions_belong_to_their_own_figure() -> None:
    found = images(
        "<div><img src=a.jpg><figure><img src=b.jpg><figcaption>Of b</figcaption></figure>"
        "<div class=wp-caption><img src=c.jpg><p class=wp-caption-text>Of c</p></div>"
        "<img src=d.jpg aria-describedby=x><p id=x>Of d</p></div>"
    )
    assert [image.caption for image in found] == ["", "Of b", "Of c", "Of d"]


def test_a_class_names_a_caption_only_next_to_its_image() -> None:
    """A class that speaks of captions may be that of a diagram, a price or a button."""
    found = images(
        "<article><img src=a.jpg alt='A plant'><h2>Redcurrant</h2><p>Ribes rubrum</p>"
        "<div class=bar><span class=bar__caption>Flowering period</span><i>Apr</i></div></article>"
        "<div><img src=b.jpg alt='A jug'><button class=show-caption>Show caption</button></div>"
        "<div><p class=caption>A hut in snow</p><img src=c.jpg><p>And much more text</p></div>"
        "<div><p class=small-caption>By Ann</p><p>Words between.</p><img src=d.jpg></div>"
        "<figure><img src=e.jpg><p>Zoom in</p><figcaption>A lake</figcaption></figure>"
    )
    assert [image.caption for image in found] == ["", "", "A hut in snow", "", "A lake"]


def test_captions_and_labels_that_stand_elsewhere() -> None:
    image, other, third = images(
        "<p id=d2>on a sofa</p><b id=l>Tom</b> <i id=m>the cat</i><p id=e></p>"
        "<img src=a.jpg aria-describedby=' d1\nd2 none' aria-labelledby='l m' aria-label=no>"
        "<img src=b.jpg aria-describedby='e none' aria-labelledby=none aria-label=yes>"
        "<img src=c.jpg aria-labelledby=f><p id=d1>A cat sits</p><p id=f>IMG_2034</p>"
    )
    assert (image.caption, image.label) == ("A cat sits on a sofa", "Tom the cat")
    assert (other.caption, other.label) == ("", "yes")
    assert (third.label, third.generated) == ("IMG_2034", ("label",))


def test_descriptions_one_behind_the_other_are_the_best_context() -> None:
    image = only(
        "<img src=a.jpg aria-describedby='d1 d2'><p>This stands right behind the image here.</p>"
        "<p id=d1>A cat sits</p><p id=d2>on a sofa</p>"
    )
    assert image.contexts["best"].text.split() == ["A", "cat", "sits", "on", "a", "sofa"]


def test_every_picture_that_meta_elements_name_is_found() -> None:
    found = images("<meta property=og:image content=/a.jpg><meta property=og:image content=/b.jpg>")
    assert [image.url for image in found] == [
        "http://example.org/a.jpg",
        "http://example.org/b.jpg",
    ]


def test_lazy_sources_of_a_picture() -> None:
    html = "<picture><source srcset='data:,x' data-srcset='/big.webp 1000w'><img></picture>"
    assert only(html).url == "http://example.org/big.webp"


def test_sources_are_for_the_first_image_of_a_picture() -> None:
    found = images("<picture><source srcset=a.webp><img src=b.jpg><img src=c.jpg></picture>")
    assert [image.url for image in found] == [URL + "a.webp", URL + "c.jpg"]


PATHS = st.lists(
    st.sampled_from(
        [*"aZ7-_/.@%?#:", "%20", "%2F", "%2e", "%3f", "%c3%a4", "%zz", "logo", "Cat", ".jpg", "2x"]
    ),
    max_size=12,
).map("".join)
ALTS = st.lists(
    st.sampled_from([*"aZ7-_. !…ä", "logo", "Cat", "cat", "  ", ".jpg", "IMG", "x" * 120]),
    max_size=8,
).map("".join)


@given(st.sampled_from(["http://a.org/", "//b.c/d/", "/", "http://u@a.org"]), PATHS, ALTS)
@example("/", "Cat%2Flogo.jpg", "Logo")
@example("/", "x-logo", "logo")
@example("/", "a", "a" + " " * 300 + "a")
def test_kernels_name_images_as_urls_and_alts_do(base: str, path: str, alt: str) -> None:
    page = read_page(f'<img src="{base}{path}" alt="{alt}">', "http://example.org/")
    assert isinstance(page, Page)
    for image in page.images:
        if image.url:
            assert image.name == url_words(image.url)
            assert ("alt" in image.generated) == is_generated(image.alt, image.url)


def test_without_an_address_the_file_name_still_tells() -> None:
    page = read_page(
        "<img src='wp-content/is-the-kitten-healthy.jpg' alt='wp content is the kitten healthy'>"
    )
    assert isinstance(page, Page)
    assert page.images[0].name == "wp content is the kitten healthy"
    assert page.images[0].generated == ("alt",)


SETS = st.text(st.sampled_from("ab/.,,  \n12wxh:"), max_size=40)
PLAIN_SETS = st.lists(
    st.tuples(
        st.sampled_from(["a.jpg", "b,c.jpg", ",d", "e,"]),
        st.sampled_from(["1w", "2x", "3.5x", "4h", "5"]),
    )
).map(lambda pairs: ", ".join(" ".join(pair) for pair in pairs))


@given(SETS | PLAIN_SETS)
@example("a.jpg 1w, b.jpg 2w")
@example("a,b.jpg 1.5x,\nc.jpg 2x,")
@example("a.jpg 1w,, b.jpg 2w")
def test_cutting_a_set_at_white_space_says_what_the_grammar_says(srcset: str) -> None:
    slow = [(found[1], _size_of(found[2], found[3])) for found in CANDIDATE.finditer(srcset)]
    assert _cut_set(srcset) == slow


WORDS = st.sampled_from(
    ["/", "a", "_", "BLANK", "spacer", "1x1", "gr\u0130y", "lo\u212ading", "loading", "gray"]
)


@given(
    st.lists(WORDS | st.sampled_from([".gif", "?x", "#", ".png", "pla\u017feholder"])).map("".join)
)
def test_few_addresses_need_the_whole_grammar_of_placeholders(address: str) -> None:
    path = re.split("[?#]", address)[0]
    slow = address.startswith(NO_FILE) or bool(PLACEHOLDER.search(path[-TAIL:]))
    assert is_placeholder(address) == slow


def test_links_around_images() -> None:
    cell = "<td><a href=in>x</a><img src={0}></td><td><a href=in><img src={0}b></a></td>"
    rows = "".join(cell.format(number) for number in range(3))
    found = images(f"<img src=z><a href=out><table><tr>{rows}</table></a><img src=y>")
    links = [image.link and image.link.rpartition("/")[2] for image in found]
    assert links == [None, *["out", "in"] * 3, None]


@pytest.mark.parametrize(
    "name",
    ["grey-heron", "gray_wolf", "lazy-river-2019", "Loading-dock", "pixel-art", "point-blank"],
)
def test_a_name_that_begins_like_a_placeholder_is_none(name: str) -> None:
    address = f"/img/{name}.jpg"
    assert not is_placeholder(address)
    assert choose_source({"src": "data:image/gif;base64,R0lG", "data-src": address}) == address


def test_what_a_loader_names_is_taken_where_there_is_nothing_else() -> None:
    assert choose_source({"src": "data:,", "data-src": "/blank.jpg"}) == "/blank.jpg"
    assert choose_source({"data-src": "/blank.jpg"}) == "/blank.jpg"
    assert choose_source({"src": "a.jpg", "data-src": "/blank.jpg"}) == "a.jpg"
    assert choose_source({"src": "data:,", "data-src": "about:blank"}) == ""


def test_an_image_without_description_has_none() -> None:
    page = read_page(
        "<div id=''>All of this page</div><p id=x>A cat</p><img src=a.jpg>"
        "<img src=b.jpg aria-describedby=x><a aria-describedby=''>y</a>"
    )
    assert isinstance(page, Page)
    assert [image.caption for image in page.images] == ["", "A cat"]


def test_smaller_forms_are_known_of_a_page_without_an_address() -> None:
    sets = "http://a.org/1.jpg 1w, http://a.org/2.jpg 2w, 3.jpg 0.5w"
    for said in (f"srcset='{sets}'", f"srcset=',,{sets}'"):
        page = read_page(f"<img {said}>")
        assert isinstance(page, Page)
        image = page.images[0]
        assert (image.url, image.others) == ("http://a.org/2.jpg", ("http://a.org/1.jpg",))
