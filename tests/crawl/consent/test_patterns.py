"""Path patterns, against a slow obvious version; and what an attack may cost."""

import functools
import string
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.crawl.permission.path_patterns import compile_patterns, matching, normal, path_of

TEXTS = st.text(alphabet="/ab?=$*%2Ff3:~é ", max_size=12)
PATTERNS = st.text(alphabet="/ab?*$%2F:", max_size=8)


def octets(text: str) -> list[str]:
    """Return the octets of a path; only those of / and ? differ from their escapes."""
    found = []
    data = text.encode()
    while data:
        escape, rest = data[1:3], data[3:]
        if data[:1] == b"%" and len(escape) == 2 and set(escape) <= set(b"0123456789abcdefABCDEF"):
            code = int(escape, 16)
            found.append(f"%{code:02X}" if chr(code) in "/?" else chr(code))
            data = rest
        else:
            found.append(chr(data[0]))
            data = data[1:]
    return found


def spelled(path: list[str]) -> str:
    plain = string.ascii_letters + string.digits + "._~!&'()+,;=:@/?-"
    return "".join(one if one in (*plain, "%2F", "%3F") else f"%{ord(one):02X}" for one in path)


def slowly_matches(pattern: str, path: str) -> bool:
    ends = pattern.endswith("$")
    pieces = (pattern[:-1] if ends else pattern).split("*")
    asked = "*".join(spelled(octets(piece)) for piece in pieces)

    @functools.cache
    def fits(i: int, j: int) -> bool:
        if i == len(asked):
            return not ends or j == len(path)
        if asked[i] == "*":
            return any(fits(i + 1, k) for k in range(j, len(path) + 1))
        return j < len(path) and asked[i] == path[j] and fits(i + 1, j + 1)

    return fits(0, 0)


def query_spellings(path: list[str]) -> list[str]:
    cut = path.index("?") if "?" in path else len(path)
    raw = ["/" if octet == "%2F" else octet for octet in path[cut:]]
    escaped = ["%2F" if octet == "/" else octet for octet in path[cut:]]
    return [spelled(path[:cut] + query) for query in (path[cut:], raw, escaped)]


@given(st.lists(PATTERNS, max_size=4), TEXTS)
def test_as_the_slow_version(patterns: list[str], text: str) -> None:
    path = octets("/" + text)
    expected = {
        number
        for number, pattern in enumerate(patterns)
        for spelling in query_spellings(path)
        if slowly_matches(pattern, spelling)
    }
    found = matching(compile_patterns(patterns), normal("/" + text))
    assert found is not None
    assert {tail.number for tail in found} == expected


@given(st.text())
def test_normal_spelling_is_ascii_and_settles(text: str) -> None:
    once = normal(text)
    assert once.isascii()
    assert normal(once) == once


@given(st.text(alphabet=st.characters(codec=None, categories=["L", "P", "Z", "C"])))
def test_any_text_is_a_path_and_a_pattern(text: str) -> None:
    assert path_of(text).startswith("/")
    assert matching(compile_patterns([text, "*" + text]), path_of(text)) is not None


@pytest.mark.parametrize(
    ("pattern", "priority"),
    [("/", 1), ("/fish", 5), ("/fish*", 6), ("/f**sh$", 7), ("/%66ish", 5), ("/é", 7), ("/$", 2)],
)
def test_the_longest_is_the_most_specific(pattern: str, priority: int) -> None:
    ((tail,),) = compile_patterns([pattern]).tails.values()
    assert tail.priority == priority


LONG = "/" + "a" * 8000
HOSTILE = {
    "stars": [f"/{'*a' * 60}{n}b" for n in range(4000)],
    "one long": ["/" + "*a" * 250_000 + "b"],
    "starred": [f"*{n:x}b" for n in range(50_000)],
    "periodic": [f"/*{'a' * (50 + n)}b{'a' * 50}" for n in range(60)],
    "nested": ["/" + "a" * n for n in range(1000)],
    "prefixes": [f"/{n:x}" for n in range(45_000)],
}


@pytest.mark.parametrize("name", HOSTILE)
def test_an_attack_costs_little(name: str) -> None:
    patterns = compile_patterns(HOSTILE[name])
    for path in (LONG, LONG[:1000], LONG[:200], LONG[:50], "/" + "%2F" * 2700):
        durations = []
        for _ in range(10):
            start = time.perf_counter()
            matching(patterns, path)
            durations.append(time.perf_counter() - start)
        assert min(durations) < 0.002, path[:20]  # a millisecond where nobody else computes


def test_ordinary_rules_are_never_too_much() -> None:
    patterns = compile_patterns([f"/*?parameter{n}=" for n in range(300)])
    assert matching(patterns, "/a/" + "b" * 200) == []
    assert matching(compile_patterns(HOSTILE["starred"]), "/a") is None
