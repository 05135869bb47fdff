"""Judging pages for a crawl: from an answer to what is worth following on it.

In: answers, the topic, a strategy. Out: the judge, a function that the crawl is handed; it knows
nothing of pages and topics itself.
"""

import hashlib
import json
import math
from collections.abc import Callable
from dataclasses import asdict
from functools import partial

from blickfang.config import Collection
from blickfang.crawl.fetch.early_stop import judge_size
from blickfang.crawl.focus import Knowledge, PageFeatures, Strategy, make_strategy, see
from blickfang.crawl.focus.judged_values import HostState, JudgedPage
from blickfang.crawl.focus.page_features import name_hosts
from blickfang.crawl.focus.perplexity import measure_whole
from blickfang.crawl.render.js_shell import looks_empty
from blickfang.crawl.state.crawl_queries import recall_weights
from blickfang.crawl.visit.page_verdict import Judge, Judgement
from blickfang.dedupe.minhash import sketch
from blickfang.dedupe.shingles import gather
from blickfang.errors import BlickfangError
from blickfang.html import glance, read
from blickfang.io.log import report_bug
from blickfang.text import load_topic
from blickfang.text.lm import LanguageModel
from blickfang.text.topic import ENTRY, has_topic
from blickfang.text.words import Hashes
from blickfang.types import Failure, Page, Response

READER = 11  # raise it when the same bytes are read differently
UNFOCUSED, DEFAULT = "unfocused", "focused+images"  # modes
FEW_WORDS = 20  # pages with fewer are not compared with others
MAX_TITLE = 200
UNKNOWN = (None, None)  # size of an image
SHOWN = 0.5  # of the least size: images shown smaller are rarely large enough

Sizes = tuple[int, int, int, int]
Look = Callable[[Response, str], PageFeatures | Failure]


def know(collection: Collection) -> Knowledge:
    """Return what the strategies need of the topic."""
    if collection.settings.crawl.mode == UNFOCUSED and not has_topic(collection.topic_folder):
        return Knowledge(None, [], [])
    topic = load_topic(collection.topic_folder, with_pages=True)
    pages = topic.learned_from
    if pages is None:
        raise BlickfangError("the topic was loaded without its pages")
    return Knowledge(topic, pages.positive, pages.neutral)


def describe_reading(collection: Collection) -> str:
    """Return a digest of everything that decides what is read out of an archive."""
    settings = collection.settings
    topic = collection.topic_folder / ENTRY
    weights = recall_weights(collection.crawl_folder) or b""
    facts = [
        READER,
        settings.crawl.purpose,
        asdict(settings.focus),
        topic.read_text(encoding="utf-8") if topic.exists() else "",
        hashlib.sha256(weights).hexdigest(),
    ]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def find_watcher(collection: Collection, knowledge: Knowledge) -> Strategy | None:
    """Return who tells people how relevant the pages of an unfocused crawl are, if anybody can."""
    settings = collection.settings
    if settings.crawl.mode != UNFOCUSED or knowledge.topic is None:
        return None
    return make_strategy(DEFAULT, knowledge, settings.score, settings.focus)


def make_ruler(collection: Collection) -> tuple[Callable[[PageFeatures], float], float]:
    """Return who judges pages by what was learned alone, and from where on they are on topic."""
    settings = collection.settings
    strategy = make_strategy(DEFAULT, know(collection), settings.score, settings.focus)
    return lambda seen: strategy.judge(seen).relevance or 0.0, strategy.on_topic


def look_at(response: Response, host: str, *, with_images: bool = True) -> PageFeatures | Failure:
    """Return a page as strategies see it."""
    page = glance(response, images=with_images)
    return page if isinstance(page, Failure) else see(page, host)


def make_judge(
    strategy: Strategy,
    sizes: Sizes,
    knowledge: Knowledge,
    *,
    with_images: bool = True,
    watcher: Strategy | None = None,
    look: Look | None = None,
) -> Judge:
    """Return the function that judges answers by a strategy.

    A watcher says of pages how relevant they are, for people, where the strategy does not care.
    `look` takes the place of `look_at` where pages were looked at before.
    """
    model = knowledge.topic.model if knowledge.topic else None
    look_now = look or partial(look_at, with_images=with_images)

    def judge(response: Response, host: str, state: HostState) -> Judgement | Failure:
        try:
            seen = look_now(response, host)
            if isinstance(seen, Failure):
                return seen
            judged = strategy.judge(seen, state)
            if strategy.wants_text(host, judged):
                sample = strategy.take_text(host, read_main(response))
                judged = judged._replace(sample=sample)
            if judged.perplexity is None and model is not None:  # people want to see it anyway
                judged = judged._replace(perplexity=perplexity_of(seen, model))
            if watcher is not None:
                judged = judged._replace(relevance=watcher.judge(seen).relevance)
            is_shell = looks_empty(response.body, len(seen.page.words))
            return describe(seen, judged, sizes, is_shell)
        except Exception as error:  # one page must not end a crawl
            return Failure(response.url, "page", f"not readable: {report_bug(error, response.url)}")

    return judge


def read_main(response: Response) -> str:
    """Return the main text of a page, "" if it has none."""
    page = read(response, methods=())
    return "" if isinstance(page, Failure) else page.main_text


def perplexity_of(seen: PageFeatures, model: LanguageModel) -> float | None:
    """Return how surprising a page is for someone who knows the topic."""
    found = measure_whole(model, seen.words[: seen.page_words])
    return None if math.isnan(found) else found


def describe(seen: PageFeatures, judged: JudgedPage, sizes: Sizes, is_shell: bool) -> Judgement:
    """Return a judged page as the crawl needs it."""
    page = seen.page
    return Judgement(
        judged=judged,
        links=seen.links,
        link_hosts=seen.link_hosts,
        images=seen.images,
        image_hosts=name_hosts(seen.images),
        unwanted=find_unwanted(page, seen.images, sizes),
        metas=page.metas,
        licences=page.terms,
        text_key=key_of_words(page),
        sketch=sketch_page(page),
        needs_rendering=is_shell,
        facts={
            "title": page.title[:MAX_TITLE],
            "language": page.language,
            "words": len(page.words),
            "links": len(seen.links),
            "images": len(seen.images),
        },
        others=find_others(page, seen.images),
    )


def find_others(page: Page, urls: list[str]) -> dict[int, tuple[str, ...]]:
    """Return the smaller forms of images that have some, by place."""
    others = {image.url: image.others for image in page.images if image.others}
    return {number: others[url] for number, url in enumerate(urls) if url in others}


def find_unwanted(page: Page, urls: list[str], sizes: Sizes) -> dict[int, str]:
    """Return which images are of a wrong size wherever the page states one, and why.

    A page states how large it shows an image. Many are larger, so only what is shown far too small
    is left out; the first bytes tell the true size of others.
    """
    limits = least_shown(sizes)
    reasons: dict[str, str | None] = {}
    for image in page.images:
        if image.url:
            # Of a set the largest form is asked for, whatever size the page shows it in.
            shown = UNKNOWN if image.others else (image.width, image.height)
            reason = None if shown == UNKNOWN else judge_size(*shown, limits)
            reasons[image.url] = reasons.get(image.url, reason) and reason
    return {number: why for number, url in enumerate(urls) if (why := reasons.get(url))}


def least_shown(sizes: Sizes) -> Sizes:
    """Return the limits of the sizes in which pages show images that are asked for."""
    return int(SHOWN * sizes[0]), int(SHOWN * sizes[1]), *sizes[2:]


def key_of_words(page: Page) -> int | None:
    """Return a number that pages with the same words share; None for a page with few."""
    if len(page.words) < FEW_WORDS:
        return None
    digest = hashlib.blake2b(page.words.tobytes(), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


def sketch_page(page: Page) -> Hashes | None:
    """Return the sketch by which near-duplicates are found; None for a page with few words."""
    return None if len(page.words) < FEW_WORDS else sketch(gather([page.compared]))[0]
