"""Whose turn it is: the place of a host among all, and whether it gives a page or an image.

In: the heads of the queues of a host, None where nothing may be given. Out: an order, a kind.
"""

from blickfang.crawl.candidates import IMAGE, PAGE, QueueHead
from blickfang.focus import Strategy
from blickfang.focus.values import SEEDS, HostState

IMAGES_AT_ONCE = {1: 0, 2: 2}  # by bucket: pages of the host that come first; others come last

Heads = tuple[QueueHead | None, QueueHead | None]  # of pages, of images


def find_place(heads: Heads, state: HostState, strategy: Strategy) -> tuple[int, float] | None:
    """Return the place of a host among all, None if nothing of it may be given."""
    page, image = heads
    if page is not None and comes_first(page):
        return SEEDS, page.order.score
    orders = []
    if page is not None:
        orders.append(strategy.host_order(state, page.order))
    if image is not None:
        orders.append(strategy.image_order(image.order))
    return min(orders) if orders else None


def pick_kind(heads: Heads, in_row: int) -> int:
    """Return whether a page or an image comes next, after so many pages in a row."""
    page, image = heads
    if page is None or image is None:
        return PAGE if image is None else IMAGE
    if comes_first(page):
        return PAGE
    wait = IMAGES_AT_ONCE.get(image.order.bucket)
    return IMAGE if wait is not None and in_row >= wait else PAGE


def comes_first(page: QueueHead) -> bool:
    """Whether a page comes before all that was only found: a seed, or one to ask for again."""
    return page.order.bucket == SEEDS or page.tries < 0
