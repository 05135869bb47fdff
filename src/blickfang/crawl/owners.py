"""Which shard owns a host: a jump consistent hash, the same on every machine.

In: a host and how many shards there are. Out: the number of one. When shards are added only hosts
of the new ones move, and as few as can be (Lamping and Veach, "A Fast, Minimal Memory, Consistent
Hash Algorithm").
"""

import hashlib
from functools import lru_cache

STEP = 2862933555777941757  # of the generator in the paper
MASK = 2**64 - 1
AT_HAND = 100_000  # hosts whose shard is kept in memory


@lru_cache(AT_HAND)
def shard_of(host: str, count: int) -> int:
    """Return the shard that owns a host.

    >>> shard_of("example.org", 1)
    0
    """
    if count == 1:
        return 0
    key = int.from_bytes(hashlib.blake2b(host.encode(), digest_size=8).digest(), "big")
    owner, following = 0, 0
    while following < count:
        owner = following
        key = (key * STEP + 1) & MASK
        following = int((owner + 1) * (2**31 / ((key >> 33) + 1)))
    return owner
