"""What a shard is made of, and its part in what all shards have together.

In: settings, and which shard of how many it is. Out: `Setup`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from blickfang.crawl.keeping import Keeper
from blickfang.crawl.options import CrawlOptions
from blickfang.crawl.recorded import RecordedWeb


@dataclass(frozen=True, slots=True)
class Setup:
    """What a shard is made of."""

    number: int
    count: int
    folder: Path
    options: CrawlOptions
    seeds: Sequence[str]
    picture_sizes: tuple[int, int, int, int]
    user_agent: str
    about: dict[str, str]  # for the archive
    web: RecordedWeb | None = None  # replayed instead of asking hosts
    keeper: Keeper | None = None  # saves it elsewhere, for its folder may be lost


def share_out(most: int, number: int, count: int) -> int:
    """Return the part of one shard in what all together may have; none goes without.

    >>> [share_out(3, number, 2) for number in range(2)], share_out(2, 7, 8)
    ([2, 1], 1)
    """
    return max(1, most // count + (number < most % count))
