"""Where named things of a user lie: classes learned from examples, rules saved from pages.

In: a kind (classes, rules) and a name. Out: a file. They are of the user, not of a collection:
BLICKFANG_HOME, else $XDG_DATA_HOME/blickfang, else ~/.local/share/blickfang.
"""

import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from blickfang.errors import InputError, SettingsError
from blickfang.records import learn_classes, read_examples, save_classes
from blickfang.records.attribute_classes import MIN_CHARS, read_terms
from blickfang.records.cells import find_shape

CLASSES, RULES = "classes", "rules"
TAKEN = frozenset({"publications"})  # names that are built in
NAME = re.compile(r"[^\W_][\w-]{0,63}")
WORDS = 20_000  # of a class that are kept, the weightiest: more make no difference to a column


def find_home() -> Path:
    """Return the folder of what a user keeps for all collections."""
    if home := os.environ.get("BLICKFANG_HOME"):
        return Path(home).expanduser()
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(data) / "blickfang"


def place_named(kind: str, name: str) -> Path:
    """Return the file of a name, whether it is there or not."""
    if not NAME.fullmatch(name):
        raise SettingsError(f"{name!r} is no name: letters, digits, - and _, up to 64")
    return find_home() / kind / f"{name}.json"


def find_named(kind: str, name: str) -> Path:
    """Return the file of a name that is there."""
    path = place_named(kind, name)
    if not path.is_file():
        known = ", ".join(each.stem for each in list_files(kind)) or "none yet"
        verb = "classes learn" if kind == CLASSES else "rules save"
        raise SettingsError(f"there is no {name!r} among your {kind} ({known}); `blickfang {verb}`")
    return path


def list_files(kind: str) -> list[Path]:
    """Return the files of a kind by name."""
    return sorted((find_home() / kind).glob("*.json"))


def list_named(kind: str) -> list[dict[str, Any]]:
    """Return what is there of a kind: of classes their names and words, of rules their source."""
    rows = []
    for path in list_files(kind):
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            rows.append({"name": path.stem, **_describe(kind, found)})
        except (OSError, ValueError, AttributeError, KeyError, TypeError) as error:
            raise InputError(f"{path} is damaged; delete it and make it anew") from error
    return rows


def _describe(kind: str, found: dict[str, Any]) -> dict[str, Any]:
    if kind == CLASSES:
        return {"classes": {name: len(words) for name, words in found.items()}}
    names = [column[0] for column in found["columns"]]
    return {key: found[key] for key in ("kind", "source", "records", "pattern")} | {
        "columns": names
    }


def says_much(text: str) -> bool:
    """Whether a text has a word or a shape by which its class can be known."""
    return bool(read_terms(text) or find_shape(text))


def learn_named(name: str, paths: Sequence[Path]) -> dict[str, Any]:
    """Learn classes from files of examples and keep them under a name; return what was learned."""
    if name in TAKEN:
        raise SettingsError(f"{name} is built in; choose another name")
    target = place_named(CLASSES, name)
    examples: dict[str, list[str]] = {}
    for path in paths:
        for field, texts in read_examples(path).items():
            examples.setdefault(field, []).extend(texts)
    telling = {field: texts for field, texts in examples.items() if any(map(says_much, texts))}
    if not telling:
        raise InputError(
            f"no field of {', '.join(map(str, paths))} has a word of {MIN_CHARS} letters or a "
            "shape (price, date, number, address) to know it by: give other examples"
        )
    classes = learn_classes(telling, WORDS, shapes=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    save_classes(classes, target)
    return {
        "name": name,
        "examples": {field: len(texts) for field, texts in examples.items()},
        "classes": {field: len(words) for field, words in classes.weights.items()},
        "left_out": ", ".join(field for field in examples if field not in telling),
        "file": str(target),
    }
