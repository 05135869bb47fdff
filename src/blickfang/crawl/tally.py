"""What a shard has done so far, counted.

In: visits. Out: numbers for whoever shows them.
"""

from collections import Counter
from dataclasses import dataclass, field


@dataclass(slots=True)
class ShardCounters:
    """What a shard has done so far."""

    pages: int = 0  # HTML answered 200
    images: int = 0
    rated: int = 0  # pages of which is known whether they are on topic
    on_topic: int = 0
    duplicates: int = 0
    unrendered: Counter[str] = field(default_factory=Counter)  # why pages were not rendered

    def count_page(self, relevance: float | None, on_topic: float) -> None:
        """Count a page, and whether it is as relevant as one on topic is, if that is known."""
        self.pages += 1
        self.rated += relevance is not None
        self.on_topic += relevance is not None and relevance >= on_topic
