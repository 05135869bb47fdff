"""The modes of a crawl by name."""

import time

from blickfang.errors import SettingsError
from blickfang.focus.harvest import BackgroundStrategy
from blickfang.focus.knowledge import Knowledge
from blickfang.focus.options import FocusOptions
from blickfang.focus.scorers import Scorer, find_scorer
from blickfang.focus.strategy import Clock, Strategy
from blickfang.focus.study import Focused, FocusedByKeywords, Unfocused
from blickfang.text import relevance

STUDIED = (Focused.mode, FocusedByKeywords.mode)  # those that use the buckets of [score]


def make_strategy(
    mode: str,
    knowledge: Knowledge,
    scoring: relevance.ScoreOptions | None = None,
    options: FocusOptions | None = None,
    scorer: Scorer | None = None,
    clock: Clock = time.time,
) -> Strategy:
    """Return the strategy of a mode; a scorer of one's own takes the place of the one named."""
    scoring, options = scoring or relevance.ScoreOptions(), options or FocusOptions()
    if mode == Unfocused.mode:
        return Unfocused(clock)
    for kind in (Focused, FocusedByKeywords):
        if mode == kind.mode:
            return kind(knowledge, options, scoring, clock)
    if mode == BackgroundStrategy.mode:
        return BackgroundStrategy(knowledge, options, scorer or find_scorer(options.scorer), clock)
    raise SettingsError(f'mode = "{mode}" is unknown')
