"""What is known of a host, and which host comes next: pure functions of `HostState`.

In: the state of a host, what was judged of its pages, what links into it promise. Out: a new
state, its value in 0..1, and what is to be hoped for from it. Method: docs/method.md, "Focus".
"""

from math import sqrt

from blickfang.crawl.focus.judged_values import HostState, JudgedPage

SURE_WORDS = 30  # of a page that proves half of what a page can prove
PRIOR_EVIDENCE = 0.25  # what the best link into a host counts, in pages full of words
HOST_SHARE, LINK_SHARE = 0.7, 0.3
NOVELTY = 1.5  # for hosts of which little was fetched, in units of noise; flat from 1 to 2.5
LEAST_NOVELTY, MOST_NOVELTY = 0.02, 0.2
PROBED_EVIDENCE = 0.5  # then a host is known,
PROMISING = 1.5  # times the noise: what links into a host must promise for a detour
PROBED_FETCHES = 3  # or has shown that it tells nothing


def prove(words: int) -> float:
    """Return how much a page with so many words proves, in 0..1: one without proves nothing."""
    return words / (words + SURE_WORDS)


def observe(state: HostState, judged: JudgedPage) -> HostState:
    """Add a judged page to what is known of its host."""
    return HostState(
        state.pages + 1,
        state.fetches + 1,
        state.evidence + judged.evidence,
        state.worth + judged.evidence * (judged.relevance or 0.0),
        state.prior,
    )


def observe_failure(state: HostState) -> HostState:
    """Add a fetch that gave no page: it says nothing of the host."""
    return state._replace(fetches=state.fetches + 1)


def mention(state: HostState, prior: float) -> HostState:
    """Add what a link into a host promises."""
    return state._replace(prior=prior) if prior > state.prior else state


def value(state: HostState) -> float:
    """Return how good the pages of a host are, in 0..1; the fewer, the more a link into it says."""
    return (state.worth + PRIOR_EVIDENCE * state.prior) / (state.evidence + PRIOR_EVIDENCE)


def promise(state: HostState, link: float, noise: float) -> float:
    """Return what is to be hoped for from the best link queued for a host.

    The more hosts differ by chance, the less a few pages say of one.
    """
    novelty = min(MOST_NOVELTY, max(LEAST_NOVELTY, NOVELTY * noise))
    return HOST_SHARE * value(state) + LINK_SHARE * link + novelty / sqrt(state.pages + 1)


def wants_probe(state: HostState) -> bool:
    """Whether too little is known of a host."""
    return state.evidence < PROBED_EVIDENCE and state.fetches < PROBED_FETCHES


def wants_detour(state: HostState, detours: int, noise: float) -> bool:
    """Whether a poor host deserves another page: good links lead to it, and few were tried.

    Behind a page off the topic, as a start page often is, others may well be on it.
    """
    tried = state.pages - 1
    return 0 <= tried < detours and state.prior >= PROMISING * noise and value(state) < state.prior


def rescale(state: HostState, before: float, after: float) -> HostState:
    """Bring a host to a new scale, given the mean relevance of the same pages on both."""
    if state.evidence <= 0:
        return state
    mean = min(1.0, max(0.0, state.worth / state.evidence + after - before))
    return state._replace(worth=mean * state.evidence)
