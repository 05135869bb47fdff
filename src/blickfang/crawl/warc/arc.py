"""The head of an ARC record: archives of Alexa, the Internet Archive, Common Crawl until 2012.

In: a line. Out: fields as a WARC record would have them. A record is this line and so many bytes as
it says, an answer with its HTTP head. Version 1 has address, IP address, date, type and length;
version 2 has status, checksum, location, offset and file before the length. Addresses and types of
old files have blanks in them, so the line is read from its date on, which is digits only.
"""

import re

LONGEST_LINE = 2**14
SCHEME = re.compile(rb"[A-Za-z][A-Za-z0-9+.-]{1,15}:")
LONGEST_SCHEME = 17
NEXT_LINE = re.compile(rb"\n(?=[A-Za-z][A-Za-z0-9+.-]{1,15}:)")  # one that may begin a record
IP = re.compile(r"[0-9.]{7,15}|[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*")
MOST_BLANKS = 200  # before the date


def read_arc_line(line: bytes) -> dict[str, str]:
    """Return the fields of a record's first line; none if this is no such line.

    >>> read_arc_line(b"http://a.test/ 192.0.2.1 20080430204825 text/html 7")["warc-date"]
    '2008-04-30T20:48:25Z'
    """
    if not SCHEME.match(line) or len(line) > LONGEST_LINE:
        return {}
    tokens = line.rstrip().decode("utf-8", "replace").split(" ")
    before = tokens[: MOST_BLANKS + 2]
    dates = [at for at in range(2, len(before)) if is_number(before[at], 8, 17)]
    at = next((at for at in dates if IP.fullmatch(before[at - 1])), dates[0] if dates else 0)
    rest, length = tokens[at + 1 : -1], tokens[-1]
    if not at or at + 1 == len(tokens) or not is_number(length, 1, 18):
        return {}
    if len(rest) >= 6:  # version 2
        rest = rest[:-5]
    return {
        "warc-target-uri": "%20".join(tokens[: at - 1]),
        "warc-date": write_date(tokens[at]),
        "warc-ip-address": tokens[at - 1],
        "content-type": " ".join(rest),
        "content-length": length,
    }


def is_number(text: str, shortest: int, longest: int) -> bool:
    """Whether a text is so many digits."""
    return shortest <= len(text) <= longest and text.isascii() and text.isdigit()


def write_date(digits: str) -> str:
    """Return a date of 14 digits, or of less or more, as WARC has it.

    >>> write_date("20080430")
    '2008-04-30T00:00:00Z'
    """
    digits = digits[:14].ljust(14, "0")
    parts = digits[:4], digits[4:6], digits[6:8]
    return f"{'-'.join(parts)}T{digits[8:10]}:{digits[10:12]}:{digits[12:]}Z"


def begins_arc(data: bytes) -> bool:
    """Whether bytes begin with the line of an ARC record."""
    if not SCHEME.match(data):
        return False
    end = data.find(b"\n", 0, LONGEST_LINE)
    return end > 0 and bool(read_arc_line(data[:end]))
