"""Running an experiment: one crawl after the other, each measured, none twice.

In: a `Plan` and a folder. Out: FOLDER/cells/NAME, a collection for each crawl with its result in
`result.json`. Begun again after a break or a change of the plan, only crawls are run that are
missing or whose settings, archives, truth or pages to learn from have changed.
"""

import hashlib
import json
import os
import shutil
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from blickfang.config import FILE, Collection, open_collection
from blickfang.crawl.experiment.experiment_plan import Cell, ExperimentPlan, ExperimentWeb
from blickfang.crawl.experiment.ground_truth import TopicTruth
from blickfang.crawl.experiment.measure_crawls import Measured, measure
from blickfang.crawl.experiment.oracle import Consulted, consult
from blickfang.crawl.focus.fetch_topic_pages import find_named
from blickfang.crawl.focus.learn import learn
from blickfang.crawl.replay.replay import Sight, find_archives, lay_out, open_web, replay
from blickfang.crawl.run import crawl
from blickfang.errors import BlickfangError, InputError
from blickfang.io.atomic_files import set_aside, write_text

RESULT = "result.json"
VERSION = 3  # of what is measured, and of the ways to crawl: raise it when either changes
USUAL_PAGES = 1000  # of a crawl where nobody knows how many pages are on the topic

Advance = Callable[[int, int, str], None]  # crawls done, of how many, and which one comes


@dataclass(frozen=True, slots=True)
class Result:
    """How one crawl of an experiment went."""

    web: str
    topic: str
    way: str
    draw: int
    measured: Measured
    oracle: Consulted | None  # None: no truth, or a live web
    seconds: float

    @property
    def name(self) -> str:
        """The name of its folder."""
        return "~".join((self.web, self.topic, self.way, str(self.draw)))


class Bench:
    """What all crawls of an experiment share: the truth, and one recorded web at a time."""

    def __init__(self, plan: ExperimentPlan) -> None:
        self.plan = plan
        pages, images = (
            plan.home / name if name else None for name in (plan.truth, plan.truth_images)
        )
        self.truth = TopicTruth(pages, images, plan.min_side)
        self._web: tuple[str, Sight | None] | None = None
        self._oracles: dict[tuple[str, ...], Consulted] = {}

    def open(self, web: ExperimentWeb) -> Sight | None:
        """Return a recorded web, None for the live one."""
        if self._web is None or self._web[0] != web.name:
            paths = find_archives(web.archive, self.plan.home) if web.archive else []
            self._web = None  # the one before is not needed any more
            self._web = web.name, open_web(paths) if paths else None
        return self._web[1]

    def consult(self, cell: Cell, seeds: Sequence[str], budget: int) -> Consulted | None:
        """Return what an oracle reaches from the same seeds."""
        sight = self.open(cell.web)
        if sight is None or not self.truth.count_pages(cell.topic.name):
            return None
        key = (cell.web.name, cell.topic.name, str(budget), *seeds)
        if key not in self._oracles:
            self._oracles[key] = consult(sight, seeds, self.truth, cell.topic.name, budget)
        return self._oracles[key]

    def limit(self, cell: Cell) -> int:
        """Return how many pages a crawl may fetch."""
        return self.plan.pages or 2 * self.truth.count_pages(cell.topic.name) or USUAL_PAGES

    def identify(self, cell: Cell, settings: str) -> str:
        """Return what tells a crawl from all that would come out otherwise."""
        named = [self.plan.truth, self.plan.truth_images]
        paths = [self.plan.home / name for name in named if name]
        paths += find_archives(cell.web.archive, self.plan.home) if cell.web.archive else []
        paths += find_named(self.plan.name_pages(cell), self.plan.home)[0]
        facts = [(path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in paths]
        text = json.dumps([VERSION, settings, self.plan.min_side, facts])
        return hashlib.sha256(text.encode()).hexdigest()


def run_experiment(plan: ExperimentPlan, folder: Path, advance: Advance) -> list[Result]:
    """Run what is missing of an experiment and return the results of all its crawls."""
    bench, cells = Bench(plan), plan.list_cells()
    check_names(plan, cells)
    results = []
    for number, cell in enumerate(cells):
        advance(number, len(cells), cell.name)
        results.append(run_cell(bench, cell, folder / "cells" / cell.name))
    advance(len(cells), len(cells), "")
    return results


def check_names(plan: ExperimentPlan, cells: Sequence[Cell]) -> None:
    """Raise an error if a plan names what is not there or not known, before any crawl."""
    for web in plan.webs:
        find_archives(web.archive, plan.home)
    for cell in cells:
        plan.check(cell)
    named = dict.fromkeys(name for cell in cells for name in plan.name_pages(cell))
    find_named(list(named), plan.home)


def _measure_time() -> float:
    """Return the seconds of processor time so far, also those of shards that have ended."""
    return sum(os.times()[:4])


def run_cell(bench: Bench, cell: Cell, folder: Path) -> Result:
    """Return the result of one crawl, run now or before."""
    settings = bench.plan.write_settings(cell, bench.limit(cell), folder)
    identity = bench.identify(cell, settings)
    kept = _recall(folder, identity)
    if kept is not None:
        return kept
    sight = bench.open(cell.web)
    path = folder / FILE
    is_other = not path.exists() or path.read_text(encoding="utf-8") != settings
    if folder.exists() and sight is not None:  # replays do not go on
        shutil.rmtree(folder)
    elif folder.exists() and is_other:  # what was really crawled is not thrown away
        set_aside(folder)
    write_text(path, settings)
    collection = open_collection(folder)
    begun = _measure_time()
    _crawl(collection, sight)
    spent = _measure_time() - begun
    here = collection.settings.crawl
    oracle = bench.consult(cell, here.seeds, here.max_pages)
    measured = measure(collection, sight, bench.truth, cell.topic.name)
    if sight is not None and not measured.pages:
        hint = "seeds must be among the recorded addresses"
        raise InputError(f"the archive of {cell.web.name} has no page of {here.seeds[0]}; {hint}")
    result = Result(cell.web.name, cell.topic.name, cell.way, cell.draw, measured, oracle, spent)
    write_text(folder / RESULT, json.dumps({"identity": identity, **asdict(result)}) + "\n")
    return result


def _crawl(collection: Collection, sight: Sight | None) -> None:
    """Learn, and crawl or replay."""
    if sight is not None:
        lay_out(collection, sight.web)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # little text is often the point of an experiment
        learn(collection)
    if sight is not None:
        replay(collection, sight, lambda _: True)
        return
    crawled = crawl(collection, lambda _: True)
    if crawled.error:
        raise BlickfangError(f"the crawl in {collection.root} ended with: {crawled.error}")


def _recall(folder: Path, identity: str) -> Result | None:
    """Return a result that was kept, if it is that of the same crawl."""
    try:
        kept: dict[str, Any] = json.loads((folder / RESULT).read_text(encoding="utf-8"))
        if kept.pop("identity") != identity:
            return None
        oracle = kept.pop("oracle")
        measured = Measured(**kept.pop("measured"))
        curve = [(place, share) for place, share in measured.curve]
        return Result(
            **kept,
            measured=replace(measured, curve=curve),
            oracle=Consulted(*oracle) if oracle else None,
        )
    except (OSError, ValueError, TypeError, KeyError):
        return None
