"""Tasks by name: those of the studies, to start from.

In: the name of a preset. Out: the values that `make_task` reads.
"""

import copy
from typing import Any

from blickfang.errors import SettingsError

TOPIC: dict[str, Any] = {
    "title": "Topic and text",
    "help": (
        "Look at the image first, then read the text below it.\n\n"
        "First say what the image shows: take the first category that fits, they go from narrow "
        "to wide. Then say what the text has to do with the image. Judge only what you see; if "
        "you cannot decide, skip it and say why."
    ),
    "on_topic": ["topic"],
    "question": [
        {
            "name": "topic",
            "text": "Which topic?",
            "ordered": True,
            "categories": [
                {"name": "topic", "label": "on topic", "key": "1", "meaning": "shows the topic"},
                {"name": "near", "label": "near it", "key": "2", "meaning": "something close"},
                {"name": "wider", "label": "wider field", "key": "3", "meaning": "same field"},
                {"name": "far", "label": "far from it", "key": "4", "meaning": "loosely related"},
                {"name": "other", "label": "other", "key": "5", "meaning": "something else"},
            ],
            "merges": {
                "reduced 1": [["wider", "far"]],
                "reduced 2": [["wider", "far", "other"]],
            },
        },
        {
            "name": "text",
            "text": "The text …",
            "ordered": True,
            "phase": 2,
            "categories": [
                {
                    "name": "describes",
                    "label": "describes the image",
                    "key": "ArrowUp",
                    "meaning": "it says what can be seen",
                },
                {
                    "name": "fits",
                    "label": "fits the topic",
                    "key": "ArrowDown",
                    "meaning": "it is about the same thing, but does not describe the image",
                },
                {
                    "name": "irrelevant",
                    "label": "is irrelevant",
                    "key": "ArrowLeft",
                    "meaning": "it has nothing to do with the image, or says nothing",
                },
                {
                    "name": "misleading",
                    "label": "is misleading",
                    "key": "ArrowRight",
                    "meaning": "it claims something else than the image shows",
                },
            ],
            "merges": {
                "reduced 1": [["describes", "fits"]],
                "reduced 2": [["describes", "fits"], ["irrelevant", "misleading"]],
            },
        },
    ],
}
# The words and keys of the study: its topic was cats.
CATS = copy.deepcopy(TOPIC)
CATS["title"] = "Cats, and their texts"
CATS["on_topic"] = ["cat"]
CATS["question"][0]["categories"] = [
    {"name": name, "label": label, "key": str(number)}
    for number, (name, label) in enumerate(
        (
            ("cat", "cat"),
            ("pet", "pet"),
            ("mammal", "mammal"),
            ("living-being", "living being"),
            ("other", "other"),
        ),
        1,
    )
]
CATS["question"][0]["merges"] = {
    "reduced 1": [["mammal", "living-being"]],
    "reduced 2": [["mammal", "living-being", "other"]],
}
CONTEXT: dict[str, Any] = {
    "title": "Does the text belong to the image?",
    "help": (
        "Look at the image, and then at each text. Is the text relevant to this image on its "
        "page? It need not be complete; it must be about this image, not about the page as a "
        "whole or about another image."
    ),
    "on_topic": ["relevant"],
    "select": {"how": "random", "methods": ["best", "repeats", "paragraph", "monash"]},
    "question": [
        {
            "name": "context",
            "text": "Is this text relevant to this image on this page?",
            "ordered": True,
            "each": True,
            "categories": [
                {
                    "name": "relevant",
                    "label": "relevant",
                    "key": "1",
                    "meaning": "it is about this image",
                },
                {
                    "name": "not-relevant",
                    "label": "not relevant",
                    "key": "2",
                    "meaning": "it is about something else, or about nothing",
                },
            ],
        }
    ],
}
PRESETS = {"topic": TOPIC, "cats": CATS, "context": CONTEXT}


def preset_values(name: str) -> dict[str, Any]:
    """Return the values of a preset, to be changed at will."""
    if name not in PRESETS:
        raise SettingsError(f"there is no preset {name!r}; choose {', '.join(PRESETS)}")
    return copy.deepcopy(PRESETS[name])
