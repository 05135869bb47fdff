"""The options of all commands that can work on a cluster, and of those that read lists of archives.

In: what the user typed. Out: where work is done; None: as the settings say.
"""

from typing import Annotated

import typer

from blickfang.compute import EngineOptions

Engine = Annotated[
    str,
    typer.Option(
        "--engine",
        metavar="NAME",
        help="Where work is done: local, or ray (a cluster); default: as the settings say.",
    ),
]
Address = Annotated[
    str,
    typer.Option(
        "--address", metavar="HOST:PORT", help="Of the head of the Ray cluster, with --engine ray."
    ),
]
Prefix = Annotated[
    str,
    typer.Option(
        metavar="URL",
        help="Stands before the entries of lists; default: the host or bucket of the list.",
    ),
]
Limit = Annotated[int, typer.Option(min=0, help="Read so many archives at most; 0: all.")]


def choose_engine(name: str, address: str) -> EngineOptions | None:
    """Return where the user wants work to be done, None if that was not said."""
    if not name and not address:
        return None
    return EngineOptions(name or "ray", address)
