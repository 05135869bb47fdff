"""From archive to corpus: sightings and pictures meet, are filtered, merged, ranked and written.

In: a collection with archives. Out: DIR/corpus, and a funnel that says what became of every image
address. A pure function of archives, topic and settings: the same in, the same bytes out. What was
read from an archive is kept in DIR/build; a killed build goes on there.
"""

import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, fields
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from blickfang.compute import EngineOptions, group
from blickfang.compute.engine import LOCAL
from blickfang.compute.worker_progress import Advance, stay_silent
from blickfang.config import Collection, locking, resolve
from blickfang.corpus import FunnelStep, Origin, write_corpus
from blickfang.corpus.archives.archive_parts import SIGHTINGS, ArchivePart, read_parts
from blickfang.corpus.archives.archive_sources import ALL, Supply, list_archives, tell_apart
from blickfang.corpus.archives.load_pictures import Loader
from blickfang.corpus.archives.row_files import Spool
from blickfang.corpus.corpus_writer import LIST, MANIFEST
from blickfang.corpus.filter_expression import Filter, parse_filter
from blickfang.corpus.mentions.assemble_samples import Extras, SampleSources, assemble
from blickfang.corpus.mentions.captures import (
    PictureCapture,
    gather_pages,
    gather_pictures,
    read_looks,
)
from blickfang.corpus.mentions.filters import Drop, DropRules, Row
from blickfang.corpus.mentions.join_pictures import STEPS, Carry, survey
from blickfang.corpus.mentions.limits import SampleLimits, find_cut, find_misfit
from blickfang.corpus.mentions.loss_reasons import Losses, is_shown_small
from blickfang.corpus.mentions.mention_buckets import MentionRuns
from blickfang.corpus.mentions.merge_pictures import Alike, MergedPictures, merge
from blickfang.corpus.mentions.pages_table import write_pages
from blickfang.corpus.pictures import are_near_equal
from blickfang.corpus.pictures.optional_models import ReadDrawn, make_drawn, make_nudity
from blickfang.corpus.pictures.phash import MAX_OTHER_BITS
from blickfang.corpus.removals import read_lists
from blickfang.corpus.sample_columns import SAMPLES, make_schema
from blickfang.crawl.permission.current_consent import HostConsents, make_consents
from blickfang.errors import InputError, SettingsError
from blickfang.html.parse.tree import Attributes
from blickfang.io.storage import Place, is_remote, refuse_reading_only, upload
from blickfang.text import load_topic
from blickfang.text.language import declared_language
from blickfang.text.topic import has_topic
from blickfang.types import Failure, Picture

HOW = "engine"  # section of settings that changes nothing in a corpus
NAMED = 5  # archives that cannot be used, in a message


class Built(NamedTuple):
    """What a build came to."""

    folder: Path
    samples: int
    funnel: tuple[FunnelStep, ...]
    archives: int
    failures: list[Failure]  # archives and records that could not be read
    has_topic: bool = True  # else ranks are how sure the texts are


def build(
    collection: Collection,
    reading: Advance = stay_silent,
    writing: Advance = stay_silent,
    supply: Supply = ALL,
    where: EngineOptions | None = None,
    out: str = "",
) -> Built:
    """Build the corpus of a collection; told of archives read, then of samples written.

    `out` is where the corpus goes besides, s3:// or the like, with its removal list.
    """
    folder = collection.root / "corpus"
    if out:
        refuse_reading_only(out)
        read_lists(folder)  # a mistake in it is told now, not after hours
    archives = _put_in_order(list_archives(collection, supply))
    tools = make_tools(collection)
    where = where or collection.settings.engine
    with locking(collection):
        parts, failures = read_parts(collection, archives, reading, where=where)
        failures += [Failure(url, "archive", why) for part in parts for url, why in part.failures]
        if not any(part.records > len(part.failures) for part in parts):
            raise InputError(_tell_unread(failures, len(archives)))
        with tempfile.TemporaryDirectory(dir=parts[0].folder.parent) as scratch:
            losses = Losses(collection, archives)
            building = Building(collection, tools, parts, losses, Path(scratch))
            building.survey(where)
            building.write(folder, writing)
        if out:
            _send(folder, out if is_remote(out) else Path(out).absolute().as_uri())
    known = has_topic(collection.topic_folder)
    return Built(folder, building.samples, building.funnel(), len(parts), failures, known)


def _tell_unread(failures: Sequence[Failure], archives: int) -> str:
    """Return what to say where nothing could be read."""
    told = list(dict.fromkeys(f"{failure.url}: {failure.reason}" for failure in failures))
    more = f"; and {len(told) - NAMED:,} more" if len(told) > NAMED else ""
    return f"no record of {archives:,} archive files could be read: {'; '.join(told[:NAMED])}{more}"


def _put_in_order(archives: Sequence[Place]) -> list[Place]:
    """Return archives in an order of their own: a corpus does not depend on who is named first."""
    told = tell_apart(archives)
    return sorted(archives, key=lambda place: (told[place], str(place)))


def _send(folder: Path, place: str) -> None:
    """Bring a corpus elsewhere, its removal list first: nobody finds the one without the other."""
    listed = read_lists(folder)
    upload(folder, place, MANIFEST, {LIST: None if listed is None else listed.encode()})


class Tools(NamedTuple):
    """What the settings ask for, made before anything is read: mistakes are told at once."""

    limits: SampleLimits
    keep: Filter | None
    drawn: ReadDrawn | None
    nudity: Callable[[bytes], float] | None
    consents: HostConsents
    languages: frozenset[str]  # none: all


def make_tools(collection: Collection) -> Tools:
    """Return what the settings of a collection ask for."""
    options = collection.settings.build
    return Tools(
        choose_limits(collection),
        parse_filter(options.where),
        make_drawn(options.ocr),
        make_nudity(options.max_nudity),
        make_consents(collection),
        frozenset(map(check_language, options.languages)),
    )


def check_language(name: str) -> str:
    """Return the code by which pages know a language.

    >>> check_language("DE"), check_language("eng")
    ('de', 'en')
    """
    code = declared_language(name)
    if code is None:
        raise SettingsError(f'languages of [build]: "{name}" is no code of a language, as en or de')
    return code


class Building:
    """One build, from parts to corpus."""

    def __init__(
        self,
        collection: Collection,
        tools: Tools,
        parts: Sequence[ArchivePart],
        losses: Losses,
        scratch: Path,
    ) -> None:
        self.collection, self.settings = collection, collection.settings
        self.tools, self.parts, self.losses, self.scratch = tools, parts, losses, scratch
        self.folders = [part.folder for part in parts]
        self.pages = gather_pages(self.folders, tools.consents)
        runs = (folder / SIGHTINGS for folder in self.folders)
        self.runs = MentionRuns([path for path in runs if path.exists()])
        self.rejected = Spool(scratch / "rejected.arrow")
        self.samples = 0
        self.ids: dict[str, str] = {}  # of every address that is in the corpus, the sample

    def survey(self, where: EngineOptions) -> None:
        """Decide on every address, and merge the pictures that are left."""
        limits, images = self.tools.limits, self.settings.images
        sizes = images.min_width, images.min_height, images.max_width, images.max_height
        fits = partial(find_misfit, limits=limits)
        # To hand a bucket to another process here takes as long as to decide on it.
        carry: Carry = map if where.name == LOCAL else partial(group, where=where)
        self.found = survey(
            self.runs,
            gather_pictures(self.folders),
            self.pages,
            self.tools.consents,
            DropRules(
                fits,
                limits.name("alt_or_title") if limits.alt_or_title else "",
                self.tools.languages,
                partial(is_shown_small, sizes=sizes),
                self.tools.drawn is not None and not limits.alt_or_title,
            ),
            self.settings.score,
            self.rejected.add,
            self.losses,
            carry,
        )
        self.merged = merge(self.found, MAX_OTHER_BITS, self._compare)
        self.drops: Counter[tuple[str, str]] = Counter(self.found.drops)

    def write(self, folder: Path, advance: Advance) -> None:
        """Write the corpus."""
        write_corpus(
            folder,
            self._give_samples(advance),
            origin=self._tell_origin,
            rejected=self.rejected.batches(),
            pages=write_pages(self.folders, self.pages, self.ids, self.tools.languages),
        )

    def _compare(self, shots: list[PictureCapture]) -> Alike:
        """Return who says whether two pictures look the same."""
        looks = dict(
            zip((shot.sha256 for shot in shots), read_looks(self.folders, shots), strict=True)
        )

        def alike(one: PictureCapture, other: PictureCapture) -> bool:
            return are_near_equal(
                _as_picture(one, looks[one.sha256]), _as_picture(other, looks[other.sha256])
            )

        return alike

    def _give_samples(self, advance: Advance) -> Iterator[Any]:
        """Give the samples in order; what is cut goes to the rejected rows."""
        scoring, ranking = self.settings.score, self.settings.build.ranking
        order = order_pictures(self.merged, ranking)
        sources = SampleSources(
            self.found, self.merged, order, self.pages, scoring, ranking, Attributes
        )
        loader = Loader(self.parts)
        looks = partial(read_looks, self.folders)
        extras = Extras(loader.load, looks, self.tools.drawn, loader.prepare)
        schema, keep = make_schema(SAMPLES), self.tools.keep
        done = 0
        for rows in assemble(self.runs, sources, extras, self.scratch):
            done += len(rows)
            batch = pa.RecordBatch.from_pylist(rows, schema)
            passing = keep.mask(batch).to_pylist() if keep else [True] * len(rows)
            staying = [self._judge(*each) for each in zip(rows, passing, strict=True)]
            yield batch.filter(pa.array(staying, pa.bool_()))
            advance(done, len(order))

    def _judge(self, row: Row, passes: bool) -> bool:
        """Whether a sample stays; enter it accordingly."""
        drop = self._find_drop(row, passes)
        self._note(row, drop)
        return drop is None

    def _find_drop(self, row: Row, passes: bool) -> Drop | None:
        """Return why a sample is cut, and by which setting."""
        options, tools = self.settings.build, self.tools
        if row["silent"]:
            return Drop("text", "no text")
        cut = find_cut(row["rank_study"], row["caption"], tools.limits)
        if cut:
            return cut
        if not passes:
            return Drop("rank", f"where = {json.dumps(options.where, ensure_ascii=False)}")
        if options.top and self.samples >= options.top:
            return Drop("rank", f"not among the best (top = {options.top})")
        if tools.nudity:
            seen = tools.nudity(row["image"]["bytes"])
            if seen > options.max_nudity:
                told = f"nudity (max_nudity = {options.max_nudity})"
                return Drop("rank", told, f"{seen:.3f}")
        return None

    def _note(self, row: Row, drop: Drop | None) -> None:
        """Enter a picture and its copies: into the corpus, or among what was dropped."""
        names = ("page_url", "page_title", "caption", "width", "height", "sha256")
        dropped = {name: row[name] for name in names}
        entries = []
        for copy in row["copies"]:
            self.drops["duplicates", "same picture"] += 1
            why = {"step": "duplicates", "reason": "same picture", "detail": row["url"]}
            entries.append({**dropped, **copy, **why})
        if drop:
            self.drops[drop.step, drop.reason] += 1
            entries.append({**dropped, "url": row["url"], **drop._asdict()})
        else:
            self.samples += 1
            self.ids[row["url"]] = row["id"]
            self.ids.update((copy["url"], row["id"]) for copy in row["copies"])
        self.rejected.add(entries)

    def funnel(self) -> tuple[FunnelStep, ...]:
        """Return how many addresses each step left, and why others are not."""
        left = self.found.initial
        steps = [FunnelStep("initial", left)]
        for name in STEPS:
            reasons = sorted(
                ((why, count) for (step, why), count in self.drops.items() if step == name),
                key=lambda pair: (-pair[1], pair[0]),
            )
            left -= sum(count for _, count in reasons)
            steps.append(FunnelStep(name, left, tuple(reasons)))
        return (*steps, FunnelStep("unique", self.samples))

    def _tell_origin(self) -> Origin:
        crawl = self.settings.crawl
        dates = (shot.fetched_at for shot in self.found.shots)
        captures = (page.fetched_at for page in self.pages.captures.values())
        return Origin(
            title=self.collection.root.resolve().name,
            read_up_to=max([*dates, *captures], default=""),
            purpose=crawl.purpose,
            signals=SIGNALS,
            contact=crawl.contact,
            settings={k: v for k, v in resolve(self.settings).items() if k != HOW},
            topic=describe_topic(self.collection.topic_folder),
            funnel=self.funnel(),
            limits=LIMITS,
        )


SIGNALS = (
    *("robots.txt", "X-Robots-Tag", "robots meta elements", "TDMRep", "Content-Usage", "ai.txt"),
    *("Content-Signal", "IPTC/PLUS DataMining"),
)
LIMITS = (
    "Texts are those of web pages: they may be wrong, and they may not be about the picture.",
    "Near-equal pictures are found by a perceptual hash; some are missed.",
    "Ranks are relative to the pages the topic was learned from.",
)


def choose_limits(collection: Collection) -> SampleLimits:
    """Return the limits of a build."""
    options, images = collection.settings.build, collection.settings.images
    known = {**asdict(images), **asdict(options)}
    return SampleLimits(**{field.name: known[field.name] for field in fields(SampleLimits)})


def order_pictures(merged: MergedPictures, ranking: str) -> NDArray[np.int64]:
    """Return the numbers of pictures, best first; equals by their bytes."""
    names = np.array([shot.sha256 for shot in merged.pictures])
    values = np.nan_to_num(merged.study, nan=np.inf) if ranking == "study" else -merged.ours
    order: NDArray[np.int64] = np.lexsort((names, values)).astype(np.int64)
    return order


def _as_picture(shot: PictureCapture, looks: NDArray[np.float32]) -> Picture:
    names = (name for name in Picture.__slots__ if name != "looks")
    return Picture(**{name: getattr(shot, name) for name in names}, looks=looks)


def describe_topic(folder: Path) -> dict[str, Any]:
    """Return what a corpus says of its topic."""
    if not has_topic(folder):
        return {}
    topic = load_topic(folder)
    return {
        "positive_pages": topic.positive_pages,
        "neutral_pages": topic.neutral_pages,
        "sentences": topic.sentences,
        "keywords": [keyword.word for keyword in topic.keywords.found],
    }
