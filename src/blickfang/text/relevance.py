"""From perplexity and keywords to one number: how promising is a text, a page, a link? Low is good.

In: perplexities and keyword scores of a topic. Out: weighted scores and the bucket of the frontier
they belong to. Method: docs/method.md, "Scores".
"""

from dataclasses import dataclass
from typing import Annotated

from blickfang.errors import SettingsError

PARENTS = 5  # levels that are kept; SPEC 1.5


@dataclass(frozen=True, slots=True)
class ScoreOptions:
    """How scores are weighed; the defaults are the study's, for a topic of 20,000 sentences."""

    keyword_factor: Annotated[float, "how strongly keywords lower a score"] = 3.0
    page_share: Annotated[float, "share of the page's perplexity in a link's score"] = 0.7
    link_share: Annotated[float, "share of the link text's perplexity"] = 0.3
    link_threshold: Annotated[float, "link texts more perplexing than this do not count"] = 3000.0
    buckets: Annotated[tuple[float, ...], "scores that separate the frontier's buckets"] = (
        600.0,
        2000.0,
        10000.0,
    )
    razor: Annotated[float, "links that score worse are not followed"] = 30000.0
    rank_parent: Annotated[
        int, "level of the parent in rank_study: 1 as the study's log has it, 0 as its text says"
    ] = 1

    def __post_init__(self) -> None:
        numbers = (self.keyword_factor, self.page_share, self.link_share, self.razor)
        if min(*numbers, self.link_threshold, *self.buckets, 0.0) < 0:
            raise SettingsError("no number in [score] may be negative")
        if not 0 <= self.rank_parent < PARENTS:
            raise SettingsError(f"rank_parent in [score] must be 0 to {PARENTS - 1}")
        if list(self.buckets) != sorted(set(self.buckets)):
            raise SettingsError("buckets must rise, as in [600.0, 2000.0, 10000.0]")


def weigh(perplexity: float, keyword_score: float, options: ScoreOptions) -> float:
    """Return the score of a text; 1, the best, where keywords would take it below 0.

    >>> weigh(830.8076364534564, 0.01032622190107631, ScoreOptions())
    805.070324420075
    """
    score = perplexity * (1 - options.keyword_factor * keyword_score)
    return score if score >= 0 else 1.0


def weigh_link(
    page: float, link_text: float | None, keyword_score: float, options: ScoreOptions
) -> float:
    """Return the score of a link from its page's and its own perplexity.

    Without text, or with text that tells less than the page does, the page's perplexity stands.
    """
    if link_text is not None and link_text <= min(options.link_threshold, page):
        mixed = options.page_share * page + options.link_share * link_text
        return weigh(mixed, keyword_score, options)
    return weigh(page, keyword_score, options)


def dilute(keyword_score: float, words: int) -> float:
    """Return the keyword score of a link, whose few words must not count like a page's.

    >>> dilute(0.05591444565843261, 3)
    0.01863814855281087
    """
    return keyword_score / words if words else 0.0
