"""Boxes of pages, measured in a browser that knows of the web what archives know (extra `browser`).

In: archives, or none. Out: where the sections of a page stand, for the layout methods; a page that
the browser cannot show as we read it keeps its estimated boxes, and a note says why.
"""

from collections.abc import Mapping
from functools import partial

from blickfang.chromium import Chromium
from blickfang.crawl.recorded import RecordedWeb
from blickfang.data import Failure
from blickfang.errors import InputError
from blickfang.page.layout.boxes import Boxes, estimate_boxes
from blickfang.page.layout.browser import measure_boxes
from blickfang.page.layout.sections import LayoutOptions
from blickfang.page.page import Measure
from blickfang.page.tree import Tree
from blickfang.urls import canonical

NOWHERE = "http://page.invalid/"  # of a file: what it names beside it is not there
OPTIONS = LayoutOptions()


class Ruler:
    """A browser that measures pages, one after the other."""

    def __init__(self, browser: Chromium, web: RecordedWeb | None) -> None:
        self._browser, self._web = browser, web

    def lay_on(self, url: str, notes: list[str]) -> Measure:
        """Return who measures the page of an address; `notes` gets what could not be done."""
        return partial(self._measure, url or NOWHERE, notes)

    def _measure(self, url: str, notes: list[str], tree: Tree) -> Boxes:
        try:
            return measure_boxes(tree, url, self._fetch, self._browser, OPTIONS)
        except InputError as error:
            notes.append(f"its boxes are estimated: {error}")
            return estimate_boxes(tree, OPTIONS)

    def _fetch(self, address: str) -> tuple[int, Mapping[str, str], bytes] | None:
        """Return what the archives have of an address, behind redirects."""
        url = canonical(address)
        found = self._web.answer(url) if self._web and url else None
        if found is None or isinstance(found, Failure):
            return None
        return found.status, found.headers, found.body
