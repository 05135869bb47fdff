"""Where a corpus comes from: what its card tells and its manifest keeps.

In: what the builder knows. Out: `Origin`, and its form in JSON.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple


class FunnelStep(NamedTuple):
    """A step of the funnel: how many pictures are left after it, and why others are not."""

    name: str
    left: int
    dropped: tuple[tuple[str, int], ...] = ()  # reason and count


@dataclass(frozen=True, slots=True)
class Origin:
    """How a corpus was made; everything in it is a function of archive, topic and settings."""

    title: str = ""
    read_up_to: str = ""  # when the youngest record of the archive was fetched
    purpose: str = ""  # search, research or train: which opt-outs bind
    signals: tuple[str, ...] = ()  # which opt-outs were read; none of those not named here
    contact: str = ""  # whom to ask for removal
    settings: Mapping[str, Any] = field(default_factory=dict)  # by section
    topic: Mapping[str, Any] = field(default_factory=dict)
    funnel: tuple[FunnelStep, ...] = ()
    removed_rejected: int = 0  # rows of dropped pictures that removal lists kept from an export
    limits: tuple[str, ...] = ()  # known weaknesses of this corpus, a sentence each


def origin_to_json(origin: Origin) -> dict[str, Any]:
    """Return an origin as a manifest keeps it."""
    return {
        "title": origin.title,
        "read_up_to": origin.read_up_to,
        "purpose": origin.purpose,
        "signals": list(origin.signals),
        "contact": origin.contact,
        "settings": dict(origin.settings),
        "topic": dict(origin.topic),
        "funnel": [
            {"step": step.name, "left": step.left, "dropped": [list(pair) for pair in step.dropped]}
            for step in origin.funnel
        ],
        "removed_rejected": origin.removed_rejected,
        "limits": list(origin.limits),
    }


def origin_from_json(manifest: Mapping[str, Any]) -> Origin:
    """Return the origin that a manifest keeps."""
    steps = tuple(
        FunnelStep(
            step["step"], step["left"], tuple((why, count) for why, count in step["dropped"])
        )
        for step in manifest["funnel"]
    )
    names = ("title", "read_up_to", "purpose", "contact", "settings", "topic")
    known = {name: manifest[name] for name in names}
    signals, limits = tuple(manifest["signals"]), tuple(manifest["limits"])
    removed = manifest["removed_rejected"]
    return Origin(**known, signals=signals, limits=limits, funnel=steps, removed_rejected=removed)
