"""The style sheets that a page holds itself, kept for a browser that measures it.

In: the bytes of a page as they came. What reads pages empties every <style> (guard/), for it is no
text; its author's layout is lost with it. Out: the page with a number in each <style>, and what
each held; later the canonical HTML of the page with that put back in. Styles of drawings (SVG) are
not emptied, and stay as they are.
"""

import re
from collections.abc import Sequence

from blickfang.page.tree import Tree

MARK = b'<style data-blickfang-style="%d"'
BEGIN = re.compile(rb"<(?:(style|script)(?=[\s/>])|!(?=--))", re.IGNORECASE)
TAG = re.compile(rb"""(?:[^>"']|"[^"]*"|'[^']*')*>""")
ENDS = {
    b"style": re.compile(rb"</style", re.IGNORECASE),
    b"script": re.compile(rb"</script", re.IGNORECASE),
    b"": re.compile(rb"-->"),
}
PUT = re.compile(rb'(<style data-blickfang-style="(\d{1,9})"[^>]*>)</style>')
LONGEST_TAG = 2000  # bytes of a start tag; of a longer one nothing is kept
MOST = 1000  # style sheets of a page


def take_styles(html: bytes) -> tuple[bytes, list[bytes]]:
    """Return a page whose first style elements are numbered, and what they hold.

    >>> take_styles(b"<style>p{top:0}</style><p>one")
    (b'<style data-blickfang-style="0">p{top:0}</style><p>one', [b'p{top:0}'])
    """
    parts: list[bytes] = []
    styles: list[bytes] = []
    done = at = 0  # up to where the page is written, and looked at
    while len(styles) < MOST and (begin := BEGIN.search(html, at)):
        name = (begin[1] or b"").lower()
        if name != b"style":  # what looks like a style in scripts and comments is none
            end = ENDS[name].search(html, begin.end())
            if end is None:
                break
            at = end.end()
            continue
        tag = TAG.match(html, begin.end(), begin.end() + LONGEST_TAG)
        start = tag.end() if tag else begin.end()
        end = ENDS[name].search(html, start)
        at = end.start() if end else len(html)
        parts += [html[done : begin.start()], MARK % len(styles), html[begin.end() : at]]
        styles.append(html[start:at] if tag else b"")
        done = at
    return b"".join([*parts, html[done:]]), styles


def put_styles(tree: Tree, styles: Sequence[bytes]) -> bytes:
    """Return the canonical HTML of a page with its styles put back in."""
    page = tree.data.removesuffix(b"<")
    if not styles:
        return page
    parts, done = [], 0
    for found in PUT.finditer(page):
        number = int(found[2])
        style = styles[number] if number < len(styles) else b""
        parts += [page[done : found.end(1)], style]
        done = found.end(1)
    return b"".join([*parts, page[done:]])
