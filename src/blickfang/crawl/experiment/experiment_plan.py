"""The plan of an experiment: FILE.toml → webs × topics × ways × draws, every mistake named.

In: a file as docs/commands.md, "experiment", shows it. Out: `Plan`, and its `Cell`s: what each
crawl is learned from, begins with and differs in. Draws are samples of the pages a topic names,
the same for everybody who runs the file. Paths are relative to the folder of the file.
"""

import glob
import json
import os
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from blickfang.config import read_tables, show_toml
from blickfang.crawl.crawl_options import MODES
from blickfang.errors import SettingsError
from blickfang.io.text_files import read_toml

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,60}")
MOST_DRAWS = 1000
UNLEARNED = "unfocused"  # needs no draws: it does not look at what was learned
LEARNED_FROM = ("positive", "neutral")  # keys of [topic] that name pages
Tables = dict[str, dict[str, Any]]


class TopicDraw(NamedTuple):
    """What a topic is learned from in one draw."""

    positive: list[str]
    neutral: list[str]


@dataclass(frozen=True, slots=True)
class ExperimentTopic:
    """A topic of an experiment."""

    name: str
    draws: list[TopicDraw]
    seeds: list[str]


@dataclass(frozen=True, slots=True)
class ExperimentWeb:
    """Where an experiment crawls: archives, or the live web if there are none."""

    name: str
    archive: list[str]
    seeds: list[str]
    settings: Tables


class Cell(NamedTuple):
    """One crawl of an experiment."""

    web: ExperimentWeb
    topic: ExperimentTopic
    way: str
    draw: int

    @property
    def name(self) -> str:
        """Its name, fit for a folder."""
        return "~".join((self.web.name, self.topic.name, self.way, str(self.draw)))


@dataclass(frozen=True, slots=True)
class ExperimentPlan:
    """An experiment."""

    home: Path  # what paths in the file are relative to
    webs: list[ExperimentWeb]
    topics: list[ExperimentTopic]
    ways: dict[str, Tables]  # modes and variants: what settings each one changes
    pages: int = 0  # of each crawl; 0: twice as many as are on the topic
    truth: str = ""
    truth_images: str = ""
    min_side: int = 0
    settings: Tables = field(default_factory=dict)

    def list_cells(self) -> list[Cell]:
        """Return all crawls, those of one web together."""
        return [
            Cell(web, topic, way, draw)
            for web, topic, way in product(self.webs, self.topics, self.ways)
            for draw in range(1 if self._is_unlearned(way) else len(topic.draws))
        ]

    def _is_unlearned(self, way: str) -> bool:
        return self.ways[way].get("crawl", {}).get("mode") == UNLEARNED

    def name_pages(self, cell: Cell) -> list[str]:
        """Return the pages one crawl is learned from, as the file names them."""
        topic = self._settle(cell, 0)["topic"]
        return [name for kind in LEARNED_FROM for name in _texts(topic, kind)]

    def check(self, cell: Cell) -> None:
        """Raise an error if one crawl has settings that nobody knows."""
        try:
            read_tables(self._settle(cell, 0))
        except SettingsError as error:
            raise SettingsError(f"{cell.way} on {cell.web.name}: {error}") from error

    def write_settings(self, cell: Cell, max_pages: int, folder: Path) -> str:
        """Return the settings file of one crawl, which is in a folder."""
        tables = self._settle(cell, max_pages)
        for kind in LEARNED_FROM:
            names = _texts(tables["topic"], kind)
            tables["topic"][kind] = [name_from(folder, name, self.home) for name in names]
        lines = []
        for section, table in tables.items():
            lines += [f"[{section}]", *(f"{key} = {show_toml(v)}" for key, v in table.items()), ""]
        return "\n".join(lines)

    def _settle(self, cell: Cell, max_pages: int) -> Tables:
        """Return the settings of one crawl, with paths as they are in the plan."""
        drawn = cell.topic.draws[cell.draw]
        seeds = cell.topic.seeds or cell.web.seeds
        if not seeds:
            raise SettingsError(f"neither {cell.web.name} nor {cell.topic.name} names seeds")
        own: Tables = {
            "topic": {"positive": drawn.positive, "neutral": drawn.neutral},
            "crawl": {"seeds": seeds, "max_pages": max_pages},
        }
        return merge([self.settings, own, cell.web.settings, self.ways[cell.way]])


def name_from(folder: Path, name: str, home: Path) -> str:
    """Return a file, folder or pattern that `home` calls by a name as another folder calls it.

    It stays relative, so that an experiment can be moved together with its pages.
    """
    if "://" in name or Path(os.path.expanduser(name)).is_absolute():  # noqa: PTH111 -- never raises
        return name
    way = os.path.relpath(home.resolve(), folder.resolve())
    is_pattern = not os.path.exists(home / name)  # noqa: PTH110 -- never raises
    return str(Path(glob.escape(way) if is_pattern else way, name))  # of `way` nothing is a pattern


def merge(many: Sequence[Mapping[str, Mapping[str, Any]]]) -> Tables:
    """Return settings put together; what comes later wins."""
    found: Tables = {}
    for tables in many:
        for section, table in tables.items():
            if not isinstance(table, Mapping):
                raise SettingsError(f"{section} stands in no section of the settings")
            found.setdefault(section, {}).update(table)
    return found


def load_plan(path: Path) -> ExperimentPlan:
    """Read the plan of an experiment."""
    tables = read_toml(path, "`blickfang experiment --help` shows how to write one")
    try:
        return read_plan(tables, path.parent)
    except SettingsError as error:
        raise SettingsError(f"{path}: {error}") from error


def read_plan(tables: Mapping[str, Any], home: Path) -> ExperimentPlan:
    """Return the plan that the tables of a file make."""
    _check_keys(tables, "the file", ("experiment", "settings", "webs", "topics", "variants"))
    given = _table(tables, "experiment")
    known = ("modes", "draws", "seed", "pages", "truth", "truth_images", "min_side")
    _check_keys(given, "[experiment]", known)
    draws, seed = _number(given, "draws", 1, MOST_DRAWS), _number(given, "seed", 1)
    if draws < 1:
        raise SettingsError("draws must be at least 1")
    webs = [_read_web(name, table) for name, table in _named(tables, "webs")]
    topics = [_read_topic(name, table, draws, seed) for name, table in _named(tables, "topics")]
    if not topics:
        raise SettingsError("[topics.NAME] is missing: name at least one topic")
    return ExperimentPlan(
        home=home,
        webs=webs or [ExperimentWeb("live", [], [], {})],
        topics=topics,
        ways=_read_ways(given, _named(tables, "variants")),
        pages=_number(given, "pages", 0),
        truth=_text(given, "truth"),
        truth_images=_text(given, "truth_images"),
        min_side=_number(given, "min_side", 0),
        settings=dict(_table(tables, "settings")),
    )


def _read_ways(given: Mapping[str, Any], variants: list[tuple[str, dict[str, Any]]]) -> Any:
    modes = given.get("modes", [] if variants else list(MODES))
    if not isinstance(modes, list) or any(mode not in MODES for mode in modes):
        raise SettingsError(f"modes must be a list of {', '.join(MODES)}")
    ways: dict[str, Tables] = {mode: {"crawl": {"mode": mode}} for mode in modes}
    for name, table in variants:
        if name in ways:
            raise SettingsError(f"[variants.{name}] has the name of a mode")
        ways[name] = table
    if not ways:
        raise SettingsError("modes is empty, and there is no [variants.NAME]: nothing to compare")
    return ways


def _read_web(name: str, table: dict[str, Any]) -> ExperimentWeb:
    _check_keys(table, f"[webs.{name}]", ("archive", "seeds", "settings"))
    return ExperimentWeb(
        name, _texts(table, "archive"), _texts(table, "seeds"), _table(table, "settings")
    )


def _read_topic(name: str, table: dict[str, Any], draws: int, seed: int) -> ExperimentTopic:
    known = ("positive", "neutral", "take", "take_neutral", "seeds", "draws")
    _check_keys(table, f"[topics.{name}]", known)
    written = table.get("draws", [])
    if written:
        if not isinstance(written, list) or not all(isinstance(one, dict) for one in written):
            raise SettingsError(f"write each draw of {name} as [[topics.{name}.draws]]")
        made = [TopicDraw(_texts(one, "positive"), _texts(one, "neutral")) for one in written]
        return ExperimentTopic(name, made[:draws] if draws > 1 else made, _texts(table, "seeds"))
    pools = _texts(table, "positive"), _texts(table, "neutral")
    if not pools[0]:
        raise SettingsError(f"[topics.{name}] names no positive pages")
    takes = _number(table, "take", 0), _number(table, "take_neutral", 0)
    made = []
    for number in range(draws):
        chance = random.Random(json.dumps([name, seed, number]))  # noqa: S311 -- repeatable
        pairs = zip(pools, takes, strict=True)
        made.append(TopicDraw(*(_sample(chance, pool, take) for pool, take in pairs)))
    return ExperimentTopic(name, made, _texts(table, "seeds"))


def _sample(chance: random.Random, pool: list[str], take: int) -> list[str]:
    return sorted(chance.sample(pool, take)) if 0 < take < len(pool) else pool


def _check_keys(table: Mapping[str, Any], where: str, known: Sequence[str]) -> None:
    for key in table:
        if key not in known:
            raise SettingsError(f"{key} in {where} is unknown; there are {', '.join(known)}")


def _named(tables: Mapping[str, Any], name: str) -> list[tuple[str, dict[str, Any]]]:
    found = _table(tables, name)
    for key, table in found.items():
        if not NAME.fullmatch(key):
            raise SettingsError(f'"{key}" in [{name}] is no name: letters, digits, "-", "+", "."')
        if not isinstance(table, dict):
            raise SettingsError(f"write {key} in [{name}] as [{name}.{key}]")
    return list(found.items())


def _table(tables: Mapping[str, Any], name: str) -> dict[str, Any]:
    found = tables.get(name, {})
    if not isinstance(found, dict):
        raise SettingsError(f"write {name} as [{name}]")
    return found


def _texts(table: Mapping[str, Any], name: str) -> list[str]:
    found = table.get(name, [])
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise SettingsError(f'{name} must be a list of texts, as ["…"]')
    return found


def _text(table: Mapping[str, Any], name: str) -> str:
    found = table.get(name, "")
    if not isinstance(found, str):
        raise SettingsError(f"{name} must be a text")
    return found


def _number(table: Mapping[str, Any], name: str, default: int, most: int = 10**9) -> int:
    found = table.get(name, default)
    if type(found) is not int or not 0 <= found <= most:
        raise SettingsError(f"{name} must be a whole number from 0 to {most}")
    return found
