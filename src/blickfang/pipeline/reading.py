"""Reading pages from files, for the commands that print what is on them.

In: names of files. Out: `ReadPage`s in their order, read on all cores; a `Failure` for each that
cannot be read.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from blickfang.data import Failure, Image
from blickfang.engine import Lost, each
from blickfang.errors import InputError
from blickfang.page import read_page
from blickfang.pipeline.gauges import Advance, stay_silent
from blickfang.textfiles import read_bytes

FEW_PAGES = 64


@dataclass(frozen=True, slots=True)
class Source:
    """A page given on the command line: its name, and its bytes where no file holds them."""

    name: str
    body: bytes | None
    methods: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReadPage:
    """What commands show of a page."""

    name: str
    title: str
    language: str | None
    text: str
    main_text: str
    images: tuple[Image, ...]  # the <img> elements
    notes: tuple[str, ...]


def read_pages(
    names: Sequence[str], methods: Sequence[str], advance: Advance = stay_silent
) -> Iterator[ReadPage | Failure]:
    """Read pages from files, or standard input for `-`, on all cores, in order."""
    chosen = tuple(methods)
    sources = [
        Source(name, read_bytes(Path("-")) if name == "-" else None, chosen) for name in names
    ]
    workers = 1 if len(names) < FEW_PAGES else 0  # a process costs as much as hundreds of pages
    for done, result in enumerate(each(read_one, sources, workers), 1):
        advance(done, len(sources))
        if isinstance(result, Lost):
            reason = "reading it ended its process; please report this page"
            yield Failure(result.thing.name, "page", reason)
        else:
            yield result


def read_one(source: Source) -> ReadPage | Failure:
    """Read one page for the command line."""
    try:
        body = read_bytes(Path(source.name)) if source.body is None else source.body
        page = read_page(body, methods=source.methods)
    except InputError as error:
        return Failure(source.name, "page", str(error))
    if isinstance(page, Failure):
        return Failure(source.name, "page", page.reason)
    images = tuple(image for image in page.images if image.number >= 0)
    return ReadPage(
        source.name, page.title, page.language, page.text, page.main_text, images, page.notes
    )
