"""Addresses that lead nowhere new for ever: calendars, growing paths, sessions.

In: a canonical address. Out: why it is a trap; the form under which it is counted as seen; the
pattern whose addresses share a budget. No host and no software is named here but the parameters
that carry session ids everywhere.
"""

import re
from urllib.parse import unquote

MAX_SEGMENTS = 24
MAX_REPEATS = 3  # of one name in a path: /a/b/a/b/a/b/ comes from relative links gone wrong
MAX_QUERY = 1024
DATED_BUDGET = 120  # pages of a calendar, which differ only in the digits of a date: ten years
NUMBERED_BUDGET = 5000  # that differ only in other digits: articles have numbers, too
ARTICLE = "#article"  # in no address: they are counted apart from calendars with the same digits

SESSION = re.compile(
    r"(?:;jsessionid=[^?#/]*)|(?<=[?&])(?:phpsessid|jsessionid|aspsessionid\w*|sessionid|session_id|"
    r"sessid|cfid|cftoken|zenid|oscsid)=[^&#]*&?"
    r"|(?<=[?&])(?:sid|sess|session|token)=(?=[a-z]*[0-9])[0-9a-z-]{8,}(?:&|$)",
    re.ASCII | re.IGNORECASE,
)
# And what programs number by; a row of letters is looked at from its first only.
DIGITS = re.compile(r"(?<![a-f])(?=[a-f]*+\d)[0-9a-f]{8,}+|\d++", re.A | re.I)
LONG = re.compile(r"[0-9a-fA-F]{8}")  # without one of them only decimal digits count
DECIMAL = re.compile(r"\d+", re.A)
YEAR = re.compile(r"(?<!\d)(?:1[89]|2\d)\d\d(?!\d)", re.A)
MONTH = re.compile(r"(?<!\d)(?:0?[1-9]|1[0-2])(?!\d)", re.A)
# Where a path ends in one it is that of a month or day; articles behind a date have higher numbers.
LAST_DAY = re.compile(r"(?<!\d)(?:0?[1-9]|[12]\d|3[01])\D*\Z", re.A)
LAST_YEAR = re.compile(YEAR.pattern + r"\D*\Z", re.A)
DATE_QUERY = re.compile(r"[?&](?:date|day|month|year|from|start|end|to|cal\w*|week|ym)=", re.I)


def without_session(url: str) -> str:
    """Return an address without its session id: what makes it the same page for us.

    >>> without_session("http://a.org/x;jsessionid=1A?b=1&PHPSESSID=77&c=2")
    'http://a.org/x?b=1&c=2'
    """
    if "=" not in url:
        return url
    return SESSION.sub("", url).rstrip("?&")


def find_trap(url: str) -> str:
    """Return why an address leads nowhere, "" for most.

    >>> find_trap("http://a.org/x/y/x/y/x/y/x/y.html")
    'a path that repeats itself'
    """
    if url.count("/") < 3 + MAX_REPEATS and len(url) <= MAX_QUERY:  # three are those of any address
        return ""
    path, _, query = url.partition("//")[2].partition("/")[2].partition("?")
    if len(query) > MAX_QUERY:
        return "a very long query"
    if path.count("/") < MAX_REPEATS:
        return ""
    names = unquote(path).split("/")
    if len(names) > MAX_SEGMENTS:
        return "a very deep path"
    if len(names) - len(set(names)) >= MAX_REPEATS and any(
        names.count(name) > MAX_REPEATS for name in set(names) if name
    ):
        return "a path that repeats itself"
    return ""


def pattern_of(url: str) -> tuple[str, int] | None:
    """Return an address without its digits, and how many such addresses of a host are followed.

    >>> pattern_of("http://a.org/cal/2031/07.html?day=3")
    ('http://a.org/cal/0/0.html?day=0', 120)
    >>> pattern_of("http://a.org/2024/05/10159.html")
    ('http://a.org/0/0/0.html#article', 5000)
    """
    start = url.find("/", 8)
    tail = url[start : start + MAX_QUERY]
    pattern, numbers = DECIMAL.subn("0", tail)
    if not numbers:
        return None
    if LONG.search(tail):
        pattern = DIGITS.sub("0", tail)
    if "?" in tail and DATE_QUERY.search(tail):
        return url[:start] + pattern, DATED_BUDGET
    if not _has_date(tail):
        return url[:start] + pattern, NUMBERED_BUDGET
    if _is_calendar(tail):
        return url[:start] + pattern, DATED_BUDGET
    return url[:start] + pattern + ARTICLE, NUMBERED_BUDGET


def _has_date(text: str) -> bool:
    year = YEAR.search(text)
    return bool(year and MONTH.search(text, year.end()))


def _is_calendar(tail: str) -> bool:
    """Whether an address with a date is that of a day or month, not of an article of that day."""
    path, _, query = tail.partition("?")
    ends = LAST_DAY.search(path) or (query and LAST_YEAR.search(path))  # the month is in the query
    return bool(ends) or _has_date(query)
