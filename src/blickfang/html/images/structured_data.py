"""Images that a page describes in its data: JSON-LD, microdata.

In: the arrays of a page. Out: where each lies, and what is said of it: caption, title, whom to
name. What is read of hostile data is bounded; of an image that is named twice the first one counts
that says something.
"""

from collections.abc import Iterator
from html import unescape
from typing import Any, NamedTuple

from blickfang.html.metadata import read_scripts
from blickfang.html.parse.page_strings import values_of
from blickfang.html.parse.tags import TAGS
from blickfang.html.parse.tree import Tree, attribute

MAX_VALUES = 20_000  # of all data of a page that are looked at
MAX_IMAGES = 1000
MAX_TEXT = 2000  # characters
MAX_ADDRESS = 8192
WORDS = (b"image", b"Image", b"contentUrl")  # one of them is in all data that name an image
IMAGE_TYPES = frozenset({"ImageObject", "Photograph"})
NAMING = frozenset({"image", "images", "photo", "photos", "primaryImageOfPage"})
# Signs of who speaks, and small forms: no content of the page.
NOT_CONTENT = frozenset({"logo", "thumbnail", "thumbnailUrl", "icon"})
PROPERTIES = frozenset({"image", "contenturl"})  # of microdata, in lower case
PARTED = frozenset({dict, list})  # values in which others lie
HEAD_TAGS = {TAGS["meta"]: "content", TAGS["link"]: "href"}


class Described(NamedTuple):
    """An image, and what data say of it."""

    source: str  # its address as it stands there
    caption: str = ""
    title: str = ""
    credit: str = ""


def find_described(tree: Tree, *, with_texts: bool = True) -> list[Described]:
    """Return the images that the data of a page describe."""
    found = _read_properties(tree)
    left: list[tuple[Any, bool]] = [(value, False) for value in read_scripts(tree, *WORDS)]
    left.reverse()
    for _ in range(MAX_VALUES):
        if not left or len(found) >= MAX_IMAGES:
            break
        value, is_image = left.pop()
        if isinstance(value, list):
            left += [(one, is_image) for one in reversed(value[:MAX_VALUES])]
        elif isinstance(value, str) and is_image:
            found += _describe(value, {}, with_texts=with_texts)
        elif isinstance(value, dict):
            if is_image or _is_image_type(value.get("@type")):
                source = value.get("contentUrl") or value.get("url")
                source = source[0] if isinstance(source, list) and source else source
                found += _describe(source, value, with_texts=with_texts)
            parts = [
                (one, key in NAMING)
                for key, one in value.items()
                if key in NAMING or (type(one) in PARTED and key not in NOT_CONTENT)
            ]
            parts.reverse()
            left += parts
    return found[:MAX_IMAGES]


def _is_image_type(said: Any) -> bool:
    """Whether what data say of a thing's type is an image, whatever their vocabulary."""
    types = said if isinstance(said, list) else [said]
    return any(isinstance(one, str) and one.rpartition("/")[2] in IMAGE_TYPES for one in types)


def _describe(source: Any, said: dict[str, Any], *, with_texts: bool) -> Iterator[Described]:
    """Yield an image if it has an address."""
    if not isinstance(source, str) or not 0 < len(source) <= MAX_ADDRESS:
        return
    address = unescape(source).strip()
    if not with_texts:
        yield Described(address)
        return
    title, description = _read(said.get("name")), _read(said.get("description"))
    caption = _read(said.get("caption")) or description
    yield Described(address, caption, title, _read(said.get("creditText")) or _read_maker(said))


def _read_maker(said: dict[str, Any]) -> str:
    """Return who made an image, the first one who is named."""
    for key in ("creator", "author", "copyrightHolder"):
        value = said.get(key)
        first = value[0] if isinstance(value, list) and value else value
        if name := _read(first.get("name") if isinstance(first, dict) else first):
            return name
    return ""


def _read(value: Any) -> str:
    """Return a text as people would read it, "" for what is none."""
    if isinstance(value, list):
        value = value[0] if value else None
    if isinstance(value, dict):
        value = value.get("@value") or value.get("text") or value.get("name")
    return " ".join(unescape(value[:MAX_TEXT]).split()) if isinstance(value, str) else ""


def _read_properties(tree: Tree) -> list[Described]:
    """Return the images that <meta itemprop> and <link itemprop> name."""
    nodes, starts, ends = tree.census.properties
    if not len(nodes):
        return []
    found = []
    for node, value in zip(nodes.tolist(), values_of(tree.letters, starts, ends), strict=True):
        name = HEAD_TAGS.get(int(tree.tag[node]))
        if name and not PROPERTIES.isdisjoint(value.lower().split()):
            source = (attribute(tree, node, name) or "").strip()
            found += [Described(source)] if source else []
    return found[:MAX_IMAGES]
