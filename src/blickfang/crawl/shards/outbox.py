"""The letters of a shard: about hosts of others, kept until their receiver has them safe.

In: candidates for other shards, and their letters. Out: mail. Numbers rise, so that no letter
counts twice; each bundle says which number came before it, so that none is passed over when a
receiver came back from an earlier state of its own.
"""

import json
from collections.abc import Callable

from blickfang.crawl.frontier.candidates import Candidate
from blickfang.crawl.shards.messages import CandidateLetters, Message, Received
from blickfang.crawl.state.state_db import StateDb

AT_ONCE = 5000


class Letterbox:
    """What a shard has written and taken."""

    def __init__(self, store: StateDb, number: int, send: Callable[[Message], None]) -> None:
        self.store, self.db, self.number, self.send = store, store.db, number, send
        self.written = 0  # the last number that was looked at
        self.last: dict[int, int] = {}  # sent to each shard
        self.to_confirm: dict[int, int] = {}  # of each shard, up to which number
        self.taken = 0  # bundles, since the start

    def write(self, shard: int, candidate: Candidate) -> None:
        """Write a letter; it is sent when it is safe."""
        self.db.execute(
            "INSERT INTO outbox (shard, row) VALUES (?, ?)", (shard, json.dumps(candidate))
        )

    def send_new(self) -> None:
        """Send what was written since the last time."""
        rows = self.db.execute(
            "SELECT number, shard, row FROM outbox WHERE number > ? ORDER BY number LIMIT ?",
            (self.written, AT_ONCE),
        ).fetchall()
        by_shard: dict[int, list[tuple[int, str]]] = {}
        for number, shard, row in rows:
            by_shard.setdefault(shard, []).append((number, row))
            self.written = number
        for shard, letters in by_shard.items():
            self._send(shard, letters)

    def send_again(self, shard: int) -> None:
        """Send a shard that came back from an earlier state all it has not confirmed."""
        self.last.pop(shard, None)
        rows = self.db.execute(
            "SELECT number, row FROM outbox WHERE shard = ? AND number <= ? ORDER BY number",
            (shard, self.written),
        ).fetchall()
        for place in range(0, len(rows), AT_ONCE):
            self._send(shard, rows[place : place + AT_ONCE])

    def _send(self, shard: int, letters: list[tuple[int, str]]) -> None:
        self.send(CandidateLetters(self.number, shard, letters, self.last.get(shard, 0)))
        self.last[shard] = letters[-1][0]

    def take(self, letters: CandidateLetters) -> list[Candidate]:
        """Return what is new; of letters before which some are missing nothing: all come again."""
        self.taken += 1
        row = self.db.execute(
            "SELECT number FROM inbox WHERE shard = ?", (letters.sender,)
        ).fetchone()
        before = row[0] if row else 0
        if letters.after > before:
            return []
        last = max(before, letters.rows[-1][0])
        self.db.execute("INSERT OR REPLACE INTO inbox VALUES (?, ?)", (letters.sender, last))
        self.to_confirm[letters.sender] = last
        return [Candidate(*json.loads(text)) for number, text in letters.rows if number > before]

    def take_confirmations(self) -> list[Received]:
        """Return what may be said when everything taken so far is safe."""
        found = [Received(shard, self.number, last) for shard, last in self.to_confirm.items()]
        self.to_confirm.clear()
        return found

    def is_waiting(self) -> bool:
        """Whether letters are not confirmed yet."""
        return bool(self.db.execute("SELECT EXISTS (SELECT 1 FROM outbox)").fetchone()[0])
