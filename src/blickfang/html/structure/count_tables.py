"""Hash tables that count, for kernels.

In: hashes as keys. Out: counts. A `Table` is made for one use. A `Sheet` is kept by its thread and
never emptied, which took longer than filling it: what has not the stamp of today is not there.
"""

import threading
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, inlined

SLOT = np.dtype([("key", np.uint64), ("count", np.int32), ("stamp", np.int32)])
KEPT_ENTRIES = 2**14  # a sheet has room for so many: 1 MB, touched as needed
LAST_STAMP = 2**30  # a page takes a thousand; then a new sheet is made
_scratch = threading.local()

Table = Any  # an array of SLOT, a power of two long; numba knows its fields, mypy does not


class StampedTable(NamedTuple):
    """A table whose entries count only if they have the stamp."""

    slots: Table
    stamp: NDArray[np.int64]  # a single number


def make_table(entries: int) -> Table:
    """Return room for so many keys, at most half full."""
    return np.zeros(2 << max(entries, 8).bit_length(), SLOT)


def lend_sheets(*entries: int) -> list[StampedTable]:
    """Return room for so many keys each: this thread's own, until it asks again."""
    if max(entries) > KEPT_ENTRIES:
        return [StampedTable(make_table(count), np.zeros(1, np.int64)) for count in entries]
    return [_lend_sheet(number, count) for number, count in enumerate(entries)]


def _lend_sheet(number: int, entries: int) -> StampedTable:
    """Return one of the thread's sheets; by each of its sizes it is kept, as a view costs a µs."""
    kept: dict[int, dict[int, StampedTable]] | None = getattr(_scratch, "sheets", None)
    if kept is None:
        kept = _scratch.sheets = {}
    bits, whole = max(entries, 8).bit_length(), KEPT_ENTRIES.bit_length()
    sizes = kept.get(number)
    if sizes is None or sizes[whole].stamp[0] > LAST_STAMP:
        sizes = kept[number] = {
            whole: StampedTable(make_table(KEPT_ENTRIES), np.zeros(1, np.int64))
        }
    if bits not in sizes:
        slots, stamp = sizes[whole]
        sizes[bits] = StampedTable(slots[: 2 << bits], stamp)
    return sizes[bits]


@inlined
def find_slot(table: Table, key: np.uint64) -> np.uint64:
    """Return where a key stands, or shall stand."""
    mask = np.uint64(len(table) - 1)
    slot = (key ^ (key >> np.uint64(32))) & mask
    while table[slot].key != key and table[slot].key != np.uint64(0):
        slot = (slot + np.uint64(1)) & mask
    return slot


@inlined
def count_key(table: Table, key: np.uint64, amount: Integer) -> None:
    """Add to the count of a key."""
    slot = find_slot(table, key)
    table[slot].key = key
    table[slot].count += amount


@inlined
def take_sheet(sheet: StampedTable) -> None:
    """Begin with an empty sheet."""
    sheet.stamp[0] += 1


@inlined
def place_entry(sheet: StampedTable, key: np.uint64) -> np.uint64:
    """Return where a key stands on a sheet, from now on."""
    slots, stamp = sheet.slots, sheet.stamp[0]
    mask = np.uint64(len(slots) - 1)
    slot = (key ^ (key >> np.uint64(32))) & mask
    while slots[slot].stamp == stamp and slots[slot].key != key:
        slot = (slot + np.uint64(1)) & mask
    if slots[slot].stamp != stamp:
        slots[slot].stamp = stamp
        slots[slot].key = key
        slots[slot].count = 0
    return slot
