"""A page as strategies see it: one array of word hashes, and which ranges of it are which text.

In: a `Page`. Out: `Seen`. The words of the title stand in front of the page's own, for photo pages
often have no others; behind them the words of addresses and of what is said of images, all hashed
in one pass.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from urllib.parse import unquote

import numpy as np

from blickfang.crawl.focus.topic_evidence import Ranges
from blickfang.io.urls import host as host_of
from blickfang.text.words import Hashes, Spans, Words, read_many
from blickfang.types import Image, Page

FOLLOWED = frozenset({"a", "area", "frame", "iframe", "refresh", "next", "prev"})
CONTEXT = "best"  # the method that finds the texts of images
LONGEST_SCHEME = len("https://")  # the first slash behind it ends the host, also after http://
MAX_TEXT = 500  # characters of an address, or said of an image; who writes more fills, not tells

Span = tuple[int, int, int]  # number of the text, its first word, the word behind its last
Places = tuple[list[int], Sequence[tuple[int, int]]]  # numbers of texts; words of the page


@dataclass(frozen=True, slots=True)
class PageFeatures:
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


def see(page: Page, host: str, *, with_links: bool = True) -> PageFeatures:
    """Look at a page of a host: what could be followed, and which words speak for it.

    Without links where nobody will follow them.
    """
    shown = page.links if with_links else ()
    own = page.url  # by place: names of fields would cost more than all else
    followed = [link for link in shown if link[2] in FOLLOWED and link[0] != own]
    urls, places = [link[0] for link in followed], [link[4] for link in followed]
    links = _number(urls)
    pictures = [image for image in page.images if image.url]
    images = _number([image.url or "" for image in pictures])
    link_hosts, told = _take_apart(links, page.url, host)
    read = read_many([page.title, *told, *map(_describe, pictures)])
    titled = int(read.texts[1])
    anchors = [*map(links.__getitem__, urls)], places
    contexts = _find_contexts(pictures, images, 2 * len(links))
    outside = _number_outside(pictures, images, links)
    return PageFeatures(
        page,
        host,
        list(links),
        link_hosts,
        list(images),
        np.concatenate((read.hashes[:titled], page.words, read.hashes[titled:])),
        titled + len(page.words),
        _arrange([anchors, contexts], outside, read, len(page.words), len(links), len(images)),
    )


def hear(seen: PageFeatures) -> Hashes:
    """Return the words said of images that do not stand on the page: alt texts, titles, names."""
    texts = seen.texts
    said = (texts.text >= 2 * len(seen.links)) & (texts.first >= seen.page_words)
    ranges = zip(texts.first[said].tolist(), texts.last[said].tolist(), strict=True)
    return np.concatenate([seen.words[:0], *(seen.words[slice(*one)] for one in ranges)])


def _number(urls: Iterable[str]) -> dict[str, int]:
    different = dict.fromkeys(urls)
    return dict(zip(different, range(len(different)), strict=True))


def _sort(text: Spans, first: Spans, last: Spans, size: int) -> Ranges:
    order = np.argsort(text, kind="stable")
    return Ranges(first[order], last[order], text[order], size)


def name_hosts(urls: Iterable[str], own: tuple[str, str] | None = None) -> list[str]:
    """Return the hosts of canonical addresses; most of a page's are its own: origin and host."""
    known = dict([own] if own else [])
    hosts = []
    for url in urls:
        origin = url[: url.find("/", LONGEST_SCHEME)]
        hosts.append(known.get(origin) or known.setdefault(origin, host_of(url)))
    return hosts


def _take_apart(urls: Collection[str], page: str, host: str) -> tuple[list[str], list[str]]:
    """Return the host of each address, and what it tells: within the page's host only the path."""
    scheme, _, rest = page.partition("//")
    origin = f"{scheme}//{rest.partition('/')[0]}"
    inside, told = f"{origin}/", []
    for url in urls:
        text = url.removeprefix(inside)
        if text.startswith("http"):
            text = text.removeprefix("http://").removeprefix("https://")
        told.append(unquote(text[:MAX_TEXT]) if "%" in text else text)
    if max(map(len, told), default=0) > MAX_TEXT:
        told = [text[:MAX_TEXT] for text in told]
    return name_hosts(urls, (origin, host)), told


def _describe(image: Image) -> str:
    """Return what people say of an image, and the name of its file."""
    said = f"{image.alt} {image.title} {image.label}"
    if image.generated:
        names = [name for name in ("alt", "title", "label") if name not in image.generated]
        said = " ".join(getattr(image, name) for name in names)
    return f"{said[:MAX_TEXT]} {(image.url or '').rpartition('/')[2][:MAX_TEXT]}"


def _find_contexts(pictures: list[Image], images: dict[str, int], before: int) -> Places:
    """Return the numbers of images, and where among the page's words their texts stand."""
    numbers: list[int] = []
    places: list[tuple[int, int]] = []
    for image in pictures:
        context = image.contexts.get(CONTEXT)
        if context:
            places += context.words
            numbers += [before + images[image.url or ""]] * len(context.words)
    return numbers, places


def _number_outside(
    pictures: list[Image], images: dict[str, int], links: dict[str, int]
) -> list[int]:
    """Return which of the texts read, behind those of addresses, belongs to which text of the page.

    What is said of an image speaks for the image and for the link that it is put on.
    """
    count = len(links)
    pairs = []
    for read, image in enumerate(pictures, 1 + count):
        pairs += [read, 2 * count + images[image.url or ""]]
        if image.link in links:
            pairs += [read, links[image.link or ""]]
    return pairs


def _arrange(
    inside: list[Places], outside: list[int], read: Words, page_words: int, links: int, images: int
) -> Ranges:
    """Return all texts: places on the page lie behind the title, what was read behind the page."""
    shown = [number for numbers, _ in inside for number in numbers]
    edges = chain.from_iterable(chain.from_iterable(places for _, places in inside))
    first, last = np.fromiter(edges, np.int32, 2 * len(shown)).reshape(-1, 2).T + read.texts[1]
    which, text = np.array(outside, np.int32).reshape(-1, 2).T
    addresses = np.arange(1, links + 1, dtype=np.int32)
    which = np.concatenate((addresses, which))
    begins = read.texts + np.int32(page_words)
    return _sort(
        np.concatenate((np.array(shown, np.int32), addresses + np.int32(links - 1), text)),
        np.concatenate((first, begins[which])),
        np.concatenate((last, begins[which + 1])),
        2 * links + images,
    )
