"""The report of a collection, where there is one.

In: requests. Out: a page with the figures of the collection's funnel, and the way to the report.
"""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from blickfang.app.showing import show
from blickfang.corpus import open_corpus
from blickfang.errors import InputError


def show_report(request: Request) -> Response:
    """Show what became of the images on the way to the corpus."""
    try:
        manifest = open_corpus(request.app.state.collection.root).manifest
    except InputError:
        manifest = {}
    return show(request, "report.html", manifest=manifest)


ROUTES = [Route("/report", show_report)]
