"""Finding the records of an archive, also of broken ones.

In: the unpacked bytes of an archive. Out: records with their fields and content, and a reason for
each that cannot be read; reading goes on with the next. Those of ARC have fields as of WARC.

ClueWeb09 (WARC/0.18) breaks its own rules: lines end in LF, addresses have line breaks in them, so
that a head may hold empty lines, and lengths can be wrong. There a head ends with the first empty
line behind the length, and a record where the next one begins.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from blickfang.io.warc.byte_stream import Tape
from blickfang.io.warc.payload import STATUS, header_text
from blickfang.io.warc.record_headers import LONGEST_LINE, NEXT_LINE, begins_arc, read_arc_line

MAX_BLOCK = 2**26
MAX_LINE = 2**16
MAX_LINES = 256  # of a head
MOST_BROKEN = 20_000  # records, one behind the other: this is no archive
PLAIN_HEAD = 4096  # bytes of a head that is read all at once; most have a few hundred
MAX_JUNK = 2**26  # searched for the next record; behind that, the file is given up

VERSION = re.compile(rb"WARC/([0-9]\.[0-9]{1,2})[ \t]*\r?\n")
FIELD = re.compile(rb"([A-Za-z][A-Za-z0-9-]*)[ \t]*:(.*)", re.DOTALL)
# A head as it should be: fields in lines of their own, nothing else, an empty line behind them.
LINES = re.compile(r"^([A-Za-z][A-Za-z0-9-]*)[ \t]*:([^\r\n]*)\r\n", re.MULTILINE)
BLANK = " \t\n\r\x0b\f"  # what is stripped off bytes
OUR_FIELD = re.compile(rb"(?:WARC-[A-Za-z-]+|Content-(?:Type|Length))[ \t]*:", re.IGNORECASE)
# Bytes read again because of lengths that were too great. When every record of a file claims all
# that follows, reading it would else take the square of its size.
MOST_RETURNED = 2**28
INNER_RECORD = re.compile(rb"(?<=\n)WARC/[0-9]\.[0-9]{1,2}\r?\n(?:WARC|Content)-[A-Za-z-]+:")
BEGINNING = 64  # bytes in which a record is known as one: its version and the name of a field
CLUEWEB = "0.18"
ARC_ITSELF = "filedesc:"


class WarcRecord(NamedTuple):
    """A record as it is in the file."""

    fields: dict[str, str]  # names in lower case
    block: bytes
    offset: int | None
    length: int | None  # in the file


NO_RECORD = "no record where one should begin"
NO_ARCHIVE = "not a WARC, ARC or WACZ file"


class Broken(NamedTuple):
    """A record, or what may have been one, that cannot be used."""

    url: str  # "" if that is unknown, too
    reason: str


def read_records(tape: Tape) -> Iterator[WarcRecord | Broken]:
    """Yield all records of an archive."""
    _skip_blank(tape)
    tape.find_out()
    read = _read_arc if tape.is_arc else _read_record
    records = broken = 0
    while not tape.is_at_end():
        offset = tape.offset()
        found = read(tape)
        if isinstance(found, WarcRecord):
            end = tape.offset()
            if offset is not None and end is not None:
                found = found._replace(offset=offset, length=end - offset)
            yield found
            records += 1
            broken = 0
            if tape.damage:
                yield Broken("", tape.damage)
        else:
            is_found = _find_record(tape)
            is_other = found.reason == NO_RECORD and not records and tape.is_at_end()
            yield Broken(found.url, NO_ARCHIVE if is_other else tape.damage or found.reason)
            broken += 1
            if not is_found or broken > MOST_BROKEN:
                yield Broken("", "no records for too long")
                return
        tape.damage = ""
    if tape.damage:
        yield Broken("", tape.damage)


def _read_record(tape: Tape) -> WarcRecord | Broken:
    """Return the record that begins here; all of it is read then, and the blank lines behind."""
    version = VERSION.fullmatch(tape.line(MAX_LINE))
    if version is None:
        return Broken("", NO_RECORD)
    is_clueweb = version[1].decode() == CLUEWEB
    fields = {} if is_clueweb else _read_plain(tape)
    fields = fields or _read_fields(tape, is_clueweb)
    url = fields.get("warc-target-uri", "")
    length = fields.get("content-length", "")
    if not (length.isascii() and length.isdigit() and len(length) < 19):
        return Broken(url, "record without a length")
    if int(length) > MAX_BLOCK:
        tape.skip(int(length))
        _skip_blank(tape)
        return Broken(url, "record too long")
    block = tape.take(int(length))
    is_short = len(block) < int(length)
    blank = _skip_blank(tape)
    if is_short or not (tape.is_at_end() or tape.is_at_record()):
        mended = _mend(tape, block, blank, is_short, is_clueweb)
        if mended is None:
            return Broken(url, "record shorter than it says")
        block = mended
    return WarcRecord(fields, block, None, None)


def _read_arc(tape: Tape) -> WarcRecord | Broken:
    """Return the ARC record that begins here, and read the blank lines behind it."""
    fields = read_arc_line(tape.line(LONGEST_LINE))
    if not fields:
        return Broken("", NO_RECORD)
    url, length = fields["warc-target-uri"], int(fields["content-length"])
    if length > MAX_BLOCK:
        tape.skip(length)
        _skip_blank(tape)
        return Broken(url, "record too long")
    block = tape.take(length)
    blank = _skip_blank(tape)
    if len(block) < length and (tape.damage or tape.is_at_end()):
        return Broken(url, "record shorter than it says")
    if not (tape.is_at_end() or tape.is_at_record()):
        if url.startswith(ARC_ITSELF):  # nothing of the web: its length is often wrong
            _find_record(tape)
        else:
            block = _cut_arc(tape, block, blank)
    fields["warc-type"] = "response" if STATUS.match(block) else "resource"
    return WarcRecord(fields, block, None, None)


def _cut_arc(tape: Tape, block: bytes, blank: bytes) -> bytes:
    """Return what belongs to a record behind which none begins: up to one in it, if there is."""
    ahead = tape.take(LONGEST_LINE)
    tape.put_back(ahead)
    whole = block + blank + ahead
    for line in NEXT_LINE.finditer(whole):
        at = line.end()
        if at >= len(block):
            break
        if begins_arc(whole[at : at + LONGEST_LINE]):
            tape.returned += len(block) - at + len(blank)
            if tape.returned > MOST_RETURNED:
                break
            tape.put_back(block[at:] + blank)
            return block[: line.start()]
    return block


def _read_plain(tape: Tape) -> dict[str, str]:
    """Return the fields of a head that is as it should be, all at once; else none of them."""
    head = tape.take_to(b"\r\n\r\n", PLAIN_HEAD)
    lines = head.count(b"\n") - 1
    if 0 < lines < MAX_LINES and head.isascii():
        found = LINES.findall(head.decode())
        fields = {name.lower(): value.strip(BLANK) for name, value in found}
        if len(found) == lines and "content-length" in fields:
            return fields
    tape.put_back(head)
    return {}


def _read_fields(tape: Tape, is_clueweb: bool) -> dict[str, str]:
    """Return the fields of a record's head; without a length if it is broken."""
    fields: dict[str, bytes] = {}
    name = ""
    for _ in range(MAX_LINES):
        line = tape.line(MAX_LINE)
        if not line or VERSION.fullmatch(line):
            tape.put_back(line)
            break
        if not line.strip():
            if "content-length" in fields or not (is_clueweb or _goes_on(tape)):
                break
            continue
        field = FIELD.fullmatch(line)
        if field and line[:1] not in b" \t":
            name = field[1].decode().lower()
            fields[name] = field[2].strip()
        elif name:  # a long value goes on; in ClueWeb09 also an address with a line break
            fields[name] += line.strip() if is_clueweb else b" " + line.strip()
    return {name: header_text(value) for name, value in fields.items()}


def _goes_on(tape: Tape) -> bool:
    """Whether behind an empty line there are more fields of the same head."""
    line = tape.line(MAX_LINE)
    tape.put_back(line)
    return OUR_FIELD.match(line) is not None


def _mend(tape: Tape, block: bytes, blank: bytes, is_short: bool, is_clueweb: bool) -> bytes | None:
    """Return what belongs to a record of which the length was wrong, None if that is not known."""
    inner = _find_inner(tape, block, blank)
    if inner is not None:  # the length was too great: the next record begins within
        tape.returned += len(block) - inner + len(blank)
        if tape.returned > MOST_RETURNED:
            return None
        tape.put_back(block[inner:] + blank)
        return block[:inner].rstrip(b"\r\n")
    if is_short:  # in a file without damage, its end or a gzip member's is that of the record
        return block if is_clueweb and not tape.damage else None
    if not is_clueweb:
        return block  # what lies between records is reported as one
    rest = bytearray(blank)
    while len(rest) < MAX_BLOCK and not (tape.is_at_end() or tape.is_at_record()):
        rest += tape.line(MAX_LINE)
    return block + bytes(rest).rstrip(b"\r\n")


def _find_inner(tape: Tape, block: bytes, blank: bytes) -> int | None:
    """Return where in a block the next record begins, also one whose first lines end behind it."""
    inner = INNER_RECORD.search(block)
    if inner:
        return inner.start()
    tail = block[-BEGINNING:]
    ahead = tape.take(BEGINNING)
    tape.put_back(ahead)
    inner = INNER_RECORD.search(tail + blank + ahead)
    if inner is None or inner.start() >= len(tail):
        return None
    return len(block) - len(tail) + inner.start()


def _skip_blank(tape: Tape) -> bytes:
    """Go over empty lines; return them."""
    blank = b""
    while len(blank) < MAX_LINE and not tape.is_at_end():
        line = tape.blank_lines(MAX_LINE) or tape.line(MAX_LINE)
        if line.strip(b"\r\n"):
            tape.put_back(line)
            break
        blank += line
    return blank


def _find_record(tape: Tape) -> bool:
    """Go to where the next record seems to begin; False if that is too far away."""
    searched = 0
    while not (tape.is_at_end() or tape.is_at_record()):
        searched += tape.skip_lines() or len(tape.line(MAX_LINE))
        if searched > MAX_JUNK:
            return False
    return True
