"""Lists of pages: time by the number of tokens, against tree matching in the same run.

Times are of the processor and from bytes to records with cells, links and images; the peer
(peers/treematching.py) only finds its records. `python -m benchmarks.records` prints every
measurement and draws docs/records-growth.svg.
"""

import gzip
import sys
from collections.abc import Callable
from functools import partial
from math import log
from pathlib import Path
from statistics import linear_regression, median

from rich.console import Console
from rich.table import Table

from benchmarks.growth import BOTTOM, COLOURS, HEAD, LEFT, RIGHT, TOP, WIDTH, Growth
from benchmarks.peers.treematching import find_records
from benchmarks.timing import Row, best, clock
from blickfang.html.page import parse_page
from blickfang.records import extract_records
from blickfang.records.study.page_tokens import ALL, read_tokens

GOLD = Path(__file__).parent.parent.parent / "shared" / "records-gold" / "records" / "pages"
CHART = Path(__file__).parent.parent / "docs" / "records-growth.svg"
TOKENS = (1_000, 3_000, 10_000, 30_000, 100_000)
ROUNDS = 5
USUAL, USUAL_MS, LARGE_MS, GOAL = 3_000, 10.0, 500.0, 1.15
NEAR = (2_000, 4_500)  # tokens of real pages that are timed
FASTEST, SLOWEST = 0.0005, 5.0  # seconds at the edges of the chart
TIME_MARKS = (0.001, 0.01, 0.1, 1.0)
PEER = "tree matching, items"


def item(k: int) -> str:
    """Return an item of a list."""
    return f'<li><a href="p{k}">Thing {k} of many</a><br><i>A. Writer{k % 77}</i> <b>${k}</b></li>'


def row(k: int) -> str:
    """Return a row of a table with an image."""
    return f'<tr><td><img src="/{k}.jpg"><td><a href="/{k}">Fox {k}</a><td>1{k % 9}.5 km<td>2{k:04}'


def block(k: int) -> str:
    """Return a record that some lack a part of, with a list inside."""
    more = f"<p>Also known as thing {k}, which is said by some</p>" if k % 3 else ""
    return f"<div class=e><h3>Thing {k}</h3>{more}<ul><li>red {k}<li>blue</ul></div>"


SHAPES: dict[str, tuple[str, Callable[[int], str], int]] = {
    "items": ("<body><ul>", item, 11),
    "rows of a table": ("<body><table>", row, 11),
    "blocks with lists": ("<body><div>", block, 15),
}


def make_page(shape: str, tokens: int) -> bytes:
    """Return a page of about so many tokens."""
    begin, part, each = SHAPES[shape]
    return (begin + "".join(part(k) for k in range(tokens // each))).encode()


def count_tokens(page: bytes) -> int:
    """Return how many tokens a page has, at the level of all tags."""
    parsed = parse_page(page)
    return len(read_tokens(parsed[0], ALL).number) if parsed else 0


def fit(pages: list[bytes], function: Callable[[bytes], object]) -> Growth:
    """Time a function on pages of growing size."""
    function(pages[0])
    rounds = [[clock(partial(function, page)) for page in pages] for _ in range(ROUNDS)]
    times = [min(found) for found in zip(*rounds, strict=True)]
    sizes = [count_tokens(page) for page in pages]
    slope = linear_regression([log(size) for size in sizes], [log(time) for time in times]).slope
    return Growth(sizes, times, slope)


def extract(page: bytes) -> object:
    """Return the first list of a page."""
    return extract_records(page, "https://example.org/", regions=1)


def match_trees(page: bytes) -> object:
    """Return what the peer finds."""
    return find_records(page.decode())


def measure() -> dict[str, Growth]:
    """Time all shapes, and the peer on one."""
    found = {}
    for shape in SHAPES:
        print(f"… {shape}", file=sys.stderr)
        found[shape] = fit([make_page(shape, tokens) for tokens in TOKENS], extract)
    print(f"… {PEER}", file=sys.stderr)
    found[PEER] = fit([make_page("items", tokens) for tokens in TOKENS], match_trees)
    return found


def run(_: Path) -> list[Row]:
    """Compare with the goals and the peer."""
    return summarise(measure())


def summarise(found: dict[str, Growth]) -> list[Row]:
    """Return the rows of the report."""
    rows = []
    for shape, growth in found.items():
        if shape == PEER:
            continue
        for at, goal in ((1, USUAL_MS), (-1, LARGE_MS)):
            ours, peer = growth.times[at] * 1000, found[PEER].times[at] * 1000
            ratio = f"{peer / ours:.1f} ×" if shape == "items" else ""
            theirs = f"tree matching {peer:.0f} ms" if ratio else ""
            what = f"records, {growth.sizes[at]:,} tokens, {shape}"
            rows.append(
                Row(what, f"{ours:.1f} ms", theirs, ratio, f"≤ {goal:.0f} ms", ours <= goal)
            )
        slope = f"tokens^{growth.exponent:.2f}"
        met = growth.exponent <= GOAL
        rows.append(Row(f"records, growth, {shape}", "", "", slope, f"≤ {GOAL}", met))
    return rows + measure_real()


def measure_real() -> list[Row]:
    """Return the median time of real pages, if they are at hand, scaled to one size."""
    paces, peers = [], []
    for path in sorted(GOLD.glob("*.html.gz")):
        page = gzip.decompress(path.read_bytes())
        tokens = count_tokens(page)
        if not NEAR[0] <= tokens <= NEAR[1]:
            continue
        paces.append(best(partial(extract, page), 3) / tokens * USUAL * 1000)
        text = page.decode("utf-8", "replace")
        peers.append(best(partial(find_records, text), 1) / tokens * USUAL * 1000)
    if not paces:
        return []
    ours, peer = median(paces), median(peers)
    return [
        Row(
            f"records, {len(paces)} real pages of {NEAR[0]:,} to {NEAR[1]:,} tokens, for {USUAL:,}",
            f"{ours:.1f} ms",
            f"tree matching {peer:.0f} ms",
            f"{peer / ours:.1f} ×",
            f"≤ {USUAL_MS:.0f} ms",
            ours <= USUAL_MS,
        )
    ]


def across(tokens: float) -> int:
    """Return where a number of tokens stands in the chart."""
    share = log(tokens / TOKENS[0]) / log(TOKENS[-1] / TOKENS[0])
    return round(LEFT + (RIGHT - LEFT) * share)


def down(time: float) -> int:
    """Return where a time stands in the chart."""
    return round(BOTTOM - (BOTTOM - TOP) * log(time / FASTEST) / log(SLOWEST / FASTEST))


def draw(found: dict[str, Growth]) -> str:
    """Return a chart with logarithmic axes: a line as steep as the dashed one is linear."""
    head = HEAD.replace("Time to read a page by its size", "Time to find the records of a page")
    lines = [head, f'<rect width="{WIDTH}" height="{BOTTOM + 50}" rx="10" fill="#fff"/>']
    for tokens in TOKENS:
        x = across(tokens)
        lines.append(f'<path class="g" d="M{x} {TOP}V{BOTTOM}"/>')
        lines.append(f'<text class="m" x="{x}" y="{BOTTOM + 22}">{tokens:,}</text>')
    for time in TIME_MARKS:
        y = down(time)
        lines.append(f'<path class="g" d="M{LEFT} {y}H{RIGHT}"/>')
        lines.append(f'<text class="e" x="{LEFT - 8}" y="{y + 4}">{1000 * time:g} ms</text>')
    start, end = TIME_MARKS[0], TIME_MARKS[0] * TOKENS[-1] / TOKENS[0]
    lines.append(f'<path class="d" d="M{LEFT} {down(start)}L{RIGHT} {down(end)}"/>')
    for place, (shape, growth) in enumerate(found.items()):
        pairs = zip(growth.sizes, growth.times, strict=True)
        points = " ".join(f"{across(size)},{down(time)}" for size, time in pairs)
        y = TOP + 20 + 26 * place
        lines.append(f'<g stroke="{COLOURS[place]}"><polyline points="{points}"/>')
        lines.append(f'<path d="M{RIGHT + 20} {y - 5}h20"/></g>')
        label = f"{shape}: tokens^{growth.exponent:.2f}"
        lines.append(f'<text x="{RIGHT + 48}" y="{y}">{label}</text>')
    return "\n".join([*lines, "</svg>", ""])


def main() -> None:
    """Print all measurements and draw them."""
    found = measure()
    table = Table("tokens", *found, title="from bytes to records: ms")
    for step, tokens in enumerate(TOKENS):
        cells = [f"{1000 * growth.times[step]:.1f}" for growth in found.values()]
        table.add_row(f"{tokens:,}", *cells)
    console = Console(width=130)
    console.print(table)
    goals = summarise(found)
    for goal in goals:
        console.print(*(cell for cell in goal[:5] if cell), "" if goal.met else "MISSED")
    CHART.write_text(draw(found), encoding="utf-8")
    sys.exit(any(goal.met is False for goal in goals))


if __name__ == "__main__":
    main()
