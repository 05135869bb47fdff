"""Data that a page holds in its scripts: their types, JSON-LD as Python's own values, texts.

In: the arrays of a page. Out: values as they were written, by whoever: nothing of them is sure.
"""

import json
from collections.abc import Iterator
from typing import Any

from blickfang.page.letters import values_of
from blickfang.page.tree import Tree, inner_source

JSON_LD = "application/ld+json"
MAX_SCRIPT = 2**20  # bytes of one that is read
MAX_SCRIPTS = 2**22  # bytes of all of a page
MAX_TEXT = 2**18  # bytes of one that is handed on as it is
MAX_TEXTS = 8  # of those


def list_script_types(tree: Tree) -> dict[int, str]:
    """Return the types of scripts by their nodes, in lower case, without parameters."""
    nodes, starts, ends = tree.census.types
    if not len(nodes):
        return {}
    kinds = values_of(tree.letters, starts, ends)
    return {
        node: kind.partition(";")[0].strip().lower()
        for node, kind in zip(nodes.tolist(), kinds, strict=True)
    }


def read_texts(tree: Tree, kind: str) -> list[str]:
    """Return what scripts of a type hold; "" stands for all that are too many, and too long ones.

    What is empty is as if it could not be read: the guard cuts what holds an end tag.
    """
    nodes = [node for node, each in list_script_types(tree).items() if each == kind]
    sources = [inner_source(tree, node) for node in nodes[:MAX_TEXTS]]
    texts = ["" if len(source) > MAX_TEXT else source.decode() for source in sources]
    return [*texts, ""] if len(nodes) > MAX_TEXTS else texts


def read_scripts(tree: Tree, *words: bytes) -> Iterator[Any]:
    """Yield what scripts of JSON-LD say in which one of some words stands."""
    left = MAX_SCRIPTS
    for node, kind in list_script_types(tree).items():
        if kind != JSON_LD:
            continue
        source = inner_source(tree, node)
        if len(source) > min(MAX_SCRIPT, left) or not any(word in source for word in words):
            continue
        left -= len(source)
        try:
            # Strings broken over lines are common where texts are pasted.
            yield json.loads(source, strict=False)
        except (ValueError, RecursionError):  # written by hand, or meant to break us
            continue
