"""The background of a crawl, learned once more: hosts are judged as the crawl judges them."""

from blickfang.crawl.focus import FocusOptions
from blickfang.crawl.focus.background import learn_against, take_sample
from blickfang.crawl.focus.background_state import rate_hosts
from blickfang.crawl.focus.word_weights import WordCounts, count_page, rate_page
from tests.focus.pages import BIRDS, STEEL, know, words

ROBIN = "Rotkehlchen und Meisen suchen morgens am Waldrand ihre Nahrung und bauen dort Nester. " * 9


def test_a_host_in_another_language_is_judged_by_what_is_understood() -> None:
    """Else what a crawl followed would be background, and speak against the topic."""
    knowledge = know()
    others = {f"h{n}": [count_page(words(text))] for n, text in enumerate(STEEL)}
    learned = learn_against(knowledge, others, FocusOptions())
    texts = {"foreign": f"robin kestrel beak nest insects {ROBIN}", "own": BIRDS[0]}
    taken = {host: take_sample(host, words(text)) for host, text in texts.items()}
    samples = [sample for sample in taken.values() if sample]
    rates = rate_hosts(samples, knowledge.vocabulary_slots, learned)
    blind = [
        rate_page(WordCounts(one.hashes, one.counts), learned.weights, None, learned.chance)
        for one in samples
    ]
    assert rates["foreign"] > 1.5 * blind[0]
    assert rates["own"] == min(1.0, blind[1])
