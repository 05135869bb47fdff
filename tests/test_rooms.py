"""The floor plan: docs/architecture.md says who may import whom; the code must obey."""

import ast
import re
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import blickfang

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "blickfang"
PLAN = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
FILES = sorted(SOURCE.rglob("*.py"))
BANNED = {"utils", "helpers", "common", "core", "base", "manager", "handler", "processor", "misc"}


def table(heading: str) -> list[list[str]]:
    """Return the cells of the table under a heading of the plan, without its head."""
    section = PLAN.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip().replace("\\", "") for cell in row] for row in rows[2:]]


def read_doors() -> dict[str, set[str]]:
    rows = [[cell.split(", ") for cell in row] for row in table("The doors")]
    ground = set(rows[0][0])
    doors = {}
    for rooms, allowed in rows:
        names = {name for entry in allowed for name in (ground if "ground" in entry else {entry})}
        doors.update({room: names | {room} for room in rooms})
    return doors


DOORS = read_doors()


def module_name(path: Path) -> str:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in FILES}


def room_of(module: str) -> str:
    return module.split(".")[1] if "." in module else "blickfang"


def imports(path: Path) -> Iterator[tuple[ast.stmt, str]]:
    """Yield every import of one of our modules, also those inside functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node, alias.name) for alias in node.names if is_ours(alias.name))
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import in line {node.lineno}"
            if is_ours(node.module or ""):
                for alias in node.names:
                    inner = f"{node.module}.{alias.name}"
                    yield node, inner if inner in MODULES else str(node.module)


def is_ours(module: str) -> bool:
    return module.split(".")[0] == "blickfang"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_only_through_the_doors(path: Path) -> None:
    room = room_of(module_name(path))
    for node, target in imports(path):
        if target == "blickfang" or room == "blickfang":
            continue  # the version, or the front door of the house
        assert room_of(target) in DOORS[room], f"{path}:{node.lineno}: {room} → {target}"
        if room == "cli" and room_of(target) != "cli":
            front = target.count(".") == 1 or (MODULES[target].name == "__init__.py")
            assert front, f"{path}:{node.lineno}: {target} is not a front door"


def test_no_cycles_even_hidden_ones() -> None:
    graph = {}
    for name, path in MODULES.items():
        if name != "blickfang":  # loads its names lazily, for the outside only
            targets = {target for _, target in imports(path)} - {name, "blickfang"}
            graph[name] = {t for t in targets if not name.startswith(f"{t}.")}
    TopologicalSorter(graph).prepare()


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_sizes_and_names(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 600, "two subjects? then two files"
    assert path.stem not in BANNED
    assert text.strip(), "no empty files"
    tree = ast.parse(text)
    assert ast.get_docstring(tree), "a module says what comes in and what goes out"
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            assert node.end_lineno - node.lineno < 60, f"split {node.name}"
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            assert not BANNED & set(node.name.lower().split("_")), node.name


def test_no_imports_for_type_checking_only() -> None:
    for path in FILES:
        if module_name(path) != "blickfang":
            assert "TYPE_CHECKING" not in path.read_text(encoding="utf-8"), path


def test_every_room_is_in_the_plan() -> None:
    planned = {row[0].strip("`").removesuffix("/") for row in table("The rooms")}
    there = {
        path.name
        for path in SOURCE.iterdir()
        if (path.suffix == ".py" or (path / "__init__.py").exists()) and path.name != "__init__.py"
    }
    assert planned == there
    assert {name.removesuffix(".py") for name in there} == set(DOORS)


def test_front_doors_are_small() -> None:
    for path in SOURCE.rglob("__init__.py"):
        exported = re.search(r"__all__ = \[(.*?)\]", path.read_text(encoding="utf-8"), re.DOTALL)
        wide = path.parent == SOURCE or path.parent.name == "pipeline"
        most = 32 if wide else 7  # the house has more doors than a room, the work more steps
        assert exported is None or exported[1].count('"') // 2 <= most, path


def test_public_names_are_no_rooms_and_exist() -> None:
    for name in blickfang.__all__:
        assert name not in DOORS
        assert getattr(blickfang, name) is not None
    with pytest.raises(AttributeError, match="nonsense"):
        _ = blickfang.nonsense
