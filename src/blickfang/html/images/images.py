"""The images of a page with every clue about them, and the settings that say which are kept.

In: the arrays of a page. Out: an `Image` for every <img> in document order. An image whose `src`
is a placeholder has its address in another attribute or in a <noscript> beside it.
"""

from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.errors import SettingsError
from blickfang.html.images.alt_quality import name_images
from blickfang.html.images.captions import (
    NOTHING_POINTED,
    Pointed,
    find_captions,
    find_pointed,
    read_pointed,
)
from blickfang.html.images.generated_alts import is_generated
from blickfang.html.images.image_builder import (
    Columns,
    ImageTexts,
    find_links_around,
    make_images,
    make_texts,
)
from blickfang.html.images.image_position import ImagePositions
from blickfang.html.images.img_attributes import (
    ASK,
    ASKS_SIZE,
    ASKS_SOURCE,
    BY_NOSCRIPT,
    HAS_OTHERS,
    IS_ODD,
    NONE,
    Clues,
    find_clues,
)
from blickfang.html.images.lazy_sources import (
    choose_source,
    find_others,
    is_for_all,
    is_placeholder,
    join_sets,
    largest_candidate,
    list_forms,
    names_no_file,
    stated_size,
)
from blickfang.html.images.noscript_image import NONE as NO_TWIN
from blickfang.html.images.noscript_image import Beside, find_near, find_twin
from blickfang.html.links import LinkTargets
from blickfang.html.parse.tree import Tree, attributes, find_nodes, read_values
from blickfang.html.references import (
    ITSELF,
    RELATIVE,
    UNKNOWN,
    BaseAddress,
    resolve_all,
    resolve_sorted,
    resolve_values,
    sort_all,
)
from blickfang.io.urls import MAX_LENGTH, resolve, url_words
from blickfang.types import Context, Image

Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class ImageOptions:
    """The sizes an image must have; the study's numbers, docs/method.md."""

    min_width: Annotated[int, "narrower images, in pixels, are not kept"] = 512
    min_height: Annotated[int, "lower images are not kept"] = 384
    max_width: Annotated[int, "wider images are not kept; 0: no limit"] = 9600
    max_height: Annotated[int, "higher images are not kept; 0: no limit"] = 7200

    def __post_init__(self) -> None:
        for least, most in ((self.min_width, self.max_width), (self.min_height, self.max_height)):
            if least < 0 or most < 0 or 0 < most < least:
                raise SettingsError("min_width and min_height must lie between 0 and their maximum")


class ShownImages(NamedTuple):
    """What is known of the <img> elements of a page before their text is sought."""

    nodes: Ints
    clues: Clues
    attributes: dict[int, dict[str, str]]  # by number, of those that need a closer look
    sources: dict[int, list[dict[str, str]]]  # by number those of its <picture>, of some of these
    captions: Ints  # nodes of captions that the markup names; 0 for none
    pointed: Pointed = NOTHING_POINTED  # elements elsewhere that images name as their texts


NOWHERE = "http://0.0.0.0/"  # for the words of an address whose page is not known: it has none
TEXTS = ("alt", "title", "label", "caption")
LABEL, CAPTION = 2, 3
MAX_IMAGES = 50_000  # of a page; each costs up to 20 µs
Contexts = list[dict[str, Context]]  # of each <img>, by method


def look_at_images(tree: Tree) -> ShownImages:
    """Read the attributes of all <img> elements, as far as they are looked at."""
    nodes = tree.census.images[:MAX_IMAGES]
    clues = find_clues(tree, nodes)
    pointed = find_pointed(tree, nodes)
    captions = find_captions(tree, nodes, pointed)
    if not clues.needs & (ASKS_SIZE | ASKS_SOURCE):
        return ShownImages(nodes, clues, {}, {}, captions, pointed)
    pictured = {n: int(clues.pictured[n]) for n in clues.pictured.nonzero()[0].tolist()}
    asked = ((clues.widths == ASK) | (clues.heights == ASK)).nonzero()[0].tolist()
    closer = {*asked, *pictured, *(clues.simple == 0).nonzero()[0].tolist()}
    facts = _read_attributes(tree, nodes, sorted(closer))
    for number in asked:
        width, height = stated_size(facts[number])
        clues.widths[number] = NONE if width is None else width
        clues.heights[number] = NONE if height is None else height
    return ShownImages(nodes, clues, facts, _read_pictures(tree, pictured), captions, pointed)


def _read_attributes(tree: Tree, nodes: Ints, numbers: list[int]) -> dict[int, dict[str, str]]:
    """Return the attributes of some images by number."""
    if not numbers:
        return {}
    return dict(zip(numbers, attributes(tree, nodes[numbers].tolist()), strict=True))


def find_images(
    tree: Tree,
    images: ShownImages,
    targets: LinkTargets,
    contexts: Contexts,
    places: ImagePositions,
    *,
    with_texts: bool,
) -> list[Image]:
    """Return the images that a page shows; without texts, also without captions and names."""
    count = len(images.nodes)
    if not count:
        return []
    chosen = _choose_odd(tree, images)
    urls = _resolve_sources(tree, images.clues, chosen, targets.home)
    others = _resolve_others(tree, targets.home, images, chosen, urls)
    addresses = _complete(tree, images.clues, chosen, urls)
    captions = images.captions if with_texts else np.zeros(count, np.int32)
    said = make_texts(tree, images.clues, captions)
    pointed = _take_pointed(tree, images, captions, said)
    names, generated = _name(tree, images.clues, addresses, said, pointed)
    columns = Columns(
        *(urls, said.sources, *said.texts, names if with_texts else [""] * count, generated),
        *(targets.urls, said.attributes, contexts, places.sections),
        [others.get(index, ()) for index in range(count)] if others else [()] * count,
    )
    return make_images(
        tree,
        images.nodes,
        images.clues,
        places,
        find_links_around(tree, images.nodes, targets),
        columns,
    )


def _choose_odd(tree: Tree, images: ShownImages) -> dict[int, str]:
    """Return by number the address of each <img> that shows most, "" where there is none.

    Only of those whose `src` is not plainly it.
    """
    clues = images.clues
    if not clues.needs & (ASKS_SOURCE | IS_ODD):
        return {}
    relative = clues.addresses[0] & RELATIVE
    odd = ((relative == UNKNOWN) | (relative == ITSELF)).nonzero()[0]
    given = zip(odd.tolist(), map(str.strip, _read_sources(tree, clues, odd)), strict=True)
    own = {number: "" if names_no_file(source) else source for number, source in given}
    for number, values in images.attributes.items():
        if not clues.simple[number]:
            own[number] = choose_source(values)
    chosen = own.copy()
    for number, sources in images.sources.items():
        source = _choose_form(images.attributes[number], sources)
        if source:
            chosen[number] = source
    if clues.needs & BY_NOSCRIPT:
        _take_twins(tree, images, own, chosen)
    return chosen


def _take_twins(
    tree: Tree, images: ShownImages, own: dict[int, str], chosen: dict[int, str]
) -> None:
    """Give placeholders the address of their twin in a <noscript>."""
    near = find_near(tree, images.nodes)
    beside = Beside(tree, images.nodes, images.clues, set())
    placeholders = {
        number
        for number in near
        if number in chosen and (not chosen[number] or is_placeholder(chosen[number]))
    }
    for number in sorted(placeholders):
        if (twin := find_twin(beside, number, placeholders)) != NO_TWIN:
            source = own[twin] if twin in own else _read_source(tree, images.clues, twin)
            if source and not (chosen[number] and is_placeholder(source)):
                chosen[number] = source


def _read_sources(tree: Tree, clues: Clues, numbers: NDArray[np.int64]) -> list[str]:
    """Return what some images have as `src`."""
    return read_values(tree, clues.addresses[1, numbers], clues.address_ends[numbers])


def _read_chosen(
    tree: Tree, clues: Clues, chosen: dict[int, str], numbers: NDArray[np.int64]
) -> list[str]:
    """Return the addresses of some images: the one chosen, or what they have as `src`."""
    given = zip(numbers.tolist(), _read_sources(tree, clues, numbers), strict=True)
    return [chosen.get(number, source) for number, source in given]


def _read_source(tree: Tree, clues: Clues, number: int) -> str:
    return _read_sources(tree, clues, np.array([number]))[0]


def _resolve_sources(
    tree: Tree, clues: Clues, chosen: dict[int, str], home: BaseAddress
) -> list[str | None]:
    """Return the canonical address of each image."""
    found = clues.addresses
    if chosen:
        found = found.copy()
        found[0, list(chosen)] = UNKNOWN
    urls = resolve_sorted(tree.letters, found, home, partial(_read_chosen, tree, clues, chosen))
    for number, source in chosen.items():
        if not source:
            urls[number] = None
    return urls


def _complete(
    tree: Tree, clues: Clues, chosen: dict[int, str], urls: list[str | None]
) -> list[str]:
    """Return addresses of which words are taken, also where the page of an image is not known."""
    if None not in urls:
        return urls  # type: ignore[return-value]
    addresses = [url or "" for url in urls]
    for number, url in enumerate(urls):
        if not url:
            source = chosen[number] if number in chosen else _read_source(tree, clues, number)
            addresses[number] = (source and resolve(NOWHERE, source)) or ""
    return addresses


def _take_pointed(
    tree: Tree, images: ShownImages, captions: Ints, said: ImageTexts
) -> list[tuple[int, list[int]]]:
    """Put what images point at among their texts; return which texts of which images it is."""
    if not (images.pointed.captions or images.pointed.labels):
        return []
    labels = images.pointed.labels
    several = {
        number: nodes
        for number, nodes in images.pointed.captions.items()
        if len(nodes) > 1 and captions[number] == nodes[0]
    }
    for text, named in ((LABEL, labels), (CAPTION, several)):
        for number, nodes in named.items():
            said.texts[text][number] = read_pointed(tree, nodes) or said.texts[text][number]
    return [(LABEL, list(labels)), (CAPTION, list(several))]


def _name(
    tree: Tree,
    clues: Clues,
    addresses: list[str],
    said: ImageTexts,
    pointed: list[tuple[int, list[int]]],
) -> tuple[list[str], list[tuple[str, ...]]]:
    """Return the words of each address, and the names of the texts that no person wrote."""
    count = len(addresses)
    names: list[str | None] = [None] * count
    generated: list[tuple[str, ...]] = [()] * count
    doubts = np.empty((len(TEXTS), count), np.bool_)
    doubtful = name_images(
        *(tree.letters.data, tree.letters.text, (*clues.texts, said.captioned), id(addresses)),
        *(np.empty((3, MAX_LENGTH), np.uint8), np.empty(1, np.int64), doubts, id(names)),
    )
    for text, numbers in pointed:
        doubts[text, numbers] = True
    places = doubts.nonzero() if doubtful or pointed else ()
    for text, number in zip(*(place.tolist() for place in places), strict=True):
        if is_generated(said.texts[text][number], addresses[number]):
            generated[number] = (*generated[number], TEXTS[text])
    if None in names:
        pairs = zip(names, addresses, strict=True)
        return [url_words(url) if name is None else name for name, url in pairs], generated
    return names, generated  # type: ignore[return-value]


def _resolve_others(
    tree: Tree,
    home: BaseAddress,
    images: ShownImages,
    chosen: dict[int, str],
    urls: list[str | None],
) -> dict[int, tuple[str, ...]]:
    """Return by number where smaller forms of an image lie; most images have none."""
    found = _follow_others(tree, images.clues, home)
    named = {}
    for number, values in images.attributes.items():
        if number in chosen:
            found.pop(number, None)
            if urls[number] and chosen[number]:
                sources = filter(is_for_all, images.sources.get(number, ()))
                named[number] = find_others(values, chosen[number], sources)
    if named:
        resolved = iter(resolve_all(home.base, list(chain.from_iterable(named.values()))))
        found.update((number, list(islice(resolved, len(named[number])))) for number in named)
    return {
        number: tuple(dict.fromkeys(url for url in others if url and url != urls[number]))
        for number, others in found.items()
        if urls[number]
    }


def _follow_others(tree: Tree, clues: Clues, home: BaseAddress) -> dict[int, list[str | None]]:
    """Return by number where further forms of images lie, as far as kernels have found them."""
    if not clues.needs & HAS_OTHERS:
        return {}
    numbers = clues.others[0].nonzero()[0]
    counts, spans = clues.others[0, numbers], clues.others[1:, numbers]
    given = np.arange(len(spans) // 2)[:, None] < counts  # a row for the first, one for the second
    starts, ends = spans[::2].T[given.T], spans[1::2].T[given.T]
    sorts, _ = sort_all(tree.letters, starts, ends)
    urls = iter(resolve_values(tree.letters, sorts, home, starts, ends))
    pairs = zip(numbers.tolist(), counts.tolist(), strict=True)
    return {number: list(islice(urls, count)) for number, count in pairs}


def _read_pictures(tree: Tree, pictured: dict[int, int]) -> dict[int, list[dict[str, str]]]:
    """Return for the first <img> of each <picture> the attributes of its sources."""
    if not pictured:
        return {}
    sources = find_nodes(tree, "source")
    facts = attributes(tree, sources)  # of all at once: a call costs as much as ten of them
    inside: dict[int, list[dict[str, str]]] = {}
    for box, values in zip(tree.parent[sources].tolist(), facts, strict=True):
        if not values.get("type", "").lower().startswith("video/"):
            inside.setdefault(box, []).append(values)
    return {index: inside.get(picture, []) for index, picture in pictured.items()}


def _choose_form(values: dict[str, str], sources: list[dict[str, str]]) -> str:
    """Return the largest candidate of an <img> and the sources around it, "" for what src says.

    One that is not read, or only for paper, is better than none at all.
    """
    plain = [source for source in sources if is_for_all(source)]
    if form := next(list_forms([*plain, values]), ""):
        return form
    return "" if choose_source(values) else largest_candidate(join_sets(sources))
