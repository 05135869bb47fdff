"""Images that a page names but does not show as <img>.

In: the arrays of a page. Out: `Image`s: og:image, rel=image_src, backgrounds of inline styles,
links to image files. The text of the link or box is their context.
"""

from collections.abc import Sequence
from typing import NamedTuple

from blickfang.data import Context, Image
from blickfang.page.about import tidy
from blickfang.page.addresses import resolve_all
from blickfang.page.alts import is_generated
from blickfang.page.backgrounds import find_backgrounds, read_background
from blickfang.page.links import Targets, find_related
from blickfang.page.tags import TAGS
from blickfang.page.tree import Tree, attribute, node_text, read_values
from blickfang.urls import IMAGE_TYPES, is_image_url, url_words


class Said(NamedTuple):
    """What is said of an image where it is named."""

    title: str
    label: str
    generated: tuple[str, ...]
    contexts: dict[str, Context]


NOTHING_SAID = Said("", "", (), {})


def find_named(
    tree: Tree,
    base: str,
    pictures: Sequence[str],
    targets: Targets,
    shown: set[str | None],
    *,
    with_texts: bool = True,
) -> list[Image]:
    """Return images that the page names but does not show as <img>, each address once."""
    found = [("meta", picture, 0) for picture in pictures]
    named = find_related(targets.references, "image_src")
    stated = [node for node in named if tree.tag[node] == TAGS["link"]]
    found += [("link", attribute(tree, node, "href") or "", 0) for node in stated]
    nodes, starts, ends = tree.census.styles
    if len(nodes):
        for node, style in zip(nodes.tolist(), read_values(tree, starts, ends), strict=True):
            found += [("background", source, node) for source in find_backgrounds(style)]
    nodes, starts, ends = tree.census.backgrounds
    if len(nodes):
        for node, value in zip(nodes.tolist(), read_values(tree, starts, ends), strict=True):
            found += [("background", source, node) for source in read_background(value)]
    urls = resolve_all(base, [source for _, source, _ in found])
    for number in targets.images:
        url = targets.urls[number] or ""
        if _is_image(url):
            node = int(targets.references.values.nodes[number])
            if tree.tag[node] == TAGS["a"]:
                found.append(("anchor", attribute(tree, node, "href") or "", node))
                urls.append(url)
    fresh: dict[str, Image] = {}
    for (origin, source, node), target in zip(found, urls, strict=True):
        if target and target not in shown and target not in fresh:
            name = url_words(target) if with_texts else ""
            said = _read_box(tree, origin, node, target) if node else NOTHING_SAID
            fresh[target] = _name_image(origin, source, target, name, said)
    return list(fresh.values())


def _is_image(url: str) -> bool:
    """Whether an address is that of an image."""
    path = url.partition("?")[0]
    return path.rpartition(".")[2].lower() in IMAGE_TYPES and is_image_url(url)


def _read_box(tree: Tree, origin: str, node: int, url: str) -> Said:
    """Return what the link or box says that names an image; its text is the context."""
    contexts: dict[str, Context] = {}
    text = node_text(tree, node)
    if text:
        words = int(tree.first_word[node]), int(tree.first_word[tree.end[node]])
        reason = f"text of the {origin}"
        contexts["best"] = Context("best", "text", 0.5, text, (words,), (reason,))
    title = tidy(attribute(tree, node, "title") or "")
    label = tidy(attribute(tree, node, "aria-label") or "")
    texts = {"title": title, "label": label}
    generated = tuple(key for key, text in texts.items() if is_generated(text, url))
    return Said(title, label, generated, contexts)


def _name_image(origin: str, source: str, url: str, name: str, said: Said) -> Image:
    """Return an image that is only named."""
    return Image(
        url,
        source,
        origin,
        -1,
        alt="",
        title=said.title,
        label=said.label,
        caption="",
        name=name,
        generated=said.generated,
        width=None,
        height=None,
        link=None,
        attributes={},
        contexts=dict(said.contexts),
    )
