"""Small pages on birds and on steel, and what a crawl knows when it begins."""

import warnings

from blickfang.crawl.focus import Knowledge, PageFeatures, see
from blickfang.html import read_page
from blickfang.text import learn_topic
from blickfang.text.words import Hashes, read_words
from blickfang.types import Failure, Page

BIRDS = (
    "The robin is a small bird that sings in gardens all winter. Its red breast and short beak "
    "make the bird easy to know; robins nest low in hedges and feed on worms and insects.",
    "A kestrel hovers over fields before it dives on mice. This bird of prey has long wings, a "
    "barred tail and a hooked beak, and it nests on cliffs, towers and old trees.",
    "Blue tits visit feeders in winter. The bird has a blue crown and yellow breast, nests in "
    "holes and lays many eggs; the young birds leave the nest after three weeks.",
)
STEEL = (
    "Steel is made from iron and carbon in a furnace. The molten metal is cast into slabs, rolled "
    "into sheet and coated with zinc so that it does not rust in the weather or by the sea.",
    "A lathe turns metal parts against a cutting tool. Speed and feed decide the finish of the "
    "surface, and coolant keeps the tool and the part from getting hot; worn tools are ground.",
    "Bridges of steel are bolted or welded from beams. Every weld is tested, the beams are painted "
    "against rust, and bearings let the deck move with heat and with load.",
)


def words(text: str) -> Hashes:
    return read_words(text).hashes


def look(
    html: str, url: str = "http://a.example/index.html", host: str = "a.example"
) -> PageFeatures:
    page = read_page(html, url)
    assert not isinstance(page, Failure)
    assert isinstance(page, Page)
    return see(page, host)


def know(*, with_topic: bool = False) -> Knowledge:
    topic = None
    if with_topic:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            topic = learn_topic(BIRDS, STEEL)
    return Knowledge(topic, [words(t) for t in BIRDS], [words(t) for t in STEEL])


def write_page(title: str, *parts: str) -> str:
    return f"<html><head><title>{title}</title></head><body>{''.join(parts)}</body></html>"


BIRD_PAGE = write_page(
    "Birds of the garden",
    "<p>The wren is a tiny bird with a short tail; the bird sings loudly, nests in hedges and "
    "feeds on insects. Its beak is thin and its breast is brown.</p>"
    '<p><a href="/wren.html">the nest of the bird</a> <a href="/about.html">about us</a></p>'
    '<p><img src="/wren.jpg" alt="a bird on its nest" width="600" height="400"></p>'
    '<p><a href="http://b.example/robin">robin bird nest</a></p>',
)
METAL_PAGE = write_page(
    "Castings and welds",
    "<p>The furnace melts iron and carbon; steel is rolled into sheet and coated with zinc. "
    "Welds and beams are tested before the part leaves the lathe, and painted against rust.</p>"
    '<p><a href="/beams.html">steel beams</a> <img src="/beam.jpg" alt="steel beam"></p>',
)
