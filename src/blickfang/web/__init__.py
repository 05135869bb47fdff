"""The web application over a collection: watch, search, annotate, look into pages, read."""

from blickfang.web.access import Access, is_loopback, make_access
from blickfang.web.application import make_app
from blickfang.web.server import prepare_corpus, prepare_readers, run_app

__all__ = [
    "Access",
    "is_loopback",
    "make_access",
    "make_app",
    "prepare_corpus",
    "prepare_readers",
    "run_app",
]
