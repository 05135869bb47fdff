"""What a sighting is worth, in numbers: the study's rank, and ours.

In: columns of sightings. Out: a number a row. The study: the geometric mean of the scores of the
alt text and of parent level 1 (`rank_parent`); low is good, and without one of the two there is
none. Ours: what the page and the texts are worth against the background, 0 to 1; high is good.
Method: docs/method.md, "Ranking".
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.corpus.mentions.mention import AROUND, TEXTS
from blickfang.crawl.focus.judged_values import Doubles
from blickfang.text.relevance import ScoreOptions

STEP = 500.0  # the distance weight of a level, of the study
ALT, NEAREST = (TEXTS.index(name) for name in ("alt", "parent-0"))
PAGE_SHARE, TEXT_SHARE = 0.5, 0.5
UNSURE = 0.5  # what a text counts if its method is not sure of it at all
VOTE = 0.15  # how far one more host, if it is all on topic, closes the gap to 1
MOST_VOTES = 5


class Ranks(NamedTuple):
    """What sightings are worth."""

    scores: Doubles  # a row a sighting, a column a text: low is good, NaN for no text
    study: Doubles  # low is good, NaN where it has none
    ours: Doubles  # 0..1


def weigh_texts(perplexities: Doubles, keyword_scores: Doubles, options: ScoreOptions) -> Doubles:
    """Return the score of each text, as `score.weigh` has it."""
    scores = perplexities * (1 - options.keyword_factor * keyword_scores)
    return np.where(scores < 0, 1.0, scores)


def rank(
    perplexities: Doubles,
    keyword_scores: Doubles,
    page: Doubles,
    text: Doubles,
    confidence: Doubles,
    options: ScoreOptions,
) -> Ranks:
    """Return what sightings are worth; `page` and `text` are relevances, NaN without a topic."""
    scores = weigh_texts(perplexities, keyword_scores, options)
    study = study_rank(scores, options)
    sure = UNSURE + (1 - UNSURE) * confidence
    ours = np.nan_to_num(PAGE_SHARE * page + TEXT_SHARE * text * sure)
    without_topic = np.isnan(page)
    ours[without_topic] = confidence[without_topic]
    return Ranks(scores, study, ours)


def study_rank(scores: Doubles, options: ScoreOptions) -> Doubles:
    """Return the study's rank by the scores of texts, the last axis; NaN where one has none."""
    study: Doubles = np.sqrt(scores[..., ALT] * scores[..., NEAREST + options.rank_parent])
    return study


def pool_votes(best: float, others: Sequence[float]) -> float:
    """Return what a picture is worth that other hosts show, too: each confirms it as it can.

    >>> [round(pool_votes(0.6, others), 3) for others in ([], [0.5], [0.6] * 99)]
    [0.6, 0.631, 0.823]
    """
    return 1 - (1 - best) * (1 - VOTE) ** min(sum(others), MOST_VOTES)


def distance_weights() -> NDArray[np.float64]:
    """Return the distance weight of each text, NaN for those that have none."""
    levels = [STEP * int(name.rsplit("-", 1)[1]) if "-" in name else np.nan for name in AROUND]
    return np.array([np.nan] * (len(TEXTS) - len(AROUND)) + levels)
