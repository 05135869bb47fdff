"""From addresses to an archive of answers."""

from blickfang.crawl.options import CrawlOptions
from blickfang.crawl.refusals import NO_CONTACT, PRIVATE
from blickfang.crawl.standing import Ending, Standing

__all__ = ["NO_CONTACT", "PRIVATE", "CrawlOptions", "Ending", "Standing"]
