"""Small pictures in terminals that can show them: kitty, Ghostty, WezTerm, iTerm2.

In: the bytes of a picture. Out: the picture on stdout, or nothing where the terminal shows none.
"""

import base64
import io
import os
import sys
from collections.abc import Callable

HEIGHT = 96  # pixels
PIECE = 4096  # characters of one message to kitty


def choose_display() -> Callable[[bytes], None] | None:
    """Return what shows a picture on this terminal; None if nothing does."""
    if not sys.stdout.isatty():
        return None
    program = os.environ.get("TERM_PROGRAM", "").lower()
    if "KITTY_WINDOW_ID" in os.environ or program == "ghostty":
        return lambda data: _write(kitty_message(shrink(data)))
    if program in ("iterm.app", "wezterm"):
        return lambda data: _write(iterm_message(shrink(data)))
    return None


def shrink(data: bytes) -> bytes:
    """Return a picture as a small PNG; nothing if it cannot be read."""
    from blickfang.corpus.pictures import show_picture
    from blickfang.types import Failure

    image = show_picture("", data, HEIGHT * 4)  # within its limits: the bytes are a stranger's
    if isinstance(image, Failure):
        return b""
    image.thumbnail((HEIGHT * 4, HEIGHT))
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def kitty_message(png: bytes) -> str:
    """Return what makes kitty show a picture, in pieces of the size it takes.

    >>> kitty_message(b"x")
    '\\x1b_Ga=T,f=100,m=0;eA==\\x1b\\\\\\n'
    """
    text = base64.b64encode(png).decode()
    pieces = [text[at : at + PIECE] for at in range(0, len(text), PIECE)]
    last = len(pieces) - 1
    messages = (
        f"\x1b_G{'a=T,f=100,' if not number else ''}m={int(number < last)};{piece}\x1b\\"
        for number, piece in enumerate(pieces)
    )
    return "".join(messages) + "\n" if pieces else ""


def iterm_message(png: bytes) -> str:
    """Return what makes iTerm2 show a picture.

    >>> iterm_message(b"x")
    '\\x1b]1337;File=inline=1;size=1:eA==\\x07\\n'
    """
    text = base64.b64encode(png).decode()
    return f"\x1b]1337;File=inline=1;size={len(png)}:{text}\x07\n" if png else ""


def _write(message: str) -> None:
    sys.stdout.write(message)
    sys.stdout.flush()
