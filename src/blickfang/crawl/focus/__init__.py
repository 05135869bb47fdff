"""Pages in, orders out: which link, which host, which image next."""

from blickfang.crawl.focus.background_strategy import make_strategy
from blickfang.crawl.focus.focus_options import FocusOptions
from blickfang.crawl.focus.knowledge import Knowledge
from blickfang.crawl.focus.page_features import PageFeatures, see
from blickfang.crawl.focus.scorers import SCORERS
from blickfang.crawl.focus.strategy import Strategy

__all__ = [
    "SCORERS",
    "FocusOptions",
    "Knowledge",
    "PageFeatures",
    "Strategy",
    "make_strategy",
    "see",
]
