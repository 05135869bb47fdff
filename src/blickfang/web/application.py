"""The application, put together: subjects, guard, errors as pages.

In: a collection and who may come in. Out: a Starlette application. A subject is a file with
`ROUTES`, a list of plain functions under addresses; what needs no administrator, because it knows
its own visitors, it lists in `OPEN` by how its paths begin; what it keeps between requests it puts
into `app.state` in its function `prepare`.
"""

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from blickfang.config import Collection
from blickfang.errors import BlickfangError, DiskFullError, MissingError, SettingsError
from blickfang.web import (
    corpus_routes,
    crawl_routes,
    export_routes,
    records_routes,
    report_routes,
    sample_routes,
    task_routes,
)
from blickfang.web.access import Access
from blickfang.web.middleware import WAIT, RequestGuard, caller_of, let_in
from blickfang.web.render_pages import HERE, read_field, show_mistake

SUBJECTS: tuple[object, ...] = (
    crawl_routes,
    corpus_routes,
    sample_routes,
    export_routes,
    task_routes,
    records_routes,
    report_routes,
)  # with ROUTES, OPEN, prepare
STATUS = {SettingsError: 409, MissingError: 404, DiskFullError: 507}
SENTENCES = {404: "There is nothing here.", 405: "That cannot be done here."}


def make_app(collection: Collection, access: Access | None = None) -> Starlette:
    """Return the application over a collection; without `access`, for this machine only."""
    access = access or Access()
    routes: list[BaseRoute] = [
        Route("/", to_corpus),
        Route("/login", log_in, methods=["POST"]),
        Mount("/static", StaticFiles(directory=HERE / "static"), name="static"),
    ]
    opened = ["/static/", "/login"]
    for subject in SUBJECTS:
        routes += getattr(subject, "ROUTES", ())
        opened += getattr(subject, "OPEN", ())
    app = Starlette(
        routes=routes,
        middleware=[Middleware(RequestGuard, access=access, open_paths=tuple(opened))],
        exception_handlers={HTTPException: show_missing, BlickfangError: show_trouble},
    )
    app.state.collection, app.state.access = collection, access
    for subject in SUBJECTS:
        getattr(subject, "prepare", _keep_nothing)(app)
    return app


def _keep_nothing(_: Starlette) -> None:
    """Prepare a subject that keeps nothing between requests."""


def to_corpus(request: Request) -> Response:
    """Lead to the corpus, or to the crawl where there is no corpus yet."""
    there = (request.app.state.collection.root / "corpus").is_dir()
    return RedirectResponse("/corpus" if there else "/crawl", 303)


def log_in(request: Request) -> Response:
    """Let in who knows the token."""
    access, who = request.app.state.access, caller_of(request.scope)
    if not access.is_token(read_field(request, "token").strip(), who):
        if access.tries.is_over(who):
            return show_mistake(request, 429, WAIT)
        return show_mistake(request, 401, "That is not the token.", login=True)
    answer = RedirectResponse("/", 303)
    let_in(answer, access)
    return answer


def show_missing(request: Request, error: Exception) -> Response:
    """Answer what starlette refuses, with a page."""
    code = error.status_code if isinstance(error, HTTPException) else 500
    detail = error.detail if isinstance(error, HTTPException) else ""
    return show_mistake(request, code, SENTENCES.get(code, detail))


def show_trouble(request: Request, error: Exception) -> Response:
    """Answer what the user can mend, with the sentence that says how."""
    kinds = (status for kind, status in STATUS.items() if isinstance(error, kind))
    return show_mistake(request, next(kinds, 400), str(error))
