"""Retry-After, dates, and the name under which we ask."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.crawl.permission.crawl_manners import MAX_RETRY_S, read_date, retry_after, user_agent
from blickfang.errors import SettingsError
from tests.crawl.consent.answers import NOW


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("120", 120.0),
        (" 0 ", 0.0),
        ("9" * 500, MAX_RETRY_S),
        ("Sun, 15 Jun 2025 15:08:40 GMT", 120.0),
        ("Sunday, 15-Jun-25 15:08:40 GMT", 120.0),
        ("Sun Jun 15 15:08:40 2025", 120.0),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
        ("Fri, 31 Dec 2100 23:59:59 GMT", MAX_RETRY_S),
        ("", None),
        ("-5", None),
        ("1.5", None),
        ("soon", None),
        ("٣", None),
        ("Sun, 99 Jun 2025 15:08:40 GMT", None),
    ],
)
def test_retry_after(value: str, expected: float | None) -> None:
    assert retry_after({"retry-after": value}, NOW) == expected


def test_without_the_header() -> None:
    assert retry_after({}, NOW) is None


@given(st.one_of(st.text(), st.text(alphabet="0123456789 :-+JanGMTSu,", max_size=40)))
def test_any_text_is_a_date_or_none(text: str) -> None:
    assert read_date(text) == read_date(text)
    wait = retry_after({"retry-after": text}, NOW)
    assert wait is None or 0 <= wait <= MAX_RETRY_S


@pytest.mark.parametrize(
    "contact", ["mailto:me@example.org", "https://example.org/~me/bot?x=1", "http://example.org"]
)
def test_user_agent(contact: str) -> None:
    assert user_agent(contact, "0.1") == f"Blickfang/0.1 (+{contact})"


@pytest.mark.parametrize(
    "contact",
    [
        "",
        "me@example.org",
        "mailto:",
        "mailto:me@example.org\r\nX-Other: 1",
        "mailto:me@example.org\n",
        "mailto:me@example.org) Mozilla/5.0 (",
        "https://example.org/a b",
        "https://exämple.org/",
        "https://example.org/\x00",
        "https://" + "a" * 300,
    ],
)
def test_nothing_else_gets_into_the_request(contact: str) -> None:
    with pytest.raises(SettingsError, match="contact must be"):
        user_agent(contact, "0.1")


def test_versions() -> None:
    assert user_agent("mailto:me@example.org", "1.0rc1+dirty").startswith("Blickfang/1.0rc1+dirty ")
    with pytest.raises(ValueError, match="no version"):
        user_agent("mailto:me@example.org", "1\r\nX: y")
