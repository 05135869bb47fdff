"""Pages in, orders out: which link, which host, which image next."""

from blickfang.focus.knowledge import Knowledge
from blickfang.focus.modes import make_strategy
from blickfang.focus.options import FocusOptions
from blickfang.focus.scorers import SCORERS
from blickfang.focus.seen import PageFeatures, see
from blickfang.focus.strategy import Strategy

__all__ = [
    "SCORERS",
    "FocusOptions",
    "Knowledge",
    "PageFeatures",
    "Strategy",
    "make_strategy",
    "see",
]
