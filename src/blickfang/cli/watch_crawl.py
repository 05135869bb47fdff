"""A crawl as somebody watches it: live on a terminal, else a line now and then; Ctrl-C.

In: how a crawl stands, again and again. Out: lines and tables on stderr; whether to go on.
"""

import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from blickfang.cli.output import note
from blickfang.io.plural import counted

LINE_S = 10.0  # between two lines where nobody watches live
IN_A_LINE = ("pages", "on topic", "images", "pages/s", "queued", "hosts", "waiting")
LONG_S = 5.0  # who has been asked for so long is named
SHOWN = 5


@contextmanager
def watching() -> Iterator[Callable[[Any], bool]]:
    """Show how a crawl stands; the function it gives returns False once for every Ctrl-C."""
    with counting_interrupts() as interrupts, showing() as show:
        told, is_news = 0, True

        def watch(standing: Any) -> bool:
            nonlocal told, is_news
            if is_news and (standing.queued_again or standing.read_again):
                is_news = False
                tell_loosened(standing)
            show(standing)
            if told == interrupts():
                return True
            told += 1
            return False

        yield watch


def tell_loosened(standing: Any) -> None:
    """Say what comes back because settings were changed since the last run."""
    for names, count in standing.queued_again.items():
        addresses = counted(count, "address is", "addresses are")
        note(f"{names} changed since the last run: {addresses} queued again")
    for names, count in standing.read_again.items():
        what = f"the links of {counted(count, 'page')} are looked at again"
        if names == "render":
            pages = counted(count, "page is", "pages are")
            what = f"{pages} looked at again for whether a browser is needed"
        note(f"{names} changed since the last run: {what}")


@contextmanager
def counting_interrupts() -> Iterator[Callable[[], int]]:
    """Count Ctrl-C and SIGTERM instead of dying of them."""
    count = 0

    def take(_: int, __: FrameType | None) -> None:
        nonlocal count
        count += 1
        if count == 1:
            note("finishing what is under way; Ctrl-C again stops at once …")

    before = [signal.signal(number, take) for number in (signal.SIGINT, signal.SIGTERM)]
    try:
        yield lambda: count
    finally:
        for number, old in zip((signal.SIGINT, signal.SIGTERM), before, strict=True):
            signal.signal(number, old)


@contextmanager
def showing() -> Iterator[Callable[[Any], None]]:
    """Show how a crawl stands: live on a terminal, else a line now and then."""
    if not sys.stderr.isatty():
        last = time.monotonic()

        def tell(standing: Any) -> None:
            nonlocal last
            if time.monotonic() - last >= LINE_S:
                last = time.monotonic()
                rows = [row for row in describe(standing) if row[0] in IN_A_LINE]
                note(" · ".join(f"{name} {value}" for name, value in rows))

        yield tell
        return
    from rich.console import Console
    from rich.live import Live

    live = Live(
        console=Console(stderr=True),
        refresh_per_second=4,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    with live:
        yield lambda standing: live.update(draw(standing))


def describe(standing: Any) -> list[tuple[str, str]]:
    """Return how a crawl stands, in words."""
    share = f"{standing.on_topic / standing.rated:.0%}" if standing.rated else "–"
    slow = ", ".join(f"{host} {mean:.2g} s" for host, mean in standing.slowest)
    rows = [
        ("pages", f"{standing.pages:,}"),
        ("on topic", share),
        ("images", f"{standing.images:,}"),
        ("pages/s", f"{standing.pages_per_s:.1f}"),
        (
            "queued",
            f"{counted(standing.queued[0], 'page')}, {counted(standing.queued[1], 'image')}",
        ),
        ("in buckets", show_buckets(standing.buckets) or "–"),
        ("hosts", f"{standing.hosts:,}, {standing.in_flight} being asked"),
        ("volume", f"{standing.bytes / 1e6:,.1f} MB in {counted(standing.requests, 'request')}"),
        ("slowest", slow or "–"),
        ("failures", show_reasons(standing.failures)),
        ("skipped", show_reasons(standing.skipped)),
    ]
    if standing.unrendered:
        rows.append(("not rendered", show_reasons(standing.unrendered)))
    if standing.restored:
        rows.append(
            ("restored", f"{counted(standing.restored, 'time')} a shard was lost, and came back")
        )
    if standing.blocking and not standing.in_flight:
        host, seconds = standing.blocking
        rows.append(("waiting", f"for {host}, {seconds:.0f} s"))
    elif standing.longest and standing.longest[1] >= LONG_S:
        host, seconds = standing.longest
        rows.append(("waiting", f"for an answer of {host} since {seconds:.0f} s"))
    return rows


def show_reasons(reasons: Any) -> str:
    """Return the most frequent reasons in words."""
    return ", ".join(f"{n:,} {why}" for why, n in reasons.most_common(SHOWN)) or "–"


def show_buckets(buckets: dict[int, int]) -> str:
    """Return how many pages are queued in each bucket, best first; seeds are in bucket 0."""
    from blickfang.cli.output import show_bucket

    return ", ".join(f"{show_bucket(bucket)}: {n:,}" for bucket, n in sorted(buckets.items()) if n)


def draw(standing: Any) -> Any:
    """Return how a crawl stands as a small table."""
    from rich.table import Table
    from rich.text import Text

    from blickfang.cli.output import printable

    table = Table(box=None, show_header=False)
    for name, value in describe(standing):
        table.add_row(Text(name, style="bold"), Text(printable(value)))
    return table
