"""blickfang.toml: read into the rooms' Options, every mistake named; and written for a beginner.

In: a settings file. Out: `Settings`. Sections, keys, types, defaults and their explanations all
come from the Options that stand beside the code they steer.
"""

import difflib
import fcntl
import json
import re
from collections.abc import Container, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from shlex import quote
from typing import Any, TextIO, Union, get_args, get_origin, get_type_hints

from blickfang.compute import EngineOptions
from blickfang.corpus.mentions import BuildOptions
from blickfang.corpus.mentions.limits import fill_in_preset
from blickfang.corpus.search.search_options import SearchOptions
from blickfang.crawl import CrawlOptions
from blickfang.crawl.focus.focus_options import FocusOptions
from blickfang.errors import SettingsError
from blickfang.html.images.images import ImageOptions
from blickfang.io.atomic_files import refuse_odd_path, write_text
from blickfang.io.log import keep_log
from blickfang.io.text_files import parse_toml, read_toml
from blickfang.text.relevance import ScoreOptions
from blickfang.text.topic import TopicOptions

FILE = "blickfang.toml"
PASSWORD = re.compile(r"(?<=://)[^/?#\s@]*@")  # and the name before it
# What lines of TOML are told apart by: a line break within a text or a list ends no statement.
TOML = re.compile(
    r'"""(?:\\[\s\S]|[^\\])*?"""|\'\'\'[\s\S]*?\'\'\'|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*|[\[\]{}\n]'
)
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
    for section, table in fill_in_preset(tables).items():
        keys = {key.name: key for key in list_keys() if key.section == section}
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
    if get_origin(key.kind) is Union:  # of a plain type and words that stand for a rule
        kind, words = get_args(key.kind)[0], get_args(get_args(key.kind)[1])
        if value in words:
            return value
        if not _fits(value, kind):
            known = " or ".join(show_toml(word) for word in words)
            raise SettingsError(f"{key.name} must be a {NAMES[kind]}, or {known}")
        return kind(value)
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

    Whatever way it is written in: where the outcome would not say just that, it is an error.

    >>> print(change_settings("[score]\\n# razor = 1.0\\n[crawl]", "score", {"razor": 9.0}, "why"))
    [score]
    # why
    razor = 9.0
    # razor = 1.0
    [crawl]
    <BLANKLINE>
    """
    text = text.replace("\r\n", "\n")
    before = parse_toml(text, FILE)
    wanted = {**before, section: before.get(section, {}) | _as_read(values)}
    kept, at = _leave_out(text, section, values)
    lines = [f"{key} = {show_toml(value)}" for key, value in values.items()]
    told = f"# {reason}"
    beginning = kept[:at] if at else [*kept, "", f"[{section}]"]
    for new in (
        [*beginning, told, *lines, *(kept[at:] if at else ())],
        [told, *(f"{section}.{line}" for line in lines), *kept],  # all of it is written so
    ):
        changed = "\n".join(new) + "\n"
        if _is_toml_of(changed, wanted):
            return changed
    raise SettingsError(
        f"{FILE} is written in a way that cannot be changed here; write into its section "
        f"[{section}] yourself: {', '.join(lines)}"
    )


def _as_read(values: dict[str, Any]) -> dict[str, Any]:
    return {key: json.loads(show_toml(value)) for key, value in values.items()}


def _is_toml_of(text: str, wanted: dict[str, Any]) -> bool:
    with suppress(SettingsError):
        return parse_toml(text) == wanted
    return False


def _leave_out(text: str, section: str, names: Container[str]) -> tuple[list[str], int]:
    """Return the statements of a file without some, and the place behind the header; 0: none."""
    kept: list[str] = []
    inside: tuple[str, ...] = ()
    at = 0
    for statement in _split(text):
        path = _path_of(statement)
        if statement.lstrip().startswith("["):
            inside = path
            kept.append(statement)
            at = at or (len(kept) if path == (section,) else 0)
        elif not (path and _names_one((*inside, *path), section, names)):
            kept.append(statement)
    return kept, at


def _names_one(path: tuple[str, ...], section: str, names: Container[str]) -> bool:
    return path[0] == section and path[1:2] != () and path[1] in names and not path[2:]


def _split(text: str) -> Iterator[str]:
    """Give the lines of a file; those that one value stands in together."""
    start = depth = 0
    for token in TOML.finditer(text):
        depth += (token[0] in ("[", "{")) - (token[0] in ("]", "}"))
        if token[0] == "\n" and depth <= 0:
            yield text[start : token.start()]
            start, depth = token.end(), 0
    if start < len(text):
        yield text[start:]


def _path_of(statement: str) -> tuple[str, ...]:
    """Return the parts of the name of a section or a value; a comment has none."""
    path: list[str] = []
    with suppress(SettingsError):
        found: Any = parse_toml(statement)
        while isinstance(found, dict) and len(found) == 1:
            ((name, found),) = found.items()
            path.append(name)
    return tuple(path)


FORMAT = 1
ENTRY = "collection.json"
LOCK = ".lock"


@dataclass(frozen=True, slots=True)
class Collection:
    """A folder with its settings."""

    root: Path
    settings: Settings

    @property
    def topic_folder(self) -> Path:
        """Where the learned topic lies."""
        return self.root / "topic"

    @property
    def crawl_folder(self) -> Path:
        """Where the archive of the crawl lies."""
        return self.root / "crawl"


def make_collection(root: Path) -> Path:
    """Make a new collection with a commented settings file; return that file."""
    refuse_odd_path(root)
    path = root / FILE
    if path.exists():
        raise SettingsError(f"{path} is there already; edit it, or choose another folder")
    if root.exists() and not root.is_dir():
        raise SettingsError(f"{root} is a file; choose a folder")
    write_text(path, write_example())
    _write_entry(root)
    return path


def open_collection(root: Path) -> Collection:
    """Return the collection in a folder, its format checked."""
    refuse_odd_path(root)
    settings = load_settings(root / FILE)
    keep_log(root)
    if not (root / ENTRY).exists():  # settings written by hand; the first change adds it
        return Collection(root, settings)
    try:
        found = json.loads((root / ENTRY).read_text(encoding="utf-8"))["format"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SettingsError(f"{root / ENTRY} is damaged; delete it if nothing else is") from error
    if found != FORMAT:
        age = "a newer" if isinstance(found, int) and found > FORMAT else "another"
        raise SettingsError(
            f"{root} was made by {age} Blickfang: it has format {found!r}, "
            f"this one reads {FORMAT}; use that version, or learn into a new folder"
        )
    return Collection(root, settings)


def _write_entry(root: Path) -> None:
    write_text(root / ENTRY, json.dumps({"format": FORMAT}) + "\n")


def refuse_busy(collection: Collection) -> None:
    """Raise an error if another process is changing a collection; nothing is written for that."""
    path = collection.root / LOCK
    if path.exists():
        with path.open() as file:
            _lock(file, fcntl.LOCK_SH, collection)  # two who only ask do not meet each other


@contextmanager
def locking(collection: Collection) -> Iterator[None]:
    """Keep other processes from changing a collection; the lock ends with the process."""
    with (collection.root / LOCK).open("w") as file:
        _lock(file, fcntl.LOCK_EX, collection)
        if not (collection.root / ENTRY).exists():
            _write_entry(collection.root)
        yield


def _lock(file: TextIO, kind: int, collection: Collection) -> None:
    """Lock a file until it is closed."""
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise SettingsError(f"another Blickfang is working in {collection.root}") from error
