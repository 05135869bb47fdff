"""A page written twice: by the guard, if it is orderly, and by the parser."""

from selectolax.lexbor import LexborHTMLParser

from blickfang.html.guard import guard_page


def write_both(data: bytes) -> tuple[bytes | None, bytes]:
    """Return a page as the guard writes it, None for a messy one, and as the parser does."""
    guarded = guard_page(data)
    html = LexborHTMLParser(guard_page(data, write=False).data).html or ""
    assert not guarded.canonical or guarded.data.endswith(b"<")  # where the scan stops
    return guarded.data[:-1] if guarded.canonical else None, html.encode("utf-8", "replace")
