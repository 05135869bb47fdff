"""Reading and scoring the pages of archives that exist: ours, Common Crawl's, ClueWeb's.

In: WARC files and a collection with a topic. Out: a row a page, with the same scores as a crawl
gives, on all cores, a file a task; nothing is fetched. Broken records are failures.
"""

from collections.abc import Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from blickfang.collection import open_collection
from blickfang.crawl.history import recall_weights
from blickfang.crawl.judgement import Judge, Judgement
from blickfang.crawl.warc import Archived, read_archive
from blickfang.crawl.warc.values import archived_response
from blickfang.data import Failure
from blickfang.engine import Lost, each
from blickfang.focus import make_strategy
from blickfang.focus.values import NEW_HOST
from blickfang.focus.weights import unpack_weights
from blickfang.pipeline.judging import find_watcher, know, make_judge
from blickfang.pipeline.learning import Advance, stay_silent
from blickfang.urls import canonical
from blickfang.urls import host as host_of

PAGES = ("response", "conversion", "resource")
HTML = ("text/html", "application/xhtml+xml", "")
NO_SIZES = (0, 0, 1 << 30, 1 << 30)


def read_archives(
    root: Path, paths: Sequence[Path], advance: Advance = stay_silent
) -> Iterator[dict[str, Any] | Failure]:
    """Give the pages of archives with their scores, file by file, in order."""
    workers = 1 if len(paths) == 1 else 0
    found = each(partial(read_one_archive, str(root)), paths, workers)
    for done, result in enumerate(found, 1):
        advance(done, len(paths))
        if isinstance(result, Lost):
            yield Failure(str(result.thing), "archive", "reading it ended its process")
        else:
            yield from result


def read_one_archive(root: str, path: Path) -> list[dict[str, Any] | Failure]:
    """Read and score the pages of one file."""
    judge = make_offline_judge(root)
    return [
        row
        for number, record in enumerate(read_archive(path))
        if (row := _read_record(record, judge, path, number)) is not None
    ]


@cache
def make_offline_judge(root: str) -> Judge:
    """Return the judge of a collection, with what its crawl, if there was one, has learned."""
    collection = open_collection(Path(root))
    settings = collection.settings
    knowledge = know(collection)
    strategy = make_strategy(settings.crawl.mode, knowledge, settings.score, settings.focus)
    weights = recall_weights(collection.crawl_folder)
    if weights is not None:
        strategy.adopt(unpack_weights(weights), {})
    return make_judge(strategy, NO_SIZES, knowledge, watcher=find_watcher(collection, knowledge))


def _read_record(
    record: Archived | Failure, judge: Judge, path: Path, number: int
) -> dict[str, Any] | Failure | None:
    if isinstance(record, Failure):
        return record
    kind = record.headers.get("content-type", "").partition(";")[0].strip().lower()
    if record.kind not in PAGES or record.status != 200 or kind not in HTML:
        return None
    url = canonical(record.url)
    if url is None:
        return Failure(record.url, "archive", "no address of the web")
    found = judge(archived_response(record), host_of(url), NEW_HOST)
    return found if isinstance(found, Failure) else _describe(record, found, url, path, number)


def _describe(
    record: Archived, found: Judgement, url: str, path: Path, number: int
) -> dict[str, Any]:
    judged = found.judged
    return {
        "url": url,
        "status": record.status,
        "fetched_at": record.date,
        "score": judged.score,
        "perplexity": judged.perplexity,
        "keyword_score": judged.keyword_score,
        "relevance": judged.relevance,
        **found.facts,
        "warc": str(path),
        "record": number,
        "offset": record.place.offset if record.place else None,
    }
