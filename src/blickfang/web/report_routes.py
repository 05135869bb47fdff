"""The report: what became of the images on the way to the corpus, and `blickfang report`'s page.

In: requests. Out: a page with the funnel of the build; in it, in a frame that can do nothing, the
page that `blickfang report DIR -o DIR/report` wrote, if it did.
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from blickfang.corpus import open_corpus
from blickfang.errors import InputError
from blickfang.web.charts import funnel
from blickfang.web.render_pages import show
from blickfang.web.report.templating import draw

REPORT = Path("report") / "report.html"
POLICY = (
    "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
MOST_REASONS = 4  # of one step of the funnel


def show_report(request: Request) -> Response:
    """Show the funnel of the build, and the report if there is one."""
    root = request.app.state.collection.root
    path = root / REPORT
    made = datetime.fromtimestamp(path.stat().st_mtime, UTC) if path.is_file() else None
    try:
        manifest = open_corpus(root).manifest
    except InputError:
        manifest = {}
    return show(
        request,
        "report.html",
        root=str(root),
        made=made.strftime("%Y-%m-%d %H:%M UTC") if made else "",
        funnel=draw_funnel(manifest.get("funnel", [])),
        samples=manifest.get("rows"),
    )


def draw_funnel(steps: list[Any]) -> Markup:
    """Draw how many images each step of the build left, and what it dropped."""
    rows = [(str(step["step"]), int(step["left"]), _tell(step["dropped"])) for step in steps]
    return draw(funnel(rows, title="From addresses to samples")) if rows else Markup()


def _tell(dropped: Any) -> str:
    pairs = sorted(dict(dropped).items(), key=lambda pair: -pair[1])
    return ", ".join(f"{count:,} {reason}" for reason, count in pairs[:MOST_REASONS])


def send_report(request: Request) -> Response:
    """Send the page that `blickfang report` wrote."""
    path = request.app.state.collection.root / REPORT
    if not path.is_file():
        raise InputError("there is no report yet; run blickfang report")
    headers = {"content-security-policy": POLICY}
    return FileResponse(path, media_type="text/html; charset=utf-8", headers=headers)


ROUTES = [Route("/report", show_report), Route("/report/page", send_report)]
