"""What a judge says of an answer: the only thing the crawl knows of pages and topics."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from blickfang.crawl.focus.judged_values import HostState, JudgedPage
from blickfang.text.words import Hashes
from blickfang.types import Failure, LicenceTerms, Response


class Judgement(NamedTuple):
    """A page as the crawl needs it."""

    judged: JudgedPage
    links: list[str]  # canonical, each once
    link_hosts: list[str]
    images: list[str]
    image_hosts: list[str]
    unwanted: dict[int, str]  # images that are not fetched, by place: why
    metas: dict[str, str]  # by name, in lower case
    licences: tuple[LicenceTerms, ...]  # in the language RSL: to be read before the page is used
    text_key: int | None  # equal for pages with the same words; None for too few
    sketch: Hashes | None  # alike for pages that nearly are (dedupe/minhash.py); None for too few
    needs_rendering: bool  # scripts, but no text
    facts: dict[str, Any]  # for the log: title, language, words, …
    others: Mapping[int, tuple[str, ...]] = MappingProxyType({})  # other forms of images, by place


Judge = Callable[[Response, str, HostState], Judgement | Failure]  # of an answer and its host


def unite(answered: Judgement, rendered: Judgement) -> Judgement:
    """Return a rendered page as it is judged; what its answer asks of us holds, too.

    Scripts take elements away: that an owner has taken back what they said cannot be told from it.
    """
    metas = dict(answered.metas)
    for name, content in rendered.metas.items():
        before = metas.get(name, content)
        metas[name] = content if before == content else f"{before}, {content}"
    licences = tuple(dict.fromkeys((*answered.licences, *rendered.licences)))
    return rendered._replace(metas=metas, licences=licences)
