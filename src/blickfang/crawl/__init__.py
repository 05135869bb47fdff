"""From addresses to an archive of answers."""

from blickfang.crawl.options import Options

__all__ = ["Options"]
