"""Filters mean what Python means; whatever else is written is an error that says so."""

import json
import time
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.corpus.filter_expression import offer_in, parse_filter
from blickfang.corpus.sample_columns import SAMPLES, make_schema
from blickfang.errors import SettingsError
from blickfang.io.urls import host

NUMBERS = ("width", "height", "bytes", "score", "rank_study", "context_confidence")
TEXTS = ("caption", "url", "language", "page_title")
LISTS = ("link_texts", "licences")
WORDS = ("lion", "li", "en", "", "A lion", "ÄÖ", "é", "https://a.org/x", "it's", '"', "\\d")


class Missing:
    """What Python's None would be, were it a value that a filter can meet."""

    def __eq__(self, other: object) -> bool:
        return other is None or isinstance(other, Missing)

    __hash__ = None  # type: ignore[assignment]

    def __lt__(self, _: object) -> bool:
        return False

    __le__ = __gt__ = __ge__ = __lt__

    def __add__(self, _: object) -> "Missing":
        return self

    __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __add__

    def __neg__(self) -> "Missing":
        return self

    def __contains__(self, _: object) -> bool:
        return False

    def lower(self) -> "Missing":
        return self

    def startswith(self, _: str) -> bool:
        return False

    endswith = startswith


def length(value: Any) -> Any:
    return value if isinstance(value, Missing) else len(value)


def smallest(*values: Any) -> Any:
    missing = [value for value in values if isinstance(value, Missing)]
    return missing[0] if missing else min(values)


def largest(*values: Any) -> Any:
    missing = [value for value in values if isinstance(value, Missing)]
    return missing[0] if missing else max(values)


def host_of(value: Any) -> Any:
    return value if isinstance(value, Missing) else host(value)


FUNCTIONS = {"len": length, "min": smallest, "max": largest, "host": host_of}


def slow_truth(text: str, row: dict[str, Any]) -> bool:
    values = {name: Missing() if value is None else value for name, value in row.items()}
    return bool(eval(text, {"__builtins__": {}}, FUNCTIONS | values))  # noqa: S307, our own texts


numbers = st.one_of(
    st.sampled_from(NUMBERS),
    st.integers(-5, 1200).map(str),
    st.floats(-2, 2, allow_nan=False).map(repr),
    st.sampled_from([*TEXTS, *LISTS]).map(lambda name: f"len({name})"),
)
sums = st.recursive(
    numbers,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*"), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        inner.map(lambda text: f"-({text})"),
        st.tuples(st.sampled_from(["min", "max"]), inner, inner).map(
            lambda t: f"{t[0]}({t[1]}, {t[2]})"
        ),
    ),
    max_leaves=4,
)
texts = st.one_of(
    st.sampled_from(TEXTS),
    st.sampled_from(WORDS).map(repr),
    st.sampled_from(TEXTS).map(lambda name: f"{name}.lower()"),
    st.just("host(url)"),
)
quoted = st.sampled_from(WORDS).map(repr)
orders = st.sampled_from(["<", "<=", ">", ">=", "==", "!="])
conditions = st.one_of(
    st.tuples(sums, orders, sums).map(" ".join),
    st.tuples(sums, orders, sums, orders, sums).map(" ".join),
    st.tuples(texts, orders, texts).map(" ".join),
    st.tuples(quoted, st.sampled_from(["in", "not in"]), st.sampled_from(TEXTS + LISTS)).map(
        " ".join
    ),
    st.tuples(texts, st.sampled_from(["in", "not in"]), st.lists(quoted, max_size=3)).map(
        lambda t: f"{t[0]} {t[1]} [{', '.join(t[2])}]"
    ),
    st.tuples(st.sampled_from(NUMBERS), st.lists(st.integers(0, 5), max_size=3)).map(
        lambda t: f"{t[0]} in {t[1]}"
    ),
    st.tuples(st.sampled_from(NUMBERS + TEXTS), st.sampled_from(["==", "!="])).map(
        lambda t: f"{t[0]} {t[1]} None"
    ),
    st.tuples(texts, st.sampled_from(["startswith", "endswith"]), quoted).map(
        lambda t: f"{t[0]}.{t[1]}({t[2]})"
    ),
    st.sampled_from(["True", "False"]),
)
expressions = st.recursive(
    conditions,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(
            lambda t: f"({t[0]}) {t[1]} ({t[2]})"
        ),
        inner.map(lambda text: f"not ({text})"),
    ),
    max_leaves=5,
)
rows = st.fixed_dictionaries(
    {
        **{
            name: st.one_of(st.none(), st.integers(0, 1200))
            for name in ("width", "height", "bytes")
        },
        **{name: st.one_of(st.none(), st.floats(-2, 2)) for name in ("score", "rank_study")},
        "context_confidence": st.one_of(st.none(), st.floats(0, 1, width=32)),
        **{name: st.one_of(st.none(), st.sampled_from(WORDS)) for name in TEXTS},
        **{
            name: st.one_of(st.none(), st.lists(st.sampled_from(WORDS), max_size=3))
            for name in LISTS
        },
    }
)
SCHEMA = pa.schema([make_schema(SAMPLES).field(name) for name in (*NUMBERS, *TEXTS, *LISTS)])


@given(expressions, st.lists(rows, min_size=1, max_size=5))
def test_as_python_says(text: str, found: list[dict[str, Any]]) -> None:
    keep = parse_filter(text)
    assert keep is not None
    expected = [slow_truth(text, row) for row in found]
    table = pa.Table.from_pylist(found, schema=SCHEMA)
    assert keep.mask(table).to_pylist() == expected
    sliced = table.to_batches()[0].slice(1)
    assert keep.mask(sliced).to_pylist() == expected[1:]
    assert keep.columns == {name for name in SCHEMA.names if name in _names(text)}


def _names(text: str) -> set[str]:
    import ast

    return {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}


def mask(text: str, **columns: list[Any]) -> list[bool]:
    schema = pa.schema([make_schema(SAMPLES).field(name) for name in columns])
    keep = parse_filter(text)
    assert keep is not None
    found: list[bool] = keep.mask(pa.table(columns, schema=schema)).to_pylist()
    return found


def test_worked_examples() -> None:
    assert mask(
        "width >= 800 and language == 'en' and 'lion' in caption",
        width=[800, 799, 900],
        language=["en", "en", "en"],
        caption=["a lion", "a lion", "a cat"],
    ) == [True, False, False]
    assert mask("width / height <= 2", width=[2, 3, 1], height=[1, 1, 0]) == [True, False, False]
    assert mask("rank_study is None", rank_study=[None, 1.0]) == [True, False]
    assert mask("rank_study is not None", rank_study=[None, 1.0]) == [False, True]
    assert mask("not rank_study < 5", rank_study=[None, 1.0, 7.0]) == [True, False, True]
    assert mask("width * height > 9e9", width=[100_000], height=[100_000]) == [True]
    assert mask("len(mentions) > 0", mentions=[[], None]) == [False, False]
    assert mask("  width>1\n", width=[2]) == [True]
    assert mask("host(page_url) == 'a.org'", page_url=["https://a.org/b", None, "x"]) == [
        True,
        False,
        False,
    ]


def test_nothing_to_filter() -> None:
    assert parse_filter("") is None
    assert parse_filter(" \n") is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("widht > 3", "did you mean width"),
        ("captions == ''", "did you mean caption"),
        ("zzzqqq == 1", "is no column$"),
        ("width", "is no condition"),
        ("caption", "is no condition"),
        ("width + 1", "is no condition"),
        ("width > 'a'", "compares a number with a text"),
        ("caption > 3", "compares a text with a number"),
        ("width in caption", "text in quotes"),
        ("'a' in width", "is a number"),
        ("caption and width > 3", "is a text, and a condition is needed"),
        ("width is 3", "`is` goes with None"),
        ("width < None", "is None"),
        ("image == 3", "cannot be filtered by"),
        ("mentions == 3", "compares a list with a number"),
        ("width ** 3 > 1", "nothing a filter can do"),
        ("width // 3 > 1", "nothing a filter can do"),
        ("caption % 3 == 1", "nothing a filter can do"),
        ("~width == 1", "nothing a filter can do"),
        ("__import__('os').system('true')", "no function of filters"),
        ("().__class__ == 1", "nothing a filter can do"),
        ("caption.__class__ == 1", "nothing a filter can do"),
        ("caption.upper() == 'A'", "no function of filters"),
        ("open('x') == 1", "no function of filters"),
        ("len(caption, width) == 1", "no function of filters"),
        ("len(width) == 1", "has no length"),
        ("len(*caption) == 1", "plain values"),
        ("caption.startswith(url)", "must be a text in quotes"),
        ("caption.startswith(3)", "is a number, and a text"),
        ("[x for x in caption] == 1", "nothing a filter can do"),
        ("(lambda: 1)() == 1", "no function of filters"),
        ("caption == f'{url}'", "nothing a filter can do"),
        ("caption == b'a'", "no number or text"),
        ("width == 1j", "no number or text"),
        (f"width == 1{'0' * 400}", "no number or text"),
        (f"width == 1{'0' * 9000}", "cannot be read"),
        ("width >", "cannot be read"),
        ("width > 3; 1", "cannot be read"),
        ("width = 3", "cannot be read"),
        ("caption contains 'robin'", "did you mean 'robin' in caption\\?$"),
        ('width > 9 and caption does not contain "a b"', "width > 9 and 'a b' not in caption\\?"),
        ("caption LIKE '%robin%' or width > 9", "did you mean 'robin' in caption or width > 9"),
        ("caption.contains('robin')", "did you mean 'robin' in caption\\?; known"),
        ("caption contains", "invalid syntax$"),
        ("caption contains (", "cannot be read: [^;]*$"),
        ("a" * 20_000, "too long"),
        ("(" * 3000 + "1" + ")" * 3000, "cannot be read"),
        ("not " * 300 + "width > 1", "too deeply"),
        ("-" * 3000 + "1 == 1", "filter"),
        ("width > 1 \x00", "cannot be read"),
    ],
)
def test_what_is_no_filter_is_refused(text: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message) as error:
        parse_filter(text)
    assert len(str(error.value)) < 700


@pytest.mark.parametrize("unit", ["a", " ", "a ", "a contains ", "a.", "not ", "has(", "has '"])
def test_offers_are_made_in_linear_time(unit: str) -> None:
    started = time.process_time()
    offer_in("a" + unit * (10_000 // len(unit)))
    assert time.process_time() - started < 1


@given(st.text(max_size=40))
def test_any_text_is_a_filter_or_a_clear_error(text: str) -> None:
    try:
        keep = parse_filter(text)
    except SettingsError:
        return
    assert keep is None or keep.columns is not None


@given(st.text(alphabet="wid()[]<>=andort' \"1.+-*/inNoe,len", max_size=30))
def test_any_text_of_familiar_signs_too(text: str) -> None:
    test_any_text_is_a_filter_or_a_clear_error.hypothesis.inner_test(text)  # type: ignore[attr-defined]


def test_any_word_can_be_looked_for() -> None:
    for word in WORDS:
        assert mask(f"{json.dumps(word)} in caption", caption=[word, None]) == [True, False]
