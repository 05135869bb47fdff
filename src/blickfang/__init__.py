"""Blickfang: from a handful of seed pages to a clean, searchable image–text corpus.

    from blickfang import learn_topic
    topic = learn_topic(positive=[...], neutral=[...])
    topic.perplexity(["A text that may fit."])

Names are loaded when they are first used, so that `import blickfang` and the command line start
at once.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from blickfang.corpus import open_corpus
    from blickfang.corpus.search import search_corpus
    from blickfang.html import read_page
    from blickfang.records import extract_records
    from blickfang.text import Topic, learn_topic, load_topic, save_topic
    from blickfang.text.lm import LanguageModel, load_model, train_model

__version__ = "0.1.0"
__all__ = [
    "LanguageModel",
    "Topic",
    "extract_records",
    "learn_topic",
    "load_model",
    "load_topic",
    "open_corpus",
    "read_page",
    "save_topic",
    "search_corpus",
    "train_model",
]

_HOMES = {
    "LanguageModel": "blickfang.text.lm",
    "Topic": "blickfang.text",
    "extract_records": "blickfang.records",
    "learn_topic": "blickfang.text",
    "load_model": "blickfang.text.lm",
    "load_topic": "blickfang.text",
    "open_corpus": "blickfang.corpus",
    "read_page": "blickfang.html",
    "save_topic": "blickfang.text",
    "search_corpus": "blickfang.corpus.search",
    "train_model": "blickfang.text.lm",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'blickfang' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
