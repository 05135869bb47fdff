"""Where images stand on a page."""

from blickfang import read_page
from blickfang.types import Page

TEXTS = (
    "One old lighthouse has stood on this cliff for two hundred years, and every keeper wrote down "
    "the storms that broke over it, the ships that passed and the birds that struck its lantern.",
    "Zwölf steps lead from the boat to the door, where the men who lived here kept ropes and oars; "
    "their families stayed in the village and saw the beam turn night after night, all winter.",
    "Three times the tower was struck by lightning, and three times masons came over from the "
    "mainland to mend it with granite that no wave has moved since the harbour was given up.",
)


def test_headings_above_and_places_in_the_main_text() -> None:
    paragraphs = [f"<p>{text}</p>" for text in TEXTS]
    html = (
        "<html><body><nav><a href=/>Home</a></nav><article><h1>Lighthouses</h1>"
        f"<img src=0.jpg>{paragraphs[0]}<h2>Keepers</h2>{paragraphs[1]}<img src=1.jpg>"
        f"<h2><img src=2.jpg></h2>{paragraphs[2]}<img src=3.jpg></article></body></html>"
    )
    page = read_page(html, "http://example.org/")
    assert isinstance(page, Page)
    images = {image.src: image for image in page.images}
    assert [images[f"{n}.jpg"].section for n in range(4)] == [
        "Lighthouses",
        "Keepers",
        "Keepers",  # a heading without words is none
        "Keepers",
    ]
    first, second = (page.main_text[images[f"{n}.jpg"].position :] for n in (0, 1))
    assert first.startswith("One old lighthouse")
    assert second.startswith("Three times")
    assert images["3.jpg"].position == len(page.main_text)


def test_without_headings_and_main_text() -> None:
    page = read_page("<img src=a.jpg alt=a>", "http://example.org/")
    assert isinstance(page, Page)
    assert (page.images[0].section, page.images[0].position) == ("", 0)
