"""From addresses to an archive of answers."""

from blickfang.crawl.options import Options
from blickfang.crawl.standing import Standing

__all__ = ["Options", "Standing"]
