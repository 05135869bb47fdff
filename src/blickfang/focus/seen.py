"""A page as strategies see it: one array of word hashes, and which ranges of it are which text.

In: a `Page`. Out: `Seen`. The words of the title stand in front of the page's own, for photo pages
often have no others; behind them the words of addresses and of what is said of images, all hashed
in one pass.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

import numpy as np

from blickfang.data import Image, Page
from blickfang.focus.texts import Ranges
from blickfang.urls import host as host_of
from blickfang.words import Hashes, Spans, Words, read_many

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
    links, anchors = _find_links(page)
    pictures = [image for image in page.images if image.url]
    images = {url: n for n, url in enumerate(dict.fromkeys(image.url or "" for image in pictures))}
    addresses, hosts = _find_addresses(page.url, host, links)
    read = read_many([page.title, *addresses, *map(_describe, pictures)])
    titled = int(read.texts[1])
    shown = _find_contexts(pictures, images, 2 * len(links))
    outside = _number_outside(pictures, images, links)
    return Seen(
        page,
        host,
        list(links),
        hosts,
        list(images),
        np.concatenate((read.hashes[:titled], page.words, read.hashes[titled:])),
        titled + len(page.words),
        _arrange([*anchors, *shown], outside, read, len(page.words), 2 * len(links) + len(images)),
    )


def make_ranges(spans: Sequence[Span], size: int) -> Ranges:
    """Return spans in columns, those of one text together."""
    columns = np.array(spans, np.int32).reshape(-1, 3)
    return _sort(columns[:, 0], columns[:, 1], columns[:, 2], size)


def _sort(text: Spans, first: Spans, last: Spans, size: int) -> Ranges:
    order = np.argsort(text, kind="stable")
    return Ranges(first[order], last[order], text[order], size)


def _find_links(page: Page) -> tuple[dict[str, int], list[Span]]:
    """Return the numbers of links, and where among the page's words each is put."""
    links: dict[str, int] = {}
    spans, here = [], page.url
    for url, _, kind, _, (first, last) in page.links:
        if kind in FOLLOWED and url != here:
            number = links.setdefault(url, len(links))
            if first < last:
                spans.append((number, first, last))
    return links, spans


def _find_addresses(here: str, host: str, links: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return what each address tells, within a host only its path, and the host of each."""
    scheme, _, rest = here.partition("//")
    origin = f"{scheme}//{rest.partition('/')[0]}/"
    told, hosts, begin = [], [], len(origin)
    for url in links:
        is_near = url.startswith(origin)
        hosts.append(host if is_near else host_of(url))
        told.append(url[begin : begin + MAX_TEXT] if is_near else url.partition("//")[2][:MAX_TEXT])
    return [unquote(text) if "%" in text else text for text in told], hosts


def _describe(image: Image) -> str:
    """Return what people say of an image, and the name of its file."""
    said = f"{image.alt} {image.title} {image.label}"
    if image.generated:
        names = [name for name in ("alt", "title", "label") if name not in image.generated]
        said = " ".join(getattr(image, name) for name in names)
    return f"{said[:MAX_TEXT]} {(image.url or '').rpartition('/')[2][:MAX_TEXT]}"


def _find_contexts(pictures: list[Image], images: dict[str, int], before: int) -> Iterable[Span]:
    """Yield where among the page's words the texts of images stand."""
    for image in pictures:
        context = image.contexts.get(CONTEXT)
        if context:
            number = before + images[image.url or ""]
            for first, last in context.words:
                yield number, first, last


def _number_outside(
    pictures: list[Image], images: dict[str, int], links: dict[str, int]
) -> list[tuple[int, int]]:
    """Return which of the texts read belongs to which text of the page.

    What is said of an image speaks for the image and for the link that it is put on.
    """
    count = len(links)
    pairs = [(1 + n, count + n) for n in range(count)]
    for read, image in enumerate(pictures, 1 + count):
        pairs.append((read, 2 * count + images[image.url or ""]))
        if image.link in links:
            pairs.append((read, links[image.link or ""]))
    return pairs


def _arrange(
    spans: list[Span], outside: list[tuple[int, int]], read: Words, page_words: int, size: int
) -> Ranges:
    """Return all texts: spans of the page lie behind the title, what was read behind the page."""
    inside = np.array(spans, np.int32).reshape(-1, 3)
    titled = read.texts[1]
    which, text = np.array(outside, np.int32).reshape(-1, 2).T
    shifted = read.texts + np.int32(page_words)
    return _sort(
        np.concatenate((inside[:, 0], text)),
        np.concatenate((inside[:, 1] + titled, shifted[which])),
        np.concatenate((inside[:, 2] + titled, shifted[which + 1])),
        size,
    )
