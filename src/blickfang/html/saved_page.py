"""Files beside a saved page: pages in its frames, and what a browser shows it with.

In: a saved page, and what it refers to. Out: a file, None where there is none or it is not for us.
References are read as a browser reads them, in one place: relative to the page, a backslash as a
slash, without query and fragment, escapes as what they stand for. An escaped slash is none, and
another scheme or host is none of this machine. A page may be hostile, and so may the folder it came
in, with links that lead anywhere. What counts is where a file really lies:

- What stands in a frame becomes text of ours. It lies in the folder of the page, or below.
- Style sheets, pictures and fonts are shown by a browser without scripts and network, which
  measures. They may lie elsewhere: copies of whole sites refer to `../css`. What is of any other
  kind by its name, or by that of the file it is a link to, is not read.

A page from standard input lies nowhere, and nothing beside it.
"""

from collections.abc import Mapping
from mimetypes import guess_type
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from blickfang.io.urls import resolve

DISK = "http://page.invalid/"  # where files of this machine are for the browser
NOWHERE = "http://input.invalid/"
SHOWN = ("text/css", "image/", "font/")  # kinds of files that a saved page may name
MOST_BYTES = 32_000_000  # of such a file


def name_file(name: str) -> str:
    """Return the address under which the browser opens a saved page; of standard input, of none."""
    return NOWHERE if name == "-" else DISK + quote(str(Path(name).resolve()).lstrip("/"))


def find_page(folder: Path, place: str, reference: str) -> Path | None:
    """Return the page that a frame shows, if it really lies in a folder or below.

    `place` is where the page with the frame lies.
    """
    address = resolve(name_file(place), reference)
    path = _find_path(address) if address else None
    return path if path and path.is_relative_to(folder.resolve()) else None


def find_shown(address: str) -> tuple[int, Mapping[str, str], bytes] | None:
    """Return a file that a saved page names, if it is one that a page is shown with."""
    path = _find_path(address)
    if path is None:
        return None
    kind, real = guess_type(urlsplit(address).path)[0] or "", guess_type(path.name)[0] or ""
    if not kind.startswith(SHOWN) or not real.startswith(SHOWN):
        return None
    try:
        if path.stat().st_size > MOST_BYTES:
            return None
        return 200, {"content-type": kind}, path.read_bytes()
    except OSError:  # gone meanwhile, or not ours to read
        return None


def _find_path(address: str) -> Path | None:
    """Return where the file of an address really lies, None if there is none."""
    if not address.startswith(DISK):
        return None
    names = [unquote(name) for name in urlsplit(address).path.split("/")]
    if not names[-1] or any("/" in name or name in (".", "..") for name in names):
        return None
    try:
        path = Path("/", *filter(None, names)).resolve()
        return path if path.is_file() else None
    except (OSError, ValueError, RuntimeError):  # no name of a file, or a link in a circle
        return None
