"""Growing inputs: our own engine, the same inputs for the same seed on every machine.

In: inputs, and tokens of a language. Out: an input that nobody wrote. Beside flips and splices
there are what parsers fear: lying numbers, deep nesting, one piece a million times.
"""

import random
import re
from collections.abc import Callable, Sequence

from tests.fuzz.kinds import LARGEST

NUMBER = re.compile(rb"[0-9]{1,20}")
NUMBERS = (
    *tuple(
        str(value).encode()
        for value in (0, 1, 2, 7, 31, 127, 255, 256, 1000, 65535, 65536, 10**6, 2**31 - 1, 2**31)
    ),
    b"-1",
    b"4294967296",
    b"18446744073709551616",
    b"9" * 40,
    b"1e999",
    b"nan",
    b"0x10",
    b"1" * 400,
)
WORDS = (b"\0", b"\xff", b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\0\0\0\0", b"\x80\0\0\0")
ODD = (
    "\ufeff",
    "\u2028",
    "\u202e",
    "İ",
    "ß",
    "\U0010ffff",
    "\ud7ff",
    "𝔘",
    "日",
    "\x85",
    "\xa0",
    "\r",
)


class Mutator:
    """Makes new inputs from old ones; what it draws depends on its seed only."""

    def __init__(self, seed: str | int, tokens: Sequence[bytes], pool: Sequence[bytes]) -> None:
        self.random = random.Random(seed)  # noqa: S311 - repeatable, not secret
        self.tokens = (*tokens, *WORDS, *(text.encode() for text in ODD))
        self.own = tuple(tokens) or self.tokens
        self.pool = list(pool) or [b""]
        self.ways: tuple[Callable[[bytes], bytes], ...] = (
            self.flip, self.flip, self.overwrite, self.insert, self.insert, self.replace,
            self.remove, self.repeat, self.move, self.splice, self.lie, self.lie, self.cut,
            self.nest,
            self.shout,
        )  # fmt: skip

    def make(self, longest: int) -> bytes:
        """Return a new input from the pool."""
        pool = self.pool
        # What was found last is worth more: half of the time one of the newest.
        newest = self.random.random() < 0.5 and len(pool) > 32
        data = pool[-self.random.randint(1, 32)] if newest else self.random.choice(pool)
        return self.change(data, longest)

    def change(self, data: bytes, longest: int) -> bytes:
        """Return an input changed in some ways."""
        for _ in range(1 << self.random.randint(0, 4)):
            data = self.random.choice(self.ways)(data)
            if len(data) > longest:
                start = self.random.randrange(len(data) - longest + 1)
                data = (
                    data[start : start + longest] if self.random.random() < 0.3 else data[:longest]
                )
        return data

    def grow(self, most: int = LARGEST) -> bytes:
        """Return a huge input: pieces one after the other, again and again."""
        draw = self.random
        size = draw.choice((most // 50, most // 10, most // 3, most))
        frame = self.random.choice(self.pool)
        cut = draw.randint(0, min(len(frame), 4000))
        runs = [self.piece() for _ in range(draw.choice((1, 1, 1, 2, 3)))]
        share = size // len(runs)
        middle = b"".join(self.fill(run, share) for run in runs)
        tail = frame[cut : cut + 4000] if draw.random() < 0.5 else b""
        return (frame[:cut] + middle + tail)[:most]

    def piece(self) -> bytes:
        """Return something short to be repeated."""
        draw = self.random
        if draw.random() < 0.3:
            data = draw.choice(self.pool)
            start = draw.randint(0, max(0, len(data) - 1))
            return data[start : start + draw.randint(1, 60)] or b"x"
        return b"".join(draw.choice(self.own) for _ in range(draw.choice((1, 1, 2, 2, 3, 4, 6))))

    def fill(self, piece: bytes, size: int) -> bytes:
        """Return a piece again and again; at times each time with another number."""
        if b"#" in piece or self.random.random() < 0.2:
            made = [
                piece.replace(b"#", b"%d" % n) + b"%d" % n for n in range(size // (len(piece) + 4))
            ]
            return b"".join(made)
        return piece * (size // len(piece))

    def place(self, data: bytes) -> tuple[int, int]:
        """Return a range of the input: most are short."""
        start = self.random.randint(0, len(data))
        length = self.random.randint(0, 1 << self.random.randint(0, 10))
        return start, min(len(data), start + length)

    def flip(self, data: bytes) -> bytes:
        """Flip some bits."""
        made = bytearray(data or b"\0")
        for _ in range(self.random.randint(1, 4)):
            made[self.random.randrange(len(made))] ^= 1 << self.random.randrange(8)
        return bytes(made)

    def overwrite(self, data: bytes) -> bytes:
        """Write a token over what is there."""
        start = self.random.randint(0, len(data))
        token = self.random.choice(self.tokens)
        return data[:start] + token + data[start + len(token) :]

    def insert(self, data: bytes) -> bytes:
        """Put a token in between."""
        start = self.random.randint(0, len(data))
        return data[:start] + self.random.choice(self.own) + data[start:]

    def replace(self, data: bytes) -> bytes:
        """Put one token in place of another, once or everywhere."""
        old, new = self.random.choice(self.own), self.random.choice(self.tokens)
        return data.replace(old, new, 1 if self.random.random() < 0.7 else -1)

    def remove(self, data: bytes) -> bytes:
        """Leave a range out."""
        start, end = self.place(data)
        return data[:start] + data[end:]

    def repeat(self, data: bytes) -> bytes:
        """Say a range again, a few or many times."""
        start, end = self.place(data)
        times = 1 << self.random.randint(0, 8)
        return data[:end] + data[start:end] * times + data[end:]

    def move(self, data: bytes) -> bytes:
        """Take a range elsewhere."""
        start, end = self.place(data)
        rest = data[:start] + data[end:]
        at = self.random.randint(0, len(rest))
        return rest[:at] + data[start:end] + rest[at:]

    def splice(self, data: bytes) -> bytes:
        """Go on with another input."""
        other = self.random.choice(self.pool)
        return data[: self.place(data)[0]] + other[self.place(other)[0] :]

    def lie(self, data: bytes) -> bytes:
        """Let a number say something else, in digits or in bytes."""
        found = list(NUMBER.finditer(data[:100_000]))
        if found and self.random.random() < 0.6:
            match = self.random.choice(found)
            return data[: match.start()] + self.random.choice(NUMBERS) + data[match.end() :]
        start = self.random.randint(0, len(data))
        size = self.random.choice((1, 2, 4, 8))
        order = self.random.choice(("little", "big"))
        value = self.random.choice(
            (0, 1, 2**31 - 1, 2**32 - 1, len(data), self.random.getrandbits(16))
        )
        token = (value % (1 << 8 * size)).to_bytes(size, order)  # type: ignore[arg-type]
        return data[:start] + token + data[start + size :]

    def cut(self, data: bytes) -> bytes:
        """End early."""
        return data[: self.random.randint(0, len(data))]

    def nest(self, data: bytes) -> bytes:
        """Wrap a range into many levels of two tokens."""
        start, end = self.place(data)
        times = 1 << self.random.randint(0, 9)
        opening, closing = self.random.choice(self.own), self.random.choice(self.own)
        return data[:start] + opening * times + data[start:end] + closing * times + data[end:]

    def shout(self, data: bytes) -> bytes:
        """Change the case of a range."""
        start, end = self.place(data)
        return data[:start] + data[start:end].swapcase() + data[end:]
