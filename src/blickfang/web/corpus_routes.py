"""The corpus as a grid: by words, by a picture that was dropped, like another, narrowed by facets.

In: requests with q, like, picture, sort, page and one parameter a facet. Out: pages, pictures. What
is found bears how well it matches, and by what; in any order, what holds none of the words stands
apart, behind what does. A picture to search by is kept in memory for a while, under a name made of
its bytes.
"""

import hashlib
import threading
import time
from collections import OrderedDict
from typing import Any, NamedTuple
from urllib.parse import urlencode

import numpy as np
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from blickfang.corpus.pictures import read_picture
from blickfang.corpus.search import Hit, search_index
from blickfang.corpus.search.query_terms import read_query
from blickfang.errors import InputError
from blickfang.types import Failure
from blickfang.web.corpus_view import CorpusView, Rows, Shelves
from blickfang.web.render_pages import read_upload, show
from blickfang.web.thumbnail_cache import LARGE, SMALL, Album, answer

PER_PAGE = 48
MOST_HITS = 480  # of a search
MOST_DROPPED = 32
LONGEST_QUERY = 500
MOST_CHOICES = 100  # of a facet
WAYS = {"text": "words", "visual": "look", "clip": "content", "lsi": "related"}
LEAST_LOOK = 0.5  # how alike a picture must look for its look to be named beside words
SORTS = {"best": "Best first", "score": "Lowest score first", "size": "Largest first"}


class GridQuery(NamedTuple):
    """What somebody wants to see."""

    words: str
    like: str
    picture: str
    sort: str
    page: int
    chosen: dict[str, list[str]]  # labels by facet

    @property
    def is_search(self) -> bool:
        """Whether something is looked for."""
        return bool(self.words or self.like or self.picture)


class Match(NamedTuple):
    """How well a sample matches what was looked for."""

    score: float  # 0 to 1
    by: str  # words, look, related
    parts: list[tuple[str, float]]  # of each way that was asked


class Apart(NamedTuple):
    """How many samples hold the words that were asked for, and how many are only related."""

    matching: int
    related: int


class Dropped:
    """Pictures that visitors dropped lately, to search by."""

    def __init__(self) -> None:
        self.kept: OrderedDict[str, bytes] = OrderedDict()
        self.lock = threading.Lock()

    def keep(self, data: bytes) -> str:
        """Keep a picture; return its name."""
        name = hashlib.sha256(data).hexdigest()[:24]
        with self.lock:
            self.kept[name] = data
            while len(self.kept) > MOST_DROPPED:
                self.kept.popitem(last=False)
        return name

    def get(self, name: str) -> bytes:
        """Return a picture by its name."""
        with self.lock:
            if name not in self.kept:
                raise InputError("this picture was dropped too long ago; drop it again")
            return self.kept[name]


def prepare(app: Starlette) -> None:
    """Keep the corpus open, and pictures at hand."""
    app.state.shelves = Shelves(app.state.collection)
    app.state.album, app.state.dropped = Album(), Dropped()


def read_wish(request: Request, shelf: CorpusView) -> GridQuery:
    """Return what a request asks for."""
    given = request.query_params
    page = given.get("page", "1")[:9]
    return GridQuery(
        given.get("q", "").strip()[:LONGEST_QUERY],
        given.get("like", "")[:64],
        given.get("picture", "")[:64],
        given.get("sort", "best") if given.get("sort") in SORTS else "best",
        max(1, min(int(page), 1_000_000)) if page.isascii() and page.isdigit() else 1,
        {name: given.getlist(name)[:MOST_CHOICES] for name in shelf.facets if given.get(name)},
    )


def find_rows(request: Request, shelf: CorpusView, wish: GridQuery) -> Rows:
    """Return the rows that fit a wish, best first."""
    return order_rows(shelf, wish, find_hits(request, shelf, wish))


def find_hits(request: Request, shelf: CorpusView, wish: GridQuery) -> list[Hit]:
    """Return what a search finds; nothing where nothing is looked for."""
    if not wish.is_search:
        return []
    return search_index(
        shelf.index,
        wish.words,
        image=request.app.state.dropped.get(wish.picture) if wish.picture else None,
        like=wish.like or None,
        among=shelf.choose(wish.chosen),
        limit=MOST_HITS,
    )


def order_rows(shelf: CorpusView, wish: GridQuery, hits: list[Hit]) -> Rows:
    """Return the rows that a search found, or all that fit, in the order that is wished."""
    if not wish.is_search:
        return shelf.order(shelf.choose(wish.chosen), wish.sort)
    rows = shelf.rows_of([hit.id for hit in hits])
    if wish.sort == "best":
        return rows
    matching = count_apart(shelf, wish, hits).matching
    return np.concatenate(
        [_sort_rows(shelf, part, wish.sort) for part in (rows[:matching], rows[matching:])]
    )


def _sort_rows(shelf: CorpusView, rows: Rows, by: str) -> Rows:
    found = np.zeros(len(shelf.index), np.bool_)
    found[rows] = True
    return shelf.order(found, by)


def count_apart(shelf: CorpusView, wish: GridQuery, hits: list[Hit]) -> Apart:
    """Return how many hits match and how many are related: none if no word was asked for."""
    if not read_query(wish.words, shelf.index.terms).terms:
        return Apart(len(hits), 0)
    related = sum(hit.related for hit in hits)
    return Apart(len(hits) - related, related)


def tell_match(hit: Hit) -> Match:
    """Return how well a hit matches, and by what: by words and look, or only by what is related.

    A picture is like any other to some degree: beside words its look counts if it is much alike.
    """
    parts = {name: hit.parts.get(name, 0.0) for name in WAYS if name in hit.parts}
    least = LEAST_LOOK if "text" in parts else 1e-3
    by = [
        WAYS[name]
        for name in ("text", "visual", "clip")
        if parts.get(name, 0.0) > (0.0 if name == "text" else least)
    ]
    shown = [(WAYS[name], value) for name, value in parts.items()]
    return Match(hit.score, " + ".join(by) or WAYS["lsi"], shown)


def show_corpus(request: Request) -> Response:
    """Show a page of the corpus."""
    started = time.perf_counter()
    if not (request.app.state.collection.root / "corpus").is_dir():
        return show(request, "nothing.html")
    shelf = request.app.state.shelves.get()
    wish = read_wish(request, shelf)
    hits = find_hits(request, shelf, wish)
    rows = order_rows(shelf, wish, hits)
    pages = max(1, -(-len(rows) // PER_PAGE))
    page = min(wish.page, pages)
    start = (page - 1) * PER_PAGE
    shown = shelf.show(rows[start : start + PER_PAGE])
    apart = count_apart(shelf, wish, hits)
    here = max(0, apart.matching - start) if apart.related else len(shown)
    for fact in shown:  # crawled texts have any length
        fact.update({name: str(fact[name] or "")[:2000] for name in ("caption", "page_title")})
    made = show(
        request,
        "corpus.html",
        wish=wish,
        lists=[(False, shown[:here]), (True, shown[here:])],
        apart=apart,
        begins_here=start <= apart.matching,
        matches={hit.id: tell_match(hit) for hit in hits},
        found=len(rows),
        total=int((~shelf.hidden).sum()),
        facets=shelf.count(wish.chosen, rows if wish.is_search else None),
        sorts=SORTS,
        page=page,
        pages=pages,
        address=lambda **changes: change_address(wish, **changes),
        is_most=wish.is_search and len(rows) == MOST_HITS,
    )
    made.headers["server-timing"] = f"page;dur={1000 * (time.perf_counter() - started):.1f}"
    return made


def change_address(wish: GridQuery, **changes: Any) -> str:
    """Return the address of a wish with something changed; facet=label turns a label on or off."""
    pairs: list[tuple[str, str]] = []
    fields = {"q": wish.words, "like": wish.like, "picture": wish.picture, "sort": wish.sort}
    for name, value in fields.items():
        value = changes.pop(name, value)
        if value and (name, value) != ("sort", "best"):
            pairs.append((name, value))
    page = changes.pop("page", 1)
    chosen = {name: list(labels) for name, labels in wish.chosen.items()}
    for name, label in changes.items():
        labels = chosen.setdefault(name, [])
        labels.remove(label) if label in labels else labels.append(label)
    pairs += [(name, label) for name, labels in chosen.items() for label in labels]
    pairs += [("page", str(page))] if page > 1 else []
    return "/corpus" + ("?" + urlencode(pairs) if pairs else "")


def drop_picture(request: Request) -> Response:
    """Take a picture to search by, beside the words and labels of the page it was dropped on."""
    wish = read_wish(request, request.app.state.shelves.get())
    data = read_upload(request, "picture")
    found = read_picture("the picture", data)
    if isinstance(found, Failure):
        raise InputError(f"cannot search by this file: {found.reason}")
    name = request.app.state.dropped.keep(data)
    return RedirectResponse(change_address(wish, picture=name, like=""), 303)


def show_dropped(request: Request) -> Response:
    """Show the picture that is searched by."""
    name = request.path_params["name"]
    dropped = request.app.state.dropped
    return answer(request.app.state.album.get(name, SMALL, lambda: dropped.get(name)))


def show_small(request: Request) -> Response:
    """Show a picture of the corpus, small."""
    return _show_picture(request, SMALL)


def show_large(request: Request) -> Response:
    """Show a picture of the corpus, large."""
    return _show_picture(request, LARGE)


def _show_picture(request: Request, side: int) -> Response:
    name = request.path_params["name"]
    corpus = request.app.state.shelves.get().index.corpus
    return answer(request.app.state.album.get(name, side, lambda: corpus.image(name)))


ROUTES = [
    Route("/corpus", show_corpus),
    Route("/corpus/picture", drop_picture, methods=["POST"]),
    Route("/corpus/dropped/{name}.jpg", show_dropped),
    Route("/corpus/small/{name}.jpg", show_small),
    Route("/corpus/large/{name}.jpg", show_large),
]
