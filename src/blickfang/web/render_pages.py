"""Values become pages: one place that knows the templates and what every page needs.

In: a request, the name of a template, values. Out: an HTML answer, every value escaped.
"""

import json
from pathlib import Path
from typing import Any

from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import HTMLResponse

from blickfang.errors import InputError
from blickfang.web.report.templating import open_templates

HERE = Path(__file__).parent
CSRF_FIELD, CSRF_HEADER = "csrf", "x-csrf-token"
NAVIGATION = (
    ("Crawl", "/crawl"),
    ("Corpus", "/corpus"),
    ("Annotate", "/annotate"),
    ("Records", "/records"),
    ("Report", "/report"),
)
render = open_templates(HERE / "templates")


def show(request: Request, template: str, /, status: int = 200, **values: Any) -> HTMLResponse:
    """Return a page made from a template."""
    path = str(request.scope["path"])  # the whole address may be no text
    text = render(
        template,
        csrf=request.state.csrf,
        is_admin=request.state.is_admin,
        collection_name=request.app.state.collection.root.resolve().name,
        navigation=[
            (title, to, path == to or path.startswith(to + "/")) for title, to in NAVIGATION
        ],
        **values,
    )
    return HTMLResponse(text, status)


def show_mistake(
    request: Request, status: int, sentence: str, *, login: bool = False
) -> HTMLResponse:
    """Return a page that says what went wrong, and what to do."""
    return show(request, "mistake.html", status, code=status, sentence=sentence, login=login)


def read_field(request: Request, name: str, default: str = "") -> str:
    """Return a field of the form that was sent, as text."""
    value = request.state.form.get(name, default)
    return value if isinstance(value, str) else default


def read_fields(request: Request, name: str) -> list[str]:
    """Return all fields of a name of the form that was sent."""
    form = request.state.form
    values = form.getlist(name) if hasattr(form, "getlist") else []
    return [value for value in values if isinstance(value, str)]


def read_upload(request: Request, name: str) -> bytes:
    """Return the bytes of a file that was sent with a form, b"" if there is none."""
    value = request.state.form.get(name)
    return value.file.read() if isinstance(value, UploadFile) else b""


def read_json(request: Request) -> Any:
    """Return what was sent as JSON."""
    try:
        return json.loads(request.state.body)
    except (ValueError, RecursionError) as error:
        raise InputError(f"this is no JSON: {error}") from error
