"""Reading single pages, for the commands that print what is on them.

In: names of files, addresses of pages in archives. Out: `ReadPage`s in their order, read on all
cores; a `Failure` for each that cannot be read. With a browser, which measures where things
stand, pages are read one by one.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from http import HTTPStatus
from pathlib import Path

from blickfang.compute import LostTask, each
from blickfang.compute.worker_progress import Advance, stay_silent
from blickfang.crawl.replay.recorded_web import RecordedWeb
from blickfang.crawl.replay.replay import find_archives
from blickfang.errors import InputError
from blickfang.html.frames import Find, Found, join_frames
from blickfang.html.layout.boxes import Boxes, estimate_boxes
from blickfang.html.layout.browser_layout import measure_boxes, take_styles
from blickfang.html.layout.sections import LayoutOptions
from blickfang.html.page import Measure, choose_methods, read
from blickfang.html.parse.tree import Tree
from blickfang.html.saved_page import find_page, find_shown, name_file
from blickfang.io.chromium import Chromium, Fetch
from blickfang.io.text_files import read_bytes
from blickfang.io.urls import canonical, resolve
from blickfang.types import Failure, Image, Response

OPTIONS = LayoutOptions()


class Ruler:
    """A browser that measures pages, one after the other."""

    def __init__(self, browser: Chromium, web: RecordedWeb | None) -> None:
        self._browser, self._web = browser, web

    def lay_on(self, url: str, name: str, styles: Sequence[bytes], notes: list[str]) -> Measure:
        """Return who measures the page of an address, or without one the saved page of a name.

        `styles` are what its <style> elements held; `notes` gets what could not be done.
        """
        if url:
            return partial(self._measure, url, self._fetch, styles, notes)
        return partial(self._measure, name_file(name), self._fetch_beside, styles, notes)

    def _measure(
        self, url: str, fetch: Fetch, styles: Sequence[bytes], notes: list[str], tree: Tree
    ) -> Boxes:
        try:
            return measure_boxes(tree, url, fetch, self._browser, OPTIONS, styles)
        except InputError as error:
            notes.append(f"its boxes are estimated: {error}")
            return estimate_boxes(tree, OPTIONS)

    def _fetch_beside(self, address: str) -> tuple[int, Mapping[str, str], bytes] | None:
        """Return what a saved page names: a file, or what the archives have of an address."""
        return find_shown(address) or self._fetch(address)

    def _fetch(self, address: str) -> tuple[int, Mapping[str, str], bytes] | None:
        """Return what the archives have of an address, behind redirects."""
        url = canonical(address)
        found = self._web.answer(url) if self._web and url else None
        if found is None or isinstance(found, Failure):
            return None
        return found.status, found.headers, found.body


FEW_PAGES = 64
NO_ARCHIVE = "an address is read from an archive; name it as --archive, or give a saved page"


@dataclass(frozen=True, slots=True)
class PageSource:
    """A page given on the command line: its name, and what no file holds of it."""

    name: str
    methods: tuple[str, ...]
    answer: Response | Failure | None = None  # None: it is a file
    note: str = ""  # on what was read already


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
    names: Sequence[str],
    methods: Sequence[str],
    advance: Advance = stay_silent,
    *,
    archives: Sequence[str] = (),
    browser: bool = False,
) -> Iterator[ReadPage | Failure]:
    """Read pages from files, standard input for `-`, or archives, on all cores, in order."""
    with ExitStack() as stack:
        web = RecordedWeb(find_archives(archives, Path())) if archives else None
        ruler = Ruler(stack.enter_context(Chromium()), web) if browser else None
        sources = (_find_source(name, tuple(methods), web) for name in names)
        # A process costs as much as hundreds of pages, and there is one browser.
        workers = 1 if browser or len(names) < FEW_PAGES else 0
        for done, result in enumerate(each(partial(read_one, ruler=ruler), sources, workers), 1):
            advance(done, len(names))
            if isinstance(result, LostTask):
                reason = "reading it ended its process; please report this page"
                yield Failure(result.thing.name, "page", reason)
            else:
                yield result


def _find_source(name: str, methods: tuple[str, ...], web: RecordedWeb | None) -> PageSource:
    """Return where a page is read from."""
    if name == "-":  # the processes that read pages have another standard input
        return PageSource(name, methods, _read_file(name))
    url = canonical(name) if "://" in name else None
    if url is None:
        return PageSource(name, methods)
    if web is None:
        return PageSource(name, methods, Failure(url, "page", NO_ARCHIVE))
    return PageSource(
        name, methods, *_add_frames(web.answer(url), url, partial(_find_recorded, web))
    )


def _add_frames(
    found: Response | Failure, place: str, find: Find
) -> tuple[Response | Failure, str]:
    """Return a page with its frames, if it has some, and a note about them."""
    if isinstance(found, Failure) or found.status != HTTPStatus.OK:
        return found, ""
    joined = join_frames(found, place, find)
    if joined is None:
        return found, ""
    return (joined, "") if isinstance(joined, Failure) else joined


def _find_recorded(web: RecordedWeb, place: str, source: str) -> Found | None:
    """Return what archives have of a frame of a page."""
    url = resolve(place, source)
    answer = web.answer(url) if url else None
    if url is None or not isinstance(answer, Response) or answer.status != HTTPStatus.OK:
        return None
    return url, answer


def _find_beside(folder: Path, place: str, source: str) -> Found | None:
    """Return the file of a frame, of pages in a folder."""
    path = find_page(folder, place, source)
    found = _read_file(str(path)) if path else None
    return (str(path), found) if isinstance(found, Response) else None


def _read_file(name: str) -> Response | Failure:
    """Return a file as if a host had answered with it."""
    try:
        return Response("", 200, {}, read_bytes(Path(name)))
    except InputError as error:
        return Failure(name, "page", str(error))


def read_one(source: PageSource, ruler: Ruler | None = None) -> ReadPage | Failure:
    """Read one page for the command line."""
    found, note = source.answer, source.note
    if found is None or source.name == "-":
        path = Path(source.name).resolve()
        place = source.name if source.name == "-" else str(path)
        answer = _read_file(source.name) if found is None else found
        found, note = _add_frames(answer, place, partial(_find_beside, path.parent))
    notes = [note] if note else []
    if isinstance(found, Failure):
        return Failure(source.name, "page", found.reason)
    if found.status != HTTPStatus.OK:
        return Failure(source.name, "page", f"its host answered with status {found.status}")
    measure = None
    if ruler:
        body, styles = take_styles(found.body)
        found = replace(found, body=body)
        measure = ruler.lay_on(found.url, source.name, styles, notes)
    page = read(found, choose_methods(source.methods), measure)
    if isinstance(page, Failure):
        return Failure(source.name, "page", page.reason)
    images = tuple(image for image in page.images if image.number >= 0)
    told = (*page.notes, *notes)
    return ReadPage(source.name, page.title, page.language, page.text, page.main_text, images, told)
