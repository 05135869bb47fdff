"""Boxes of pages, measured in a browser that knows of the web what archives know (extra `browser`).

In: archives, or none. Out: where the sections of a page stand, for the layout methods; a page that
the browser cannot show as we read it keeps its estimated boxes, and a note says why. Of a saved
page it finds style sheets, pictures and fonts where the page names them (beside.py); no scripts.
"""

from collections.abc import Mapping, Sequence
from functools import partial

from blickfang.crawl.replay.recorded_web import RecordedWeb
from blickfang.errors import InputError
from blickfang.html.layout.boxes import Boxes, estimate_boxes
from blickfang.html.layout.browser_layout import measure_boxes
from blickfang.html.layout.sections import LayoutOptions
from blickfang.html.page import Measure
from blickfang.html.parse.tree import Tree
from blickfang.io.chromium import Chromium, Fetch
from blickfang.io.urls import canonical
from blickfang.pipeline.beside import find_shown, name_file
from blickfang.types import Failure

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
