"""What a crawl learned of its background, learned once more when its topic has changed.

In: a collection whose topic is new. Out: other weights in the state of its crawl: else its pages
would go on to be judged by a topic that nobody wants any more.
"""

from collections import defaultdict

from blickfang.collection import Collection
from blickfang.crawl.memory import recall_samples, replace_weights
from blickfang.focus.background import begin, relearn
from blickfang.focus.weights import Counted, pack_weights, rate_page
from blickfang.pipeline.judging import know


def renew_background(collection: Collection) -> None:
    """Weigh words anew by what the topic knows now, against the hosts that the crawl met."""
    samples = recall_samples(collection.crawl_folder)
    if not samples:
        return
    knowledge, options = know(collection), collection.settings.focus
    first = begin(knowledge, options)
    rates: dict[str, list[float]] = defaultdict(list)
    for sample in samples:
        page = Counted(sample.hashes, sample.counts)
        rates[sample.host].append(rate_page(page, first.weights, None))
    means = {host: sum(values) / len(values) for host, values in rates.items()}
    weights = pack_weights(relearn(knowledge, samples, means, options))
    replace_weights(collection.crawl_folder, weights)
