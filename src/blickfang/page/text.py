"""The text of an HTML page: everything below <body> that a reader could see.

In: the bytes of a page. Out: its text, a line break at every block edge, so that a sentence never
runs from one paragraph into the next.
"""

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from blickfang.errors import InputError
from blickfang.textfiles import BOMS, SNIFF_BYTES, decode, is_binary

HIDDEN = ["script", "style", "noscript", "template", "svg", "math", "select", "textarea", "iframe"]
INLINE = frozenset(
    re.findall(
        r"\w+",
        "a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark nobr "
        "q rp rt ruby s samp small span strike strong sub sup time tt u var wbr",
    )
)
META_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)


def read_body_text(html: bytes) -> str:
    """Return the visible text of a page.

    >>> read_body_text(b"<title>t</title><p>One <b>page</b>,<p>two lines<script>x()</script>")
    'One page,\\ntwo lines'
    """
    if is_binary(html[:SNIFF_BYTES]):
        raise InputError("it is binary, not a page")
    tree = LexborHTMLParser(_decode_page(html))
    if tree.body is None:
        return ""
    tree.strip_tags(HIDDEN)
    pieces: list[str] = []
    _collect(tree.body, pieces)
    lines = (" ".join(line.split()) for line in "".join(pieces).split("\n"))
    return "\n".join(line for line in lines if line)


def _decode_page(html: bytes) -> str:
    """Return the page's characters, by byte order mark, <meta charset>, or what they look like."""
    stated = META_CHARSET.search(html[:SNIFF_BYTES])
    if stated and not any(html.startswith(mark) for mark, _ in BOMS):
        try:
            return html.decode(stated[1].decode("ascii"), "replace")
        except LookupError:
            pass  # no encoding of that name: look at the bytes instead
    return decode(html)


def _collect(body: LexborNode, pieces: list[str]) -> None:
    """Gather the text below a node; walks by hand, since deep pages would exhaust a recursion."""
    node: LexborNode | None = body.child
    while node is not None:
        if node.tag == "-text":
            pieces.append((node.text_content or "").replace("\n", " "))
        elif node.tag not in INLINE:
            pieces.append("\n")
        following = node.child
        while following is None and node is not None and node.mem_id != body.mem_id:
            following = node.next
            if following is None:
                node = node.parent
                if node is not None and node.tag not in INLINE:
                    pieces.append("\n")
        node = None if node is None or node.mem_id == body.mem_id else following
