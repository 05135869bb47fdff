"""Filters that users write: an expression on the columns of a sample, in the words of Python.

    width >= 800 and language == 'en' and 'lion' in caption
    min(width, height) >= 150 and host(page_url) not in ('a.org', 'b.org')

In: the text of a filter. Out: `Filter`, which says of each row of a table whether it is kept. Only
what is listed here is understood, nothing is executed. It means what Python means, with numbers as
doubles; a missing number or text equals nothing but None, is neither less nor greater, contains
nothing, and what is computed from it is missing too.
"""

import ast
import difflib
import re
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from blickfang.corpus.sample_columns import SAMPLES, CorpusColumn
from blickfang.errors import SettingsError
from blickfang.io.urls import host

LONGEST = 10_000  # characters
DEEPEST = 60  # levels of an expression
CONTAINS = re.compile(
    r"""\b(?P<whole>\w++)\s*+\.?\s*+(?P<no>(?:does\s++)?not\s++)?(?:contains?|includes?|has|like)\b
    \s*+\(?\s*+(?P<part>'[^']*+'|"[^"]*+"|\w++)(?:\s*+\))?""",
    re.VERBOSE | re.IGNORECASE,
)

Evaluate = Callable[[Any], Any]  # a batch → an Arrow array or scalar


class FilterPart(NamedTuple):
    """A part of a filter: what it gives, and how to get it."""

    kind: str  # number, text, truth, texts, list, none
    evaluate: Evaluate


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter, understood."""

    text: str
    columns: frozenset[str]  # what must be read to answer
    evaluate: Evaluate

    def mask(self, rows: Any) -> Any:
        """Return for each row of a record batch or table whether it is kept."""
        found = self.evaluate(rows)
        if isinstance(found, pa.Scalar):
            return pa.array([found.as_py()] * rows.num_rows, pa.bool_())
        return found


def parse_filter(text: str, columns: tuple[CorpusColumn, ...] = SAMPLES) -> Filter | None:
    """Return a filter that a user wrote; None where there is nothing to filter."""
    if not text.strip():
        return None
    if len(text) > LONGEST:
        raise SettingsError(f"a filter of {len(text)} characters is too long; limit: {LONGEST}")
    try:
        with warnings.catch_warnings():  # of odd escapes in a text
            warnings.simplefilter("ignore")
            tree = ast.parse(text.strip(), mode="eval").body
        if _depth(tree) > DEEPEST:
            raise SettingsError(f"the filter {_short(text)} is nested too deeply")
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else str(error)
        raise SettingsError(
            f"the filter {_short(text)} cannot be read: {reason}{offer_in(text)}"
        ) from error
    reader = _Reader(text, columns)
    part = reader.read(tree)
    if part.kind != "truth":
        raise reader.wrong(tree, "is no condition; compare it with something")
    return Filter(text, frozenset(reader.used), part.evaluate)


def nearest_name(name: str, known: Iterable[str]) -> str:
    """Return a hint at the known name that is most like an unknown one."""
    near = difflib.get_close_matches(name, list(known), 1, 0.5)
    return f"; did you mean {near[0]}?" if near else ""


def offer_in(text: str) -> str:
    """Return a hint at `in` where something else was written for it.

    >>> offer_in("width > 9 and caption contains robin")
    "; did you mean width > 9 and 'robin' in caption?"
    """

    def rewrite(found: re.Match[str]) -> str:
        part = found["part"].strip("'\"").strip("%")
        return f"{part!r} {'not ' if found['no'] else ''}in {found['whole']}"

    offered = CONTAINS.sub(rewrite, text.strip())
    if offered == text.strip():
        return ""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(offered, mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return ""
    return f"; did you mean {_cut(offered)}?"


def _cut(text: str) -> str:
    return text if len(text) <= 200 else text[:200] + "…"


def _short(text: str) -> str:
    return repr(_cut(text))


def _depth(tree: ast.AST) -> int:
    level, depth = [tree], 0
    while level:
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        depth += 1
    return depth


class _Reader:
    """Turns the tree of one filter into functions, and remembers the columns it needs."""

    def __init__(self, text: str, columns: tuple[CorpusColumn, ...]) -> None:
        self.text = text
        self.types = {column.name: column.type for column in columns}
        self.used: set[str] = set()

    def wrong(self, node: ast.AST, problem: str) -> SettingsError:
        """Return the error to raise about a part of the filter."""
        part = ast.get_source_segment(self.text.strip(), node) or self.text
        return SettingsError(f"in the filter {_short(self.text)}: {_short(part)} {problem}")

    def read(self, node: ast.expr) -> FilterPart:
        """Return the meaning of a part of the tree."""
        for kind, reading in READINGS.items():
            if isinstance(node, kind):
                return reading(self, node)
        raise self.wrong(node, "is nothing a filter can do")

    def read_as(self, kind: str, node: ast.expr) -> Evaluate:
        """Return the meaning of a part that must be of a kind."""
        part = self.read(node)
        if part.kind != kind:
            raise self.wrong(node, f"is {KINDS[part.kind]}, and {KINDS[kind]} is needed here")
        return part.evaluate

    def column(self, node: ast.Name) -> FilterPart:
        """Read the name of a column."""
        kind = self.types.get(node.id)
        if kind is None:
            raise self.wrong(node, f"is no column{nearest_name(node.id, self.types)}")
        if pa.types.is_struct(kind):
            raise self.wrong(node, "cannot be filtered by")
        self.used.add(node.id)
        return FilterPart(_kind_of(kind), lambda rows: _column_of(rows, node.id))

    def constant(self, node: ast.Constant) -> FilterPart:
        """Read a number, a text, True, False or None."""
        value = node.value
        if isinstance(value, bool):
            return FilterPart("truth", lambda _: pa.scalar(value))
        if value is None:
            return FilterPart("none", lambda _: pa.scalar(None))
        if isinstance(value, str):
            return FilterPart("text", lambda _: pa.scalar(value, pa.string()))
        if isinstance(value, int | float) and abs(value) < 1e300:
            return FilterPart("number", lambda _: pa.scalar(float(value)))
        raise self.wrong(node, "is no number or text that a filter knows")

    def logic(self, node: ast.BoolOp) -> FilterPart:
        """Read `and` and `or`."""
        parts = [self.read_as("truth", value) for value in node.values]
        join = pc.and_ if isinstance(node.op, ast.And) else pc.or_
        return FilterPart("truth", lambda rows: reduce(join, (part(rows) for part in parts)))

    def unary(self, node: ast.UnaryOp) -> FilterPart:
        """Read `not` and signs."""
        if isinstance(node.op, ast.Not):
            inner = self.read_as("truth", node.operand)
            return FilterPart("truth", lambda rows: pc.invert(inner(rows)))
        if isinstance(node.op, ast.USub | ast.UAdd):
            inner = self.read_as("number", node.operand)
            negative = isinstance(node.op, ast.USub)
            return FilterPart(
                "number", lambda rows: pc.negate(inner(rows)) if negative else inner(rows)
            )
        raise self.wrong(node, "is nothing a filter can do")

    def arithmetic(self, node: ast.BinOp) -> FilterPart:
        """Read + - * /."""
        compute = ARITHMETIC.get(type(node.op))
        if compute is None:
            raise self.wrong(node, "is nothing a filter can do; numbers have + - * /")
        left, right = self.read_as("number", node.left), self.read_as("number", node.right)
        return FilterPart("number", lambda rows: compute(left(rows), right(rows)))

    def call(self, node: ast.Call) -> FilterPart:
        """Read a function, or a method of a text."""
        if node.keywords or any(isinstance(value, ast.Starred) for value in node.args):
            raise self.wrong(node, "takes plain values only")
        if isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
            count, kind, compute = METHODS[node.func.attr]
            values = [node.func.value, *node.args]
            if len(node.args) != count:
                raise self.wrong(node, f"takes {count} values")
            if count and not isinstance(node.args[0], ast.Constant):
                raise self.wrong(node.args[0], "must be a text in quotes")
            texts = [self.read_as("text", value) for value in values]
            return FilterPart(kind, lambda rows: compute(*(text(rows) for text in texts)))
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in ("min", "max") and len(node.args) >= 2:
            numbers = [self.read_as("number", value) for value in node.args]
            pick = pc.min_element_wise if name == "min" else pc.max_element_wise
            return FilterPart(
                "number", lambda rows: pick(*(number(rows) for number in numbers), skip_nulls=False)
            )
        if name == "host" and len(node.args) == 1:
            url = self.read_as("text", node.args[0])
            return FilterPart("text", lambda rows: _hosts(url(rows)))
        if name == "len" and len(node.args) == 1:
            return self.length(node.args[0])
        hint = offer_in(ast.get_source_segment(self.text.strip(), node) or "")
        raise self.wrong(node, f"is no function of filters{hint}; known: {KNOWN}")

    def length(self, node: ast.expr) -> FilterPart:
        """Read `len` of a text or list."""
        part = self.read(node)
        if part.kind not in ("text", "texts", "list"):
            raise self.wrong(node, f"is {KINDS[part.kind]}, which has no length")
        count = pc.utf8_length if part.kind == "text" else pc.list_value_length
        return FilterPart("number", lambda rows: _double(count(part.evaluate(rows))))

    def comparison(self, node: ast.Compare) -> FilterPart:
        """Read a chain of comparisons."""
        sides = [node.left, *node.comparators]
        links = [
            self.compare(node, left, operator, right)
            for left, operator, right in zip(sides, node.ops, sides[1:], strict=False)
        ]
        return FilterPart("truth", lambda rows: reduce(pc.and_, (link(rows) for link in links)))

    def compare(
        self, node: ast.Compare, left: ast.expr, operator: ast.cmpop, right: ast.expr
    ) -> Evaluate:
        """Read one comparison."""
        if isinstance(operator, ast.In | ast.NotIn):
            inside = self.membership(left, right)
            return inside if isinstance(operator, ast.In) else lambda rows: pc.invert(inside(rows))
        one, other = self.read(left), self.read(right)
        if "none" in (one.kind, other.kind):
            return self.nothing(node, operator, one, other)
        compute = ORDER.get(type(operator))
        if compute is None:
            raise self.wrong(node, "is nothing a filter can do; `is` goes with None only")
        if one.kind != other.kind or one.kind not in ("number", "text"):
            raise self.wrong(node, f"compares {KINDS[one.kind]} with {KINDS[other.kind]}")
        return lambda rows: compute(one.evaluate(rows), other.evaluate(rows))

    def nothing(
        self, node: ast.Compare, operator: ast.cmpop, one: FilterPart, other: FilterPart
    ) -> Evaluate:
        """Read a comparison with None."""
        if not isinstance(operator, ast.Is | ast.IsNot | ast.Eq | ast.NotEq):
            raise self.wrong(node, "is not possible; write `is None` or `is not None`")
        part = other if one.kind == "none" else one
        if isinstance(operator, ast.Is | ast.Eq):
            return lambda rows: pc.is_null(part.evaluate(rows))
        return lambda rows: pc.is_valid(part.evaluate(rows))

    def membership(self, left: ast.expr, right: ast.expr) -> Evaluate:
        """Read `in`: a text in a text, a text in a list of texts, a value among values."""
        if isinstance(right, ast.Tuple | ast.List | ast.Set):
            one = self.read(left)
            if one.kind not in ("number", "text"):
                raise self.wrong(left, f"is {KINDS[one.kind]}; a number or text is needed here")
            choices = [self.read_as(one.kind, value) for value in right.elts]
            return lambda rows: reduce(
                pc.or_,
                (_equal(one.evaluate(rows), choice(rows)) for choice in choices),
                pa.scalar(False),
            )
        whole = self.read(right)
        if not isinstance(left, ast.Constant) or not isinstance(left.value, str):
            raise self.wrong(left, "must be a text in quotes, as in 'lion' in caption")
        wanted = left.value
        if whole.kind == "text":
            return lambda rows: _sure(pc.match_substring(whole.evaluate(rows), wanted))
        if whole.kind == "texts":
            return lambda rows: _listed(whole.evaluate(rows), wanted)
        raise self.wrong(
            right, f"is {KINDS[whole.kind]}, and a text or list of texts is needed here"
        )


KINDS = {
    "number": "a number",
    "text": "a text",
    "truth": "a condition",
    "texts": "a list of texts",
    "list": "a list",
    "none": "None",
}
READINGS: dict[type[ast.expr], Callable[[_Reader, Any], FilterPart]] = {
    ast.Name: _Reader.column,
    ast.Constant: _Reader.constant,
    ast.BoolOp: _Reader.logic,
    ast.UnaryOp: _Reader.unary,
    ast.BinOp: _Reader.arithmetic,
    ast.Call: _Reader.call,
    ast.Compare: _Reader.comparison,
}
KNOWN = "len, host, min, max, and of a text .lower() .startswith('…') .endswith('…')"


def _kind_of(kind: Any) -> str:
    if pa.types.is_list(kind):
        return "texts" if pa.types.is_string(kind.value_type) else "list"
    return "text" if pa.types.is_string(kind) else "number"


def _column_of(rows: Any, name: str) -> Any:
    column = rows.column(name)
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    plain = pa.types.is_string(column.type) or pa.types.is_list(column.type)
    return column if plain else _double(column)


def _double(numbers: Any) -> Any:
    return pc.cast(numbers, pa.float64(), safe=False)


def _sure(truths: Any) -> Any:
    return pc.fill_null(truths, False)


def _equal(left: Any, right: Any) -> Any:
    both_missing = pc.and_(pc.is_null(left), pc.is_null(right))
    return pc.coalesce(pc.equal(left, right), both_missing)


def _divide(left: Any, right: Any) -> Any:
    """Divide; by zero gives a missing number."""
    return pc.divide(left, pc.if_else(pc.equal(right, 0.0), pa.scalar(None, pa.float64()), right))


def _hosts(urls: Any) -> Any:
    if isinstance(urls, pa.Scalar):
        return pa.scalar(host(urls.as_py()))
    coded = urls.dictionary_encode()
    names = pa.array([host(url) for url in coded.dictionary.to_pylist()], pa.string())
    return names.take(coded.indices)


def _listed(lists: Any, wanted: str) -> Any:
    """Return which lists hold a text."""
    equal = _sure(pc.equal(pc.list_flatten(lists), wanted))
    parents = pc.unique(pc.list_parent_indices(lists).filter(equal))
    rows = pa.array(range(len(lists)), pa.int64())
    return pc.is_in(rows, value_set=parents.cast(pa.int64()))


def _begins(text: Any, start: Any) -> Any:
    return _sure(pc.starts_with(text, start.as_py()))


def _ends(text: Any, end: Any) -> Any:
    return _sure(pc.ends_with(text, end.as_py()))


ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: pc.add,
    ast.Sub: pc.subtract,
    ast.Mult: pc.multiply,
    ast.Div: _divide,
}
ORDER: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: _equal,
    ast.NotEq: lambda left, right: pc.invert(_equal(left, right)),
    ast.Lt: lambda left, right: _sure(pc.less(left, right)),
    ast.LtE: lambda left, right: _sure(pc.less_equal(left, right)),
    ast.Gt: lambda left, right: _sure(pc.greater(left, right)),
    ast.GtE: lambda left, right: _sure(pc.greater_equal(left, right)),
}
METHODS: dict[str, tuple[int, str, Callable[..., Any]]] = {  # values it takes, what it gives
    "lower": (0, "text", pc.utf8_lower),
    "startswith": (1, "truth", _begins),
    "endswith": (1, "truth", _ends),
}
