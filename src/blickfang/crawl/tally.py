"""What a shard has done so far, in numbers."""

from collections import Counter
from dataclasses import dataclass, field


@dataclass(slots=True)
class Tally:
    """What a shard has done so far."""

    pages: int = 0  # HTML answered 200
    images: int = 0
    rated: int = 0  # pages of which is known whether they are on topic
    on_topic: int = 0
    duplicates: int = 0
    unrendered: Counter[str] = field(default_factory=Counter)  # why pages were not rendered
