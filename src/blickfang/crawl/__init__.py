"""From addresses to an archive of answers."""

from blickfang.crawl.crawl_options import CrawlOptions
from blickfang.crawl.fetch.resolver import NO_CONTACT, PRIVATE
from blickfang.crawl.shards.progress import Ending, Standing

__all__ = ["NO_CONTACT", "PRIVATE", "CrawlOptions", "Ending", "Standing"]
