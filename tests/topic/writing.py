"""Texts on birds and on metals, without end: the same words in ever new sentences."""

import random

BIRDS = (
    "robin owl heron kestrel wren finch swallow plover lark thrush",
    "nests sings feeds hides waits hunts sleeps drinks lands calls",
    "hedge reed barn cliff meadow orchard marsh copse moor shore",
)
METALS = (
    "steel iron zinc brass copper alloy tin lead chrome nickel",
    "melts bends rusts cools cracks shines wears sets warps rings",
    "furnace lathe mould press kiln vice drill forge anvil crane",
)
BETWEEN = ("in the", "by a", "near that", "behind this", "over every", "under some")


def write(number: int, words: tuple[str, str, str], count: int) -> str:
    """Return so many sentences of some words, others for each number."""
    draws = random.Random(number)  # noqa: S311 -- repeatable
    things, deeds, places = (text.split() for text in words)

    def say() -> str:
        thing, deed = draws.choice(things), draws.choice(deeds)
        return f"the {thing} {deed} {draws.choice(BETWEEN)} {draws.choice(places)}"

    return " ".join(f"Now {say()} and {say()}." for _ in range(count))


def birds(number: int, count: int = 30) -> str:
    """Return sentences on birds."""
    return write(number, BIRDS, count)


def metals(number: int, count: int = 30) -> str:
    """Return sentences on metals."""
    return write(number, METALS, count)
