"""Cost grows linearly with page size: pages of several shapes from 0.1 to 5 MB.

`python -m benchmarks.growth` prints every measurement and draws docs/growth.svg.
"""

import sys
from collections.abc import Callable
from functools import partial
from math import log
from pathlib import Path
from statistics import linear_regression
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from benchmarks.timing import Row, clock
from blickfang.html import read_page
from blickfang.types import Page

LARGEST = 5_000_000  # bytes
STEPS = 8
SIZES = [round(LARGEST * 50 ** (k / (STEPS - 1) - 1)) for k in range(STEPS)]  # 0.1 … 5 MB
ROUNDS = 5
GOAL = 1.15  # exponent of size
URL = "https://example.org/a/page.html"
CHART = Path(__file__).parent.parent / "docs" / "growth.svg"
WIDTH, LEFT, RIGHT, TOP, BOTTOM = 780, 70, 480, 20, 330  # of the chart
FASTEST, SLOWEST = 0.0005, 5.0  # seconds at its edges
SIZE_MARKS = (100_000, 300_000, 1_000_000, 3_000_000)
TIME_MARKS = (0.001, 0.01, 0.1, 1.0)
COLOURS = ("#c98a00", "#1f77b4", "#17a2a2", "#c0392b", "#5b8c2a", "#7d4fa3")
HEAD = (
    f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {BOTTOM + 50}" width="{WIDTH}" '
    f'height="{BOTTOM + 50}" role="img" aria-label="Time to read a page by its size, for several '
    'shapes of pages; the dashed lines show linear growth.">\n'
    "<style>text{font:13px system-ui,sans-serif;fill:#1b2a3a}.m,.e{font-size:12px;fill:#51606f}"
    ".m{text-anchor:middle}.e{text-anchor:end}.g{stroke:#e3e8ec}"
    ".d{stroke:#97a3af;stroke-dasharray:5 4}g,.d{fill:none;stroke-width:2}</style>"
)
PROSE = "The quick brown fox jumps over the lazy dog, and nobody knows why it does so every day. "


class Growth(NamedTuple):
    """The times of pages of one shape, in seconds, and the exponent that fits them."""

    sizes: list[int]
    times: list[float]
    exponent: float


def article(k: int) -> str:
    """Return one section of an ordinary page."""
    return (
        f'<h2>Section {k}</h2><p>{PROSE * 3}<a href="/more/{k}">More about {k}</a></p>'
        f'<figure><img src="/{k}.jpg" alt="Fox {k}"><figcaption>Fox number {k} at the fence'
        f"</figcaption></figure><p>{PROSE * 4}</p>"
    )


def bare_image(k: int) -> str:
    """Return one of 50,000 images in 5 MB, with nothing in between."""
    return f'<img src="/pictures/of/{k:06}.jpg" alt="{PROSE[:42]}" width=640 height=480>\n'


def told_image(k: int) -> str:
    """Return one of 50,000 images in 5 MB, each with a few words behind it and no wrapper."""
    return f'<img src="/pictures/of/{k:06}.jpg" alt="A fox">{PROSE[:43]}{k:06}<br>\n'


def level(k: int) -> str:
    """Return one of 50,000 levels in 5 MB, each with an image and text: they are never closed."""
    return f'<div class="level"><img src="/{k:06}.jpg">{PROSE[:57]}\n'


def link(k: int) -> str:
    """Return one of 50,000 links in 5 MB."""
    return f'<a href="/a/rather/long/address/{k:06}.html">{PROSE[:43]}{k:06}</a>\n'


def table_row(k: int) -> str:
    """Return a row of a big table."""
    return f'<tr><td>{k}</td><td><a href="/{k}">Fox {k}</a></td><td>{PROSE}</td><td>1.5</td></tr>\n'


SHAPES: dict[str, tuple[str, Callable[[int], str]]] = {
    "sections of an article": ("<body><main>", article),
    "sibling images": ("<body>", bare_image),
    "sibling images with text": ("<body>", told_image),
    "nesting": ("<body>", level),
    "links": ("<body>", link),
    "one table": ("<body><table>", table_row),
}


def make_page(shape: str, size: int) -> bytes:
    """Return a page of about that size."""
    begin, part = SHAPES[shape]
    parts = [f"<!doctype html><html lang=en><title>{shape}</title>{begin}"]
    length, k = len(parts[0]), 0
    while length < size:
        parts.append(part(k))
        length += len(parts[-1])
        k += 1
    return "".join(parts).encode()


def measure(shape: str) -> Growth:
    """Time reading pages of all sizes."""
    pages = [make_page(shape, size) for size in SIZES]
    if not isinstance(read_page(pages[0], URL), Page):
        raise RuntimeError(f"a page of {shape} was not read")
    # Round after round, so that other work on the machine hits all sizes alike.
    rounds = [[clock(partial(read_page, page, URL)) for page in pages] for _ in range(ROUNDS)]
    times = [min(found) for found in zip(*rounds, strict=True)]
    sizes = [len(page) for page in pages]
    slope = linear_regression([log(size) for size in sizes], [log(time) for time in times]).slope
    return Growth(sizes, times, slope)


def run(_: Path) -> list[Row]:
    """Fit the exponent of each shape."""
    return [summarise(shape, measure(shape)) for shape in SHAPES]


def summarise(shape: str, growth: Growth) -> Row:
    """Return the row of one shape."""
    return Row(
        f"read_page, {shape}, {growth.sizes[0] / 1e6:.1f} to {growth.sizes[-1] / 1e6:.1f} MB",
        f"{pace(growth, 0):.0f} to {pace(growth, -1):.0f} ms/MB",
        "",
        f"size^{growth.exponent:.2f}",
        f"≤ {GOAL}",
        growth.exponent <= GOAL,
    )


def pace(growth: Growth, step: int) -> float:
    """Return the milliseconds a megabyte takes."""
    return growth.times[step] * 1e9 / growth.sizes[step]


def across(size: float) -> int:
    """Return where a size stands in the chart."""
    return round(LEFT + (RIGHT - LEFT) * log(size / SIZES[0]) / log(LARGEST / SIZES[0]))


def down(time: float) -> int:
    """Return where a time stands in the chart."""
    return round(BOTTOM - (BOTTOM - TOP) * log(time / FASTEST) / log(SLOWEST / FASTEST))


def draw(growths: dict[str, Growth]) -> str:
    """Return a chart with logarithmic axes: a line as steep as the dashed ones is linear."""
    lines = [HEAD, f'<rect width="{WIDTH}" height="{BOTTOM + 50}" rx="10" fill="#fff"/>']
    lines += [
        f'<path class="g" d="M{across(size)} {TOP}V{BOTTOM}"/>'
        f'<text class="m" x="{across(size)}" y="{BOTTOM + 22}">{size / 1e6:g} MB</text>'
        for size in SIZE_MARKS
    ]
    lines += [
        f'<path class="g" d="M{LEFT} {down(time)}H{RIGHT}"/>'
        f'<text class="e" x="{LEFT - 8}" y="{down(time) + 4}">{1000 * time:g} ms</text>'
        for time in TIME_MARKS
    ]
    for start in TIME_MARKS[:2]:
        end = start * LARGEST / SIZES[0]
        lines.append(f'<path class="d" d="M{LEFT} {down(start)}L{RIGHT} {down(end)}"/>')
    for row, (shape, growth) in enumerate(growths.items()):
        pairs = zip(growth.sizes, growth.times, strict=True)
        points = " ".join(f"{across(size)},{down(time)}" for size, time in pairs)
        y = TOP + 20 + 26 * row
        lines.append(
            f'<g stroke="{COLOURS[row]}"><polyline points="{points}"/>'
            f'<path d="M{RIGHT + 20} {y - 5}h20"/></g>'
            f'<text x="{RIGHT + 48}" y="{y}">{shape}: size^{growth.exponent:.2f}</text>'
        )
    return "\n".join([*lines, "</svg>", ""])


def main() -> None:
    """Print all measurements and draw them."""
    table = Table("MB", *SHAPES, title="read_page: ms (ms/MB)")
    growths = {}
    for shape in SHAPES:
        print(f"… {shape}", file=sys.stderr)
        growths[shape] = measure(shape)
    for step, size in enumerate(SIZES):
        cells = [
            f"{1000 * growth.times[step]:.1f} ({pace(growth, step):.0f})"
            for growth in growths.values()
        ]
        table.add_row(f"{size / 1e6:.2f}", *cells)
    table.add_section()
    table.add_row("exponent", *(f"{growth.exponent:.2f}" for growth in growths.values()))
    Console(width=130).print(table)
    CHART.write_text(draw(growths), encoding="utf-8")
    sys.exit(any(growth.exponent > GOAL for growth in growths.values()))


if __name__ == "__main__":
    main()
