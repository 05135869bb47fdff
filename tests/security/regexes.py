"""Every regular expression of the source, how it is used, and texts that would make it slow.

In: the package. Out: `Expression`s, found among the values of all modules and in calls of `re`; for
each, attacks made from its own structure: what stands before a repetition, then the repeated part
many times, then something that fits nowhere.
"""

import ast
import importlib
import random
import re
from collections.abc import Iterator
from pathlib import Path
from re import _constants as code  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

import blickfang

SOURCE = Path(blickfang.__file__).parent
WAYS = frozenset({"match", "search", "fullmatch", "sub", "subn", "findall", "finditer", "split"})
SEARCHING = WAYS - {"match", "fullmatch"}
REPEATS = (code.MAX_REPEAT, code.MIN_REPEAT, code.POSSESSIVE_REPEAT)
MANY = 8  # repetitions; fewer cannot be slow
MOST_CASES = 24
SIGNS = "a0 -_.,:;/\\\"'<>=()[]{}!?#&%@*+|~^$`\n\tzAZ9xeéж中\u2028"
OF_CATEGORY = {
    code.CATEGORY_DIGIT: r"\d",
    code.CATEGORY_NOT_DIGIT: r"\D",
    code.CATEGORY_SPACE: r"\s",
    code.CATEGORY_NOT_SPACE: r"\S",
    code.CATEGORY_WORD: r"\w",
    code.CATEGORY_NOT_WORD: r"\W",
}
SUFFIXES = ("", "\x00")

Tree = Any  # of Python's own parser of expressions


class Expression(NamedTuple):
    """A regular expression of ours."""

    where: str  # module and name, or module and line
    pattern: re.Pattern[Any]
    ways: frozenset[str]  # match, fullmatch, search (and what searches)


class Found(NamedTuple):
    """What the source holds."""

    expressions: list[Expression]
    dynamic: list[str]  # calls of re with a pattern that only a run knows


def collect() -> Found:
    """Return all expressions of the package, each once."""
    found: dict[tuple[object, int], tuple[str, re.Pattern[Any], set[str]]] = {}
    dynamic: list[str] = []
    for path in sorted(SOURCE.rglob("*.py")):
        name = ".".join(("blickfang", *path.relative_to(SOURCE).with_suffix("").parts))
        module = importlib.import_module(name.removesuffix(".__init__"))
        tree = ast.parse(path.read_text(encoding="utf-8"))
        used = _ways_by_name(tree)
        for known, value in vars(module).items():
            for pattern in _reach(value):
                entry = found.setdefault(
                    (pattern.pattern, pattern.flags), (f"{name}.{known}", pattern, set())
                )
                entry[2].update(used.get(known, ()))
        for line, method, called, text in _calls(tree, vars(module)):
            if called is None:
                dynamic.append(f"{name}: {text}")
            elif method != "compile":
                key = called.pattern, called.flags
                found.setdefault(key, (f"{name}:{line}", called, set()))[2].add(method)
    made = [Expression(w, p, _simplify(ways)) for w, p, ways in found.values()]
    return Found(made, dynamic)


def _simplify(ways: set[str]) -> frozenset[str]:
    plain = {way for way in ways if way in ("match", "fullmatch")}
    return frozenset(plain | ({"search"} if ways & SEARCHING or not plain else set()))


def _reach(value: object, depth: int = 0) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif depth < 3 and isinstance(value, tuple | list | set | frozenset) and len(value) < 2000:
        for each in value:
            yield from _reach(each, depth + 1)
    elif depth < 3 and isinstance(value, dict) and len(value) < 2000:
        for pair in value.items():
            yield from _reach(pair, depth + 1)


def _ways_by_name(tree: ast.Module) -> dict[str, set[str]]:
    """Return which methods are called on each name of a module; any, for one that is passed on."""
    used: dict[str, set[str]] = {}
    called = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            called.add(id(node.value))
            if node.attr in WAYS:
                used.setdefault(node.value.id, set()).add(node.attr)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in called:
            used.setdefault(node.id, set()).add("search")
    return used


def _calls(
    tree: ast.Module, names: dict[str, Any]
) -> Iterator[tuple[int, str, re.Pattern[Any] | None, str]]:
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        owner, method = node.func.value, node.func.attr
        if not (isinstance(owner, ast.Name) and owner.id == "re" and node.args):
            continue
        if method in WAYS | {"compile"}:
            given = [k.value for k in node.keywords if k.arg == "flags"]
            given += node.args[1:] if method == "compile" else []
            try:
                flags = _evaluate(given[0], names) if given else 0
                yield node.lineno, method, re.compile(_evaluate(node.args[0], names), flags), ""
            except NameError:
                yield node.lineno, method, None, ast.unparse(node.args[0])[:60]


def _evaluate(node: ast.expr, names: dict[str, Any]) -> Any:
    return eval(compile(ast.Expression(node), "", "eval"), names)  # noqa: S307 -- our own source


def attack(expression: Expression, size: int) -> Iterator[Any]:
    """Yield texts of about a size that try to make an expression go back and forth."""
    chance = random.Random(1)  # noqa: S311
    tree = parser.parse(expression.pattern.pattern, expression.pattern.flags)
    cases: dict[tuple[str, str], None] = {}
    for before, part in _pumps(list(tree), "", chance):
        if part:
            cases |= dict.fromkeys([(before, part), ("", before + part), ("", part)])
    chosen = list(cases)
    for before, part in chosen if len(chosen) <= MOST_CASES else chance.sample(chosen, MOST_CASES):
        for suffix in SUFFIXES:
            text = before + part * (size // len(part)) + suffix
            is_bytes = isinstance(expression.pattern.pattern, bytes)
            yield text.encode("latin-1", "replace") if is_bytes else text


def _pumps(tree: Tree, before: str, chance: random.Random) -> Iterator[tuple[str, str]]:
    """Yield what can stand before each repetition, and what it repeats."""
    for at, (kind, value) in enumerate(tree):
        here = before + _sample(tree[:at], chance)
        if kind in REPEATS:
            if value[1] > MANY:
                for _ in range(3):
                    yield here, _sample(value[2], chance)
                yield here, _sample(value[2], chance) + _sample(tree[at + 1 : at + 2], chance)
            yield from _pumps(list(value[2]), here, chance)
        elif kind in (code.SUBPATTERN, code.ASSERT, code.ASSERT_NOT):
            yield from _pumps(list(value[-1]), here, chance)
        elif kind is code.ATOMIC_GROUP:
            yield from _pumps(list(value), here, chance)
        elif kind is code.BRANCH:
            for branch in value[1]:
                yield from _pumps(list(branch), here, chance)


def _sample(tree: Tree, chance: random.Random) -> str:
    """Return a text that fits a part of an expression, near enough."""
    return "".join(_sample_one(kind, value, chance) for kind, value in tree)


def _sample_one(kind: Any, value: Any, chance: random.Random) -> str:
    if kind is code.LITERAL:
        return chr(value)
    if kind is code.NOT_LITERAL:
        return next(sign for sign in "a0 " if ord(sign) != value)
    if kind is code.ANY:
        return chance.choice("a0 <-")
    if kind is code.IN:
        return chance.choice(_signs_in(value))
    if kind is code.BRANCH:
        return _sample(chance.choice(value[1]), chance)
    if kind is code.SUBPATTERN:
        return _sample(value[-1], chance)
    if kind is code.ATOMIC_GROUP:
        return _sample(value, chance)
    if kind in REPEATS:
        times = value[0] if value[0] > 1 else chance.choice((value[0], min(1, value[1])))
        return "".join(_sample(value[2], chance) for _ in range(min(times, 40)))
    return ""


def _signs_in(items: Any) -> list[str]:
    """Return signs that a set of them holds."""
    turned = any(kind is code.NEGATE for kind, _ in items)
    named = [chr(value) for kind, value in items if kind is code.LITERAL]
    named += [chr(end) for kind, ends in items if kind is code.RANGE for end in ends]

    def holds(sign: str) -> bool:
        return any(
            (kind is code.LITERAL and ord(sign) == value)
            or (kind is code.RANGE and value[0] <= ord(sign) <= value[1])
            or (kind is code.CATEGORY and re.match(OF_CATEGORY[value], sign))
            for kind, value in items
        )

    kept = [sign for sign in (*SIGNS, *named) if holds(sign) != turned]
    return kept or ["\uffff"]
