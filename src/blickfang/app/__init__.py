"""The web application over a collection: watch, search, annotate, look into pages, read."""

from blickfang.app.access import Access, is_loopback, make_access
from blickfang.app.making import make_app
from blickfang.app.serving import prepare_corpus, prepare_readers, run_app

__all__ = [
    "Access",
    "is_loopback",
    "make_access",
    "make_app",
    "prepare_corpus",
    "prepare_readers",
    "run_app",
]
