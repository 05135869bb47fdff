"""What a crawl is taught on its way: weights against its background, or a refined topic.

In: a collection, and the pages that its shards kept. Out: what all shards judge by from then on, in
bytes; where a crawl adapts, a line in DIR/crawl/adaptation.jsonl for each step, refused ones too.
"""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from blickfang.config import Collection
from blickfang.crawl.focus import Knowledge
from blickfang.crawl.focus.background import relearn, unpack_samples
from blickfang.crawl.focus.self_training import (
    AdaptStep,
    Refinement,
    adapt,
    adapt_topic,
    pack_texts,
    unpack_page,
)
from blickfang.crawl.focus.word_weights import pack_weights
from blickfang.crawl.page_judge import DEFAULT, UNFOCUSED
from blickfang.errors import SettingsError
from blickfang.text import Topic

ADAPTATION = "adaptation.jsonl"  # what adapting did, a line a step

Teach = Callable[[Sequence[bytes], Mapping[str, float]], bytes]


def let_adapt(collection: Collection) -> Collection:
    """Return a collection whose crawl learns on the way, whatever its settings say."""
    focus = replace(collection.settings.focus, adapt=True)
    return replace(collection, settings=replace(collection.settings, focus=focus))


def check_adapting(mode: str, topic: Topic | None) -> None:
    """Say why a crawl cannot adapt, before it begins."""
    if mode == UNFOCUSED or topic is None:
        raise SettingsError(f'adapt = true works with all modes but "{UNFOCUSED}"')
    if mode != DEFAULT and (topic.held_out is None or not topic.neutral_pages):
        raise SettingsError(
            f'adapt = true in mode "{mode}" needs something to test by: neutral pages, '
            "and train_share below 1; then `blickfang learn` again"
        )


def find_teacher(collection: Collection, knowledge: Knowledge) -> Teach | None:
    """Return who learns for all shards of a crawl from what they kept; None: nobody needs to."""
    if collection.settings.crawl.mode == DEFAULT:
        return partial(learn_background, collection, knowledge)
    if collection.settings.focus.adapt:
        return partial(learn_inside, collection, knowledge)
    return None


def learn_background(
    collection: Collection,
    knowledge: Knowledge,
    samples: Sequence[bytes],
    means: Mapping[str, float],
) -> bytes:
    """Learn weights against the background of the crawl, as it is now."""
    found = [sample for data in samples for sample in unpack_samples(data)]
    options = collection.settings.focus
    if not options.adapt:
        return pack_weights(relearn(knowledge, found, means, options))
    learned, step = adapt(knowledge, found, means, options)
    note_step(collection.crawl_folder, step, len(means))
    return pack_weights(learned)


def learn_inside(
    collection: Collection,
    knowledge: Knowledge,
    samples: Sequence[bytes],
    means: Mapping[str, float],
) -> bytes:
    """Choose the texts by which the topic is refined."""
    texts, step = adapt_topic(knowledge, map(unpack_page, samples))
    note_step(collection.crawl_folder, step, len(means))
    return pack_texts(texts)


def note_step(folder: Path, step: AdaptStep | Refinement, hosts: int) -> None:
    """Write down what adapting did, and why, behind what it did before."""
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    line = json.dumps({"at": at, "hosts_known": hosts, **step._asdict()}, ensure_ascii=False)
    with (folder / ADAPTATION).open("a", encoding="utf-8") as file:
        file.write(line + "\n")
