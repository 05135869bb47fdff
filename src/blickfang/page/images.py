"""The images of a page with every clue about them, and the settings that say which are kept.

In: the arrays of a page. Out: an `Image` for every <img> in document order. An image whose `src`
is a placeholder has its address in another attribute or in a <noscript> beside it.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, repeat
from typing import Annotated, NamedTuple

import numpy as np

from blickfang.data import Context, Image
from blickfang.errors import SettingsError
from blickfang.page.about import tidy
from blickfang.page.addresses import RELATIVE, UNKNOWN, resolve_sorted
from blickfang.page.alts import EMPTY_WORDS, is_generated
from blickfang.page.arrays import IN_NOSCRIPT, LINKED
from blickfang.page.attributes import Attributes
from blickfang.page.captions import find_captions
from blickfang.page.clues import ASK, ROUGH, WRITTEN, Clues, Text, find_clues
from blickfang.page.links import Targets
from blickfang.page.sources import (
    NO_FILE,
    choose_source,
    find_others,
    largest_candidate,
    stated_size,
)
from blickfang.page.tags import TAGS
from blickfang.page.tree import Tree, attributes, find_nodes, node_text, unescape
from blickfang.urls import resolve, resolve_many, url_words


@dataclass(frozen=True, slots=True)
class Options:
    """The sizes an image must have; the study's numbers, docs/method.md."""

    min_width: Annotated[int, "narrower images, in pixels, are not kept"] = 512
    min_height: Annotated[int, "lower images are not kept"] = 384
    max_width: Annotated[int, "wider images are not kept"] = 9600
    max_height: Annotated[int, "higher images are not kept"] = 7200

    def __post_init__(self) -> None:
        if not (0 <= self.min_width <= self.max_width and 0 <= self.min_height <= self.max_height):
            raise SettingsError("min_width and min_height must lie between 0 and their maximum")


class Shown(NamedTuple):
    """What is known of the <img> elements of a page before their text is sought."""

    nodes: list[int]
    clues: Clues
    attributes: dict[int, dict[str, str]]  # by number, of those that need a closer look
    pictured: dict[int, int]  # by number, of the first image of a <picture> that node
    sizes: list[tuple[int | None, int | None]]
    captions: list[int]  # nodes of captions that the markup names; 0 for none


NOWHERE = "http://0.0.0.0/"  # for the words of an address whose page is not known: it has none
NO_PLACE = ("", -1)
TEXTS = ("alt", "title", "label", "caption")
MAX_IMAGES = 50_000  # of a page; each costs up to 20 µs
Contexts = list[dict[str, Context]]  # of each <img>, by method
Places = Sequence[tuple[str, int]]  # of each <img>: heading above it, place in the main text


def look_at_images(tree: Tree) -> Shown:
    """Read the attributes of all <img> elements, as far as they are looked at."""
    nodes = find_nodes(tree, "img")[:MAX_IMAGES]
    clues, pictured = find_clues(tree, nodes), _find_pictures(tree, nodes)
    stated = list(zip(clues.widths, clues.heights, strict=True))
    asked = [number for number, size in enumerate(stated) if ASK in size]
    closer = {*asked, *pictured, *(n for n, simple in enumerate(clues.simple) if not simple)}
    facts = _read_attributes(tree, nodes, sorted(closer))
    sizes = [(None if w < 0 else w, None if h < 0 else h) for w, h in stated]
    for number in asked:
        sizes[number] = stated_size(facts[number])
    return Shown(nodes, clues, facts, pictured, sizes, find_captions(tree, nodes))


def _read_attributes(tree: Tree, nodes: list[int], numbers: list[int]) -> dict[int, dict[str, str]]:
    """Return the attributes of some images by number."""
    if not numbers:
        return {}
    return dict(zip(numbers, attributes(tree, [nodes[n] for n in numbers]), strict=True))


def find_images(
    tree: Tree, images: Shown, base: str, targets: Targets, contexts: Contexts, places: Places
) -> list[Image]:
    """Return the images that a page shows; without places, also without captions and names."""
    with_texts = len(places) > 0
    clues, count, letters = images.clues, len(images.nodes), tree.data_letters
    flags = tree.flags[images.nodes].tolist()
    sources = _read_sources(tree, clues)
    chosen, urls = _choose_sources(tree, images, flags, sources, base)
    others = _resolve_others(base, images, chosen, sources, urls)
    said = [_read_text(tree, text) for text in clues.texts]
    captions = _read_captions(tree, images.captions) if with_texts else {}
    said.append([captions.get(node, "") for node in images.captions])
    addresses = [
        url or (source and resolve(NOWHERE, source)) or ""
        for url, source in zip(urls, chosen, strict=True)
    ]
    rows = zip(
        urls,
        sources,
        ["noscript" if flag & IN_NOSCRIPT else "img" for flag in flags],
        range(count),
        *said,
        map(url_words, addresses) if with_texts else repeat("", count),
        _find_generated(letters, clues, said, addresses),
        *(zip(*images.sizes, strict=True) if count else ((), ())),
        _find_links(tree, images.nodes, flags, targets),
        [Attributes(letters[s:e]) for s, e in zip(clues.starts, clues.ends, strict=True)],
        contexts,
        *(zip(*places, strict=True) if with_texts else (repeat(none, count) for none in NO_PLACE)),
        [others.get(index, ()) for index in range(count)] if others else repeat((), count),
        strict=True,
    )
    # Each row has the fields of an image in their order: made so, it takes a third of the time.
    return [tuple.__new__(Image, row) for row in rows]


def _read_sources(tree: Tree, clues: Clues) -> list[str]:
    """Return what each image has as `src`; only odd ones need more than a slice."""
    letters, (kinds, starts, _) = tree.data_letters, clues.addresses
    return [
        letters[start:end] if UNKNOWN < kind <= RELATIVE else unescape(letters[start:end])
        for kind, start, end in zip(kinds, starts, clues.address_ends, strict=True)
    ]


def _resolve_others(
    base: str, images: Shown, chosen: list[str], sources: list[str], urls: list[str | None]
) -> dict[int, tuple[str, ...]]:
    """Return by number where smaller forms of an image lie; most images have none."""
    named = {
        index: find_others(values, chosen[index])
        for index, values in images.attributes.items()
        if urls[index] and chosen[index] and chosen[index] != sources[index]
    }
    found = iter(resolve_many(base, [other for others in named.values() for other in others]))
    return {
        index: tuple(
            dict.fromkeys(url for url in islice(found, len(others)) if url and url != urls[index])
        )
        for index, others in named.items()
    }


def _read_text(tree: Tree, text: Text) -> list[str]:
    """Return one kind of text of all images."""
    letters = tree.data_letters
    return [
        tidy(unescape(letters[start:end])) if state == ROUGH else letters[start:end]
        for start, end, state in zip(text.starts, text.ends, text.states, strict=True)
    ]


def _read_captions(tree: Tree, nodes: list[int]) -> dict[int, str]:
    """Return the text of each caption, once: thousands of images may share one. Node 0 is none."""
    return {node: node_text(tree, node).replace("\n", " ") for node in {*nodes} - {0}}


def _find_generated(
    letters: str, clues: Clues, texts: list[list[str]], urls: list[str]
) -> list[tuple[str, ...]]:
    """Return for each image the names of the texts that no person wrote."""
    found: list[tuple[str, ...]] = [()] * len(urls)
    for name, said, text in zip(TEXTS, texts, (*clues.texts, None), strict=True):
        for number, words in enumerate(said):
            if not words:
                continue
            if text and text.states[number] == WRITTEN:  # the cheap answer for nearly all
                last = letters[text.last_words[number] : text.last_ends[number]].lower()
                if last not in urls[number].lower() and last not in EMPTY_WORDS:
                    continue
            if is_generated(words, urls[number]):
                found[number] = (*found[number], name)
    return found


def _choose_sources(
    tree: Tree, images: Shown, flags: list[int], sources: list[str], base: str
) -> tuple[list[str], list[str | None]]:
    """Return for each <img> the address that shows most, "" where there is none; and canonical."""
    clues = images.clues
    own = ["" if source.startswith(NO_FILE) else source for source in map(str.strip, sources)]
    for index, values in images.attributes.items():
        if not clues.simple[index]:
            own[index] = choose_source(values)
    chosen = own.copy()
    for index, source in _read_pictures(tree, images).items():
        chosen[index] = source or own[index]
    for index, source in enumerate(chosen):
        if not source and _has_twin(tree, images.nodes, flags, index):
            chosen[index] = own[index + 1]
    kinds = [
        kind if source == given else UNKNOWN
        for kind, source, given in zip(clues.addresses.kinds, chosen, sources, strict=True)
    ]
    urls = resolve_sorted(
        tree, clues.addresses._replace(kinds=kinds), base, lambda some: [chosen[n] for n in some]
    )
    return chosen, [url if source else None for url, source in zip(urls, chosen, strict=True)]


def _has_twin(tree: Tree, nodes: list[int], flags: list[int], index: int) -> bool:
    """Whether the same image follows in a <noscript> beside a placeholder."""
    if index + 1 == len(nodes) or flags[index] & IN_NOSCRIPT or not flags[index + 1] & IN_NOSCRIPT:
        return False
    return bool(tree.end[tree.parent[nodes[index]]] >= nodes[index + 1])


def _find_pictures(tree: Tree, nodes: list[int]) -> dict[int, int]:
    """Return by number of the first <img> of each <picture> that node."""
    if not nodes:
        return {}
    parents = tree.parent[nodes]
    inside = (tree.tag[parents] == TAGS["picture"]).nonzero()[0]
    first = dict(zip(parents[inside[::-1]].tolist(), inside[::-1].tolist(), strict=True))
    return {number: picture for picture, number in first.items()}


def _read_pictures(tree: Tree, images: Shown) -> dict[int, str]:
    """Return for the first <img> of each <picture> the largest candidate of all its sources."""
    if not images.pictured:
        return {}
    sources = find_nodes(tree, "source")
    facts = attributes(tree, sources)  # of all at once: a call costs as much as ten of them
    found = {}
    for index, picture in images.pictured.items():
        begin, end = bisect_left(sources, picture), bisect_left(sources, int(tree.end[picture]))
        candidates = [
            values.get(name, "")
            for values in (*facts[begin:end], images.attributes[index])
            for name in ("srcset", "data-srcset")
        ]
        found[index] = largest_candidate(", ".join(filter(None, candidates)))
    return found


def _find_links(
    tree: Tree, nodes: list[int], flags: list[int], targets: Targets
) -> list[str | None]:
    """Return where the link around each image leads: the last <a href> before it that holds it."""
    links: list[str | None] = [None] * len(nodes)
    linked = [index for index, flag in enumerate(flags) if flag & LINKED]
    if not linked:
        return links
    places = np.array(targets.references.nodes, np.int64)
    anchors = (tree.tag[places] == TAGS["a"]).nonzero()[0]
    begins, ends = places[anchors].tolist(), tree.end[places[anchors]].tolist()
    numbers = anchors.tolist()
    around: list[int] = []
    for index in linked:
        number = bisect_left(begins, nodes[index]) - 1
        while number >= 0 and ends[number] <= nodes[index]:  # hardly ever: a link within a link
            around = around or _find_around(begins, ends)
            number = around[number]
        links[index] = targets.urls[numbers[number]] if number >= 0 else None
    return links


def _find_around(begins: list[int], ends: list[int]) -> list[int]:
    """Return for each range the last one before it that holds it, -1 for none."""
    around: list[int] = []
    open_ones: list[int] = []
    for number, begin in enumerate(begins):
        while open_ones and ends[open_ones[-1]] <= begin:
            open_ones.pop()
        around.append(open_ones[-1] if open_ones else -1)
        open_ones.append(number)
    return around
