"""What an archive file is read into, besides sightings: its pages, its pictures, its detours.

In: pages and pictures as they were read. Out: Arrow tables. A part is what one archive file gave:
one file a table, and an entry that is written last and says that the part is whole.
"""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from blickfang.corpus.mentions.duplicate_pages import sketch_page
from blickfang.corpus.mentions.mention import Capture
from blickfang.io.urls import host
from blickfang.types import Page, Picture

PAGES = pa.schema(
    [
        ("url", pa.string()),
        ("key", pa.uint64()),
        ("fetched_at", pa.string()),
        ("file", pa.string()),
        ("offset", pa.int64()),
        ("rendered", pa.bool_()),
        ("title", pa.string()),
        ("description", pa.string()),
        ("language", pa.string()),
        ("text", pa.string()),
        ("main_text", pa.string()),
        ("licences", pa.list_(pa.string())),
        ("relevance", pa.float32()),
        ("sketch", pa.binary()),  # what it is compared with others by; null for few words
        ("frames", pa.list_(pa.string())),
        ("refusal", pa.string()),  # why the page may not be kept; "" where it may
        ("image_refusal", pa.string()),  # and why not its images
        ("images", pa.list_(pa.struct([("url", pa.string()), ("position", pa.int32())]))),
    ]
)
PICTURES = pa.schema(
    [
        ("url", pa.string()),
        ("fetched_at", pa.string()),
        ("file", pa.string()),
        ("offset", pa.int64()),
        ("length", pa.int64()),
        ("data", pa.binary()),  # only where the archive gives no access to single records
        ("format", pa.string()),
        ("width", pa.int32()),
        ("height", pa.int32()),
        ("bytes", pa.int64()),
        ("sha256", pa.string()),
        ("phash", pa.uint64()),
        ("orientation", pa.int8()),
        ("frames", pa.int32()),
        ("data_mining", pa.string()),
        ("licence", pa.string()),
        ("credit", pa.string()),
        ("looks", pa.list_(pa.float32())),
        ("refusal", pa.string()),
        ("failure", pa.string()),  # why it is no picture; then nothing else is known
    ]
)
DETOURS = pa.schema(  # redirects, and answers that only refer to an earlier one
    [("url", pa.string()), ("target", pa.string()), ("fetched_at", pa.string())]
)


def describe_page(
    page: Page,
    capture: Capture,
    relevance: float | None,
    refusals: tuple[str, str],
    *,
    rendered: bool,
) -> dict[str, Any]:
    """Return the row of a page."""
    own = host(page.url)
    frames = [link.url for link in page.links if link.kind in ("frame", "iframe")]
    return {
        "url": page.url,
        **capture._asdict(),
        "rendered": rendered,
        "title": page.title,
        "description": page.description,
        "language": page.language,
        "text": page.text,
        "main_text": page.main_text,
        "licences": page.licences,
        "relevance": relevance,
        "sketch": sketch_page(page),
        "frames": [url for url in frames if is_same_site(own, host(url))],
        "refusal": refusals[0],
        "image_refusal": refusals[1],
        "images": [
            {"url": image.url, "position": image.position}
            for image in page.images
            if image.url and image.position >= 0
        ],
    }


def is_same_site(one: str, other: str) -> bool:
    """Whether two hosts are one, or one lies below the other.

    >>> is_same_site("example.org", "www.example.org"), is_same_site("a.org", "b.org")
    (True, False)
    """
    return one == other or one.endswith(f".{other}") or other.endswith(f".{one}")


def describe_picture(picture: Picture, place: dict[str, Any], refusal: str) -> dict[str, Any]:
    """Return the row of a picture."""
    names = set(PICTURES.names) - {"url", "failure", "refusal", *place}
    return {
        "url": picture.url,
        **place,
        **{name: getattr(picture, name) for name in sorted(names)},
        "refusal": refusal,
        "failure": "",
    }


def make_table(rows: Sequence[dict[str, Any]], schema: pa.Schema) -> pa.Table:
    """Return rows as a table; what a row does not have is null."""
    return pa.Table.from_arrays(
        [pa.array([row.get(field.name) for row in rows], field.type) for field in schema],
        schema=schema,
    )
