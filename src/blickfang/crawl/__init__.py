"""From addresses to an archive of answers."""

from blickfang.crawl.options import Options
from blickfang.crawl.refusals import PRIVATE
from blickfang.crawl.standing import Ending, Standing

__all__ = ["PRIVATE", "Ending", "Options", "Standing"]
