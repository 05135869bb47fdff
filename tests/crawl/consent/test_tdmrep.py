"""TDMRep: the examples of the report, precedence within the file, and what is broken."""

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.crawl.permission.path_patterns import normal
from blickfang.crawl.permission.tdmrep import (
    MAX_RULES,
    of_tdm_headers,
    of_tdm_metas,
    of_tdmrep,
    read_tdmrep,
)

RESERVED = frozenset({"mine", "train"})


def reservation(content: Any, path: str) -> str:
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    found = of_tdmrep(read_tdmrep(body), normal(path))
    return found[0].value if found else ""


THREE_GROUPS = [
    {"location": "/directory-a/", "tdm-reservation": 1},
    {
        "location": "/directory-b/html/",
        "tdm-reservation": 1,
        "tdm-policy": "https://provider.com/policies/policy.json",
    },
    {"location": "/directory-b/images/*.jpg", "tdm-reservation": 0},
]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/directory-a/a.pdf", "1"),
        ("/directory-b/html/a", "1"),
        ("/directory-b/images/a.jpg", "0"),
        ("/directory-b/images/a.png", ""),
        ("/", ""),
    ],
)
def test_example_of_the_report(path: str, expected: str) -> None:
    assert reservation(THREE_GROUPS, path) == expected


def test_the_policy_is_on_record() -> None:
    rules = read_tdmrep(json.dumps(THREE_GROUPS).encode())
    one, policy = of_tdmrep(rules, "/directory-b/html/a")
    assert (one.source, one.name, one.forbids) == ("tdmrep.json", "tdm-reservation", RESERVED)
    assert (policy.value, policy.forbids) == (
        "https://provider.com/policies/policy.json",
        frozenset(),
    )


@pytest.mark.parametrize(
    ("content", "path", "expected"),
    [
        ([{"location": "/", "tdm-reservation": 1}], "/a", "1"),
        # the first that matches decides, not the longest
        (
            [{"location": "/", "tdm-reservation": 0}, {"location": "/a", "tdm-reservation": 1}],
            "/a",
            "0",
        ),
        ([{"location": "/path/foo-%24", "tdm-reservation": 1}], "/path/foo-$", "1"),
        ([{"location": "/a$", "tdm-reservation": 1}], "/a/b", ""),
        ({"location": "/", "tdm-reservation": 1}, "/a", "1"),
        ([{"location": "/", "tdm-reservation": "1"}], "/a", "1"),
        ([{"location": "/", "tdm-reservation": True}], "/a", "1"),
        ([{"location": "/", "tdm-reservation": 2}], "/a", ""),
        ([{"location": "/"}], "/a", ""),
        ([{"tdm-reservation": 1}], "/a", "1"),
        ([{"location": "https://example.org/a", "tdm-reservation": 1}], "/a", "1"),
        ([{"location": "a/", "tdm-reservation": 1}], "/a/b", "1"),
        ([{"location": 5, "tdm-reservation": 1}], "/a", ""),
        ([1, None, "x", [], {"location": "/", "tdm-reservation": 1}], "/a", "1"),
        (b"<!doctype html><title>Not found</title>", "/a", ""),
        (b"", "/a", ""),
        (b"\xef\xbb\xbf" + b'[{"location": "/", "tdm-reservation": 1}]', "/a", "1"),
        (b"[" * 100_000, "/a", ""),
        (b"[" + b"9" * 100_000 + b"]", "/a", ""),
        (b"[" + b" " * 600_000, "/a", "1"),  # too long to be read
        (b"<html>" + b" " * 600_000, "/a", ""),
    ],
)
def test_files(content: Any, path: str, expected: str) -> None:
    assert reservation(content, path) == expected


def test_too_many_rules_reserve_the_rest() -> None:
    rules = [{"location": f"/{n}/", "tdm-reservation": 0} for n in range(MAX_RULES + 10)]
    assert reservation(rules, "/5/") == "0"
    assert reservation(rules, f"/{MAX_RULES + 5}/") == "1"


@pytest.mark.parametrize(
    ("value", "expected"),
    [("1", "1"), ("0", "0"), (" 1 ", "1"), ("0, 1", "1"), ("2", ""), ("yes", ""), ("", "")],
)
def test_headers_and_metas(value: str, expected: str) -> None:
    for found in (
        of_tdm_headers({"tdm-reservation": value, "tdm-policy": "https://a.b/"}),
        of_tdm_metas({"TDM-Reservation": value, "tdm-policy": "https://a.b/"}),
    ):
        assert [one.value for one in found] == ([expected, "https://a.b/"] if expected else [])
        assert all(one.forbids == (RESERVED if one.value == "1" else frozenset()) for one in found)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.sampled_from(["location", "tdm-reservation"]), inner)
    ),
    max_leaves=8,
)


@given(st.one_of(st.binary(), JSON.map(lambda value: json.dumps(value).encode())), st.text())
def test_anything_can_be_read(body: bytes, path: str) -> None:
    rules = read_tdmrep(body)
    assert rules == read_tdmrep(body)
    assert of_tdmrep(rules, normal(f"/{path}")) == of_tdmrep(rules, normal(f"/{path}"))


@pytest.mark.parametrize("pattern", ["/*a*a*a*a*a*a*a*a*a*a*a*a*b", "/" + "a" * 400, "*/{}/"])
def test_hostile_files_cost_little(pattern: str) -> None:
    entries = [{"location": f"{pattern}{n}", "tdm-reservation": 0} for n in range(1200)]
    rules = read_tdmrep(json.dumps(entries).encode()[: 512 * 1024])
    durations = []
    for _ in range(10):
        start = time.perf_counter()
        of_tdmrep(rules, "/" + "a" * 8000)
        durations.append(time.perf_counter() - start)
    assert min(durations) < 0.002
