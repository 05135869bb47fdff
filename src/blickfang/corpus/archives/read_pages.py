"""Reading and scoring the pages of archives that exist: ours, Common Crawl's, ClueWeb's.

In: WARC files, wherever they lie, and a collection with a topic. Out: a row a page, with the same
scores as a crawl gives, on all cores, a file a task; nothing else is fetched. Broken records are
failures. Rows may go to a folder, a file an archive; an archive whose file is there is not read
again.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from blickfang.compute import EngineOptions, LostTask, each
from blickfang.compute.engine import LOCAL
from blickfang.compute.worker_progress import Advance, stay_silent
from blickfang.config import open_collection
from blickfang.corpus.archives.archive_sources import Supply, list_places
from blickfang.corpus.archives.row_files import RowFiles, pack_rows
from blickfang.crawl.focus import make_strategy
from blickfang.crawl.focus.judged_values import NEW_HOST
from blickfang.crawl.page_judge import describe_reading, find_watcher, know, make_judge
from blickfang.crawl.shards.worker_bundle import (
    Kit,
    Parcel,
    ReceivedFile,
    open_kit,
    opening,
    packing,
)
from blickfang.crawl.state.crawl_queries import recall_weights
from blickfang.crawl.visit.page_verdict import Judge, Judgement
from blickfang.errors import InputError, UnreachableError
from blickfang.io.storage import (
    Patience,
    Place,
    absolute,
    inspect_all,
    join,
    refuse_reading_only,
    write_bytes,
)
from blickfang.io.urls import canonical
from blickfang.io.urls import host as host_of
from blickfang.io.warc.archive_reader import in_archive
from blickfang.io.warc.record_types import Archived, archived_response
from blickfang.io.warc.walk import ArchivedResponse, iterate_archive
from blickfang.types import Failure

NO_SIZES = (0, 0, 1 << 30, 1 << 30)
ENDED = "reading it ended its process"

Rows = list[dict[str, Any] | Failure]


class ArchiveTask(NamedTuple):
    """An archive to be read."""

    number: int
    place: Place | Parcel | ReceivedFile
    name: str  # as the user gave it
    tries: int = 0  # when its storage is silent, and all others are done


class ArchiveResult(NamedTuple):
    """What came of an errand."""

    errand: ArchiveTask
    rows: Rows
    unseen: bool = False  # the worker does not see the disk that the archive is on
    failed: bool = False  # as a whole: the next run tries it again
    silence: str = ""  # why the storage of the archive did not answer; it may be asked once more


class Wrote(NamedTuple):
    """The rows of one archive, on disk."""

    archive: str
    file: str
    pages: int  # written now
    failures: list[Failure]
    was_there: bool = False  # it was read before, and not now
    cleared: int = 0  # files with rows of what the archive had been


def read_archives(
    root: Path,
    supply: Supply,
    advance: Advance = stay_silent,
    where: EngineOptions | None = None,
) -> Iterator[dict[str, Any] | Failure]:
    """Give the pages of archives with their scores, file by file, in order."""
    collection = open_collection(root)
    places = list_places(supply)
    errands = [ArchiveTask(n, absolute(place), str(place)) for n, place in enumerate(places)]
    with packing(collection, where or collection.settings.engine) as kit:
        late: dict[int, Rows] = {}
        found = _carry(kit, errands, where or collection.settings.engine, in_order=True)
        for done, answer in enumerate(found, 1):
            advance(done, len(places))
            late[answer.errand.number] = answer.rows
            while (number := done - len(late)) in late:
                yield from late.pop(number)


def write_archives(
    root: Path,
    supply: Supply,
    out: Place,
    advance: Advance = stay_silent,
    where: EngineOptions | None = None,
) -> Iterator[Wrote | Failure]:
    """Write the pages of archives with their scores, a file an archive; tell of each."""
    refuse_reading_only(out)
    collection = open_collection(root)
    engine = where or collection.settings.engine
    places = list_places(supply)
    about = describe_reading(collection)
    files, names, missing = RowFiles(out, places, about), dict[int, str](), []
    for number, (place, state) in enumerate(zip(places, inspect_all(places), strict=True)):
        if isinstance(state, Failure):
            yield state
            continue
        name = names[number] = files.name(place, state)
        if files.has(name):
            cleared = files.clear(place, name)
            yield Wrote(str(place), str(join(out, name)), 0, [], was_there=True, cleared=cleared)
        else:
            missing.append(ArchiveTask(number, absolute(place), str(place), tries=1))
    done = len(places) - len(missing)
    advance(done, len(places))
    with packing(collection, engine) as kit:
        for answer in _carry(kit, missing, engine, in_order=False):
            done += 1
            advance(done, len(places))
            number = answer.errand.number
            wrote = _write(answer, places[number], join(out, names[number]))
            if isinstance(wrote, Wrote):
                wrote = wrote._replace(cleared=files.clear(places[number], names[number]))
            yield wrote


def _write(answer: ArchiveResult, place: Place, file: Place) -> Wrote | Failure:
    rows = [row for row in answer.rows if isinstance(row, dict)]
    failures = [row for row in answer.rows if isinstance(row, Failure)]
    if answer.failed or (failures and not rows):
        return failures[0]  # no file: the next run tries it again, and tells it again
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    write_bytes(file, pack_rows(lines.encode("utf-8", "replace"), place))
    return Wrote(answer.errand.name, str(file), len(rows), failures)


def _carry(
    kit: Kit, errands: Sequence[ArchiveTask], where: EngineOptions, *, in_order: bool
) -> Iterator[ArchiveResult]:
    """Have archives read; those that a worker does not see travel there, silent ones come last."""
    workers = 1 if len(errands) == 1 and where.name == LOCAL else 0
    again, patience = [], Patience()
    task = partial(run_errand, kit)
    for found in each(task, errands, workers, where, in_order=in_order, together=1):
        patience.note("" if isinstance(found, LostTask) else found.silence)
        if isinstance(found, LostTask):
            errand = found.thing
            yield ArchiveResult(errand, [Failure(errand.name, "archive", ENDED)], failed=True)
        elif found.unseen and isinstance(found.errand.place, Path):
            again.append(found.errand._replace(place=Parcel(found.errand.place)))
        elif found.silence and found.errand.tries:
            again.append(found.errand._replace(tries=found.errand.tries - 1))
        else:
            yield found
    if again:
        yield from _carry(kit, again, where, in_order=in_order)


def run_errand(kit: Kit, errand: ArchiveTask) -> ArchiveResult:
    """Read one archive, wherever it lies."""
    if isinstance(errand.place, Path) and not kit.sees_file(errand.place):
        return ArchiveResult(errand, [], unseen=True)
    back = errand._replace(place=errand.name)
    try:
        with opening(errand.place) as path:
            return ArchiveResult(back, read_one_archive(str(open_kit(kit)), path, errand.name))
    except (InputError, UnreachableError) as error:
        failure = Failure(errand.name, "archive", str(error))
        silence = str(error) if isinstance(error, UnreachableError) else ""
        return ArchiveResult(errand if silence else back, [failure], failed=True, silence=silence)


def read_one_archive(root: str, path: Path, name: str = "") -> Rows:
    """Read and score the pages of one file."""
    judge = make_offline_judge(root, describe_reading(open_collection(Path(root))))
    name = name or str(path)
    rows: Rows = []
    for found in iterate_archive(path):
        row = found if isinstance(found, Failure) else _judge_page(found, judge, name)
        if isinstance(row, Failure):
            row = replace(row, url=in_archive(row.url, path, name))
        rows.append(row)
    return rows


@lru_cache(maxsize=2)
def make_offline_judge(root: str, _about: str) -> Judge:
    """Return the judge of a collection, with what its crawl, if there was one, has learned."""
    collection = open_collection(Path(root))
    settings = collection.settings
    knowledge = know(collection)
    focus = replace(settings.focus, adapt=False)  # nothing is learned here
    strategy = make_strategy(settings.crawl.mode, knowledge, settings.score, focus)
    weights = recall_weights(collection.crawl_folder)
    if weights is not None:
        strategy.adopt(weights, {})
    return make_judge(strategy, NO_SIZES, knowledge, watcher=find_watcher(collection, knowledge))


def _judge_page(found: ArchivedResponse, judge: Judge, name: str) -> dict[str, Any] | Failure:
    record = found.record
    url = canonical(record.url)
    if url is None:
        return Failure(record.url, "archive", "no address of the web")
    judged = judge(archived_response(record), host_of(url), NEW_HOST)
    if isinstance(judged, Failure):
        return judged
    return _describe(record, judged, url, name, found.number)


def _describe(
    record: Archived, found: Judgement, url: str, name: str, number: int
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
        "warc": name,
        "record": number,
        "offset": record.place.offset if record.place else None,
    }
