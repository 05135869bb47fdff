"""The application on a port, until Ctrl-C.

In: a collection, a host and a port. Out: nothing, when it ends. Whoever waits is told the address
once the port is open.
"""

import socket
from collections.abc import Callable, Iterable
from contextlib import suppress

import uvicorn

from blickfang.config import Collection
from blickfang.corpus.corpus_writer import MANIFEST
from blickfang.corpus.search.prepare_index import prepare_index
from blickfang.errors import SettingsError
from blickfang.html import read_page
from blickfang.records import extract_records
from blickfang.web.access import make_access
from blickfang.web.annotate import has_store, open_store
from blickfang.web.application import make_app

SECONDS_TO_END = 3  # live views are cut off after that


def run_app(
    collection: Collection,
    host: str,
    port: int,
    *,
    token: str = "",
    names: Iterable[str] = (),
    tell: Callable[[str], None],
) -> None:
    """Serve the application; `tell` is given the address to open."""
    access = make_access(host, token, names)
    if has_store(collection.root):  # what is wrong with it is said before people come
        open_store(collection.root).close()
    with _listen(host, port) as listening:
        app = make_app(collection, access)
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=SECONDS_TO_END,
            lifespan="off",  # we have none; with it, a second Ctrl-C ends with a traceback
        )
        bound = listening.getsockname()[1]
        shown = f"[{host}]" if ":" in host else host
        tell(f"http://{shown}:{bound}/" + (f"?token={token}" if token else ""))
        with suppress(KeyboardInterrupt):  # it ends as it should
            uvicorn.Server(config).run([listening])


def prepare_corpus(collection: Collection, advance: Callable[[int, int], None]) -> None:
    """Build the index of the corpus, if there is a corpus and its index is missing or old."""
    if (collection.root / "corpus" / MANIFEST).exists():
        prepare_index(collection.root, advance)


def prepare_readers() -> None:
    """Compile what reads pages and their lists: the first visitor would wait for it."""
    rows = "".join(f"<li><img src={n}.png alt=Row><a href={n}>Row {n}</a> text</li>" for n in "123")
    read_page(f"<title>Rows</title><ul>{rows}</ul>", methods="all")
    extract_records(f"<ul>{rows}</ul>".encode())


def _listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens, or say why there is none."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        made = socket.socket(family, socket.SOCK_STREAM)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen(128)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SettingsError(f"cannot listen on {host}, port {port}: {reason}") from error
    return made
