"""From addresses to an archive of answers."""

from blickfang.crawl.coordinator import Standing
from blickfang.crawl.options import Options

__all__ = ["Options", "Standing"]
