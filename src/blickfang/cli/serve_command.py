"""The command that serves the web application.

In: what the user typed. Out: the address to open, then the application until Ctrl-C.
"""

from pathlib import Path
from typing import Annotated

import typer

from blickfang.cli.output import announce_compiling, guarded, note, progress

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the collection.")]
Host = Annotated[str, typer.Option(help="Where to listen; beyond this machine a token is asked.")]
Port = Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")]
Open = Annotated[bool, typer.Option("--open", help="Open the browser.")]
Token = Annotated[
    str,
    typer.Option(
        envvar="BLICKFANG_TOKEN", help="The administrator's; made anew where one is needed."
    ),
]
Names = Annotated[
    list[str] | None, typer.Option("--name", help="Another name of this server; repeatable.")
]


@guarded
def serve(
    folder: Folder,
    host: Host = "127.0.0.1",
    port: Port = 8765,
    open_browser: Open = False,
    token: Token = "",
    names: Names = None,
) -> None:
    """Watch a crawl, search the corpus, annotate, look into pages: in the browser.

    Listens on this machine only, unless --host says otherwise: then a token is asked for, which is
    printed as part of the address, or taken from BLICKFANG_TOKEN. Nothing is fetched from the web.

    \b
    Examples:
      blickfang serve birds --open
      blickfang serve birds --host 0.0.0.0 --port 80 --name birds.example.org
    """
    announce_compiling()
    import secrets

    from blickfang.config import open_collection
    from blickfang.web import is_loopback, prepare_corpus, prepare_readers, run_app

    def tell(address: str) -> None:
        note(f"open {address} in a browser; Ctrl-C ends it")
        if open_browser:
            typer.launch(address)

    if not token and not is_loopback(host):
        token = secrets.token_urlsafe(24)
    collection = open_collection(folder)
    prepare_readers()
    with progress("indexing the corpus") as advance:
        prepare_corpus(collection, advance)
    run_app(collection, host, port, token=token, names=names or (), tell=tell)
