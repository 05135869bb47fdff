"""The images of a page with every clue about them, and the settings that say which are kept.

In: the arrays of a page. Out: an `Image` for every <img> in document order. An image whose `src`
is a placeholder has its address in another attribute or in a <noscript> beside it.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Annotated, NamedTuple

import numpy as np

from blickfang.data import Context, Image
from blickfang.errors import SettingsError
from blickfang.page.about import tidy
from blickfang.page.alts import is_generated
from blickfang.page.arrays import IN_NOSCRIPT, LINKED
from blickfang.page.captions import find_captions
from blickfang.page.links import Targets, resolve_all
from blickfang.page.sources import choose_source, find_others, largest_candidate, stated_size
from blickfang.page.tags import TAGS
from blickfang.page.tree import Tree, attributes, find_nodes, node_text
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
    attributes: list[dict[str, str]]
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
    facts = attributes(tree, nodes)
    return Shown(
        nodes, facts, [stated_size(values) for values in facts], find_captions(tree, nodes)
    )


def find_images(
    tree: Tree, images: Shown, base: str, targets: Targets, contexts: Contexts, places: Places
) -> list[Image]:
    """Return the images that a page shows; without places, also without captions and names."""
    with_texts = len(places) > 0
    flags = tree.flags[images.nodes].tolist()
    chosen = _choose_sources(tree, images, flags)
    urls = resolve_all(base, chosen)
    others = _resolve_others(base, images, chosen, urls)
    captions = _read_captions(tree, images.captions) if with_texts else {}
    links = _find_links(tree, images.nodes, flags, targets)
    found = []
    for index, values in enumerate(images.attributes):
        url = urls[index] if chosen[index] else None
        address = url or (chosen[index] and resolve(NOWHERE, chosen[index])) or ""
        texts = _read_texts(values, captions.get(images.captions[index], ""))
        found.append(
            Image(
                url,
                values.get("src", ""),
                "noscript" if flags[index] & IN_NOSCRIPT else "img",
                index,
                *texts,
                url_words(address) if with_texts else "",
                _find_generated(texts, address),
                *images.sizes[index],
                links[index],
                values,
                contexts[index],
                *(places[index] if with_texts else NO_PLACE),
                others.get(index, ()),
            )
        )
    return found


def _resolve_others(
    base: str, images: Shown, chosen: list[str], urls: list[str | None]
) -> dict[int, tuple[str, ...]]:
    """Return by number where smaller forms of an image lie; most images have none."""
    named = {
        index: find_others(values, address)
        for index, (values, address, url) in enumerate(
            zip(images.attributes, chosen, urls, strict=True)
        )
        if url and address and address != values.get("src")
    }
    found = iter(resolve_many(base, [other for others in named.values() for other in others]))
    return {
        index: tuple(
            dict.fromkeys(url for url in islice(found, len(others)) if url and url != urls[index])
        )
        for index, others in named.items()
    }


def _read_texts(values: dict[str, str], caption: str) -> tuple[str, str, str, str]:
    """Return what is said of an image, in the order of TEXTS."""
    return _read(values, "alt"), _read(values, "title"), _read(values, "aria-label"), caption


def _read_captions(tree: Tree, nodes: list[int]) -> dict[int, str]:
    """Return the text of each caption, once: thousands of images may share one. Node 0 is none."""
    return {node: node_text(tree, node).replace("\n", " ") for node in {*nodes} - {0}}


def _read(values: dict[str, str], name: str) -> str:
    return tidy(values[name]) if name in values else ""


def _find_generated(texts: tuple[str, ...], url: str) -> tuple[str, ...]:
    """Return the names of the texts that no person wrote."""
    if not any(texts):
        return ()
    pairs = zip(TEXTS, texts, strict=True)
    return tuple(name for name, text in pairs if text and is_generated(text, url))


def _choose_sources(tree: Tree, images: Shown, flags: list[int]) -> list[str]:
    """Return for each <img> the address that shows most, "" where there is none."""
    pictured = _read_pictures(tree, images)
    chosen = []
    for index, values in enumerate(images.attributes):
        source = pictured.get(index, "") or choose_source(values)
        if not source and _has_twin(tree, images.nodes, flags, index):
            source = choose_source(images.attributes[index + 1])
        chosen.append(source)
    return chosen


def _has_twin(tree: Tree, nodes: list[int], flags: list[int], index: int) -> bool:
    """Whether the same image follows in a <noscript> beside a placeholder."""
    if index + 1 == len(nodes) or flags[index] & IN_NOSCRIPT or not flags[index + 1] & IN_NOSCRIPT:
        return False
    return bool(tree.end[tree.parent[nodes[index]]] >= nodes[index + 1])


def _read_pictures(tree: Tree, images: Shown) -> dict[int, str]:
    """Return for the first <img> of each <picture> the largest candidate of all its sources."""
    parents = tree.parent[images.nodes]
    inside = (tree.tag[parents] == TAGS["picture"]).nonzero()[0]
    first = dict(zip(parents[inside[::-1]].tolist(), inside[::-1].tolist(), strict=True))
    if not first:
        return {}
    sources = find_nodes(tree, "source")
    facts = attributes(tree, sources)  # of all at once: a call costs as much as ten of them
    found = {}
    for picture, index in first.items():
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
