"""One sample: its texts and scores, where it comes from, what was allowed, the page it stood on.

In: the id of a sample. Out: its page, and the snapshot of a page that shows it, with every text
marked that some method takes for the image's. The snapshot is sent with a policy that lets it do
nothing, and shows pictures only from our archive, under addresses that only we can have written.
A sample that was removed has its page still, for the administrator, who may want to undo it; under
the addresses of snapshots, which others may have, too, its picture is not to be had.
"""

from collections import Counter
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from blickfang.crawl.crawl_admin import show_consent
from blickfang.errors import InputError, MissingError
from blickfang.html import METHODS, read
from blickfang.html.page import parse_page
from blickfang.html.parse.tree import Tree
from blickfang.io.warc import Archived
from blickfang.types import Failure, Image, Page
from blickfang.types import Response as Answered
from blickfang.web.access import Access
from blickfang.web.annotation_state import bureau_of
from blickfang.web.archived_page import find_archived
from blickfang.web.render_pages import show
from blickfang.web.snapshot import (
    SnapshotMarks,
    find_images_of,
    make_snapshot,
    nodes_of_words,
    policy_of,
)
from blickfang.web.thumbnail_cache import answer

ALL = "all"
BIG = 900  # pixels of pictures in snapshots
MOST_MENTIONS = 50
MANY, SOME = 0.5, 0.2  # shares of the methods that agree on a text


def show_sample(request: Request) -> Response:
    """Show everything that is known of a sample."""
    shelf = request.app.state.shelves.get()
    row = shelf.index.corpus.sample(request.path_params["name"])
    mentions = row["mentions"] or []
    page = request.query_params.get("page", row["page_url"])
    return show(
        request,
        "sample.html",
        row=row,
        mentions=mentions[:MOST_MENTIONS],
        more_mentions=max(0, len(mentions) - MOST_MENTIONS),
        is_hidden=bool(shelf.hidden[shelf.index.row_of(row["id"])]),
        ledgers=[(url, read_ledger(request, url)) for url in {row["url"]: 1, page: 1}],
        page=page,
        method=_method_of(request),
        methods=[ALL, *METHODS],
    )


def read_ledger(request: Request, url: str) -> list[dict[str, Any]]:
    """Return the ledger of consent for an address; nothing where there is no crawl."""
    try:
        return show_consent(request.app.state.collection, url)
    except InputError:
        return []


def _method_of(request: Request) -> str:
    method = request.query_params.get("method", "best")
    return method if method in (ALL, *METHODS) else "best"


def show_snapshot(request: Request) -> Response:
    """Show a page of a sample as it was archived, the sample's texts marked."""
    row = request.app.state.shelves.get().index.corpus.sample(request.path_params["name"])
    page = request.query_params.get("page", row["page_url"])
    if page not in {row["page_url"], *(one["page_url"] for one in row["mentions"] or ())}:
        raise InputError("this page does not show the picture")
    archived = find_archived(request.app.state.collection, page)
    if isinstance(archived, Failure):
        said = Markup("<p>The snapshot is not at hand: {}.</p>").format(archived.reason)
        return send_snapshot(request, said)
    urls = {row["url"], *(copy["url"] for copy in row["copies"] or ())}
    return send_snapshot(request, draw_page(request, archived, urls, _method_of(request)))


def draw_page(request: Request, archived: Archived, urls: set[str], method: str) -> str:
    """Return an archived page as HTML, with the texts of some images marked."""
    methods = METHODS if method == ALL else (method,)
    found = read(Answered(archived.url, 200, archived.headers, archived.body), methods)
    parsed = parse_page(archived.body, archived.headers.get("content-type"))
    if isinstance(found, Failure) or parsed is None:
        return "<p>The archive does not hold a page here.</p>"
    tree = parsed[0]
    images = [image for image in found.images if image.url in urls and image.number >= 0]
    marks = SnapshotMarks(
        mark_texts(tree, images, method), find_images_of(tree, (one.number for one in images))
    )
    return make_snapshot(tree, marks, picture_finder(request, found))


def mark_texts(tree: Tree, images: list[Image], method: str) -> dict[int, tuple[str, str]]:
    """Return the class and the title of each text node that is a context of one of the images."""
    votes: Counter[int] = Counter()
    names: dict[int, list[str]] = {}
    for image in images:
        for name, context in image.contexts.items():
            for node in nodes_of_words(tree, context.words):
                if name not in names.setdefault(node, []):
                    votes[node] += 1
                    names[node].append(name)
    if method != ALL:
        return dict.fromkeys(votes, ("bf-3", method))
    marks = {}
    for node, count in votes.items():
        share = count / len(METHODS)
        level = "bf-3" if share >= MANY else "bf-2" if share >= SOME else "bf-1"
        marks[node] = level, f"{count} of {len(METHODS)}: {', '.join(names[node])}"
    return marks


def picture_finder(request: Request, page: Page) -> Callable[[int], str]:
    """Return what gives the address under which an image of a page is shown, by its number."""
    urls = {image.number: image.url for image in page.images if image.number >= 0 and image.url}
    access = request.app.state.access
    return lambda number: sign_picture(access, urls[number]) if number in urls else ""


def sign_picture(access: Access, url: str) -> str:
    """Return the address under which a picture of the archive is shown."""
    return f"/archived/{access.sign('picture', url)}?{urlencode({'url': url})}"


def show_archived(request: Request) -> Response:
    """Show a picture of the archive to who got its address from us."""
    url = request.query_params.get("url", "")
    state = request.app.state
    if not state.access.is_signed(request.path_params["signature"], "picture", url):
        raise InputError("this address is not one of ours")
    if bureau_of(request.app).is_withheld(url):  # whoever has the address may not be us
        raise MissingError("this picture was removed")

    def find() -> bytes:
        found = find_archived(state.collection, url)
        return b"" if isinstance(found, Failure) else found.body

    made = answer(state.album.get(f"archived {url}", BIG, find))
    # The snapshot has no origin, so to the browser it is a stranger; its addresses are secret.
    made.headers["cross-origin-resource-policy"] = "cross-origin"
    return made


def send_snapshot(request: Request, text: str) -> Response:
    """Send HTML that can do nothing."""
    headers = {"content-security-policy": policy_of(request.headers.get("host", ""))}
    return HTMLResponse(text, headers=headers)


ROUTES = [
    Route("/corpus/sample/{name}", show_sample),
    Route("/corpus/sample/{name}/snapshot", show_snapshot),
    Route("/archived/{signature}", show_archived),
]
OPEN = ("/archived/",)
