"""The text of an HTML page: everything below <body> that a reader could see.

In: the bytes of a page. Out: its text, a line break at every block edge, so that a sentence never
runs from one paragraph into the next.
"""

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from blickfang.errors import InputError
from blickfang.textfiles import SNIFF_BYTES, bom_encoding, decode, is_binary

MAX_TAGS = 100_000  # deep nesting costs the parser quadratic time; real pages stay far below
HIDDEN = ["script", "style", "noscript", "template", "svg", "math", "select", "textarea", "iframe"]
INLINE = frozenset(
    re.findall(
        r"\w+",
        "a abbr acronym b bdi bdo big button cite code data del dfn em font i img ins kbd label "
        "mark nobr q rp rt ruby s samp small span strike strong sub sup time tt u var wbr",
    )
)
# What pages call their encoding, and what browsers take it for; others are guessed.
CODECS = {
    "utf-8": "utf-8",
    "utf8": "utf-8",
    **dict.fromkeys(["iso-8859-1", "latin1", "latin-1", "us-ascii", "ascii"], "windows-1252"),
    **{f"windows-{n}": f"windows-{n}" for n in range(1250, 1259)},
    **{f"iso-8859-{n}": f"iso-8859-{n}" for n in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)},
    **dict.fromkeys(["gb2312", "gbk", "gb18030"], "gb18030"),
    **dict.fromkeys(["shift_jis", "shift-jis", "x-sjis"], "cp932"),
    "iso-8859-9": "windows-1254",
    "big5": "big5hkscs",
    "euc-jp": "euc-jp",
    "iso-2022-jp": "iso-2022-jp",
    "euc-kr": "cp949",
    "koi8-r": "koi8-r",
    "koi8-u": "koi8-u",
}
META_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)


def read_body_text(html: bytes) -> str:
    """Return the visible text of a page.

    >>> read_body_text(b"<title>t</title><p>One <b>page</b>,<p>two lines<script>x()</script>")
    'One page,\\ntwo lines'
    """
    if is_binary(html[:SNIFF_BYTES]):
        raise InputError("it is binary, not a page")
    if html.count(b"<") > MAX_TAGS:
        raise InputError(f"it has more than {MAX_TAGS:,} tags")
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
    codec = CODECS.get(stated[1].decode("ascii").lower()) if stated else None
    if codec and not bom_encoding(html):
        return html.decode(codec, "replace")
    return decode(html)


def is_block(node: LexborNode) -> bool:
    """Whether a tag begins a new line; comments and custom elements do not."""
    tag = node.tag or ""
    return tag not in INLINE and "-" not in tag


def _collect(body: LexborNode, pieces: list[str]) -> None:
    """Gather the text below a node; walks by hand, since deep pages would exhaust a recursion."""
    node: LexborNode | None = body.child
    while node is not None:
        if node.tag == "-text":
            pieces.append((node.text_content or "").replace("\n", " "))
        elif is_block(node):
            pieces.append("\n")
        following = node.child
        while following is None and node is not None and node.mem_id != body.mem_id:
            following = node.next
            if following is None:
                node = node.parent
                if node is not None and is_block(node):
                    pieces.append("\n")
        node = None if node is None or node.mem_id == body.mem_id else following
