"""A page as strategies see it: one array of word hashes, and which ranges of it are which text.

In: a `Page`. Out: `Seen`. The words of the title stand in front of the page's own, for photo pages
often have no others; behind them the words of addresses and of what is said of images, all hashed
in one pass.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

import numpy as np

from blickfang.data import Image, Page
from blickfang.focus.texts import Ranges
from blickfang.urls import host as host_of
from blickfang.words import Hashes, read_many

FOLLOWED = frozenset({"a", "area", "frame", "iframe", "refresh", "next", "prev"})
CONTEXT = "best"  # the method that finds the texts of images
MAX_TEXT = 500  # characters of an address, or said of an image; who writes more fills, not tells

Span = tuple[int, int, int]  # number of the text, its first word, the word behind its last


@dataclass(frozen=True, slots=True)
class Seen:
    """A page, its links and its images, each address once.

    Of n links and m images, text i < n is what link i is put on, n + i the address of link i, and
    2n + j what is said of image j.
    """

    page: Page
    host: str
    links: list[str]
    link_hosts: list[str]
    images: list[str]
    words: Hashes  # of title and page, then of what does not stand on the page
    page_words: int  # of title and page
    texts: Ranges

    @property
    def url(self) -> str:
        """The address of the page."""
        return self.page.url


def see(page: Page, host: str) -> Seen:
    """Look at a page of a host: what could be followed, and which words speak for it."""
    followed = dict.fromkeys(link.url for link in page.links if link.kind in FOLLOWED)
    followed.pop(page.url, None)
    links = {url: n for n, url in enumerate(followed)}
    pictures = [image for image in page.images if image.url]
    images = {url: n for n, url in enumerate(dict.fromkeys(image.url or "" for image in pictures))}
    origin = _origin(page.url)
    near = [url.startswith(origin) for url in links]
    outside = [
        *(_path(url, origin if own else "") for url, own in zip(links, near, strict=True)),
        *map(_describe, pictures),
    ]
    read = read_many([page.title, *outside])
    titled = int(read.texts[1])
    here = titled + len(page.words)
    places = (read.texts[1:] + len(page.words)).tolist()
    spans = [(len(links) + n, places[n], places[n + 1]) for n in range(len(links))]
    spans += _anchor_spans(page, links, titled)
    spans += _image_spans(pictures, links, images, places[len(links) :], titled)
    return Seen(
        page,
        host,
        list(links),
        [host if own else host_of(url) for url, own in zip(links, near, strict=True)],
        list(images),
        np.concatenate((read.hashes[:titled], page.words, read.hashes[titled:])),
        here,
        make_ranges(spans, 2 * len(links) + len(images)),
    )


def make_ranges(spans: list[Span], count: int) -> Ranges:
    """Return spans in columns, those of one text together."""
    columns = np.array(sorted(spans), np.int32).reshape(-1, 3).T.copy()
    return Ranges(columns[1], columns[2], columns[0], count)


def _origin(url: str) -> str:
    scheme, _, rest = url.partition("//")
    return f"{scheme}//{rest.partition('/')[0]}/"


def _path(url: str, origin: str) -> str:
    """Return what an address tells beyond its origin; without one, beyond http://."""
    told = (url[len(origin) :] if origin else url.partition("//")[2])[:MAX_TEXT]
    return unquote(told) if "%" in told else told


def _describe(image: Image) -> str:
    """Return what is said of an image by people, and the name of its file."""
    said = [image.alt, image.title, image.label]
    if image.generated:
        names = ("alt", "title", "label")
        said = [text for name, text in zip(names, said, strict=True) if name not in image.generated]
    name = (image.url or "").rpartition("/")[2]
    return f"{' '.join(said)[:MAX_TEXT]} {_path(name, '') if '//' in name else name[:MAX_TEXT]}"


def _anchor_spans(page: Page, links: dict[str, int], titled: int) -> Iterator[Span]:
    for link in page.links:
        first, last = link.words
        if first < last and link.url in links:
            yield links[link.url], titled + first, titled + last


def _image_spans(
    pictures: list[Image],
    links: dict[str, int],
    images: dict[str, int],
    places: list[int],
    titled: int,
) -> Iterator[Span]:
    """Yield where the texts of images stand; what is said of one speaks for its link, too."""
    before = 2 * len(links)
    for k, image in enumerate(pictures):
        number = before + images[image.url or ""]
        yield number, places[k], places[k + 1]
        if image.link in links:
            yield links[image.link or ""], places[k], places[k + 1]
        context = image.contexts.get(CONTEXT)
        for first, last in context.words if context else ():
            yield number, titled + first, titled + last
