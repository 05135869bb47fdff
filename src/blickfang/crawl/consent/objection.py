"""What an answer says against being kept, for those who fetch without a crawl and its ledger.

In: an answer, and what its page states in its head. Out: nothing, or the `Failure` it asks for.
"""

import time
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from blickfang.crawl.consent.decide import decide
from blickfang.crawl.consent.host import signals_of_answer
from blickfang.types import Failure, LicenceTerms, Response

NO_METAS: Mapping[str, str] = MappingProxyType({})


def find_objection(
    response: Response,
    purpose: str,
    metas: Mapping[str, str] = NO_METAS,
    licences: Iterable[LicenceTerms] = (),
) -> Failure | None:
    """Return why an answer may not be kept for a purpose."""
    signals = signals_of_answer(response.headers, metas, time.time(), licences)
    decision = decide(signals, purpose, "page")
    if decision.may_keep:
        return None
    return Failure(response.url, "consent", ", ".join(decision.reasons))
