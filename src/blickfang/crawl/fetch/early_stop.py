"""What is not worth fetching to its end: other types than asked for, images of a wrong size.

In: the head of an answer and the first bytes of its body. Out: why to stop, or None to go on.
"""

from collections.abc import Mapping

from blickfang.crawl.fetch.image_header import read_head
from blickfang.crawl.fetch.streamed_answer import ResponseHead
from blickfang.io.warc.http_exchange import HTML_TYPES, read_type

TEXT_TYPES = ("application/xml", "text/xml", "text/plain")  # read for links and words, but no pages
PAGE_TYPES = (*HTML_TYPES, *TEXT_TYPES)
NOT_A_PAGE = "not a page"
NOT_AN_IMAGE = "not an image"
TOO_SMALL, TOO_LARGE = "image too small", "image too large"
UNKNOWN = ("application/octet-stream", "binary/octet-stream", "")


def pick_page(head: ResponseHead, _: bytes) -> str | None:
    """Return why an answer is no page."""
    if head.status != 200:
        return None
    kind = read_type(head.headers)
    return None if not kind or kind in PAGE_TYPES else NOT_A_PAGE


def is_html(headers: Mapping[str, str]) -> bool:
    """Whether something is a page, and no plain text or XML; what says no type is taken for one."""
    return read_type(headers) not in TEXT_TYPES


def pick_image(head: ResponseHead, body: bytes, sizes: tuple[int, int, int, int]) -> str | None:
    """Return why an answer is no image that is wanted: not one, too small, too large.

    `sizes` are the least width and height and the largest.
    """
    if head.status != 200:
        return None
    kind = read_type(head.headers)
    if not kind.startswith("image/") and kind not in UNKNOWN:
        return NOT_AN_IMAGE
    if not body:
        return None
    found = read_head(body)
    return NOT_AN_IMAGE if found is None else judge_size(found.width, found.height, sizes)


def judge_size(
    width: int | None, height: int | None, sizes: tuple[int, int, int, int]
) -> str | None:
    """Return why an image of a size is not wanted; None and a limit of 0 are no reason."""
    least_width, least_height, most_width, most_height = sizes
    if (width is not None and width < least_width) or (
        height is not None and height < least_height
    ):
        return TOO_SMALL
    if 0 < most_width < (width or 0) or 0 < most_height < (height or 0):
        return TOO_LARGE
    return None
