"""PDFs of papers: bytes in; title, affiliations, e-mail addresses and abstract, or a failure, out.

Reading happens in a process of its own (`sheets.py`) with little memory and time: whatever a file
does there ends within seconds and harms nobody. Only the first two pages are looked at.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from blickfang.io.log import LOGGER
from blickfang.records.research.heads import PdfLine, find_head
from blickfang.records.research.values import PaperHead
from blickfang.types import Failure

PROGRAM = Path(__file__).with_name("sheets.py")
ROOM = "papers"
MAX_BYTES = 30_000_000
MOST_S = 20.0  # by the clock; its processor time is limited to half of that
MARK, MARK_WITHIN = b"%PDF-", 1024
NOT_A_PDF, TOO_LARGE = "not a PDF", "larger than 30 MB"
TOO_SLOW, ENDED = "takes too long to read", "reading it ended its process"


def read_pdf_head(
    data: bytes, url: str = "", title: str = "", authors: Sequence[str] = ()
) -> PaperHead | Failure:
    """Return what stands above the text of a paper; its title and authors help, if known."""
    sheets = read_first_pages(data, url)
    if isinstance(sheets, Failure):
        return sheets
    head = find_head(sheets, title, authors)
    return head or Failure(url, ROOM, "another paper: its title is not on the first pages")


def read_first_pages(data: bytes, url: str = "") -> list[list[PdfLine]] | Failure:
    """Return the lines of the first two pages of a PDF."""
    if len(data) > MAX_BYTES:
        return Failure(url, ROOM, TOO_LARGE)
    if MARK not in data[:MARK_WITHIN]:
        return Failure(url, ROOM, NOT_A_PDF)
    try:
        done = subprocess.run(  # noqa: S603 - our own program
            [sys.executable, "-I", str(PROGRAM)],
            input=data,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=MOST_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Failure(url, ROOM, TOO_SLOW)
    if done.returncode:
        return Failure(url, ROOM, ENDED)
    try:
        found = json.loads(done.stdout)
    except ValueError:
        return Failure(url, ROOM, ENDED)
    if "failure" in found:
        LOGGER.debug("%s: %s", url, found.get("traceback", found["failure"]))
        return Failure(url, ROOM, str(found["failure"]))
    return [[PdfLine(str(text), float(size)) for text, size in page] for page in found["pages"]]
