"""Templates become HTML: one way for the pages of the app and for those that stand alone.

In: the name of a template, values. Out: HTML, every value escaped; a value that is missing is an
error. Crawled texts may be of any length and content: `short` cuts them, `host` shows where an
address is, `web` gives a link only where it leads to the web, and in pages that stand alone all
texts lose what no document may hold. Those extend `standalone.html`: one style, no script, nothing
from elsewhere.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from markupsafe import Markup

import blickfang
from blickfang.io.plural import counted
from blickfang.web.charts import svg
from blickfang.web.charts.draw_svg import style_sheet
from blickfang.web.charts.shapes import Figure, clean

ELLIPSIS = "…"
Render = Callable[..., str]  # name of a template, values by name → HTML


def render_page(template: str, /, **values: Any) -> str:
    """Return a page that stands alone, made from one of our templates."""
    style = style_sheet()
    return _open_pages()(template, figure_style=style, version=blickfang.__version__, **values)


def draw(figure: Figure) -> Markup:
    """Return a figure as SVG for a page."""
    return Markup(svg(figure))  # noqa: S704 -- the room escapes every text


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
    return text if text.lower().startswith(("http://", "https://")) and len(text) < 8000 else ""


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


def whole(value: float | None, digits: int = 0) -> str:
    """Return a number without its fraction, or with so many digits of it.

    >>> whole(1234.5), whole(1234.5, 1), whole(float("nan"))
    ('1,234', '1,234.5', '–')
    """
    return "–" if value is None or value != value else f"{value:,.{digits}f}"


def share(part: float | None, of: float | None = 1.0) -> str:
    r"""Return a share in per cent.

    >>> share(1, 3), share(0, 0)
    ('33.3\xa0%', '–')
    """
    if part is None or not of or part != part:
        return "–"
    return f"{100 * part / of:.1f}\xa0%"


def similarity(value: float | None) -> str:
    """Return a similarity: 0 to 1, three digits."""
    return "–" if value is None or value != value else f"{value:.3f}"


def size(count: object) -> str:
    """Return a number of bytes as people read it.

    >>> size(999), size(12_345), size(5_600_000)
    ('999 B', '12 kB', '5.6 MB')
    """
    value = int(str(count or 0))
    if value < 1000:
        return f"{value} B"
    return f"{value / 1000:.0f} kB" if value < 1_000_000 else f"{value / 1e6:.1f} MB"


FILTERS = (short, short_lines, host, web, number, whole, share, similarity, size, counted, draw)


def open_templates(folder: Path, tidy: Callable[[Any], Any] | None = None) -> Render:
    """Return what renders the templates of a folder; `tidy` sees every value before it is shown."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # few commands write pages

    environment = Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=tidy,
    )
    environment.filters.update({each.__name__: each for each in FILTERS})

    def render(template: str, /, **values: Any) -> str:
        return environment.get_template(template).render(**values)

    return render


@cache
def _open_pages() -> Render:
    return open_templates(Path(__file__).parent / "templates", _tidy)


def _tidy(value: Any) -> Any:
    """Return a text without what no document may hold, its lines as they are."""
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    return "\n".join(map(clean, value.split("\n")))
