"""The heads of WARC records, and the digests in them.

In: an exchange, and what is to be said of it. Out: named fields, and the bytes of a head.
"""

import hashlib
import os
import re
from collections.abc import Mapping
from datetime import UTC, datetime

from blickfang import __version__
from blickfang.io.warc.http_exchange import Exchange

NOT_MODIFIED = 304
REVISITS = "http://netpreserve.org/warc/1.1/revisit/"
HTTP_REQUEST = "application/http; msgtype=request"
HTTP_RESPONSE = "application/http; msgtype=response"

BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
PAIRS = [first + second for first in BASE32 for second in BASE32]  # for ten bits

Fields = list[tuple[str, str]]


def payload_digest(body: bytes) -> str:
    """Return the digest of a body by which equal ones are known, as sha1:BASE32."""
    return write_digest(hashlib.sha1(body, usedforsecurity=False).digest())


def write_digest(digest: bytes) -> str:
    """Return the 20 bytes of a digest as sha1:BASE32."""
    number = int.from_bytes(digest, "big")  # 160 bits; five times as fast as base64 is
    return "sha1:" + "".join([PAIRS[number >> shift & 1023] for shift in range(150, -1, -10)])


def new_record_id() -> str:
    """Return an identifier that no other record has."""
    code = os.urandom(16).hex()  # a UUID of version 4, in half the time that `uuid` takes
    variant = "89ab"[int(code[16], 16) & 3]
    parts = code[:8], code[8:12], f"4{code[13:16]}", f"{variant}{code[17:20]}", code[20:]
    return f"<urn:uuid:{'-'.join(parts)}>"


def request_fields(exchange: Exchange, response_id: str) -> Fields:
    """Return what the head of a request's record says."""
    return [
        *_shared_fields(exchange, new_record_id()),
        ("WARC-Concurrent-To", response_id),
        ("Content-Type", HTTP_REQUEST),
    ]


def response_fields(exchange: Exchange, record_id: str, digest: str) -> Fields:
    """Return what the head of an answer's record says."""
    fields = _shared_fields(exchange, record_id)
    if exchange.truncated:
        fields.append(("WARC-Truncated", exchange.truncated))
    return [*fields, ("WARC-Payload-Digest", digest), ("Content-Type", HTTP_RESPONSE)]


def revisit_fields(
    exchange: Exchange, record_id: str, digest: str, refers_to: tuple[str, str]
) -> Fields:
    """Return what is said of an answer whose payload is in an earlier record."""
    url, date = refers_to
    fields = [
        *_shared_fields(exchange, record_id),
        ("WARC-Refers-To-Target-URI", url),
        ("WARC-Refers-To-Date", date),
        ("Content-Type", HTTP_RESPONSE),
    ]
    if exchange.status == NOT_MODIFIED:  # the server sent no payload, so it has no digest
        return [*fields, ("WARC-Profile", f"{REVISITS}server-not-modified")]
    return [
        *fields,
        ("WARC-Profile", f"{REVISITS}identical-payload-digest"),
        ("WARC-Payload-Digest", digest),
        ("WARC-Truncated", "length"),  # the standard asks for it where the payload is left out
    ]


def _shared_fields(exchange: Exchange, record_id: str) -> Fields:
    fields = [
        ("WARC-Record-ID", record_id),
        ("WARC-Date", exchange.fetched_at),
        ("WARC-Target-URI", exchange.url),
    ]
    if exchange.ip:
        fields.append(("WARC-IP-Address", exchange.ip))
    return fields


def warcinfo(file_name: str, about: Mapping[str, str]) -> tuple[Fields, bytes]:
    """Return what a file says of itself in its first record: head and content."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    fields = [
        ("WARC-Record-ID", new_record_id()),
        ("WARC-Date", now),
        ("WARC-Filename", file_name),
        ("Content-Type", "application/warc-fields"),
    ]
    facts = {
        "software": f"blickfang/{__version__}",
        "format": "WARC File Format 1.1",
        "conformsTo": "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
    }
    return fields, warc_fields({**facts, **about})


def warc_fields(facts: Mapping[str, str]) -> bytes:
    """Return facts as lines of name and value."""
    lines = [f"{name}: {' '.join(value.split())}\r\n" for name, value in facts.items()]
    return "".join(lines).encode()


def record_head(kind: str, fields: Fields, block: tuple[bytes, ...]) -> bytes:
    """Return the head of a record, up to its content."""
    lines = ["WARC/1.1", f"WARC-Type: {kind}"]
    lines += [f"{name}: {value}" for name, value in fields]
    lines.append(f"WARC-Block-Digest: {_digest(*block)}")
    lines.append(f"Content-Length: {sum(map(len, block))}")
    head = "\r\n".join(lines)
    if head.count("\n") != len(lines) - 1 or head.count("\r") != len(lines) - 1:
        raise ValueError("a field of a record has a line break in it")
    return head.encode() + b"\r\n\r\n"


def _digest(*parts: bytes) -> str:
    state = hashlib.sha1(usedforsecurity=False)
    for part in parts:
        state.update(part)
    return write_digest(state.digest())


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
