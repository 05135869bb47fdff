"""Images that a page names but does not show as <img>.

In: the arrays of a page. Out: `Image`s: og:image, rel=image_src, those that its data describe,
backgrounds of inline styles, links to image files. The text of the link or box is their context.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from blickfang.html.images.generated_alts import is_generated
from blickfang.html.images.lazy_sources import LOOKS_LIKE_IMAGE, MAX_ADDRESS, is_placeholder
from blickfang.html.images.structured_data import Described, find_described
from blickfang.html.links import LinkTargets, find_related
from blickfang.html.metadata import tidy
from blickfang.html.parse.tag_index import NO_VALUES
from blickfang.html.parse.tags import TAGS
from blickfang.html.parse.tree import Tree, attribute, read_values, slice_text
from blickfang.html.references import resolve_all
from blickfang.io.urls import IMAGE_TYPES, is_image_url, url_words
from blickfang.types import Context, Image

# Each part ends where the next begins, and none is tried again: a style may be written to be slow.
# So a text that nobody closes goes on to the end, as in a style.
STRINGS = r"\"((?>(?:[^\"\\]|\\.)*))(?:\"|\\?\Z)|'((?>(?:[^'\\]|\\.)*))(?:'|\\?\Z)"
TOKEN = re.compile(
    rf"/\*.*?(?:\*/|\Z)|url\(\s*+(?:{STRINGS}|((?>(?:[^'\"()\\]|\\.)+)))\s*+\)"
    r"|(background)[\w-]{0,40}+\s*+:|(image-set\()|([;{}])|([\d.]{1,8}+)(x|dppx|dpi)\b"
    rf"|type\(\s*+(?:\"[^\"]*+\"|'[^']*+')\s*+\)|(\))|{STRINGS}",
    re.IGNORECASE | re.DOTALL,
)
# As nearly all are written: then no more needs to be told apart.
PLAIN = re.compile(
    r"\s*+background(?:-image)?:\s*+url\(([\"']?)([^\"'()\\]{1,8192}+)\1\)[\s\w%#!.-]*+;?\s*+"
)
PROPERTY, SET, END, SIZE, UNIT, CLOSE = range(4, 10)  # groups
WHOLE = re.compile(r"(?:https?:)?//[^\s{}<>()'\"]++\Z", re.IGNORECASE)
ESCAPE = re.compile(r"\\(?:([0-9a-f]{1,6})\s?|\r?\n|(.))", re.IGNORECASE | re.DOTALL)
DPI = 96.0


def find_backgrounds(style: str) -> list[str]:
    """Return the addresses of all backgrounds that a style names, of a set the largest.

    >>> find_backgrounds("background: url(a.jpg), image-set('b.jpg' 1x, 'c.jpg' 2x); mask: url(d)")
    ['a.jpg', 'c.jpg']
    """
    if plain := PLAIN.fullmatch(style):
        return [plain[2].strip()]
    low = style.lower()
    if "background" not in low or ("url(" not in low and "image-set(" not in low):
        return []
    found: list[str] = []
    inside = False
    in_set: list[tuple[float, str]] | None = None
    for token in TOKEN.finditer(style):
        if token[PROPERTY] or token[END]:
            inside, in_set = bool(token[PROPERTY]), None
        elif not inside:
            continue
        elif token[SET]:
            in_set = []
        elif token[CLOSE] and in_set is not None:
            found += [max(in_set, key=_size)[1]] if in_set else []
            in_set = None
        elif token[SIZE]:
            if in_set:
                in_set[-1] = (_read_size(token[SIZE], token[UNIT]), in_set[-1][1])
        elif address := next(filter(None, (token[1], token[2], token[3])), None):
            _add(address, found, in_set)
        elif in_set is not None and (token[10] or token[11]):
            _add(token[10] or token[11], found, in_set)
    return found + ([max(in_set, key=_size)[1]] if in_set else [])


def _add(address: str, found: list[str], in_set: list[tuple[float, str]] | None) -> None:
    """Keep an address, in a set with the size of one without."""
    address = ESCAPE.sub(_unescape, address).strip() if "\\" in address else address.strip()
    if in_set is None:
        found.append(address)
    else:
        in_set.append((1.0, address))


def _size(candidate: tuple[float, str]) -> float:
    return candidate[0]


def _read_size(number: str, unit: str) -> float:
    try:
        return float(number) / (DPI if unit.lower() == "dpi" else 1.0)
    except ValueError:
        return 0.0


def _unescape(escape: re.Match[str]) -> str:
    """Return what an escape in a style stands for."""
    if escape[1]:
        code = int(escape[1], 16)
        return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"
    return escape[2] or ""


def read_background(value: str) -> list[str]:
    """Return the addresses that an attribute for scripts names: as in a style, or one image.

    >>> read_background("a.jpg"), read_background("url(b.jpg)"), read_background("//c.org/d?w=3")
    (['a.jpg'], ['b.jpg'], ['//c.org/d?w=3'])
    >>> read_background("dark"), read_background("//c.org/d.mp4")
    ([], [])
    """
    value = value.strip()
    if "(" in value:
        return find_backgrounds(f"background:{value}")
    if len(value) > MAX_ADDRESS or is_placeholder(value):
        return []
    return [value] if LOOKS_LIKE_IMAGE.match(value) or _is_nameless(value) else []


def _is_nameless(value: str) -> bool:
    """Whether a value is a whole address without a file's name, as those of services for images."""
    path, _, query = value.partition("#")[0].partition("?")
    name = path.rpartition("/")[2]
    return bool((name or query) and "." not in name and WHOLE.match(value))


MAX_NAMED = 50_000  # of a page, as of those that it shows
MAX_BACKGROUNDS = 5000  # of a page: boxes lie in each other, so that each may say the same again
MAX_LAYERS = 16  # of a style
LONGEST = 10_000  # bytes of a box that belong to its image; real ones had up to 2,400


class BoxTexts(NamedTuple):
    """What a link or box says of the images that it names."""

    title: str
    label: str
    contexts: dict[str, Context]
    caption: str = ""
    credit: str = ""


Named = tuple[str, str, int]  # how an image is named, its address as it stands there, the node
NOTHING_SAID = BoxTexts("", "", {})
IN_DATA = "data"
SAID_OF_HEADS = {("meta", 0): NOTHING_SAID, ("link", 0): NOTHING_SAID}


def find_named(
    tree: Tree,
    base: str,
    pictures: Sequence[str],
    targets: LinkTargets,
    shown: set[str | None],
    *,
    with_texts: bool = True,
) -> tuple[list[Image], list[str], dict[str, BoxTexts]]:
    """Return images that the page names but does not show as <img>, each address once; notes.

    And what its data say of those that it shows.
    """
    behind, notes = _find_backgrounds(tree)
    described = find_described(tree, with_texts=with_texts)
    found = _find_stated(tree, pictures, targets)
    found += [(IN_DATA, one.source, number) for number, one in enumerate(described)]
    found += behind
    if not found and not targets.images:
        return [], notes, {}
    urls = resolve_all(base, [source for _, source, _ in found])
    for number in targets.images:
        url = targets.urls[number] or ""
        if _is_image(url):
            node = int(targets.references.values.nodes[number])
            if tree.tag[node] == TAGS["a"]:
                found.append(("anchor", attribute(tree, node, "href") or "", node))
                urls.append(url)
                if len(found) > MAX_NAMED:
                    break
    if len(found) > MAX_NAMED:
        notes.append(f"only {MAX_NAMED:,} named images are read")
    pairs = [*zip(found[:MAX_NAMED], urls[:MAX_NAMED], strict=True)]
    boxes = SAID_OF_HEADS | {(IN_DATA, number): _say(one) for number, one in enumerate(described)}
    told: dict[str, BoxTexts] = {}
    for (origin, _, number), address in pairs if described else ():
        said = boxes[origin, number] if origin == IN_DATA else NOTHING_SAID
        if address and address in shown and said != NOTHING_SAID:
            told.setdefault(address, said)
    named = ((each, url) for each, url in pairs if url and url not in shown)
    return _make_images(tree, named, boxes, with_texts=with_texts), notes, told


def _say(described: Described) -> BoxTexts:
    """Return what data say of an image."""
    _, caption, title, credit = described
    return BoxTexts(title, "", {}, caption, credit) if caption or title or credit else NOTHING_SAID


def add_told(image: Image, said: BoxTexts) -> Image:
    """Give an image what the data of its page say of it, where it says nothing itself."""
    more = {
        key: text
        for key in ("title", "caption", "credit")
        if (text := getattr(said, key)) and not getattr(image, key)
    }
    made = tuple(key for key, text in more.items() if is_generated(text, image.url or ""))
    return image._replace(generated=(*image.generated, *made), **more)


def _make_images(
    tree: Tree,
    named: Iterable[tuple[Named, str]],
    boxes: dict[tuple[str, int], BoxTexts],
    *,
    with_texts: bool,
) -> list[Image]:
    """Return an image for each address, with the first text that one of those who name it has."""
    fresh: dict[str, Image] = {}
    for (origin, source, node), target in named:
        if target in fresh and _says_something(fresh[target]):
            continue
        said = boxes.get((origin, node))
        if said is None:
            said = boxes[origin, node] = _read_box(tree, origin, node, with_texts)
        if target not in fresh:
            name = url_words(target) if with_texts else ""
            fresh[target] = _name_image(origin, source, target, name, said)
        elif said != NOTHING_SAID:
            first = fresh[target]
            fresh[target] = _name_image(first.origin, first.src, target, first.name, said)
    return list(fresh.values())


def _says_something(image: Image) -> bool:
    """Whether a text is known of an image."""
    return bool(image.contexts or image.title or image.label or image.caption or image.credit)


def _find_stated(tree: Tree, pictures: Sequence[str], targets: LinkTargets) -> list[Named]:
    """Return the images that the head of a page states."""
    found = [("meta", picture, 0) for picture in pictures]
    if named := find_related(targets.references, "image_src"):
        stated = (node for node in named if tree.tag[node] == TAGS["link"])
        found += [("link", attribute(tree, node, "href") or "", 0) for node in stated]
    return found


def _find_backgrounds(tree: Tree) -> tuple[list[Named], list[str]]:
    """Return the images that boxes name as backgrounds, in styles or for scripts; notes."""
    found: list[Named] = []
    most, census = 0, tree.census
    for values, find in ((census.styles, find_backgrounds), (census.backgrounds, read_background)):
        nodes, starts, ends = values
        if nodes is NO_VALUES.nodes:
            continue
        for node, value in zip(nodes.tolist(), read_values(tree, starts, ends), strict=True):
            layers = find(value)
            most = max(most, len(layers))
            found += [("background", source, node) for source in layers[:MAX_LAYERS]]
    notes = [f"only {MAX_LAYERS} backgrounds of a box are read"] if most > MAX_LAYERS else []
    if len(found) > MAX_BACKGROUNDS:
        notes.append(f"only {MAX_BACKGROUNDS:,} backgrounds are read")
    return found[:MAX_BACKGROUNDS], notes


def _is_image(url: str) -> bool:
    """Whether an address is that of an image."""
    path = url.partition("?")[0]
    return path.rpartition(".")[2].lower() in IMAGE_TYPES and is_image_url(url)


def _read_box(tree: Tree, origin: str, node: int, with_texts: bool) -> BoxTexts:
    """Return what a link or box says that names images; its text is their context.

    Without texts only which words these are.
    """
    contexts: dict[str, Context] = {}
    words, (start, end) = _cut_box(tree, node)
    text = slice_text(tree, start, end) if with_texts else ""
    if text or (words[0] < words[1] and not with_texts):
        reason, sure = f"text of the {origin}", 0.5 if with_texts else 0.0
        contexts["best"] = Context("best", "text", sure, text, (words,), (reason,))
    title = tidy(attribute(tree, node, "title") or "")
    label = tidy(attribute(tree, node, "aria-label") or "")
    return BoxTexts(title, label, contexts)


def _cut_box(tree: Tree, node: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return which words stand in a box, and where its text lies: the beginning of a long one."""
    after = tree.end[node]
    first, last = int(tree.first_word[node]), int(tree.first_word[after])
    start, end = int(tree.offset[node]), int(tree.offset[after])
    if end - start > LONGEST:
        begun = int(tree.words.starts.searchsorted(np.int32(start + LONGEST)))
        last = max(first, begun - 1)  # the last one that has begun may not end there
        end = int(tree.words.starts[last]) if first < last else start
    return (first, last), (start, end)


def _name_image(origin: str, source: str, url: str, name: str, said: BoxTexts) -> Image:
    """Return an image that is only named."""
    texts = {"title": said.title, "label": said.label, "caption": said.caption}
    return Image(
        url,
        source,
        origin,
        -1,
        alt="",
        title=said.title,
        label=said.label,
        caption=said.caption,
        name=name,
        generated=tuple(key for key, text in texts.items() if text and is_generated(text, url)),
        width=None,
        height=None,
        link=None,
        attributes={},
        contexts=dict(said.contexts),
        credit=said.credit,
    )
