"""The steps of the work, each a function from a collection to something made of it.

The rooms know nothing of each other; here they are wired.
"""

from blickfang.corpus.build import Built, build
from blickfang.corpus.search.prepare_index import prepare_index
from blickfang.crawl.crawl_admin import (
    crawl_again,
    estimate,
    explain_url,
    list_fetched,
    recheck_consent,
    retry_failed,
    show_consent,
    summarise_crawl,
)
from blickfang.crawl.focus.calibrate import apply_calibration, calibrate
from blickfang.crawl.focus.learn import (
    Explanation,
    Learned,
    compare_words,
    explain,
    learn,
    read_argument,
    read_source,
)
from blickfang.crawl.run import Crawled, crawl
from blickfang.dedupe.compare.run_comparison import Comparing
from blickfang.dedupe.dedupe_outputs import check_outputs, write_copies
from blickfang.dedupe.run_dedupe import (
    DuplicateCriteria,
    find_copies,
    summarise_copies,
)
from blickfang.pipeline.archives import read_archives
from blickfang.pipeline.reading import read_pages
from blickfang.pipeline.reporting import report_on
from blickfang.report.write_comparison import compare

__all__ = [
    "Built",
    "Comparing",
    "Crawled",
    "DuplicateCriteria",
    "Explanation",
    "Learned",
    "apply_calibration",
    "build",
    "calibrate",
    "check_outputs",
    "compare",
    "compare_words",
    "crawl",
    "crawl_again",
    "estimate",
    "explain",
    "explain_url",
    "find_copies",
    "learn",
    "list_fetched",
    "prepare_index",
    "read_archives",
    "read_argument",
    "read_pages",
    "read_source",
    "recheck_consent",
    "report_on",
    "retry_failed",
    "show_consent",
    "summarise_copies",
    "summarise_crawl",
    "write_copies",
]
