"""The plan of the code is a test: doors, no cycles, names, nothing unused.

docs/architecture.md says which room may import which. `python -m benchmarks.house` tells sizes.
"""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "blickfang"
PLAN = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
BANNED = {"utils", "helpers", "common", "core", "base", "manager", "handler", "processor", "misc"}
# Stems in several rooms and classes of one name that the first plan has left: only downwards.
SHARED_STEMS, SHARED_CLASSES = 0, 0
# ways of the studies that commands will offer
STUDIES = {"records.study.study_patterns", "dedupe.lookup_tables"}
FRAMEWORKS = {"on_start", "on_end", "seekable", "_continue"}  # methods that others call


def name_module(path: Path) -> str:
    """Return the name of a module, without that of the package."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


TEXTS = {name_module(path): path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py")}
TREES = {name: ast.parse(text) for name, text in TEXTS.items()}
PACKAGES = {name_module(path) for path in SOURCE.rglob("__init__.py")}


def room_of(module: str) -> str:
    return module.split(".")[0]


def list_imports(module: str) -> Iterator[tuple[ast.stmt, str]]:
    """Yield every import of one of our modules, also those inside functions."""
    for node in ast.walk(TREES[module]):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: relative import in line {node.lineno}"
            inner = (f"{node.module}.{alias.name}" for alias in node.names)
            names = [one if one[10:] in TREES else node.module or "" for one in inner]
        else:
            continue
        yield from ((node, one[10:]) for one in names if one.split(".")[0] == "blickfang")


def read_doors() -> dict[str, set[str]]:
    """Return which rooms each room may import."""
    section = PLAN.split("\n## The doors\n")[1].split("\n## ")[0]
    lines = [line.strip("| ").split(" | ") for line in section.splitlines() if line[:1] == "|"]
    rows = [[cell.replace("\\", "").strip().split(", ") for cell in row] for row in lines[2:]]
    ground, doors = set(rows[0][0]), {}
    for rooms, allowed in rows:
        names = {name for entry in allowed for name in (ground if "ground" in entry else {entry})}
        doors.update({room: names | {room} for room in rooms})
    return doors


def test_a_room_imports_only_what_the_plan_allows() -> None:
    doors = read_doors()
    assert set(doors) == {room_of(name) for name in TREES} - {""}, "the plan has every room"
    for module in TREES.keys() - {""}:
        for node, target in list_imports(module):
            where = f"{module}, line {node.lineno}: {target}"
            assert not target or room_of(target) in doors[room_of(module)], where
        assert "TYPE_CHECKING" not in TEXTS[module], f"{module} hides an import"


def test_no_module_imports_itself_in_the_end() -> None:
    graph = {}
    for module in TREES.keys() - {""}:  # the package loads its names when they are used
        targets = {target for _, target in list_imports(module)} - {module, ""}
        graph[module] = {target for target in targets if not module.startswith(f"{target}.")}
    TopologicalSorter(graph).prepare()


def test_a_name_stands_for_one_thing() -> None:
    stems, classes = defaultdict(set), Counter[str]()
    for module, tree in TREES.items():
        if module not in PACKAGES and module != "__main__":
            stems[module.split(".")[-1]].add(room_of(module))
        assert ast.get_docstring(tree), f"{module} does not say what comes in and what goes out"
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                assert not BANNED & set(node.name.lower().split("_")), f"{module}: {node.name}"
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                classes[node.name] += 1
    assert not BANNED & stems.keys()
    shared = sorted(stem for stem, rooms in stems.items() if len(rooms) > 1)
    twice = sorted(name for name, count in classes.items() if count > 1)
    assert len(shared) <= SHARED_STEMS, f"stems in several rooms: {shared}"
    assert len(twice) <= SHARED_CLASSES, f"classes of one name: {twice}"


def test_nothing_is_there_for_tests_alone() -> None:
    trained = [path.read_text(encoding="utf-8") for path in (ROOT / "training").glob("*.py")]
    texts = [*TEXTS.values(), *trained]
    uses = Counter(word for text in texts for word in re.findall(r"[A-Za-z_]\w*", text))
    unused = []
    for module, tree in TREES.items():
        for node in ast.walk(tree) if module not in STUDIES else ():
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                continue
            registered = any(isinstance(mark, ast.Call) for mark in node.decorator_list)
            special = node.name.startswith("__") or node.name in FRAMEWORKS
            exported = f'"{node.name}"' in TEXTS[module]
            if uses[node.name] <= 1 + exported and not registered and not special:
                unused.append(f"{module}.{node.name}")
    assert not unused
