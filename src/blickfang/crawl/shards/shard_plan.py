"""The plan of a crawl: how many shards it has, and how hosts are given to them.

In: the folder of a crawl. Out: `Plan`, kept in crawl.json. Hosts belong to shards: when their
number changes, hosts move (rebalancing.py), and the plan says so until the last one has moved.
"""

import hashlib
import json
from functools import lru_cache
from pathlib import Path
from shlex import quote
from typing import NamedTuple

from blickfang.errors import InputError
from blickfang.io.atomic_files import write_text

PLAN = "crawl.json"


class ShardPlan(NamedTuple):
    """How a crawl is divided."""

    shards: int = 0  # 0: it has not begun
    becoming: int = 0  # how many it will have when hosts that move have moved; 0: none move
    store: str = ""  # where its shards are kept, if not in its folder


def read_plan(folder: Path) -> ShardPlan:
    """Return the plan of a crawl; that of one that has not begun has no shards."""
    try:
        kept = json.loads((folder / PLAN).read_text(encoding="utf-8"))
        numbers = int(kept["shards"]), int(kept.get("becoming", 0))
        return ShardPlan(*numbers, str(kept.get("store", "")))
    except FileNotFoundError:
        return ShardPlan()
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{folder / PLAN} is damaged") from error


def name_shard(folder: Path, number: int) -> Path:
    """Return the folder of a shard."""
    return folder / f"shard-{number:02d}"


def check_shards(folder: Path) -> None:
    """Raise an error if the folder of a shard is gone: it would begin anew, silently."""
    plan = read_plan(folder)
    for number in range(0 if plan.store else plan.shards):
        path = name_shard(folder, number)
        if not path.is_dir():
            root = quote(str(folder.parent))
            raise InputError(
                f"{path} is gone, with what one of {plan.shards} shards knew and fetched: put it "
                f"back, or run `blickfang crawl {root} --rebuild`, which goes on from the archives "
                "that are left and fetches again what was there"
            )


def write_plan(folder: Path, plan: ShardPlan) -> None:
    """Keep the plan of a crawl."""
    write_text(folder / PLAN, json.dumps({k: v for k, v in plan._asdict().items() if v}) + "\n")


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
