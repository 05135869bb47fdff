"""Whom a line of robots.txt speaks to, against a slow obvious version; broken bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.crawl.permission.record_lines import MAX_BYTES, decode, read_records

SITE_WIDE = ("Sitemap", "License", "X-unknown")
RULES = ("Allow", "Disallow")
FIELDS = ("User-agent", *RULES, "Crawl-delay", "Content-Signal", *SITE_WIDE)
AGENTS = ("*", "Blickfang", "blickfang/2.0", "Blick", "Other")

Line = tuple[str, str]


def agents_of(lines: list[Line], number: int) -> set[str] | None:
    """Return whom a line is for, by walking up; None if it stands above all user agents."""
    apart = RULES if lines[number][0] in RULES else ("Crawl-delay", "Content-Signal", *RULES)
    above = [line for line in lines[:number] if line[0] == "User-agent" or line[0] in apart]
    while above and above[-1][0] != "User-agent":
        above.pop()
    if not above:
        return None
    found = set()
    while above and above[-1][0] == "User-agent":
        found.add(above.pop()[1].partition("/")[0].lower())
    return found


def file_lines() -> st.SearchStrategy[list[Line]]:
    def line(field: str, number: int, agent: str) -> Line:
        return field, agent if field == "User-agent" else str(number)

    fields = st.sampled_from(FIELDS + ("User-agent",) * 3)
    return st.lists(
        st.builds(line, fields, st.integers(1, 99), st.sampled_from(AGENTS)), max_size=12
    )


@given(file_lines())
def test_groups_as_the_slow_version(lines: list[Line]) -> None:
    named = {value.partition("/")[0].lower() for field, value in lines if field == "User-agent"}
    us = "blickfang" if "blickfang" in named else "*"
    rules, delays, signals = [], [], []
    for number, (field, value) in enumerate(lines):
        agents = agents_of(lines, number)
        if field in RULES and agents is not None and us in agents:
            rules.append((field == "Allow", value))
        if field == "Crawl-delay" and (agents is None or us in agents):
            delays.append(float(value))
        if field == "Content-Signal" and (agents is None or us in agents):
            signals.append(("content-signal", value))
    records = read_records("\n".join(f"{field}: {value}" for field, value in lines))
    assert records.rules == tuple(dict.fromkeys(rules))
    assert records.delay_s == max(delays, default=None)
    assert records.usages == tuple(signals)
    assert records.sitemaps == tuple(value for field, value in lines if field == "Sitemap")
    assert records.licences == tuple(value for field, value in lines if field == "License")


@pytest.mark.parametrize(
    "line",
    [
        "Disallow: /a",
        "disallow:/a",
        " \tDISALLOW\t: /a  ",
        "Disallow /a",
        "Dissallow: /a",
        "Disallow: /a # all of it",
        "Disallow: /a#",
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_as_people_write_them(line: str, end: str) -> None:
    text = decode(f"useragent: *{end}{line}{end}Allow: /b".encode())
    assert read_records(text).rules == ((False, "/a"), (True, "/b"))


@pytest.mark.parametrize("line", ["Disallowed: /a", "# Disallow: /a", "Noindex: /a", "Allowance /"])
def test_other_lines_are_no_rules(line: str) -> None:
    assert read_records(f"User-agent: *\n{line}").rules == ()


def test_letters_of_other_scripts_are_no_fields() -> None:
    assert read_records("User-agent: *\nſitemap: /a\ndiſallow: /").rules == ()


def test_generated_for_everybody() -> None:
    assert read_records("User-agent: */\nDisallow: *").rules == ((False, "*"),)


@pytest.mark.parametrize(
    "value", ["", "-1", "nan", "inf", "1e9", "ten", "5 h", "5 x", "1,2,3", "٣"]
)
def test_delays_that_are_none(value: str) -> None:
    assert read_records(f"User-agent: *\nCrawl-delay: {value}").delay_s is None


@pytest.mark.parametrize(
    ("value", "delay"),
    [
        *(("5", 5.0), ("0.5", 0.5), (".5", 0.5), ("10.", 10.0)),
        *(
            ("10s", 10.0),
            ("5 S", 5.0),
            ("2,5", 2.5),
            (",5 sec.", 0.5),
            ("30 seconds # or so", 30.0),
        ),
        *(("1m", 60.0), ("0.5 min", 30.0), ("2 minutes", 120.0)),
    ],
)
def test_delays(value: str, delay: float) -> None:
    assert read_records(f"User-agent: *\nCrawl-delay: {value}").delay_s == delay


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_byte_order_marks(encoding: str) -> None:
    assert decode("User-agent: *\n".encode(encoding)) == "User-agent: *\n"


def test_a_long_file_is_cut_between_lines() -> None:
    line = b"Disallow: /abcdef\n"
    text = decode(line * (MAX_BYTES // len(line) + 2))
    assert MAX_BYTES - len(line) < len(text) <= MAX_BYTES
    assert text.endswith("/abcdef\n")
    assert decode(b"Allow: /a\nAllow: /b", cut=True) == "Allow: /a\n"


@given(st.binary(max_size=300))
def test_any_bytes_can_be_read_and_stored(body: bytes) -> None:
    text = decode(body)
    text.encode()
    assert read_records(text) == read_records(decode(body))
