"""Why an image that pages name is not in the archive: what the crawl knows of its address.

In: the stores of a crawl, addresses. Out: a reason each, in the words of `blickfang status`. Of
archives of others nobody knows why something is missing: there it is "not in the archive".
"""

import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from blickfang.config import Collection
from blickfang.corpus.mentions.filters import NEVER
from blickfang.crawl.fetch.early_stop import NOT_AN_IMAGE, judge_size
from blickfang.crawl.frontier.candidates import DONE, IMAGE, QUEUED
from blickfang.crawl.frontier.queues import MOVED
from blickfang.crawl.frontier.scope import NO_IMAGES, REJECTED, Scope
from blickfang.crawl.frontier.traps import without_session
from blickfang.crawl.page_judge import Sizes, least_shown
from blickfang.crawl.state.state_db import STATE, EmptyStoreError, key_of, looking_into
from blickfang.io.storage import Place

WAITING = "still queued when the crawl ended"
ELSEWHERE = "fetched, but its archive is not read here"
WITHHELD = "fetched, but not kept"
AT_ONCE = 10_000  # addresses asked for at a time
MAX_HOPS = 5  # of redirects
LOOK_UP = (
    "SELECT urls.key, url, kind, state, why FROM json_each(?) "
    "CROSS JOIN urls WHERE urls.key = value"
)
KEPT = "SELECT url, max(file) FROM json_each(?) CROSS JOIN visits WHERE url = value GROUP BY url"


class Losses:
    """Says why addresses are not in the archive, many at a time."""

    def __init__(self, collection: Collection, archives: Sequence[Place]) -> None:
        folder, options = collection.crawl_folder, collection.settings.crawl
        own = folder.resolve()
        ours = [isinstance(each, Path) and each.is_relative_to(own) for each in archives]
        self.stores = sorted(folder.glob(f"shard-*/{STATE}")) if any(ours) else []
        self.is_ours = all(ours)  # else what the crawl never saw is of another archive
        self.scope, self.with_images = Scope(options, ()), options.images

    def __call__(self, urls: Sequence[str]) -> dict[str, str]:
        """Return the reasons that the crawl knows; of other addresses it knows nothing."""
        found: dict[str, str] = {}
        for first in range(0, len(urls) if self.stores else 0, AT_ONCE):
            some = urls[first : first + AT_ONCE]
            found |= self._trace({url: [url] for url in some}, MAX_HOPS)
        if self.stores and self.is_ours:
            for url in urls:
                found.setdefault(url, self._explain_unknown(url))
        return found

    def _explain_unknown(self, url: str) -> str:
        if not self.with_images:
            return f"{NEVER}: {NO_IMAGES}"
        return f"{NEVER}: {REJECTED}" if self.scope.rejects(url) else NEVER

    def _trace(self, asked: dict[str, list[str]], hops: int) -> dict[str, str]:
        """Return what became of addresses, through redirects; of each for those listed with it."""
        keys: dict[int, list[str]] = {}
        for url, those in asked.items():
            keys.setdefault(key_of(without_session(url)), []).extend(those)
        found, moved = dict[str, str](), dict[str, list[str]]()
        for path in self.stores:
            with suppress(EmptyStoreError), looking_into(path) as db:
                rows = db.execute(LOOK_UP, (json.dumps([*keys]),)).fetchall()
                done = [url for _, url, kind, state, _ in rows if (kind, state) == (IMAGE, DONE)]
                files = dict(db.execute(KEPT, (json.dumps(done),)).fetchall())
                for key, url, kind, state, why in rows:
                    if state == DONE and why.startswith(MOVED) and hops:
                        moved.setdefault(why.removeprefix(MOVED), []).extend(keys[key])
                    else:
                        told = _tell(kind, state, why, files.get(url))
                        found |= dict.fromkeys(keys[key], told)
        return (self._trace(moved, hops - 1) if moved else {}) | found


def is_shown_small(width: int | None, height: int | None, sizes: Sizes) -> bool:
    """Whether a page shows an image so small that the crawl does not ask for it."""
    return judge_size(width, height, least_shown(sizes)) is not None


def _tell(kind: int, state: int, why: str, file: str | None) -> str:
    """Return why an image is not in the archive that the crawl knows; `file` is what has it."""
    if state == QUEUED:
        return WAITING
    if state == DONE and kind != IMAGE:
        return NOT_AN_IMAGE
    if state == DONE:
        return ELSEWHERE if file else WITHHELD
    return why
