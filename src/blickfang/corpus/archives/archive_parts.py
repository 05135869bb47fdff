"""Reading archives into parts: what one archive file says of pages, images and pictures.

In: WARC files, wherever they lie, and a collection. Out: a folder for each file under DIR/build,
made once; a file that has grown, another topic or another reader makes it anew. Files are read on
all cores of a machine or a cluster, whose workers need not see the disk of this machine.
"""

import json
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq

from blickfang.compute import EngineOptions, LostTask, each
from blickfang.compute.engine import HERE, LOCAL
from blickfang.compute.worker_progress import Advance, Gauge, gauging, stay_silent
from blickfang.config import Collection, open_collection
from blickfang.corpus.archives.archive_sources import tell_apart
from blickfang.corpus.archives.atomic_folder import DONE, digest, is_whole, name_part
from blickfang.corpus.mentions.capture_tables import (
    DETOURS,
    PAGES,
    PICTURES,
    describe_page,
    describe_picture,
    make_table,
)
from blickfang.corpus.mentions.mention import METHODS, Capture, Sightings, Worth
from blickfang.corpus.mentions.mention_buckets import WRITING, merge_runs, write_run
from blickfang.corpus.pictures import read_picture
from blickfang.crawl.fetch.image_header import read_head
from blickfang.crawl.focus import make_strategy
from blickfang.crawl.page_judge import describe_reading, know
from blickfang.crawl.permission import decide, signals_of_answer
from blickfang.crawl.permission.crawl_manners import read_date
from blickfang.crawl.permission.signals import inherited, of_image
from blickfang.crawl.shards.worker_bundle import (
    Kit,
    Parcel,
    ReceivedFile,
    open_kit,
    opening,
    packing,
)
from blickfang.crawl.state.crawl_queries import recall_weights
from blickfang.crawl.state.state_db import key_of
from blickfang.errors import InputError, UnreachableError
from blickfang.html import read
from blickfang.io.atomic_files import explain_failure, publishing, show_name
from blickfang.io.log import report_bug
from blickfang.io.storage import FileState, Patience, Place, inspect_all, scratch
from blickfang.io.urls import canonical
from blickfang.io.urls import host as host_of
from blickfang.io.warc import Archived
from blickfang.io.warc.archive_reader import in_archive
from blickfang.io.warc.http_exchange import read_type
from blickfang.io.warc.record_types import archived_response
from blickfang.io.warc.walk import ArchivedResponse, find_target, is_page, iterate_archive
from blickfang.text.topic import has_topic
from blickfang.types import Failure, Page, Picture, Response

RUN_ROWS, TABLE_ROWS = 30_000, 2_000  # gathered before they are written
HELD_BYTES = 2**24  # of pictures whose archive gives no access to single records
TOLD_EVERY = 50  # records
PROGRESS = "progress"  # how far the workers are
SCHEMAS = {"pages": PAGES, "pictures": PICTURES, "detours": DETOURS}
VAGUE = ("", "application/octet-stream", "binary/octet-stream")
SIGHTINGS = "sightings.parquet"  # not there where pages name no images


class ArchivePart(NamedTuple):
    """What was read from one archive file."""

    archive: Place
    folder: Path
    failures: list[list[str]]  # address and reason
    records: int


class Job(NamedTuple):
    """An archive to be read, and where to."""

    place: Place | Parcel | ReceivedFile
    told: str  # what rows call it
    folder: str  # its name
    gauge: Gauge
    size: int


class Read(NamedTuple):
    """What came of a job: files that were not written already, or why there are none."""

    job: Job
    files: tuple[tuple[str, bytes], ...] = ()
    failure: str = ""
    unseen: bool = False  # the worker does not see the disk that the archive is on
    silence: str = ""  # why the storage of the archive does not answer


def read_parts(
    collection: Collection,
    archives: Sequence[Place],
    advance: Advance = stay_silent,
    workers: int = 0,
    where: EngineOptions = HERE,
) -> tuple[list[ArchivePart], list[Failure]]:
    """Return the parts of all archives, in their order; those that are missing are made."""
    folder = collection.root / "build"
    about = describe_reading(collection)
    states = dict(zip(archives, inspect_all(archives), strict=True))
    failures = [state for state in states.values() if isinstance(state, Failure)]
    known = {path: state for path, state in states.items() if isinstance(state, FileState)}
    told = tell_apart(archives)
    places = {
        path: folder / name_part(path, told[path], state, about) for path, state in known.items()
    }
    missing = [path for path, place in places.items() if not is_whole(place)]
    sizes = [known[path].size for path in missing]
    before = sum(state.size for state in known.values()) - sum(sizes)
    jobs = [
        Job(path, told[path], places[path].name, Gauge(folder.resolve() / PROGRESS, n), size)
        for n, (path, size) in enumerate(zip(missing, sizes, strict=True))
    ]
    try:
        folder.mkdir(exist_ok=True)
        with gauging(folder / PROGRESS, sizes, before, advance), packing(collection, where) as kit:
            failures += _read_missing(kit, jobs, workers, where)
    except OSError as error:
        raise explain_failure(error, f"cannot write {folder}") from error
    keep = {place.name for place in places.values()}
    silent = len(known) < len(states)  # whose storage does not answer: their parts are unknown
    for old in folder.iterdir():
        if old.name not in keep and not silent:
            shutil.rmtree(old, ignore_errors=True)
    made = set(missing)
    whole = [path for path, place in places.items() if path not in made or is_whole(place)]
    return [_open_part(path, places[path]) for path in whole], failures


def _read_missing(
    kit: Kit, jobs: Sequence[Job], workers: int, where: EngineOptions, *, last: bool = False
) -> list[Failure]:
    """Read archives, each on a core; return those that could not be.

    Storages that are silent are asked once more when all else is done; the `last` time that is an
    error: a corpus shall not lack what somebody's network kept back.
    """
    workers = 1 if len(jobs) == 1 and where.name == LOCAL else workers  # 0: one a core
    failures, again, silent, patience = [], [], [], Patience()
    # As they come: a part is kept as soon as it is there, whatever happens to the others.
    for found in each(partial(read_part, kit), jobs, workers, where, in_order=False, together=1):
        patience.note("" if isinstance(found, LostTask) else found.silence)
        if isinstance(found, LostTask):
            lost = str(found.thing.place)
            failures.append(Failure(lost, "archive", "reading it ended its process"))
        elif found.unseen and isinstance(found.job.place, Path):
            again.append(found.job._replace(place=Parcel(found.job.place)))
        elif found.silence:
            silent.append(found)
        elif found.failure:
            failures.append(Failure(str(found.job.place), "archive", found.failure))
        elif found.files:
            _keep(kit, found)
    if silent and last:
        raise UnreachableError(silent[0].silence)
    again += [found.job for found in silent]
    more = _read_missing(kit, again, workers, where, last=bool(silent)) if again else []
    return failures + more


def _keep(kit: Kit, found: Read) -> None:
    """Write a part that was made where our disk is not seen."""
    folder = Path(kit.root) / "build" / found.job.folder
    with publishing(folder, is_whole) as part:
        part.mkdir()
        for name, data in found.files:
            (part / name).write_bytes(data)
    found.job.gauge.show(found.job.size)


def _open_part(archive: Place, folder: Path) -> ArchivePart:
    entry = json.loads((folder / DONE).read_text(encoding="utf-8"))
    return ArchivePart(archive, folder, entry["failures"], entry["records"])


def read_part(kit: Kit, job: Job) -> Read:
    """Read one archive file into its folder, or into files that are sent back."""
    sees = kit.sees()
    if isinstance(job.place, Path) and not kit.sees_file(job.place):
        return Read(job, unseen=True)
    root = open_kit(kit)
    left = job if isinstance(job.place, Path | str) else job._replace(place=Path(job.place[0]))
    gauge = job.gauge if sees else None
    try:
        with opening(job.place) as path:
            if not sees:
                with scratch() as folder:
                    _fill(path, job.told, folder, root, gauge)
                    files = sorted(folder.iterdir())
                    return Read(left, tuple((file.name, file.read_bytes()) for file in files))
            target = root / "build" / job.folder
            with publishing(target, is_whole) as part:
                part.mkdir(parents=True)
                _fill(path, job.told, part, root, gauge)
    except InputError as error:  # of this archive; the others go on
        return Read(left, failure=str(error))
    except UnreachableError as error:
        return Read(left, silence=str(error))
    return Read(left)


def _fill(path: Path, told: str, folder: Path, root: Path, gauge: Gauge | None) -> None:
    """Read one archive file into an empty folder, and say how far it is.

    An `InputError` is the archive's; an `OSError` that of the disk we write to.
    """
    collection = open_collection(root)
    worth = make_worth(str(root), describe_reading(collection))
    reader = PartReader(folder, worth, collection.settings.crawl.purpose)
    try:
        for found in iterate_archive(path, lambda _: True, fill=is_known_page):
            reader.take(found, told)
            reader.flush()
            if gauge and reader.records % TOLD_EVERY == 0:
                gauge.show(reader.position)
        reader.close()
    except BaseException:
        reader.abandon()
        raise
    entry = {
        "archive": told,
        "records": reader.records,
        "failures": [[in_archive(url, path, told), why] for url, why in reader.failures],
        "files": {file.name: digest(file) for file in sorted(folder.iterdir())},
    }
    (folder / DONE).write_text(show_name(json.dumps(entry, ensure_ascii=False)), encoding="utf-8")
    if gauge:
        gauge.show(path.stat().st_size)


@lru_cache(maxsize=2)
def make_worth(root: str, _about: str) -> Worth:
    """Return what pages are judged by: the topic, and what its crawl learned of the background."""
    collection = open_collection(Path(root))
    if not has_topic(collection.topic_folder):
        return Worth(None, None)
    knowledge, settings = know(collection), collection.settings
    strategy = make_strategy("focused+images", knowledge, settings.score, settings.focus)
    weights = recall_weights(collection.crawl_folder)
    if weights is not None:
        strategy.adopt(weights, {})
    return Worth(knowledge.topic, strategy)


def is_known_page(record: Archived) -> bool:
    """Whether a record is of a page, and says so in a head of its own.

    A page is read under every address. Of a picture one record is enough, to which other addresses
    lead: so do revisits without a head.
    """
    return bool(record.headers) and is_page(record)


class PartReader:
    """Reads the records of one archive, and gathers what it finds."""

    def __init__(self, folder: Path, worth: Worth, purpose: str) -> None:
        self.folder, self.worth, self.purpose = folder, worth, purpose
        self.sightings = Sightings(self.worth)
        self.runs: list[Path] = []
        self.rows: dict[str, list[dict[str, Any]]] = {name: [] for name in SCHEMAS}
        self.writers = {
            name: pq.ParquetWriter(folder / f"{name}.parquet", schema, **WRITING)
            for name, schema in SCHEMAS.items()
        }
        self.failures: list[list[str]] = []
        self.records = 0
        self.position = 0  # in the archive, where it tells; else of what was unpacked
        self.held = 0  # bytes of pictures in `rows`

    def take(self, found: ArchivedResponse | Failure, file: str) -> None:
        """Take one record for what it is."""
        self.records += 1
        if isinstance(found, Failure):
            self.failures.append([found.url, found.reason])
            return
        record, place = found.record, found.record.place
        self.position = place.offset if place else self.position + len(record.body)
        url = canonical(record.url)
        if url is None:
            return
        target = find_target(url, record.status, record.headers)
        if record.kind == "revisit" and record.original is not None and not target:
            target = canonical(record.original.url)
        if target and target != url:
            self._note_detour(url, target, record.date)
        has_body = record.kind != "revisit" or is_known_page(record)
        if record.status == 200 and has_body:
            try:
                self._take_answer(url, found, file)
            except Exception as error:  # one page or picture must not end a build
                self.failures.append([url, f"not readable: {report_bug(error, url)}"])

    def _note_detour(self, url: str, target: str, date: str) -> None:
        self.rows["detours"].append({"url": url, "target": target, "fetched_at": date})

    def _take_answer(self, url: str, found: ArchivedResponse, file: str) -> None:
        record, kind = found.record, read_type(found.record.headers)
        is_picture = kind.startswith("image/")
        if not is_picture and kind in VAGUE:
            is_picture = read_head(record.body) is not None
        if is_picture:
            self._take_picture(url, record, file)
        elif is_page(record):
            self._take_page(url, found, file)

    def _take_page(self, url: str, found: ArchivedResponse, file: str) -> None:
        record, response = found.record, replace(archived_response(found.record), url=url)
        page = read(response, METHODS)
        if isinstance(page, Failure):
            self.failures.append([url, page.reason])
            return
        offset = record.place.offset if record.place else None
        offset = found.offset if found.offset >= 0 else offset  # where its bytes are
        key = key_of(f"{url}\n{record.date}\n{file}\n{offset}") % 2**64
        capture = Capture(key, record.date, file, offset)
        relevance = self.sightings.add(page, host_of(url), capture)
        for image in page.images:  # a smaller form stands for one that could not be had
            if image.others:
                for here, there in pairwise((image.url or "", *image.others)):
                    self._note_detour(here, there, "")
        self.rows["pages"].append(
            describe_page(
                page,
                capture,
                relevance,
                self._ask_page(response, page),
                rendered=record.kind == "conversion",
            )
        )

    def _ask_page(self, response: Response, page: Page) -> tuple[str, str]:
        """Return why a page may not be kept, and why not its images, by what it says of itself."""
        now = read_date(response.fetched_at) or 0.0
        images = [image.url for image in page.images if image.url]
        signals = signals_of_answer(response.headers, page.metas, now, page.terms, images)
        if not signals:
            return "", ""
        own = decide(signals, self.purpose, "page")
        theirs = decide(inherited(signals), self.purpose, "image")
        return (
            "" if own.may_keep else ", ".join(own.reasons),
            "" if theirs.may_keep else ", ".join(theirs.reasons),
        )

    def _take_picture(self, url: str, record: Archived, file: str) -> None:
        picture = read_picture(url, record.body)
        place = {
            "fetched_at": record.date,
            "file": file,
            "offset": record.place.offset if record.place else None,
            "length": record.place.length if record.place else None,
            "data": None if record.place else record.body,
        }
        if not isinstance(picture, Picture):
            self.rows["pictures"].append(
                {"url": url, **place, "data": None, "failure": picture.reason}
            )
            return
        now = read_date(record.date) or 0.0
        signals = [*signals_of_answer(record.headers, {}, now), *of_image(record.body)]
        decision = decide(signals, self.purpose, "image")
        refusal = "" if decision.may_keep else ", ".join(decision.reasons)
        self.rows["pictures"].append(describe_picture(picture, place, refusal))
        self.held += 0 if record.place else len(record.body)

    def flush(self, *, everything: bool = False) -> None:
        """Write what was gathered, so that memory does not grow with the archive."""
        if len(self.sightings) and (everything or len(self.sightings) >= RUN_ROWS):
            path = self.folder / f"run-{len(self.runs):05d}.parquet"
            write_run(self.sightings.table(), path)
            self.runs.append(path)
            self.sightings = Sightings(self.worth)
        for name, rows in self.rows.items():
            heavy = name == "pictures" and self.held >= HELD_BYTES
            if everything or heavy or len(rows) >= TABLE_ROWS:
                self.writers[name].write_table(make_table(rows, SCHEMAS[name]))
                rows.clear()
                self.held = 0 if name == "pictures" else self.held

    def close(self) -> None:
        """Write the rest."""
        self.flush(everything=True)
        if self.runs:
            merge_runs(self.runs, self.folder / SIGHTINGS)
        for writer in self.writers.values():
            writer.close()

    def abandon(self) -> None:
        """Close what is open after a failure: the ends of files may not be writable either."""
        for writer in self.writers.values():
            with suppress(Exception):
                writer.close()
