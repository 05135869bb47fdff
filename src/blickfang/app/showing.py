"""Values become pages: one place that knows the templates and what every page needs.

In: a request, the name of a template, values. Out: an HTML answer, every value escaped. Crawled
texts may be of any length and content: `short` cuts them, `host` and `address` show addresses, and
`web` gives a link only where it leads to the web.
"""

import json
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import HTMLResponse

from blickfang.counting import counted
from blickfang.errors import InputError

HERE = Path(__file__).parent
CSRF_FIELD, CSRF_HEADER = "csrf", "x-csrf-token"
NAVIGATION = (
    ("Crawl", "/crawl"),
    ("Corpus", "/corpus"),
    ("Annotate", "/annotate"),
    ("Records", "/records"),
    ("Report", "/report"),
)
ELLIPSIS = "…"


def show(request: Request, template: str, /, status: int = 200, **values: Any) -> HTMLResponse:
    """Return a page made from a template."""
    path = str(request.scope["path"])  # the whole address may be no text
    text = TEMPLATES.get_template(template).render(
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


def short(text: object, length: int = 200) -> str:
    """Return a text cut to a length, on one line.

    >>> short("a  tower\\nby the sea", 10)
    'a tower b…'
    """
    words = " ".join(str(text or "")[: 8 * length].split())
    return words if len(words) <= length else words[: length - 1] + ELLIPSIS


def short_lines(text: object, length: int = 4000) -> str:
    """Return a text cut to a length, its lines as they are."""
    lines = str(text or "")
    return lines if len(lines) <= length else lines[: length - 1] + ELLIPSIS


def host(url: object) -> str:
    """Return the host of an address."""
    try:
        return short(urlsplit(str(url or "")).hostname or "", 80)
    except ValueError:
        return ""


def web(url: object) -> str:
    """Return an address of the web for a link, "" for any other."""
    text = str(url or "")
    return text if text.startswith(("http://", "https://")) and len(text) < 8000 else ""


def number(value: object, digits: int = 4) -> str:
    """Return a number as people read it.

    >>> number(1234567), number(0.123456), number(None), number(3.0)
    ('1,234,567', '0.1235', '–', '3')
    """
    if value is None:
        return "–"
    if isinstance(value, int):
        return f"{value:,}"
    found = float(str(value))
    return f"{found:,.0f}" if abs(found) >= 1000 else f"{found:.{digits}g}"


def size(count: object) -> str:
    """Return a number of bytes as people read it.

    >>> size(999), size(12_345), size(5_600_000)
    ('999 B', '12 kB', '5.6 MB')
    """
    value = int(str(count or 0))
    if value < 1000:
        return f"{value} B"
    return f"{value / 1000:.0f} kB" if value < 1_000_000 else f"{value / 1e6:.1f} MB"


def _make_environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(
        short=short,
        short_lines=short_lines,
        host=host,
        web=web,
        number=number,
        size=size,
        counted=counted,
    )
    return made


TEMPLATES = _make_environment()
