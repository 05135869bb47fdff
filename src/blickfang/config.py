"""blickfang.toml: read into the rooms' Options, every mistake named; and written for a beginner.

In: a settings file. Out: `Settings`. Sections, keys, types, defaults and their explanations all
come from the Options that stand beside the code they steer.
"""

import difflib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from shlex import quote
from typing import Any, get_args, get_origin, get_type_hints

from blickfang.crawl import Options as CrawlOptions
from blickfang.engine import Options as EngineOptions
from blickfang.errors import SettingsError
from blickfang.focus.options import Options as FocusOptions
from blickfang.page.images import Options as ImageOptions
from blickfang.samples import Options as BuildOptions
from blickfang.score import Options as ScoreOptions
from blickfang.search.options import Options as SearchOptions
from blickfang.textfiles import read_toml
from blickfang.topic.topic import Options as TopicOptions

FILE = "blickfang.toml"
PASSWORD = re.compile(r"(?<=://)[^/?#\s@]*@")  # and the name before it
LARGEST = 2**63  # what is larger, no database holds
EXAMPLES = {
    "positive": ["pages/*.html"],
    "neutral": ["neutral/*.html"],
    "seeds": ["https://example.org/"],
    "contact": "mailto:you@example.org",
}


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of a collection, a section a room."""

    topic: TopicOptions = field(default_factory=TopicOptions)
    score: ScoreOptions = field(default_factory=ScoreOptions)
    crawl: CrawlOptions = field(default_factory=CrawlOptions)
    focus: FocusOptions = field(default_factory=FocusOptions)
    images: ImageOptions = field(default_factory=ImageOptions)
    build: BuildOptions = field(default_factory=BuildOptions)
    search: SearchOptions = field(default_factory=SearchOptions)
    engine: EngineOptions = field(default_factory=EngineOptions)


@dataclass(frozen=True, slots=True)
class Key:
    """A setting as a user meets it."""

    section: str
    name: str
    kind: Any
    default: Any
    meaning: str


def list_keys() -> list[Key]:
    """Return every setting there is."""
    found = []
    for section in fields(Settings):
        hints = get_type_hints(section.type, include_extras=True)
        for option in fields(section.type):  # type: ignore[arg-type]
            kind, meaning = get_args(hints[option.name])
            found.append(Key(section.name, option.name, kind, option.default, meaning))
    return found


def load_settings(path: Path) -> Settings:
    """Return the settings of a file; a key that nobody knows is an error."""
    tables = read_toml(path, f"`blickfang new {quote(str(path.parent))}` makes one")
    try:
        return read_tables(tables)
    except SettingsError as error:
        raise SettingsError(f"{path}: {error}") from error


def read_tables(tables: dict[str, Any]) -> Settings:
    """Return the settings that the tables of a file make."""
    rooms = {section.name: section.type for section in fields(Settings)}
    chosen = {}
    for section, table in tables.items():
        if not isinstance(table, dict):
            hint = "; write it as [" + section + "]" if section in rooms else _home(section)
            raise SettingsError(f"{section} stands in no section{hint}")
        if section not in rooms:
            raise SettingsError(f"[{section}] is no section{_nearest(section, rooms)}")
        keys = {key.name: key for key in list_keys() if key.section == section}
        for name in table:
            if name not in keys:
                is_close = difflib.get_close_matches(name, list(keys), n=1, cutoff=CLOSE)
                hint = (not is_close and _home(name)) or _nearest(name, keys)
                raise SettingsError(f"{name} in [{section}] is no setting{hint}")
        values = {name: _check(keys[name], value) for name, value in table.items()}
        chosen[section] = rooms[section](**values)  # type: ignore[operator]
    return Settings(**chosen)


CLOSE = 0.85  # so like a key of the same section that no other section can be meant


def _home(name: str) -> str:
    """Return a hint to the section that a key belongs to."""
    sections = [key.section for key in list_keys() if key.name == name]
    return f"; it belongs into [{sections[0]}]" if sections else ""


def _nearest(name: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.5)
    return f"; did you mean {close[0]}?" if close else f"; there are {', '.join(known)}"


def _check(key: Key, value: Any) -> Any:
    """Return a value in the type of its key, or say what it should be."""
    if get_origin(key.kind) is tuple:
        item = get_args(key.kind)[0]
        if isinstance(value, list) and all(_fits(entry, item) for entry in value):
            return tuple(item(entry) for entry in value)
        example = EXAMPLES.get(key.name, key.default)
        raise SettingsError(f"{key.name} must be a list of {NAMES[item]}s, as {show_toml(example)}")
    if not _fits(value, key.kind):
        raise SettingsError(f"{key.name} must be a {NAMES[key.kind]}, as {show_toml(key.default)}")
    return key.kind(value)


NAMES = {str: "text", int: "whole number", float: "number", bool: "truth value"}


def _fits(value: Any, kind: type) -> bool:
    if kind is float:
        return type(value) in (int, float) and abs(value) < LARGEST
    if kind is int:
        return type(value) is int and abs(value) < LARGEST
    return type(value) is kind


def show_toml(value: Any) -> str:
    """Return a value as it is written in a settings file."""
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)


def write_example() -> str:
    """Return a commented settings file: what a beginner fills in, and every other default."""
    lines = ["# Settings of a Blickfang collection. Paths are relative to this file.", ""]
    section = ""
    for key in list_keys():
        if key.section != section:
            section = key.section
            lines += ["", f"[{section}]"]
        lines.append(f"# {key.meaning}")
        if key.name in EXAMPLES:
            lines.append(f"{key.name} = {show_toml(EXAMPLES[key.name])}")
        else:
            lines.append(f"# {key.name} = {show_toml(key.default)}")
    return "\n".join(lines) + "\n"


def resolve(settings: Settings) -> dict[str, Any]:
    """Return all settings as plain values, to be stored with every result.

    Results are published: names and passwords in addresses, as of a proxy, are left out.
    """
    return {
        section: {key: _hide_password(value) for key, value in values.items()}
        for section, values in asdict(settings).items()
    }


def _hide_password(value: Any) -> Any:
    if isinstance(value, str):
        return PASSWORD.sub("", value)
    return type(value)(map(_hide_password, value)) if isinstance(value, list | tuple) else value


def write_settings(settings: Settings) -> str:
    """Return a settings file that says all of some settings."""
    lines = []
    for section, values in asdict(settings).items():
        lines += [f"[{section}]", *(f"{key} = {show_toml(value)}" for key, value in values.items())]
    return "\n".join(lines) + "\n"


def change_settings(text: str, section: str, values: dict[str, Any], reason: str) -> str:
    """Return the text of a settings file with some values of a section changed, all else as it was.

    >>> print(change_settings("[score]\\n# razor = 1.0\\n[crawl]", "score", {"razor": 9.0}, "why"))
    [score]
    # why
    razor = 9.0
    # razor = 1.0
    [crawl]
    <BLANKLINE>
    """
    lines = [
        line
        for line, inside in _with_sections(text)
        if not (inside == section and line.partition("=")[0].strip() in values)
    ]
    fresh = [f"# {reason}", *(f"{key} = {show_toml(value)}" for key, value in values.items())]
    header = f"[{section}]"
    at = next((n for n, line in enumerate(lines) if line.strip() == header), None)
    if at is None:
        return "\n".join([*lines, "", header, *fresh]) + "\n"
    return "\n".join([*lines[: at + 1], *fresh, *lines[at + 1 :]]) + "\n"


def _with_sections(text: str) -> Iterator[tuple[str, str]]:
    """Give the lines of a settings file, each with the section it stands in."""
    inside = ""
    for line in text.splitlines():
        header = re.match(r"\s*\[(\w+)\]", line)
        inside = header[1] if header else inside
        yield line, inside
