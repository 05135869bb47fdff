"""Pages of frames: their frames are put together as one page, in their order.

In: a page, and who finds what its frames show. Out: a page with all their content, as a reader has
it on one screen: the heading in one frame stands above the image in another. How many frames there
are, and how deep framesets lie in each other, is bounded.
"""

from collections.abc import Callable
from typing import NamedTuple

from blickfang.html.page import parse_page
from blickfang.html.parse.tags import TAGS
from blickfang.html.parse.tree import Tree, attribute, find_nodes
from blickfang.types import Failure, Response

MAX_FRAMES = 64
MAX_DEPTH = 4  # of framesets
FRAMESET = b"<frameset"
END_OF_HEAD = b"</head>"
MOST_NAMED = 5

Found = tuple[str, Response]  # where a page lies, and what it is
Find = Callable[[str, str], Found | None]  # of a page that lies somewhere what its reference means


class JoinedFrames(NamedTuple):
    """A page of frames as one page, and what must be said of that."""

    page: Response
    note: str


def join_frames(page: Response, place: str, find: Find) -> JoinedFrames | Failure | None:
    """Return a page of frames with their content; a Failure without it; None for other pages.

    `place`: where it lies; `find` says where a frame lies and what it shows, None if that is not
    at hand.
    """
    tree = _read_frameset(page)
    if tree is None:
        return None
    read: list[bytes] = []
    missing: list[str] = []
    _collect(tree, place, find, {place}, read, missing, 1)
    if not read:
        reason = f"a frameset, and none of its frames is at hand{_name(missing)}"
        return Failure(page.url, "page", reason)
    behind = int(tree.source[find_nodes(tree, "frameset")[0]])
    head = tree.data[: tree.data.rfind(END_OF_HEAD, 0, behind)] + END_OF_HEAD
    body = b"".join(b"<div>%b</div>" % piece for piece in read)
    headers = page.headers | {"content-type": "text/html; charset=utf-8"}
    whole = Response(page.url, page.status, headers, head + b"<body>" + body, page.fetched_at)
    left_out = f"; {len(missing)} not at hand{_name(missing)}" if missing else ""
    return JoinedFrames(whole, f"a frameset, read with its frames ({len(read)}){left_out}")


def _name(missing: list[str]) -> str:
    """Return the first of some frames for a message."""
    more = ", …" if len(missing) > MOST_NAMED else ""
    return f": {', '.join(name[:100] for name in missing[:MOST_NAMED])}{more}" if missing else ""


def _read_frameset(page: Response) -> Tree | None:
    """Return the arrays of a page if it has frames instead of a body."""
    if FRAMESET not in page.body.replace(b"\0", b"").lower():  # nearly all
        return None
    parsed = parse_page(page.body, page.headers.get("content-type"))
    return parsed[0] if parsed and find_nodes(parsed[0], "frame") else None


def _collect(
    tree: Tree,
    place: str,
    find: Find,
    seen: set[str],
    read: list[bytes],
    missing: list[str],
    depth: int,
) -> None:
    """Gather the content of all frames; `seen` are the pages it was gathered from."""
    for node in find_nodes(tree, "frame"):
        source = (attribute(tree, node, "src") or "").strip()
        if not source or len(seen) > MAX_FRAMES or len(missing) >= MAX_FRAMES:
            continue
        found = find(place, source)
        if found is None:
            missing.append(source)
            continue
        where, inner = found
        if where in seen:
            continue
        seen.add(where)
        frames = _read_frameset(inner)
        if frames is not None and depth < MAX_DEPTH:
            _collect(frames, where, find, seen, read, missing, depth + 1)
        elif frames is None:
            parsed = parse_page(inner.body, inner.headers.get("content-type"))
            read += [_cut_body(parsed[0])] if parsed else []


def _cut_body(tree: Tree) -> bytes:
    """Return what stands in the body of a page, as HTML."""
    bodies = [node for node in tree.census.roots.tolist() if tree.tag[node] == TAGS["body"]]
    if not bodies:
        return b""
    start = int(tree.source[bodies[0]])
    return tree.data[start : max(start, tree.data.rfind(b"</body>"))]
