"""What waiting for good hosts costs and brings: `python -m benchmarks.patience`.

In: nothing. Out: a table: pages a second and R-precision (of as many first pages as there are on
the topic, those on it), of crawls of 400 pages of the demo web, unfocused and by focused+images,
with and without patience.
"""

import json
import sys
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from blickfang.config import open_collection
from blickfang.crawl.crawl_admin import list_fetched
from blickfang.crawl.focus.learn import learn
from blickfang.crawl.run import crawl
from blickfang.demo import DemoWeb, serving
from blickfang.demo.web import page_url

PAGES, DELAY_S = 400, 0.1
RUNS = {
    "unfocused": ("unfocused", 0.5),
    "focused+images": ("focused+images", 0.5),
    "focused+images, patience_s = 0": ("focused+images", 0.0),
}
SETTINGS = """
[topic]
positive = {positive}
neutral = {neutral}
[crawl]
seeds = ["{seed}"]
proxy = "{proxy}"
allow_private = true
shards = 1
"""


def main() -> None:
    """Crawl in each way and print what came of it."""
    print(f"{str(PAGES) + ' pages':<34} {'pages/s':>8} {'R-prec.':>9}")
    with serving(0) as (web, address, _), TemporaryDirectory() as folder:
        for name, (mode, patience_s) in RUNS.items():
            root = Path(folder) / name.replace(" ", "-")
            root.mkdir()
            text = SETTINGS.format(
                positive=json.dumps(list(web.seed_pages("lighthouses"))),
                neutral=json.dumps(list(web.neutral_pages())),
                seed=web.start_urls[0],
                proxy=address,
            )
            (root / "blickfang.toml").write_text(text, encoding="utf-8")
            speed, share = measure(root, web, mode, patience_s)
            print(f"{name:<34} {speed:>8.1f} {share:>9.0%}")
            sys.stdout.flush()


def measure(root: Path, web: DemoWeb, mode: str, patience_s: float) -> tuple[float, float]:
    """Return pages a second, and R-precision: of as many first pages as there are on the topic."""
    text = (root / "blickfang.toml").read_text(encoding="utf-8")
    more = f'mode = "{mode}"\npatience_s = {patience_s}\nmax_pages = {PAGES}\ndelay_s = {DELAY_S}\n'
    (root / "blickfang.toml").write_text(text + more, encoding="utf-8")
    collection = open_collection(root)
    learn(collection)
    crawl(collection, lambda _: True)
    rows = list(list_fetched(collection, "page"))
    times = [datetime.fromisoformat(str(row["fetched_at"])) for row in rows]
    took_s = (max(times) - min(times)).total_seconds()
    on_topic = {truth.url for truth in web.pages if truth.topic == "lighthouses"}
    first = [page_url(str(row["url"])) for row in rows[: len(on_topic)]]
    return len(rows) / took_s, sum(url in on_topic for url in first) / len(first)


if __name__ == "__main__":
    main()
